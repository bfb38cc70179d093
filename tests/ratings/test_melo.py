"""Multidimensional Elo: the likelihood, its normal form, and what fitting must get right."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.flows.operators import div, grad
from equipoise.ratings.online.melo_fit import Likelihood, Pairs, fewest_discs, log_odds, normal_form

SEEDS = st.integers(0, 2**32 - 1)


def random_pairs(seed, n=6, most=30):
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    games = rng.integers(1, most, size=len(i)).astype(float)
    return Pairs(i, j, rng.uniform(size=len(i)) * games, games, n)


def table_of(rating, vectors, games, rng=None):
    """Pair counts expected (or drawn) under given parameters."""
    x, y = vectors[:, 0::2], vectors[:, 1::2]
    chance = scipy.special.expit(grad(rating) + x @ y.T - y @ x.T)
    if rng is None:
        return eq.PairTable.from_matrix(chance, games=games)
    wins = np.triu(rng.binomial(games, chance), 1)
    return eq.PairTable.from_wins(wins + np.tril(games - wins.T, -1))


@settings(deadline=None)
@given(SEEDS, st.integers(0, 2), st.booleans())
def test_gradient_agrees_with_differences(seed, k, orthogonal):
    objective = Likelihood(random_pairs(seed), k, prior=0.3, orthogonal=orthogonal)
    theta = np.random.default_rng(seed).normal(size=6 * (1 + 2 * k))
    step = 1e-6
    numeric = [
        (objective(theta + step * e)[0] - objective(theta - step * e)[0]) / (2 * step) for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(objective(theta)[1], numeric, atol=1e-7)


@settings(deadline=None)
@given(SEEDS, st.integers(0, 2))
def test_likelihood_agrees_with_the_formula(seed, k):
    pairs = random_pairs(seed)
    theta = np.random.default_rng(seed).normal(size=6 * (1 + 2 * k))
    rating, c = theta[:6], theta[6:].reshape(6, 2 * k)
    omega = np.kron(np.eye(k), [[0, 1], [-1, 0]])
    total = 0.0
    for i, j, wins, games in zip(*pairs[:4], strict=True):
        p = 1 / (1 + np.exp(-(rating[i] - rating[j] + c[i] @ omega @ c[j])))
        total -= wins * np.log(p) + (games - wins) * np.log(1 - p)
    assert Likelihood(pairs, k, 0.0)(theta)[0] * pairs.games.sum() == pytest.approx(total)


@given(SEEDS, st.integers(1, 2))
def test_normal_form_keeps_predictions_and_is_orthogonal(seed, k):
    rng = np.random.default_rng(seed)
    rating, vectors = rng.normal(size=7), rng.normal(size=(7, 2 * k))
    pairs = random_pairs(seed, n=7)
    r, c = normal_form(rating, vectors)
    np.testing.assert_allclose(log_odds(pairs, r, c), log_odds(pairs, rating, vectors), atol=1e-9)
    assert abs(r.sum()) < 1e-9
    np.testing.assert_allclose(c.sum(axis=0), 0, atol=1e-9)
    gram = c.T @ c
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_exact_probabilities_give_back_their_parameters(seed):
    rng = np.random.default_rng(seed)
    rating, vectors = normal_form(rng.normal(size=7), rng.normal(size=(7, 2)))
    fit = eq.melo(table_of(rating, vectors, 100), k=1)
    np.testing.assert_allclose(fit.rating, rating, atol=1e-4)
    omega = np.array([[0, 1], [-1, 0]])
    np.testing.assert_allclose(fit.vectors @ omega @ fit.vectors.T, vectors @ omega @ vectors.T, atol=1e-3)
    assert fit.frobenius < 1e-4


def test_no_disc_is_bradley_terry():
    table = table_of(np.array([1.0, 0.2, -0.4, -0.8]), np.zeros((4, 2)), 30, np.random.default_rng(3))
    np.testing.assert_allclose(eq.melo(table, k=0).rating, eq.bradley_terry(table).rating, atol=1e-6)


def test_row_sums_of_predictions_and_observations_agree():
    """Proposition 1 holds for the rating part of any k."""
    table = table_of(np.linspace(1, -1, 6), np.random.default_rng(1).normal(size=(6, 2)), 50, np.random.default_rng(2))
    for k in (0, 1, 2):
        fit = eq.melo(table, k=k, prior=None)
        if any(note.code == "no-finite-mle" for note in fit.diagnostics):
            continue
        off = ~np.eye(6, dtype=bool)
        predicted = (fit.predict() * off).sum(axis=1)
        np.testing.assert_allclose(predicted, np.where(off, table.probabilities(), 0).sum(axis=1), atol=1e-5)


def test_rating_is_the_divergence_of_the_fitted_log_odds():
    fit = eq.melo(eq.load("alphago"))
    chance = fit.predict()
    np.testing.assert_allclose(div(np.log(chance / (1 - chance))), fit.rating, atol=1e-9)


def test_rock_paper_scissors_is_learnt_and_rated_even():
    games = eq.Matches.from_columns(list("rsp") * 33, list("spr") * 33, [1] * 90 + [0] * 9)
    fit = eq.melo(games)
    np.testing.assert_allclose(fit.rating, 0, atol=1e-6)
    assert fit.probability("r", "s") == pytest.approx(90 / 99, abs=1e-5)
    assert fit.probability("s", "r") == pytest.approx(9 / 99, abs=1e-5)


def test_gaps_and_unequal_counts_are_predicted_through_others():
    rng = np.random.default_rng(5)
    rating, vectors = normal_form(rng.normal(size=12), rng.normal(size=(12, 2)))
    full = table_of(rating, vectors, 1)
    games = np.triu(rng.integers(0, 3, size=(12, 12)) * 4000, 1)
    table = eq.PairTable.from_matrix(full.probabilities(), games=games + games.T)
    assert not table.complete
    np.testing.assert_allclose(eq.melo(table).predict(), full.probabilities(), atol=0.02)


def test_restricting_vectors_to_be_orthogonal_to_the_rating_costs_likelihood():
    free, restricted = eq.melo(eq.load("alphago")), eq.melo(eq.load("alphago"), orthogonal="rating")
    assert restricted.log_loss > free.log_loss
    np.testing.assert_allclose(restricted.rating @ restricted.vectors, 0, atol=1e-9)


def test_held_out_loss_chooses_the_number_of_discs():
    rng = np.random.default_rng(8)
    vectors = rng.normal(size=(8, 2)) * 1.2
    cyclic = table_of(np.zeros(8), vectors, 200, rng)
    plain = table_of(np.linspace(1, -1, 8), np.zeros((8, 2)), 200, rng)
    assert eq.melo(cyclic, k="auto").k == 1
    assert eq.melo(plain, k="auto").k == 0
    assert len(eq.melo(plain, k="auto").held_out) >= 2


@pytest.mark.parametrize(("noise", "chosen"), [(0.0, 2), (0.022, 2), (0.023, 1), (0.223, 1), (0.224, 0)])
def test_fewer_discs_are_chosen_where_the_loss_is_within_a_standard_error_of_the_least(noise, chosen):
    """Losses are 0.1 and 0.01 above the least, with an error of noise / sqrt(5) over the five folds."""
    turns = noise * np.array([1.0, -1.0, 1.0, -1.0, 0.0])
    least = np.array([0.60, 0.62, 0.58, 0.61, 0.59])
    losses = np.column_stack([least + 0.1 + turns, least + 0.01 + turns, least])
    assert fewest_discs(losses) == chosen


def test_intervals_on_predictions_contain_the_prediction_and_shrink_with_games():
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(5, 2))
    widths = []
    for games in (40, 1000):
        fit = eq.melo(table_of(np.zeros(5), vectors, games, rng), n=40)
        low, high = fit.predict_interval()
        off = ~np.eye(5, dtype=bool)
        assert np.mean((low <= fit.predict()) & (fit.predict() <= high)) > 0.9
        widths.append(float(np.mean((high - low)[off])))
    assert widths[1] < widths[0] / 3


def test_certain_predictions_are_told_and_held_by_a_prior():
    fit = eq.melo(eq.load("alphago"), k=2)
    (note,) = [note for note in fit.diagnostics if note.code == "no-finite-mle"]
    assert "rvp" in note.subjects
    assert fit.params["prior"] == 3.0
    assert np.abs(fit.rating).max() < 20


def test_a_bootstrap_of_the_rating_uses_the_fit():
    table = table_of(np.array([1.0, 0.0, -0.4, -0.6]), np.zeros((4, 2)), 80, np.random.default_rng(3))
    spread = eq.bootstrap(eq.melo, table, n=20)
    assert (spread.low <= spread.estimate + 0.2).all()
    assert (spread.stderr > 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 4}, "0 to 3"),
        ({"k": -1}, "whole number"),
        ({"k": "many"}, "auto"),
        ({"orthogonal": "all"}, "orthogonal"),
        ({"prior": 0.0}, "prior"),
        ({"starts": 0}, "starts"),
        ({"level": 1.5}, "level"),
    ],
)
def test_senseless_options_are_refused(options, message):
    with pytest.raises(eq.ParameterError, match=message):
        eq.melo(eq.load("alphago"), **options)


@pytest.mark.parametrize("options", [{"k": "auto"}, {"n": 10}])
def test_a_table_without_games_has_nothing_to_resample(options):
    with pytest.raises(eq.DataError, match="no games"):
        eq.melo(eq.load("alphago"), **options)


def test_asking_for_intervals_without_replicates_says_how_to_get_them():
    with pytest.raises(eq.ParameterError, match="fit with n=200"):
        eq.melo(eq.load("alphago")).predict_interval()


def test_an_unknown_agent_is_named():
    with pytest.raises(eq.ParameterError, match='did you mean "Zen"'):
        eq.melo(eq.load("alphago")).probability("v", "zenn")


def test_online_update_is_that_of_appendix_e():
    """One match from known vectors, computed by hand from the printed routine."""
    from equipoise.ratings.online._kernels import melo_sweep

    rating, c = np.array([0.3, -0.3]), np.array([[0.5, -0.2], [0.1, 0.7]])
    r, v = rating.copy(), c.copy()
    one = np.array([1.0])
    melo_sweep(np.array([0]), np.array([1]), one, one, r, v, 16.0, 1.0)
    p = 1 / (1 + np.exp(-(rating[0] - rating[1] + c[0, 0] * c[1, 1] - c[1, 0] * c[0, 1])))
    delta = 1 - p
    np.testing.assert_allclose(r, rating + 16 * delta * np.array([1, -1]))
    np.testing.assert_allclose(v[0], c[0] + delta * np.array([c[1, 1], -c[1, 0]]))
    np.testing.assert_allclose(v[1], c[1] + delta * np.array([-c[0, 1], c[0, 0]]))


@given(SEEDS, st.integers(1, 3))
def test_online_update_is_a_gradient_step_for_any_k(seed, k):
    from equipoise.ratings.online._kernels import melo_sweep

    rng = np.random.default_rng(seed)
    rating, c = rng.normal(size=3), rng.normal(size=(3, 2 * k))
    r, v = rating.copy(), c.copy()
    one, score = np.array([1.0]), np.array([0.5])
    melo_sweep(np.array([0]), np.array([2]), score, one, r, v, 0.1, 0.1)
    pairs = Pairs(np.array([0]), np.array([2]), score, one, 3)
    gradient = Likelihood(pairs, k, 0.0)(np.concatenate([rating, c.ravel()]))[1]
    np.testing.assert_allclose(np.concatenate([r - rating, (v - c).ravel()]), -0.1 * gradient, atol=1e-12)


def test_online_predicts_better_with_a_disc_where_games_are_cyclic():
    rng = np.random.default_rng(0)
    beats = rng.random(6000) < 0.85
    a = rng.integers(3, size=6000)
    games = eq.Matches.from_columns(a, (a + 1) % 3, beats.astype(int))
    assert eq.methods.melo_online(games, k=1).loss_per_game < eq.methods.melo_online(games, k=0).loss_per_game - 0.1
