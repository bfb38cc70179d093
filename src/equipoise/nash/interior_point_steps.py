"""The parts of a step along the central path, besides the linear system.

On games of tens of strategies the number of array operations is what counts, so there are few. Compiled, a small game
takes half the time, 0.2 ms less; but loading the compiler takes as long as thousands of games.
"""

import numpy as np

from equipoise.core.results import FloatArray, IntArray

__all__ = ["SHORTEST", "corrected", "residual", "step_inside"]

CENTRING, NEIGHBOURHOOD, SHORTEST = 1e-3, 1e-3, 1e-4


def residual(skew: FloatArray, block: IntArray, mass: FloatArray, slack: FloatArray, theta: FloatArray) -> FloatArray:
    """Residual of the linear equations: ``slack - K p - theta[block]``, then ``1 - mass of each block``."""
    size = len(mass)
    right = np.empty(size + len(theta))
    right[:size] = slack - skew @ mass - theta[block]
    right[size:] = 1.0 - np.bincount(block, mass)
    return right


def corrected(mass: FloatArray, slack: FloatArray, predicted: FloatArray) -> FloatArray:
    """Right-hand side of the complementarity equations after Mehrotra's predictor, whose change of mass is given.

    The predictor aims at products of zero: slacks then change by -1 - share of themselves as masses change by share.
    """
    share = predicted / mass
    worst = min(float(share.min()), -1.0 - float(share.max()))
    reach = min(1.0, -1.0 / worst) if worst < 0.0 else 1.0
    target = float(mass @ slack) / len(mass) * max((1.0 - reach) ** 3, CENTRING)
    return np.asarray(target / mass + slack * (share * (1.0 + share) - 1.0))


def step_inside(
    mass: FloatArray, slack: FloatArray, right: FloatArray, d_mass: FloatArray
) -> tuple[float, FloatArray, FloatArray, float]:
    """Length of the longest step that stays inside and near the central path, where it leads, and the gap there.

    Off the path a product of mass and slack may vanish long before the others; the strategy's side is then a matter of
    chance, and where payoffs differ by very little a wrong one. The length is 0 where there is no such step, or
    where it is not a number. The slack's direction comes from the complementarity equation, so the smallest slacks
    keep their relative accuracy.
    """
    share = d_mass / mass
    d_slack = right - slack * share
    worst = min(float(share.min()), float((d_slack / slack).min()))
    length = min(1.0, -0.9995 / worst) if worst < 0.0 else 1.0
    while length >= SHORTEST:
        new_mass, new_slack = mass + length * d_mass, slack + length * d_slack
        product = new_mass * new_slack
        gap = float(product.sum())
        if product.min() >= NEIGHBOURHOOD / len(mass) * gap:
            return length, new_mass, new_slack, gap
        length *= 0.8
    return 0.0, mass, slack, 0.0
