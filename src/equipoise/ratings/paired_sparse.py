"""Newton steps for pair tables of many agents: conjugate gradients on a Laplacian that is never dense."""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.errors import ConvergenceError
from equipoise.ratings.paired_model import PairedModel
from equipoise.ratings.tie_models import Curvature
from equipoise.results import FloatArray, IntArray

__all__ = ["SparseSteps"]


@dataclass(frozen=True, slots=True, eq=False)
class SparseSteps:
    """Who met whom, laid out by agent once; every step fills in its weights.

    ``columns[start[i]:start[i + 1]]`` are the opponents of agent i and ``cell`` says in which cells they met.
    """

    model: PairedModel
    start: IntArray
    columns: IntArray
    cell: IntArray

    @classmethod
    def of(cls, model: PairedModel) -> "SparseSteps":
        """Lay out the pairs of a model."""
        cells = len(model.first)
        rows = np.concatenate([model.first, model.second])
        # A column for each end of each cell: sorting by row then is what the sparse format does in linear time.
        by_row = scipy.sparse.coo_array(
            (np.ones(2 * cells, dtype=np.int8), (rows, np.arange(2 * cells))), shape=(model.agents, 2 * cells)
        ).tocsr()
        columns = np.concatenate([model.second, model.first])[by_row.indices]
        return cls(model, by_row.indptr, columns, by_row.indices % cells)

    def solve(self, slope: Curvature, gradient: FloatArray, accuracy: float) -> FloatArray:
        """Give a Newton step; the few extra parameters are eliminated by their Schur complement.

        Fails when
            conjugate gradients do not reach the relative ``accuracy``.
        """
        model, n = self.model, self.model.agents
        degree = np.bincount(model.first, slope.dd, n) + np.bincount(model.second, slope.dd, n) + model.precision
        off = scipy.sparse.csr_array((slope.dd[self.cell], self.columns, self.start), shape=(n, n))
        matrix = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda v: degree * v - off @ v, dtype=float)
        precondition = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda v: v / degree, dtype=float)

        def solved(b: FloatArray) -> FloatArray:
            right = b - _island_means(model, b) if not model.precision else b
            answer: FloatArray
            answer, info = scipy.sparse.linalg.cg(matrix, right, rtol=accuracy, maxiter=5000, M=precondition)
            if info:
                raise ConvergenceError("conjugate gradients did not converge on the sparse pair table")
            return answer if model.precision else answer - _island_means(model, answer)

        base = solved(gradient[:n])
        extra = model.size - n
        if not extra:
            return base
        borders = _borders(model, slope)
        spread = np.column_stack([solved(borders[:, k]) for k in range(extra)])
        corner = _corner(model, slope) - borders.T @ spread
        last = np.linalg.solve(corner, gradient[n:] - borders.T @ base)
        return np.concatenate([base - spread @ last, last])


def _borders(model: PairedModel, slope: Curvature) -> FloatArray:
    n = model.agents
    by_rating = [np.bincount(model.first, c, n) - np.bincount(model.second, c, n) for c in (slope.dd, slope.dt)]
    kept = [by_rating[0]] if model.side else []
    kept += [by_rating[1]] if model.ties != "half" else []
    return np.column_stack(kept)


def _corner(model: PairedModel, slope: Curvature) -> FloatArray:
    if model.side and model.ties != "half":
        cross = float(slope.dt.sum())
        return np.array([[slope.dd.sum(), cross], [cross, slope.tt]])
    return np.array([[slope.dd.sum() if model.side else slope.tt]])


def _island_means(model: PairedModel, values: FloatArray) -> FloatArray:
    sizes = np.bincount(model.islands)
    return np.asarray((np.bincount(model.islands, values) / sizes)[model.islands])
