"""Newton's method for paired comparisons on counts: the Hessian is a weighted graph Laplacian.

Unknowns are the ratings r (n of them), then the side advantage g if asked for, then the tie parameter t if the
model has one. A cell's strength difference is d = r_first - r_second + g. Up to ``DIRECT`` agents the Laplacian
is factorised; above, each step is solved by conjugate gradients and nothing of size n x n is ever made.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.data.labels import Codes
from equipoise.errors import ConvergenceError
from equipoise.ratings.tie_models import Cells, Curvature, TieModel, curvature, log_likelihood, tie_start
from equipoise.results import Fit, FloatArray, IntArray

__all__ = ["DENSE", "PairedModel", "Solution", "dense_hessian", "laplacian", "paired_newton", "pinned"]

DENSE = 3000
"""Most agents for which dense matrices are used (3000 x 3000 doubles are 72 MB)."""
DIRECT = 600
"""Up to this many agents a step is a Cholesky factorisation; above, conjugate gradients if they converge."""
TOLERANCE, ROUGH = 1e-9, 1e-6
"""Largest last step in log-odds: of a fit that has converged, and of one that rounding stopped close enough."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedModel:
    """What is fitted: who met whom, how ties are treated, which parameters there are.

    ``islands`` labels groups of agents that never met; ratings sum to zero within each. ``precision`` is that of
    an independent normal prior on each rating (0 for none).
    """

    agents: int
    first: Codes
    second: Codes
    ties: TieModel
    side: bool
    islands: IntArray
    precision: float = 0.0

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self.agents + self.side + (self.ties != "half")

    def differences(self, x: FloatArray) -> FloatArray:
        """Strength difference of each cell."""
        d = x[self.first] - x[self.second]
        return d + x[self.agents] if self.side else d

    def tie(self, x: FloatArray) -> float:
        """The tie parameter (0 where the model has none)."""
        return float(x[-1]) if self.ties != "half" else 0.0

    def gather(self, by_d: FloatArray, by_t: float) -> FloatArray:
        """Bring derivatives by cell to derivatives by unknown."""
        n = self.agents
        parts = [np.bincount(self.first, by_d, n) - np.bincount(self.second, by_d, n)]
        parts += [np.array([by_d.sum()])] if self.side else []
        parts += [np.array([by_t])] if self.ties != "half" else []
        return np.concatenate(parts)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The optimum: unknowns, their objective, and how the iteration ended."""

    x: FloatArray
    objective: float
    fit: Fit


def paired_newton(model: PairedModel, cells: Cells, start: FloatArray | None = None, most: int = 100) -> Solution:
    """Maximise the log-likelihood minus the prior's penalty; ratings sum to zero within each island.

    Fails when
        no finite optimum exists (callers check that first) or the iteration does not end in ``most`` steps.
    """
    x = _start(model, cells) if start is None else start.copy()
    value = _objective(model, cells, x)
    for iteration in range(most):
        slope = curvature(model.differences(x), model.tie(x), cells, model.ties)
        gradient = model.gather(slope.d, slope.t)
        gradient[: model.agents] -= model.precision * x[: model.agents]
        step = _solve(model, slope, gradient)
        residual = float(np.abs(step).max())
        if residual <= TOLERANCE * (1 + float(np.abs(x).max())):
            return Solution(x + step, _objective(model, cells, x + step), Fit(True, iteration, residual))
        x, value, scale = _line_search(model, cells, x, step, value, float(gradient @ step))
        if scale == 0.0:
            # The objective cannot be told from its neighbours any more: rounding is the limit, not the method.
            return Solution(x, value, Fit(residual <= ROUGH, iteration, residual))
    raise ConvergenceError(f"the Bradley-Terry fit did not converge in {most} steps (last step {residual:.1e})")


def _start(model: PairedModel, cells: Cells) -> FloatArray:
    x = np.zeros(model.size)
    if model.ties != "half":
        x[-1] = tie_start(cells, model.ties)
    return x


def _objective(model: PairedModel, cells: Cells, x: FloatArray) -> float:
    penalty = model.precision / 2 * float(x[: model.agents] @ x[: model.agents])
    return log_likelihood(model.differences(x), model.tie(x), cells, model.ties) - penalty


def _line_search(
    model: PairedModel, cells: Cells, x: FloatArray, step: FloatArray, value: float, slope: float
) -> tuple[FloatArray, float, float]:
    scale = 1.0
    while scale > 1e-10:
        trial = x + scale * step
        new = _objective(model, cells, trial)
        if new >= value + 1e-4 * scale * slope or (
            scale == 1.0 and new >= value - 1e-12 * abs(value) and slope < 1e-9 * abs(value)
        ):
            return trial, new, scale
        scale /= 2
    return x, value, 0.0


def _solve(model: PairedModel, slope: Curvature, gradient: FloatArray) -> FloatArray:
    if model.agents > DIRECT:
        try:
            return _solve_sparse(model, slope, gradient)
        except ConvergenceError:
            if model.agents > DENSE:
                raise
    return _solve_dense(model, slope, gradient)


def _solve_dense(model: PairedModel, slope: Curvature, gradient: FloatArray) -> FloatArray:
    regular, _ = pinned(model, dense_hessian(model, slope))
    factor = scipy.linalg.cho_factor(regular, check_finite=False)
    return np.asarray(scipy.linalg.cho_solve(factor, gradient, check_finite=False))


def dense_hessian(model: PairedModel, slope: Curvature) -> FloatArray:
    """Minus the second derivatives (plus the prior); without a prior the constant of each island is free."""
    n = model.agents
    h = np.zeros((model.size, model.size))
    np.add.at(h, (model.first, model.second), -slope.dd)
    h[:n, :n] += h[:n, :n].T
    h[np.arange(n), np.arange(n)] = np.bincount(model.first, slope.dd, n) + np.bincount(model.second, slope.dd, n)
    if model.side:
        h[n, :n] = h[:n, n] = np.bincount(model.first, slope.dd, n) - np.bincount(model.second, slope.dd, n)
        h[n, n] = slope.dd.sum()
    if model.ties != "half":
        h[-1, :] = h[:, -1] = model.gather(slope.dt, slope.tt)
    h[np.arange(n), np.arange(n)] += model.precision
    return h


def pinned(model: PairedModel, h: FloatArray) -> tuple[FloatArray, float]:
    """Make a Hessian regular by holding the sum of each island at zero, as firmly as a typical agent is held.

    Give it with the weight w of the pin: inverse(h + w 11') = pseudo-inverse(h) + 11'/(w size^2) on an island.
    """
    if model.precision:
        return h, 0.0
    n = model.agents
    weight = float(np.trace(h[:n, :n])) / n**2
    regular = h.copy()
    regular[:n, :n] += weight * (model.islands[:, None] == model.islands[None, :])
    return regular, weight


def laplacian(model: PairedModel, weights: FloatArray) -> "scipy.sparse.csr_array":
    """Sparse weighted Laplacian of who met whom, plus the prior."""
    n = model.agents
    degree = np.bincount(model.first, weights, n) + np.bincount(model.second, weights, n) + model.precision
    rows = np.concatenate([model.first, model.second, np.arange(n, dtype=np.int32)])
    columns = np.concatenate([model.second, model.first, np.arange(n, dtype=np.int32)])
    return scipy.sparse.coo_array((np.concatenate([-weights, -weights, degree]), (rows, columns)), shape=(n, n)).tocsr()


def _solve_sparse(model: PairedModel, slope: Curvature, gradient: FloatArray) -> FloatArray:
    """Eliminate the few extra parameters by their Schur complement; conjugate gradients for the ratings."""
    n = model.agents
    matrix = laplacian(model, slope.dd)
    inverse_degree = 1 / matrix.diagonal()

    def solved(b: FloatArray) -> FloatArray:
        right = b - _island_means(model, b) if not model.precision else b
        precondition = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda v: inverse_degree * v)
        answer: FloatArray
        answer, info = scipy.sparse.linalg.cg(matrix, right, rtol=1e-12, maxiter=5000, M=precondition)
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
