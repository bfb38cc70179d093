"""Refits with covariates to resampled matches, without errors and ranks: what a bootstrap needs.

Resampled matches move the optimum a little: a few steps from the first fit lead there, and second derivatives are
looked at again only where a step is not much shorter than the one before. A resample that does not converge so, or has
no finite ratings of its own, is fitted with all the checks of a first fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from equipoise.core.errors import EquipoiseError
from equipoise.core.results import FloatArray
from equipoise.data.types.matches import Matches
from equipoise.inference.threads import one_thread
from equipoise.ratings.covariates.covariates import Coefficients, fit_with_covariates, row_cells
from equipoise.ratings.paired.existence import connections
from equipoise.ratings.paired.ill_posed import refuse_bad_side, refuse_islands, usable_prior, usable_ties
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import bradley_terry_newton, dense_hessian, pinned
from equipoise.ratings.paired.ties import Cells, TieModel, curvature

__all__ = ["FittedCovariates", "refits_with_covariates"]

TOLERANCE = 1e-9
"""Largest last step, in log-odds, of a resample that has converged."""
MOST_STEPS = 40
SLOW = 0.05
"""Where a step is longer than this share of the one before, second derivatives are looked at again."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedCovariates:
    """A first fit, as far as refits depend on it."""

    x: FloatArray
    coefficients: Coefficients
    side: bool
    ties: TieModel
    prior: float | None
    covariate_prior: float | None
    islands: str


def refits_with_covariates(fitted: FittedCovariates, samples: Sequence[Matches]) -> list[FloatArray | EquipoiseError]:
    """Give the ratings of resampled matches, or the error that stands in their way."""
    answers: list[FloatArray | EquipoiseError] = []
    for sample in samples:
        try:
            answers.append(_refit(fitted, sample))
        except EquipoiseError as error:
            answers.append(error)
    return answers


def _refit(fitted: FittedCovariates, sample: Matches) -> FloatArray:
    if sample.covariates is None:
        raise AssertionError("a resample lost its covariates")  # they are drawn with their matches
    rows = replace(sample, covariates=sample.covariates.select(fitted.coefficients.names), group=None)
    table = rows.pairs() if fitted.side else rows.pairs().unordered()
    counts = Cells(table.wins, table.losses, table.ties, table.shared)
    met = connections(len(table.agents), table.first, table.second, counts)
    refuse_islands(table, met, fitted.prior, fitted.islands)
    decided = counts.wins.any() or counts.losses.any()
    ties, _ = usable_ties(fitted.ties, counts) if decided else ("half", ())
    if fitted.side:
        refuse_bad_side(table, counts, ties, fitted.prior)
    sd, _ = usable_prior(table, counts, met, ties=ties, side=fitted.side, prior=fitted.prior)
    compared = met.islands if fitted.islands == "separate" else np.zeros(len(table.agents), dtype=np.int64)
    precision = 0.0 if sd is None else 1 / sd**2
    plain = PairedModel(len(table.agents), table.first, table.second, ties, fitted.side, compared, precision)
    if sd == fitted.prior and ties == fitted.ties == "half" and fitted.islands != "separate":
        quick = _quick(fitted, rows, plain)
        if quick is not None:
            return quick
    start = bradley_terry_newton(plain, counts).x
    return fit_with_covariates(rows, plain, start, fitted.covariate_prior).solution.x[: plain.agents]


def _quick(fitted: FittedCovariates, rows: Matches, plain: PairedModel) -> FloatArray | None:
    """Step from the first fit to the optimum; None where that leads nowhere."""
    columns, held = rows.covariates, fitted.covariate_prior
    assert columns is not None
    # The unit of a coefficient matters only to its prior.
    scale = fitted.coefficients.scale if held is None else columns.scales(rows.weights)
    model = replace(
        plain, first=rows.a, second=rows.b, covariates=columns.values / scale,
        coefficient_precision=0.0 if held is None else 1 / held**2,
    )  # fmt: skip
    cells, x, here = row_cells(rows), fitted.x.copy(), model.coefficients
    x[here] *= scale / fitted.coefficients.scale
    penalties, far = model.penalties, float(np.abs(x).max()) + 20
    factor, last = None, np.inf
    with one_thread(model.size):
        for _ in range(MOST_STEPS):
            slope = curvature(model.differences(x), 0.0, cells, "half")
            if factor is None:
                try:
                    factor = scipy.linalg.cho_factor(pinned(model, dense_hessian(model, slope))[0], check_finite=False)
                except np.linalg.LinAlgError:
                    return None
            step = scipy.linalg.cho_solve(factor, model.gather(slope.d, 0.0) - penalties * x, check_finite=False)
            x += step
            moved = float(np.abs(step).max())
            if moved <= TOLERANCE:
                return x[: model.agents]
            if not np.abs(x).max() < far:
                return None
            factor, last = (None if moved > SLOW * last or last == np.inf else factor), moved
    return None
