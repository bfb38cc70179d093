"""Uncertainty of a paired-comparison fit, from counts.

information   inverse of minus the second derivatives H
sandwich      H^-1 J H^-1, J the sum of outer products of the scores of matches, or of groups of matches
posterior     (H + prior precision)^-1, where a prior is used
"""

import warnings
from typing import Literal

import numpy as np
import scipy

from equipoise.data.labels import Factor
from equipoise.flows.laplacian import laplacian_matrix
from equipoise.ratings.bradley_terry_model import PairedModel
from equipoise.ratings.bradley_terry_newton import DENSE, dense_hessian, pinned, too_far_apart
from equipoise.ratings.tie_models import Cells, curvature, outcome_scores
from equipoise.results import FloatArray

__all__ = ["ErrorKind", "approximate_variances", "covariance"]

ErrorKind = Literal["information", "sandwich", "posterior"]


def covariance(model: PairedModel, cells: Cells, x: FloatArray, kind: ErrorKind, group: Factor | None) -> FloatArray:
    """Covariance of all unknowns, dense; ratings sum to zero within islands."""
    if model.agents > DENSE:
        raise AssertionError("dense errors were asked for a table that is too large")  # callers choose by size
    bread = _bread(model, cells, x)
    if kind != "sandwich":
        return bread
    meat = _meat_of_groups(model, cells, x, group) if group is not None else _meat_of_matches(model, cells, x)
    meat[np.arange(model.agents), np.arange(model.agents)] += model.precision
    return bread @ meat @ bread


def _bread(model: PairedModel, cells: Cells, x: FloatArray) -> FloatArray:
    slope = curvature(model.differences(x), model.tie(x), cells, model.ties)
    regular, weight = pinned(model, dense_hessian(model, slope))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", scipy.linalg.LinAlgWarning)
            inverse: FloatArray = scipy.linalg.inv(regular, check_finite=False)
    except (np.linalg.LinAlgError, scipy.linalg.LinAlgWarning):
        raise too_far_apart(slope.dd) from None
    if weight:
        # The pinned direction (all ratings of an island together) has no variance: take its part out again.
        n = model.agents
        sizes = np.bincount(model.islands)[model.islands].astype(float)
        inverse[:n, :n] -= (model.islands[:, None] == model.islands[None, :]) / (weight * sizes[:, None] ** 2)
    return inverse


def _meat_of_matches(model: PairedModel, cells: Cells, x: FloatArray) -> FloatArray:
    (win_d, win_t), (loss_d, loss_t), (tie_d, tie_t) = outcome_scores(model.differences(x), model.tie(x), model.ties)
    w, l, b = cells.wins, cells.losses, cells.ties
    n = model.agents
    dd = w * win_d**2 + l * loss_d**2 + b * tie_d**2
    meat = np.zeros((model.size, model.size))
    np.add.at(meat, (model.first, model.second), -dd)
    meat[:n, :n] += meat[:n, :n].T
    meat[np.arange(n), np.arange(n)] = np.bincount(model.first, dd, n) + np.bincount(model.second, dd, n)
    if model.side:
        meat[n, :n] = meat[:n, n] = np.bincount(model.first, dd, n) - np.bincount(model.second, dd, n)
        meat[n, n] = dd.sum()
    if model.ties != "half":
        dt = w * win_d * win_t + l * loss_d * loss_t + b * tie_d * tie_t
        tt = float(w @ win_t**2 + l @ loss_t**2 + b @ tie_t**2)
        meat[-1, :] = meat[:, -1] = model.gather(dt, tt)
    games = float((w + l + b).sum())
    return meat * games / max(games - 1, 1.0)


def _meat_of_groups(model: PairedModel, cells: Cells, x: FloatArray, group: Factor) -> FloatArray:
    """Sum the scores of each group first: matches of one group stand or fall together."""
    scores = outcome_scores(model.differences(x), model.tie(x), model.ties)
    counts = (cells.wins, cells.losses, cells.ties)
    by_d = sum(count * score[0] for count, score in zip(counts, scores, strict=True))
    by_t = sum(count * score[1] for count, score in zip(counts, scores, strict=True))
    n, groups = model.agents, len(group.labels)
    rows, columns, values = [group.codes] * 2, [model.first, model.second], [by_d, -by_d]
    if model.side:
        rows, columns, values = [*rows, group.codes], [*columns, np.full_like(model.first, n)], [*values, by_d]
    if model.ties != "half":
        rows, columns, values = (
            [*rows, group.codes],
            [*columns, np.full_like(model.first, model.size - 1)],
            [*values, by_t],
        )
    table = scipy.sparse.coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(groups, model.size)
    ).tocsr()
    return np.asarray((table.T @ table).toarray()) * groups / max(groups - 1, 1)


def approximate_variances(model: PairedModel, cells: Cells, x: FloatArray, kind: ErrorKind) -> FloatArray:
    """Variances of the ratings for tables too large for a dense inverse: two terms of the Neumann series.

    (D - A)^-1 has the diagonal 1/d_i + sum_j a_ij^2 / (d_i^2 d_j) + ...; for the sandwich the first-order ratio
    of J to H at each agent scales it.
    """
    d = model.differences(x)
    slope = curvature(d, model.tie(x), cells, model.ties)
    matrix = laplacian_matrix(model.first, model.second, slope.dd, model.agents)
    off = matrix - scipy.sparse.diags_array(matrix.diagonal())
    degree = matrix.diagonal() + model.precision
    variance = 1 / degree + (off.multiply(off) @ (1 / degree)) / degree**2
    if kind == "sandwich":
        (win_d, _), (loss_d, _), (tie_d, _) = outcome_scores(d, model.tie(x), model.ties)
        dd = cells.wins * win_d**2 + cells.losses * loss_d**2 + cells.ties * tie_d**2
        spread = np.bincount(model.first, dd, model.agents) + np.bincount(model.second, dd, model.agents)
        variance = variance * spread / degree
    return np.asarray(variance)
