"""The worth of pairs brought forward game by game, against the same worked out anew."""

import numpy as np
import pytest

from equipoise.schedule.policies import Belief, order_reach, pair_worth, rating_covariance, with_one_more_game
from equipoise.schedule.running_worth import PER_AGENT, RunningWorth

PRIOR = 3.0


def a_league(n, seed):
    rng = np.random.default_rng(seed)
    games = np.triu(rng.integers(0, 5, (n, n)), 1).astype(float)
    return rng.normal(size=n), games + games.T, rng


def test_after_a_look_it_is_the_worth_of_the_policy():
    rating, games, _ = a_league(12, 0)
    exact = pair_worth("ranking", Belief(rating, rating_covariance(rating, games, PRIOR)))
    np.testing.assert_allclose(RunningWorth(rating, games, PRIOR).table(), exact, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_games_that_are_opened_change_it_as_a_new_covariance_would_with_the_order_as_open_as_it_was(seed):
    """The slow version: the covariance by the formula of one more game, and the product of three matrices each time."""
    n = 6 * PER_AGENT
    rating, games, rng = a_league(n, seed)
    running = RunningWorth(rating, games, PRIOR)
    now = Belief(rating, rating_covariance(rating, games, PRIOR))
    inverse = np.linalg.inv(now.covariance)
    open_order = inverse @ order_reach(now) @ inverse
    for _ in range(n // PER_AGENT):
        i, j = rng.choice(n, 2, replace=False).tolist()
        assert not running.is_old
        running.opened(i, j)
        now = with_one_more_game(now, i, j)
    assert running.is_old
    reach = now.covariance @ open_order @ now.covariance
    chance = 1.0 / (1.0 + np.exp(rating[None, :] - rating[:, None]))
    information = chance * (1.0 - chance)
    forms = [np.diag(form)[:, None] + np.diag(form)[None, :] - 2.0 * form for form in (now.covariance, reach)]
    wanted = information / (1.0 + information * forms[0]) * forms[1]
    np.fill_diagonal(wanted, 0.0)
    np.testing.assert_allclose(running.table(), wanted, rtol=1e-7, atol=1e-12)


def test_the_pair_that_it_chooses_is_worth_nearly_as_much_as_the_best_one():
    """Against everything worked out anew after each game, ratings included."""
    n = 64
    rating, games, rng = a_league(n, 5)
    running, wins = RunningWorth(rating, games, PRIOR), []
    low, high = np.triu_indices(n, 1)
    for _ in range(n // PER_AGENT):
        best = int(running.of(low, high).argmax())
        exact = pair_worth("ranking", Belief(running.rating, rating_covariance(running.rating, games, PRIOR)))
        wins.append(exact[low[best], high[best]] / exact.max())
        i, j = int(low[best]), int(high[best])
        running.opened(i, j)
        running.scored(i, j, float(rng.random() < 0.5))
        games[i, j] += 1
        games[j, i] += 1
    assert min(wins) > 0.95


def test_a_score_moves_the_ratings_nearly_as_a_new_fit_does():
    from equipoise.schedule.policies import rating_of_points

    n = 40
    _, games, rng = a_league(n, 3)
    share = rng.random((n, n))
    points = games * np.triu(share, 1) + games * np.tril(1.0 - share.T, -1)
    rating = rating_of_points(points, games, PRIOR, np.zeros(n))
    running = RunningWorth(rating, games, PRIOR)
    for i, j, score in ((0, 1, 1.0), (5, 9, 0.0), (1, 7, 0.5), (30, 2, 1.0)):
        running.opened(i, j)
        running.scored(i, j, score)
        games[i, j] += 1
        games[j, i] += 1
        points[i, j] += score
        points[j, i] += 1.0 - score
    fitted = rating_of_points(points, games, PRIOR, rating)
    moved = np.abs(fitted - rating).max()
    assert np.abs(running.rating - fitted).max() < 0.1 * moved
