"""Intervals of difficulties, b = -d / a: quantiles of a ratio, not an estimate with an error to both sides.

Where the slope may be near 0, a difficulty may be anywhere far out on one side or on both, and an error by the delta
method knows nothing of it. (a, d) of each item is taken as normal; the ratio's quantiles are those over fixed points
that fill the plane evenly.
"""

from functools import cache

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.items.models.models import Items

_POINTS = 2048
#: Items taken at a time, so that the table of ratios stays small.
_ITEMS = 128


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
