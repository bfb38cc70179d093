"""Items as draws from a population, and the integral over each of them.

An item has a slope a (signed) and an intercept d, and its logit is ``a theta + d``. Across items::

    a ~ N(m_a, s_a^2),        d | a ~ N(m_d + k (a - m_a), s_d^2)

Given the abilities, items are independent, and the logarithm of an item's posterior density is concave in (a, d): it
has one peak, and Gauss-Hermite points laid around it (Naylor and Smith 1982), a few in each direction, integrate it.

Reference: De Boeck (2008), Random item IRT models, Psychometrika 73.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.items.responses import Responses
from equipoise.results import FloatArray

#: What is assumed of h = (log m_a, m_d, log s_a / m_a, log s_d, k) before any answer: centres and standard deviations.
#: Wide, but for the spread of the slopes: ten items say little about it, and a spread of zero makes errors too small.
CENTRE = np.array([0.0, 0.0, np.log(0.4), np.log(1.5), 0.0])
WIDTH = np.array([0.7, 3.0, 0.5, 1.0, 1.0])
SIZE = 5
_PEAK_STEPS = 12
#: Cells of a table over (agents, items, points) made at a time.
_BLOCK_CELLS = 12_000
#: Multiplications of a product of matrices that is not worth a second thread.
_GRAM_OPERATIONS = 200_000
#: A product of so many factors of at most 2 does not overflow.
_PRODUCT_AGENTS = 1000


@dataclass(frozen=True, slots=True)
class Answers:
    """Counts of successes and of trials, agents by items, as floating point; no trial where a cell is missing."""

    successes: FloatArray
    trials: FloatArray
    won: FloatArray
    single: bool

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
    """Points of the rule for each item, (items, points): slope, intercept and log-weight."""

    slope: FloatArray
    intercept: FloatArray
    log_weight: FloatArray


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


def density_slopes(
    population: FloatArray, slope: FloatArray, intercept: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the log-density's gradient in h at each node, and its second derivatives summed with the weights."""
    spread = Spread.of(population)
    away, u, r = spread.standard(slope, intercept)
    m, one, two, k = spread.mean, spread.one, spread.two, spread.tilt
    by_mean = u * one - k * two * r
    first = np.stack([m * by_mean + u * u - 1.0, two * r, u * u - 1.0, r * r - 1.0, two * r * away])
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
    second[0, 0] += m * float((weight * by_mean).sum())
    return first, second


def prior_of_population(population: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return log-density, gradient and the diagonal of the negative Hessian of what is assumed beforehand."""
    z = (population - CENTRE) / WIDTH
    return float(-0.5 * z @ z), -z / WIDTH, WIDTH**-2.0


def item_peaks(
    answers: Answers, ability: FloatArray, population: FloatArray, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the peak (a, d) of each item's posterior, and the lower Cholesky factor of its inverse curvature.

    Newton's method for a logistic regression with a normal prior, all items at once; steps are kept within two of the
    prior's standard deviations.
    """
    mean, centre, one, two, tilt = Spread.of(population)
    reach = 2.0 / one, 2.0 * float(np.hypot(1.0 / two, tilt / one))
    one, two = one**2, two**2
    a, d = start[0].copy(), start[1].copy()
    won, gained = answers.won, _weighed(ability, answers.successes)
    for _ in range(_PEAK_STEPS):
        eta = np.multiply.outer(ability, a) + d
        p = scipy.special.expit(eta)
        expected = answers.trials * p
        spread = expected * (1.0 - p)
        rest = (d - centre - tilt * (a - mean)) * two
        slope_a = gained - _weighed(ability, expected) - (a - mean) * one + tilt * rest
        slope_d = won - expected.sum(axis=0) - rest
        h_aa = _weighed(ability**2, spread) + one + tilt**2 * two
        h_ad = _weighed(ability, spread) - tilt * two
        h_dd = spread.sum(axis=0) + two
        det = h_aa * h_dd - h_ad**2
        step_a = (h_dd * slope_a - h_ad * slope_d) / det
        step_d = (h_aa * slope_d - h_ad * slope_a) / det
        a += np.clip(step_a, -reach[0], reach[0])
        d += np.clip(step_d, -reach[1], reach[1])
        if max(np.abs(step_a).max(initial=0.0) / reach[0], np.abs(step_d).max(initial=0.0) / reach[1]) < 1e-3:
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
    )


class _Block(NamedTuple):
    """Some items at their nodes: which, and the logarithm of the integral.

    ``weight`` (items, points) are the nodes' posterior weights, ``pull`` (agents, items, points) the gradient of the
    log-likelihood in the abilities, ``information`` (agents) what is expected with known items.
    """

    items: slice
    value: float
    weight: FloatArray
    pull: FloatArray
    information: FloatArray


