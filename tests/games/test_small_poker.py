"""Kuhn and Leduc in an arena: the same cards in every seat, controls whose mean is zero exactly."""

import itertools

import numpy as np
import pytest

import equipoise as eq
from equipoise.arena.spec.protocols import ArenaGame, GameTable, Move, TurnView
from equipoise.arena.spec.trial import PlayerFault
from equipoise.games.load import load_game
from equipoise.games.small_poker import SmallPokerGame
from equipoise.luck.games import deals, expected, lines
from equipoise.players.python import NamedPlayer

GAMES = [("kuhn", {}), ("kuhn", {"players": 3}), ("leduc", {}), ("leduc", {"control": "honest"})]
each_game = pytest.mark.parametrize(("name", "options"), GAMES, ids=str)


def opened(name: str, options: dict[str, object]) -> SmallPokerGame:
    game = load_game(name, options)
    assert isinstance(game, SmallPokerGame)
    assert isinstance(game, ArenaGame)
    return game


def bots(*names: str) -> list[NamedPlayer]:
    return [NamedPlayer(name, {}) for name in names]


class Outsider(NamedPlayer):
    """Somebody from outside, who always answers the same."""

    def __init__(self, answer: str) -> None:
        super().__init__("outsider", {})
        self.answer = answer
        self.views: list[TurnView] = []
        self.heard: list[object] = []

    def begin(self, table: GameTable) -> None:
        self.heard.append(table.seat)

    def act(self, view: TurnView) -> Move:
        self.views.append(view)
        return Move(self.answer)

    def end(self, scores: object) -> None:
        self.heard.append(scores)


@each_game
def test_every_hand_is_zero_sum_and_within_the_range(name, options):
    game = opened(name, options)
    reached = [line.utilities for line in lines(game.rules)]
    assert np.min(reached) == game.score_range[0]
    assert np.max(reached) == game.score_range[1]
    for seed in range(20):
        outcome = game.play(bots("maniac", "uniform", "caller")[: game.seats[0]], seed=seed)
        assert sum(outcome.scores) == pytest.approx(0.0, abs=1e-12)
        assert all(sum(values) == pytest.approx(0.0, abs=1e-9) for values in outcome.controls.values())


@each_game
def test_a_seed_gives_the_same_cards_whoever_sits_where(name, options):
    game = opened(name, options)
    table, seats = bots("maniac", "rock", "bluffer")[: game.seats[0]], game.seats[0]
    for seed in range(10):
        outcomes = [game.play(order, seed=seed) for order in itertools.permutations(table)]
        assert len({outcome.transcript[:seats] for outcome in outcomes}) == 1
        assert len({outcome.controls["baseline"] for outcome in outcomes}) == 1
        assert game.play(table, seed=seed) == outcomes[0]


@each_game
def test_the_baseline_has_mean_zero_in_every_seat(name, options):
    game = opened(name, options)
    table = bots("caller", "caller", "caller")[: game.seats[0]]
    dealt = {}
    for seed in range(2000):
        outcome = game.play(table, seed=seed)
        dealt[outcome.transcript] = outcome.controls["baseline"]
        if len(dealt) == len(deals(game.rules)):
            break
    # Callers see all cards and move alike, so a transcript names its deal.
    chance = deals(game.rules)
    keys = ["".join(card for card in transcript if card not in "c") for transcript in dealt]
    assert sorted(keys) == sorted(chance)
    mean = sum(chance[key] * np.array(values) for key, values in zip(keys, dealt.values(), strict=True))
    assert mean == pytest.approx(np.zeros(game.seats[0]), abs=1e-12)


@each_game
@pytest.mark.parametrize("control", ["cards", "aivat"])
def test_luck_has_mean_zero_over_every_hand_of_the_game(name, options, control):
    game = opened(name, options)
    table = [game.bots[bot] for bot in ("maniac", "bluffer", "uniform")[: game.seats[0]]]
    known = [bot.policy for bot in table]
    total = np.zeros(game.seats[0])
    for line in lines(game.rules):
        if probability := line.probability(table):
            deal = line.state.cards + line.state.public
            luck = game._controls(line.state, _completed(game, deal), known)[control]
            total += probability * np.array(luck)
    assert total == pytest.approx(np.zeros(game.seats[0]), abs=1e-9)


def _completed(game: SmallPokerGame, cards: str) -> str:
    return next(deal for deal in deals(game.rules) if deal.startswith(cards))


