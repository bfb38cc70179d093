"""Theorem 1 of Balduzzi et al. (2018), and its agent-vs-task form, where it holds.

P1 (invariance) is in test_clones. Appendix D's P3 is not true as printed: S = [[1, -1], [2, -2]] has row means 0,
yet only the first agent is played; here is its right form.
"""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from equipoise.nash.kernels import maxent_skew, maxent_zero_sum
from tests.nash.games import antisymmetric, real_games, small_integer_games, small_score_tables

seeds = st.integers(0, 2**32 - 1)


@given(real_games(), seeds, st.floats(1e-9, 1.0))
@settings(max_examples=30, deadline=None)
def test_p2_an_equilibrium_of_a_nearby_game_is_beatable_by_no_more_than_the_distance(payoff, seed, size):
    noise = antisymmetric(np.random.default_rng(seed).uniform(-size, size, payoff.shape))
    p = maxent_skew(payoff + noise).p
    assert (payoff @ p).max() <= np.abs(noise).max() + 1e-12


@given(small_score_tables(), seeds, st.floats(1e-9, 1.0))
@settings(max_examples=30, deadline=None)
def test_p2_holds_for_tasks_with_twice_the_distance(score, seed, size):
    noise = np.random.default_rng(seed).uniform(-size, size, score.shape)
    found = maxent_zero_sum(score + noise)
    gain = (score @ found.task_p).max() - (found.agent_p @ score).min()
    assert gain <= 2 * np.abs(noise).max() + 1e-12


@given(st.integers(3, 8), seeds)
@settings(max_examples=30, deadline=None)
def test_p3_a_cyclic_game_is_uniform(size, seed):
    payoff = antisymmetric(np.random.default_rng(seed).normal(size=(size, size)))
    rating = payoff.mean(axis=1)
    cyclic = payoff - (rating[:, None] - rating)
    np.testing.assert_allclose(maxent_skew(cyclic).p, 1 / size, atol=1e-9)


@given(small_integer_games())
@settings(max_examples=30, deadline=None)
def test_p3_a_uniform_equilibrium_means_a_cyclic_game(payoff):
    uniform = np.allclose(maxent_skew(payoff, merge_clones=False).p, 1 / len(payoff), atol=1e-9)
    assert uniform == bool((payoff.sum(axis=1) == 0).all())


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
@settings(max_examples=30, deadline=None)
def test_p3_a_transitive_game_is_uniform_on_the_best(rating):
    r = np.array(rating, dtype=float)
    best = r == r.max()
    np.testing.assert_allclose(maxent_skew(r[:, None] - r).p, best / best.sum(), atol=1e-12)


@given(small_score_tables())
@settings(max_examples=30, deadline=None)
def test_p3_both_sides_are_uniform_iff_rows_and_columns_average_the_same(score):
    found = maxent_zero_sum(score, merge_clones=False)
    uniform = np.allclose(found.agent_p, 1 / len(score)) and np.allclose(found.task_p, 1 / score.shape[1])
    level = bool(np.ptp(score.mean(axis=1)) < 1e-12 and np.ptp(score.mean(axis=0)) < 1e-12)
    assert uniform == level


def test_p3_of_appendix_d_fails_as_printed():
    score = np.array([[1.0, -1.0], [2.0, -2.0]])
    assert score.mean(axis=1).tolist() == [0.0, 0.0]
    assert maxent_zero_sum(score).agent_p.tolist() == [1.0, 0.0]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=6), st.lists(st.integers(-3, 3), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_p3_transitive_scores_are_uniform_on_the_best_agents_and_hardest_tasks(skill, difficulty):
    s, d = np.array(skill, dtype=float), np.array(difficulty, dtype=float)
    found = maxent_zero_sum(s[:, None] - d)
    np.testing.assert_allclose(found.agent_p, (s == s.max()) / (s == s.max()).sum(), atol=1e-12)
    np.testing.assert_allclose(found.task_p, (d == d.max()) / (d == d.max()).sum(), atol=1e-12)


@given(real_games(), st.floats(1e-3, 1e3))
@settings(max_examples=30, deadline=None)
def test_averages_scale_with_the_payoffs_and_masses_do_not(payoff, factor):
    one, other = maxent_skew(payoff), maxent_skew(payoff * factor)
    assume(one.equilibrium.dimension == 0)
    np.testing.assert_allclose(other.p, one.p, atol=1e-10)
    np.testing.assert_allclose(other.average, one.average * factor, atol=1e-10 * factor)
