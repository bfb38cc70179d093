"""Many refits of one table at once: Newton's method with the Hessian of the first fit for all of them.

Resampled counts move the optimum a little and the Hessian hardly, so steps with the first fit's factor converge
quickly, and all replicates share its triangular solves. A replicate that does not converge is left to the caller.
"""

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.ratings.paired_model import PairedModel
from equipoise.ratings.paired_newton import dense_hessian, pinned
from equipoise.ratings.tie_models import Cells, curvature
from equipoise.results import FloatArray

__all__ = ["paired_chord"]

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