@each_game
def test_adjusted_scores_lie_in_the_range_that_is_stated(name, options):
    game = opened(name, options)
    low, high = game.adjusted_range()
    reached = []
    for table in itertools.product(("maniac", "uniform", "bluffer"), repeat=game.seats[0]):
        for seed in range(6):
            outcome = game.play(bots(*table), seed=seed)
            reached += np.subtract(outcome.scores, outcome.controls["aivat"]).tolist()
    assert low <= min(reached)
    assert max(reached) <= high
    assert -4 * game.score_range[1] <= low < game.score_range[0]


def test_the_range_of_a_given_table_is_reached_and_narrower():
    game = opened("kuhn", {})
    names = ("maniac", "bluffer", "uniform")
    reached = []
    for pair in itertools.permutations(names, 2):
        known = [game.bots[name].policy for name in pair]
        for line in lines(game.rules):
            if line.probability([game.bots[name] for name in pair]) > 0.0:
                luck = game._controls(line.state, line.state.cards, known)["aivat"]
                reached += np.subtract(line.utilities, luck).tolist()
    assert game.adjusted_range(names) == pytest.approx((min(reached), max(reached)))
    assert max(reached) < game.adjusted_range()[1]


def test_equilibrium_against_itself_is_all_luck():
    game = opened("leduc", {})
    value = expected(game.rules, [game.control, game.control])
    for seed in range(30):
        outcome = game.play(bots("nash", "nash"), seed=seed)
        assert np.subtract(outcome.scores, outcome.controls["aivat"]) == pytest.approx(value, abs=1e-9)


def test_taking_luck_out_keeps_the_mean_and_shrinks_the_error():
    game = opened("leduc", {})
    table = bots("nash", "maniac")
    outcomes = [game.play(table, seed=seed) for seed in range(600)]
    won = [outcome.scores[0] for outcome in outcomes]
    true = expected(game.rules, [game.bots["nash"], game.bots["maniac"]])[0]
    result = eq.advantage_sum(won, [outcome.controls["aivat"][0] for outcome in outcomes])
    assert result.low < true < result.high
    assert result.reduction > 50


def test_somebody_from_outside_sees_its_own_card_only_and_may_name_moves():
    game = opened("leduc", {})
    outsider = Outsider("raise")
    game.admit(outsider)
    outcome = game.play([NamedPlayer("caller", {}), outsider], seed=5)
    assert outsider.heard == [1, outcome.scores]
    first, card = outsider.views[0], outcome.transcript[1]
    assert first.observation == {
        "game": "leduc",
        "seat": 1,
        "card": card,
        "public": "",
        "betting": "c",
    }
    assert first.names == ("check", "raise")


def test_an_illegal_move_is_the_fault_of_its_seat():
    game = opened("kuhn", {})
    with pytest.raises(PlayerFault, match='illegal move "r9"; legal were check, raise') as caught:
        game.play([Outsider("r9"), NamedPlayer("caller", {})], seed=1)
    assert caught.value.seat == 0
    assert len(caught.value.transcript) == 2


def test_a_player_may_have_a_name_of_its_own():
    game = opened("leduc", {})
    game.admit(NamedPlayer("anna", {"policy": "rock"}))


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (NamedPlayer("rokc", {}), 'leduc has no bot "rokc" \\(did you mean "rock"\\?\\)'),
        (NamedPlayer("anna", {"polcy": "rock"}), 'no option "polcy" \\(did you mean "policy"\\?\\)'),
        (NamedPlayer("anna", {"policy": 3}), "leduc has no bot 3"),
    ],
)
def test_a_bot_that_nobody_knows_is_refused_in_one_line(player, message):
    with pytest.raises(eq.EquipoiseError, match=message):
        opened("leduc", {}).admit(player)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("kuhn", {"players": 4}, "players is a whole number from 2 to 3, not 4"),
        ("kuhn", {"seats": 3}, 'kuhn has no option "seats"'),
        ("kuhn", {"players": 3, "control": "nash"}, 'kuhn has no bot "nash"'),
        ("leduc", {"control": "nsh"}, 'did you mean "nash"'),
        ("leduc", {"control": 7}, "control is a text, not 7"),
    ],
)
def test_options_without_sense_are_refused_in_one_line(name, options, message):
    with pytest.raises(eq.EquipoiseError, match=message):
        load_game(name, options)
