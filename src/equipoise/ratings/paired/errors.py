"""Uncertainty of a paired-comparison fit, from counts.

information   inverse of minus the second derivatives H
sandwich      H^-1 J H^-1, J the sum of outer products of the scores of matches, or of groups of matches
posterior     (H + prior precision)^-1, where a prior is used

A Bradley-Terry fit in which some ratings are held: only the other unknowns move.

The gradient by the held ratings is what the games have against them. Newcomers have taken up their part of it, so that
its variance is that of s_held - H_held,free H_free^-1 s_free; published ratings that are off by their own errors add
theirs. Over that variance its square is the score test (Rao 1948) of whether the games contradict what is held.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.errors import ConvergenceError, EquipoiseError
from equipoise.core.results import FloatArray
from equipoise.flows.laplacian import laplacian_matrix
from equipoise.inference.threads import SMALL, one_thread
from equipoise.ratings.paired.clustered_errors import (
    MatchClusters,
    are_uneven,
    clustered_covariance,
    crossed_covariances,
    effective_clusters,
)
from equipoise.ratings.paired.few_games import shared_scale
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import DENSE, bradley_terry_newton, dense_hessian, pinned, too_far_apart
from equipoise.ratings.paired.ties import PairCounts, curvature, outcome_scores, summed_products

if TYPE_CHECKING:
    from equipoise.ratings.paired.large import ManyAgents


SPARSE = 0.08
"""Share of filled entries up to which a sparse product is quicker than a dense one."""
TILE = 256
"""Rows mirrored together."""
COLUMNS = 64
"""Columns of a sparse product in one block: what stays near the processor."""

ErrorKind = Literal["information", "sandwich", "posterior"]


def covariance(
    model: PairedModel,
    cells: PairCounts,
    x: FloatArray,
    kind: ErrorKind,
    clusters: MatchClusters | None,
) -> tuple[FloatArray, ...]:
    """Covariance of all unknowns, dense; of ratings, relative to the mean of their component.

    ``clusters`` are the same cells with groups apart. Where these are of several columns, further covariances follow,
    and the variance of a contrast is the largest that any of them gives.
    """
    if model.agents > DENSE:
        raise AssertionError("dense errors were asked for a table that is too large")  # callers choose by size
    with one_thread(model.size):
        return _covariance(model, cells, x, kind, clusters)


def _covariance(
    model: PairedModel,
    cells: PairCounts,
    x: FloatArray,
    kind: ErrorKind,
    clusters: MatchClusters | None,
) -> tuple[FloatArray, ...]:
    bread = inverse_information(model, cells, x)
    if kind != "sandwich":
        return (_centred(model, bread),)
    if clusters is not None:
        several = crossed_covariances(clusters, x, bread) if clusters.crossed else [_by_cluster(clusters, x, bread)]
        return _shared(clusters, x, _centred(model, bread), [_centred(model, one) for one in several])
    meat = meat_of_matches(model, cells, x)
    meat[np.arange(model.size), np.arange(model.size)] += model.penalties
    return (_centred(model, _sandwich(bread, meat)),)


def _by_cluster(clusters: MatchClusters, x: FloatArray, bread: FloatArray) -> FloatArray:
    return clustered_covariance(clusters, x, bread, uneven=are_uneven(clusters, x))


def _shared(
    clusters: MatchClusters, x: FloatArray, plain: FloatArray, robust: Sequence[FloatArray]
) -> tuple[FloatArray, ...]:
    """Share the design effects of agents; no rating is less sure than a prior alone would leave it."""
    model, scale = clusters.model, np.ones(len(x))
    agents = slice(0, model.agents)
    variance = np.max([np.diag(one)[agents] for one in robust], axis=0)
    known = effective_clusters(clusters, x)
    scale[agents] = shared_scale(
        variance, np.diag(plain)[agents], known, 1 / model.precision if model.precision else np.inf
    )
    return tuple(scale[:, None] * one * scale for one in robust)


def _centred(model: PairedModel, cov: FloatArray) -> FloatArray:
    """Take out how far all ratings of a component may move together: only a prior says where, and games never do."""
    if not model.precision:
        return cov  # the pin of each component has no variance
    n = model.agents
    centred = cov.copy()
    centred[:n] -= model.component_means(centred[:n])
    centred[:, :n] -= model.component_means(centred[:, :n].T).T
    return centred


def inverse_information(model: PairedModel, cells: PairCounts, x: FloatArray) -> FloatArray:
    """Invert minus the second derivatives, with the prior; ratings relative to the mean of their component."""
    slope = curvature(model.differences(x), model.tie(x), cells, model.ties)
    regular, weight = pinned(model, dense_hessian(model, slope))
    inverse = _positive_inverse(regular)
    if inverse is None:
        raise too_far_apart(slope.dd)
    if weight:
        # The pinned direction (all ratings of a component together) has no variance: take its part out again.
        n = model.agents
        sizes = np.bincount(model.components)[model.components].astype(float)
        inverse[:n, :n] -= (model.components[:, None] == model.components[None, :]) / (weight * sizes[:, None] ** 2)
    return inverse


def _positive_inverse(matrix: FloatArray) -> FloatArray | None:
    """Invert a positive definite matrix; None where rounding leaves nothing of its inverse."""
    lapack = scipy.linalg.lapack
    factor, failed = lapack.dpotrf(matrix.T, lower=1)
    if failed:
        return None
    condition, _ = lapack.dpocon(factor, np.abs(matrix).sum(axis=0).max(), uplo="L")
    if not condition >= np.finfo(float).eps:
        return None
    half, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    for start in range(0, len(half), TILE):
        rows = slice(start, start + TILE)
        half[rows, start + TILE :] = half[start + TILE :, rows].T
        corner = half[rows, rows]
        corner[:] = np.tril(corner) + np.tril(corner, -1).T
    return np.asarray(half.T)


def _sandwich(bread: FloatArray, meat: FloatArray) -> FloatArray:
    """Multiply bread, meat and bread, all symmetric: the half below the diagonal is enough."""
    left, out, step = _left(bread, meat), np.empty_like(bread), max(256, len(bread) // 8)
    for start in range(0, len(bread), step):
        rows, upto = slice(start, start + step), min(start + step, len(bread))
        out[rows, :upto] = left[rows] @ bread[:, :upto]
        out[:upto, rows] = out[rows, :upto].T
    return out


def _left(bread: FloatArray, meat: FloatArray) -> FloatArray:
    """Bread times meat; of many agents few met, and their meat is sparse."""
    if len(meat) <= SMALL or np.count_nonzero(meat) > SPARSE * meat.size:
        return np.asarray(bread @ meat)
    few, left = scipy.sparse.csr_array(meat), np.empty_like(bread)
    for start in range(0, len(bread), COLUMNS):
        some = slice(start, start + COLUMNS)
        left[some] = (few @ np.ascontiguousarray(bread[:, some])).T
    return left


def meat_of_matches(model: PairedModel, cells: PairCounts, x: FloatArray) -> FloatArray:
    """Sum the outer products of the scores of single matches."""
    (win_d, win_t), (loss_d, loss_t), (tie_d, tie_t) = outcome_scores(model.differences(x), model.tie(x), model.ties)
    by_d, by_t = (win_d, loss_d, tie_d), (win_t, loss_t, tie_t)
    dd = summed_products(cells, by_d, by_d)
    if model.ties == "half":
        meat = model.products(dd)
    else:
        dt, tt = summed_products(cells, by_d, by_t), summed_products(cells, by_t, by_t)
        meat = model.products(dd, dt, float(tt.sum()))
    games = float((cells.wins + cells.losses + cells.ties).sum())
    return meat * games / max(games - 1, 1.0)


def approximate_variances(
    model: PairedModel, cells: PairCounts, x: FloatArray, kind: ErrorKind, by_agent: "ManyAgents | None" = None
) -> FloatArray:
    """Variances of the ratings for tables too large for a dense inverse: two terms of the Neumann series.

    (D - A)^-1 has the diagonal 1/d_i + sum_j a_ij^2 / (d_i^2 d_j) + ...; for the sandwich the first-order ratio
    of J to H at each agent scales it. A table that was laid out by agent is used as it is.
    """
    if by_agent is not None:
        return by_agent.variances(x, cells if kind == "sandwich" else None)
    d = model.differences(x)
    slope = curvature(d, model.tie(x), cells, model.ties)
    matrix = laplacian_matrix(model.first, model.second, slope.dd, model.agents)
    off = matrix - scipy.sparse.diags_array(matrix.diagonal())
    degree = matrix.diagonal() + model.precision
    variance = 1 / degree + (off.multiply(off) @ (1 / degree)) / degree**2
    if kind == "sandwich":
        (win_d, _), (loss_d, _), (tie_d, _) = outcome_scores(d, model.tie(x), model.ties)
        dd = summed_products(cells, (win_d, loss_d, tie_d), (win_d, loss_d, tie_d))
        spread = np.bincount(model.first, dd, model.agents) + np.bincount(model.second, dd, model.agents)
        variance = variance * spread / degree
    return np.asarray(variance)


FAR = 20.0
"""Log-odds beyond the published ratings at which there is no finite rating."""
ROUNDING = 1e-9
"""Share of the largest variance below which a direction has none."""


@dataclass(frozen=True, slots=True)
class ScoreTest:
    """What games have against held ratings."""

    statistic: float
    degrees: int
    p_value: float


def placed_unknowns(
    model: PairedModel, cells: PairCounts, start: FloatArray, free: npt.NDArray[np.bool_]
) -> FloatArray:
    """Maximise the likelihood over the free unknowns, from ``start``.

    Fails when
        no finite optimum exists.
    """
    far = FAR + float(np.abs(start).max())
    try:
        solution = bradley_terry_newton(model, cells, start, free=free)
    except EquipoiseError:
        solution = None
    if solution is None or not solution.fit.converged or np.abs(solution.x[free]).max(initial=0.0) > far:
        raise ConvergenceError("no finite rating of the newcomers exists: some of them won or lost all their games")
    return solution.x


def score_test_of_held(
    hessian: FloatArray, meat: FloatArray, gradient: FloatArray, free: npt.NDArray[np.bool_], variance: FloatArray
) -> tuple[FloatArray, ScoreTest]:
    """Give the covariance of the free unknowns given the held ones, and what the games have against the latter.

    ``variance`` is that of the held ratings as they were published.
    """
    inner = hessian[np.ix_(free, free)]
    bread = np.linalg.inv(inner) if free.any() else inner
    covariance = bread @ meat[np.ix_(free, free)] @ bread
    across = hessian[np.ix_(~free, free)] @ bread
    taken = np.zeros((int((~free).sum()), len(free)))
    taken[:, ~free] = np.eye(len(taken))
    taken[:, free] = -across
    left = hessian[np.ix_(~free, ~free)] - across @ hessian[np.ix_(free, ~free)]
    spread = taken @ meat @ taken.T + left @ (variance[:, None] * left)
    values, vectors = np.linalg.eigh((spread + spread.T) / 2)
    there = values > ROUNDING * values.max(initial=0.0)
    along = vectors[:, there].T @ (taken @ gradient)
    statistic, degrees = float(np.sum(along**2 / values[there])), int(there.sum())
    return covariance, ScoreTest(statistic, degrees, float(scipy.stats.chi2.sf(statistic, degrees)) if degrees else 1.0)
