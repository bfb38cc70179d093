"""Items as draws from a population, and the points at which each of them is integrated.

An item has a slope a (signed) and an intercept d, and its logit is ``a theta + d``; below a floor c, one for all items,
no chance falls: ``P = c + (1 - c) sigma(a theta + d)``. Across items::

    a ~ N(m_a, s_a^2),        d | a ~ N(m_d + k (a - m_a), s_d^2)

Given the abilities, items are independent, and the logarithm of an item's posterior density is concave in (a, d): it
has one peak, and Gauss-Hermite points laid around it (Naylor and Smith 1982), a few in each direction, integrate it.

Reference: De Boeck (2008), Random item IRT models, Psychometrika 73.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.items.models.responses import Responses

#: What is assumed of h = (log m_a, m_d, log s_a / m_a, log s_d, k) before any answer: centres and standard deviations.
#: Wide, but for the spread of the slopes: ten items say little about it, and a spread of zero makes errors too small.
CENTRE = np.array([0.0, 0.0, np.log(0.4), np.log(1.5), 0.0])
WIDTH = np.array([0.7, 3.0, 0.5, 1.0, 1.0])
SIZE = 5
_PEAK_STEPS = 12


@dataclass(frozen=True, slots=True)
class Answers:
    """Counts of successes and of trials, agents by items, as floating point; no trial where a cell is missing.

    ``floor`` is the chance of a success that guessing has.
    """

    successes: FloatArray
    trials: FloatArray
    won: FloatArray
    single: bool
    floor: float = 0.0

    @classmethod
    def of(cls, *tables: Responses) -> "Answers":
        """Take the answers of tables of the same agents, side by side."""
        won = np.hstack([table.successes for table in tables]).astype(np.float64)
        tried = np.ones(won.shape)
        single = all(table.trials is None for table in tables)
        if not single:
            tried = np.hstack([np.ones(t.shape) if t.trials is None else t.trials for t in tables]).astype(np.float64)
        return cls(won, tried, won.sum(axis=0), single)


class Nodes(NamedTuple):
    """Points of the rule for each item, (items, points): slope, intercept and log-weight.

    Each slope stands ``run`` times in a row, with as many intercepts.
    """

    slope: FloatArray
    intercept: FloatArray
    log_weight: FloatArray
    run: int


class Spread(NamedTuple):
    """The population in its own terms: m_a, m_d, 1 / s_a, 1 / s_d, k."""

    mean: float
    centre: float
    one: float
    two: float
    tilt: float

    @classmethod
    def of(cls, population: FloatArray) -> "Spread":
        """Read the five parameters h."""
        log_mean, centre, ratio, log_d, tilt = population.tolist()
        return cls(np.exp(log_mean), centre, np.exp(-log_mean - ratio), np.exp(-log_d), tilt)

    def standard(self, slope: FloatArray, intercept: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return a - m_a, and the two standardised residuals."""
        away = slope - self.mean
        return away, away * self.one, (intercept - self.centre - self.tilt * away) * self.two


def log_density(population: FloatArray, slope: FloatArray, intercept: FloatArray) -> FloatArray:
    """Return the population's log-density of items, without log 2 pi."""
    spread = Spread.of(population)
    _, u, r = spread.standard(slope, intercept)
    out: FloatArray = -0.5 * (u * u + r * r) + np.log(spread.one * spread.two)
    return out


def density_slopes(population: FloatArray, slope: FloatArray, intercept: FloatArray) -> FloatArray:
    """Return the log-density's gradient in h at each node, h first."""
    spread = Spread.of(population)
    away, u, r = spread.standard(slope, intercept)
    by_mean = u * spread.one - spread.tilt * spread.two * r
    square, by_centre = u * u - 1.0, spread.two * r
    return np.stack([spread.mean * by_mean + square, by_centre, square, r * r - 1.0, by_centre * away])


