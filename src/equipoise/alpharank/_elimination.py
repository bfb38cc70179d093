"""Compiled elimination of states within the range of doubles: sequential by nature, and called thousands of times.

Compiled by numba on first use and cached. Every loop adds, multiplies and divides non-negative numbers only.
"""

import numba
import numpy as np

from equipoise.results import FloatArray

__all__ = ["eliminate_block", "masses_of", "times_to_first"]


@numba.njit(cache=True, error_model="numpy")
def eliminate_block(q: FloatArray, exits: FloatArray, start: int, end: int) -> int:
    """Remove states end-1, ..., start (never state 0) from the rows start to end; give a state with no way out, or -1.

    Afterwards row j left of the diagonal holds the jump probabilities of the censored chain, ``exits[j]`` its rate out.
    """
    for j in range(end - 1, max(start, 1) - 1, -1):
        exits[j] = q[j, :j].sum()
        if not exits[j] > 0.0:
            return j
        for k in range(j):
            q[j, k] /= exits[j]
        for i in range(start, j):
            rate = q[i, j]
            if rate > 0.0:
                for k in range(j):
                    q[i, k] += rate * q[j, k]
    return -1


@numba.njit(cache=True, error_model="numpy")
def masses_of(q: FloatArray, exits: FloatArray) -> FloatArray:
    """Unnormalised stationary masses of an eliminated chain, state after state."""
    n = q.shape[0]
    mass = np.zeros(n)
    mass[0] = 1.0
    for j in range(n):
        if j > 0:
            mass[j] /= exits[j]
        if mass[j] > 1e200:
            mass /= mass[j]
        for k in range(j + 1, n):
            mass[k] += mass[j] * q[j, k]
    return mass


@numba.njit(cache=True, error_model="numpy")
def times_to_first(q: FloatArray) -> FloatArray:
    """Mean times to hit state 0, by elimination of the others; overwrites the rates."""
    n = q.shape[0]
    reward = np.ones(n)
    for j in range(n - 1, 0, -1):
        total = q[j, :j].sum()
        reward[j] /= total
        for k in range(j):
            q[j, k] /= total
        for i in range(1, j):
            rate = q[i, j]
            if rate > 0.0:
                reward[i] += rate * reward[j]
                for k in range(j):
                    q[i, k] += rate * q[j, k]
    time = np.zeros(n)
    for j in range(1, n):
        time[j] = reward[j] + (q[j, 1:j] * time[1:j]).sum()
    return time
