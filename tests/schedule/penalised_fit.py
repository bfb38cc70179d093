"""Ratings and their covariance by the package's own Bradley-Terry fit: what policies are compared with."""

from dataclasses import dataclass

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import bradley_terry_newton, dense_hessian
from equipoise.ratings.paired.ties import PairCounts, curvature
from equipoise.schedule.policies import Belief


@dataclass(frozen=True, slots=True, eq=False)
class PairView:
    """Wins of the row over the column, and ties, as dense matrices."""

    wins: FloatArray
    ties: FloatArray


def belief(view: PairView, prior: float) -> Belief:
    """Ratings and covariance given the games so far (Laplace's approximation)."""
    n = view.wins.shape[0]
    i, j = np.nonzero(np.triu(view.wins + view.wins.T + view.ties, 1))
    precision = 1.0 / prior**2
    if i.size == 0:
        return Belief(np.zeros(n), np.eye(n) / precision)
    cells = PairCounts(view.wins[i, j], view.wins[j, i], view.ties[i, j])
    components = np.zeros(n, dtype=np.int64)
    model = PairedModel(n, i.astype(np.int32), j.astype(np.int32), "half", False, components, precision)
    x = bradley_terry_newton(model, cells).x
    hessian = dense_hessian(model, curvature(model.differences(x), 0.0, cells, "half"))
    return Belief(x, np.asarray(np.linalg.inv(hessian), dtype=np.float64))
