"""Luck in hold'em hands: mean zero, exact where nobody decides anything, and smaller errors without it."""

import itertools

import numpy as np
import pytest

import equipoise as eq
from equipoise.arena.spec.protocols import ArenaGame, GameTable, Move, TurnView
from equipoise.games.holdem.bots import BOTS
from equipoise.games.holdem.cards import card_names, deal_of
from equipoise.games.holdem.play import (
    CARDS,
    ROLLS,
    luck_features,
    play,
    position_values,
    self_play,
    showdown_table,
    swings_of,
)
from equipoise.games.holdem.rules import OVER, Holdem
from equipoise.games.load import load_game
from equipoise.players.python import NamedPlayer

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: the extra games")

GAMES = [Holdem(2, "limit"), Holdem(3, "limit"), Holdem(2, "no-limit", 50)]
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.players}-{game.betting}")
OPTIONS = [{}, {"players": 3}, {"betting": "no-limit", "stack": 50}]
each_option = pytest.mark.parametrize("options", OPTIONS, ids=str)


def sampled(game: Holdem, deals: int) -> tuple[np.ndarray, np.ndarray]:
    """Utilities and luck of the first of some bots, over all orders of seats."""
    names = ["sharp", "bluffer", "loose"][: game.players]
    hands, where, seats = [], [], []
    for seed in range(deals):
        for order in itertools.permutations(names):
            hands.append(play(game, [BOTS[name] for name in order], seed))
            where.append(seed)
            seats.append(order.index("sharp"))
    shares = showdown_table([deal_of(seed, game.players) for seed in range(deals)], game.players)
    rows = np.arange(len(hands))
    features = luck_features(hands, shares, where)
    assert features.sum(axis=1) == pytest.approx(np.zeros((len(hands), features.shape[2])), abs=1e-9)
    return np.array([hand.utilities for hand in hands])[rows, seats], features[rows, seats]


