"""Many refits of one table at once: Newton's method with the Hessian of the first fit for all of them.

Resampled counts move the optimum a little and the Hessian hardly, so steps with the first fit's factor converge
quickly, and all replicates share its triangular solves. A replicate that does not converge is left to the caller.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.data.labels import Codes
from equipoise.data.pairs import PairTable
from equipoise.ratings.paired_model import PairedModel
from equipoise.ratings.paired_newton import dense_hessian, pinned
from equipoise.ratings.tie_models import Cells, curvature
from equipoise.results import FloatArray

__all__ = ["paired_chord", "stacked"]

TOLERANCE = 1e-9
MOST_STEPS = 40


def paired_chord(
    model: PairedModel, first: Cells, x: FloatArray, score: FloatArray, games: FloatArray
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
    incidence = _incidence(model)
    found = np.tile(x, (len(score), 1))
    converged = np.zeros(len(score), dtype=bool)
    active = np.arange(len(score))
    for _ in range(MOST_STEPS):
        d = (incidence @ found[active].T).T
        gradient = (score[active] - games[active] * scipy.special.expit(d)) @ incidence
        gradient[:, : model.agents] -= model.precision * found[active, : model.agents]
        step = scipy.linalg.cho_solve(factor, gradient.T, check_finite=False).T
        found[active] += step
        done = np.abs(step).max(axis=1) <= TOLERANCE
        converged[active[done]] = True
        active = active[~done]
        if len(active) == 0:
            break
        # A step that runs away has no optimum to run to, or not one that this Hessian finds.
        active = active[np.abs(found[active]).max(axis=1) < np.abs(x).max() + 20]
    return found, converged


def stacked(tables: Sequence[PairTable], *, sided: bool) -> tuple[Codes, Codes, FloatArray, FloatArray]:
    """Give the cells of tables of the same pairs, and scores and games as replicates x cells.

    Without sides, the two ways round of a pair are one cell.
    """
    table = tables[0]
    score, games = (np.array([getattr(sample, name) for sample in tables]) for name in ("score", "games"))
    if sided:
        return table.first, table.second, score, games
    swap = table.first > table.second
    score[:, swap] = games[:, swap] - score[:, swap]
    low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
    key, cell = np.unique(low.astype(np.int64) * len(table.agents) + high, return_inverse=True)
    merge = scipy.sparse.csr_array((np.ones(len(cell)), (cell, np.arange(len(cell)))), shape=(len(key), len(cell)))
    first, second = (part.astype(np.int32) for part in np.divmod(key, len(table.agents)))
    return first, second, np.ascontiguousarray((merge @ score.T).T), np.ascontiguousarray((merge @ games.T).T)


def _incidence(model: PairedModel) -> "scipy.sparse.csr_array":
    """Cells x unknowns: +1 for the first agent, -1 for the second, +1 for the side."""
    count = len(model.first)
    rows, columns = [np.arange(count)] * 2, [model.first, model.second]
    values = [np.ones(count), -np.ones(count)]
    if model.side:
        rows, columns = [*rows, np.arange(count)], [*columns, np.full_like(model.first, model.agents)]
        values = [*values, np.ones(count)]
    shape = (count, model.size)
    return scipy.sparse.coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape
    ).tocsr()
