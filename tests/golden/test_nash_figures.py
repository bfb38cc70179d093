"""Figures of Balduzzi et al. (2018), Re-evaluating Evaluation, section 4 and appendix A."""

import numpy as np
import pytest

import equipoise as eq

CYCLIC = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
TRANSITIVE = np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0], [-2.0, -1.0, 0.0]])


def test_example_1_rock_paper_scissors():
    found = eq.nash_average(CYCLIC * 4.6)
    np.testing.assert_allclose(found.p, 1 / 3, atol=1e-8)
    np.testing.assert_allclose(found.average, 0.0, atol=1e-8)


def test_example_1_with_a_second_copy_of_c():
    payoff = np.array([[0, 4.6, -4.6, -4.6], [-4.6, 0, 4.6, 4.6], [4.6, -4.6, 0, 0], [4.6, -4.6, 0, 0]])
    found = eq.nash_average(payoff)
    np.testing.assert_allclose(found.p, [1 / 3, 1 / 3, 1 / 6, 1 / 6], atol=1e-8)
    np.testing.assert_allclose(found.average, 0.0, atol=1e-8)
    np.testing.assert_allclose(found.uniform, [-1.15, 1.15, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.25, 0.49, 0.5])
def test_example_2_up_to_one_half(epsilon):
    found = eq.nash_average(CYCLIC + epsilon * TRANSITIVE)
    expected = [(1 + epsilon) / 3, (1 - 2 * epsilon) / 3, (1 + epsilon) / 3]
    np.testing.assert_allclose(found.p, expected, atol=1e-8)
    np.testing.assert_allclose(found.average, 0.0, atol=1e-8)


@pytest.mark.parametrize("epsilon", [0.500001, 0.6, 1.0, 3.0])
def test_example_2_beyond_one_half(epsilon):
    found = eq.nash_average(CYCLIC + epsilon * TRANSITIVE)
    np.testing.assert_allclose(found.p, [1.0, 0.0, 0.0], atol=1e-8)
    np.testing.assert_allclose(found.average, [0.0, -1 - epsilon, 1 - 2 * epsilon], atol=1e-8)


def test_appendix_a_a_near_copy_turns_plain_averages_round_but_not_nash_averages():
    # The paper's own numbers are lost in our copy of it; these fit its text.
    table = np.array([[89, 93, 76, 77], [85, 85, 85, 84], [79, 74, 99, 98]], dtype=float)
    three = eq.Scores.from_matrix(table[:, :3], agents="ABC")
    four = eq.Scores.from_matrix(table, agents="ABC")
    assert three.values.mean(axis=1).argsort()[::-1].tolist() == [0, 1, 2]
    assert four.values.mean(axis=1).argsort()[::-1].tolist() == [2, 1, 0]
    before, after = eq.nash_average(three), eq.nash_average(four)
    np.testing.assert_allclose(before.agent_p, [0.5, 0.0, 0.5], atol=1e-8)
    np.testing.assert_allclose(after.agent_p, [0.5, 0.0, 0.5], atol=1e-8)
    np.testing.assert_allclose([before.value, after.value], 0.5, atol=1e-8)
    np.testing.assert_allclose(after.task_p[2:].sum(), before.task_p[2], atol=1e-8)


@pytest.mark.parametrize(
    ("payoff", "p", "average"),
    [
        ([[0, -1, -1], [1, 0, -1], [1, 1, 0]], [0, 0, 1], [-1, -1, 0]),
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [1 / 3] * 3, [0, 0, 0]),
        (
            [[0, 234, 34, -270], [-234, 0, -38, -464], [-34, 38, 0, -270], [270, 464, 270, 0]],
            [0, 0, 0, 1],
            [-270, -464, -270, 0],
        ),
    ],
)
def test_open_spiels_agent_games(payoff, p, average):
    """Games and answers of OpenSpiel's nash_averaging_test.py (Apache-2.0); OpenSpiel 2.0.2 gives them to 1e-5."""
    found = eq.nash_average(np.array(payoff, dtype=float))
    np.testing.assert_allclose(found.p, p, atol=1e-12)
    np.testing.assert_allclose(found.average, average, atol=1e-9)


@pytest.mark.parametrize("copies", [1, 2])
def test_open_spiels_task_games(copies):
    """OpenSpiel's game1 and game2: the strongest agent, once and twice."""
    rows = [[0, 0, 0], [1, 10, 100], [2, 20, 200], *[[3, 30, 300]] * copies]
    found = eq.nash_average(eq.Scores.from_matrix(rows))
    np.testing.assert_allclose(found.agent_p, [0, 0, 0] + [1 / copies] * copies, atol=1e-12)
    np.testing.assert_allclose(found.task_p, 1 / 3, atol=1e-12)
    np.testing.assert_allclose(found.skill, [0, 1 / 3, 2 / 3] + [1.0] * copies, atol=1e-12)


@pytest.mark.parametrize(
    ("upper", "p"),
    [
        # Upper triangles, row by row, of games with faces of 2 and 1 dimensions.
        ([0, 1, 2, -2, -2, -1, -1, 2, 0, 0, 1, 0, 2, 0, -1], [0, 0, 0.303978, 0.272016, 0, 0.424005]),
        ([-1, -1, 2, -2, -1, 1, 2, -2, -1, -1, -2, -2, 2, -1, 2], [0, 0.180147, 0, 0.363971, 0.272059, 0.183823]),
    ],
)
def test_open_spiels_answers_where_there_are_many_equilibria(upper, p):
    """Computed once with OpenSpiel 2.0.2 (cvxpy 1.9.3, Clarabel), good to about 5e-5."""
    payoff = np.zeros((6, 6))
    payoff[np.triu_indices(6, 1)] = upper
    np.testing.assert_allclose(eq.maxent_nash(payoff - payoff.T, merge_clones=False).p, p, atol=5e-5)


def test_open_spiels_answer_for_a_score_table():
    """Computed once with OpenSpiel 2.0.2; both sides have more than one optimal strategy or mixed ones."""
    scores = [[1, 2, 3, 3], [0, 0, 3, 3], [0, 1, 3, 1], [1, 3, 1, 1], [2, 2, 0, 0]]
    found = eq.nash_average(eq.Scores.from_matrix(scores), merge_clones=False)
    np.testing.assert_allclose(found.agent_p, [0.666667, 0, 0, 0, 0.333333], atol=5e-5)
    np.testing.assert_allclose(found.task_p, [0.469494, 0.295759, 0.117372, 0.117375], atol=5e-5)
