"""Refits many simulated pair tables at once: Newton's method, its steps by conjugate gradients.

Replicates lie close to the null they were drawn from, so one factorisation of the null's information matrix, scaled to
what each agent's games say in the replicate, preconditions them all: a handful of products an answer.

Ratings of many simulated tables of the same pairs at a given link shape, fitted side by side.

The steps are those of :func:`~equipoise.ratings.transitivity.rating_fit.fit_at_link`, one table by itself; here the
small matrices of all tables are solved together, which for tens of agents is many times quicker.
"""

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray
from equipoise.flows.laplacian import Solver
from equipoise.ratings.paired.model import PairedModel, by_unknown, incidence
from equipoise.ratings.transitivity.rating_fit import HALVINGS, STEPS, TOLERANCE, LinkPoint
from equipoise.ratings.transitivity.test_statistics import Null, expected_score, score_curve, score_variance, tie_rates

SMALL_STEP = 1e-8
"""A replicate counts as fitted when one more step would gain less log-likelihood than this, per pair."""
FINEST = 1e-3
"""Relative accuracy of Newton's steps near the end."""
ROUGHLY = 1000.0
"""A rough fit stops at a gain as many times larger; its statistic is off by about a thousandth of its spread."""
ROUGH_STEPS = 0.05
"""Relative accuracy of the steps of a rough fit."""
MOST_STEPS = 20
"""Newton steps after which a replicate is left to be fitted by itself."""
USUAL_STEPS = 2
"""Newton steps that most replicates need."""
INNER = 12
"""Most conjugate-gradient steps for one step of Newton's."""
FARTHEST = 3.0
"""Most that one step may change the log-odds of a pair: Newton's method overshoots from afar."""
NEAR = 0.9
"""Most that the log-odds of a pair may have changed in a last step."""
SAFELY = 30.0
"""As many times smaller must be the gain of a step that is not taken: the statistic would move by its root."""
UNSOLVED = 0.1
"""Share of the replicates that may be less accurate than wanted when a step is taken; they take one more."""
BLOCK = 300_000
"""Numbers (cells by replicates) worked on together: what stays near the processor."""


