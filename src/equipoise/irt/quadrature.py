"""The integral over ability: a uniform grid, and expectations under the posterior (the E step).

The trapezoidal rule on a smooth, fast-decaying integrand converges faster than any power of the
spacing, so doubling the grid is both the error estimate and the cure. Gauss-Hermite nodes crowd
where the prior is, not where steep items bend, and a fit can overfit to the gaps between them.

For the two-parameter family on a complete table the log-likelihood at a node is
``theta_q (R a)_j + (R d)_j + sum_i log(1 - P_iq)``: two matrix-vector products instead of a matrix
product over the grid, and the item step needs only ``R' E[theta]``. Cost is linear in the cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from equipoise.irt.models import Items, log_probabilities
from equipoise.results import FloatArray

if TYPE_CHECKING:
    from equipoise.irt.responses import Responses


#: Table cells computed at a time, small enough to stay in the processor's cache.
_TABLE_CELLS = 100_000


class Grid(NamedTuple):
    """Nodes and log-weights of a rule for the standard normal."""

    nodes: FloatArray
    log_weights: FloatArray


def uniform_grid(half_width: float, points: int) -> Grid:
    """Return equally spaced nodes on [-half_width, half_width] with normal weights that sum to one."""
    nodes = np.linspace(-half_width, half_width, points)
    log_density = -0.5 * nodes**2
    weights = np.exp(log_density)
    return Grid(nodes, log_density - np.log(weights.sum()))


class Expectation(NamedTuple):
    """What the E step hands on.

    ``trials`` is (items or 1, nodes); ``successes`` (items, nodes) is ``None`` for the two-parameter
    family, where ``success_sum`` and ``success_ability`` (sums of r and of r theta) are sufficient.
    """

    log_likelihood: float
    trials: FloatArray
    successes: FloatArray | None
    success_sum: FloatArray
    success_ability: FloatArray
    mean: float
    variance: float


class NodeLikelihood:
    """Log-likelihood of rows of answers at each node, with the item tables computed once.

    ``guessing`` keeps the log-odds table that curves with a lower asymptote need.
    """

    def __init__(self, items: Items, nodes: FloatArray, *, complete: bool, guessing: bool) -> None:
        self.nodes = nodes
        self.line = np.stack([items.slope, items.intercept], axis=1)
        n_items = len(items.slope)
        self.fail_sum = np.zeros(len(nodes))
        self.fail = None if complete else np.empty((n_items, len(nodes)))
        self.odds = np.empty((n_items, len(nodes))) if guessing else None
        step = max(1, _TABLE_CELLS // len(nodes))
        for start in range(0, n_items, step):
            part = slice(start, min(start + step, n_items))
            log_success, log_fail = log_probabilities(nodes, items.take(part))
            self.fail_sum += log_fail.sum(axis=0)
            if self.fail is not None:
                self.fail[part] = log_fail
            if self.odds is not None:
                self.odds[part] = log_success - log_fail

    def __call__(self, successes: FloatArray, trials: FloatArray | None) -> FloatArray:
        """Return (rows, nodes) log-likelihoods, without the prior."""
        if trials is None:
            out = np.tile(self.fail_sum, (len(successes), 1))
        else:
            assert self.fail is not None
            out = trials @ self.fail
        if self.odds is not None:
            out += successes @ self.odds
            return out
        line = successes @ self.line
        out += np.multiply.outer(line[:, 0], self.nodes)
        out += line[:, 1:]
        return out


def node_likelihood(responses: Responses, items: Items, nodes: FloatArray) -> NodeLikelihood:
    """Prepare the tables that these answers and items need."""
    return NodeLikelihood(items, nodes, complete=responses.trials is None, guessing=bool(items.guessing.any()))


def posterior(log_joint: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Normalise rows of log prior + log-likelihood in place; return (posterior, log evidence)."""
    top = log_joint.max(axis=1, keepdims=True)
    log_joint -= top
    np.exp(log_joint, out=log_joint)
    total = log_joint.sum(axis=1, keepdims=True)
    log_joint /= total
    return log_joint, (top + np.log(total))[:, 0]


def expect(responses: Responses, items: Items, grid: Grid, *, guessing: bool) -> Expectation:
    """Run the E step: marginal log-likelihood and expected counts, in chunks of agents.

    ``guessing`` asks for the expected successes at each node, which a free lower asymptote needs.
    """
    n_items = responses.shape[1]
    nodes = grid.nodes
    likelihood = NodeLikelihood(items, nodes, complete=responses.trials is None, guessing=guessing)
    trials_at = np.zeros((1 if responses.trials is None else n_items, len(nodes)))
    successes_at = np.zeros((n_items, len(nodes))) if guessing else None
    success_sum, success_ability = np.zeros(n_items), np.zeros(n_items)
    log_likelihood = mean = second = 0.0
    for part, successes, trials in responses.chunks(len(nodes)):
        log_joint = likelihood(successes, trials)
        log_joint += grid.log_weights
        post, evidence = posterior(log_joint)
        weight = responses.weight[part]
        log_likelihood += float(weight @ evidence)
        ability = post @ nodes
        mean += float(weight @ ability)
        second += float(weight @ (post @ nodes**2))
        success_sum += weight @ successes
        success_ability += (weight * ability) @ successes
        if trials is None:
            trials_at[0] += weight @ post
        else:
            trials_at += trials.T @ (weight[:, None] * post)
        if successes_at is not None:
            successes_at += successes.T @ (weight[:, None] * post)
    total = float(responses.weight.sum())
    mean /= total
    return Expectation(
        log_likelihood, trials_at, successes_at, success_sum, success_ability, mean, second / total - mean**2
    )


def marginal_log_likelihood(responses: Responses, items: Items, grid: Grid) -> float:
    """Return the log-likelihood with ability integrated out."""
    total = 0.0
    likelihood = node_likelihood(responses, items, grid.nodes)
    for part, successes, trials in responses.chunks(len(grid.nodes)):
        log_joint = likelihood(successes, trials)
        log_joint += grid.log_weights
        total += float(responses.weight[part] @ posterior(log_joint)[1])
    return total
