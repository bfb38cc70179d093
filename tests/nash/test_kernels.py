"""The maximum-entropy equilibrium against slow oracles, and its certificate on hard inputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.nash.games import AgentGame
from equipoise.nash.kernels import asymmetry, maxent_skew, maxent_zero_sum
from equipoise.nash.solve import _complementary, maxent_equilibrium
from tests.nash.games import (
    CYCLE,
    antisymmetric,
    real_games,
    realistic,
    small_integer_games,
    small_score_tables,
)
from tests.nash.oracles import entropy, equilibrium_polytope, most_even_rows, row_value


@given(small_integer_games())
@settings(max_examples=30, deadline=None)
def test_degenerate_games_give_the_most_even_equilibrium(payoff):
    solution = maxent_skew(payoff, merge_clones=False)
    slow = most_even_rows(payoff)
    assert solution.equilibrium.converged
    assert solution.exploitability <= 1e-12
    assert entropy(solution.p) >= entropy(slow) - 1e-7
    np.testing.assert_allclose(solution.p, slow, atol=2e-4)


@given(small_integer_games())
@settings(max_examples=30, deadline=None)
def test_the_support_is_every_agent_that_some_equilibrium_plays(payoff):
    reachable, _ = equilibrium_polytope(payoff)
    solution = maxent_skew(payoff, merge_clones=False)
    np.testing.assert_array_equal(solution.p > 0.0, reachable > 1e-7)


@given(real_games())
@settings(max_examples=30, deadline=None)
def test_generic_games_give_their_only_equilibrium(payoff):
    solution = maxent_skew(payoff)
    _, centre = equilibrium_polytope(payoff)
    np.testing.assert_allclose(solution.p, centre, atol=1e-7)
    assert solution.exploitability <= 1e-14 * np.abs(payoff).max()


@given(small_score_tables())
@settings(max_examples=30, deadline=None)
def test_both_sides_of_a_score_table_are_most_even(score):
    solution = maxent_zero_sum(score, merge_clones=False)
    np.testing.assert_allclose(solution.agent_p, most_even_rows(score), atol=2e-4)
    np.testing.assert_allclose(solution.task_p, most_even_rows(-score.T), atol=2e-4)
    assert solution.value == pytest.approx(row_value(score), abs=1e-9)
    assert solution.exploitability <= 1e-12


@given(small_integer_games(), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_relabelling_agents_only_relabels_the_answer(payoff, seed):
    order = np.random.default_rng(seed).permutation(len(payoff))
    here = maxent_skew(payoff).p
    there = maxent_skew(payoff[np.ix_(order, order)]).p
    np.testing.assert_allclose(there, here[order], atol=1e-9)


@pytest.mark.parametrize("exponent", [-12, -6, 0, 6, 12])
def test_the_overall_scale_does_not_matter(exponent):
    rng = np.random.default_rng(4)
    for payoff in (antisymmetric(rng.normal(size=(30, 30))), np.round(antisymmetric(rng.normal(size=(9, 9))))):
        scaled = maxent_skew(payoff * 10.0**exponent)
        np.testing.assert_allclose(scaled.p, maxent_skew(payoff).p, atol=1e-12)
        assert scaled.exploitability <= 1e-12 * 10.0**exponent * np.abs(payoff).max()


@given(small_score_tables(), st.integers(0, 2**32 - 1), st.floats(5.0, 15.0))
@settings(max_examples=30, deadline=None)
def test_ties_broken_by_next_to_nothing_still_give_a_certificate(score, seed, digits):
    noise = np.random.default_rng(seed).uniform(-1.0, 1.0, score.shape) * 10.0**-digits
    by_task = maxent_zero_sum(score + noise)
    side = min(score.shape)
    by_agent = maxent_skew(antisymmetric((score + noise)[:side, :side]))
    for solution in (by_task, by_agent):
        assert solution.equilibrium.converged
        assert solution.equilibrium.kkt <= 1e-8
        assert solution.exploitability <= 1e-8


def test_one_agent_has_all_the_mass():
    assert maxent_skew(np.zeros((1, 1))).p.tolist() == [1.0]


def test_a_dominant_agent_has_all_the_mass():
    payoff = antisymmetric(np.full((5, 5), 0.001))
    payoff[0, 1:], payoff[1:, 0] = 3.0, -3.0
    assert maxent_skew(payoff).p.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_an_agent_that_nobody_plays_can_still_bind():
    # Two free cycles; the seventh agent gains 2 from the first and loses 1 to the second, so the first
    # may carry at most a third. Without it each carries half.
    payoff = np.zeros((7, 7))
    payoff[:3, :3] = payoff[3:6, 3:6] = CYCLE
    payoff[6, :3], payoff[6, 3:6] = 2.0, -1.0
    payoff[:6, 6] = -payoff[6, :6]
    np.testing.assert_allclose(maxent_skew(payoff).p, [1 / 9] * 3 + [2 / 9] * 3 + [0.0], atol=1e-12)


@pytest.mark.parametrize("size", [200, 260])
def test_growing_the_set_of_strategies_gives_the_answer_of_the_whole(size, monkeypatch):
    rng = np.random.default_rng(size)
    tied = np.round(realistic(size, rng) * 2.0) / 2.0
    for payoff in (realistic(size, rng), antisymmetric(rng.integers(-1, 2, size=(size, size)).astype(float)), tied):
        grown = maxent_skew(payoff)
        with monkeypatch.context() as patch:
            patch.setattr("equipoise.nash.solve.WHOLE", size)
            whole = maxent_skew(payoff)
        assert grown.equilibrium.converged
        assert whole.equilibrium.converged
        np.testing.assert_allclose(grown.p, whole.p, atol=1e-9)


def test_strategies_tied_with_the_equilibrium_are_let_in():
    # 300 agents of equal rating, apart from a cycle among 3 that are not among the first: all are played.
    payoff = np.zeros((300, 300))
    payoff[-3:, -3:] = CYCLE
    np.testing.assert_allclose(maxent_skew(payoff, merge_clones=False).p, np.full(300, 1 / 300), atol=1e-12)


def test_hundreds_of_noisy_agents_are_certified():
    payoff = antisymmetric(np.random.default_rng(0).normal(size=(500, 500)))
    solution = maxent_skew(payoff)
    assert solution.exploitability <= 1e-12 * np.abs(payoff).max()
    assert solution.equilibrium.converged
    assert 200 < np.count_nonzero(solution.p) < 300


def test_thousands_of_agents_with_a_small_support_are_solved_on_a_small_set(monkeypatch):
    sizes = []
    from equipoise.nash import solve

    original = solve.skew_centre
    monkeypatch.setattr(solve, "skew_centre", lambda part, block: sizes.append(len(part)) or original(part, block))
    payoff = realistic(2000, np.random.default_rng(1)).astype(np.float32)
    solution = maxent_skew(payoff)
    assert max(sizes) <= 300
    assert solution.exploitability <= 1e-7 * np.abs(payoff).max()  # the input itself is single precision


@given(small_integer_games(largest=9))
@settings(max_examples=30, deadline=None)
def test_the_linear_programme_that_stands_in_gives_the_same_partition(payoff):
    part = AgentGame(payoff, 1.0).part(np.arange(len(payoff)))
    again = _complementary(part, np.zeros(len(payoff), dtype=np.intp))
    assert again is not None
    np.testing.assert_array_equal(again[1], maxent_equilibrium(AgentGame(payoff, 1.0)).mass > 0.0)


def test_a_spoilt_partition_is_found_again(monkeypatch):
    from equipoise.nash import interior_point

    monkeypatch.setattr(interior_point.Centre, "played", lambda self: np.arange(len(self.mass)) == 0)
    np.testing.assert_allclose(maxent_skew(CYCLE).p, np.full(3, 1 / 3), atol=1e-12)


def test_asymmetry_names_its_place():
    payoff = antisymmetric(np.random.default_rng(0).normal(size=(700, 700)))
    payoff[3, 650] += 0.5
    worst, row, column = asymmetry(payoff)
    assert worst == pytest.approx(0.5)
    assert {row, column} == {3, 650}


@pytest.mark.parametrize("seed", range(4))
def test_where_a_large_game_begins_does_not_change_its_answer(seed):
    rng = np.random.default_rng(seed)
    score = rng.integers(0, 3, size=(40, 200)).astype(float) if seed % 2 else rng.normal(size=(120, 90))
    plain = maxent_zero_sum(score)
    hints = (plain.value - plain.skill, -plain.difficulty - plain.value)
    wrong = (rng.permutation(len(score)) + 0.0, np.full(score.shape[1], np.inf))
    for near in (hints, wrong):
        again = maxent_zero_sum(score, near=near)
        assert again.value == pytest.approx(plain.value, abs=1e-12)
        np.testing.assert_allclose(again.agent_p, plain.agent_p, atol=1e-9)
        np.testing.assert_allclose(again.task_p, plain.task_p, atol=1e-9)
