"""Covariance of the item parameters, from the information over those that are free.

Where the observed information would cost too much, each item keeps its own block and the uncertainty of the scale,
which all items share, is added back (`large_test_uncertainty`): with many items abilities are almost known, and what
ties the items together is only that the abilities' mean and spread were themselves a sample.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.results import FloatArray
from equipoise.items.marginal.information import Information, complete_data_information
from equipoise.items.marginal.item_step import Bounds, ItemPrior
from equipoise.items.marginal.quadrature import Grid
from equipoise.items.models.models import FLAT, Items, Model
from equipoise.items.models.responses import Responses
from equipoise.items.scoring.uncertainty import ItemUncertainty

#: Shares by which the diagonal of an information is raised, until it is positive definite.
RAISES = (0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)


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
    ) -> "FreeParameters":
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

    def whole(self, covariance: FloatArray) -> FloatArray:
        """Return the covariance of all parameters from its upper triangle, 0 for those that are not free."""
        full = np.triu(covariance) + np.triu(covariance, 1).T
        used = self.place >= 0
        place = np.maximum(self.place, 0)
        return np.where(np.multiply.outer(used, used), full[np.ix_(place, place)], 0.0)


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


def inverse_information(
    info: Information, items: Items, model: Model, bounds: Bounds
) -> tuple[FreeParameters, FloatArray, bool]:
    """Return the free parameters, the upper triangle of their inverse information, and whether it is their covariance.

    It is not where the information is not positive definite: its diagonal is then raised until it is.
    """
    free = FreeParameters.of(items, model, bounds)
    matrix = free.restrict(info.matrix)
    factor, raised = raised_factor(matrix)
    inverse, _ = scipy.linalg.lapack.dpotri(factor)
    return free, inverse, raised == 0.0


def raised_factor(matrix: FloatArray) -> tuple[FloatArray, float]:
    """Return the upper Cholesky factor of a matrix whose diagonal is raised by as small a share as makes it one.

    >>> raised_factor(np.eye(2))[1], raised_factor(np.array([[1.0, 1.0], [1.0, 1.0]]))[1]
    (0.0, 1e-08)
    """
    diagonal = np.maximum(np.abs(np.diag(matrix)), 1e-8)
    for share in RAISES:
        raised = matrix.copy()
        raised.flat[:: len(diagonal) + 1] = np.diag(matrix) + share * diagonal
        factor, failed = scipy.linalg.lapack.dpotrf(raised)
        if not failed:
            return factor, share
    return np.diag(np.sqrt(diagonal)), np.inf


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


def large_test_uncertainty(
    responses: Responses, items: Items, grid: Grid, *, model: Model, prior: ItemPrior, bounds: Bounds
) -> ItemUncertainty:
    """Return each item's own covariance with abilities known, and what their mean and spread add to all items."""
    blocks = complete_data_information(responses, items, grid)
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
    shared = np.zeros((2, 3, len(items.slope)))
    if prior.flat:
        agents = float(responses.weight.sum())
        shared[0, 1] = items.slope / np.sqrt(agents)  # the mean: d moves by a per unit of it
        if model != "rasch":
            shared[1, 0] = items.slope / np.sqrt(2.0 * agents)  # the spread: a moves in proportion
    return ItemUncertainty(inverse, shared)


def difficulty_stderr(items: Items, covariance: FloatArray) -> FloatArray:
    """Return the delta-method standard error of b = -d / a; NaN where a is 0 or its error unknown."""
    flat = np.abs(items.slope) < FLAT
    slope = np.where(flat, 1.0, items.slope)
    by_a, by_d = items.intercept / slope**2, -1.0 / slope
    variance = by_a**2 * covariance[0, 0] + by_d**2 * covariance[1, 1] + 2 * by_a * by_d * covariance[0, 1]
    return np.where(flat, np.nan, np.sqrt(np.maximum(variance, 0.0)))