def _blocks(answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray) -> Iterator[_Block]:
    """Integrate the items over their nodes, a few at a time, so that the tables stay in the processor's cache."""
    agents, items = answers.successes.shape
    step = max(1, _BLOCK_CELLS // (agents * nodes.slope.shape[1]))
    gained = _weighed(ability, answers.successes)
    column = ability[:, None, None]
    for start in range(0, items, step):
        part = slice(start, start + step)
        slope, intercept = nodes.slope[part], nodes.intercept[part]
        y, m = answers.successes[:, part, None], answers.trials[:, part, None]
        eta = column * slope
        eta += intercept
        e = np.abs(eta)
        np.negative(e, out=e)
        np.exp(e, out=e)
        positive = eta >= 0.0
        np.maximum(eta, 0.0, out=eta)  # log(1 + exp(eta)) is this and log(1 + exp(-|eta|))
        one = 1.0 + e
        if answers.single and agents <= _PRODUCT_AGENTS:
            failed = eta.sum(axis=0) + np.log(np.multiply.reduce(one, axis=0))
        else:
            eta += np.log(one)
            eta *= m
            failed = eta.sum(axis=0)
        level = slope * gained[part, None] + intercept * answers.won[part, None] - failed
        level += log_density(population, slope, intercept) + nodes.log_weight[part]
        top = level.max(axis=1, keepdims=True)
        weight = np.exp(level - top)
        total = weight.sum(axis=1, keepdims=True)
        weight /= total
        p = np.where(positive, 1.0, e)
        p /= one
        spread = np.divide(e, one, out=e)
        spread /= one
        if not answers.single:
            p *= m
            spread *= m
        information = np.einsum("ijk,jk->i", spread, weight * slope**2)
        pull = np.subtract(y, p, out=p)
        pull *= slope
        yield _Block(part, float((top + np.log(total)).sum()), weight, pull, information)


class Integrated(NamedTuple):
    """The log-likelihood with items integrated, its gradient and negative Hessian in the abilities."""

    value: float
    slope: FloatArray
    curvature: FloatArray


def integrate(answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray) -> Integrated:
    """Integrate every item over its nodes, which stay where they are."""
    agents = len(ability)
    value, slope, curvature = 0.0, np.zeros(agents), np.zeros((agents, agents))
    for block in _blocks(answers, nodes, ability, population):
        mean = _mean(block.pull, block.weight)
        flat = np.multiply(block.pull, np.sqrt(block.weight), out=block.pull).reshape(agents, -1)
        value += block.value
        slope += mean.sum(axis=1)
        curvature += mean @ mean.T - _gram(flat) + np.diag(block.information)
    return Integrated(value, slope, curvature)


def population_derivatives(
    answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the gradient in h, and the negative second derivatives in (h, abilities) and in h."""
    slope, cross, own = np.zeros(SIZE), np.zeros((SIZE, len(ability))), np.zeros((SIZE, SIZE))
    for block in _blocks(answers, nodes, ability, population):
        here = block.items
        first, second = density_slopes(population, nodes.slope[here], nodes.intercept[here], block.weight)
        mean = _mean(first, block.weight)
        weighted = (first * block.weight).reshape(SIZE, -1)
        slope += mean.sum(axis=1)
        cross += mean @ _mean(block.pull, block.weight).T - weighted @ block.pull.reshape(len(ability), -1).T
        own += mean @ mean.T - weighted @ first.reshape(SIZE, -1).T - second
    return slope, cross, own


class ItemMoments(NamedTuple):
    """Posterior of each item given abilities and population: means of (a, d), covariance, and how both move.

    ``mean`` is (2, items); ``covariance`` (2, 2, items); ``by_ability`` (2, items, agents) and ``by_population``
    (2, items, 5) are the derivatives of the means, ``variance_by_ability`` (items, agents) and
    ``variance_by_population`` (items, 5) those of the variance of a.
    """

    mean: FloatArray
    covariance: FloatArray
    by_ability: FloatArray
    by_population: FloatArray
    variance_by_ability: FloatArray
    variance_by_population: FloatArray

    def take(self, items: int) -> "ItemMoments":
        """Return those of the first items."""
        parts = zip(self, (1, 2, 1, 1, 0, 0), strict=True)
        return ItemMoments(*(part.take(range(items), axis) for part, axis in parts))


def item_moments(answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray) -> ItemMoments:
    """Return what is known of each item."""
    agents, items = answers.successes.shape
    out = ItemMoments(
        np.empty((2, items)), np.empty((2, 2, items)), np.empty((2, items, agents)), np.empty((2, items, SIZE)),
        np.empty((items, agents)), np.empty((items, SIZE)),
    )  # fmt: skip
    for block in _blocks(answers, nodes, ability, population):
        here, weight = block.items, block.weight
        place = np.stack([nodes.slope[here], nodes.intercept[here]])
        first, _ = density_slopes(population, place[0], place[1], weight)
        mean = _mean(place, weight)
        away = (place - mean[:, :, None]) * weight
        out.mean[:, here] = mean
        out.covariance[:, :, here] = np.einsum("pjk,qjk->pqj", away, place)
        out.by_ability[:, here] = np.einsum("pjk,ijk->pji", away, block.pull)
        out.by_population[:, here] = np.einsum("pjk,hjk->pjh", away, first)
        squares = (place[0] - mean[0][:, None]) ** 2
        squares = (squares - out.covariance[0, 0, here][:, None]) * weight
        out.variance_by_ability[here] = np.einsum("jk,ijk->ji", squares, block.pull)
        out.variance_by_population[here] = np.einsum("jk,hjk->jh", squares, first)
    return out


def _mean(values: FloatArray, weight: FloatArray) -> FloatArray:
    """Average over the nodes of each item: (any, items, points) to (any, items)."""
    out: FloatArray = np.einsum("ijk,jk->ij", values, weight)
    return out


def _weighed(weight: FloatArray, table: FloatArray) -> FloatArray:
    """Sum rows with weights, without the linear algebra library, which wakes its threads for it."""
    out: FloatArray = np.einsum("i,ij->j", weight, table)
    return out


def _gram(rows: FloatArray) -> FloatArray:
    """Return the products of all rows, by parts small enough that the linear algebra library stays on one thread.

    Its threads wait for each other longer than such a product takes, and much longer on a busy machine.
    """
    agents, columns = rows.shape
    width = max(8, _GRAM_OPERATIONS // agents**2)
    out = np.zeros((agents, agents))
    for start in range(0, columns, width):
        part = rows[:, start : start + width]
        out += part @ part.T
    return out
