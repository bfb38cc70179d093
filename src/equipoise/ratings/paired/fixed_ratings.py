"""A Bradley-Terry fit in which some ratings are held: only the other unknowns move.

The gradient by the held ratings is what the games have against them. Newcomers have taken up their part of it, so that
its variance is that of s_held - H_held,free H_free^-1 s_free; published ratings that are off by their own errors add
theirs. Over that variance its square is the score test (Rao 1948) of whether the games contradict what is held.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.errors import ConvergenceError, EquipoiseError
from equipoise.core.results import FloatArray
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import bradley_terry_newton
from equipoise.ratings.paired.ties import PairCounts

__all__ = ["ScoreTest", "held_back", "placed_unknowns"]

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


def held_back(
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
