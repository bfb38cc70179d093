"""Votes with columns that say who voted on what: errors are clustered by both, by themselves."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from tests.statistical.honesty import SIGMAS, record
from tests.statistical.unseen.newcomers_worlds import board_with_newcomers
from tests.statistical.unseen.style_worlds import STYLES, TONGUES, limit, matches
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


@pytest.mark.parametrize("name", CROWDS)
def test_plans_seldom_decide_between_equal_models(name):
    wrong, alone = [], []
    for seed in range(DRAWS):
        votes = CROWDS[name].draw(np.random.default_rng([30, seed]))
        for found, group in ((wrong, "auto"), (alone, "none")):
            plan = eq.plan(eq.read_matches(votes, group=group), goal="order")
            found.append(set(plan.verdict) != {"undecided"})
    check_wrong(f"plan: {name}", wrong)
    if name == "few annotators, many questions":
        assert np.mean(alone) > MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / DRAWS), "independent votes would do as well"


@pytest.mark.parametrize("name", ["few annotators, many questions", "both matter"])
def test_bounds_on_masses_of_equal_models_hold_those_that_equal_models_have(name):
    wrong, alone = [], []
    world = replace(CROWDS[name], votes=4 * CROWDS[name].votes)
    for seed in range(DRAWS // 2):
        votes = world.draw(np.random.default_rng([32, seed]))
        for found, group in ((wrong, "auto"), (alone, "none")):
            rank = eq.alpha_rank(eq.read_matches(votes, group=group), confidence="auto")
            found.append(((rank.low > 1 / world.models + 1e-9) | (rank.high < 1 / world.models - 1e-9)).any())
    check_wrong(f"masses: {name}", wrong)
    if name == "few annotators, many questions":
        assert np.mean(alone) > MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / len(alone)), "independent votes would do"


@pytest.mark.parametrize("name", ["few annotators, many questions", "both matter", "neither matters"])
def test_ratings_over_time_are_covered_where_people_and_questions_differ(name):
    held, changed, alone = [], [], []
    for seed in range(DRAWS // 3):
        votes = CROWDS[name].draw(np.random.default_rng([31, seed]))
        month = pl.int_range(pl.len()) * 5 // pl.len() + 1
        votes = votes.with_columns(date=pl.format("2026-0{}-10", month))
        for group in ("auto", "none"):
            found = eq.whole_history(eq.read_matches(votes, group=group, time="date"), unit="month")
            (held if group == "auto" else alone).append(np.mean((found.low <= 0) & (found.high >= 0)))
            changed += [set(found.verdict) != {"undecided"}] if group == "auto" else []
    check(f"ratings over time: {name}", held)
    check_wrong(f"changes over time: {name}", changed)
    if name == "few annotators, many questions":
        assert np.mean(alone) < LEAST - SIGMAS * np.std(alone) / np.sqrt(len(alone)), (
            "independent votes would do as well"
        )


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


def check(what, held, least=LEAST):
    """Assert that intervals hold often enough, up to the error of the simulation."""
    share = float(np.mean(held))
    record(what, f"at least {least:.0%}", round(share, 3))
    assert share >= least - SIGMAS * np.std(held) / np.sqrt(len(held)), what


def check_wrong(what, wrong):
    """Assert that something goes wrong seldom enough, up to the error of the simulation."""
    share = float(np.mean(wrong))
    record(what, f"wrong in at most {MOST:.0%}", round(share, 4))
    assert share <= MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / len(wrong)), what


@pytest.mark.parametrize("name", STYLES)
def test_what_length_is_worth_and_what_it_changes_is_covered_where_people_and_questions_differ(name):
    plain, controlled, worth = limit(STYLES[name])
    ratings, coefficients, changes, alone = [], [], [], []
    for seed in range(DRAWS):
        votes = STYLES[name].draw(np.random.default_rng([42, seed]))
        board = eq.style_control(matches(votes, "auto"), rng=seed)
        true, before = (np.array([of[agent] for agent in board.agents]) for of in (controlled, plain))
        held = (board.controlled.low <= true) & (true <= board.controlled.high)
        ratings.append(held.mean())
        value = worth * board.coefficients.scale[0]
        coefficients.append(board.coefficients.low[0] <= value <= board.coefficients.high[0])
        changes.append(((board.low > true - before) | (board.high < true - before)).any())
        independent = eq.style_control(matches(votes, "none"), rng=seed)
        alone.append(((independent.low > true - before) | (independent.high < true - before)).any())
    check(f"ratings at equal length: {name}", ratings)
    check(f"worth of length: {name}", coefficients)
    check_wrong(f"changes by length: {name}", changes)
    if name != "neither matters":
        assert np.mean(alone) > MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / DRAWS), "independent votes would do as well"


@pytest.mark.parametrize("name", TONGUES)
def test_ratings_by_language_are_covered_where_people_and_questions_differ(name):
    held, wrong, plain = {"ratings": [], "differences": [], "overall": []}, [], []
    for seed in range(DRAWS // 2):
        votes, strength = TONGUES[name].draw(np.random.default_rng([44, seed]))
        board = eq.categories(eq.read_matches(votes, group="auto", labels=["language"]), by="language", rng=seed)
        places = ([int(one[1:]) for one in names] for names in (board.agents, board.categories))
        true = TONGUES[name].average_ratings(strength)[np.ix_(*places)]
        true -= true.mean(axis=0)
        overall = true.mean(axis=1)
        off = np.round(true - overall[:, None], 9)
        held["ratings"].append(np.mean((board.low <= true) & (true <= board.high)))
        held["differences"].append(np.mean((board.difference_low <= off) & (off <= board.difference_high)))
        held["overall"].append(np.mean((board.overall_low <= overall) & (overall <= board.overall_high)))
        wrong.append(((board.special != 0) & (np.sign(off) != board.special)).any())
        independent = eq.categories(eq.read_matches(votes, group="none", labels=["language"]), by="language", rng=seed)
        plain.append(np.mean((independent.low <= true) & (true <= independent.high)))
    for what, shares in held.items():
        check(f"{what} by language: {name}", shares)
    check_wrong(f"special in a language: {name}", wrong)
    if name != "nothing is shared":
        assert np.mean(plain) < LEAST - SIGMAS * np.std(plain) / np.sqrt(len(plain)), (
            "independent votes would do as well"
        )
