"""Newton's method for the Bradley-Terry family on counts: the Hessian is a weighted graph Laplacian.

Unknowns are the ratings r (n of them), then the first-position advantage g if asked for, then the coefficients of
covariates, then the tie parameter t if the model has one. A cell's strength difference is d = r_first - r_second + g,
and what covariates add. Up to ``DIRECT`` agents the Laplacian is factorised; above, each step is solved by conjugate
gradients and nothing of size n x n is ever made.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.errors import ConvergenceError, DataError, EquipoiseError
from equipoise.core.progress import STEPS, counted
from equipoise.core.results import Fit, FloatArray, IntArray
from equipoise.inference.threads import one_thread
from equipoise.ratings.damped_newton import NewtonPoint, damped_newton
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.ties import Curvature, PairCounts, curvature, log_likelihood, tie_start

if TYPE_CHECKING:
    from equipoise.ratings.paired.large import ManyAgents


DENSE = 3000
"""Most agents for which dense matrices are used (3000 x 3000 doubles are 72 MB)."""
DIRECT = 600
"""Up to this many agents a step is a Cholesky factorisation; above, conjugate gradients if they converge."""
COARSEST, FINEST = 1e-2, 1e-12
"""Relative accuracy of conjugate gradients: far from the optimum, and at most."""
DROWNED = 1e13
"""Information of pairs so many times apart cannot be added up in doubles."""
TOLERANCE, ROUGH = 1e-9, 1e-6
"""Largest last step in log-odds: of a fit that has converged, and of one that rounding stopped close enough."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The optimum: unknowns, their objective, and how the iteration ended; the table by agent if it was large."""

    x: FloatArray
    objective: float
    fit: Fit
    by_agent: "ManyAgents | None" = None


def bradley_terry_newton(
    model: PairedModel,
    cells: PairCounts,
    start: FloatArray | None = None,
    most: int = 100,
    *,
    tolerance: float = TOLERANCE,
    free: npt.NDArray[np.bool_] | None = None,
) -> Solution:
    """Maximise the log-likelihood minus the prior's penalty; ratings sum to zero within each component.

    Where only some unknowns are ``free``, the others stay where they start.

    Fails when
        no finite optimum exists (callers check that first) or the iteration does not end in ``most`` steps.
    """
    if model.agents > DENSE and model.size == model.agents and free is None:
        from equipoise.ratings.paired.large import ManyAgents, fit_of_many

        table = ManyAgents.of(model, cells)
        large = fit_of_many(table, start, TOLERANCE)
        if large is not None:
            return Solution(*large, table)
    sparse = SparseSteps.of(model) if model.agents > DIRECT and free is None else None
    steps, x = _Steps(model, cells, sparse, free), _start(model, cells) if start is None else start.copy()
    with one_thread(model.size):
        reached = damped_newton(PairedPoint.of(steps, x), counted(range(most), STEPS), tolerance)
    if not (reached.converged or reached.stalled):
        raise ConvergenceError(
            f"the Bradley-Terry fit did not converge in {most} steps (last step {reached.residual:.1e})"
        )
    # Where the objective cannot be told from its neighbours any more, rounding is the limit, not the method.
    fit = Fit(reached.converged or reached.residual <= ROUGH, reached.steps, reached.residual)
    return Solution(reached.point.x, reached.point.value, fit)


@dataclass(slots=True, eq=False)
class _Steps:
    """What all points of a fit share; ``first`` is the size of the first gradient, 0 before there is one."""

    model: PairedModel
    cells: PairCounts
    sparse: "SparseSteps | None" = None
    free: npt.NDArray[np.bool_] | None = None
    first: float = 0.0


@dataclass(frozen=True, eq=False)
class PairedPoint(NewtonPoint):
    """Unknowns, the differences of strength that they make, and their objective once somebody asks."""

    steps: _Steps
    x: FloatArray
    d: FloatArray

    @classmethod
    def of(cls, steps: _Steps, x: FloatArray) -> "PairedPoint":
        """Stand at some unknowns."""
        return cls(steps, x, steps.model.differences(x))

    def moved(self, step: FloatArray) -> "PairedPoint":
        """Stand where a step leads."""
        return self.of(self.steps, self.x + step)

    @cached_property
    def value(self) -> float:
        """The penalised log-likelihood."""
        model, cells = self.steps.model, self.steps.cells
        penalty = float(model.penalties @ self.x**2) / 2
        return log_likelihood(self.d, model.tie(self.x), cells, model.ties) - penalty

    def newton_step(self) -> tuple[FloatArray, float]:
        """Give the Newton step and the slope along it."""
        steps, model = self.steps, self.steps.model
        slope = curvature(self.d, model.tie(self.x), steps.cells, model.ties)
        gradient = model.gather(slope.d, slope.t)
        gradient -= model.penalties * self.x
        steps.first = steps.first or float(np.linalg.norm(gradient))
        step = _solve(steps, slope, gradient)
        return step, float(gradient @ step)


