"""The one loop that cannot be vectorised: online Elo. Compiled by numba on first use and cached."""

import numba
import numpy as np

from equipoise.data.labels import Codes
from equipoise.results import FloatArray

__all__ = ["elo_online"]


@numba.njit(cache=True)
def elo_online(a: Codes, b: Codes, outcome: FloatArray, weight: FloatArray, rating: FloatArray, step: float) -> None:
    """Update ``rating`` in place, match after match: r_a += step (s - sigma(r_a - r_b)), r_b the opposite.

    A row of weight w is w matches one after the other, the last one fractional.
    """
    for row in range(len(a)):
        left = weight[row]
        while left > 0:
            expected = 1 / (1 + np.exp(rating[b[row]] - rating[a[row]]))
            move = step * min(left, 1.0) * (outcome[row] - expected)
            rating[a[row]] += move
            rating[b[row]] -= move
            left -= 1
