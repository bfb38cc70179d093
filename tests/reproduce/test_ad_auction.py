"""The ad auction of our own, and the slopes of the indicators paper by its authors' rule."""

from itertools import combinations

import numpy as np
import pytest

from equipoise.data.types.scores import Scores
from equipoise.items.fit import irt
from equipoise.reproduce.ad_auction import BIDDERS, CONTROLS, SEATS, _dealt, play_tournament
from equipoise.reproduce.indicators_benchmark import FittedBenchmark


def test_matches_are_zero_sum_seeded_and_everybody_moves_from_seat_to_seat():
    matches = play_tournament(matches=8, seed=3)
    won = matches.utility.reshape(8, SEATS)
    np.testing.assert_allclose(won.sum(axis=1), 0.0, atol=1e-9)
    play_tournament.cache_clear()
    np.testing.assert_array_equal(play_tournament(matches=8, seed=3).utility, matches.utility)
    assert (play_tournament(matches=8, seed=4).utility != matches.utility).any()
    assert set(matches.agents) == set(BIDDERS)
    seats = {(agent, seat) for agent, seat in zip(matches.agent.codes, matches.seat.codes, strict=True)}
    assert len(seats) == SEATS**2


@pytest.mark.parametrize("control", CONTROLS)
def test_in_self_play_seats_with_one_speciality_do_more_alike_than_others(control):
    """Specialities are the luck of a match: a control that plays all seats with them shows it."""
    own = play_tournament().controls[control].reshape(-1, SEATS)
    np.testing.assert_allclose(own.sum(axis=1), 0.0, atol=1e-9)
    alike, apart = [], []
    for match, row in enumerate(own):
        luck = _dealt(np.random.default_rng([0, match]))
        for i, j in combinations(range(SEATS), 2):
            same = luck.maker[i] == luck.maker[j] and luck.kind[i] == luck.kind[j]
            (alike if same else apart).append((row[i] - row[j]) ** 2)
    assert len(alike) > 100
    assert np.mean(alike) < np.mean(apart)


@pytest.mark.parametrize("carried", [True, False])
def test_slopes_follow_the_authors_rule_and_carry_over_what_they_carry_over(carried):
    answers = {
        "falls": [1, 1, 1, 1, 0, 0, 0, 0],  # from 1 in the second bin to 0 in the third
        "stays high": [1, 1, 1, 1, 1, 1, 1, 1],  # never below a half: keeps the slope of the one before
        "starts low": [0, 0, 0, 0, 0, 0, 0, 0],  # at most a half: no slope
        "stays high too": [1, 1, 1, 1, 1, 1, 1, 1],
        "dips at half": [1, 0, 1, 1, 0, 0, 0, 0],  # a half in the first bin, then a fall
    }
    places = [-1.5, -1.3, -0.5, -0.1, 0.2, 0.6, 1.5, 2.5]
    binary = Scores.from_matrix(list(answers.values()), agents=list(answers), tasks=[f"t{k}" for k in range(8)])
    theirs = {f"t{k}": (1.0, place) for k, place in enumerate(places)}
    data = FittedBenchmark(binary, irt(binary, model="rasch"), theirs, (-2.0, -1.0, 0.0, 1.0, 3.0))
    np.testing.assert_allclose(data.places(), [-1.4, -0.3, 0.4, 2.0])
    steep = 1 / 0.7
    expected = [steep, steep if carried else np.nan, np.nan, np.nan, steep]
    np.testing.assert_allclose(data.slopes(carried), expected)
