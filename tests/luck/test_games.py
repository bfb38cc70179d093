"""The small game room: rules, values, and hands in which all chance comes from the seed."""

from itertools import product

import numpy as np
import pytest

from equipoise.core.errors import ParameterError
from equipoise.luck.games import (
    BOTS,
    HONEST,
    MANIAC,
    UNIFORM,
    Poker,
    constant_bot,
    deals,
    equilibrium,
    expected,
    given_deal,
    kuhn,
    kuhn_nash,
    leduc,
    lines,
    mirror,
    outcomes,
    play,
    shuffle,
    threshold_bot,
)

GAMES = [kuhn(2), kuhn(3), leduc()]
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def test_kuhn_has_the_known_value() -> None:
    value, nash = equilibrium(kuhn())
    assert value == pytest.approx(-1 / 18, abs=1e-12)
    assert expected(kuhn(), [nash, nash])[0] == pytest.approx(-1 / 18, abs=1e-12)


def test_leduc_has_the_known_value() -> None:
    value, nash = equilibrium(leduc())
    assert value == pytest.approx(-0.085606424078, abs=1e-11)
    assert expected(leduc(), [nash, nash])[0] == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize("game", [kuhn(2), leduc()], ids=lambda game: game.name)
def test_no_bot_beats_the_equilibrium(game: Poker) -> None:
    value, nash = equilibrium(game)
    for bot in BOTS.values():
        assert expected(game, [nash, bot])[0] >= value - 1e-9
        assert expected(game, [bot, nash])[0] <= value + 1e-9


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_the_family_of_kuhn_equilibria_has_the_value(alpha: float) -> None:
    assert expected(kuhn(), [kuhn_nash(alpha), kuhn_nash(alpha)])[0] == pytest.approx(-1 / 18, abs=1e-12)
    assert expected(kuhn(), [kuhn_nash(alpha), MANIAC])[0] >= -1 / 18 - 1e-12


@pytest.mark.parametrize(
    ("game", "history", "won"),
    [
        (kuhn(), "JKcc", (-1.0, 1.0)),
        (kuhn(), "KJrf", (1.0, -1.0)),
        (kuhn(), "JKcrf", (-1.0, 1.0)),
        (kuhn(), "QKcrc", (-2.0, 2.0)),
        (kuhn(3), "TKJccrfc", (-1.0, 3.0, -2.0)),
        (kuhn(3), "TKJccrff", (-1.0, -1.0, 2.0)),
        (leduc(), "JQccJcc", (1.0, -1.0)),
        (leduc(), "QQcrcKrrc", (0.0, 0.0)),
        (leduc(), "KJrrcQrrc", (13.0, -13.0)),
        (leduc(), "KJrf", (1.0, -1.0)),
        (leduc(), "KJrcJrf", (3.0, -3.0)),
    ],
)
def test_hands_pay_what_the_rules_say(game: Poker, history: str, won: tuple[float, ...]) -> None:
    assert game.utilities(game.replay(history)) == won


@each_game
def test_every_hand_adds_up_to_zero_and_probabilities_to_one(game: Poker) -> None:
    for bot in BOTS.values():
        probability, utilities = outcomes(game, [bot] * game.seats)
        assert probability.sum() == pytest.approx(1.0, abs=1e-12)
        assert (probability >= 0).all()
        np.testing.assert_allclose(utilities.sum(axis=1), 0.0, atol=1e-12)


def test_the_games_have_their_known_size() -> None:
    # Kuhn: 6 deals x 5 ends of the betting; three players: 24 x 13. Leduc, by ranks.
    assert [len(lines(game)) for game in GAMES] == [30, 312, 1116]


@each_game
def test_deals_and_lines_agree_on_expectations(game: Poker) -> None:
    table = [HONEST, MANIAC, UNIFORM][: game.seats]
    total = np.zeros(game.seats)
    for deal, chance in deals(game).items():
        p, won = given_deal(game, table, deal)
        assert p.sum() == pytest.approx(1.0, abs=1e-12)
        total += chance * (p @ won)
    np.testing.assert_allclose(total, expected(game, table), atol=1e-12)


@each_game
def test_the_cards_depend_on_the_seed_alone(game: Poker) -> None:
    for seed in range(20):
        one = play(game, [HONEST] * game.seats, seed)
        other = play(game, [MANIAC] * game.seats, seed, repeat=5)
        assert one.deal == other.deal == shuffle(game, seed)
        assert one.history[: game.seats] == one.deal[: game.seats]


def test_a_hand_can_be_replayed_and_repeated() -> None:
    game, table = leduc(), [UNIFORM, MANIAC]
    assert play(game, table, 3) == play(game, table, 3)
    assert len({play(game, table, 3, repeat=repeat).history for repeat in range(30)}) > 1


@each_game
def test_played_hands_follow_the_enumerated_distribution(game: Poker) -> None:
    table = [MANIAC, UNIFORM, HONEST][: game.seats]
    won = np.array([play(game, table, seed).utilities for seed in range(2000)])
    error = won.std(axis=0) / np.sqrt(len(won))
    assert (np.abs(won.mean(axis=0) - expected(game, table)) < 4 * error).all()


@each_game
def test_the_mirror_of_a_deal_is_as_likely_and_undoes_itself(game: Poker) -> None:
    law = deals(game)
    for deal, chance in law.items():
        assert law[mirror(game, deal)] == pytest.approx(chance, abs=1e-15)
        assert mirror(game, mirror(game, deal)) == deal


def test_strength_orders_the_cards() -> None:
    for game in GAMES:
        cards = list(dict.fromkeys(game.deck))
        strengths = [
            game.situation(
                game.replay(card + next(c for c in cards if c != card) + "".join(_rest(game, card)))
            ).strength
            for card in cards
        ]
        assert strengths == sorted(strengths)


def _rest(game: Poker, card: str) -> list[str]:
    others = [c for c in dict.fromkeys(game.deck) if c != card]
    return others[1 : game.seats - 1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kuhn(4), "seats is a whole number from 2 to 3"),
        (lambda: kuhn().replay("JJ"), "'J' is not possible"),
        (lambda: kuhn().utilities(kuhn().replay("JK")), "not over"),
        (lambda: play(kuhn(), [HONEST], 0), "2 seats, but 1"),
        (lambda: play(kuhn(), [HONEST] * 2, -1), "seed is a whole number of at least 0"),
        (lambda: play(kuhn(), [HONEST] * 2, 0.5), "seed is a whole number of at least 0"),
        (lambda: equilibrium(kuhn(3)), "only two-player"),
        (lambda: kuhn_nash(0.5), "alpha"),
        (lambda: threshold_bot("x", raise_from=0.5, call_from=0.5, bluff=2.0), "bluff"),
        (lambda: constant_bot("x", fold=1.0, call=0.0, raise_=1.0), "call must be positive"),
    ],
)
def test_misuse_is_answered_in_words(call: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        call()


def test_bots_play_legal_probabilities_everywhere() -> None:
    for game, bot in product(GAMES, BOTS.values()):
        for line in lines(game):
            for at, _ in line.decisions:
                chances = bot.policy(at)
                assert len(chances) == len(at.moves)
                assert min(chances) >= 0.0
                assert sum(chances) == pytest.approx(1.0, abs=1e-12)
