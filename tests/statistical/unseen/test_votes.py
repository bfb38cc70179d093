"""Votes with columns that say who voted on what: errors are clustered by both, by themselves."""

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from tests.statistical.honesty import SIGMAS, record
from tests.statistical.unseen.newcomers_worlds import board_with_newcomers
from tests.statistical.unseen.votes_worlds import CROWDS

LEAST, MOST = 0.93, 0.06
DRAWS = 150


@pytest.mark.parametrize("name", CROWDS)
def test_ratings_of_votes_are_covered_and_equal_models_seldom_ranked_apart(name):
    held, apart, plain = [], [], []
    for seed in range(DRAWS):
        votes = CROWDS[name].draw(np.random.default_rng([19, seed]))
        board = eq.bradley_terry(eq.read_matches(votes, group="auto"), rng=seed)
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


@pytest.mark.parametrize(("games", "one_voter"), [(1, False), (4, False), (8, False), (8, True)])
def test_newcomers_are_covered_and_leave_the_others_alone(games, one_voter):
    late, settled, provisional, widest, spans = [], [], [], 0.0, []
    for seed in range(DRAWS):
        votes, truth = board_with_newcomers(np.random.default_rng([12, games, seed]), games, one_voter=one_voter)
        board = eq.bradley_terry(eq.read_matches(votes, group="auto"), rng=seed).relative_to("m0")
        true = np.array([truth[name] - truth["m0"] for name in board.agents])
        new = np.array([name.startswith("new") for name in board.agents])
        held = (board.low <= true) & (board.high >= true)
        late.append(held[new].mean())
        settled.append(held[~new & (np.array(board.agents) != "m0")].mean())
        widest = max(widest, float((board.high - board.low)[new].max()))
        # Where one voter gave most of all votes everybody is known from little, and nobody is provisional.
        provisional.append(board.provisional[new].all() and not board.provisional[~new].any())
        alone = eq.bradley_terry(
            eq.read_matches(votes.filter(~pl.col("model_a").str.starts_with("new")), group="auto"), rng=seed
        )
        spans.append(np.mean((board.rank_high - board.rank_low)[~new]) - np.mean(alone.rank_high - alone.rank_low))
    for what, shares in (("newcomers", late), ("others", settled)):
        share = float(np.mean(shares))
        record(f"{what}, {games} games{' of one voter' if one_voter else ''}", f"at least {LEAST:.0%}", round(share, 3))
        assert share >= LEAST - SIGMAS * np.std(shares) / np.sqrt(DRAWS)
    assert np.mean(provisional) > 0.8
    assert widest < 2 * 3.5 * 3.0, "wider than the prior"
    assert np.mean(spans) < 0.3, "newcomers widen the others' ranks"
