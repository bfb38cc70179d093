"""Observed information of the item parameters: minus the second derivative of the marginal log-likelihood.

Louis's identity: the observed information is the expected complete-data information less the
posterior covariance of the complete-data score,

    I = sum_j ( E_j[-H] - Cov_j[s] ),      s_ji = (r_ji - n_ji P_i) dP_i / (P_i (1 - P_i)).

Computed node by node as weighted cross-products of residuals: agents x items^2 x nodes operations. Where agents are few
and nodes many, each agent's scores at the nodes where it may be are a matrix, and its product with itself is quicker.

On a complete table without guessing there is a shorter way. The score of an item is then ``(r - P) (theta, 1)``, and
given the answers only P and ``g = theta P`` are random besides theta itself:

    d, d:  Cov(P_i, P_l)
    a, d:  Cov(g_i, P_l) - r_i Cov(theta, P_l)
    a, a:  Cov(g_i, g_l) - r_i Cov(theta, g_l) - r_l Cov(theta, g_i) + r_i r_l Var(theta),

whose sums over agents are a few matrix products: agents x items x (4 items + 3 nodes) multiply-adds. A missing cell
breaks it: each pair of items then has agents of its own.

Reference: Louis (1982), JRSS B 44.
"""

from typing import NamedTuple

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.items.marginal.item_step import derivatives
from equipoise.items.marginal.quadrature import Grid, expect, node_likelihood
from equipoise.items.models.models import FREE_PER_ITEM, Items, Model, chance_and_variance, curve
from equipoise.items.models.responses import Responses

#: Multiply-adds that the exact information may cost.
EXACT_BUDGET = 3e10
NEWTON_BUDGET = 2e9
#: Nanoseconds of half a multiply-add in a product of matrices, and of an entry in a pass over one.
_BY_PRODUCT, _BY_PASS = 0.05, 4.0
#: Share of an agent's largest weight at a node below which it is not there.
_NOBODY = 1e-17


class Information(NamedTuple):
    """Gradient and observed information, ordered a_1..a_I, d_1..d_I, c_1..c_I, and the log-likelihood itself."""

    gradient: FloatArray
    matrix: FloatArray
    value: float


def exact_cost(responses: Responses, points: int, model: Model) -> float:
    """Return the multiply-adds of the exact observed information (and of its inverse, where that could cost more)."""
    agents, items = responses.shape
    if responses.trials is None and model != "3pl":
        return float(agents) * items * (4 * items + 3 * points) + 4.0 * items**3
    by_node = float(agents) * items * items * points
    # An agent is at a third of the nodes or fewer, and large products of matrices take a tenth of the time.
    by_agent = 0.1 * agents * (points / 3) * (FREE_PER_ITEM[model] * items) ** 2 / 2
    return min(by_node, by_agent)


def observed_information(responses: Responses, items: Items, grid: Grid) -> Information:
    """Return the score and the observed information of (a, d, c) for all items."""
    if responses.trials is None and not items.guessing.any():
        return _complete_table_information(responses, items, grid)
    n_items, nodes = responses.shape[1], grid.nodes
    p, per = _score_weights(nodes, items)
    likelihood = node_likelihood(responses, items, grid)
    value, scores = 0.0, np.zeros((3, n_items))
    cross = np.zeros((3, n_items, 3, n_items))
    for part, successes, trials in responses.chunks(3 * n_items + len(nodes)):
        post, evidence = likelihood.posterior(successes, trials)
        weight = responses.weight[part]
        value += float(weight @ evidence)
        _Scores(post * weight[:, None], successes, trials, p, per).add_second_moment(cross)
        mean = np.stack([successes * (post @ each.T) for each in per], axis=1)
        tried = 1.0 if trials is None else trials
        mean -= np.stack([tried * (post @ (each * p).T) for each in per], axis=1)
        scores += np.einsum("j,jpi->pi", weight, mean)
        flat = (mean * np.sqrt(weight)[:, None, None]).reshape(len(mean), -1)
        cross -= (flat.T @ flat).reshape(cross.shape)
    matrix = -cross.reshape(3 * n_items, 3 * n_items)
    _add_blocks(matrix, complete_data_information(responses, items, grid))
    return Information(scores.reshape(-1), matrix, value)


