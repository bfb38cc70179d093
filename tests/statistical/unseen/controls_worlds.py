"""Samples whose control explains them along a curve, in families that no constant was chosen on.

Controls are Laplace, gamma or uniform; curves are hinges, powers and hyperbolic cosines; noise is uniform or Student's.
The cubic and the saturated one were written before the level of the test of a curve was chosen anew.
"""

import numpy as np


def hinge(rng, size):
    """A payoff that grows on one side only."""
    y = rng.laplace(size=size)
    return np.maximum(y, 0.0) ** 1.5 + 0.3 * rng.uniform(-1.0, 1.0, size=size), y


def gamma_power(rng, size):
    """A power of a skewed control."""
    y = rng.gamma(2.0, size=size) - 2.0
    return 0.15 * (y + 2.0) ** 2.2 + 0.4 * rng.standard_t(6, size=size), y


def cosh(rng, size):
    """A curve that is even about the control's mean, with a slope."""
    y = rng.uniform(-2.0, 2.0, size=size)
    return np.cosh(y) + 0.8 * y + 0.3 * rng.normal(size=size), y


def cubic(rng, size):
    """The cube of a lopsided control, as all-in payoffs are; noise in two humps."""
    y = rng.triangular(-1.0, -0.5, 1.5, size=size)
    return (y + 1.0) ** 3 / 3 + rng.choice([-0.4, 0.4], size=size) + 0.1 * rng.normal(size=size), y


def saturated(rng, size):
    """A payoff that hardly grows above the control's mean, and falls ever faster below."""
    y = rng.gumbel(size=size) - np.euler_gamma
    return -np.exp(-0.9 * y) + 0.5 * rng.logistic(size=size), y


def straight(rng, size):
    """A line: here nothing may be lost."""
    y = rng.logistic(size=size)
    return y + rng.standard_t(6, size=size), y


CURVES = {"hinge": hinge, "gamma power": gamma_power, "cosh": cosh, "cubic": cubic, "saturated": saturated}


def truth(world, seed=0):
    """Mean of the samples, by many draws."""
    x, y = world(np.random.default_rng(seed), 4_000_000)
    return float((x - np.cov(x, y)[0, 1] / y.var() * y).mean()) if world is not straight else 0.0
