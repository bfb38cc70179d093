r"""Fits of one model under priors of growing spread, each started where the one before points to.

Under a normal prior of precision :math:`\lambda = \tau^{-2}` the mode :math:`x(\lambda)` moves as

.. math:: \frac{dx}{d \log \lambda} = -\lambda H^{-1} P x,

where H is the curvature there, whose factor every fit leaves behind, and P leaves out what has no such prior. From the
point that this line gives for the next spread, Newton's method needs two or three steps. The slow version, a fit from
nothing at each spread, is :func:`~equipoise.ratings.paired.newton.bradley_terry_newton`.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import Solution, bradley_terry_newton, dense_hessian
from equipoise.ratings.paired.ties import Cells, curvature

__all__ = ["SpreadFit", "fits_along", "folded"]

LAST = 1e-6
"""A step after which the next is below rounding: steps shrink as their squares."""


@dataclass(frozen=True, slots=True, eq=False)
class SpreadFit:
    """The posterior's mode at one spread, the factor of its curvature, and the log of how well it fits the games."""

    solution: Solution
    factor: FloatArray
    evidence: float


def folded(model: PairedModel, cells: Cells) -> tuple[PairedModel, Cells]:
    """Count both orders of a pair in one cell, where no side has an advantage and nothing else tells cells apart."""
    if model.side or model.covariates is not None:
        return model, cells
    n, turned = model.agents, model.first > model.second
    low, high = np.minimum(model.first, model.second), np.maximum(model.first, model.second)
    pairs, at = np.unique(low.astype(np.int64) * n + high, return_inverse=True)
    wins, losses = np.where(turned, cells.losses, cells.wins), np.where(turned, cells.wins, cells.losses)
    sums = [np.bincount(at, part, len(pairs)).astype(np.float64) for part in (wins, losses, cells.ties)]
    first, second = (part.astype(model.first.dtype) for part in np.divmod(pairs, n))
    return replace(model, first=first, second=second), Cells(*sums)


def fits_along(
    model: PairedModel, cells: Cells, spreads: FloatArray, start: SpreadFit | None = None, before: float = 0.0
) -> list[SpreadFit]:
    """Fit at each spread in turn, beginning at a fit at the spread ``before`` if there is one."""
    fits = []
    for spread in spreads:
        at = replace(model, precision=float(spread) ** -2)
        if start is None:
            fitted = bradley_terry_newton(at, cells)
        else:
            fitted = bradley_terry_newton(at, cells, _predicted(at, start, before), tolerance=LAST)
            # What the next step would be.
            fitted = replace(fitted, fit=replace(fitted.fit, residual=fitted.fit.residual**2))
        start, before = _fit(at, cells, fitted, float(spread)), float(spread)
        fits.append(start)
    return fits


def _fit(model: PairedModel, cells: Cells, fitted: Solution, spread: float) -> SpreadFit:
    slope = curvature(model.differences(fitted.x), model.tie(fitted.x), cells, model.ties)
    factor = np.asarray(np.linalg.cholesky(dense_hessian(model, slope)), dtype=np.float64)
    evidence = fitted.objective - model.agents * np.log(spread) - float(np.log(np.diag(factor)).sum())
    return SpreadFit(fitted, factor, evidence)


def _predicted(model: PairedModel, start: SpreadFit, before: float) -> FloatArray:
    """Go from the fit at one spread along its line to the spread of a model."""
    x, change = start.solution.x, -2.0 * np.log(model.precision**-0.5 / before)
    pull = np.zeros(model.size)
    pull[: model.agents] = before**-2 * x[: model.agents]
    return np.asarray(x - change * scipy.linalg.cho_solve((start.factor, True), pull, check_finite=False))
