"""Games of OpenSpiel by name; a game of our own stands in where the library is not installed."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import equipoise as eq


class Pennies:
    """Matching pennies with a fair coin first that says who wants a match; the second player sees nothing."""

    def __init__(self, moves=()):
        self.moves = moves

    def is_terminal(self):
        return len(self.moves) == 3

    def is_chance_node(self):
        return not self.moves

    def chance_outcomes(self):
        return [(0, 0.75), (1, 0.25)]

    def child(self, action):
        return Pennies((*self.moves, action))

    def current_player(self):
        return len(self.moves) - 1

    def legal_actions(self):
        return [0, 1]

    def information_state_string(self, player):
        return f"coin {self.moves[0]}" if player == 0 else "?"

    def action_to_string(self, player, action):  # noqa: ARG002  # as the library calls it
        return "HT"[action]

    def returns(self):
        coin, one, two = self.moves
        won = 1.0 if (one == two) == (coin == 0) else -1.0
        return [won, -won]


@pytest.fixture
def pyspiel(monkeypatch):
    kind = SimpleNamespace(dynamics="turns", provides_information_state_string=True)
    game = SimpleNamespace(get_type=lambda: kind, num_players=lambda: 2, new_initial_state=Pennies)
    library = SimpleNamespace(
        registered_names=lambda: ["pennies"],
        load_game=lambda _: game,
        SpielError=RuntimeError,
        GameType=SimpleNamespace(Dynamics=SimpleNamespace(SIMULTANEOUS="at once")),
    )
    monkeypatch.setitem(sys.modules, "pyspiel", library)
    return library


def test_strategies_and_payoffs(pyspiel):
    game = eq.read("openspiel:pennies")
    assert game.strategies[1] == ("H", "T")
    assert game.strategies[0] == (
        "coin 0: H, coin 1: H",
        "coin 0: H, coin 1: T",
        "coin 0: T, coin 1: H",
        "coin 0: T, coin 1: T",
    )
    assert game.payoffs[0].tolist() == [[0.5, -0.5], [1, -1], [-1, 1], [-0.5, 0.5]]
    assert (game.payoffs[0] == -game.payoffs[1]).all()


def test_what_is_no_game_is_one_line(pyspiel, monkeypatch):
    with pytest.raises(eq.DataError, match=r'no game "penny".*pennies'):
        eq.read("penny", format="openspiel")
    monkeypatch.setattr("equipoise.logs.games.openspiel.MOST_STATES", 3)
    with pytest.raises(eq.DataError, match="pennies is too large to be written as a table: it has over 3 states"):
        eq.read("pennies", format="openspiel")


def test_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(eq.EquipoiseError, match=r'pip install "equipoise\[games\]"'):
        eq.read("openspiel:kuhn_poker")


def test_kuhn_poker():
    pytest.importorskip("pyspiel")
    game = eq.read("openspiel:kuhn_poker")
    assert game.shape == (27, 64)
    first = eq.read("openspiel:matrix_rps")
    assert first.strategies[0] == ("Rock", "Paper", "Scissors")
    assert first.payoffs[0].tolist() == [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    from scipy.optimize import linprog

    payoff = game.payoffs[0]
    rows = payoff.shape[0]
    solved = linprog(
        np.r_[np.zeros(rows), -1], A_ub=np.c_[-payoff.T, np.ones(payoff.shape[1])], b_ub=np.zeros(payoff.shape[1]),
        A_eq=np.r_[np.ones(rows), 0][None], b_eq=[1], bounds=[(0, None)] * rows + [(None, None)],
    )  # fmt: skip
    assert -solved.fun == pytest.approx(-1 / 18)
