"""Observed information of the item parameters, their covariance, and the last Newton steps.

Louis's identity: the observed information is the expected complete-data information less the
posterior covariance of the complete-data score,

    I = sum_j ( E_j[-H] - Cov_j[s] ),      s_ji = (r_ji - n_ji P_i) dP_i / (P_i (1 - P_i)).

Computed node by node as weighted cross-products of residuals: agents x items^2 x nodes operations. Where
that is too much, each item keeps its own block and the uncertainty of the scale, which all items
share, is added back (`large_test_covariance`): with many items abilities are almost known, and what
ties the items together is only that the abilities' mean and spread were themselves a sample.

Reference: Louis (1982), JRSS B 44.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.items.complete import Information, is_simple, simple_information
from equipoise.items.item_step import Bounds, ItemPrior, slopes
from equipoise.items.models import Items, Model, curve
from equipoise.items.quadrature import Grid, expect, node_likelihood
from equipoise.results import FloatArray

if TYPE_CHECKING:
    from equipoise.items.responses import Responses


#: Multiply-adds that the exact information may cost.
EXACT_BUDGET = 3e10
NEWTON_BUDGET = 2e9


def exact_cost(responses: Responses, points: int, model: Model) -> float:
    """Return the multiply-adds of the exact observed information (and of its inverse, where that could cost more)."""
    agents, items = responses.shape
    if responses.trials is None and model != "3pl":
        return float(agents) * items * (4 * items + 3 * points) + 4.0 * items**3
    return float(agents) * items * items * points


def observed_information(responses: Responses, items: Items, grid: Grid) -> Information:
    """Return the score and the observed information of (a, d, c) for all items."""
    if is_simple(responses, items):
        return simple_information(responses, items, grid)
    n_items, nodes = responses.shape[1], grid.nodes
    p, per = _score_weights(nodes, items)
    likelihood = node_likelihood(responses, items, grid)
    value, scores = 0.0, np.zeros((3, n_items))
    cross = np.zeros((3, n_items, 3, n_items))
    for part, successes, trials in responses.chunks(3 * n_items + len(nodes)):
        post, evidence = likelihood.posterior(successes, trials)
        weight = responses.weight[part]
        value += float(weight @ evidence)
        _add_second_moment(cross, post * weight[:, None], successes, trials, p, per)
        mean = np.stack([successes * (post @ each.T) for each in per], axis=1)
        tried = 1.0 if trials is None else trials
        mean -= np.stack([tried * (post @ (each * p).T) for each in per], axis=1)
        scores += np.einsum("j,jpi->pi", weight, mean)
        flat = (mean * np.sqrt(weight)[:, None, None]).reshape(len(mean), -1)
        cross -= (flat.T @ flat).reshape(cross.shape)
    matrix = -cross.reshape(3 * n_items, 3 * n_items)
    _add_blocks(matrix, _complete_information(responses, items, grid))
    return Information(scores.reshape(-1), matrix, value)


def _score_weights(nodes: FloatArray, items: Items) -> tuple[FloatArray, FloatArray]:
    """Return P and dP / (P Q) for (a, d, c), items in rows and nodes in columns."""
    part = curve(nodes, items)
    by_c = np.zeros_like(part.p)
    guessed = items.guessing > 0  # at c = 0 the parameter rests on its bound and is not free
    by_c[guessed] = 1.0 / (part.p[guessed] * (1.0 - items.guessing[guessed, None]))
    return part.p, np.stack([part.pull * nodes, part.pull, by_c])


def _add_second_moment(
    cross: FloatArray,
    weighted: FloatArray,
    successes: FloatArray,
    trials: FloatArray | None,
    p: FloatArray,
    per: FloatArray,
) -> None:
    """Add sum over agents of E[s s'] to ``cross``, node by node."""
    guessing = bool(np.any(per[2]))
    moments = np.zeros((3, len(p), len(p)))
    for q in np.flatnonzero(weighted.sum(axis=0) > 1e-14):
        residual = successes - (p[:, q] if trials is None else trials * p[:, q])
        gram = (residual * weighted[:, q, None]).T @ residual
        if guessing:
            side = per[:, :, q]
            cross += side[:, :, None, None] * side[None, None, :, :] * gram[None, :, None, :]
        else:  # dP / (P Q) is theta for a and 1 for d, the same for all items
            for power in range(3):
                moments[power] += per[0, 0, q] ** power * gram
    if not guessing:
        cross[1, :, 1, :] += moments[0]
        cross[0, :, 1, :] += moments[1]
        cross[1, :, 0, :] += moments[1]
        cross[0, :, 0, :] += moments[2]


def _complete_information(responses: Responses, items: Items, grid: Grid) -> FloatArray:
    """Return the expected complete-data information block of each item (parameter, parameter, item)."""
    guessing = bool(items.guessing.any())
    stats = expect(responses, items, grid, guessing=guessing)
    if not guessing:  # then it does not depend on the answers, and c is fixed or rests on its bound
        return slopes(stats, items, grid.nodes).information
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


@dataclass(frozen=True, slots=True, eq=False)
class FreeParameters:
    """Which of (a, d, c) of all items are free: the place of each among the free ones, -1 where it is not.

    A slope that all items share has one place; what rests on a bound has none.
    """

    place: NDArray[np.intp]
    shared: int

    @classmethod
    def of(
        cls, items: Items, model: Model, bounds: Bounds, free_slope: NDArray[np.bool_] | None = None
    ) -> FreeParameters:
        """Find the free parameters of a model at these items."""
        n_items = len(items.slope)
        free = np.zeros((3, n_items), dtype=bool)
        free[1] = True
        if model in ("2pl", "3pl"):
            free[0] = np.abs(items.slope) < bounds.slope
            if free_slope is not None:
                free[0] &= free_slope
        if model == "3pl":
            free[2] = (items.guessing > 0.0) & (items.guessing < bounds.guessing)
        place = np.where(free, np.cumsum(free).reshape(3, n_items) - 1, -1)
        if model == "1pl":
            place += free
            place[0] = 0
        return cls(place.reshape(-1), n_items if model == "1pl" else 0)

    def total(self, gradient: FloatArray) -> FloatArray:
        """Return the gradient in the free parameters."""
        used = self.place >= 0
        return np.bincount(self.place[used], weights=gradient[used]).astype(np.float64)

    def restrict(self, matrix: FloatArray) -> FloatArray:
        """Return a matrix in the free parameters."""
        own = np.flatnonzero(self.place >= (self.shared > 0))
        if len(own) and own[-1] - own[0] == len(own) - 1:  # the usual case: no copy of anything
            inner = matrix[own[0] : own[-1] + 1, own[0] : own[-1] + 1]
        else:
            inner = matrix[np.ix_(own, own)]
        if not self.shared:
            return inner
        row = matrix[: self.shared].sum(axis=0)
        return np.block([[row[: self.shared].sum().reshape(1, 1), row[None, own]], [row[own, None], inner]])

    def spread(self, values: FloatArray) -> FloatArray:
        """Return values of the free parameters in the places of all, 0 where a parameter is not free."""
        return np.where(self.place >= 0, values[self.place], 0.0)

    def blocks(self, covariance: FloatArray) -> FloatArray:
        """Return each item's block (parameter, parameter, item) from the upper triangle of a covariance."""
        place = self.place.reshape(3, -1)
        first, second = place[:, None, :], place[None, :, :]
        out = covariance[np.minimum(first, second), np.maximum(first, second)]
        return np.where((first >= 0) & (second >= 0), out, 0.0)


def with_prior(info: Information, items: Items, prior: ItemPrior, model: Model) -> Information:
    """Add the prior's gradient and curvature."""
    if prior.flat:
        return info
    n_items = len(items.slope)
    gradient, matrix = info.gradient.copy(), info.matrix.copy()
    diagonal = np.zeros(3 * n_items)
    share = 1.0 / n_items if model == "1pl" else 1.0  # the shared slope has one prior, spread over its copies
    if model != "rasch":
        gradient[:n_items] -= share * (items.slope - prior.slope_mean) / prior.slope_sd**2
        diagonal[:n_items] = share * prior.slope_sd**-2
    gradient[n_items : 2 * n_items] -= items.intercept / prior.intercept_sd**2
    diagonal[n_items : 2 * n_items] = prior.intercept_sd**-2
    if model == "3pl":
        _, slope, curve = prior.guessing_terms(items.guessing)
        gradient[2 * n_items :] += slope
        diagonal[2 * n_items :] = curve
    matrix[np.diag_indices(3 * n_items)] += diagonal
    return Information(gradient, matrix, info.value + prior.log_density(items, model))


def exact_covariance(info: Information, items: Items, model: Model, bounds: Bounds) -> FloatArray | None:
    """Return each item's covariance block (parameter, parameter, item); ``None`` if not positive definite."""
    free = FreeParameters.of(items, model, bounds)
    factor, failed = scipy.linalg.lapack.dpotrf(free.restrict(info.matrix))
    if failed:
        return None
    inverse, _ = scipy.linalg.lapack.dpotri(factor)
    return free.blocks(inverse)


def inverse_of_free(
    blocks: FloatArray,
    items: Items,
    model: Model,
    bounds: Bounds,
    invert: Callable[..., Any],
) -> FloatArray:
    """Invert the blocks of each item over the parameters that are free; those held or at a bound have no variance."""
    fixed = np.zeros((3, len(items.slope)), dtype=bool)
    fixed[0] = (model == "rasch") | (np.abs(items.slope) >= bounds.slope)
    fixed[2] = (model != "3pl") | (items.guessing <= 0.0) | (items.guessing >= bounds.guessing)
    matrix: FloatArray = np.moveaxis(blocks, 2, 0).copy()
    held = fixed.T
    matrix[held[:, :, None] | held[:, None, :]] = 0.0
    matrix[:, range(3), range(3)] += held
    inverse: FloatArray = np.moveaxis(invert(matrix), 0, 2).astype(np.float64)
    inverse[fixed[:, None, :] | fixed[None, :, :]] = 0.0
    return inverse


def large_test_covariance(
    responses: Responses, items: Items, grid: Grid, *, model: Model, prior: ItemPrior, bounds: Bounds
) -> FloatArray:
    """Return covariance blocks that treat abilities as known up to the sampling of their mean and spread."""
    blocks = _complete_information(responses, items, grid)
    if not prior.flat:
        blocks[0, 0] += prior.slope_sd**-2
        blocks[1, 1] += prior.intercept_sd**-2
        if model == "3pl":
            blocks[2, 2] += prior.guessing_terms(items.guessing)[2]
    inverse = inverse_of_free(blocks, items, model, bounds, np.linalg.inv)
    if model == "1pl":
        slope_variance = 1.0 / np.sum(blocks[0, 0] - blocks[0, 1] ** 2 / blocks[1, 1])
        inverse[0, 0] = slope_variance
        inverse[1, 1] = 1.0 / blocks[1, 1] + (blocks[0, 1] / blocks[1, 1]) ** 2 * slope_variance
        inverse[0, 1] = inverse[1, 0] = -blocks[0, 1] / blocks[1, 1] * slope_variance
    if prior.flat:
        agents = float(responses.weight.sum())
        inverse[1, 1] += items.slope**2 / agents  # the mean: d moves by a per unit of it
        if model != "rasch":
            inverse[0, 0] += 0.5 * items.slope**2 / agents  # the spread: a moves in proportion
    return inverse
