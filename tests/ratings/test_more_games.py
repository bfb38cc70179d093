"""How many games would tell two agents apart, with what the number means."""

import math

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.ratings.paired.more_games import games_to_tell_apart, information_of_a_game, more_games


@pytest.mark.parametrize("known", [1e-9, 30.0])
def test_the_power_is_what_a_simulation_of_normal_estimates_gives(known):
    d, w, critical = 0.4, 0.2, 2.5
    m = games_to_tell_apart(d, 1 / known, w, critical, 0.8)
    rng = np.random.default_rng(0)
    new = rng.normal(d, 1 / np.sqrt(m * w), size=200_000)
    together = (known * d + m * w * new) / (known + m * w)
    assert np.mean(together * np.sqrt(known + m * w) > critical) == pytest.approx(0.8, abs=0.01)
    # Where nothing is known it is the textbook's number.
    assert known > 1 or m == math.ceil(((critical + scipy.special.ndtri(0.8)) / d) ** 2 / w - 1e-3)


def test_information_is_minus_the_expected_curvature():
    from equipoise.ratings.paired.ties import PairCounts, curvature, log_likelihood

    one, none = np.ones(1), np.zeros(1)
    singles = [PairCounts(one, none, none), PairCounts(none, one, none), PairCounts(none, none, one)]
    for model, tie in (("davidson", -0.3), ("rao-kupper", 0.4)):
        d = np.array([0.7])
        bends = [math.exp(log_likelihood(d, tie, s, model)) * curvature(d, tie, s, model).dd[0] for s in singles]
        assert information_of_a_game(0.7, model, 0.0, tie) == pytest.approx(sum(bends))
    assert information_of_a_game(0.7, "half", 0.0, 0.0) == pytest.approx(curvature(d, 0.0, singles[0], "half").dd[0])
    assert information_of_a_game(0.7, "half", 0.3, 0.0) > information_of_a_game(0.7, "half", 0.0, 0.0)


def test_a_tie_at_the_top_says_how_many_games_and_what_that_means():
    board = eq.rank(eq.PairTable.from_wins([[0, 12, 19], [10, 0, 18], [1, 2, 0]], ["x", "y", "z"]))
    said = next(sentence for sentence in board.answer if "more games between x and y" in sentence)
    assert "at 95%" in said
    assert "power of 80%" in said
    assert "Elo points" in said


def test_nothing_is_said_where_it_is_settled_or_cannot_be_said():
    clear = eq.PairTable.from_wins([[0, 90, 95], [10, 0, 60], [5, 40, 0]], ["x", "y", "z"])
    assert more_games(eq.bradley_terry(clear), clear) is None
    bare = eq.PairTable.from_matrix([[0.5, 0.6], [0.4, 0.5]])
    assert more_games(eq.bradley_terry(bare), bare) is None
    m = eq.Matches.from_columns("ab" * 20, "ba" * 20, [1, 0.5, 0, 1] * 10, group=list(range(20)) * 2)
    assert more_games(eq.bradley_terry(m), m.pairs(by_group=True)) is None


def test_equals_would_need_very_many():
    even = eq.PairTable.from_wins([[0, 10], [10, 0]], ["x", "y"])
    found = more_games(eq.bradley_terry(even), even)
    assert math.isinf(found.games)
    assert "More than 100,000" in found.words
