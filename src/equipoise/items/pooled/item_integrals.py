"""The integral over every item, a few items at a time: the log-likelihood of abilities and population, its derivatives.

With ``w`` the posterior weights of an item's nodes, and ``g`` the gradient of the complete log-likelihood in the
abilities and in h, gradients are ``E g``, and negative second derivatives ``-E g' - Cov g`` (Louis 1982).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.items.pooled.item_population import (
    SIZE,
    Answers,
    Nodes,
    density_bend,
    density_slopes,
    log_density,
    weighed,
)

#: Cells of a table over (agents, items, points) made at a time: few enough that the tables stay in the processor's
#: cache, enough that the work on them takes longer than the calls.
_BLOCK_CELLS = 80_000
#: The exponential of more overflows.
_LARGEST = 700.0


class Block(NamedTuple):
    """Some items at their nodes: which, and the logarithm of the integral.

    ``weight`` (items, points) are the nodes' posterior weights. Over (agents, items, points): ``chance`` of a success,
    ``residual`` of the answers, ``spread`` the variance of an answer: how the log-likelihood rises with the logit, and
    how that falls.
    """

    items: slice
    value: float
    weight: FloatArray
    chance: FloatArray
    residual: FloatArray
    spread: FloatArray


def blocks(answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray) -> Iterator[Block]:
    """Integrate the items over their nodes, a few at a time."""
    if answers.floor:
        yield from _floor_blocks(answers, nodes, ability, population)
        return
    agents, items = answers.successes.shape
    step = max(1, _BLOCK_CELLS // (agents * nodes.slope.shape[1]))
    prior = nodes.slope * weighed(ability, answers.successes)[:, None] + nodes.intercept * answers.won[:, None]
    prior += log_density(population, nodes.slope, nodes.intercept) + nodes.log_weight
    most = float((np.abs(ability).max() * np.abs(nodes.slope) + np.abs(nodes.intercept)).max(initial=0.0))
    for start in range(0, items, step):
        part = slice(start, start + step)
        tried = None if answers.single else answers.trials[:, part, None]
        level = prior[part]
        if most < _LARGEST:
            odds = _odds(ability, nodes, part)
        else:
            odds = ability[:, None, None] * nodes.slope[part] + nodes.intercept[part]
            beyond = np.maximum(odds - _LARGEST, 0.0)
            level -= (beyond if tried is None else tried * beyond).sum(axis=0)
            odds = np.exp(np.minimum(odds, _LARGEST))
        over = 1.0 + odds
        level -= _log_product(over, most) if tried is None else (tried * np.log(over)).sum(axis=0)
        top = level.max(axis=1, keepdims=True)
        weight = np.exp(level - top)
        total = weight.sum(axis=1, keepdims=True)
        weight /= total
        failure = np.reciprocal(over, out=over)
        chance = np.multiply(odds, failure, out=odds)
        spread = np.multiply(chance, failure, out=failure)
        expected = chance
        if tried is not None:
            spread *= tried
            expected = chance * tried
        residual = answers.successes[:, part, None] - expected
        yield Block(part, float((top + np.log(total)).sum()), weight, chance, residual, spread)


def _floor_blocks(answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray) -> Iterator[Block]:
    """Integrate items whose chances do not fall below a floor c.

    With r successes in n trials, s the chance without the floor and P with it, the log-likelihood rises with the logit
    by ``s (r / P - n)``, and that falls by ``s (1 - s) (n - r c / P^2)``.
    """
    c, agents = answers.floor, len(ability)
    step = max(1, _BLOCK_CELLS // (agents * nodes.slope.shape[1]))
    prior = log_density(population, nodes.slope, nodes.intercept) + nodes.log_weight
    most = float((np.abs(ability).max() * np.abs(nodes.slope) + np.abs(nodes.intercept)).max(initial=0.0))
    for start in range(0, answers.successes.shape[1], step):
        part = slice(start, start + step)
        won, tried = answers.successes[:, part, None], answers.trials[:, part, None]
        if most < _LARGEST:
            odds = _odds(ability, nodes, part)
        else:
            odds = np.exp(np.minimum(ability[:, None, None] * nodes.slope[part] + nodes.intercept[part], _LARGEST))
        failure = 1.0 / (1.0 + odds)
        chance = np.multiply(odds, failure, out=odds)
        whole = (1.0 - c) * chance
        whole += c
        lost = (1.0 - c) * failure
        if answers.single:
            level = prior[part] + _log_product(np.where(won > 0.0, whole, lost), min(most, _LARGEST) - np.log(c))
        else:
            level = prior[part] + (won * np.log(whole) + (tried - won) * np.log(lost)).sum(axis=0)
        top = level.max(axis=1, keepdims=True)
        weight = np.exp(level - top)
        total = weight.sum(axis=1, keepdims=True)
        per = won / whole
        left = tried - c * per / whole
        per -= tried
        per *= chance
        left *= chance
        left *= failure
        yield Block(part, float((top + np.log(total)).sum()), weight / total, chance, per, left)


def floor_bend(answers: Answers, block: Block) -> FloatArray:
    """Return how the spread of answers above a floor moves with the logit, (agents, items, points)."""
    c, s = answers.floor, block.chance
    q, whole = 1.0 - s, c + (1.0 - c) * s
    per = answers.successes[:, block.items, None] / whole
    left = answers.trials[:, block.items, None] - c * per / whole
    out: FloatArray = s * q * ((q - s) * left + 2.0 * c * (1.0 - c) * per * s * q / whole**2)
    return out


def floor_slopes(answers: Answers, block: Block) -> FloatArray:
    """Return how the log-likelihood of a block's items rises with the floor, at each node."""
    c, won = answers.floor, answers.successes[:, block.items, None]
    lost = answers.trials[:, block.items, None] - won
    rise = won * (1.0 - block.chance) / (c + (1.0 - c) * block.chance) - lost / (1.0 - c)
    out: FloatArray = rise.sum(axis=0)
    return out


