"""Clones: found, merged, and invariance P1 in its right form."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.nash.kernels import maxent_skew, maxent_zero_sum
from equipoise.nash.reduction import clone_classes
from tests.nash.games import CYCLE, real_games, small_integer_games, small_score_tables


def cloned(payoff: np.ndarray, copies: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The game with further copies of the agents listed, and which original each agent is."""
    origin = np.concatenate([np.arange(len(payoff)), np.array(copies, dtype=int)])
    return payoff[np.ix_(origin, origin)], origin


@given(small_score_tables(largest=5), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_classes_agree_with_comparing_all_pairs_of_rows(rows, seed):
    rows = rows[np.random.default_rng(seed).integers(0, len(rows), size=12)]
    classes = clone_classes(rows)
    slow = (rows[:, None, :] == rows[None, :, :]).all(axis=2)
    np.testing.assert_array_equal(classes[:, None] == classes[None, :], slow)
    assert list(dict.fromkeys(classes.tolist())) == list(range(classes.max() + 1))


def test_one_unit_in_the_last_place_does_not_make_a_clone_an_individual():
    payoff, _ = cloned(CYCLE * 4.6, [2])
    nudged = payoff.copy()
    nudged[3, 0] = np.nextafter(nudged[3, 0], 10.0)
    np.testing.assert_allclose(maxent_skew(nudged).p, [1 / 3, 1 / 3, 1 / 6, 1 / 6], atol=1e-14)


@given(st.one_of(real_games(largest=8), small_integer_games()), st.data())
@settings(max_examples=30, deadline=None)
def test_clones_share_the_mass_of_the_original(payoff, data):
    copies = data.draw(st.lists(st.integers(0, len(payoff) - 1), max_size=4))
    larger, origin = cloned(payoff, copies)
    before, after = maxent_skew(payoff), maxent_skew(larger)
    # Classes, not agents: an agent of `payoff` may already have clones among the others.
    classes = clone_classes(payoff)
    for c in range(classes.max() + 1):
        members = np.flatnonzero(classes[origin] == c)
        assert abs(after.p[members].sum() - before.p[classes == c].sum()) < 1e-9
        assert np.ptp(after.p[members]) < 1e-15
    np.testing.assert_allclose(after.average, before.average[origin], atol=1e-9)


def test_the_literal_definition_breaks_invariance_where_the_equilibrium_is_not_unique():
    blocks = np.zeros((6, 6))
    blocks[:3, :3] = blocks[3:, 3:] = CYCLE
    larger, _ = cloned(blocks, [0, 1, 2])
    merged = maxent_skew(larger)
    literal = maxent_skew(larger, merge_clones=False)
    np.testing.assert_allclose(merged.p, [1 / 12] * 3 + [1 / 6] * 3 + [1 / 12] * 3, atol=1e-12)
    np.testing.assert_allclose(literal.p, np.full(9, 1 / 9), atol=1e-12)


@given(small_score_tables(), st.data())
@settings(max_examples=30, deadline=None)
def test_cloned_agents_and_tasks_change_no_skill_and_no_difficulty(score, data):
    agents, tasks = score.shape
    more_agents = data.draw(st.lists(st.integers(0, agents - 1), max_size=3))
    more_tasks = data.draw(st.lists(st.integers(0, tasks - 1), max_size=3))
    rows = np.array([*range(agents), *more_agents])
    columns = np.array([*range(tasks), *more_tasks])
    before, after = maxent_zero_sum(score), maxent_zero_sum(score[np.ix_(rows, columns)])
    np.testing.assert_allclose(after.skill, before.skill[rows], atol=1e-9)
    np.testing.assert_allclose(after.difficulty, before.difficulty[columns], atol=1e-9)
