"""Refits to resampled counts or matches, without errors and ranks: what a bootstrap needs.

Resampled counts move the optimum a little and the Hessian hardly, so steps with the first fit's factor converge
quickly, and all replicates share its triangular solves; where most pairs met, a square of all agents does without
exponentials (:mod:`equipoise.ratings.paired.dense_refits`). With covariates, Newton's method begins at the first fit.
A replicate that does not converge so, or has no finite ratings of its own, is fitted by itself with all the checks of a
first fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.errors import EquipoiseError
from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import Codes
from equipoise.data.types.graph import connected_components
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.inference.threads import one_thread
from equipoise.ratings.covariates.covariates import Coefficients, fit_with_covariates, row_cells
from equipoise.ratings.paired.dense_refits import refits_of_squares
from equipoise.ratings.paired.existence import connections
from equipoise.ratings.paired.ill_posed import refuse_bad_side, refuse_components, usable_prior, usable_ties
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import DENSE, bradley_terry_newton, dense_hessian, pinned
from equipoise.ratings.paired.ties import PairCounts, TieModel, curvature

TOLERANCE = 1e-9
"""Largest last step, in log-odds, of a replicate that has converged."""
MOST_STEPS = 40
FARTHEST = 20.0
"""A refit that runs so much farther out than the first fit has no optimum to run to, or not one it finds this way."""
MOST_EMPTY = 8
"""A square of all pairs is used where not more than this many of its places stand for one pair that met."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedModel:
    """A first fit, as far as refits depend on it: ratings, advantage, ties, prior, how components were treated."""

    rating: FloatArray
    side: float | None
    ties: TieModel
    prior: float | None
    components: str

    @property
    def precision(self) -> float:
        """Of the prior."""
        return 0.0 if self.prior is None else 1 / self.prior**2


def refitted_ratings(fitted: FittedModel, tables: Sequence[PairTable]) -> list[FloatArray | EquipoiseError]:
    """Give the ratings of other counts of the same pairs, or the error that stands in their way."""
    quick = _quick_refits(fitted, tables)
    return [_refit(fitted, table) if rating is None else rating for table, rating in zip(tables, quick, strict=True)]


def _quick_refits(fitted: FittedModel, tables: Sequence[PairTable]) -> list[FloatArray | None]:
    """Refit those that a first fit's Hessian leads to their optimum; None for the others."""
    n, table = len(fitted.rating), tables[0]
    if fitted.ties != "half" or n > DENSE or fitted.components == "each":
        return [None] * len(tables)
    x = np.concatenate([fitted.rating, [] if fitted.side is None else [fitted.side]])
    sided, one_component = fitted.side is not None, np.zeros(n, dtype=np.int64)
    with one_thread(n):
        first, second, score, games = stacked(tables, sided=sided)
        model = PairedModel(n, first, second, "half", sided, one_component, fitted.precision)
        if MOST_EMPTY * len(table.first) >= n**2:
            return refits_of_squares(model, x, score, games)
        mean = PairCounts(score.mean(axis=0), (games - score).mean(axis=0), np.zeros(score.shape[1]))
        rows, converged = refit_together(model, mean, x, score, games)
    joined = [model.precision > 0 or _connected(n, first[met], second[met]) for met in games > 0]
    return [row[:n] if good and one else None for row, good, one in zip(rows, converged, joined, strict=True)]


def _connected(agents: int, first: Codes, second: Codes) -> bool:
    return not connected_components(agents, first, second).any()


def _refit(fitted: FittedModel, table: PairTable) -> FloatArray | EquipoiseError:
    """Refit one, with all the checks of a first fit."""
    cells = PairCounts(table.wins, table.losses, table.ties)
    try:
        model, _ = _checked(fitted, table, cells)
        return bradley_terry_newton(model, cells).x[: model.agents]
    except EquipoiseError as error:
        return error


def _checked(fitted: "FittedModel | FittedCovariates", table: PairTable, cells: PairCounts) -> tuple[PairedModel, bool]:
    """Give the model of a resample, checked as for a first fit, and whether it is that of the first fit.

    Fails when
        the resample has no finite ratings under the options of the first fit.
    """
    met = connections(len(table.agents), table.first, table.second, cells)
    refuse_components(table, met, fitted.prior, fitted.components)
    sided = fitted.side is not None
    # Where every game of a resample is a tie all agents are equal, whatever the tie parameter would be.
    decided = cells.wins.any() or cells.losses.any()
    ties, _ = usable_ties(fitted.ties, cells) if decided else ("half", ())
    if sided:
        refuse_bad_side(table, cells, ties, fitted.prior)
    sd, _ = usable_prior(table, cells, met, ties=ties, side=sided, prior=fitted.prior)
    precision = 0.0 if sd is None else 1 / sd**2
    model = PairedModel(len(table.agents), table.first, table.second, ties, sided, met.components, precision)
    return model, sd == fitted.prior and ties == fitted.ties


