r"""How many errors an interval reaches where the errors are themselves estimates, and shrinkage is not to be believed.

A variance v that is itself estimated, with variance u, is worth 2 v^2 / u degrees of freedom (Satterthwaite 1946): a t
quantile then widens intervals as far as the population of items is not known, and no further.

An estimate pulled towards a population's mean by the weight w of its own data holds its level only if the population is
normal. Of any other with the same variance, the pull has a mean square of (1 - w) / w of its data's variance; the
critical value is the one that suffices for the worst of those (Armstrong, Kolesar and Plagborg-Moller 2022,
Econometrica 90).
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.results import FloatArray

#: Fewer degrees of freedom than this are not told from it: the rule is one for small errors of a variance.
LEAST_FREEDOM = 4.0
_GRID = np.linspace(0.02, 1.0, 50)


class Reach(NamedTuple):
    """Degrees of freedom of errors, and for pulled estimates the data's weight and the share of the variance pulled."""

    freedom: FloatArray
    weight: FloatArray | None = None
    share: FloatArray | None = None

    def quantiles(self, level: float) -> FloatArray:
        """Return how many errors the interval of each reaches."""
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
    low, high = normal, 4.0 * normal / np.sqrt(1.0 - level)
    for _ in range(40):
        middle = (low + high) / 2.0
        fails = np.array([_worst(c, (1.0 - w) / w) for c, w in zip(middle, _GRID, strict=True)]) > 1.0 - level
        low, high = np.where(fails, middle, low), np.where(fails, high, middle)
    out: FloatArray = high / normal
    return out


def _worst(critical: float, square: float) -> float:
    """Return the largest chance that |Z + pull| exceeds a value, over pulls with this mean square.

    The chance is first convex, then concave in the pull's square: the worst is two points, one of them 0.
    """
    most = np.maximum(square, np.linspace(1e-6, (critical + 5.0) ** 2, 400))
    none, some = (_beyond(critical, pull) for pull in (np.zeros(1), np.sqrt(most)))
    return float(np.max(none + square / most * (some - none)))


def _beyond(critical: float, pull: FloatArray) -> FloatArray:
    out: FloatArray = scipy.special.ndtr(pull - critical) + scipy.special.ndtr(-pull - critical)
    return out
