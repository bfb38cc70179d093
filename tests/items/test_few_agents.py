"""Marginal fits of few agents end at an optimum, whatever rests on its bound on the way there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.items.marginal import information
from equipoise.items.marginal.covariance import raised_factor
from equipoise.items.marginal.em import EMState, Problem, run_em, start_items
from equipoise.items.marginal.item_step import Bounds, ItemPrior
from equipoise.items.marginal.newton import informed, newton_polish
from equipoise.items.marginal.quadrature import expect, uniform_grid
from equipoise.items.models.responses import from_counts
from tests.items.oracles import draw_answers, draw_items


def answers(agents, items, seed, trials=1):
    """Successes, some of them on items on which weaker agents do better."""
    rng = np.random.default_rng(seed)
    ability, slope, place = rng.normal(size=(agents, 1)), rng.normal(0.8, 0.8, items), rng.normal(size=items)
    return rng.binomial(trials, 1 / (1 + np.exp(-slope * (ability - place)))).astype(float)


def varied(agents, items, seed, trials=1):
    """Answers without items that everybody, or nobody, solved."""
    table = answers(agents, items, seed, trials)
    return table[:, (table.mean(axis=0) > 0) & (table.mean(axis=0) < trials)]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.3]))
def test_asymptotes_are_part_of_the_likelihood_whatever_else_is_asked_for(seed, missing):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 4, guessing=True)
    responses, *_ = draw_answers(rng, items, 6, 1, missing)
    grid = uniform_grid(6.0, 61)
    counted, plain = (expect(responses, items, grid, guessing=asked) for asked in (True, False))
    assert plain.log_likelihood == pytest.approx(counted.log_likelihood, rel=1e-12)
    np.testing.assert_allclose(plain.trials, counted.trials, rtol=1e-9, atol=1e-12)


def finished(table, model="2pl", trials=None):
    """A fit to its last digit, whose slopes rest on a bound in part: problem, state, and the inverse information."""
    tried = None if trials is None else np.full(table.shape, float(trials))
    responses = from_counts(table, tried)
    problem = Problem(responses, model, ItemPrior(), Bounds(slope=20.0))
    grid = uniform_grid(6.0, 401)
    rough = run_em(
        problem, start_items(responses, model), half_width=6.0, points=401, tolerance=1e-3, max_iterations=400
    )
    items, decrement, known = newton_polish(problem, rough.items, grid)
    assert decrement < 1e-6
    state = EMState(items, known.value, known.value, 1, 0.0, True, 6.0, 401)
    return problem, state, known


@pytest.mark.parametrize("seed", range(4))
def test_rounds_do_not_lead_away_from_an_optimum_with_slopes_at_their_bound(seed):
    problem, state, _ = finished(varied(8, 60, seed))
    assert (np.abs(state.items.slope) >= 20.0).any(), "this table shows nothing"
    again = run_em(problem, state.items, half_width=6.0, points=401, tolerance=1e-9, max_iterations=50)
    assert again.objective >= state.objective - 1e-9


def test_the_information_of_a_finished_fit_is_the_one_at_its_items():
    problem, state, known = finished(varied(12, 40, 1))
    there = informed(problem, state.items, uniform_grid(6.0, 401))
    np.testing.assert_allclose(there.matrix, known.matrix, rtol=1e-12, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), guessing=st.booleans(), missing=st.sampled_from([0.0, 0.3]))
def test_information_agent_by_agent_is_that_node_by_node(seed, guessing, missing):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 5, guessing)
    responses, *_ = draw_answers(rng, items, 7, 2, missing)
    found = []
    for quicker in (0.0, 1e9):  # products of matrices that cost nothing, and that are never worth it
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(information, "_BY_PRODUCT", quicker)
            found.append(information.observed_information(responses, items, uniform_grid(6.0, 121)))
    np.testing.assert_allclose(found[0].matrix, found[1].matrix, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found[0].gradient, found[1].gradient)


@given(seed=st.integers(0, 10_000), rank=st.integers(1, 6), dip=st.sampled_from([0.0, 1e-12, 1e-3, 5.0]))
def test_a_raised_diagonal_makes_a_factor_and_an_untouched_one_where_there_is_one(seed, rank, dip):
    half = np.random.default_rng(seed).normal(size=(6, rank))
    matrix = half @ half.T - dip * np.eye(6)
    factor, share = raised_factor(matrix)
    upper = np.triu(factor)
    if np.isinf(share):  # nothing but the diagonal is left of a matrix that far from positive definite
        assert dip == 5.0
        np.testing.assert_allclose(upper, np.diag(np.sqrt(np.abs(np.diag(matrix)))))
        return
    raised = matrix + np.diag(share * np.maximum(np.abs(np.diag(matrix)), 1e-8))
    np.testing.assert_allclose(upper.T @ upper, raised, atol=1e-9 * (1.0 + np.abs(matrix).max()))
    assert raised_factor(np.eye(6) + half @ half.T)[1] == 0.0
