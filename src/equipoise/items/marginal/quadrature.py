"""The integral over ability: a uniform grid, and expectations under the posterior (the E step).

The trapezoidal rule on a smooth, fast-decaying integrand converges faster than any power of the
spacing, so doubling the grid is both the error estimate and the cure. Gauss-Hermite nodes crowd
where the prior is, not where steep items bend, and a fit can overfit to the gaps between them.

For the two-parameter family on a complete table the log-likelihood at a node is
``theta_q (R a)_j + (R d)_j + sum_i log(1 - P_iq)``: two matrix-vector products instead of a matrix
product over the grid, and the item step needs only ``R' E[theta]``. Cost is linear in the cells.
"""

from typing import NamedTuple

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.items.models.models import Items, log_failures, log_probabilities, summed_log_failure
from equipoise.items.models.responses import Responses

#: Table cells computed at a time, small enough to stay in the processor's cache.
_TABLE_CELLS = 100_000
#: Share of the most agents at a node below which what is expected there changes no digit of a sum over nodes.
NOBODY = 1e-20
#: Neighbouring nodes that share one exponential.
_BLOCK = 8
#: Largest logarithm of a factor: products of three stay far from overflow.
_LARGEST_EXPONENT = 200.0


class Grid(NamedTuple):
    """Nodes and log-weights of a rule for the standard normal; the nodes' distance where it is always the same."""

    nodes: FloatArray
    log_weights: FloatArray
    spacing: float = 0.0


def uniform_grid(half_width: float, points: int) -> Grid:
    """Return equally spaced nodes on [-half_width, half_width] with normal weights that sum to one."""
    nodes = np.linspace(-half_width, half_width, points)
    log_density = -0.5 * nodes**2
    weights = np.exp(log_density)
    return Grid(nodes, log_density - np.log(weights.sum()), 2.0 * half_width / (points - 1))


def occupied(grid: Grid, trials: FloatArray) -> Grid:
    """Return the part of a grid that expected counts reach, and a margin for items that still move.

    Beyond it is less than changes a digit of a sum over nodes.
    """
    at = trials.max(axis=0)
    there = np.flatnonzero(at > NOBODY * float(at.max()))
    first, last = int(there[0]), int(there[-1])
    margin = 2 + (last - first) // 10
    part = slice(max(0, first - margin), last + margin + 1)
    return grid._replace(nodes=grid.nodes[part], log_weights=grid.log_weights[part])