def _odds(ability: FloatArray, nodes: Nodes, part: slice) -> FloatArray:
    """Return exp(a theta + d), (agents, items, points), with one exponential for all intercepts of a slope."""
    slope, intercept = nodes.slope[part, :: nodes.run], nodes.intercept[part]
    least = intercept[:, :: nodes.run]
    first = ability[:, None, None] * slope
    first += least
    further = np.exp(intercept.reshape(*slope.shape, nodes.run) - least[:, :, None])
    # Repeated first: a product with so short a last axis takes twice as long.
    odds: FloatArray = np.repeat(np.exp(first, out=first), nodes.run, axis=2)
    odds *= further.reshape(intercept.shape)
    return odds


def _log_product(factors: FloatArray, most: float) -> FloatArray:
    """Return the logarithm of the product over the first axis, by parts that do not overflow.

    No factor is above 1 + exp(most). A logarithm takes ten times as long as a product.
    """
    size = max(1, int(_LARGEST / (most + 1.0)))
    parts = [np.multiply.reduce(factors[k : k + size], axis=0) for k in range(0, len(factors), size)]
    out: FloatArray = np.log(parts).sum(axis=0)
    return out


class Integrated(NamedTuple):
    """The log-likelihood with items integrated, and its derivatives in the abilities and in the population h.

    ``slope`` and ``curvature`` (the negative Hessian) are those in the abilities, ``population_slope`` and
    ``population_curvature`` those in h; ``cross`` (h, abilities) are the negative mixed derivatives.
    """

    value: float
    slope: FloatArray
    curvature: FloatArray
    population_slope: FloatArray
    cross: FloatArray
    population_curvature: FloatArray