def refit_together(
    model: PairedModel, first: PairCounts, x: FloatArray, score: FloatArray, games: FloatArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Refit half-win ratings to many counts.

    Parameters
    ----------
    model, first, x
        The model, its counts and its optimum; ``model.ties`` is "half".
    score, games
        Replicates x cells: wins of the first side (a tie is half), and games.

    Returns
    -------
    tuple
        Replicates x unknowns, and which replicates converged. The objective is concave, so that a point where the
        gradient vanishes is the optimum.
    """
    slope = curvature(model.differences(x), 0.0, first, "half")
    factor = scipy.linalg.cho_factor(pinned(model, dense_hessian(model, slope))[0], check_finite=False)
    incidence = model.incidence()
    rows = np.tile(x, (len(score), 1))
    converged = np.zeros(len(score), dtype=bool)
    active = np.arange(len(score))
    for _ in range(MOST_STEPS):
        d = (incidence @ rows[active].T).T
        gradient = (score[active] - games[active] * scipy.special.expit(d)) @ incidence
        gradient[:, : model.agents] -= model.precision * rows[active, : model.agents]
        step = scipy.linalg.cho_solve(factor, gradient.T, check_finite=False).T
        rows[active] += step
        done = np.abs(step).max(axis=1) <= TOLERANCE
        converged[active[done]] = True
        active = active[~done]
        if len(active) == 0:
            break
        # A step that runs away has no optimum to run to, or not one that this Hessian finds.
        active = active[np.abs(rows[active]).max(axis=1) < np.abs(x).max() + FARTHEST]
    return rows, converged


def stacked(tables: Sequence[PairTable], *, sided: bool) -> tuple[Codes, Codes, FloatArray, FloatArray]:
    """Give the cells of tables of the same pairs, and scores and games as replicates x cells.

    Without sides, the two ways round of a pair are one cell.
    """
    table = tables[0]
    wins, losses, ties = (np.array([getattr(sample, name) for sample in tables]) for name in ("wins", "losses", "ties"))
    score, games = wins + ties / 2, wins + losses + ties
    if sided:
        return table.first, table.second, score, games
    swap = table.first > table.second
    score[:, swap] = games[:, swap] - score[:, swap]
    low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
    key, cell = np.unique(low.astype(np.int64) * len(table.agents) + high, return_inverse=True)
    if len(key) == len(cell):
        return low, high, score, games
    merge = scipy.sparse.csr_array((np.ones(len(cell)), (cell, np.arange(len(cell)))), shape=(len(key), len(cell)))
    first, second = (part.astype(np.int32) for part in np.divmod(key, len(table.agents)))
    return first, second, np.ascontiguousarray((merge @ score.T).T), np.ascontiguousarray((merge @ games.T).T)


@dataclass(frozen=True, slots=True, eq=False)
class FittedCovariates:
    """A first fit with covariates, as far as refits depend on it: all unknowns, and what they are of."""

    x: FloatArray
    coefficients: Coefficients
    side: float | None
    ties: TieModel
    prior: float | None
    covariate_prior: float | None
    components: str


def refits_with_covariates(fitted: FittedCovariates, samples: Sequence[Matches]) -> list[FloatArray | EquipoiseError]:
    """Give the ratings of resampled matches, or the error that stands in their way."""
    answers: list[FloatArray | EquipoiseError] = []
    for sample in samples:
        try:
            answers.append(_refit_matches(fitted, sample))
        except EquipoiseError as error:
            answers.append(error)
    return answers


def _refit_matches(fitted: FittedCovariates, sample: Matches) -> FloatArray:
    if sample.covariates is None:
        raise AssertionError("a resample lost its covariates")  # they are drawn with their matches
    rows = replace(sample, covariates=sample.covariates.select(fitted.coefficients.names), group=None)
    table = rows.pairs() if fitted.side is not None else rows.pairs().unordered()
    counts = PairCounts(table.wins, table.losses, table.ties, table.shared)
    plain, same = _checked(fitted, table, counts)
    if fitted.components != "each":
        plain = replace(plain, components=np.zeros_like(plain.components))
        near = _near_first_fit(fitted, rows, plain) if same else None
        if near is not None:
            return near
    start = bradley_terry_newton(plain, counts).x
    return fit_with_covariates(rows, plain, start, fitted.covariate_prior).solution.x[: plain.agents]


def _near_first_fit(fitted: FittedCovariates, rows: Matches, plain: PairedModel) -> FloatArray | None:
    """Go from the first fit to the optimum; None where that leads nowhere."""
    columns, prior = rows.covariates, fitted.covariate_prior
    assert columns is not None
    # The unit of a coefficient matters only to its prior.
    scale = fitted.coefficients.scale if prior is None else columns.scales(rows.weights)
    model = replace(
        plain, first=rows.a, second=rows.b, covariates=columns.values / scale,
        coefficient_precision=0.0 if prior is None else 1 / prior**2,
    )  # fmt: skip
    start = fitted.x.copy()
    start[model.coefficients] *= scale / fitted.coefficients.scale
    try:
        solution = bradley_terry_newton(model, row_cells(rows), start, MOST_STEPS)
    except EquipoiseError:
        return None
    near = float(np.abs(solution.x).max()) < float(np.abs(start).max()) + FARTHEST
    return solution.x[: model.agents] if solution.fit.converged and near else None
