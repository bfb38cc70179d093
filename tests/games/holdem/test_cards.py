"""Who holds the better hand, against pokerkit and against counting by hand."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.core.errors import ParameterError
from equipoise.games.holdem._kernels import hand_score, showdown_shares, strength_by_sampling, win_chances
from equipoise.games.holdem.cards import card_name, card_names, card_of, deal_of, strength

SEVEN = st.lists(st.integers(0, 51), min_size=7, max_size=7, unique=True)
# Few ranks or few suits, so that rare hands come often.
CROWDED = st.lists(
    st.sampled_from([*range(0, 52, 4), *range(1, 12), *range(40, 52)]), min_size=7, max_size=7, unique=True
)


def five_card_rank(cards: tuple[int, ...]) -> tuple[object, ...]:
    """The rank of five cards by the book: category, then ranks by how often they come."""
    ranks = sorted((card >> 2 for card in cards), reverse=True)
    counts = sorted(Counter(ranks).items(), key=lambda item: (-item[1], -item[0]))
    flush = len({card & 3 for card in cards}) == 1
    if ranks == [12, 3, 2, 1, 0]:
        ranks = [3, 2, 1, 0, -1]
    straight = len(set(ranks)) == 5 and ranks[0] - ranks[4] == 4
    shape = [count for _, count in counts]
    if straight:
        return (8 if flush else 4, ranks[0])
    category = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(shape), 0)
    return (max(category, 5 if flush else 0), *(rank for rank, _ in counts))


def slow_rank(cards: list[int]) -> tuple[object, ...]:
    return max(five_card_rank(five) for five in combinations(cards, 5))


def score(cards: list[int]) -> int:
    return int(hand_score(np.array(cards, dtype=np.int64)))


@settings(max_examples=300, deadline=None)
@given(st.one_of(SEVEN, CROWDED), st.one_of(SEVEN, CROWDED))
def test_scores_order_hands_as_counting_by_hand_does(one, two):
    mine, theirs = slow_rank(one), slow_rank(two)
    assert (score(one) > score(two)) == (mine > theirs)
    assert (score(one) == score(two)) == (mine == theirs)


def test_scores_order_hands_as_pokerkit_does():
    pokerkit = pytest.importorskip("pokerkit", reason="pokerkit is not installed: the extra poker")
    rng = np.random.default_rng(4)
    for _ in range(300):
        cards = rng.permutation(52)[:9].tolist()
        pair = [(cards[:2] + cards[4:], slice(0, 2)), (cards[2:4] + cards[4:], slice(2, 4))]
        theirs = [
            pokerkit.StandardHighHand.from_game(card_names(tuple(cards[hole])), card_names(tuple(cards[4:])))
            for _, hole in pair
        ]
        ours = [score(hand) for hand, _ in pair]
        assert (ours[0] > ours[1]) == (theirs[0] > theirs[1])
        assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])


def winners(deal: tuple[int, ...], seats: list[int], board: list[int]) -> dict[int, float]:
    ranks = {seat: slow_rank([*deal[2 * seat : 2 * seat + 2], *board]) for seat in seats}
    best = [seat for seat in seats if ranks[seat] == max(ranks.values())]
    return {seat: 1.0 / len(best) for seat in best}


@pytest.mark.parametrize("seats", [2, 3])
def test_shares_are_those_of_every_way_to_complete_the_board(seats):
    deal = deal_of(11, seats)
    [shares] = showdown_shares(np.array([deal]), seats, 10, np.array([1], dtype=np.uint64))
    rest = [card for card in range(52) if card not in deal[:-1]]
    for still_in in range(1, 1 << seats):
        inside = [seat for seat in range(seats) if still_in >> seat & 1]
        total = np.zeros(seats)
        for card in rest:
            for seat, share in winners(deal, inside, [*deal[2 * seats : -1], card]).items():
                total[seat] += share / len(rest)
        assert shares[2, still_in] == pytest.approx(total)
        assert shares[:, still_in].sum(axis=1) == pytest.approx(np.ones(4))
        final = winners(deal, inside, list(deal[2 * seats :]))
        assert shares[3, still_in] == pytest.approx([final.get(seat, 0.0) for seat in range(seats)])


def test_the_mean_share_after_the_next_card_is_the_share_before_it():
    """The turn in place of every card that might have come: what makes luck terms have mean zero."""
    deal = list(deal_of(5, 2))
    rest = [card for card in range(52) if card not in deal[:7]]
    deals = []
    for card in rest:
        last = next(other for other in rest if other != card)
        deals.append([*deal[:7], card, last])
    shares = showdown_shares(np.array(deals), 2, 10, np.arange(1, len(deals) + 1, dtype=np.uint64))
    assert shares[:, 2, 3].mean(axis=0) == pytest.approx(shares[0, 1, 3], abs=1e-12)


def test_shares_before_the_flop_are_near_known_chances():
    """Aces against kings of other suits win 82% of the time (a figure of every book)."""
    deal = [card_of(name) for name in ("Ah", "As", "Kc", "Kd", "2c", "3d", "4h", "5s", "7c")]
    [shares] = showdown_shares(np.array([deal]), 2, 40_000, np.array([7], dtype=np.uint64))
    assert shares[0, 3, 0] == pytest.approx(0.82, abs=0.008)


def test_strength_is_a_function_of_the_cards_known():
    hole, board = (card_of("Ah"), card_of("Kd")), tuple(card_of(name) for name in ("2c", "7h", "Ts"))
    strength.cache_clear()
    first = strength(hole, board)
    strength.cache_clear()
    assert strength(hole[::-1], board[::-1]) == first


def test_strength_before_the_flop_knows_no_suits():
    assert strength((card_of("Ah"), card_of("Kd"))) == strength((card_of("As"), card_of("Kc")))
    assert strength((card_of("Ah"), card_of("Kh"))) == strength((card_of("Kc"), card_of("Ac")))


def test_strength_is_near_known_chances():
    """Aces beat a random hand 85% of the time, seven-deuce of two suits 35% (tables of any book)."""
    assert strength((card_of("Ah"), card_of("As"))) == pytest.approx(0.852, abs=0.025)
    assert strength((card_of("7h"), card_of("2s"))) == pytest.approx(0.346, abs=0.03)


def test_on_the_river_sampling_tends_to_the_exact_chance():
    hole, board = np.array([50, 47]), np.array([0, 5, 13, 22, 46])
    exact = win_chances(hole, board)
    rest = [card for card in range(52) if card not in {*hole.tolist(), *board.tolist()}]
    mine = slow_rank([*hole, *board])
    results = [slow_rank([*other, *board]) for other in combinations(rest, 2)]
    assert exact == pytest.approx(np.mean([1.0 if mine > r else 0.5 if mine == r else 0.0 for r in results]))
    assert strength_by_sampling(hole, board, 20_000, np.uint64(9)) == pytest.approx(exact, abs=0.015)


def test_a_deal_is_that_of_its_seed():
    assert deal_of(3, 2) == deal_of(3, 2) != deal_of(4, 2)
    assert deal_of(3, 3)[:9] == deal_of(3, 2)
    assert len(set(deal_of(3, 3))) == 11


@pytest.mark.parametrize("name", ["", "A", "1h", "Ax", "Ahh"])
def test_what_is_no_card_is_refused(name):
    with pytest.raises(ParameterError, match="is no card"):
        card_of(name)


def test_names_and_numbers_of_cards_are_one_to_one():
    assert [card_of(card_name(card)) for card in range(52)] == list(range(52))
