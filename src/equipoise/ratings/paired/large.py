"""Bradley-Terry ratings of very many agents: inexact Newton steps on a table laid out by agent.

With half-win ties and no first-position advantage the likelihood depends on the games of each pair and the score of
each agent alone. A step is solved by conjugate gradients only as accurately as it is worth, in single precision where
that is enough: the gradient, in double precision, corrects whatever a step lacks.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import Fit, FloatArray, IntArray
from equipoise.data.encode.labels import Codes
from equipoise.data.encode.pair_sums import tallied
from equipoise.ratings.damped_newton import NewtonPoint, damped_newton
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.ties import PairCounts

FARTHEST = 20.0
"""Largest rating for which products of several strengths e^r stay in the range of doubles."""
COARSEST, FINEST = 1e-1, 1e-3
"""Relative accuracy of a step: at first, and at most; the next step takes care of the rest."""
QUICK, MOST_PRODUCTS, MOST_STEPS = 60, 5000, 100
"""Products in single precision before double is tried; products and steps before giving up."""
SAFETY = 0.25
"""Share of the least eigenvalue that conjugate gradients have seen which is believed."""
ALIKE = 1e-8
"""Ratings so close have the same weights in single precision, but for the last digit."""
CLOSE = 0.1
"""Share of the tolerance by which a step may be off that is as good as exact."""
SMALL_STEP, BACKWARD = 0.5, 0.1
"""Of a step so small, the slope at its end may point back by this share of the first: it still leads up.

The second derivative along a step changes by a factor of e at most if no rating moves by more than 1/2, and then the
part of the step on which the objective grows outweighs the rest.
"""


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """Ratings, the gradient there, and the Hessian: weights of the pairs and what is known of each agent."""

    x: FloatArray
    gradient: FloatArray
    weight: npt.NDArray[np.float32]
    known: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ManyAgents:
    """A pair table laid out by agent: opponents and games of agent i are at ``start[i]:start[i + 1]``."""

    model: PairedModel
    start: IntArray
    opponent: Codes
    games: npt.NDArray[np.floating]
    score: FloatArray
    lost: FloatArray
    weight: npt.NDArray[np.float32]
    looked: list[_Look] = field(default_factory=list)

    @classmethod
    def of(cls, model: PairedModel, cells: PairCounts) -> "ManyAgents":
        """Lay out a table."""
        from equipoise.ratings.paired._sparse_kernels import laid_out

        counts = (cells.wins, cells.losses, cells.ties)
        of_each, score = tallied(model.first, model.second, counts, model.agents)
        games = cells.wins + cells.losses
        games += cells.ties
        brief = games.astype(np.float32)
        kept: npt.NDArray[np.floating] = brief if np.array_equal(brief, games) else games
        start, opponent, played = laid_out(model.first, model.second, kept, model.agents)
        room = np.empty(len(opponent), dtype=np.float32)
        return cls(model, start, opponent, played, score, of_each - score, room)

    def at(self, x: FloatArray) -> _Look:
        """Look at the objective's derivatives; the weights of an earlier look are gone."""
        from equipoise.ratings.paired._sparse_kernels import expected_wins

        weight = self.weight
        expected, known = expected_wins(self.start, self.opponent, self.games, np.exp(x), weight)
        precision = self.model.precision
        self.looked[:] = [_Look(x, self.score - expected - precision * x, weight, known + precision)]
        return self.looked[0]

    def value(self, x: FloatArray) -> float:
        """Log-likelihood less the penalty of the prior."""
        from equipoise.ratings.paired._sparse_kernels import log_totals

        total = log_totals(self.start, self.opponent, self.games, np.exp(x))
        return float(self.score @ x) - total - self.model.precision / 2 * float(x @ x)

    def variances(self, x: FloatArray, cells: PairCounts | None) -> FloatArray:
        """Variances of the ratings as in ``approximate_variances``, of the sandwich where cells are given."""
        from equipoise.ratings.paired._sparse_kernels import score_squares, squared_weights

        near = [at for at in self.looked if float(np.abs(at.x - x).max()) < ALIKE]
        at = near[0] if near else self.at(x)
        second: FloatArray = squared_weights(self.start, self.opponent, at.weight, at.known)
        variance = 1 / at.known + second / at.known**2
        if cells is None:
            return np.asarray(variance)
        shared = np.zeros(0) if cells.shared is None else cells.shared
        of_cells = (self.model.first, self.model.second, cells.wins, cells.losses, cells.ties, shared)
        return np.asarray(variance * score_squares(*of_cells, np.exp(x)) / at.known)

    def first_guess(self) -> FloatArray:
        """Rate every agent as if its opponents were average."""
        return self.centred(np.log(self.score + 0.5) - np.log(self.lost + 0.5))

    def centred(self, values: FloatArray) -> FloatArray:
        """Take out what all agents of a component share, unless a prior says what that is."""
        return values if self.model.precision else values - self.model.component_means(values)


def fit_of_many(table: ManyAgents, start: FloatArray | None, tolerance: float) -> tuple[FloatArray, float, Fit] | None:
    """Maximise the likelihood; None where that needs the wider range or the patience of the general method.

    A fit has converged when the last step, with what its solution may lack, moves no rating by more than ``tolerance``
    times 1 plus the largest.
    """
    begin = table.first_guess() if start is None else start.copy()
    try:
        reached = damped_newton(_SparsePoint(_Progress(table, tolerance), begin), range(MOST_STEPS), tolerance)
    except _NotForUsError:
        return None
    if not reached.converged:
        return None
    return reached.point.x, reached.point.value, Fit(True, reached.steps, reached.residual)


