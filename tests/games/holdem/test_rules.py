"""Hands by OpenSpiel's rules, against pokerkit's; what everybody has paid; bad input."""

import numpy as np
import pytest

from equipoise.core.errors import MissingDependencyError, ParameterError
from equipoise.games.holdem import rules as rules_module
from equipoise.games.holdem.bots import BOTS
from equipoise.games.holdem.cards import card_names, deal_of
from equipoise.games.holdem.play import play
from equipoise.games.holdem.rules import BIG_BLIND, OVER, Holdem, HoldemHand

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: the extra games")

GAMES = [Holdem(2, "limit"), Holdem(3, "limit"), Holdem(2, "no-limit", 20), Holdem(3, "no-limit", 40)]
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.players}-{game.betting}")


def random_hand(game: Holdem, seed: int) -> HoldemHand:
    """A hand in which legal moves are drawn, folds more seldom."""
    rng = np.random.default_rng(seed)
    hand = game.hand(deal_of(seed, game.players))
    while hand.actor != OVER:
        moves = [move for move in hand.legal if move or rng.random() < 0.3]
        hand.act(int(rng.choice(moves[:1] if rng.random() < 0.4 else moves)))
    return hand


def pokerkit_result(game: Holdem, hand: HoldemHand) -> list[float]:
    """What pokerkit pays for the same cards and the same moves."""
    kit = pytest.importorskip("pokerkit", reason="pokerkit is not installed: the extra poker")
    steps = kit.Automation
    automatic = (
        steps.ANTE_POSTING, steps.BET_COLLECTION, steps.BLIND_OR_STRADDLE_POSTING,
        steps.HOLE_CARDS_SHOWING_OR_MUCKING, steps.HAND_KILLING, steps.CHIPS_PUSHING, steps.CHIPS_PULLING,
    )  # fmt: skip
    stack = 1000 if game.betting == "limit" else BIG_BLIND * game.stack
    if game.betting == "limit":
        state = kit.FixedLimitTexasHoldem.create_state(
            automatic, True, 0, (1, 2), 2, 4, (stack,) * game.players, game.players
        )
    else:
        state = kit.NoLimitTexasHoldem.create_state(
            automatic, True, 0, (1, 2), 2, (stack,) * game.players, game.players
        )
    deal, dealt = hand.deal, 2 * game.players
    for seat in range(game.players):
        state.deal_hole(card_names(deal[2 * seat : 2 * seat + 2]))
    for street, moves in enumerate(hand.betting.split("/")):
        if street:
            state.burn_card("??")
            cards = 3 if street == 1 else 1
            state.deal_board(card_names(deal[dealt : dealt + cards]))
            dealt += cards
        for move in moves.replace("r", " r").replace("c", " c").replace("f", " f").split():
            if move == "f":
                state.fold()
            elif move == "c":
                state.check_or_call()
            elif game.betting == "limit":
                state.complete_bet_or_raise_to()
            else:
                seat = state.actor_index
                before = stack - state.stacks[seat] - state.bets[seat]
                state.complete_bet_or_raise_to(int(move[1:]) - before)
    assert not state.status
    return [(chips - stack) / BIG_BLIND for chips in state.stacks]


@each_game
def test_pokerkit_pays_the_same_for_the_same_moves(game):
    for seed in range(40):
        hand = random_hand(game, seed)
        assert list(hand.utilities()) == pokerkit_result(game, hand)


@each_game
def test_what_is_paid_is_what_openspiel_says(game):
    rng = np.random.default_rng(1)
    for seed in range(30):
        hand = game.hand(deal_of(seed, game.players))
        while hand.actor != OVER:
            assert list(hand.paid) == list(hand._state.to_struct().player_contributions)
            at = hand.situation()
            assert set(at.moves) <= set(hand.legal)
            assert len(set(at.moves)) == len(at.moves)
            hand.act(int(rng.choice(at.moves)))


@each_game
def test_hands_are_zero_sum_and_within_the_range(game):
    low, high = game.score_range
    for seed in range(60):
        won = random_hand(game, seed).utilities()
        assert sum(won) == 0.0
        assert low <= min(won)
        assert max(won) <= high


def test_the_range_with_limits_is_reached():
    hand = Holdem(2, "limit").hand(deal_of(1, 2))
    while hand.actor != OVER:
        hand.act(hand.legal[-1])
    assert sorted(hand.utilities()) == [-24.0, 24.0]


@each_game
def test_a_hand_is_played_again_from_its_seed(game):
    bots = [BOTS[name] for name in ("bluffer", "aggressive", "loose")[: game.players]]
    hands = [play(game, bots, seed) for seed in range(25)]
    assert hands == [play(game, bots, seed) for seed in range(25)]
    assert hands != [play(game, bots, seed, repeat=1) for seed in range(25)]


@each_game
def test_the_cards_are_the_same_whoever_sits_where(game):
    bots = [BOTS[name] for name in ("bluffer", "tight", "loose")[: game.players]]
    assert play(game, bots, 8).deal == play(game, bots[::-1], 8).deal == deal_of(8, game.players)


@each_game
@pytest.mark.parametrize("name", BOTS)
def test_policies_are_probabilities_of_the_moves(game, name):
    rng = np.random.default_rng(2)
    for seed in range(8):
        hand = game.hand(deal_of(seed, game.players))
        while hand.actor != OVER:
            at = hand.situation()
            chances = BOTS[name].policy(at)
            assert len(chances) == len(at.moves)
            assert min(chances) >= 0.0
            assert sum(chances) == pytest.approx(1.0, abs=1e-12)
            hand.act(int(rng.choice(at.moves)))


def test_a_bot_of_more_patience_plays_fewer_hands():
    game = Holdem(2, "limit")
    tables = {name: [BOTS[name], BOTS["maniac"]] for name in BOTS}
    folded = {
        name: sum(play(game, table, seed).utilities[0] == -1.0 for seed in range(300)) for name, table in tables.items()
    }
    assert folded["rock"] > folded["tight"] > folded["loose"] > folded["caller"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 4}, "players is a whole number from 2 to 3, not 4"),
        ({"betting": "pot-limit"}, "betting is"),
        ({"stack": 1}, "stack is a whole number from 2 to 1000, not 1"),
    ],
)
def test_games_without_sense_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        Holdem(**options)


def test_a_wrong_deal_or_move_is_refused():
    game = Holdem(2, "limit")
    with pytest.raises(ParameterError, match="a deal is 9 different cards"):
        game.hand((1, 2, 3))
    with pytest.raises(ParameterError, match="a deal is 9 different cards"):
        game.hand((1, 1, 2, 3, 4, 5, 6, 7, 8))
    with pytest.raises(ParameterError, match="move 7 is not legal"):
        game.hand(deal_of(1, 2)).act(7)
    with pytest.raises(ParameterError, match="2 seats, but 1 bots"):
        play(game, [BOTS["tight"]], 1)


def test_without_openspiel_there_is_one_clear_line(monkeypatch):
    rules_module._loaded.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "pyspiel", None)
    with pytest.raises(
        MissingDependencyError, match=r'open_spiel is needed for hold.em; run: pip install "equipoise\[games\]"'
    ):
        Holdem()
    rules_module._loaded.cache_clear()