def _score_weights(nodes: FloatArray, items: Items) -> tuple[FloatArray, FloatArray]:
    """Return P and dP / (P Q) for (a, d, c), items in rows and nodes in columns."""
    part = curve(nodes, items)
    by_c = np.zeros_like(part.p)
    guessed = items.guessing > 0  # at c = 0 the parameter rests on its bound and is not free
    by_c[guessed] = 1.0 / (part.p[guessed] * (1.0 - items.guessing[guessed, None]))
    return part.p, np.stack([part.pull * nodes, part.pull, by_c])


class _Scores(NamedTuple):
    """What the scores of some agents are made of: their weights at the nodes, answers, P, and dP / (P Q)."""

    weighted: FloatArray
    successes: FloatArray
    trials: FloatArray | None
    p: FloatArray
    per: FloatArray

    def add_second_moment(self, cross: FloatArray) -> None:
        """Add sum over agents of E[s s'] to ``cross``: node by node, or agent by agent where that is quicker."""
        agents, nodes = self.weighted.shape
        kinds = 3 if self.per[2].any() else 2
        at_nodes = np.count_nonzero(self.weighted > _NOBODY * self.weighted.max(axis=1, keepdims=True))
        by_agent = _BY_PRODUCT * kinds**2 * at_nodes
        by_node = nodes * (2 * _BY_PRODUCT * agents + _BY_PASS * (9 if kinds == 3 else 3))
        some = self._replace(per=self.per[:kinds])
        (some._by_agent if by_agent < by_node else some._by_node)(cross)

    def _by_agent(self, cross: FloatArray) -> None:
        kinds, n_items = len(self.per), len(self.p)
        total = np.zeros((kinds * n_items, kinds * n_items))
        for j, weight in enumerate(self.weighted):
            there = np.flatnonzero(weight > _NOBODY * weight.max())
            tried = 1.0 if self.trials is None else self.trials[j, :, None]
            residual = (self.successes[j, :, None] - tried * self.p[:, there]) * np.sqrt(weight[there])
            score = (self.per[:, :, there] * residual).reshape(len(total), -1)
            total += score @ score.T  # a matrix times itself is half a product
        cross[:kinds, :, :kinds] += total.reshape(kinds, n_items, kinds, n_items)

    def _by_node(self, cross: FloatArray) -> None:
        tried = 1.0 if self.trials is None else self.trials
        moments = np.zeros((3, len(self.p), len(self.p)))
        for q in np.flatnonzero(self.weighted.sum(axis=0) > 1e-14):
            residual = self.successes - tried * self.p[:, q]
            gram = (residual * self.weighted[:, q, None]).T @ residual
            if len(self.per) == 3:
                side = self.per[:, :, q]
                cross += side[:, :, None, None] * side[None, None, :, :] * gram[None, :, None, :]
            else:  # dP / (P Q) is theta for a and 1 for d, the same for all items
                for power in range(3):
                    moments[power] += self.per[0, 0, q] ** power * gram
        if len(self.per) < 3:
            cross[1, :, 1, :] += moments[0]
            cross[0, :, 1, :] += moments[1]
            cross[1, :, 0, :] += moments[1]
            cross[0, :, 0, :] += moments[2]


def complete_data_information(responses: Responses, items: Items, grid: Grid) -> FloatArray:
    """Return the expected complete-data information block of each item (parameter, parameter, item)."""
    guessing = bool(items.guessing.any())
    stats = expect(responses, items, grid, guessing=guessing)
    if not guessing:  # then it does not depend on the answers, and c is fixed or rests on its bound
        return derivatives(stats, items, grid.nodes).information
    assert stats.successes is not None
    nodes, part = grid.nodes, curve(grid.nodes, items)
    failures = stats.trials - stats.successes
    u, q, sigma = part.pull, part.q, part.sigma
    by_z = failures * sigma * (1.0 - sigma) - stats.successes * u * q * (1.0 - 2.0 * sigma - u * q)
    floor = np.maximum(part.p, 1e-12)
    by_zc = stats.successes * (1.0 - sigma) * u / floor
    by_c = stats.successes * ((1.0 - sigma) / floor) ** 2 + failures / (1.0 - items.guessing[:, None]) ** 2
    out = np.empty((3, 3, len(by_z)))
    out[0, 0], out[1, 1], out[2, 2] = by_z @ nodes**2, by_z.sum(axis=1), by_c.sum(axis=1)
    out[0, 1] = out[1, 0] = by_z @ nodes
    out[0, 2] = out[2, 0] = by_zc @ nodes
    out[1, 2] = out[2, 1] = by_zc.sum(axis=1)
    return out