def density_bend(population: FloatArray, slope: FloatArray, intercept: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the log-density's second derivatives in h, summed over the nodes with their weights."""
    spread = Spread.of(population)
    away, u, r = spread.standard(slope, intercept)
    m, one, two, k = spread.mean, spread.one, spread.two, spread.tilt
    w, wu, wr, wd = (float((weight * part).sum()) for part in (1.0, u, r, away))
    wuu, wrr, wrd, wdd = (float((weight * part).sum()) for part in (u * u, r * r, r * away, away**2))
    second = np.zeros((SIZE, SIZE))  # in (m_a, m_d, log s_a, log s_d, k) first
    second[0] = (
        -w * (one**2 + (k * two) ** 2),
        w * k * two**2,
        -2 * one * wu,
        2 * k * two * wr,
        k * two**2 * wd - two * wr,
    )
    second[1, 1:] = -w * two**2, 0.0, -2 * two * wr, -(two**2) * wd
    second[2, 2], second[3, 3:], second[4, 4] = -2 * wuu, (-2 * wrr, -2 * two * wrd), -(two**2) * wdd
    second += np.triu(second, 1).T
    turn = np.eye(SIZE)  # log m_a moves m_a in proportion, and log s_a with it
    turn[0, 0], turn[2, 0] = m, 1.0
    second = turn.T @ second @ turn
    second[0, 0] += m * (one * wu - k * two * wr)
    return second


def prior_of_population(population: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return log-density, gradient and the diagonal of the negative Hessian of what is assumed beforehand."""
    z = (population - CENTRE) / WIDTH
    return float(-0.5 * z @ z), -z / WIDTH, WIDTH**-2.0


def item_peaks(
    answers: Answers, ability: FloatArray, population: FloatArray, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the peak (a, d) of each item's posterior, and the lower Cholesky factor of its inverse curvature.

    Newton's method for a logistic regression with a normal prior, all items at once; steps are kept within two of the
    prior's standard deviations. Above a floor the curvature is the expected one, which is always positive.
    """
    mean, centre, one, two, tilt = Spread.of(population)
    largest_step = 2.0 / one, 2.0 * float(np.hypot(1.0 / two, tilt / one))
    one, two = one**2, two**2
    a, d = start[0].copy(), start[1].copy()
    c, won, gained = answers.floor, answers.won, weighed(ability, answers.successes)
    for _ in range(_PEAK_STEPS):
        eta = np.multiply.outer(ability, a) + d
        p = scipy.special.expit(eta)
        expected = answers.trials * p
        spread = expected * (1.0 - p)
        if c:
            above = p / (c + (1.0 - c) * p)
            earned = answers.successes * above
            won, gained = earned.sum(axis=0), weighed(ability, earned)
            spread *= (1.0 - c) * above
        rest = (d - centre - tilt * (a - mean)) * two
        slope_a = gained - weighed(ability, expected) - (a - mean) * one + tilt * rest
        slope_d = won - expected.sum(axis=0) - rest
        h_aa = weighed(ability**2, spread) + one + tilt**2 * two
        h_ad = weighed(ability, spread) - tilt * two
        h_dd = spread.sum(axis=0) + two
        det = h_aa * h_dd - h_ad**2
        step_a = (h_dd * slope_a - h_ad * slope_d) / det
        step_d = (h_aa * slope_d - h_ad * slope_a) / det
        a += np.clip(step_a, -largest_step[0], largest_step[0])
        d += np.clip(step_d, -largest_step[1], largest_step[1])
        if (
            max(np.abs(step_a).max(initial=0.0) / largest_step[0], np.abs(step_d).max(initial=0.0) / largest_step[1])
            < 1e-3
        ):
            break
    first = np.sqrt(h_dd / det)
    return np.stack([a, d]), np.stack([first, -h_ad / det / first, 1.0 / np.sqrt(h_dd)])


@cache
def _rule(points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return both coordinates and the log-weights of a product rule for the plane."""
    x, w = np.polynomial.hermite_e.hermegauss(points)
    shares = np.multiply.outer(w / w.sum(), w / w.sum()).ravel()
    first, second = np.repeat(x, points), np.tile(x, points)
    return first, second, np.log(shares) + 0.5 * (first**2 + second**2)


def nodes_around(peaks: FloatArray, factor: FloatArray, points: int) -> Nodes:
    """Lay ``points`` by ``points`` Gauss-Hermite points around each item's peak."""
    first, second, log_weight = _rule(points)
    return Nodes(
        peaks[0][:, None] + factor[0][:, None] * first,
        peaks[1][:, None] + factor[1][:, None] * first + factor[2][:, None] * second,
        log_weight + np.log(factor[0] * factor[2])[:, None],
        points,
    )


def weighed(weight: FloatArray, table: FloatArray) -> FloatArray:
    """Sum rows with weights."""
    out: FloatArray = np.einsum("i,ij->j", weight, table)
    return out