@each_game
def test_luck_has_mean_zero_and_taking_it_out_keeps_the_mean(game):
    deals = 300
    won, luck = sampled(game, deals)
    deal = np.repeat(np.arange(deals), len(won) // deals)
    for names, columns in ((CARDS, luck[:, : len(CARDS)]), (CARDS + ROLLS, luck)):
        learnt = eq.methods.learn_value(columns, won, names=names, deal=deal)
        assert not [note for note in learnt.diagnostics if note.code == "zero-luck"]
        plain = won.reshape(deals, -1).mean(axis=1)
        difference = abs(learnt.estimate.estimate - plain.mean())
        assert difference < 3 * plain.std() / np.sqrt(deals)
    alone = won - luck[:, : len(CARDS)] @ eq.methods.learn_value(luck[:, : len(CARDS)], won).weights
    assert alone.std() < 0.85 * won.std()


def test_rolls_of_a_policy_have_mean_zero():
    hand = Holdem(2, "no-limit", 50).hand(deal_of(4, 2))
    at = hand.situation()
    chances = BOTS["bluffer"].policy(at)
    assert max(chances) < 1.0
    total = {}
    for made, chance in enumerate(chances):
        for swing in swings_of(hand, at, chances, made):
            key = swing[:3]
            total[key] = total.get(key, 0.0) + chance * swing.weight
    assert list(total.values()) == pytest.approx([0.0] * len(total), abs=1e-12)


def test_a_certain_move_is_no_luck():
    hand = Holdem(2, "limit").hand(deal_of(4, 2))
    assert swings_of(hand, hand.situation(), (0.0, 1.0, 0.0), 1) == []


@each_game
def test_at_the_end_the_value_of_a_position_is_what_was_won(game):
    rng = np.random.default_rng(5)
    for seed in range(40):
        hand = game.hand(deal_of(seed, game.players))
        while hand.actor != OVER:
            hand.act(int(rng.choice(hand.situation().moves)))
        shares = showdown_table([hand.deal], game.players)
        value = position_values(
            shares[:, 3, hand.still_in], np.array([hand.still_in]), _called(hand), np.array([hand.paid])
        )
        assert value[0] == pytest.approx(hand.utilities())


def _called(hand) -> np.ndarray:
    """What all who are still in have paid; a last raise that nobody called goes back."""
    paid = [paid for seat, paid in enumerate(hand.paid) if hand.still_in >> seat & 1]
    return np.array([max(paid)])


@each_option
def test_where_nobody_decides_anything_all_is_luck_of_the_cards(options):
    game = load_game("holdem", options)
    table = [NamedPlayer(f"player {seat}", {"policy": "caller"}) for seat in range(game.seats[0])]
    for seed in range(15):
        outcome = game.play(table, seed=seed)
        assert outcome.controls["cards"] == pytest.approx(outcome.scores, abs=1e-9)
        assert outcome.controls["aivat"] == pytest.approx(outcome.scores, abs=1e-9)


@each_option
def test_the_same_cards_and_controls_in_every_order_of_seats(options):
    game = load_game("holdem", options)
    assert isinstance(game, ArenaGame)
    table = [NamedPlayer(name, {}) for name in ("tight", "bluffer", "random")[: game.seats[0]]]
    for player in table:
        game.admit(player)
    for seed in range(5):
        outcomes = [game.play(order, seed=seed) for order in itertools.permutations(table)]
        assert len({outcome.transcript.split(":")[1].partition("/")[0] for outcome in outcomes}) == 1
        assert len({outcome.controls["baseline"] for outcome in outcomes}) == 1
        assert game.play(table, seed=seed) == outcomes[0]
        for outcome in outcomes:
            assert sum(outcome.scores) == 0.0
            assert all(sum(values) == pytest.approx(0.0, abs=1e-9) for values in outcome.controls.values())


def test_the_control_is_averaged_over_repeats():
    game, control = Holdem(2, "limit"), BOTS["bluffer"]
    several = [self_play(game, control, seed, repeats=6) for seed in range(30)]
    once = [self_play(game, control, seed) for seed in range(30)]
    assert np.std(several) < np.std(once)
    assert np.sum(several, axis=1) == pytest.approx(np.zeros(30), abs=1e-12)


class Raiser(NamedPlayer):
    """Somebody from outside who raises by a number of chips that no bot of the house thinks of."""

    def __init__(self) -> None:
        super().__init__("outsider", {})
        self.views: list[TurnView] = []

    def begin(self, table: GameTable) -> None:
        assert table.game == "holdem"

    def act(self, view: TurnView) -> Move:
        self.views.append(view)
        return Move("raise 5" if "raise 5" in view.names else 1)

    def end(self, scores: object) -> None:
        pass


def test_somebody_from_outside_may_raise_what_is_legal_and_sees_no_cards_of_others():
    game = load_game("holdem", {"betting": "no-limit", "stack": 20})
    outsider = Raiser()
    game.admit(outsider)
    outcome = game.play([NamedPlayer("caller", {}), outsider], seed=3)
    assert outcome.transcript.startswith("r5c")
    seen = outsider.views[0].observation
    assert seen["hole"] == card_names(deal_of(3, 2)[2:4])
    assert card_names(deal_of(3, 2)[:2]) not in str(seen)
    assert seen["board"] == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"polcy": "tight"}, 'no option "polcy"'),
        ({"raise_from": 0.5, "blufff": 0.1}, 'no option "blufff" \\(did you mean "bluff"\\?\\)'),
        ({"raise_from": 0.5, "bluff": 2}, "bluff is a number from 0 to 1, not 2"),
        ({"bluff": 0.5}, "needs the option raise_from"),
        ({"policy": "tihgt"}, 'did you mean "tight"'),
    ],
)
def test_a_style_without_sense_is_refused_in_one_line(options, message):
    with pytest.raises(eq.EquipoiseError, match=message):
        load_game("holdem").admit(NamedPlayer("anna", options))


def test_a_style_of_ones_own_plays():
    game = load_game("holdem", {"betting": "no-limit"})
    table = [NamedPlayer("anna", {"raise_from": 0.7, "sizes": [1.0, 0.0, 0.0]}), NamedPlayer("caller", {})]
    assert sum(game.play(table, seed=2).scores) == 0.0
