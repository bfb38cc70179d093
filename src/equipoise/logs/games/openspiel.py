"""Small games of OpenSpiel, by name, as meta-games: pure strategies of each player, and what they get."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from equipoise.core.diagnostics import info
from equipoise.core.errors import DataError, MissingDependencyError, did_you_mean
from equipoise.core.options import checked
from equipoise.data.types.metagame import MetaGame
from equipoise.logs.format import OPENSPIEL

MOST_STATES, MOST_PROFILES = 100_000, 4_000_000
"""Beyond these a game is no small one."""
TOO_LARGE = "is too large to be written as a table"

Move = tuple[str, str]
"""What a player knows, and what it does."""


@dataclass(slots=True)
class _Tree:
    """A game, written out: what each player may know, and how it may end."""

    name: str
    players: int
    actions: list[dict[str, list[str]]] = field(default_factory=list)
    before: list[dict[str, tuple[Move, ...]]] = field(default_factory=list)
    ends: list[tuple[Sequence[tuple[Move, ...]], Sequence[float]]] = field(default_factory=list)
    states: int = 0

    def walk(self, state: Any, chance: float, moves: Sequence[tuple[Move, ...]]) -> None:
        """Take down all that may come."""
        self.states += 1
        if self.states > MOST_STATES:
            raise DataError(f"{self.name} {TOO_LARGE}: it has over {MOST_STATES:,} states")
        if state.is_terminal():
            self.ends.append((moves, [chance * value for value in state.returns()]))
        elif state.is_chance_node():
            for action, share in state.chance_outcomes():
                self.walk(state.child(action), chance * share, moves)
        else:
            player = state.current_player()
            known = state.information_state_string(player)
            names = {action: state.action_to_string(player, action) for action in state.legal_actions()}
            self.actions[player].setdefault(known, list(names.values()))
            self.before[player].setdefault(known, moves[player])
            for action, word in names.items():
                after = (*moves[player], (known, word))
                self.walk(state.child(action), chance, [*moves[:player], after, *moves[player + 1 :]])

    def strategies(self, player: int) -> Sequence[Mapping[str, str]]:
        """Give the plans of a player: what it does wherever it may come to by its own play."""
        plans: list[dict[str, str]] = [{}]
        for known, earlier in sorted(self.before[player].items(), key=lambda entry: len(entry[1])):
            plans = [
                {**plan, known: word} if word else plan
                for plan in plans
                for word in (self.actions[player][known] if all(plan.get(k) == w for k, w in earlier) else [""])
            ]
            if len(plans) ** min(2, self.players) > MOST_PROFILES:
                raise DataError(f"{self.name} {TOO_LARGE}: player {player + 1} has over {len(plans) - 1:,} strategies")
        return plans


@checked()
def read_openspiel(game: str) -> MetaGame:
    """Read a small game of OpenSpiel as a meta-game: a population a player, a strategy a way to play.

    A strategy says what a player does wherever it may come to by its own play; payoffs are averages over chance.

    Parameters
    ----------
    game
        Its name, with parameters if any: ``kuhn_poker``, ``blotto(coins=5,fields=3)``.

    Fails when
        OpenSpiel is not installed or knows no such game, or the game is too large to be written as a table.
    """
    name = game.removeprefix(OPENSPIEL)
    tree = _written_out(name)
    plans = [tree.strategies(player) for player in range(tree.players)]
    shape = tuple(map(len, plans))
    if np.prod(shape, dtype=float) > MOST_PROFILES:
        raise DataError(f"{name} {TOO_LARGE}: {' x '.join(f'{n:,}' for n in shape)} strategies")
    payoffs = np.zeros((tree.players, *shape))
    for moves, values in tree.ends:
        where = np.ix_(*(_leading_there(of, path) for of, path in zip(plans, moves, strict=True)))
        for player, value in enumerate(values):
            payoffs[player][where] += value
    metagame = MetaGame.from_payoffs(list(payoffs), [list(_names(of)) for of in plans])
    message = f"{name} of OpenSpiel: {' x '.join(map(str, shape))} strategies, payoffs averaged over chance."
    return replace(metagame, diagnostics=(info("game-written-out", message),))


def _written_out(name: str) -> _Tree:
    """Load a game and take down all of it."""
    try:
        pyspiel = import_module("pyspiel")
    except ImportError as error:
        raise MissingDependencyError(
            f'open_spiel is needed for the game {name}; run: pip install "equipoise[games]"'
        ) from error
    short = name.partition("(")[0]
    if short not in pyspiel.registered_names():
        raise DataError(f'OpenSpiel has no game "{short}"{did_you_mean(short, pyspiel.registered_names())}')
    try:
        game = pyspiel.load_game(name)
        if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            game = pyspiel.convert_to_turn_based(game)
        if not game.get_type().provides_information_state_string:
            raise DataError(f"{name} is no game whose strategies can be listed: it does not say what players know")
        players = game.num_players()
        tree = _Tree(name, players, [{} for _ in range(players)], [{} for _ in range(players)])
        tree.walk(game.new_initial_state(), 1.0, [()] * players)
    except pyspiel.SpielError as error:
        raise DataError(f"{name}: OpenSpiel says: {' '.join(str(error).split())[:160]}") from error
    except RecursionError as error:
        raise DataError(f"{name} {TOO_LARGE}: it is too long") from error
    return tree


def _leading_there(plans: Sequence[Mapping[str, str]], path: tuple[Move, ...]) -> list[int]:
    """Say which plans of a player do not lead away from an end."""
    return [k for k, plan in enumerate(plans) if all(plan.get(known) == word for known, word in path)]


def _names(plans: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Name plans by what is done, and where: the only move of a game needs no place."""
    for plan in plans:
        if len(plan) == 1 and all(plan.keys() == other.keys() for other in plans):
            yield next(iter(plan.values()))
        else:
            yield ", ".join(f"{' '.join(known.split())}: {word}" for known, word in plan.items()) or "no move"
