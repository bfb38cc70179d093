"""Games of known payoffs that a response graph is learned from."""

import numpy as np
import pytest

from equipoise.reproduce.incomplete_learning import FORMS, LearnedGame, bernoulli, learn, ranking_error

CLEAR = LearnedGame((np.array([[0.5, 0.9], [0.1, 0.5]]), np.array([[0.5, 0.1], [0.9, 0.5]])), symmetric=True)
TIED = LearnedGame((np.array([[0.5, 0.5], [0.5, 0.9]]), np.array([[0.9, 0.1], [0.1, 0.9]])))


@pytest.mark.parametrize("form", FORMS)
def test_a_clear_game_is_learned(form):
    run = learn(CLEAR, form, seed=0, delta=1e-3)
    assert (run.wrong, run.unresolved) == (0, 0)
    assert ranking_error(CLEAR, run.seen) == 0


def test_the_means_seen_come_near_the_payoffs():
    game = bernoulli(0)
    run = learn(game, "UCB", seed=0, delta=1e-3)
    assert run.games > 5000
    assert np.abs(np.array(run.seen) - np.array(game.payoffs)).max() < 0.1


def test_an_outcome_of_a_symmetric_game_counts_for_both_seats():
    first, second = learn(CLEAR, "UCB", seed=1).seen
    assert first == pytest.approx(second.T)
    assert first + second == pytest.approx(np.ones((2, 2)))


def test_a_budget_is_kept_to_and_what_is_open_is_said():
    run = learn(TIED, "UCB", seed=0, budget=500, sampling="uniform")
    assert run.games == 500
    assert run.unresolved > 0


def test_a_tie_that_was_resolved_counts_as_wrong():
    same = LearnedGame((np.full((2, 2), 0.5), np.array([[0.9, 0.1], [0.1, 0.9]])))
    run = learn(same, "CP-UCB relaxed", seed=0)
    assert run.unresolved == 0
    assert run.wrong == 2


def test_later_games_come_in_portions_and_cost_about_as_much(monkeypatch):
    """Fifteen runs each: portions of five percent change the mean by less than their noise."""
    portions = np.mean([learn(bernoulli(seed), "UCB relaxed", seed=seed).games for seed in range(15)])
    monkeypatch.setattr("equipoise.reproduce.incomplete_learning.PORTION", 0.0)
    single = np.mean([learn(bernoulli(seed), "UCB relaxed", seed=seed).games for seed in range(15)])
    assert portions == pytest.approx(single, rel=0.2)
