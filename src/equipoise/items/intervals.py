"""Widths of intervals: how many errors they span where errors are themselves estimates, and of ratios.

A variance v that is itself estimated, with variance u, is worth 2 v^2 / u degrees of freedom (Satterthwaite 1946): a t
quantile then widens intervals as far as the population of items is not known, and no further.

An estimate pulled towards a population's mean by the weight w of its own data holds its level only if the population is
normal. Of any other with the same variance, the pull has a mean square of (1 - w) / w of its data's variance; the
critical value is the one that suffices for the worst of those (Armstrong, Kolesar and Plagborg-Moller 2022,
Econometrica 90).

A difficulty, b = -d / a, is a ratio: its interval consists of the ratio's quantiles, not of an error to both sides.
Where the slope may be near 0, a difficulty may be anywhere far out on one side or on both, and an error by the delta
method knows nothing of it. (a, d) of each item is taken as normal; the ratio's quantiles are those over fixed points
that fill the plane evenly.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.results import FloatArray
from equipoise.items.models.models import Items

#: Fewer degrees of freedom than this are not distinguished from it: the rule is one for small errors of a variance.
LEAST_FREEDOM = 4.0
_GRID = np.linspace(0.02, 1.0, 50)
_ROOT_STEPS = 60
_ROOT_TAU = np.sqrt(2.0 * np.pi)
_POINTS = 2048
#: Items taken at a time, so that the table of ratios stays small.
_ITEMS = 128


class ErrorQuantiles(NamedTuple):
    """Degrees of freedom of errors, and for pulled estimates the data's weight and the share of the variance pulled."""

    freedom: FloatArray
    weight: FloatArray | None = None
    share: FloatArray | None = None

    def take(self, index: NDArray[np.bool_]) -> "ErrorQuantiles":
        """Return those of some estimates."""
        more = (None if part is None else part[index] for part in (self.weight, self.share))
        return ErrorQuantiles(self.freedom[index], *more)

    def quantiles(self, level: float) -> FloatArray:
        """Return how many errors the interval of each spans."""
        out: FloatArray = scipy.special.stdtrit(np.minimum(self.freedom, 1e6), 0.5 + level / 2)
        if self.weight is None or self.share is None:
            return out
        more = np.interp(self.weight, _GRID, _for_any_population(level))
        return out * np.sqrt(1.0 + (more**2 - 1.0) * self.share)


def degrees_of_freedom(variance: FloatArray, moves: FloatArray, root: FloatArray) -> FloatArray:
    """Return Satterthwaite's, of variances that move (last axis) with what has the covariance root root'."""
    unsure = np.maximum(((moves @ root) ** 2).sum(axis=-1), 1e-300)
    out: FloatArray = np.maximum(2.0 * variance**2 / unsure, LEAST_FREEDOM)
    return out


@cache
def _for_any_population(level: float) -> FloatArray:
    """Return how much wider than a normal population's an interval is that holds for any, by the data's weight."""
    normal = scipy.special.ndtri(0.5 + level / 2) / np.sqrt(_GRID)
    square = (1.0 - _GRID) / _GRID
    low, high = normal, 4.0 * normal / np.sqrt(1.0 - level)
    critical = normal
    for _ in range(
        _ROOT_STEPS
    ):  # Newton's steps of the logarithm, and halves of what is left where they lead out of it
        chance, fall = _worst(critical, square)
        fails = chance > 1.0 - level
        low, high = np.where(fails, critical, low), np.where(fails, high, critical)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            new = critical + np.log(chance / (1.0 - level)) * chance / fall
        new = np.where((new >= low) & (new <= high), new, (low + high) / 2.0)
        step, critical = np.abs(new - critical), new
        if np.max(step / critical) < 1e-11:
            break
    out: FloatArray = critical / normal
    return out


def _worst(critical: FloatArray, square: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the largest chance that |Z + pull| exceeds a value, over pulls with this mean square; and how it falls.

    The chance is first convex, then concave in the pull's square: the worst is two points, one of them 0.
    """
    most = np.maximum(square[:, None], np.linspace(1e-6, (critical + 5.0) ** 2, 400, axis=1))
    share, none = square[:, None] / most, _beyond(critical, 0.0)
    chances = none[:, None] + share * (_beyond(critical[:, None], np.sqrt(most)) - none[:, None])
    worst = np.arange(len(square)), chances.argmax(axis=1)
    part = share[worst]
    fall = (1.0 - part) * _density(critical, 0.0) + part * _density(critical, np.sqrt(most[worst]))
    return chances[worst], fall


def _beyond(critical: FloatArray, pull: FloatArray | float) -> FloatArray:
    out: FloatArray = scipy.special.ndtr(pull - critical) + scipy.special.ndtr(-pull - critical)
    return out


def _density(critical: FloatArray, pull: FloatArray | float) -> FloatArray:
    """Return how the chance beyond falls with the value."""
    out: FloatArray = (np.exp(-0.5 * (pull - critical) ** 2) + np.exp(-0.5 * (pull + critical) ** 2)) / _ROOT_TAU
    return out


@cache
def _plane() -> tuple[FloatArray, FloatArray]:
    """Return points of a standard normal plane: a lattice of two irrational steps (Roberts 2018)."""
    root = 1.32471795724474602596  # of x^3 = x + 1
    steps = np.arange(1, _POINTS + 1)
    first, second = (scipy.special.ndtri((0.5 + steps / root**power) % 1.0) for power in (1, 2))
    return first, second


def difficulty_ends(items: Items, covariance: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return both ends of the difficulties' intervals; the estimate is always between them."""
    x, y = _plane()
    ends = np.empty((2, len(items.slope)))
    for start in range(0, len(items.slope), _ITEMS):
        part = slice(start, start + _ITEMS)
        one = np.sqrt(covariance[0, 0, part])
        along = covariance[0, 1, part] / one
        rest = np.sqrt(np.maximum(covariance[1, 1, part] - along**2, 0.0))
        slope = items.slope[part, None] + np.multiply.outer(one, x)
        intercept = items.intercept[part, None] + np.multiply.outer(along, x) + np.multiply.outer(rest, y)
        ends[:, part] = np.quantile(-intercept / slope, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=1)
    return np.minimum(ends[0], items.difficulty), np.maximum(ends[1], items.difficulty)
