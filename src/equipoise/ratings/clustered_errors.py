"""Errors from groups of matches that stand or fall together, also where groups are few or uneven.

The sum of a group's scores is one draw. With many groups alike, the outer products of these sums are the variance of
the gradient, and groups less one are its degrees of freedom. Where a few groups carry most of what is known about an
agent, both are too hopeful: the fit follows these groups, so that their sums look small, and they are few draws. There
each group's scores are those that a fit without the group would leave (the jackknife, to first order), and the degrees
of freedom are those of the number of equal groups that would tell as much.

References
----------
Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples.
MacKinnon, Nielsen and Webb (2023), Cluster-robust inference: a guide to empirical practice.
"""

import numpy as np
import scipy

from equipoise.data.labels import Factor
from equipoise.ratings.bradley_terry_model import PairedModel
from equipoise.ratings.bradley_terry_newton import dense_hessian
from equipoise.ratings.tie_models import Cells, curvature, outcome_scores
from equipoise.results import FloatArray

__all__ = ["clustered_covariance", "degrees_of_agents"]

EVEN_SHARE, MANY_GROUPS = 0.85, 20.0
"""Groups count as they are where the equal groups that tell as much about an agent are this share, or this many."""
FEWEST_DEGREES = 0.5
"""Where one group tells nearly all: an interval 200 times as wide as the error."""
MOST_WORK = 2e10
"""Multiplications that leaving out each group may take; above, groups count as they are."""
ALONE = 1e-6
"""How near to 1 the share of one group in a direction must be for nothing else to say anything about it."""


def degrees_of_agents(model: PairedModel, cells: Cells, x: FloatArray, group: Factor) -> FloatArray:
    """Give the degrees of freedom behind each rating's error: groups less one, or fewer where they are uneven.

    Equal groups that tell as much as groups with shares w of an agent's information are 1 / sum w^2 in number.
    """
    groups, n = len(group.labels), model.agents
    weight = curvature(model.differences(x), model.tie(x), cells, model.ties).dd
    rows, columns = np.tile(group.codes, 2), np.concatenate([model.first, model.second])
    known = scipy.sparse.coo_array((np.tile(weight, 2), (rows, columns)), shape=(groups, n)).tocsr()
    total, squares = np.asarray(known.sum(axis=0)).ravel(), np.asarray(known.multiply(known).sum(axis=0)).ravel()
    with np.errstate(invalid="ignore", divide="ignore"):
        equal = np.where(squares > 0, total**2 / squares, groups)
    even = equal >= min(EVEN_SHARE * groups, MANY_GROUPS)
    return np.maximum(np.where(even, groups, equal) - 1.0, FEWEST_DEGREES)


def clustered_covariance(
    model: PairedModel, cells: Cells, x: FloatArray, group: Factor, bread: FloatArray, *, uneven: bool
) -> FloatArray:
    """Give the sandwich of all unknowns from sums over groups; leave groups out one by one where they are uneven."""
    groups = len(group.labels)
    sums = _scores_of_groups(model, cells, x, group)
    if not uneven or groups * float(model.size) ** 3 > MOST_WORK:
        meat = np.asarray((sums.T @ sums).toarray()) * groups / max(groups - 1, 1)
        return bread @ _with_prior(model, meat) @ bread
    values, vectors = np.linalg.eigh(bread)
    root = vectors * np.sqrt(np.clip(values, 0, None)) @ vectors.T
    meat = np.zeros_like(bread)
    order = np.argsort(group.codes, kind="stable")
    for k, rows in enumerate(np.split(order, np.cumsum(np.bincount(group.codes, minlength=groups))[:-1])):
        if len(rows):
            meat += _without(model, cells, x, rows, root, root @ sums[[k]].toarray().ravel(), (groups - 1) / groups)
    return np.asarray(root @ (meat + root @ _with_prior(model, np.zeros_like(bread)) @ root) @ root)


def _without(
    model: PairedModel,
    cells: Cells,
    x: FloatArray,
    rows: "np.ndarray",
    root: FloatArray,
    score: FloatArray,
    scale: float,
) -> FloatArray:
    """Outer product of the scores that a fit without these cells would leave in them, in units of the errors.

    What only these cells say anything about has no such score: there it is the variance of independent games.
    """
    some = Cells(cells.wins[rows], cells.losses[rows], cells.ties[rows])
    part = PairedModel(model.agents, model.first[rows], model.second[rows], model.ties, model.side, model.islands)
    own = dense_hessian(part, curvature(part.differences(x), part.tie(x), some, part.ties))
    share, directions = np.linalg.eigh(root @ own @ root)
    alone = share > 1 - ALONE
    left = directions @ np.where(alone, 0.0, (directions.T @ score) / np.where(alone, 1.0, 1 - share))
    return np.asarray(scale * np.outer(left, left) + directions[:, alone] @ directions[:, alone].T)


def _with_prior(model: PairedModel, meat: FloatArray) -> FloatArray:
    meat[np.arange(model.agents), np.arange(model.agents)] += model.precision
    return meat


def _scores_of_groups(model: PairedModel, cells: Cells, x: FloatArray, group: Factor) -> "scipy.sparse.csr_array":
    """Sum the scores of each group: groups by unknowns."""
    scores = outcome_scores(model.differences(x), model.tie(x), model.ties)
    counts = (cells.wins, cells.losses, cells.ties)
    by_d = sum(count * score[0] for count, score in zip(counts, scores, strict=True))
    by_t = sum(count * score[1] for count, score in zip(counts, scores, strict=True))
    n = model.agents
    rows, columns, values = [group.codes] * 2, [model.first, model.second], [by_d, -by_d]
    if model.side:
        rows, columns, values = [*rows, group.codes], [*columns, np.full_like(model.first, n)], [*values, by_d]
    if model.ties != "half":
        last = np.full_like(model.first, model.size - 1)
        rows, columns, values = [*rows, group.codes], [*columns, last], [*values, by_t]
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return scipy.sparse.coo_array(entries, shape=(len(group.labels), model.size)).tocsr()
