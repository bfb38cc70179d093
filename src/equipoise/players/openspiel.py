"""Bots of OpenSpiel as players: by a name of ours or of OpenSpiel's, or any ``pyspiel.Bot`` that a function makes."""

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import pyspiel

from equipoise.arena.spec.faults import PlayerFault, WorkerFault
from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.protocols import Move, Player, Table, View
from equipoise.arena.spec.references import described, load_object, source_file, version_of
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.options import shown
from equipoise.core.results import FrozenMap
from equipoise.players.openspiel_bots import BOTS, CHECKS, NoOptions, Sitting, made

__all__ = ["OpenSpielPlayer", "open_player"]


class OpenSpielPlayer:
    """A bot of OpenSpiel, made anew for each game from the seed of its seat.

    Parameters
    ----------
    name
        In the standings.
    options
        Of its spec.
    maker
        Makes the bot.
    version
        Of the player.
    informed
        Whether the bot wants to hear of every move, as some with a memory do.
    """

    def __init__(
        self,
        name: str,
        options: Mapping[str, Any],
        maker: Callable[[Sitting], Any],
        version: str = "",
        *,
        informed: bool = False,
    ) -> None:
        self.name, self.version = name, version
        self.options: Mapping[str, Any] = FrozenMap(options)
        self._maker, self._informed = maker, informed
        self._seat, self._seed = 0, 0
        self._bot: Any = None
        self._shadow: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def begin(self, table: Table) -> None:
        """Forget the last game."""
        self.reset()
        self._seat, self._seed = table.seat, table.seed

    def act(self, view: View) -> Move:
        """Ask the bot."""
        if not isinstance(view.state, pyspiel.State):
            raise ParameterError(f'player "{self.name}" is a bot of OpenSpiel and plays its games only: openspiel:NAME')
        if self._bot is None:
            self._bot = self._made(Sitting(view.state.get_game(), self._seat, self._seed))
        try:
            if self._informed:
                self._inform(view.state)
            return Move(int(self._bot.step(view.state)))
        except (ParameterError, DataError):
            raise
        except pyspiel.SpielError as error:
            # Such as a search for a game that cannot imagine other deals: nobody lost by that.
            raise ParameterError(
                f'player "{self.name}" cannot play this game: {" ".join(str(error).split())}'
            ) from error
        except Exception as error:
            raise PlayerFault(self._seat, f"{self.name}: {described(error)}") from error

    def end(self, scores: Sequence[float] | None) -> None:  # noqa: ARG002  # bots do not ask who won
        """Let the bot go."""
        self.reset()

    def reset(self) -> None:
        """Let the bot go."""
        self._bot = self._shadow = None

    def close(self) -> None:
        """Let the bot go."""
        self.reset()

    def _made(self, at: Sitting) -> Any:
        """Make the bot; one that cannot be made here has not lost a game by that."""
        try:
            return self._maker(at)
        except (ParameterError, DataError):
            raise
        except Exception as error:
            raise WorkerFault(f"{self.name} cannot be made: {described(error)}") from error

    def _inform(self, state: Any) -> None:
        """Tell the bot of the moves since it was asked last, its own excepted."""
        if self._shadow is None:
            self._shadow = state.get_game().new_initial_state()
        for step in state.full_history()[len(self._shadow.history()) :]:
            if step.player != self._seat:
                self._bot.inform_action(self._shadow, step.player, step.action)
            self._shadow.apply_action(step.action)


def open_player(spec: PlayerSpec, rest: str) -> Player:
    """Open ``openspiel:BOT``; BOT is ours, registered by OpenSpiel, or ``module:function``."""
    files: list[Path | None] = []
    if ":" in rest:
        found = load_object(rest)
        files.append(source_file(found))
        maker = _by_function(found, spec)
    elif rest in BOTS:
        options: Any = options_from(BOTS[rest], spec.options, CHECKS, f'player "{spec.name}"')
        maker = made(rest, options)
        files += [Path(options.file)] if rest == "tabular" else []
    elif rest in pyspiel.registered_bots():
        options_from(NoOptions, spec.options, {}, f'player "{spec.name}"')
        maker = _by_name(rest)
    else:
        known = [*BOTS, *pyspiel.registered_bots()]
        raise ParameterError(
            f'OpenSpiel has no bot "{rest}"{did_you_mean(rest, known)}; it is one of {", ".join(known)}, or '
            "module:function"
        )
    version = version_of(f"{spec.bot} {installed('open_spiel')}", spec.options, *files)
    return OpenSpielPlayer(spec.name, spec.options, maker, version, informed=rest not in BOTS)


def _by_function(function: Any, spec: PlayerSpec) -> Callable[[Sitting], Any]:
    def make(at: Sitting) -> Any:
        bot = function(game=at.game, seat=at.seat, seed=at.seed, **spec.options)
        if not isinstance(bot, pyspiel.Bot):
            raise ParameterError(f"{spec.bot} makes a pyspiel.Bot, not {shown(bot)}")
        return bot

    return make


def _by_name(name: str) -> Callable[[Sitting], Any]:
    return lambda at: pyspiel.load_bot(name, at.game, at.seat)
