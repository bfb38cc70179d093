"""Value and score of a complete table without guessing, from the curves of all items at all nodes, computed once.

At a node theta the log-likelihood of agent j is ``theta (R a)_j + (R d)_j + sum_i log(1 - P_i)``, and the score of item
i is ``sum_j E_j[(r_ji - P_i) (theta, 1)]``.
"""

from typing import NamedTuple

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.items.marginal.quadrature import Grid, exponential_lines
from equipoise.items.models.grid_curves import chances_and_log_failure
from equipoise.items.models.models import Items, log_failure
from equipoise.items.models.responses import Responses

__all__ = ["Curves", "score"]


class Curves(NamedTuple):
    """P, items in rows and nodes in columns, and the sum of log(1 - P) over items."""

    p: FloatArray
    log_fail: FloatArray

    @classmethod
    def of(cls, items: Items, nodes: FloatArray) -> "Curves":
        """Compute the curves of all items."""
        return cls(*chances_and_log_failure(nodes, items))

    def with_flat(self, i: int, share: float, items: Items, nodes: FloatArray) -> "Curves":
        """Return the curves of ``items``, which these are, with that of item i flat."""
        p = self.p.copy()
        p[i] = share
        own = log_failure(items.slope[i] * nodes + items.intercept[i])
        return Curves(p, self.log_fail - own + np.log1p(-share))


def score(responses: Responses, items: Items, grid: Grid, curves: Curves) -> tuple[float, FloatArray]:
    """Return the marginal log-likelihood and its gradient, ordered a_1..a_I, d_1..d_I."""
    nodes = grid.nodes
    base, powers = grid.log_weights + curves.log_fail, np.stack([np.ones_like(nodes), nodes], axis=1)
    value, at = 0.0, np.zeros(len(nodes))
    won, won_ability = np.zeros((2, len(items.slope)))
    for part, successes, _ in responses.chunks(len(nodes)):
        table, top = exponential_lines(successes @ items.slope, base, nodes, grid.spacing)
        sums, weight = table @ powers, responses.weight[part]
        value += float(weight @ (top + successes @ items.intercept + np.log(sums[:, 0])))
        share = weight / sums[:, 0]
        won += weight @ successes
        won_ability += (share * sums[:, 1]) @ successes
        at += share @ table
    expected = curves.p @ (at[:, None] * powers)
    return value, np.concatenate([won_ability - expected[:, 1], won - expected[:, 0]])