def _start(model: PairedModel, cells: PairCounts) -> FloatArray:
    x = np.zeros(model.size)
    if model.ties != "half":
        x[-1] = tie_start(cells, model.ties)
    return x


def _solve(steps: _Steps, slope: Curvature, gradient: FloatArray) -> FloatArray:
    """Give Newton's step: exact, or as accurate as the progress since the first gradient makes worth while."""
    model, first, free = steps.model, steps.first, steps.free
    if steps.sparse is not None:
        accuracy = max(FINEST, min(COARSEST, float(np.linalg.norm(gradient)) / first if first else FINEST))
        try:
            return steps.sparse.solve(slope, gradient, accuracy)
        except ConvergenceError:
            if model.agents > DENSE:
                raise
    hessian = dense_hessian(model, slope)
    regular = pinned(model, hessian)[0] if free is None else hessian[np.ix_(free, free)]
    try:
        factor = scipy.linalg.cho_factor(regular, check_finite=False)
    except np.linalg.LinAlgError:
        raise too_far_apart(slope.dd) from None
    if free is None:
        return np.asarray(scipy.linalg.cho_solve(factor, gradient, check_finite=False))
    step = np.zeros(model.size)
    step[free] = scipy.linalg.cho_solve(factor, gradient[free], check_finite=False)
    return step


def too_far_apart(information: FloatArray) -> EquipoiseError:
    """Say why a step cannot be computed: pairs that have next to no weight beside others drown in rounding."""
    known = information[information > 0]
    if len(known) and known.max() > DROWNED * known.min():
        return DataError(
            f"the weights of pairs are too far apart (they say from {known.min():.0e} to {known.max():.0e} about "
            "ratings): the least drowns in rounding; bring them closer together, or leave out the lightest pairs"
        )
    return ConvergenceError("the Bradley-Terry fit cannot go on: rounding hides what some agents' games say")


def dense_hessian(model: PairedModel, slope: Curvature) -> FloatArray:
    """Minus the second derivatives (plus the prior); without a prior the constant of each component is free."""
    h = model.products(slope.dd, slope.dt, slope.tt)
    diagonal = np.arange(model.size)
    h[diagonal, diagonal] += model.penalties
    return h


def pinned(model: PairedModel, h: FloatArray) -> tuple[FloatArray, float]:
    """Make a Hessian regular by holding the sum of each component at zero, as firmly as a typical agent is held.

    Give it with the weight w of the pin: inverse(h + w 11') = pseudo-inverse(h) + 11'/(w size^2) on a component.
    """
    if model.precision:
        return h, 0.0
    n = model.agents
    weight = float(np.trace(h[:n, :n])) / n**2
    regular = h.copy()
    regular[:n, :n] += weight * (model.components[:, None] == model.components[None, :])
    return regular, weight


@dataclass(frozen=True, slots=True, eq=False)
class SparseSteps:
    """Newton steps by conjugate gradients: who met whom, laid out by agent once; every step fills in its weights.

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
            right = b - model.component_means(b) if not model.precision else b
            answer: FloatArray
            answer, info = scipy.sparse.linalg.cg(matrix, right, rtol=accuracy, maxiter=5000, M=precondition)
            if info:
                raise ConvergenceError("conjugate gradients did not converge on the sparse pair table")
            return answer if model.precision else answer - model.component_means(answer)

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
    """Mixed derivatives by rating and by each of the other unknowns."""
    return np.column_stack([model.gather(column, 0.0)[: model.agents] for column in _by_extra(model, slope)])


def _corner(model: PairedModel, slope: Curvature) -> FloatArray:
    """Derivatives by the unknowns that are no ratings, twice."""
    n = model.agents
    corner = np.column_stack([model.gather(column, slope.tt)[n:] for column in _by_extra(model, slope)])
    if model.ties != "half":
        corner[-1, :-1] = corner[:-1, -1]
    return corner + np.diag(model.penalties[n:])


def _by_extra(model: PairedModel, slope: Curvature) -> list[FloatArray]:
    """Second derivatives of each cell by d and by each unknown that is no rating."""
    columns = [slope.dd] if model.side else []
    columns += [] if model.covariates is None else list(slope.dd * model.covariates.T)
    return columns + ([slope.dt] if model.ties != "half" else [])