def exponential_lines(
    slope: FloatArray, base: FloatArray, nodes: FloatArray, spacing: float
) -> tuple[FloatArray, FloatArray]:
    """Return exp(s_j theta_q + base_q) with rows scaled to about 1 at their largest, and the logarithms of the scales.

    Most exponentials are multiplications, ``exp(s (t + k h)) = exp(s t) exp(s h)^k``: of every eight nodes one
    exponential is taken at the middle one, and the steps from there are the same for all eights. An exponential costs
    as much as a dozen multiplications.

    ``spacing`` is the distance of neighbouring nodes, 0 where they are not equally spaced.

    >>> nodes = np.linspace(-1.0, 1.0, 5)
    >>> table, top = exponential_lines(np.array([2.0]), np.zeros(5), nodes, 0.5)
    >>> bool(np.allclose(np.log(table) + top, 2.0 * nodes))
    True
    """
    centre = 0.5 * float(slope.max() + slope.min())
    level = base + centre * nodes
    steep = slope - centre
    blocks = -(-len(nodes) // _BLOCK)
    steps = spacing * (np.arange(_BLOCK) - _BLOCK // 2)
    padded = np.full(blocks * _BLOCK, level[-1])
    padded[: len(nodes)] = level
    levels = padded.reshape(blocks, _BLOCK)
    middle = levels[:, _BLOCK // 2]
    rise = levels - middle[:, None]
    if spacing == 0.0 or max(np.abs(rise).max(), -steps[0] * np.abs(steep).max()) > _LARGEST_EXPONENT:
        return _direct_exponentials(steep, level, nodes)
    at = nodes[0] + spacing * (np.arange(blocks) * _BLOCK + _BLOCK // 2)
    anchor = np.multiply.outer(at, steep)
    anchor += middle[:, None]
    top: FloatArray = anchor.max(axis=0)
    anchor -= top
    np.exp(anchor, out=anchor)
    table = anchor[:, None, :] * np.exp(np.multiply.outer(steps, steep))
    table *= np.exp(rise)[:, :, None]
    return table.reshape(len(padded), -1)[: len(nodes)].T, top


def _direct_exponentials(slope: FloatArray, base: FloatArray, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
    table = np.multiply.outer(slope, nodes)
    table += base
    top: FloatArray = table.max(axis=1)
    table -= top[:, None]
    np.exp(table, out=table)
    return table, top


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

    The grid's log-weights are added. ``guessing`` makes the log-odds table that a lower asymptote needs, even where all
    are 0.
    """

    def __init__(self, items: Items, grid: Grid, *, complete: bool, guessing: bool) -> None:
        nodes = grid.nodes
        self.nodes, self.spacing = nodes, grid.spacing
        self.base = grid.log_weights.copy()
        self.line = np.stack([items.slope, items.intercept], axis=1)
        self.fail: FloatArray | None = None
        self.odds: FloatArray | None = None
        if guessing or items.guessing.any():
            self._with_asymptotes(items, complete=complete)
        elif complete:
            self.base += summed_log_failure(nodes, items)
        else:
            self.fail = log_failures(nodes, items)

    def _with_asymptotes(self, items: Items, *, complete: bool) -> None:
        n_items, nodes = len(items.slope), self.nodes
        self.fail = None if complete else np.empty((n_items, len(nodes)))
        self.odds = np.empty((n_items, len(nodes)))
        step = max(1, _TABLE_CELLS // len(nodes))
        for start in range(0, n_items, step):
            part = slice(start, min(start + step, n_items))
            log_success, log_fail = log_probabilities(nodes, items.take(part))
            if self.fail is None:
                self.base += log_fail.sum(axis=0)
            else:
                self.fail[part] = log_fail
            self.odds[part] = log_success - log_fail

    def __call__(self, successes: FloatArray, trials: FloatArray | None) -> FloatArray:
        """Return (rows, nodes) log-likelihoods plus log-weights."""
        if self.odds is not None:
            out: FloatArray = successes @ self.odds
        else:
            line = successes @ self.line
            out = np.multiply.outer(line[:, 0], self.nodes)
            out += line[:, 1:]
        out += self.base
        if self.fail is not None:
            assert trials is not None
            out += trials @ self.fail
        return out

    def scaled(self, successes: FloatArray, trials: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """Return the joint density at each node, rows scaled to about 1 at most, and the logarithms of the scales."""
        if self.fail is None and self.odds is None:
            line = successes @ self.line
            table, top = exponential_lines(line[:, 0], self.base, self.nodes, self.spacing)
            return table, top + line[:, 1]
        table = self(successes, trials)
        top = table.max(axis=1)
        table -= top[:, None]
        return np.exp(table, out=table), top

    def posterior(self, successes: FloatArray, trials: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """Return each row's posterior over the nodes and the logarithm of its evidence."""
        table, top = self.scaled(successes, trials)
        total = table.sum(axis=1)
        table /= total[:, None]
        return table, top + np.log(total)


def node_likelihood(responses: Responses, items: Items, grid: Grid) -> NodeLikelihood:
    """Prepare the tables that these answers and items need."""
    return NodeLikelihood(items, grid, complete=responses.trials is None, guessing=bool(items.guessing.any()))


def expect(responses: Responses, items: Items, grid: Grid, *, guessing: bool) -> Expectation:
    """Run the E step: marginal log-likelihood and expected counts, in chunks of agents.

    ``guessing`` asks for the expected successes at each node, which a free lower asymptote needs.
    """
    n_items = responses.shape[1]
    nodes = grid.nodes
    likelihood = NodeLikelihood(items, grid, complete=responses.trials is None, guessing=guessing)
    powers = np.stack([np.ones_like(nodes), nodes, nodes**2], axis=1)
    trials_at = np.zeros((1 if responses.trials is None else n_items, len(nodes)))
    successes_at = np.zeros((n_items, len(nodes))) if guessing else None
    success_sums, ability_sums = np.zeros((2, n_items)), np.zeros(2)
    log_likelihood = 0.0
    for part, successes, trials in responses.chunks(len(nodes)):
        table, top = likelihood.scaled(successes, trials)
        sums = table @ powers  # the posterior is never normalised: three sums a row do it for all that is needed
        total, weight = sums[:, 0], responses.weight[part]
        log_likelihood += float(weight @ (top + np.log(total)))
        share = weight / total
        ability_sums += share @ sums[:, 1:]
        success_sums += np.array([weight, share * sums[:, 1]]) @ successes
        if trials is None:
            trials_at[0] += share @ table
        else:
            trials_at += trials.T @ (share[:, None] * table)
        if successes_at is not None:
            successes_at += successes.T @ (share[:, None] * table)
    mean, second = ability_sums / float(responses.weight.sum())
    won, won_ability = success_sums
    return Expectation(log_likelihood, trials_at, successes_at, won, won_ability, float(mean), float(second - mean**2))


def reached_grid(responses: Responses, items: Items, half_width: float, points: int) -> Grid:
    """Return the part of a uniform grid that these agents reach, with a margin for items that still move."""
    grid = uniform_grid(half_width, points)
    return occupied(grid, expect(responses, items, grid, guessing=False).trials)


def marginal_log_likelihood(responses: Responses, items: Items, grid: Grid) -> float:
    """Return the marginal log-likelihood, over ability."""
    total = 0.0
    likelihood = node_likelihood(responses, items, grid)
    for part, successes, trials in responses.chunks(len(grid.nodes)):
        table, top = likelihood.scaled(successes, trials)
        total += float(responses.weight[part] @ (top + np.log(table.sum(axis=1))))
    return total
