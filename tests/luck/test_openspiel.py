"""The same games and bots in OpenSpiel, where it is installed."""

import pytest

from equipoise.luck.games import BOTS, Bot, Poker, expected, kuhn, leduc

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: a peer for cross-checks, not a dependency")

PAIRS = [(one, two) for one in BOTS.values() for two in BOTS.values()]


def walk(game: Poker, theirs: object, history: str, bots: tuple[Bot, ...]) -> list[float]:
    """Expected utilities by OpenSpiel's own rules, with our bots choosing."""
    if theirs.is_terminal():
        return list(theirs.returns())
    total = [0.0] * game.seats
    if theirs.is_chance_node():
        options = [(action, chance, _card(game, action)) for action, chance in theirs.chance_outcomes()]
    else:
        at = game.situation(game.replay(history))
        legal = theirs.legal_actions()
        assert len(legal) == len(at.moves)
        options = [(a, p, m) for a, p, m in zip(legal, bots[at.seat].policy(at), at.moves, strict=True)]
    for action, chance, move in options:
        if chance > 0.0:
            values = walk(game, theirs.child(action), history + move, bots)
            total = [t + chance * v for t, v in zip(total, values, strict=True)]
    return total


def _card(game: Poker, action: int) -> str:
    # OpenSpiel numbers the cards of Leduc by rank and suit, lowest first, as our deck is ordered.
    return game.deck[action]


@pytest.mark.parametrize(("one", "two"), PAIRS, ids=lambda bot: bot.name)
def test_two_player_kuhn_agrees(one: Bot, two: Bot) -> None:
    theirs = pyspiel.load_game("kuhn_poker").new_initial_state()
    assert walk(kuhn(), theirs, "", (one, two)) == pytest.approx(expected(kuhn(), [one, two]), abs=1e-12)


@pytest.mark.parametrize(("one", "two"), PAIRS[:12], ids=lambda bot: bot.name)
def test_three_player_kuhn_agrees(one: Bot, two: Bot) -> None:
    theirs = pyspiel.load_game("kuhn_poker(players=3)").new_initial_state()
    assert walk(kuhn(3), theirs, "", (one, two, one)) == pytest.approx(expected(kuhn(3), [one, two, one]), abs=1e-12)


@pytest.mark.parametrize(("one", "two"), PAIRS[::5], ids=lambda bot: bot.name)
def test_leduc_agrees(one: Bot, two: Bot) -> None:
    theirs = pyspiel.load_game("leduc_poker").new_initial_state()
    assert walk(leduc(), theirs, "", (one, two)) == pytest.approx(expected(leduc(), [one, two]), abs=1e-12)
