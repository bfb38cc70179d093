"""What a leaderboard of one score a cell does not say: that few tasks which agree make anything certain."""

import numpy as np
import pytest

import equipoise as eq


@pytest.mark.parametrize(("tasks", "sure"), [(2, False), (4, False), (6, True), (40, True)])
def test_tasks_that_all_agree_are_a_sign_test(tasks, sure):
    """Two agents of whom one is always better: with n tasks, 2^(1 - n) by chance."""
    board = eq.tasks(eq.Scores.from_matrix(np.array([[0.0], [1.0]]) * np.ones(tasks)), n=2).board
    assert (board.pairs.rank_high[1] == 1) == sure == (2.0 ** (1 - tasks) <= 0.05)
    assert board.low[1] < 1.0
    assert board.high[0] > 0.0
    assert (len(board.leaders) == 1) == sure


def test_scores_that_spread_are_left_alone():
    values = np.random.default_rng(3).normal(size=(4, 30))
    board = eq.tasks(eq.Scores.from_matrix(values), units="none", n=2).board
    plain = eq.aggregate(eq.Scores.from_matrix(values), over="tasks")
    assert board.low == pytest.approx(plain.mean_low, abs=0.02)


def test_answers_of_a_few_items_separate_no_two_of_a_thousand():
    board = eq.tasks("lsat", n=2).board
    assert board.pairs.rank_low.max() == 1
    assert board.pairs.rank_high.min() == len(board.agents)
