"""Compiled parts of a step along the central path, besides the linear system; compiled by numba and cached.

On games of tens of strategies dozens of small array operations cost far more than the numbers in them.
"""

import numba
import numpy as np

from equipoise.results import FloatArray, IntArray

__all__ = ["corrected", "residual", "step_inside"]

CENTRING, NEIGHBOURHOOD, SHORTEST = 1e-3, 1e-3, 1e-4


@numba.njit(cache=True, error_model="numpy")
def residual(skew: FloatArray, block: IntArray, mass: FloatArray, slack: FloatArray, theta: FloatArray) -> FloatArray:
    """Residual of the linear equations: ``slack - K p - theta[block]``, then ``1 - mass of each block``."""
    size = len(mass)
    right = np.ones(size + len(theta))
    for i in range(size):
        push = 0.0
        for j in range(size):
            push += skew[i, j] * mass[j]
        right[i] = slack[i] - push - theta[block[i]]
        right[size + block[i]] -= mass[i]
    return right


@numba.njit(cache=True, error_model="numpy")
def corrected(mass: FloatArray, slack: FloatArray, predicted: FloatArray) -> FloatArray:
    """Right-hand side of the complementarity equations after Mehrotra's predictor, whose change of mass is given.

    The predictor aims at products of zero: slacks then change by -1 - share of themselves as masses change by share.
    """
    size = len(mass)
    worst, gap = 0.0, 0.0
    for i in range(size):
        share = predicted[i] / mass[i]
        worst = min(worst, share, -1.0 - share)
        gap += mass[i] * slack[i]
    reach = min(1.0, -1.0 / worst) if worst < 0.0 else 1.0
    target = gap / size * max((1.0 - reach) ** 3, CENTRING)
    right = np.empty(size)
    for i in range(size):
        share = predicted[i] / mass[i]
        right[i] = target / mass[i] + slack[i] * (share * (1.0 + share) - 1.0)
    return right


@numba.njit(cache=True, error_model="numpy")
def step_inside(
    mass: FloatArray, slack: FloatArray, right: FloatArray, d_mass: FloatArray
) -> tuple[float, FloatArray, FloatArray, float]:
    """Length of the longest step that stays inside and near the central path, where it leads, and the gap there.

    Off the path a product of mass and slack may vanish long before the others; the strategy's side is then a matter of
    chance, and where payoffs differ by very little a wrong one. The length is 0 where there is no such step, or
    where it is not a number. The slack's direction comes from the complementarity equation, so the smallest slacks
    keep their relative accuracy.
    """
    size = len(mass)
    worst = 0.0
    d_slack = np.empty(size)
    for i in range(size):
        d_slack[i] = right[i] - slack[i] / mass[i] * d_mass[i]
        worst = min(worst, d_mass[i] / mass[i], d_slack[i] / slack[i])
    length = min(1.0, -0.9995 / worst) if worst < 0.0 else 1.0
    while length >= SHORTEST:
        new_mass, new_slack = mass + length * d_mass, slack + length * d_slack
        product = new_mass * new_slack
        gap = product.sum()
        if product.min() >= NEIGHBOURHOOD / size * gap:
            return length, new_mass, new_slack, gap
        length *= 0.8
    return 0.0, mass, slack, 0.0