class _NotForUsError(Exception):
    """Ratings too far out, or equations that conjugate gradients do not solve."""


@dataclass(slots=True, eq=False)
class _Progress:
    """What all points of a fit share: size of the first gradient, least eigenvalue that was seen."""

    table: ManyAgents
    tolerance: float
    first: float = 0.0
    lowest: float = 1.0


@dataclass(frozen=True, eq=False)
class _SparsePoint(NewtonPoint):
    """Ratings on their way to the optimum."""

    progress: _Progress
    x: FloatArray

    @cached_property
    def look(self) -> _Look:
        if float(np.abs(self.x).max()) > FARTHEST:
            raise _NotForUsError
        return self.progress.table.at(self.x)

    @property
    def value(self) -> float:
        return self.progress.table.value(self.x)

    def newton_step(self) -> tuple[FloatArray, float]:
        progress, look = self.progress, self.look
        size = float(np.linalg.norm(look.gradient))
        progress.first = progress.first or size
        share = size / progress.first if progress.first else 0.0
        least = progress.tolerance * (1 + float(np.abs(self.x).max()))
        solver = _Solver(progress.table, look, max(FINEST, min(COARSEST, share)), least, progress.lowest)
        step = solver.solve()
        if step is None:
            raise _NotForUsError
        progress.lowest = solver.lowest
        return step, float(look.gradient @ step)

    def rises(self, end: "_SparsePoint", slope: float, scale: float) -> bool:
        """Go as far along the step as certainly leads up: the objective is concave, so its slope at the end tells."""
        step = end.x - self.x
        backward = BACKWARD * scale * slope if float(np.abs(step).max()) <= SMALL_STEP else 0.0
        return float(end.look.gradient @ step) >= -backward


class _Solver:
    """Conjugate gradients for one step, with what is known of an agent by itself as preconditioner."""

    def __init__(self, table: ManyAgents, at: _Look, accuracy: float, least: float, lowest: float) -> None:
        self.table, self.at, self.accuracy, self.least, self.lowest = table, at, accuracy, least, lowest
        self.tightest = float(np.sqrt(at.known.min()))
        precision = table.model.precision
        self.spread = float(at.known.max()) / precision if precision else float("inf")

    def solve(self) -> FloatArray | None:
        """Give the step, or None where it is not found."""
        right = self.table.centred(self.at.gradient)
        goal = self.accuracy * float(np.sqrt(right @ (right / self.at.known)))
        x = np.zeros(len(right))
        for kind, most in ((np.float32, QUICK), (np.float64, MOST_PRODUCTS)):
            lack = right - self._product(x, kind) if x.any() else right.copy()
            if self._improve(x, lack, goal, kind, most):
                return self.table.centred(x)
        return None

    def _product(self, x: FloatArray, kind: type) -> FloatArray:
        from equipoise.ratings.paired._sparse_kernels import laplacian_product

        table = self.table
        product: FloatArray = laplacian_product(
            table.start, table.opponent, self.at.weight, self.at.known, x.astype(kind, copy=False)
        )
        return product

    def _improve(self, x: FloatArray, lack: FloatArray, goal: float, kind: type, most: int) -> bool:
        """Add to x what the equations lack; say whether that was enough."""
        known = self.at.known
        rest = lack / known
        left = float(lack @ rest)
        direction = rest
        paces: list[float] = []
        turns: list[float] = []
        for _ in range(most):
            if self._exact(rest) or (np.sqrt(left) <= goal and self._enough(x, float(np.sqrt(left)), paces, turns)):
                return True
            moved = self._product(direction, kind)
            curvature = float(direction @ moved)
            if not curvature > 0.0:
                return False
            paces.append(left / curvature)
            x += paces[-1] * direction
            lack -= paces[-1] * moved
            rest = lack / known
            before, left = left, float(lack @ rest)
            turns.append(left / before)
            direction = rest + turns[-1] * direction
        return False

    def _exact(self, rest: FloatArray) -> bool:
        """Whether nothing more is worth doing: with a prior the equations are diagonally dominant.

        No rating is off by more than the largest rest times what is known over the prior's part of it.
        """
        return self.spread < np.inf and float(np.abs(rest).max()) * self.spread <= CLOSE * self.least

    def _enough(self, x: FloatArray, left: float, paces: list[float], turns: list[float]) -> bool:
        """Whether x is accurate enough: a step that would be the last must be so in every rating.

        No rating is off by more than the lack (in units of what is known) over the least eigenvalue of the
        preconditioned equations and the root of the least that is known of an agent.
        """
        if float(np.abs(x).max()) > self.least:
            return True
        count = len(paces)
        if count and count % max(1, count // 10) == 0:
            pace, turn = np.array(paces), np.array(turns)
            diagonal = 1 / pace
            diagonal[1:] += turn[:-1] / pace[:-1]
            seen = scipy.linalg.eigvalsh_tridiagonal(diagonal, np.sqrt(turn[:-1]) / pace[:-1])
            self.lowest = min(self.lowest, float(seen[0]))
        return left <= self.least * SAFETY * self.lowest * self.tightest
