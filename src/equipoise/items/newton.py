"""The last stretch to the optimum: exact Newton steps on the marginal log-likelihood."""

from typing import NamedTuple

import numpy as np
import scipy

from equipoise.items.covariance import FreeParameters, with_prior
from equipoise.items.em import Problem
from equipoise.items.information import Information, observed_information
from equipoise.items.item_step import project
from equipoise.items.models import Items
from equipoise.items.quadrature import Grid, marginal_log_likelihood
from equipoise.results import FloatArray


class Polished(NamedTuple):
    """Items, the last Newton decrement, and value and information at those items (prior included)."""

    items: Items
    decrement: float
    information: Information


def newton_polish(problem: Problem, items: Items, grid: Grid, *, steps: int = 12) -> Polished:
    """Climb the last stretch with exact Newton steps.

    The decrement g' I^-1 g is about twice what the log-likelihood could still gain.
    """
    decrement = np.inf
    here = informed(problem, items, grid)
    for _ in range(steps):
        free = FreeParameters.of(items, problem.model, problem.bounds, problem.free_slope)
        gradient = free.total(here.gradient)
        move = _ascent(free.restrict(here.matrix), gradient)
        decrement = float(gradient @ move)
        if decrement < 1e-12:
            break
        better = _step(problem, items, free.spread(move).reshape(3, -1), here.value, grid)
        if better is None:
            break
        items, here = better
    return Polished(items, decrement, here)


def informed(problem: Problem, items: Items, grid: Grid) -> Information:
    """Return objective, gradient and information with the prior in them."""
    return with_prior(observed_information(problem.responses, items, grid), items, problem.prior, problem.model)


def _ascent(matrix: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return the Newton step, damped until its matrix is positive definite."""
    diagonal = np.maximum(np.abs(np.diag(matrix)), 1e-8)
    damped = matrix.copy()
    for damping in (0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0):
        damped.flat[:: len(diagonal) + 1] = np.diag(matrix) + damping * diagonal
        _, move, failed = scipy.linalg.lapack.dposv(damped, gradient)
        if not failed:
            solved: FloatArray = move
            return solved
    return gradient / diagonal


def _step(
    problem: Problem, items: Items, step: FloatArray, value: float, grid: Grid
) -> tuple[Items, Information] | None:
    """Halve the step until the objective rises; the whole step almost always does, and then nothing is wasted."""
    for halving in range(10):
        moved = [old + 0.5**halving * move for old, move in zip(items, step, strict=True)]
        trial = project(Items(*moved), problem.model, problem.bounds)
        if halving == 0:
            there = informed(problem, trial, grid)
            if there.value > value:
                return trial, there
        elif _objective(problem, trial, grid) > value:
            return trial, informed(problem, trial, grid)
    return None


def _objective(problem: Problem, items: Items, grid: Grid) -> float:
    value = marginal_log_likelihood(problem.responses, items, grid)
    return value if problem.prior.flat else value + problem.prior.log_density(items, problem.model)
