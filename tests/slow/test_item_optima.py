"""Marginal fits of few agents end at an optimum, and their slopes are tested against what slow refits find."""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.items.marginal.em import run_em
from equipoise.items.marginal.newton import newton_polish
from equipoise.items.marginal.quadrature import uniform_grid
from equipoise.items.marginal.slope_tests import negative_slopes
from tests.items.test_few_agents import answers, finished, varied


@pytest.mark.parametrize("shape", [(6, 30), (8, 60), (12, 40), (20, 25)])
@pytest.mark.parametrize("seed", range(2))
def test_a_guess_makes_no_fit_worse_and_every_fit_ends_at_an_optimum(shape, seed):
    scores = eq.Scores.from_matrix(answers(*shape, seed))
    two, three = (eq.irt(scores, model=model, method="mml") for model in ("2pl", "3pl"))
    for fit in (two, three):
        assert fit.fit.converged
        assert fit.fit.residual < 1e-6  # twice what the log-likelihood could still gain
    assert three.log_likelihood > two.log_likelihood - 1e-6


def slow_null(problem, state, i):
    """The highest likelihood that the slow way finds with slope i at zero: many rounds, then exact steps."""
    free = np.arange(len(state.items.slope)) != i
    null = problem._replace(free_slope=free)
    won, tried = problem.responses.item_totals()
    start = state.items._replace(
        slope=np.where(free, state.items.slope, 0.0),
        intercept=np.where(free, state.items.intercept, np.log(won / (tried - won))),
        guessing=np.where(free, state.items.guessing, 0.0),
    )
    values = []
    for rounds in (20, 400):
        near = run_em(null, start, half_width=6.0, points=401, tolerance=1e-7, max_iterations=rounds, gain=1e-9)
        values += [newton_polish(null, near.items, uniform_grid(6.0, 401)).information.value]
    return max(values)


@pytest.mark.parametrize(
    ("model", "shape", "trials"),
    [("2pl", (12, 40), None), ("2pl", (8, 60), None), ("2pl", (10, 30), 4), ("3pl", (12, 50), None)],
)
def test_slopes_are_tested_against_what_slow_refits_find(model, shape, trials):
    problem, state, known = finished(varied(*shape, 3, trials or 1), model, trials)
    count = len(state.items.slope)
    free = np.concatenate([np.abs(state.items.slope) < 20.0, np.ones(count, dtype=bool), state.items.guessing > 0.0])
    places = np.flatnonzero(free & np.repeat([True, True, model == "3pl"], count))
    inverse = np.zeros((3 * count, 3 * count))
    inverse[np.ix_(places, places)] = np.linalg.pinv(known.matrix[np.ix_(places, places)])
    tested = negative_slopes(problem, state, np.ones(count), inverse)
    negative = np.flatnonzero(state.items.slope < 0)
    assert len(negative) >= 3
    for i in negative[:6]:
        gain = state.objective - slow_null(problem, state, i)
        assert tested.p_value[i] == pytest.approx(scipy.special.chdtrc(1.0, max(0.0, 2.0 * gain)), abs=0.004)
