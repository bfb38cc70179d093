"""Games of OpenSpiel by name: chance drawn from the seed, utilities put between 0 and 1, the moves as transcript.

Games with simultaneous moves are played in turns in which nobody is shown what the others chose.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pyspiel

from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import Player, Progress, TurnView
from equipoise.arena.spec.trial import WorkerFault
from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.options import Check, switch, whole
from equipoise.games.turns import TurnGame, Turns

CHECKS: Mapping[str, Check] = {
    "parameters": Check("a table", others=(Mapping,)),
    "opening": whole(0),
    "longest": whole(1),
    "normalised": switch(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSpielOptions:
    """Options of a game of OpenSpiel.

    Attributes
    ----------
    parameters
        Of the game itself, such as ``{rows = 5}``.
    opening
        Moves at the start that are drawn from the seed, the same from every seat: players who always do the same would
        otherwise repeat one game.
    longest
        Moves after which a game is given up.
    normalised
        Whether scores lie between 0 and 1 (the lowest and the highest utility of the game), or are utilities.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    opening: int = 0
    longest: int = 10_000
    normalised: bool = True


class OpenSpielGame(TurnGame):
    """A game of OpenSpiel.

    Parameters
    ----------
    name
        As in the spec.
    game
        The ``pyspiel.Game``.
    options
        Its options.
    """

    def __init__(self, name: str, game: Any, options: OpenSpielOptions) -> None:
        self.name, self._game, self._options = name, game, options
        self.seats = (game.num_players(), game.num_players())
        low, high = float(game.min_utility()), float(game.max_utility())
        bounded = math.isfinite(low) and math.isfinite(high) and low < high
        if options.normalised and not bounded:
            raise ParameterError(
                f"{name} has no bounds of its payoffs to normalise with; normalised = false gives payoffs"
            )
        self._low, self._span = (low, high - low) if options.normalised else (0.0, 1.0)
        raw = (low, high) if bounded else None
        self.score_range: tuple[float, float] | None = (0.0, 1.0) if options.normalised else raw
        kind = game.get_type()
        self._open = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        self.hides = not self._open or kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
        self._knows = kind.provides_information_state_string
        self._sees = kind.provides_observation_string

    def play(
        self, players: Sequence[Player], *, task: str | None = None, seed: int = 0, progress: Progress | None = None
    ) -> Outcome:
        """Play one game."""
        dice, state = Random(seed), self._opened(Random(f"{seed}/opening"))
        with Turns(self.name, players, task=task, seed=seed, progress=progress) as turns:
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(_drawn(state, dice))
                    continue
                if turns.moves >= self._options.longest:
                    raise WorkerFault(f"{self.name} is not over after {turns.moves:,} moves")
                turns.transcript = self._written(state)
                state.apply_action(turns.ask(self._view(state)).action)
            turns.transcript = self._written(state)
            return turns.outcome([(value - self._low) / self._span for value in state.returns()])

    def _opened(self, dice: Random) -> Any:
        """Give a state after the opening; one that would be over is drawn anew."""
        for _ in range(100):
            state, moves = self._game.new_initial_state(), 0
            while moves < self._options.opening and not state.is_terminal():
                chance = state.is_chance_node()
                state.apply_action(_drawn(state, dice) if chance else dice.choice(state.legal_actions()))
                moves += not chance
            if not state.is_terminal():
                return state
        raise ParameterError(f"{self.name} is over within an opening of {self._options.opening} moves; take fewer")

    def _view(self, state: Any) -> TurnView:
        seat = state.current_player()
        legal = tuple(state.legal_actions())
        names = tuple(state.action_to_string(seat, action) for action in legal)
        return TurnView(seat, legal, self._observation(state, seat), names, state.clone())

    def _observation(self, state: Any, seat: int) -> dict[str, Any]:
        """Give what a seat may know, in words; where everything is open, the moves so far as well."""
        if self._open:
            return {"text": str(state), "moves": state.history()}
        if self._knows:
            return {"text": state.information_state_string(seat)}
        if self._sees:
            return {"text": state.observation_string(seat)}
        raise WorkerFault(f"{self.name} does not say what a player may know")

    def _written(self, state: Any) -> str:
        return f"{self._game}\n{' '.join(map(str, state.history()))}"


def open_game(name: str, rest: str, options: Mapping[str, Any]) -> OpenSpielGame:
    """Open ``openspiel:NAME`` or ``openspiel:NAME(parameter=value)``."""
    taken = options_from(OpenSpielOptions, options, CHECKS, f"the game {name}")
    short = rest.partition("(")[0].strip()
    known = pyspiel.registered_names()
    if short not in known:
        raise DataError(f'OpenSpiel has no game "{short}"{did_you_mean(short, known)}')
    try:
        game = pyspiel.load_game(rest, dict(taken.parameters)) if taken.parameters else pyspiel.load_game(rest)
    except (pyspiel.SpielError, TypeError) as error:
        raise DataError(f"OpenSpiel cannot load {rest}: {' '.join(str(error).split())}") from error
    match game.get_type().dynamics:
        case pyspiel.GameType.Dynamics.MEAN_FIELD:
            raise DataError(f"{short} is a game of a population, without single players")
        case pyspiel.GameType.Dynamics.SIMULTANEOUS:
            game = pyspiel.convert_to_turn_based(game)
    return OpenSpielGame(name, game, taken)


def _drawn(state: Any, dice: Random) -> int:
    actions, weights = zip(*state.chance_outcomes(), strict=True)
    return int(dice.choices(actions, weights)[0])
