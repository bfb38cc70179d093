"""Observed information of the two-parameter family on a complete table: products instead of a sum over nodes.

With no guessing the complete-data score of an item is ``(r - P) (theta, 1)``, and given the answers only P and
``g = theta P`` are random besides theta itself. The posterior covariances that Louis's identity needs are then

    d, d:  Cov(P_i, P_l)
    a, d:  Cov(g_i, P_l) - r_i Cov(theta, P_l)
    a, a:  Cov(g_i, g_l) - r_i Cov(theta, g_l) - r_l Cov(theta, g_i) + r_i r_l Var(theta),

whose sums over agents are a few matrix products: agents x items x (4 items + 3 nodes) multiply-adds, where
residuals at every node would take agents x items^2 x nodes. A missing cell breaks it: each pair of items then has
agents of its own.

Reference: Louis (1982), JRSS B 44.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from equipoise.items.models import Items, logits
from equipoise.items.quadrature import Grid, node_likelihood
from equipoise.results import FloatArray

if TYPE_CHECKING:
    from equipoise.items.responses import Responses


class Information(NamedTuple):
    """Gradient and observed information, ordered a_1..a_I, d_1..d_I, c_1..c_I, and the log-likelihood itself."""

    gradient: FloatArray
    matrix: FloatArray
    value: float


class _Sums(NamedTuple):
    """Sums over agents: log-likelihood, weight at each node, r, r E[theta], and the products of the answers."""

    value: float
    at: FloatArray
    won: FloatArray
    won_ability: FloatArray
    means: FloatArray
    mixed: FloatArray


def is_simple(responses: Responses, items: Items) -> bool:
    """Say whether the short formulas hold: one trial in every cell, and nobody guesses."""
    return responses.trials is None and not items.guessing.any()


def simple_information(responses: Responses, items: Items, grid: Grid) -> Information:
    """Return the score and the observed information on a complete table without guessing."""
    n_items, nodes = responses.shape[1], grid.nodes
    p = scipy.special.expit(logits(nodes, items))
    powers = np.stack([np.ones_like(nodes), nodes, nodes**2])
    table = (p * powers[:, None, :]).reshape(3 * n_items, -1)
    sums = _sums(responses, items, grid, table)
    pair = table[: 2 * n_items]
    covariance = (pair * sums.at) @ pair.T - sums.means  # of P, then g
    own, with_a = sums.mixed[:, :n_items], sums.mixed[:, n_items:]
    matrix = np.zeros((3, n_items, 3, n_items))
    matrix[1, :, 1, :] = -covariance[:n_items, :n_items]
    matrix[0, :, 1, :] = own - covariance[n_items:, :n_items]
    matrix[1, :, 0, :] = matrix[0, :, 1, :].T
    matrix[0, :, 0, :] = with_a + with_a.T - covariance[n_items:, n_items:]
    expected = table.reshape(3, n_items, -1) @ sums.at
    curvature = ((p * (1.0 - p)) * sums.at) @ powers.T  # sums of P (1 - P) theta^k
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