def integrate(answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray) -> Integrated:
    """Integrate every item over its nodes, which stay where they are."""
    agents = len(ability)
    value, slope, curvature = 0.0, np.zeros(agents + SIZE), np.zeros((agents + SIZE, agents + SIZE))
    first, weights = density_slopes(population, nodes.slope, nodes.intercept), np.empty_like(nodes.slope)
    for block in blocks(answers, nodes, ability, population):
        a, weight = nodes.slope[block.items], block.weight
        root, weights[block.items] = np.sqrt(weight), weight
        rows = np.empty((agents + SIZE, *root.shape))
        np.multiply(block.residual, a * root, out=rows[:agents])
        np.multiply(first[:, block.items], root, out=rows[agents:])
        mean, flat = node_mean(rows, root), rows.reshape(agents + SIZE, -1)
        value += block.value
        slope += mean.sum(axis=1)
        curvature += mean @ mean.T
        curvature -= flat @ flat.T
        curvature[range(agents), range(agents)] += block.spread.reshape(agents, -1) @ (a * a * weight).ravel()
    curvature[agents:, agents:] -= density_bend(population, nodes.slope, nodes.intercept, weights)
    return Integrated(
        value, slope[:agents], curvature[:agents, :agents],
        slope[agents:], curvature[agents:, :agents], curvature[agents:, agents:],
    )  # fmt: skip


def item_scores(answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray) -> FloatArray:
    """Return each item's gradient of the log-likelihood in abilities and population, (agents + 5, items)."""
    agents, items = answers.successes.shape
    out, first = np.empty((agents + SIZE, items)), density_slopes(population, nodes.slope, nodes.intercept)
    for block in blocks(answers, nodes, ability, population):
        here = block.items
        out[:agents, here] = node_mean(block.residual * nodes.slope[here], block.weight)
        out[agents:, here] = node_mean(first[:, here], block.weight)
    return out


class ItemMoments(NamedTuple):
    """Posterior of each item given abilities and population: means of (a, d), covariance, and how both move.

    ``mean`` is (2, items); ``covariance`` (2, 2, items); ``by_ability`` (2, items, agents) and ``by_population``
    (2, items, 5) are the derivatives of the means, ``variance_by_ability`` (items, agents) and
    ``variance_by_population`` (items, 5) those of the variance of a; ``by_floor`` (2, items) the means' in the floor.
    """

    mean: FloatArray
    covariance: FloatArray
    by_ability: FloatArray
    by_population: FloatArray
    variance_by_ability: FloatArray
    variance_by_population: FloatArray
    by_floor: FloatArray

    def take(self, items: int) -> "ItemMoments":
        """Return those of the first items."""
        parts = zip(self, (1, 2, 1, 1, 0, 0, 1), strict=True)
        return ItemMoments(*(part.take(range(items), axis) for part, axis in parts))


def item_moments(answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray) -> ItemMoments:
    """Return what is known of each item."""
    agents, items = answers.successes.shape
    out = ItemMoments(
        np.empty((2, items)), np.empty((2, 2, items)), np.empty((2, items, agents)), np.empty((2, items, SIZE)),
        np.empty((items, agents)), np.empty((items, SIZE)), np.zeros((2, items)),
    )  # fmt: skip
    every = density_slopes(population, nodes.slope, nodes.intercept)
    for block in blocks(answers, nodes, ability, population):
        here, weight = block.items, block.weight
        pull = block.residual * nodes.slope[here]
        place = np.stack([nodes.slope[here], nodes.intercept[here]])
        mean = node_mean(place, weight)
        away = (place - mean[:, :, None]) * weight
        out.mean[:, here] = mean
        out.covariance[:, :, here] = np.einsum("pjk,qjk->pqj", away, place)
        out.by_ability[:, here] = np.einsum("pjk,ijk->pji", away, pull)
        out.by_population[:, here] = np.einsum("pjk,hjk->pjh", away, every[:, here])
        if answers.floor:
            out.by_floor[:, here] = np.einsum("pjk,jk->pj", away, floor_slopes(answers, block))
        squares = (place[0] - mean[0][:, None]) ** 2
        squares = (squares - out.covariance[0, 0, here][:, None]) * weight
        out.variance_by_ability[here] = np.einsum("jk,ijk->ji", squares, pull)
        out.variance_by_population[here] = np.einsum("jk,hjk->jh", squares, every[:, here])
    return out


def node_mean(values: FloatArray, weight: FloatArray) -> FloatArray:
    """Average over the nodes of each item: (any, items, points) to (any, items)."""
    out: FloatArray = np.einsum("ijk,jk->ij", values, weight)
    return out
