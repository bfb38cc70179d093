"""The last stretch to the optimum: exact Newton steps on the marginal log-likelihood."""

from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.items.marginal.covariance import FreeParameters, raised_factor, with_prior
from equipoise.items.marginal.em import STEEPEST, Problem
from equipoise.items.marginal.information import Information, observed_information
from equipoise.items.marginal.item_step import project
from equipoise.items.marginal.quadrature import Grid, marginal_log_likelihood
from equipoise.items.models.models import Items

#: Share of a slope by which Newton's step raises it where the likelihood rises without end: from, to.
ENDLESS = 0.2, 0.6
#: Decrement below which the likelihood is so flat that no slope is sent to its bound.
WORTH_A_LEAP = 1e-6
#: Decrement below which damped steps, which only crawl, are over.
FLAT_ENOUGH = 1e-7
#: Decrement below which whole steps are over: its root is about how far parameters still are, in standard errors.
AT_THE_TOP = 1e-16


class Polished(NamedTuple):
    """Items, the last Newton decrement, and value and information at those items (prior included)."""

    items: Items
    decrement: float
    information: Information


def newton_polish(problem: Problem, items: Items, grid: Grid, *, steps: int = 60) -> Polished:
    """Climb the last stretch with exact Newton steps.

    The decrement g' I^-1 g is about twice what the log-likelihood could still gain.
    """
    decrement = np.inf
    here = informed(problem, items, grid)
    for _ in range(steps):
        free = FreeParameters.of(items, problem.model, problem.bounds, problem.free_slope)
        gradient = free.total(here.gradient)
        move, damped = _ascent(free.restrict(here.matrix), gradient)
        decrement = float(gradient @ move)
        if decrement < (FLAT_ENOUGH if damped else AT_THE_TOP):
            break
        step = free.spread(move).reshape(3, -1)
        better = _leap(problem, items, step, here.value, grid) if decrement > WORTH_A_LEAP else None
        better = better or _step(problem, items, step, here.value, grid)
        if better is None:
            break
        items, here = better
    return Polished(items, decrement, here)


def informed(problem: Problem, items: Items, grid: Grid) -> Information:
    """Return objective, gradient and information with the prior in them."""
    return with_prior(observed_information(problem.responses, items, grid), items, problem.prior, problem.model)


def _ascent(matrix: FloatArray, gradient: FloatArray) -> tuple[FloatArray, bool]:
    """Return the Newton step, and whether it had to be damped as its matrix was not positive definite."""
    factor, raised = raised_factor(matrix)
    move, _ = scipy.linalg.lapack.dpotrs(factor, gradient)
    return move, raised > 0.0


def _leap(
    problem: Problem, items: Items, step: FloatArray, value: float, grid: Grid
) -> tuple[Items, Information] | None:
    """Take slopes on their way to infinity to their bound at once; None where there are none, or that is not uphill.

    Answers that an item splits cleanly gain about C / a^2 less than at an infinite slope: Newton's step is then a third
    of the slope, however steep it is already. At the bound such a slope must still be drawn outwards, on a grid that
    resolves it. With asymptotes there are several peaks, and a leap could change which of them is reached.
    """
    if problem.model != "2pl" or problem.bounds.slope * grid.spacing > 1.001 * STEEPEST:
        return None
    steep = np.abs(items.slope) > 1.0
    rise = step[0] / np.where(steep, items.slope, np.inf)
    ever_on = (rise > ENDLESS[0]) & (rise < ENDLESS[1])
    if not ever_on.any():
        return None
    factor = np.where(ever_on, 2.0 * problem.bounds.slope / np.abs(items.slope + step[0]), 1.0)  # difficulties stay
    trial = _moved(problem, items, step, factor)
    if _objective(problem, trial, grid) <= value:
        return None
    there = informed(problem, trial, grid)
    outwards = there.gradient[: len(factor)] * np.sign(trial.slope) > 0.0
    return (trial, there) if there.value > value and bool(outwards[ever_on].all()) else None


def _step(
    problem: Problem, items: Items, step: FloatArray, value: float, grid: Grid
) -> tuple[Items, Information] | None:
    """Halve the step until the objective rises; the whole step almost always does, and then nothing is wasted."""
    for halving in range(10):
        trial = _moved(problem, items, 0.5**halving * step)
        if halving == 0:
            there = informed(problem, trial, grid)
            if there.value > value:
                return trial, there
        elif _objective(problem, trial, grid) > value:
            return trial, informed(problem, trial, grid)
    return None


def _moved(problem: Problem, items: Items, step: FloatArray, factor: FloatArray | float = 1.0) -> Items:
    """Return items after a step, made steeper by a factor, within the bounds."""
    slope, intercept, guessing = (old + move for old, move in zip(items, step, strict=True))
    return project(Items(slope * factor, intercept * factor, guessing), problem.model, problem.bounds)


def _objective(problem: Problem, items: Items, grid: Grid) -> float:
    value = marginal_log_likelihood(problem.responses, items, grid)
    return value if problem.prior.flat else value + problem.prior.log_density(items, problem.model)
