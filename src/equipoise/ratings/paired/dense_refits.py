"""Refits of one dense table of pairs: games as a square of all agents, so that a step takes no exponential.

With u = e^r agent i is expected to score N_ij u_i / (u_i + u_j) against j: an addition and a division for each pair, on
a square that stays in the processor's cache. Steps are Newton's with the Hessian of the first fit, whose inverse all
refits share; the objective is concave, so that a point at which such a step vanishes is the optimum.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import dense_hessian, pinned
from equipoise.ratings.paired.ties import PairCounts, curvature

TOLERANCE = 1e-9
"""Largest last step, in log-odds, of a refit that has converged."""
MOST_STEPS = 40
MANY_TABLES = 32
"""So many bootstrap samples are as good as the data for a Hessian."""
SMALL = 0.5
"""So small steps do not run far before they are too many."""
FARTHEST = 20.0
"""A refit that runs so much farther out than the first fit has no optimum to run to, or not one it finds this way."""


def refits_of_squares(
    model: PairedModel, x: FloatArray, score: FloatArray, games: FloatArray
) -> list[FloatArray | None]:
    """Give the ratings of other counts of the same pairs; None where these steps do not lead to them.

    Parameters
    ----------
    model, x
        The pairs of the first fit, with ties as half a win, and its optimum.
    score, games
        Of each cell of the model, a row for each refit.
    """
    first = FirstFit.of(model, x, games[:MANY_TABLES].mean(axis=0))
    return [
        first.refit(_square(model, all_of), _won(model, won, all_of)) for won, all_of in zip(score, games, strict=True)
    ]


def _square(model: PairedModel, games: FloatArray) -> FloatArray:
    """Give games as a square: of the two ways round apart if a side has an advantage, else together."""
    n = model.agents
    cell = model.first.astype(np.int64) * n + model.second
    square = np.bincount(cell, games, n * n).astype(float, copy=False).reshape(n, n)
    return square if model.side else square + square.T


def _won(model: PairedModel, score: FloatArray, games: FloatArray) -> FloatArray:
    """Give what each agent scored; with a first-position advantage less what was scored against it, and the first's."""
    by_first = np.bincount(model.first, score, model.agents)
    if model.side:
        return np.append(by_first - np.bincount(model.second, score, model.agents), score.sum())
    return np.asarray(by_first + np.bincount(model.second, games - score, model.agents))


@dataclass(frozen=True, slots=True, eq=False)
class FirstFit:
    """A first fit, as far as refits on squares depend on it: its optimum, and the inverse of its Hessian there."""

    agents: int
    side: bool
    precision: float
    start: FloatArray
    inverse: FloatArray

    @classmethod
    def of(cls, model: PairedModel, x: FloatArray, games: FloatArray) -> "FirstFit":
        """Invert the Hessian at an optimum, with these games of the rows of the model."""
        none = np.zeros(len(model.first))
        slope = curvature(model.differences(x), 0.0, PairCounts(games, none, none), "half")
        regular, _ = pinned(model, dense_hessian(model, slope))
        factor = scipy.linalg.cho_factor(regular, check_finite=False)
        inverse = scipy.linalg.cho_solve(factor, np.eye(model.size), check_finite=False)
        return cls(model.agents, model.side, model.precision, x, inverse)

    def refit(self, games: FloatArray, won: FloatArray) -> FloatArray | None:
        """Give the ratings of other games; None where these steps do not lead to them.

        Parameters
        ----------
        games
            A square: of the two ways round apart if a side has an advantage, else together.
        won
            What each agent scored; with a first-position advantage less what was scored against it, and the first
            side's.
        """
        if not (self.precision or _joined(games, symmetric=not self.side)):
            return None
        expected, x = _Expected(self, games), self.start.copy()
        farthest = float(np.abs(self.start).max()) + FARTHEST
        for _ in range(MOST_STEPS):
            step = self.inverse @ self._gradient(x, expected, won)
            x += step
            size = float(np.abs(step).max())
            if size <= TOLERANCE:
                return x[: self.agents]
            if not (size < SMALL or np.abs(x).max() < farthest):
                break
        return None

    def _gradient(self, x: FloatArray, expected: "_Expected", won: FloatArray) -> FloatArray:
        gradient = won - expected(x)
        if self.precision:
            gradient[: self.agents] -= self.precision * x[: self.agents]
        return gradient


class _Expected:
    """What agents (and the first side, where it has an advantage) are expected to score, in room that is used again."""

    __slots__ = ("_games", "_left", "_ones", "_ratio", "_right", "_side", "_sums")

    def __init__(self, first: FirstFit, games: FloatArray) -> None:
        n = first.agents
        self._side, self._games, self._ones = first.side, games, np.ones(n)
        self._sums, self._ratio = np.empty((n, n)), np.empty((n, n))
        # All sums of two strengths are a product of matrices, which is quicker than adding them up.
        self._left, self._right = np.ones((n, 2)), np.ones((2, n))

    def __call__(self, x: FloatArray) -> FloatArray:
        n, ratio = len(self._ones), self._ratio
        strength = np.exp(x[:n])
        ahead = strength * np.exp(x[n]) if self._side else strength
        self._left[:, 0], self._right[1] = ahead, strength
        np.matmul(self._left, self._right, out=self._sums)
        np.divide(self._games, self._sums, out=ratio)
        by_first: FloatArray = ahead * (ratio @ self._ones)
        if not self._side:
            return by_first
        return np.append(by_first - ahead @ ratio, by_first.sum())


def _joined(games: FloatArray, *, symmetric: bool) -> bool:
    """Tell whether a chain of games joins all agents."""
    reached, count = np.zeros(len(games)), 0
    reached[0] = 1.0
    while count < (now := int(np.count_nonzero(reached))) < len(games):
        count, met = now, games @ reached
        if not symmetric:
            met += reached @ games
        reached[met > 0] = 1.0
    return now == len(games)
