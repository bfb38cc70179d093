"""Fits ratings and the bend of the score curve together, by weighted least squares on the scores of pairs.

The estimating equations are those of a quasi-likelihood: without ties they are Bradley-Terry's. Weights follow from the
current fit, and a Gauss-Newton step is halved until the weighted squares fall. Where ratings can make up for most of
a bend, its own step is far too long: once the bend is known to lie between two values, it goes by the secant between.
"""

from typing import NamedTuple

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.ratings.paired.cell_matrices import Matrix, pairs_of_cells
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import DIRECT
from equipoise.ratings.paired.ties import Cells
from equipoise.ratings.transitivity.link import LEAST_BEND, MOST_BEND, bent
from equipoise.ratings.transitivity.test_statistics import BEND_PRECISION, Null, null_solver

__all__ = ["HALVINGS", "STEPS", "TOLERANCE", "At", "bent_null", "held_fit"]

STARTS = (0.8,)
"""Bends to start from beside none: below 1/3 a curve straightens towards 0, above towards 1."""
TOLERANCE = 1e-7
"""What the last step may have changed X2 by."""
SAME_BEND = 1e-9
"""Bends that are no further apart are one."""
STEPS = 12
"""Most steps of a fit at a given bend."""
HALVINGS = 12
"""Times that a step is halved before it is given up."""


class At(NamedTuple):
    """Where a fit stands: ratings (and side), and the bend."""

    x: FloatArray
    bend: float


def bent_null(model: PairedModel, cells: Cells, x: FloatArray) -> Null:
    """The null at its best fit, starting from ratings ``x`` without a bend; without ties that is the fit itself."""
    plain = Null.of(model, x, cells)
    if not cells.ties.any():
        return plain
    starts = [_settle(model, cells, At(x, bend), 3, hold=True) for bend in STARTS]
    ends = [_settle(model, cells, start, 60, hold=False) for start in [At(x, 0.0), *starts]]
    at = min(ends, key=lambda end: _squares(model, cells, end, plain.spread))
    return Null.of(model, at.x, cells, at.bend, bendable=not _held(model, cells, at, plain.pairs), pairs=plain.pairs)


def held_fit(model: PairedModel, cells: Cells, x: FloatArray, bend: float) -> FloatArray:
    """Ratings (and side) at a given bend."""
    return _settle(model, cells, At(x, bend), STEPS, hold=True).x


def _settle(model: PairedModel, cells: Cells, at: At, most: int, *, hold: bool) -> At:
    between, pairs = _Between(), pairs_of_cells(model)
    for _ in range(most):
        held = hold or _held(model, cells, at, pairs)
        null = Null.of(model, at.x, cells, at.bend, bendable=not held, pairs=pairs)
        gradient, solve = _gradient(null, cells), null_solver(null, DIRECT, 1e-10)
        step = solve(gradient)
        small = float(gradient @ step) <= TOLERANCE
        if not held and not small:
            by_bend = solve(np.eye(1, len(step), len(step) - 1)[0])
            wanted = between.step(at.bend, step[-1], step[-1] / by_bend[-1])
            step = step + (wanted - step[-1]) / by_bend[-1] * by_bend
        better = _halved(model, cells, at, step, null.spread)
        if better is None:
            return at
        at = better
        if small:
            return at
    return at


class _Between:
    """Bends on both sides of the best one, with the push towards it that remains once ratings have followed."""

    def __init__(self) -> None:
        self.below: tuple[float, float] | None = None
        self.above: tuple[float, float] | None = None
        self.last = np.inf

    def step(self, bend: float, own: float, push: float) -> float:
        """Give the step to take: ``own``, that of Gauss and Newton, while it falls fast or only one side is known."""
        if push > 0:
            self.below = (bend, push)
        else:
            self.above = (bend, push)
        if self.below is not None and self.above is not None and abs(own) > self.last / 4:
            (low, up), (high, down) = self.below, self.above
            own = low + (high - low) * float(np.clip(up / (up - down), 0.05, 0.95)) - bend
            if not low < high or abs(own) < SAME_BEND:
                self.below = self.above = None  # ratings were still on their way when the sides were found
        self.last = abs(own)
        return own


def _gradient(null: Null, cells: Cells) -> FloatArray:
    excess = cells.wins + cells.ties / 2 - null.games * null.chance
    gradient = np.asarray(null.derivatives().T @ (excess / null.spread))
    gradient[: null.model.agents] -= null.model.precision * null.x[: null.model.agents]
    if null.bendable:
        gradient[-1] -= BEND_PRECISION * null.bend
    return gradient


def _halved(model: PairedModel, cells: Cells, at: At, step: FloatArray, spread: FloatArray) -> At | None:
    """The next point; None where no part of the step is any better."""
    now = _squares(model, cells, at, spread)
    size = len(at.x)
    for _ in range(HALVINGS):
        bend = at.bend if len(step) == size else float(np.clip(at.bend + step[-1], LEAST_BEND, MOST_BEND))
        trial = At(at.x + step[:size], bend)
        if _squares(model, cells, trial, spread) <= now * (1 + 1e-12):
            return trial
        step = step / 2
    return None


def _squares(model: PairedModel, cells: Cells, at: At, spread: FloatArray) -> float:
    games = cells.wins + cells.losses + cells.ties
    excess = cells.wins + cells.ties / 2 - games * bent(model.differences(at.x), at.bend).chance
    prior = model.precision * float(at.x[: model.agents] @ at.x[: model.agents]) + BEND_PRECISION * at.bend**2
    return float(np.sum(excess**2 / (games * spread))) + prior


def _held(model: PairedModel, cells: Cells, at: At, pairs: Matrix) -> bool:
    """Whether the bend stands at an end of its range and would go beyond."""
    if LEAST_BEND < at.bend < MOST_BEND:
        return False
    push = _gradient(Null.of(model, at.x, cells, at.bend, bendable=True, pairs=pairs), cells)[-1]
    return bool(push <= 0 if at.bend <= LEAST_BEND else push >= 0)
