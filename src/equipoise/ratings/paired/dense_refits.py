"""Refits of one dense table of pairs: games as a square of all agents, so that a step takes no exponential.

With u = e^r agent i is expected to score N_ij u_i / (u_i + u_j) against j: an addition and a division for each pair, on
a square that stays in the processor's cache. Steps are Newton's with the Hessian of the first fit, whose inverse all
refits share; the objective is concave, so that a point at which such a step vanishes is the optimum.

Steps are taken in single precision while they are large. Close to the optimum the gradient is computed in double
precision, and the refit's own Hessian, in single precision, gives the last step: its error is that of a Newton step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray
from equipoise.data.encode.pair_sums import sums
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import dense_hessian, pinned
from equipoise.ratings.paired.ties import PairCounts, curvature

Single = npt.NDArray[np.float32]
Square = npt.NDArray[np.floating]

TOLERANCE = 1e-9
"""Largest last step, in log-odds, of a refit that has converged."""
ROUGH = 2e-5
"""Largest last step in single precision: smaller ones would be rounding in part."""
MOST_STEPS, MOST_ROUGH, MOST_CORRECTIONS, MOST_NEWTON = 40, 12, 12, 4
MANY_TABLES = 32
"""So many bootstrap samples are as good as the data for a Hessian."""
SMALL = 0.5
"""So small steps do not run far before they are too many."""
FARTHEST = 20.0
"""A refit that runs so much farther out than the first fit has no optimum to run to, or not one it finds this way."""
WIDEST = 15.0
"""Ratings up to which squares of strengths, and of their sums, are in the range of single precision."""


def refits_of_squares(model: PairedModel, x: FloatArray, tables: Sequence[PairTable]) -> list[FloatArray | None]:
    """Give the ratings of other counts of the same pairs; None where these steps do not lead to them.

    Parameters
    ----------
    model, x
        The pairs of the first fit, with ties as half a win, and its optimum.
    tables
        With the rows of ``model``, and other counts.
    """
    some = tables[:MANY_TABLES]
    games = sum((table.games for table in some), np.zeros(len(model.first))) / len(some)
    first, place = FirstFit.of(model, x, games), _Places.of(model)
    squares = ((place.square(table.games), place.won(table.games, table.score)) for table in tables)
    return [first.refit(games, won) for games, won in squares]


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Where the rows of a table stand in a square of all agents.

    ``row`` is the row of each place, either way round, or their number where there is none; None where some pair has a
    second row. ``starts`` are the rows at
    which the first agent changes, None where they are not sorted by it.
    """

    model: PairedModel
    cell: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64] | None
    starts: npt.NDArray[np.int64] | None

    @classmethod
    def of(cls, model: PairedModel) -> "_Places":
        first, second = model.first.astype(np.int64), model.second.astype(np.int64)
        cell, change = first * model.agents + second, np.diff(first)
        alone = bool((first < second).all() and (np.diff(cell) > 0).all())
        starts = np.append(0, 1 + np.flatnonzero(change)) if (change >= 0).all() else None
        row = np.full(model.agents**2, len(cell)) if alone else None
        if row is not None:
            row[cell] = row[second * model.agents + first] = np.arange(len(cell))
        return cls(model, cell, row, starts)

    def square(self, games: FloatArray) -> FloatArray:
        """Give games as a square: of the two ways round apart if a side has an advantage, else together."""
        n = self.model.agents
        if self.row is None or self.model.side:
            square = sums(self.cell, games, n * n).reshape(n, n)
            return square if self.model.side else square + square.T
        return np.append(games, 0.0).take(self.row).reshape(n, n)

    def won(self, games: FloatArray, score: FloatArray) -> FloatArray:
        """Give what each agent scored; with a first-position advantage less what it conceded, and the first side's."""
        n, model = self.model.agents, self.model
        by_second = sums(model.second, score if model.side else games - score, n)
        if self.starts is None:
            by_first = sums(model.first, score, n)
        else:
            by_first = np.zeros(n)
            by_first[model.first[self.starts]] = np.add.reduceat(score, self.starts)
        return np.append(by_first - by_second, score.sum()) if model.side else by_first + by_second