def _add_blocks(matrix: FloatArray, blocks: FloatArray) -> None:
    n_items = blocks.shape[2]
    where = np.arange(n_items)
    for row in range(3):
        for column in range(3):
            matrix[row * n_items + where, column * n_items + where] += blocks[row, column]


class _Sums(NamedTuple):
    """Sums over agents: log-likelihood, weight at each node, r, r E[theta], and the products of the answers."""

    value: float
    at: FloatArray
    won: FloatArray
    won_ability: FloatArray
    means: FloatArray
    mixed: FloatArray


def _complete_table_information(responses: Responses, items: Items, grid: Grid) -> Information:
    """Return the score and the observed information on a complete table without guessing."""
    n_items, nodes = responses.shape[1], grid.nodes
    p, variance = chance_and_variance(nodes, items)
    powers = np.stack([np.ones_like(nodes), nodes, nodes**2])
    table = (p * powers[:, None, :]).reshape(3 * n_items, -1)
    sums = _sums(responses, items, grid, table)
    pair = table[: 2 * n_items] * np.sqrt(sums.at)
    covariance = pair @ pair.T - sums.means  # of P, then g; a matrix times itself is half a product
    own, with_a = sums.mixed[:, :n_items], sums.mixed[:, n_items:]
    matrix = np.zeros((3, n_items, 3, n_items))
    matrix[1, :, 1, :] = -covariance[:n_items, :n_items]
    matrix[0, :, 1, :] = own - covariance[n_items:, :n_items]
    matrix[1, :, 0, :] = matrix[0, :, 1, :].T
    matrix[0, :, 0, :] = with_a + with_a.T - covariance[n_items:, n_items:]
    expected = table.reshape(3, n_items, -1) @ sums.at
    curvature = (variance * sums.at) @ powers.T  # sums of P (1 - P) theta^k
    where = np.arange(n_items)
    for row, column, power in ((0, 0, 2), (0, 1, 1), (1, 0, 1), (1, 1, 0)):
        matrix[row, where, column, where] += curvature[:, power]
    matrix[2, where, 2, where] = 1.0
    gradient = np.concatenate([sums.won_ability - expected[1], sums.won - expected[0], np.zeros(n_items)])
    return Information(gradient, matrix.reshape(3 * n_items, 3 * n_items), sums.value)


def _sums(responses: Responses, items: Items, grid: Grid, table: FloatArray) -> _Sums:
    """Go through the agents once. ``table`` holds P, theta P and theta^2 P, items in rows and nodes in columns."""
    n_items, nodes = responses.shape[1], grid.nodes
    likelihood = node_likelihood(responses, items, grid)
    value, at = 0.0, np.zeros(len(nodes))
    won, won_ability = np.zeros(n_items), np.zeros(n_items)
    means, mixed = np.zeros((2 * n_items, 2 * n_items)), np.zeros((n_items, 2 * n_items))
    for part, successes, _ in responses.chunks(3 * n_items + len(nodes)):
        post, evidence = likelihood.posterior(successes, None)
        weight = responses.weight[part]
        ability = post @ nodes
        variance = post @ nodes**2 - ability**2
        mean = post @ table.T
        # Cov(theta, P) and Cov(theta, g) side by side, the latter less half of what r r' Var(theta) will need.
        tilt = mean[:, n_items:] - ability[:, None] * mean[:, : 2 * n_items]
        tilt[:, n_items:] -= (0.5 * variance)[:, None] * successes
        tilt *= weight[:, None]
        both = mean[:, : 2 * n_items] * np.sqrt(weight)[:, None]
        value += float(weight @ evidence)
        at += weight @ post
        won += weight @ successes
        won_ability += (weight * ability) @ successes
        mixed += successes.T @ tilt
        means += both.T @ both
    return _Sums(value, at, won, won_ability, means, mixed)
