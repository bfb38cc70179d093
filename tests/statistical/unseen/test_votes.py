"""Votes with columns that say who voted on what: errors are clustered by both, by themselves."""

import numpy as np
import pytest

import equipoise as eq
from tests.statistical.honesty import SIGMAS, record
from tests.statistical.unseen.votes_worlds import CROWDS

LEAST, MOST = 0.93, 0.06
DRAWS = 150


@pytest.mark.parametrize("name", CROWDS)
def test_ratings_of_votes_are_covered_and_equal_models_seldom_ranked_apart(name):
    held, apart, plain = [], [], []
    for seed in range(DRAWS):
        votes = CROWDS[name].draw(np.random.default_rng([19, seed]))
        board = eq.bradley_terry(eq.read_matches(votes), rng=seed)
        held.append(np.mean((board.low <= 0) & (board.high >= 0)))
        apart.append(board.rank_low.max() > 1)
        independent = eq.bradley_terry(eq.read_matches(votes, group="none"), rng=seed)
        plain.append(np.mean((independent.low <= 0) & (independent.high >= 0)))
    covered, wrong = float(np.mean(held)), float(np.mean(apart))
    record(f"votes: {name}", f"95%, at least {LEAST:.0%}; ranks wrong in at most {MOST:.0%}", round(covered, 3))
    record(f"votes: {name}, ranks", f"wrong in at most {MOST:.0%}", round(wrong, 4))
    assert covered >= LEAST - SIGMAS * np.std(held) / np.sqrt(DRAWS)
    assert wrong <= MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / DRAWS)
    if name != "neither matters":
        assert np.mean(plain) < LEAST - SIGMAS * np.std(plain) / np.sqrt(DRAWS), "independent votes would do as well"
