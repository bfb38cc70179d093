"""Refits of one dense table of pairs: games as a square of all agents, so that a step takes no exponential.

With u = e^r agent i is expected to score N_ij u_i / (u_i + u_j) against j: an addition and a division for each pair, on
a square that stays in the processor's cache. Steps are Newton's with the Hessian of the first fit, whose inverse all
refits share; the objective is concave, so that a point at which such a step vanishes is the optimum.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.data.pairs import PairTable
from equipoise.ratings.bradley_terry_model import PairedModel
from equipoise.ratings.bradley_terry_newton import dense_hessian, pinned
from equipoise.ratings.tie_models import Cells, curvature
from equipoise.results import FloatArray

__all__ = ["refits_of_squares"]

TOLERANCE = 1e-9
"""Largest last step, in log-odds, of a refit that has converged."""
MOST_STEPS = 40
MANY_TABLES = 32
"""So many resamples are as good as the data for a Hessian."""
FARTHEST = 20.0
"""A refit that runs so much farther out than the first fit has no optimum to run to, or not one it finds this way."""


def refits_of_squares(model: PairedModel, x: FloatArray, tables: Sequence[PairTable]) -> list[FloatArray | None]:
    """Give the ratings of other counts of the same pairs; None where these steps do not lead to them.

    Parameters
    ----------
    model, x
        The pairs of the first fit, with ties as half a win, and its optimum.
    tables
        With the rows of ``model``, and other counts.
    """
    inverse = _inverse(model, x, tables)
    cell = model.first.astype(np.int64) * model.agents + model.second
    return [_refit(model, x, inverse, cell, table) for table in tables]


def _inverse(model: PairedModel, x: FloatArray, tables: Sequence[PairTable]) -> FloatArray:
    """Invert the Hessian at the first optimum, with the mean counts of the tables: those of the data, or nearly."""
    some = tables[:MANY_TABLES]
    wins, losses, ties = (
        np.mean([getattr(table, name) for table in some], axis=0) for name in ("wins", "losses", "ties")
    )
    slope = curvature(model.differences(x), 0.0, Cells(wins, losses, ties), "half")
    regular, _ = pinned(model, dense_hessian(model, slope))
    factor = scipy.linalg.cho_factor(regular, check_finite=False)
    return np.asarray(scipy.linalg.cho_solve(factor, np.eye(model.size), check_finite=False))


def _refit(
    model: PairedModel, start: FloatArray, inverse: FloatArray, cell: npt.NDArray[np.int64], table: PairTable
) -> FloatArray | None:
    n = model.agents
    games, scored = (
        np.bincount(cell, c, n * n).reshape(n, n).astype(float, copy=False) for c in (table.games, table.score)
    )
    if not (model.precision or _joined(games)):
        return None
    won = np.empty(model.size)
    won[:n] = scored.sum(axis=1) - scored.sum(axis=0)
    if model.side:
        won[n] = scored.sum()
    else:
        # The two ways round of a pair are one: what the second side scored is the first one's loss.
        won[:n] += games.sum(axis=0)
        games = games + games.T
    x, farthest, expected = start.copy(), float(np.abs(start).max()) + FARTHEST, np.empty((n, n))
    for _ in range(MOST_STEPS):
        gradient = won - _expected(model, x, games, expected)
        gradient[:n] -= model.precision * x[:n]
        step = inverse @ gradient
        x += step
        if np.abs(step).max() <= TOLERANCE:
            return x[:n]
        if not np.abs(x).max() < farthest:
            return None
    return None


def _expected(model: PairedModel, x: FloatArray, games: FloatArray, room: FloatArray) -> FloatArray:
    """Give what agents (and the first side, where it has an advantage) are expected to score."""
    n, strength = model.agents, np.exp(x[: model.agents])
    ahead = strength * np.exp(x[n]) if model.side else strength
    np.add.outer(ahead, strength, out=room)
    np.divide(games, room, out=room)
    if not model.side:
        return np.asarray(strength * room.sum(axis=1))
    by_first = ahead * room.sum(axis=1)
    return np.append(by_first - ahead @ room, by_first.sum())


def _joined(games: FloatArray) -> bool:
    """Tell whether a chain of games joins all agents."""
    met = games > 0
    met |= met.T
    reached = met[0].copy()
    reached[0] = True
    count = 1
    while count < (now := int(np.count_nonzero(reached))):
        count = now
        reached |= met[reached].any(axis=0)
    return count == len(games)