@dataclass(frozen=True, slots=True, eq=False)
class FirstFit:
    """A first fit, as far as refits on squares depend on it: its optimum, and the inverse of its Hessian there."""

    agents: int
    side: bool
    precision: float
    start: FloatArray
    inverse: FloatArray
    brief: Single

    @classmethod
    def of(cls, model: PairedModel, x: FloatArray, games: FloatArray) -> "FirstFit":
        """Invert the Hessian at an optimum, with these games of the rows of the model."""
        none = np.zeros(len(model.first))
        slope = curvature(model.differences(x), 0.0, PairCounts(games, none, none), "half")
        regular, _ = pinned(model, dense_hessian(model, slope))
        factor = scipy.linalg.cho_factor(regular, check_finite=False)
        inverse = scipy.linalg.cho_solve(factor, np.eye(model.size), check_finite=False)
        return cls(model.agents, model.side, model.precision, x, inverse, inverse.astype(np.float32))

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
        n, x = self.agents, self.start
        exact = _Expected(self, games)
        if float(np.abs(x).max()) <= WIDEST:
            rough = _Expected(self, games.astype(np.float32))
            near, moved = self._steps(x, rough, won, ROUGH, MOST_ROUGH)
            if moved <= ROUGH and float(np.abs(near).max()) <= WIDEST:
                if not self.precision:
                    near[:n] -= near[:n].mean()  # what all ratings share is not in the likelihood: it is rounding
                last = None if self.side else self._newton(near, moved, rough, exact, won)
                if last is not None:
                    return last
                x = near
        x, moved = self._steps(x, exact, won, TOLERANCE, MOST_STEPS)
        return x[:n] if moved <= TOLERANCE else None

    def _steps(
        self, start: FloatArray, expected: "_Expected", won: FloatArray, least: float, most: int
    ) -> tuple[FloatArray, float]:
        """Take steps with the first fit's Hessian until one is as small as ``least``; give the last one's size."""
        inverse = self.brief if expected.single else self.inverse
        x, size, farthest = start.copy(), np.inf, float(np.abs(self.start).max()) + FARTHEST
        for _ in range(most):
            step = inverse @ self._gradient(x, expected, won).astype(inverse.dtype)
            x += step
            size = float(np.abs(step).max())
            if size <= least or not (size < SMALL or np.abs(x).max() < farthest):
                break
        return x, size

    def _gradient(self, x: FloatArray, expected: "_Expected", won: FloatArray) -> FloatArray:
        gradient = won - expected(x)
        if self.precision:
            gradient[: self.agents] -= self.precision * x[: self.agents]
        return gradient

    def _newton(
        self, x: FloatArray, moved: float, rough: "_Expected", exact: "_Expected", won: FloatArray
    ) -> FloatArray | None:
        """Take steps with the Hessian that the last rough step has seen, ``moved`` away from here.

        No second derivative changes by a larger share than twice that by which ratings do, and the error of a step is
        no larger share of it than that.
        """
        strength, weight = rough.information()
        known = strength * (weight @ strength) + np.float32(self.precision)
        for _ in range(MOST_NEWTON):
            gradient = self._gradient(x, exact, won).astype(np.float32)
            step = self.brief @ gradient
            for _ in range(MOST_CORRECTIONS):
                more = self.brief @ (gradient - known * step + strength * (weight @ (strength * step)))
                step += more
                lacking = float(np.abs(more).max())
                if lacking <= TOLERANCE / 10:
                    break
            x = x + step
            size = float(np.abs(step).max())
            moved += size
            if 2 * size * moved + lacking <= TOLERANCE:
                return x
        return None


class _Expected:
    """What agents (and the first side, where it has an advantage) are expected to score, in room that is used again."""

    __slots__ = ("_games", "_left", "_ones", "_ratio", "_right", "_side", "_sums")

    def __init__(self, first: FirstFit, games: Square) -> None:
        n, kind = first.agents, games.dtype
        self._side, self._games, self._ones = first.side, games, np.ones(n, kind)
        self._sums, self._ratio = np.empty((n, n), kind), np.empty((n, n), kind)
        # All sums of two strengths are a product of matrices, which is quicker than adding them up.
        self._left, self._right = np.ones((n, 2), kind), np.ones((2, n), kind)

    @property
    def single(self) -> bool:
        return self._games.dtype == np.float32

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

    def information(self) -> tuple[Square, Square]:
        """Give the strengths u of the last call and the weights w_ij: a pair's information is u_i w_ij u_j."""
        return self._right[1].copy(), self._ratio / self._sums


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
