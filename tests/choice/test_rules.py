"""Voting rules on elections whose outcomes are known, and against slow versions of the rules."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.methods import social_choice
from tests.choice.profiles import FORTY_FIVE, PENTATHLON, TENNESSEE, best_orders, counted_by_hand, random_ballots

RULES = (
    "kemeny", "schulze", "ranked-pairs", "copeland", "borda", "plurality", "approval", "runoff", "maximal-lottery"
)  # fmt: skip


def scores_of(ballots, rule, **options):
    result = social_choice(ballots, rule=rule, **options)
    return dict(zip(result.agents, result.score.tolist(), strict=True))


def test_the_meeple_pentathlon():
    assert social_choice(PENTATHLON).condorcet == "C"
    assert scores_of(PENTATHLON, "copeland") == {"A": 1, "B": 0, "C": 2}
    assert scores_of(PENTATHLON, "borda") == {"A": 6, "B": 3, "C": 6}
    kemeny = social_choice(PENTATHLON, rule="kemeny")
    assert (kemeny.order, kemeny.value, kemeny.bound) == (("C", "A", "B"), 5, 5)


def test_the_capital_of_tennessee():
    assert social_choice(TENNESSEE).condorcet == "N"
    assert scores_of(TENNESSEE, "borda") == {"N": 194, "C": 173, "M": 126, "K": 107}
    assert social_choice(TENNESSEE, rule="plurality").winners == ("M",)
    assert social_choice(TENNESSEE, rule="runoff").winners == ("K",)
    assert social_choice(TENNESSEE, rule="kemeny").order == tuple("NCKM")


def test_forty_five_votes_on_which_all_rules_disagree():
    assert social_choice(FORTY_FIVE, rule="schulze").order == tuple("EACBD")
    assert social_choice(FORTY_FIVE, rule="ranked-pairs").order == tuple("ACEBD")
    kemeny = social_choice(FORTY_FIVE, rule="kemeny")
    assert (kemeny.order, kemeny.value) == (tuple("EBADC"), 70)
    compared = FORTY_FIVE.weight.sum() * 10
    assert (compared - kemeny.value) / 2 == 190
    assert scores_of(FORTY_FIVE, "copeland") == {"E": 3, "A": 2, "B": 2, "C": 2, "D": 1}
    assert scores_of(FORTY_FIVE, "borda") == {"E": 102, "A": 98, "B": 92, "C": 89, "D": 69}
    assert scores_of(FORTY_FIVE, "plurality") == {"A": 10, "B": 8, "C": 12, "D": 7, "E": 8}
    assert social_choice(FORTY_FIVE, rule="runoff").winners == ("C",)
    assert (kemeny.uncovered, kemeny.smith) == (("A", "C", "E"), tuple("ABCDE"))
    lottery = social_choice(FORTY_FIVE, rule="maximal-lottery")
    assert lottery.p == pytest.approx([3 / 11, 0, 1 / 11, 0, 7 / 11], abs=1e-12)
    assert lottery.layers == (("A", "C", "E"), ("B",), ("D",))


RAINBOW = Path(os.environ.get("EQUIPOISE_DATA", "")) / "atari" / "rainbow_hessel2018_8agents_54games.csv"
WITH_RAINBOW = pytest.mark.skipif(not RAINBOW.is_file(), reason="EQUIPOISE_DATA names no folder with the Atari scores")


@WITH_RAINBOW
def test_rainbow_beats_every_other_agent_of_its_paper():
    scores = eq.read_scores(RAINBOW)
    at = {name.split("-")[0]: k for k, name in enumerate(scores.agents)}
    names = ("dqn", "a3c", "ddqn", "prior", "dueling", "distrib", "noisy", "rainbow")
    where = [at[name] for name in names]
    kemeny = social_choice(scores, rule="kemeny")
    assert kemeny.condorcet == "rainbow"
    assert kemeny.smith == ("rainbow",)
    assert kemeny.margins[at["rainbow"]][where].tolist() == [44, 20, 34, 24, 32, 20, 38, 0]
    assert kemeny.value == 641
    assert any("2 orders" in note.message for note in kemeny.diagnostics)
    assert {"a3c", "dueling-ddqn"} in map(set, kemeny.layers)
    expected = {
        "copeland": [0, 3.5, 2, 5, 3.5, 6, 1, 7],
        "borda": [79.5, 187, 158.5, 221.5, 201, 248, 121.5, 295],
        "plurality": [0, 12, 2, 6, 5, 8, 2, 19],
        "approval": [3, 22, 11, 22.5, 19, 35.5, 8, 41],
    }
    for rule, wanted in expected.items():
        assert social_choice(scores, rule=rule).score[where].tolist() == pytest.approx(wanted), rule
    lottery = social_choice(scores, rule="maximal-lottery")
    assert lottery.layers == social_choice(scores, rule="copeland").layers


@WITH_RAINBOW
def test_a_lottery_between_equals_is_even():
    scores = eq.read_scores(RAINBOW)
    two = scores.take([k for k, name in enumerate(scores.agents) if name.startswith(("a3c", "duel"))])
    assert social_choice(two, rule="maximal-lottery").p.tolist() == [0.5, 0.5]


LLMFAO = Path(os.environ.get("EQUIPOISE_DATA", "")) / "llmfao" / "llmfao.csv"


@pytest.mark.skipif(not LLMFAO.is_file(), reason="EQUIPOISE_DATA names no folder with the votes")
def test_fifty_nine_models_in_one_cycle_are_put_in_order_exactly():
    votes = eq.read_pairs(LLMFAO)
    shares = social_choice(votes, rule="kemeny")
    assert shares.value == pytest.approx(316.4919979688, abs=1e-8)
    assert shares.bound == pytest.approx(shares.value, abs=1e-6)
    assert social_choice(votes, rule="kemeny", margins="count").value == 2584
    (note,) = [note for note in shares.diagnostics if note.code == "incomplete-pairs"]
    assert "784 of 1,711" in note.message
    wins = social_choice(votes, rule="copeland")
    best = wins.frame().head(3)
    assert best["agent"].to_list() == ["command", "Falcon Instruct (40B)", "GPT 3.5 Turbo"]
    assert best["score"].to_list() == [43, 42, 39.5]
    with pytest.raises(eq.DataError, match="picture of the gaps"):
        social_choice(votes, rule="maximal-lottery")


@pytest.mark.parametrize("seed", range(20))
def test_margins_are_those_counted_by_hand(seed):
    rng = np.random.default_rng(seed)
    ballots = random_ballots(rng, int(rng.integers(2, 8)), int(rng.integers(1, 12)))
    above = counted_by_hand(ballots)
    np.testing.assert_array_equal(social_choice(ballots, margins="count").margins, above - above.T)


@pytest.mark.parametrize("seed", range(25))
def test_the_kemeny_order_is_the_best_of_all_orders(seed):
    rng = np.random.default_rng(seed)
    ballots = random_ballots(rng, 6, int(rng.integers(2, 9)))
    found = social_choice(ballots, rule="kemeny")
    value, orders = best_orders(found.margins)
    assert found.value == pytest.approx(value)
    assert tuple(found.agents.index(name) for name in found.order) in orders
    place = {k: {order.index(k) for order in orders} for k in range(6)}
    for k, layer in enumerate(found.layers):  # agents in different layers stand the same way round in every optimum
        for upper in layer:
            for lower in (name for rest in found.layers[k + 1 :] for name in rest):
                i, j = found.agents.index(upper), found.agents.index(lower)
                assert all(order.index(i) < order.index(j) for order in orders)
    assert all(len(place[found.agents.index(layer[0])]) == 1 for layer in found.layers if len(layer) == 1)


@pytest.mark.parametrize("n", [18, 24])
def test_large_cycles_are_solved_by_the_linear_program(n):
    """One cycle of blocks of three: the optimum is that of each block plus what stands between them."""
    rng = np.random.default_rng(n)
    rock = np.array([[0.0, 3, -2], [-3, 0, 4], [2, -4, 0]])
    margins = np.kron(np.triu(np.ones((n // 3, n // 3)), 1), np.ones((3, 3)))
    margins = margins - margins.T + np.kron(np.eye(n // 3), rock)
    margins[0, -1], margins[-1, 0] = -1, 1  # the last agent beats the first: one strong component
    shuffle = rng.permutation(n)
    margins = margins[np.ix_(shuffle, shuffle)]
    wins = np.where(margins > 0, margins, 0.0)
    found = social_choice(eq.PairTable.from_wins(wins), rule="kemeny", margins="count")
    apart = (n // 3) * (n // 3 - 1) // 2 * 9 - 2 + 5 * (n // 3)
    assert len(found.smith) == n
    assert found.value == pytest.approx(apart)
    assert found.bound == pytest.approx(apart)


def test_a_kemeny_order_without_time_is_given_with_a_bound():
    rng = np.random.default_rng(0)
    wins = rng.integers(1, 10, (40, 40)).astype(float)
    found = social_choice(eq.PairTable.from_wins(wins), rule="kemeny", margins="count", seconds=0.2)
    assert found.bound > found.value > 0
    assert [note.code for note in found.diagnostics] == ["kemeny-gap"]


@pytest.mark.parametrize("seed", range(30))
def test_sets_contain_each_other_and_hold_the_winners(seed):
    rng = np.random.default_rng(seed)
    found = social_choice(random_ballots(rng, 5, int(rng.integers(2, 10))), rule="schulze")
    assert set(found.schwartz) <= set(found.smith)
    assert set(found.uncovered) <= set(found.smith)
    assert set(found.winners) <= set(found.smith)
    outside = [k for k, name in enumerate(found.agents) if name not in found.smith]
    inside = [k for k, name in enumerate(found.agents) if name in found.smith]
    assert (found.margins[np.ix_(inside, outside)] > 0).all()


def test_who_may_win_by_ranked_pairs_is_said_where_margins_tie():
    ballots = eq.Ballots.from_orders(["abc", "bca", "cab"])
    found = social_choice(ballots, rule="ranked-pairs")
    (note,) = found.diagnostics
    assert note.code == "margin-tie"
    assert set(note.subjects) == {"a", "b", "c"}


def test_ties_for_the_last_place_of_a_runoff_are_followed_in_every_way():
    ballots = eq.Ballots.from_orders(["abc", "bca", "cab"])
    assert set(social_choice(ballots, rule="runoff").winners) == {"a", "b", "c"}
    around = eq.Ballots.from_orders([[f"x{(k + j) % 14}" for j in range(14)] for k in range(14)])
    with pytest.raises(eq.DataError, match="too many ties"):
        social_choice(around, rule="runoff")


def test_an_agent_that_is_not_named_is_apart_or_last():
    apart = eq.Ballots.from_orders(["ab", "ab", "c"], agents="abc")
    last = eq.Ballots.from_orders(["ab", "ab", "c"], agents="abc", unnamed="last")
    assert social_choice(apart, margins="count").margins.tolist() == [[0, 2, 0], [-2, 0, 0], [0, 0, 0]]
    assert social_choice(last, margins="count").margins.tolist() == [[0, 2, 1], [-2, 0, 1], [-1, -1, 0]]


def test_a_long_ballot_counts_like_many_short_ones():
    rng = np.random.default_rng(1)
    few = random_ballots(rng, 8, 3)
    many = few.take(np.repeat(np.arange(3), 9))
    once, often = (social_choice(each, margins="count").margins for each in (few, many))
    np.testing.assert_array_equal(9 * once, often)


@pytest.mark.parametrize("rule", ["plurality", "approval", "runoff"])
def test_rules_on_whole_ballots_refuse_games_of_two(rule):
    games = eq.Matches.from_columns("abc", "bca", [1, 1, 0])
    with pytest.raises(eq.DataError, match="three or more"):
        social_choice(games, rule=rule)


@pytest.mark.parametrize("rule", RULES)
def test_a_unanimous_order_is_kept_by_every_rule(rule):
    ballots = eq.Ballots.from_orders(["dcba"] * 3)
    found = social_choice(ballots, rule=rule, approve=1)
    assert found.winners == ("d",)
    if rule not in ("plurality", "approval", "runoff"):
        assert found.order == tuple("dcba")
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_dominated_agent_is_not_first_by_kemeny_where_several_orders_are_best():
    cycle = eq.Ballots.from_orders(["abcd", "bcda", "cdab"], agents="abcd")
    worse = eq.Ballots.from_orders(["axbcd", "bcdax", "cdaxb"], agents="abcdx")
    assert "x" not in eq.choose(worse, rule="kemeny", n=0).chosen.winners
    assert set(eq.choose(cycle, rule="kemeny", n=0).chosen.winners) <= set("abcd")
