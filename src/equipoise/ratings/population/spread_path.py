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

from equipoise.core.results import Fit, FloatArray
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import Solution, bradley_terry_newton, dense_hessian
from equipoise.ratings.paired.ties import Cells, curvature, log_likelihood

__all__ = ["SpreadFit", "fits_along", "folded"]

STEPS, NEAR, LAST = 4, 0.5, 1e-5
"""Newton steps from the predicted point; the longest that is trusted, and one after which the next is below rounding:
steps shrink as their squares."""


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
        found = None if start is None else _near(at, cells, _predicted(at, start, before))
        if found is None:
            found = bradley_terry_newton(at, cells, None if start is None else start.solution.x)
        start, before = _fit(at, cells, found, float(spread)), float(spread)
        fits.append(start)
    return fits


def _fit(model: PairedModel, cells: Cells, found: Solution, spread: float) -> SpreadFit:
    slope = curvature(model.differences(found.x), model.tie(found.x), cells, model.ties)
    factor = np.asarray(np.linalg.cholesky(dense_hessian(model, slope)), dtype=np.float64)
    evidence = found.objective - model.agents * np.log(spread) - float(np.log(np.diag(factor)).sum())
    return SpreadFit(found, factor, evidence)


def _predicted(model: PairedModel, start: SpreadFit, before: float) -> FloatArray:
    """Go from the fit at one spread along its line to the spread of a model."""
    x, change = start.solution.x, -2.0 * np.log(model.precision**-0.5 / before)
    pull = np.zeros(model.size)
    pull[: model.agents] = before**-2 * x[: model.agents]
    return np.asarray(x - change * scipy.linalg.cho_solve((start.factor, True), pull, check_finite=False))


def _near(model: PairedModel, cells: Cells, x: FloatArray) -> Solution | None:
    """Find the mode near a point; None if it is not near."""
    for iteration in range(STEPS):
        slope = curvature(model.differences(x), model.tie(x), cells, model.ties)
        gradient = model.gather(slope.d, slope.t) - model.penalties * x
        try:
            factor = scipy.linalg.cho_factor(dense_hessian(model, slope), check_finite=False)
        except np.linalg.LinAlgError:
            return None
        step = scipy.linalg.cho_solve(factor, gradient, check_finite=False)
        size = float(np.abs(step).max())
        if not size < NEAR:
            return None
        x = x + step
        if size < LAST:
            value = log_likelihood(model.differences(x), model.tie(x), cells, model.ties)
            penalty = float(model.penalties @ x**2) / 2
            return Solution(x, value - penalty, Fit(True, iteration + 1, size**2))
    return None
