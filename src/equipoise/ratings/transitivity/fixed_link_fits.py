"""Ratings of many simulated tables of the same pairs at a given bend, fitted side by side.

The steps are those of :func:`equipoise.ratings.transitivity.link_fit.held_fit`, one table by itself; here the small
matrices of all tables are solved together, which for tens of agents is many times quicker.
"""

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.transitivity.link import bent, expected_score
from equipoise.ratings.transitivity.link_fit import HALVINGS, STEPS, TOLERANCE, At
from equipoise.ratings.transitivity.test_statistics import score_variance, tie_rates

__all__ = ["MOST_UNKNOWNS", "held_fits"]

MOST_UNKNOWNS = 200
"""Unknowns up to which tables are fitted together; above, each is worth a factorisation of its own."""
CHUNK = 1_000_000
"""Most numbers of the matrices that are solved together."""
Indices = npt.NDArray[np.intp]


def held_fits(model: PairedModel, games: FloatArray, score: FloatArray, ties: FloatArray, start: At) -> FloatArray:
    """Ratings (and side) of each table, a column each; the model must have a prior.

    ``games`` has a number for each cell; ``score`` (a tie is half) and ``ties`` have a column for each table.
    """
    size = max(1, CHUNK // len(start.x) ** 2)
    parts = [slice(first, first + size) for first in range(0, score.shape[1], size)]
    return np.concatenate(
        [_Tables(model, games, score[:, p], ties[:, p], start.bend).fit(start.x) for p in parts], axis=1
    )


class _Tables:
    """Counts of several tables, cells by rows and tables by columns."""

    def __init__(self, model: PairedModel, games: FloatArray, score: FloatArray, ties: FloatArray, bend: float) -> None:
        self.games, self.score, self.ties, self.bend = games[:, None], score, ties, bend
        self.cells = model.incidence()
        self.products = _products(self.cells)
        self.prior = np.where(np.arange(self.cells.shape[1]) < model.agents, model.precision, 0.0)

    def fit(self, start: FloatArray) -> FloatArray:
        """Go by Gauss-Newton steps, each halved until the weighted squares of its table fall."""
        x = np.repeat(start[:, None], self.score.shape[1], axis=1)
        going = np.arange(x.shape[1])
        for _ in range(STEPS):
            step, spread, small = self._step(x[:, going], going)
            better = self._halved(x[:, going], step, spread, going)
            moved = ~np.isnan(better[0])
            x[:, going[moved]] = better[:, moved]
            going = going[moved & ~small]
            if len(going) == 0:
                break
        return x

    def _step(self, x: FloatArray, which: Indices) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
        curve, unknowns = bent(self.cells @ x, self.bend), len(x)
        spread = score_variance(curve.chance, tie_rates(self.games, self.ties[:, which], curve.chance))
        excess = self.score[:, which] - self.games * curve.chance
        gradient = self.cells.T @ (curve.slope * excess / spread) - self.prior[:, None] * x
        matrix = (self.products @ (self.games * curve.slope**2 / spread)).T.reshape(-1, unknowns, unknowns)
        step = np.linalg.solve(matrix + np.diag(self.prior), gradient.T[:, :, None])[:, :, 0].T
        return step, spread, np.sum(gradient * step, axis=0) <= TOLERANCE

    def _halved(self, x: FloatArray, step: FloatArray, spread: FloatArray, which: Indices) -> FloatArray:
        """The next points; not a number where no part of the step is any better."""
        better, left = np.full_like(x, np.nan), np.arange(x.shape[1])
        most = self._squares(x, spread, which) * (1 + 1e-12)
        for _ in range(HALVINGS):
            trial = x[:, left] + step[:, left]
            falls = self._squares(trial, spread[:, left], which[left]) <= most[left]
            better[:, left[falls]] = trial[:, falls]
            left = left[~falls]
            if len(left) == 0:
                break
            step = step / 2
        return better

    def _squares(self, x: FloatArray, spread: FloatArray, which: Indices) -> FloatArray:
        excess = self.score[:, which] - self.games * expected_score(self.cells @ x, self.bend)
        return np.asarray(np.sum(excess**2 / (self.games * spread), axis=0) + self.prior @ x**2)


def _products(cells: "scipy.sparse.csr_array") -> "scipy.sparse.csr_array":
    """What a weight of each cell adds to each entry of the information matrix: entries by cells."""
    count, unknowns = cells.shape
    at, sign = cells.indices.reshape(count, -1).astype(np.int64), cells.data.reshape(count, -1)
    entry = at[:, :, None] * unknowns + at[:, None, :]
    value = sign[:, :, None] * sign[:, None, :]
    column = np.repeat(np.arange(count), entry[0].size)
    entries = (value.ravel(), (entry.ravel(), column))
    return scipy.sparse.coo_array(entries, shape=(unknowns**2, count)).tocsr()