def refit(
    null: Null, solve: Solver, wins: FloatArray, ties: FloatArray, *, rough: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Ratings (and side) of each replicate at the null's link; say which did not settle.

    ``solve`` is that of the null with its link fixed.
    """
    count = wins.shape[1]
    x = np.repeat(null.x[:, None], count, axis=1)
    unfinished = np.ones(count, dtype=bool)
    information = _Information(null, solve)
    size = max(1, BLOCK // len(null.games))
    # Those that take longer than most go on together.
    for most in (min(USUAL_STEPS, MOST_STEPS), MOST_STEPS - USUAL_STEPS):
        left = np.flatnonzero(unfinished)
        for start in range(0, len(left), size):
            some = left[start : start + size]
            begin, won = x.take(some, axis=1), wins.take(some, axis=1)
            tied = ties.take(some, axis=1) if null.tied else None
            x[:, some], unfinished[some] = _block(null, information, begin, won, tied, most, rough=rough)
    return x, unfinished


def _block(
    null: Null,
    information: "_Information",
    start: FloatArray,
    wins: FloatArray,
    ties: FloatArray | None,
    most: int,
    *,
    rough: bool,
) -> tuple[FloatArray, FloatArray]:
    model, games = null.model, null.games[:, None]
    finest, small = (ROUGH_STEPS, ROUGHLY * SMALL_STEP) if rough else (FINEST, SMALL_STEP)
    score = wins if ties is None else wins + ties / 2
    left, x, fitted, first = np.arange(score.shape[1]), start, start.copy(), None
    for _ in range(most):
        excess, weight = _at(null, model.differences(x), score, ties)
        gradient = information.gather @ excess
        gradient[: model.agents] -= model.precision * x[: model.agents]
        size = np.einsum("ij,ij->j", gradient, gradient) ** 0.5
        first = np.maximum(size, 1e-300) if first is None else first
        step, along, rest = information.step(weight, gradient, np.clip(size / first, finest, 0.1))
        gain, far = np.einsum("ij,ij->j", gradient, step), np.abs(along).max(axis=0)
        ahead = np.where(far <= NEAR, _ahead(gain, weight, along, rest), gain)
        step *= np.minimum(1.0, FARTHEST / np.maximum(far, 1e-300))
        x = x + step
        fitted[:, left] = x
        still = ~(np.minimum(gain, SAFELY * ahead) <= small * len(games))
        if not still.any():
            break
        if not still.all():
            left, first = left[still], first[still]
            x, score = x.compress(still, axis=1), score.compress(still, axis=1)
            ties = None if ties is None else ties.compress(still, axis=1)
    else:
        still = np.ones(len(left), dtype=bool)
    unfinished = np.zeros(fitted.shape[1], dtype=bool)
    unfinished[left[still]] = True
    return fitted, unfinished


def _ahead(gain: FloatArray, weight: FloatArray, along: FloatArray, rest: FloatArray) -> FloatArray:
    """At most so much log-likelihood would one more step gain, after one with this ``gain``.

    That is what the equations of this step left unsolved (the square of ``rest``, of its own gain), and what changed on
    the way: log-odds that move by d bend by up to w d^2 / 2, of which no step gains more than the sum of w d^4 / 4. Up
    to ``NEAR`` four times that bounds the terms of higher order too.
    """
    square = along * along
    return np.asarray(rest**2 * gain + np.einsum("ij,ij->j", weight * square, square))


def _at(null: Null, d: FloatArray, score: FloatArray, ties: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Excess of the scores, weighted by what the quasi-likelihood makes of it, and the information of each cell."""
    games = null.games[:, None]
    if ties is None and null.link_shape == 0:
        chance = scipy.special.expit(d)
        return score - games * chance, games * (chance * (1 - chance))
    curve = score_curve(d, null.link_shape)
    variance = curve.slope if ties is None else score_variance(curve.chance, tie_rates(games, ties, curve.chance))
    lift = curve.slope / variance
    return (score - games * curve.chance) * lift, games * curve.slope * lift


class _Information:
    """Products with the information matrices of replicates, and solutions preconditioned by that of the null."""

    def __init__(self, null: Null, solve: Solver) -> None:
        self.model, self.solve = null.model, solve
        self.gather = by_unknown(incidence(null.model))
        self.degrees = abs(self.gather)
        self.typical = self._degrees(_at(null, null.model.differences(null.x)[:, None], np.zeros((1, 1)), None)[1])

    def _degrees(self, weight: FloatArray) -> FloatArray:
        degrees = self.degrees @ weight
        degrees[: self.model.agents] += self.model.precision
        return np.asarray(degrees)

    def step(
        self, weight: FloatArray, gradient: FloatArray, accuracy: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Newton steps to a relative ``accuracy`` of each column, the changes of log-odds, the accuracy got."""
        scale = np.sqrt(self.typical / np.maximum(self._degrees(weight), 1e-300))
        agents, precision = self.model.agents, self.model.precision
        step, along = np.zeros_like(gradient), np.zeros_like(weight)
        residual = gradient.copy()
        z = scale * self.solve(scale * residual)
        direction, rho = z, np.einsum("ij,ij->j", residual, z)
        whole, goal = np.maximum(rho, 1e-300), accuracy**2 * rho
        for _ in range(INNER):
            moved = self.model.differences(direction)
            image = self.gather @ (weight * moved)
            image[:agents] += precision * direction[:agents]
            curvature = np.einsum("ij,ij->j", direction, image)
            length = np.where(curvature > 0, rho / np.where(curvature > 0, curvature, 1.0), 0.0)
            step += length * direction
            along += length * moved
            residual -= length * image
            z = scale * self.solve(scale * residual)
            before, rho = rho, np.einsum("ij,ij->j", residual, z)
            if np.count_nonzero(rho > goal) <= UNSOLVED * len(rho):
                break
            direction = z + np.where(before > 0, rho / np.where(before > 0, before, 1.0), 0.0) * direction
        return step, along, np.sqrt(np.maximum(rho, 0.0) / whole)


MOST_UNKNOWNS = 200
"""Unknowns up to which tables are fitted together; above, each is worth a factorisation of its own."""
CHUNK = 1_000_000
"""Most numbers of the matrices that are solved together."""
Indices = npt.NDArray[np.intp]


def fits_at_link(
    model: PairedModel, games: FloatArray, score: FloatArray, ties: FloatArray, start: LinkPoint
) -> FloatArray:
    """Ratings (and side) of each table, a column each; the model must have a prior.

    ``games`` has a number for each cell; ``score`` (a tie is half) and ``ties`` have a column for each table.
    """
    size = max(1, CHUNK // len(start.x) ** 2)
    parts = [slice(first, first + size) for first in range(0, score.shape[1], size)]
    return np.concatenate(
        [_Tables(model, games, score[:, p], ties[:, p], start.link_shape).fit(start.x) for p in parts], axis=1
    )


class _Tables:
    """Counts of several tables, cells by rows and tables by columns."""

    def __init__(
        self, model: PairedModel, games: FloatArray, score: FloatArray, ties: FloatArray, link_shape: float
    ) -> None:
        self.games, self.score, self.ties, self.link_shape = games[:, None], score, ties, link_shape
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
        curve, unknowns = score_curve(self.cells @ x, self.link_shape), len(x)
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
        excess = self.score[:, which] - self.games * expected_score(self.cells @ x, self.link_shape)
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
