"""Newton's method with halved steps, for every rating model of these rooms: one driver, and points that it moves.

A point knows its unknowns, Newton's step from there, and whether some part of that step leads up; how the step is
solved (a Cholesky factor, conjugate gradients, a Schur complement) is the point's own business. Objectives are concave,
so that a point from which the step vanishes is the optimum, whichever way led there.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar, cast

import numpy as np

from equipoise.core.results import FloatArray

SHORTEST = 1e-10
"""Share of a step below which rounding hides whether it leads up."""


class NewtonPoint(ABC):
    """Unknowns ``x`` on their way to the optimum: a frozen dataclass, which computes what it is asked for."""

    x: FloatArray

    @property
    @abstractmethod
    def value(self) -> float:
        """The objective here."""

    @abstractmethod
    def newton_step(self) -> tuple[FloatArray, float]:
        """Give Newton's step from here, and the objective's slope along it."""

    def moved(self, step: FloatArray) -> Self:
        """Give the point after a step."""
        return cast("Self", replace(cast("Any", self), x=self.x + step))

    def rises(self, end: Self, slope: float, scale: float) -> bool:
        """Tell whether ``end``, after ``scale`` of a step, rises by enough of what the slope along it promises.

        All that rounding lets one see is enough.
        """
        return end.value >= self.value + 1e-4 * scale * slope or (
            scale == 1.0 and end.value >= self.value - 1e-12 * abs(self.value) and slope < 1e-9 * abs(self.value)
        )


Point = TypeVar("Point", bound=NewtonPoint)


@dataclass(frozen=True, slots=True, eq=False)
class Optimum(Generic[Point]):
    """How an iteration ended.

    Attributes
    ----------
    point
        The last one.
    solved
        Where the last step was solved: its factors are those of the optimum, but for the last step.
    converged
        Whether that step was small enough.
    stalled
        Whether no part of it was seen to lead up: rounding is the limit, not the method.
    steps
        Steps taken before the last one.
    residual
        Largest change of an unknown in the last step.
    slope
        Newton's decrement: twice by how much the objective could still grow before the last step.
    """

    point: Point
    solved: Point
    converged: bool
    stalled: bool
    steps: int
    residual: float
    slope: float


def damped_newton(start: Point, steps: Iterable[int], tolerance: float, *, decrement: float = 0.0) -> Optimum[Point]:
    """Go by Newton's steps, each halved until it leads up.

    Parameters
    ----------
    start
        Where to begin.
    steps
        Numbers of the steps that may be taken, from 0.
    tolerance
        Largest last step, relative to 1 plus the largest unknown.
    decrement
        Slope along the last step that is small enough too.
    """
    at, slope, count, residual = start, np.inf, 0, np.inf
    for count in steps:
        step, slope = at.newton_step()
        residual = float(np.abs(step).max(initial=0.0))
        end = at.moved(step)
        if residual <= tolerance * (1 + float(np.abs(at.x).max(initial=0.0))) or slope < decrement:
            return Optimum(end, at, True, False, count, residual, slope)
        scale = 1.0
        while not at.rises(end, slope, scale):
            scale /= 2
            if scale <= SHORTEST:
                return Optimum(at, at, False, True, count, residual, slope)
            end = at.moved(scale * step)
        at = end
    return Optimum(at, at, False, False, count + 1, residual, slope)
