"""Refits of one dense table of pairs: games as a square of all agents, so that a step takes no exponential.

With u = e^r agent i is expected to score N_ij u_i / (u_i + u_j) against j: an addition and a division for each pair, on
a square that stays in the processor's cache. Steps are Newton's with the Hessian of the first fit, whose inverse all
refits share; the objective is concave, so that a point at which such a step vanishes is the optimum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.data.pair_sums import sums
from equipoise.data.pairs import PairTable
from equipoise.ratings.bradley_terry_model import PairedModel
from equipoise.ratings.bradley_terry_newton import dense_hessian, pinned
from equipoise.ratings.tie_models import Cells, curvature
from equipoise.results import FloatArray

__all__ = ["refits_of_squares"]

TOLERANCE = 1e-9
"""Largest last step, in log-odds, of a refit that has converged."""
MOST_STEPS = 40
MANY_TABLES = 32
"""So many resamples are as good as the data for a Hessian."""
FARTHEST = 20.0
"""A refit that runs so much farther out than the first fit has no optimum to run to, or not one it finds this way."""


def refits_of_squares(model: PairedModel, x: FloatArray, tables: Sequence[PairTable]) -> list[FloatArray | None]:
    """Give the ratings of other counts of the same pairs; None where these steps do not lead to them.

    Parameters
    ----------
    model, x
        The pairs of the first fit, with ties as half a win, and its optimum.
    tables
        With the rows of ``model``, and other counts.
    """
    inverse, place = _inverse(model, x, tables), _Places.of(model)
    return [_refit(model, x, inverse, place, table) for table in tables]


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Where the rows of a table stand in a square of all agents.

    ``back`` is the place of the other way round, None where some pair has a second row. ``starts`` are the rows at
    which the first agent changes, None where they are not sorted by it.
    """

    model: PairedModel
    cell: npt.NDArray[np.int64]
    back: npt.NDArray[np.int64] | None
    starts: npt.NDArray[np.int64] | None

    @classmethod
    def of(cls, model: PairedModel) -> "_Places":
        first, second = model.first.astype(np.int64), model.second.astype(np.int64)
        cell, change = first * model.agents + second, np.diff(first)
        alone = bool((first < second).all() and (np.diff(cell) > 0).all())
        starts = np.append(0, 1 + np.flatnonzero(change)) if (change >= 0).all() else None
        return cls(model, cell, second * model.agents + first if alone else None, starts)

    def square(self, games: FloatArray) -> FloatArray:
        """Give games as a square: of the two ways round apart if a side has an advantage, else together."""
        n = self.model.agents
        if self.back is None or self.model.side:
            square = sums(self.cell, games, n * n).reshape(n, n)
            return square if self.model.side else square + square.T
        flat = np.zeros(n * n)
        flat[self.cell] = flat[self.back] = games
        return flat.reshape(n, n)

    def won(self, games: FloatArray, score: FloatArray) -> FloatArray:
        """Give what each agent scored; with a side advantage less what was scored against it, and the first side's."""
        n, model = self.model.agents, self.model
        by_second = sums(model.second, score if model.side else games - score, n)
        if self.starts is None:
            by_first = sums(model.first, score, n)
        else:
            by_first = np.zeros(n)
            by_first[model.first[self.starts]] = np.add.reduceat(score, self.starts)
        return np.append(by_first - by_second, score.sum()) if model.side else by_first + by_second


def _inverse(model: PairedModel, x: FloatArray, tables: Sequence[PairTable]) -> FloatArray:
    """Invert the Hessian at the first optimum, with the mean games of the tables: those of the data, or nearly."""
    some = tables[:MANY_TABLES]
    none = np.zeros(len(model.first))
    games = sum((table.games for table in some), none) / len(some)
    slope = curvature(model.differences(x), 0.0, Cells(games, none, none), "half")
    regular, _ = pinned(model, dense_hessian(model, slope))
    factor = scipy.linalg.cho_factor(regular, check_finite=False)
    return np.asarray(scipy.linalg.cho_solve(factor, np.eye(model.size), check_finite=False))


def _refit(
    model: PairedModel, start: FloatArray, inverse: FloatArray, place: _Places, table: PairTable
) -> FloatArray | None:
    n, counts = model.agents, table.games
    games, won = place.square(counts), place.won(counts, table.score)
    if not (model.precision or _joined(games, symmetric=not model.side)):
        return None
    x, farthest, expected = start.copy(), float(np.abs(start).max()) + FARTHEST, _Expected(model, games)
    for _ in range(MOST_STEPS):
        gradient = won - expected(x)
        if model.precision:
            gradient[:n] -= model.precision * x[:n]
        step = inverse @ gradient
        x += step
        if np.abs(step).max() <= TOLERANCE:
            return x[:n]
        if not np.abs(x).max() < farthest:
            return None
    return None


class _Expected:
    """What agents (and the first side, where it has an advantage) are expected to score, in room that is used again."""

    __slots__ = ("_games", "_left", "_model", "_ones", "_right", "_room")

    def __init__(self, model: PairedModel, games: FloatArray) -> None:
        n = model.agents
        self._model, self._games, self._room, self._ones = model, games, np.empty((n, n)), np.ones(n)
        # All sums of two strengths are a product of matrices, which is quicker than adding them up.
        self._left, self._right = np.ones((n, 2)), np.ones((2, n))

    def __call__(self, x: FloatArray) -> FloatArray:
        n, room = self._model.agents, self._room
        strength = np.exp(x[:n])
        ahead = strength * np.exp(x[n]) if self._model.side else strength
        self._left[:, 0], self._right[1] = ahead, strength
        np.matmul(self._left, self._right, out=room)
        np.divide(self._games, room, out=room)
        by_first: FloatArray = ahead * (room @ self._ones)
        if not self._model.side:
            return by_first
        return np.append(by_first - ahead @ room, by_first.sum())


def _joined(games: FloatArray, *, symmetric: bool) -> bool:
    """Tell whether a chain of games joins all agents."""
    met = games > 0
    if not symmetric:
        met |= met.T
    reached = met[0].copy()
    reached[0] = True
    count = 1
    while count < (now := int(np.count_nonzero(reached))):
        count = now
        reached |= met[reached].any(axis=0)
    return count == len(games)
