"""Every fast path against a slow version of the same formula."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from equipoise.items.item_fit import adjusted, expected_by_score, mean_squares, s_x2, score_distribution
from equipoise.items.marginal.covariance import difficulty_stderr, inverse_information, large_test_uncertainty
from equipoise.items.marginal.em import Problem, maximise, start_items
from equipoise.items.marginal.information import observed_information
from equipoise.items.marginal.item_step import (
    WEAK_PRIOR,
    Bounds,
    ItemPrior,
    derivatives,
    item_step,
    values,
)
from equipoise.items.marginal.newton import newton_polish
from equipoise.items.marginal.quadrature import (
    expect,
    exponential_lines,
    marginal_log_likelihood,
    occupied,
    uniform_grid,
)
from equipoise.items.marginal.slope_tests import Curves, score
from equipoise.items.models.models import (
    Items,
    chance_and_variance,
    information,
    log_failures,
    probability,
    summed_log_failure,
)
from equipoise.items.models.responses import Responses, collapse, from_counts
from equipoise.items.scoring.ability import estimate_abilities
from tests.items.oracles import chance, draw_answers, draw_items, marginal, row_likelihood

GRID = uniform_grid(8.0, 161)
seeds = st.integers(0, 10_000)


@settings(max_examples=15, deadline=None)
@given(seed=seeds, guessing=st.booleans(), trials=st.sampled_from([1, 3]), missing=st.sampled_from([0.0, 0.3]))
def test_the_marginal_log_likelihood_is_the_integral_over_ability(seed, guessing, trials, missing):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 4, guessing)
    responses, won, tried, _ = draw_answers(rng, items, 3, trials, missing)
    assert marginal_log_likelihood(responses, items, GRID) == pytest.approx(marginal(won, tried, np.ones(3), items))


@settings(max_examples=15, deadline=None)
@given(seed=seeds, guessing=st.booleans(), trials=st.sampled_from([1, 3]), missing=st.sampled_from([0.0, 0.3]))
def test_the_expectation_step_agrees_with_a_loop_over_agents_and_nodes(seed, guessing, trials, missing):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 4, guessing)
    responses, won, tried, _ = draw_answers(rng, items, 6, trials, missing)
    grid = uniform_grid(5.0, 21)
    stats_ = expect(responses, items, grid, guessing=True)
    prior = np.exp(grid.log_weights)
    successes, attempts, mean = np.zeros((4, 21)), np.zeros((4, 21)), 0.0
    for r, n in zip(won, tried, strict=True):
        post = prior * [row_likelihood(t, r, n, items) for t in grid.nodes]
        post /= post.sum()
        successes += np.outer(r, post)
        attempts += np.outer(n, post)
        mean += post @ grid.nodes / 6
    np.testing.assert_allclose(stats_.successes, successes, atol=1e-12)
    np.testing.assert_allclose(np.broadcast_to(stats_.trials, (4, 21)), attempts, atol=1e-12)
    np.testing.assert_allclose(stats_.success_ability, successes @ grid.nodes, atol=1e-12)
    assert stats_.mean == pytest.approx(mean)


@settings(max_examples=15, deadline=None)
@given(seed=seeds, items_=st.sampled_from([4, 40]))
def test_the_score_of_a_complete_table_is_that_of_the_two_steps(seed, items_):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, items_, guessing=False)
    responses, *_ = draw_answers(rng, items, 6, 1, 0.0)
    flat = Items(np.where(np.arange(items_) == 1, 0.0, items.slope), items.intercept.copy(), items.guessing)
    flat.intercept[1] = np.log(0.3 / 0.7)
    curves = Curves.of(items, GRID.nodes)
    for these, known in ((items, curves), (flat, curves.with_flat(1, 0.3, items, GRID.nodes))):
        stats_ = expect(responses, these, GRID, guessing=False)
        value, gradient = score(responses, these, GRID, known)
        assert value == pytest.approx(stats_.log_likelihood, rel=1e-12)
        slow = derivatives(stats_, these, GRID.nodes)
        np.testing.assert_allclose(gradient, slow.gradient[:2].ravel(), atol=1e-10)


@settings(max_examples=15, deadline=None)
@given(seed=seeds, guessing=st.booleans(), missing=st.sampled_from([0.0, 0.3]))
def test_values_of_items_are_sums_over_nodes(seed, guessing, missing):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 5, guessing)
    responses, *_ = draw_answers(rng, items, 6, 1, missing)
    stats_ = expect(responses, items, GRID, guessing=True)
    p = chance(GRID.nodes[:, None], items).T
    slow = np.sum(stats_.successes * np.log(p) + (stats_.trials - stats_.successes) * np.log1p(-p), axis=1)
    given = stats_ if guessing else stats_._replace(successes=None)
    np.testing.assert_allclose(values(given, items, GRID.nodes), slow, rtol=1e-10, atol=1e-10)


@settings(max_examples=60, deadline=None)
@given(
    seed=seeds,
    items_=st.sampled_from([1, 3, 170, 700]),
    points=st.sampled_from([5, 61, 200, 801]),
    steepness=st.sampled_from([1.0, 20.0]),
)
def test_curves_without_guessing_are_relatively_exact(seed, items_, points, steepness):
    rng = np.random.default_rng(seed)
    nodes = rng.uniform(-7.0, 6.0, points)
    slope = rng.normal(0.0, steepness, items_) * np.where(rng.random(items_) < 0.1, 30.0, 1.0)
    items = Items(slope, rng.normal(0.0, steepness, items_), np.zeros(items_))
    z = slope[:, None] * nodes + items.intercept[:, None]
    right, failed = special.expit(z), special.log_expit(-z)
    p, variance = chance_and_variance(nodes, items)
    np.testing.assert_allclose(p, right, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(variance, right * special.expit(-z), rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(log_failures(nodes, items), failed, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(summed_log_failure(nodes, items), failed.sum(axis=0), rtol=1e-12, atol=1e-12 * items_)


@settings(max_examples=60, deadline=None)
@given(
    seed=seeds,
    size=st.sampled_from([0.01, 0.3, 1.0, 3.0]),
    missing=st.sampled_from([0.0, 0.3]),
    prior=st.sampled_from([ItemPrior(), WEAK_PRIOR]),
)
def test_a_single_item_step_lowers_no_item(seed, size, missing, prior):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 40, guessing=False)
    responses, *_ = draw_answers(rng, items, 12, 1, missing)
    start = Items(items.slope + rng.normal(0.0, size, 40), items.intercept + rng.normal(0.0, size, 40), items.guessing)
    stats_ = expect(responses, items, GRID, guessing=False)
    after = item_step(stats_, start, GRID.nodes, model="2pl", prior=prior, bounds=Bounds(), iterations=1)

    def objective(these):
        pull = (these.slope - prior.slope_mean) ** 2 / prior.slope_sd**2 + (these.intercept / prior.intercept_sd) ** 2
        return values(stats_, these, GRID.nodes) - 0.5 * pull

    assert (objective(after) - objective(start)).min() > -1e-9
    assert (objective(after) - objective(start)).max() > 0.0


def test_nodes_that_nobody_reaches_make_no_difference():
    rng = np.random.default_rng(8)
    items = draw_items(rng, 300, guessing=False)
    responses, *_ = draw_answers(rng, items, 6, 1, 0.0)
    grid = uniform_grid(8.0, 401)
    part = occupied(grid, expect(responses, items, grid, guessing=False).trials)
    assert len(part.nodes) < 300
    whole = marginal_log_likelihood(responses, items, grid)
    assert marginal_log_likelihood(responses, items, part) == pytest.approx(whole, rel=1e-14)


def test_a_slope_at_its_bound_that_its_intercept_draws_out_is_held():
    rng = np.random.default_rng(4)
    items = Items(np.array([2.0, 1.0]), np.array([3.0, 0.0]), np.zeros(2))
    responses, *_ = draw_answers(rng, items, 40, 1, 0.0)
    bounds = Bounds(slope=2.0)
    for shift in np.linspace(-4.0, 4.0, 9):
        start = Items(items.slope, items.intercept + shift, items.guessing)
        stats_ = expect(responses, start, GRID, guessing=False)
        moved = item_step(stats_, start, GRID.nodes, model="2pl", prior=ItemPrior(), bounds=bounds, iterations=30)
        here = derivatives(stats_, moved, GRID.nodes).gradient
        held = (np.abs(moved.slope) >= 2.0) & (here[0] * moved.slope > 0)
        assert np.abs(here[1]).max() < 1e-4
        assert np.abs(here[0][~held]).max(initial=0.0) < 1e-4


@pytest.mark.parametrize("guessing", [False, True])
def test_the_item_step_has_the_gradient_it_says(guessing):
    rng = np.random.default_rng(3)
    items = draw_items(rng, 3, guessing)
    responses, *_ = draw_answers(rng, items, 40, 2, 0.2)
    stats_ = expect(responses, items, GRID, guessing=guessing)
    here = derivatives(stats_, items, GRID.nodes)
    for k in range(3 if guessing else 2):
        for i in range(3):
            parts = [part.copy() for part in items]
            parts[k][i] += 1e-6
            up = values(stats_, Items(*parts), GRID.nodes).sum()
            parts[k][i] -= 2e-6
            down = values(stats_, Items(*parts), GRID.nodes).sum()
            assert here.gradient[k, i] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-4)


@settings(max_examples=20, deadline=None)
@given(seed=seeds, model=st.sampled_from(["rasch", "1pl", "2pl", "3pl"]), weak=st.booleans())
def test_an_item_step_never_lowers_its_objective(seed, model, weak):
    rng = np.random.default_rng(seed)
    truth = draw_items(rng, 5, model == "3pl")
    responses, *_ = draw_answers(rng, truth, 25)
    start = start_items(responses, model)
    prior = WEAK_PRIOR if weak else ItemPrior()
    stats_ = expect(responses, start, GRID, guessing=model == "3pl")
    after = item_step(stats_, start, GRID.nodes, model=model, prior=prior, bounds=Bounds(), iterations=2)

    def objective(items):
        return values(stats_, items, GRID.nodes).sum() + prior.log_density(items, model)

    assert objective(after) >= objective(start) - 1e-9


@settings(max_examples=40, deadline=None)
@given(seed=seeds, points=st.integers(2, 40), size=st.sampled_from([1.0, 30.0, 3000.0]), even=st.booleans())
def test_exponentials_by_multiplication_are_the_exponentials(seed, points, size, even):
    rng = np.random.default_rng(seed)
    nodes = np.linspace(-6, 6, points) if even else np.sort(rng.uniform(-6, 6, points))
    slope, base = size * rng.normal(size=7), -size * np.logaddexp(0, nodes)
    table, top = exponential_lines(slope, base, nodes, nodes[1] - nodes[0] if even else 0.0)
    exact = slope[:, None] * nodes + base
    assert np.isfinite(table).all()
    # Exponents are rounded too, the more the larger they are.
    np.testing.assert_allclose(table, np.exp(exact - top[:, None]), rtol=1e-13 * (10 + size), atol=1e-200)
    assert (np.abs(exact.max(axis=1) - top) < 700).all()


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_the_short_information_of_a_complete_table_is_the_sum_over_nodes(seed):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 5, False)
    answers, *_ = draw_answers(rng, items, 12)
    complete = from_counts(answers.successes, weight=rng.integers(1, 4, size=12))
    # Trials that are written out, though all are one, take the way over the nodes.
    spelt = Responses(complete.successes, np.ones(complete.shape), complete.weight)
    short, long = observed_information(complete, items, GRID), observed_information(spelt, items, GRID)
    assert short.value == pytest.approx(long.value)
    np.testing.assert_allclose(short.gradient, long.gradient, atol=1e-9)
    np.testing.assert_allclose(short.matrix, long.matrix, atol=1e-9)


@pytest.mark.parametrize(
    ("model", "trials", "missing"),
    [("rasch", 1, 0.0), ("1pl", 2, 0.1), ("2pl", 1, 0.0), ("2pl", 3, 0.2), ("3pl", 5, 0.0)],
)
def test_the_observed_information_is_minus_the_second_derivative(model, trials, missing):
    rng = np.random.default_rng(11)
    items = draw_items(rng, 3, model == "3pl")
    responses, *_ = draw_answers(rng, items, 30, trials, missing)
    info = observed_information(responses, items, GRID)
    vector = np.concatenate(items)
    used = len(vector) if model == "3pl" else 6

    def value(x):
        return marginal_log_likelihood(responses, Items(*x.reshape(3, -1)), GRID)

    step = 1e-4
    eye = np.eye(9) * step
    for j in range(used):
        gradient = (value(vector + eye[j]) - value(vector - eye[j])) / (2 * step)
        assert info.gradient[j] == pytest.approx(gradient, abs=1e-4)
        for k in range(used):
            corners = [value(vector + s * eye[j] + t * eye[k]) * s * t for s, t in itertools.product((1, -1), repeat=2)]
            assert info.matrix[j, k] == pytest.approx(-sum(corners) / (4 * step**2), rel=2e-3, abs=2e-2)


@pytest.mark.parametrize("model", ["rasch", "1pl", "2pl", "3pl"])
def test_the_fit_ends_where_the_gradient_is_zero(model):
    rng = np.random.default_rng(5)
    truth = draw_items(rng, 6, model == "3pl")
    responses, *_ = draw_answers(rng, truth, 400, 4 if model == "3pl" else 1)
    problem = Problem(responses, model, ItemPrior(), Bounds())
    state = maximise(problem, start_items(responses, model))
    grid = uniform_grid(state.half_width, state.points)
    items, decrement, _ = newton_polish(problem, state.items, grid)
    assert decrement < 1e-8
    assert marginal_log_likelihood(responses, items, grid) >= state.log_likelihood - 1e-9
    assert marginal_log_likelihood(responses, items, grid) - state.log_likelihood < 0.01


def test_a_slope_without_end_is_at_its_bound_after_few_newton_steps():
    rng = np.random.default_rng(2)
    truth = Items(rng.uniform(1.0, 2.0, 30), rng.normal(size=30), np.zeros(30))
    _, won, *_ = draw_answers(rng, truth, 60)
    right = won.sum(axis=1)
    clean = from_counts(np.column_stack([won, right > np.median(right)]))
    state = maximise(Problem(clean, "2pl", ItemPrior(), Bounds(slope=20.0)), start_items(clean, "2pl"))
    assert state.items.slope[-1] == 20.0
    grid = uniform_grid(6.0, 801)
    items, decrement, _ = newton_polish(Problem(clean, "2pl", ItemPrior(), Bounds()), state.items, grid, steps=5)
    assert items.slope[-1] == 100.0
    assert decrement < 1e-8


def test_doubling_the_grid_of_a_finished_fit_hardly_moves_it():
    rng = np.random.default_rng(8)
    truth = Items(np.array([12.0, -9.0, 1.0, 1.5, 20.0, 2.0]), np.array([3.0, 2.0, 0.0, 1.0, -6.0, 0.5]), np.zeros(6))
    responses, *_ = draw_answers(rng, truth, 300)
    problem = Problem(responses, "2pl", ItemPrior(), Bounds())
    state = maximise(problem, start_items(responses, "2pl"))
    finer = uniform_grid(state.half_width, 2 * state.points - 1)
    wider = uniform_grid(1.5 * state.half_width, 3 * state.points)
    for grid in (finer, wider):
        assert abs(marginal_log_likelihood(responses, state.items, grid) - state.log_likelihood) < 1e-3


@settings(max_examples=20, deadline=None)
@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]))
def test_merging_equal_rows_changes_no_likelihood(seed, missing):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 4)
    responses, *_ = draw_answers(rng, items, 200, 1, missing)
    short, place = collapse(responses)
    assert short.shape[0] < 200
    assert marginal_log_likelihood(short, items, GRID) == pytest.approx(marginal_log_likelihood(responses, items, GRID))
    np.testing.assert_array_equal(short.successes[place], responses.successes)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, guessing=st.booleans(), estimator=st.sampled_from(["map", "mle", "wle"]))
def test_modal_abilities_agree_with_a_blind_search(seed, guessing, estimator):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 6, guessing)
    responses, won, tried, _ = draw_answers(rng, items, 3)
    fitted = estimate_abilities(responses, items, estimator=estimator)
    for j in range(3):

        def loss(theta, j=j):
            with np.errstate(divide="ignore"):
                value = -np.log(row_likelihood(theta, won[j], tried[j], items))
            if estimator == "map":
                value += 0.5 * theta**2
            return value

        if estimator == "wle":  # its equation has a root there; with guessing it is no function's maximum
            theta = fitted.estimate[j]
            if np.isinf(theta):
                assert guessing
                continue
            p = chance(theta, items)
            sigma = (p - items.guessing) / (1 - items.guessing)
            first = items.slope * (1 - items.guessing) * sigma * (1 - sigma)
            second = first * items.slope * (1 - 2 * sigma)
            info = np.sum(first**2 / (p * (1 - p)))
            score = np.sum((won[j] - p) * first / (p * (1 - p)))
            assert score + np.sum(first * second / (p * (1 - p))) / (2 * info) == pytest.approx(0, abs=1e-6)
        elif np.isinf(fitted.estimate[j]):
            ends = [loss(s * 11.0) for s in (1, -1)]
            assert min(ends) <= min(loss(t) for t in np.linspace(-11, 11, 221)) + 1e-9
        else:
            blind = min((loss(t), t) for t in np.linspace(-11, 11, 441))
            best = optimize.minimize_scalar(loss, bounds=(blind[1] - 0.06, blind[1] + 0.06), method="bounded")
            assert loss(fitted.estimate[j]) <= best.fun + 1e-6


def test_posterior_means_agree_with_the_integral():
    rng = np.random.default_rng(2)
    items = draw_items(rng, 5, True)
    responses, won, tried, _ = draw_answers(rng, items, 4, 2)
    fitted = estimate_abilities(responses, items)
    nodes = np.linspace(-9, 9, 20_001)
    for j in range(4):
        weight = np.array([row_likelihood(t, won[j], tried[j], items) for t in nodes]) * stats.norm.pdf(nodes)
        weight /= weight.sum()
        mean = weight @ nodes
        assert fitted.estimate[j] == pytest.approx(mean, abs=1e-8)
        assert fitted.stderr[j] == pytest.approx(np.sqrt(weight @ (nodes - mean) ** 2), abs=1e-8)


def test_warm_estimates_are_finite_where_the_likelihood_has_no_maximum():
    items = Items(np.array([1.0, 2.0, -1.0]), np.zeros(3), np.zeros(3))
    responses = from_counts(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    assert estimate_abilities(responses, items, estimator="mle").estimate.tolist() == [np.inf, -np.inf]
    assert np.isfinite(estimate_abilities(responses, items, estimator="wle").estimate).all()


def test_a_flat_item_has_no_difficulty_and_no_error_of_it():
    items = Items(np.array([0.0, 1e-200, 2.0]), np.array([1.0, 1.0, 1.0]), np.zeros(3))
    np.testing.assert_array_equal(items.difficulty, [np.nan, np.nan, -0.5])
    error = difficulty_stderr(items, np.ones((3, 3, 3)) * np.eye(3)[:, :, None])
    np.testing.assert_allclose(error, [np.nan, np.nan, np.hypot(0.25, 0.5)])


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_the_error_of_a_difficulty_is_that_of_the_quotient_of_its_parameters(seed):
    """Against numerical derivatives of -d / a and the whole covariance: a and d hang together."""
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 4)
    root = rng.normal(size=(3, 3, 4))
    covariance = np.einsum("pqi,rqi->pri", root, root)
    for i, error in enumerate(difficulty_stderr(items, covariance)):
        at = np.array([items.slope[i], items.intercept[i]])
        steps = np.eye(2) * 1e-6
        slope = [(-(at + h)[1] / (at + h)[0] + (at - h)[1] / (at - h)[0]) / 2e-6 for h in steps]
        assert error == pytest.approx(np.sqrt(slope @ covariance[:2, :2, i] @ slope), rel=1e-5)


def test_information_is_the_squared_slope_over_the_variance():
    items = draw_items(np.random.default_rng(1), 5, True)
    theta = np.array([-1.3, 0.2, 2.0])
    slope = (probability(theta + 1e-6, items) - probability(theta - 1e-6, items)) / 2e-6
    p = probability(theta, items)
    np.testing.assert_allclose(information(theta, items), slope**2 / (p * (1 - p)), rtol=1e-6)


@settings(max_examples=20, deadline=None)
@given(seed=seeds, n=st.integers(2, 7))
def test_score_distributions_agree_with_counting_all_patterns(seed, n):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, n, bool(seed % 2))
    grid = uniform_grid(6.0, 49)
    p, weight = probability(grid.nodes, items), np.exp(grid.log_weights)
    whole, right = np.zeros((n + 1, 49)), np.zeros((n + 1, n))
    for pattern in itertools.product((0, 1), repeat=n):
        x = np.array(pattern)
        chance = np.prod(np.where(x[:, None] == 1, p, 1 - p), axis=0)
        whole[x.sum()] += chance
        right[x.sum()] += x * (chance @ weight)
    np.testing.assert_allclose(score_distribution(p), whole, atol=1e-12)
    np.testing.assert_allclose(expected_by_score(items), right / (whole @ weight)[:, None], atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_score_groups_are_merged_as_a_loop_over_them_would(seed):
    rng = np.random.default_rng(seed)
    items = draw_items(rng, 9)
    responses, won, _, _ = draw_answers(rng, items, 70)
    statistic, df, _ = s_x2(responses, items, 2)
    share, score = expected_by_score(items), won.sum(axis=1).astype(int)
    for i in range(9):
        groups, now = [], np.zeros(3)
        for s in range(1, 9):
            n = (score == s).sum()
            now = now + np.array([n, won[score == s, i].sum(), n * share[s, i]])
            if min(now[2], now[0] - now[2]) >= 1:
                groups.append(now)
                now = np.zeros(3)
        if groups:
            groups[-1] = groups[-1] + now
        if len(groups) <= 2:
            assert np.isnan(statistic[i])
            continue
        assert df[i] == len(groups) - 2
        assert statistic[i] == pytest.approx(sum((r - e) ** 2 / (e * (1 - e / n)) for n, r, e in groups))


def test_expected_shares_by_score_add_up_to_the_score():
    items = draw_items(np.random.default_rng(4), 8)
    np.testing.assert_allclose(expected_by_score(items).sum(axis=1), np.arange(9), atol=1e-10)


def test_item_fit_p_values_are_uniform_when_the_model_is_true():
    rng = np.random.default_rng(9)
    p_values = []
    for _ in range(12):
        truth = Items(rng.uniform(0.8, 1.6, 12), rng.normal(0, 1, 12), np.zeros(12))
        responses, *_ = draw_answers(rng, truth, 800)
        fitted = maximise(Problem(responses, "2pl", ItemPrior(), Bounds()), start_items(responses, "2pl"))
        p_values += s_x2(responses, fitted.items, 2)[2].tolist()
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def test_item_fit_finds_a_curve_of_the_wrong_shape():
    rng = np.random.default_rng(10)
    truth = Items(np.full(10, 1.5), np.linspace(-1.5, 1.5, 10), np.zeros(10))
    _, won, _, theta = draw_answers(rng, truth, 2000)
    won[:, 0] = rng.random(2000) < np.exp(-(theta**2))  # solved by the middling only
    responses = from_counts(won)
    fitted = maximise(Problem(responses, "2pl", ItemPrior(), Bounds()), start_items(responses, "2pl"))
    p_values = adjusted(s_x2(responses, fitted.items, 2)[2])
    assert p_values[0] < 1e-6
    assert (p_values[1:] > 0.001).all()


def test_adjusted_p_values_follow_benjamini_and_hochberg():
    p = np.array([0.01, np.nan, 0.04, 0.03, 0.5])
    np.testing.assert_allclose(adjusted(p), [0.04, np.nan, 0.04 * 4 / 3, 0.04 * 4 / 3, 0.5])


@pytest.mark.parametrize(("guessing", "trials", "missing"), [(False, 1, 0.0), (True, 3, 0.2)])
def test_mean_squares_agree_with_a_loop_over_cells(guessing, trials, missing):
    rng = np.random.default_rng(13)
    items = draw_items(rng, 6, guessing)
    responses, won, tried, theta = draw_answers(rng, items, 20, trials, missing)
    infit, outfit, agent = mean_squares(responses, items, theta)
    p = np.array([chance(t, items) for t in theta])
    seen, spread = tried > 0, tried * p * (1 - p)
    for i in range(6):
        k = seen[:, i]
        squares = (won - tried * p)[k, i] ** 2
        assert infit[i] == pytest.approx(squares.sum() / spread[k, i].sum())
        assert outfit[i] == pytest.approx(np.mean(squares / spread[k, i]))
    for j in range(20):
        k = seen[j]
        odds = np.log(p[j, k] / (1 - p[j, k]))
        centred = (won - tried * p)[j, k] @ odds
        assert agent.z[j] == pytest.approx(centred / np.sqrt(np.sum(spread[j, k] * odds**2)))


def test_large_test_errors_come_close_to_the_exact_ones():
    rng = np.random.default_rng(12)
    truth = Items(rng.uniform(0.6, 1.8, 60), rng.normal(0, 1, 60), np.zeros(60))
    responses, *_ = draw_answers(rng, truth, 600)
    state = maximise(Problem(responses, "2pl", ItemPrior(), Bounds()), start_items(responses, "2pl"))
    given_ = {"model": "2pl", "prior": ItemPrior(), "bounds": Bounds()}
    grid = uniform_grid(state.half_width, state.points)
    known = observed_information(responses, state.items, grid)
    free, inverse, _ = inverse_information(known, state.items, "2pl", Bounds())
    exact, rough = free.blocks(inverse), large_test_uncertainty(responses, state.items, grid, **given_).blocks
    for k in range(2):
        ratio = np.sqrt(rough[k, k] / exact[k, k])
        assert ratio.min() > 0.9
        assert ratio.max() < 1.02
