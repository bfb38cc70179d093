"""Elimination of the states of a chain: sequential by nature, and called thousands of times.

Compiled for chains of some size. Every loop adds, multiplies and divides non-negative numbers only. The first
half works within the range of doubles; the second with numbers m * 2**e that have a 64-bit exponent: rates of
alpha-Rank span thousands of decades, and the small-perturbation limit asks for rates c * eps**k with eps below any
number. Both fit there: no product underflows, and a sum of terms more than 60 binary places apart is the larger one.
"""

import numpy as np
from numpy.typing import NDArray

from equipoise.core.compiled import compiled
from equipoise.core.results import FloatArray

SMALL, SMALL_AND_WIDE = 24, 12
"""States from which chains are worth the compiler, with plain numbers and with those of any size."""
_PLACES = 60
_POWERS = 0.5 ** np.arange(_PLACES + 1)


@compiled(least=SMALL, error_model="numpy")
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


@compiled(least=SMALL, error_model="numpy")
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


@compiled(least=SMALL, error_model="numpy")
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


def _add(a: float, ea: int, b: float, eb: int) -> tuple[float, int]:
    """Sum of a 2**ea and b 2**eb, mantissas in [1/2, 1) or 0."""
    if b == 0.0:
        return a, ea
    if a == 0.0:
        return b, eb
    d = ea - eb
    if d > _PLACES:
        return a, ea
    if d < -_PLACES:
        return b, eb
    if d >= 0:
        total, e = a + b * _POWERS[d], ea
    else:
        total, e = b + a * _POWERS[-d], eb
    if total >= 1.0:
        return total * 0.5, e + 1
    return total, e


@compiled(least=SMALL_AND_WIDE, helpers=(_add,))
def wide_gth(mantissa: FloatArray, exponent: NDArray[np.int64]) -> int:
    """Eliminate states from the last to the second, in place; returns the state with no way out, or -1.

    Afterwards row ``j`` left of the diagonal holds the jump probabilities of the censored chain, column ``j`` above
    the diagonal the rates into ``j``, and the diagonal the total rate out of ``j`` to earlier states.
    """
    n = mantissa.shape[0]
    for j in range(n - 1, 0, -1):
        total, scale = 0.0, 0
        for k in range(j):
            total, scale = _add(total, scale, mantissa[j, k], exponent[j, k])
        if total == 0.0:
            return j
        for k in range(j):
            value = mantissa[j, k] / total
            if value >= 1.0:
                mantissa[j, k] = value * 0.5
                exponent[j, k] += 1 - scale
            else:
                mantissa[j, k] = value
                exponent[j, k] -= scale
        mantissa[j, j], exponent[j, j] = total, scale
        for i in range(j):
            rate, power = mantissa[i, j], exponent[i, j]
            if rate == 0.0:
                continue
            for k in range(j):
                if k != i and mantissa[j, k] != 0.0:
                    product = rate * mantissa[j, k]
                    shift = power + exponent[j, k]
                    if product < 0.5:
                        product *= 2.0
                        shift -= 1
                    mantissa[i, k], exponent[i, k] = _add(mantissa[i, k], exponent[i, k], product, shift)
    return -1


@compiled(least=SMALL_AND_WIDE, helpers=(_add,))
def wide_back(mantissa: FloatArray, exponent: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.int64]]:
    """Unnormalised stationary masses from an eliminated matrix."""
    n = mantissa.shape[0]
    mass, power = np.zeros(n), np.zeros(n, dtype=np.int64)
    mass[0], power[0] = 0.5, 1
    for j in range(1, n):
        total, scale = 0.0, 0
        for i in range(j):
            if mass[i] == 0.0 or mantissa[i, j] == 0.0:
                continue
            product = mass[i] * mantissa[i, j]
            shift = power[i] + exponent[i, j]
            if product < 0.5:
                product *= 2.0
                shift -= 1
            total, scale = _add(total, scale, product, shift)
        if total == 0.0:
            continue
        value = total / mantissa[j, j]
        shift = scale - exponent[j, j]
        if value >= 1.0:
            value *= 0.5
            shift += 1
        mass[j], power[j] = value, shift
    return mass, power
