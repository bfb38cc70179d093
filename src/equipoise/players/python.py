"""Players in Python: a bare name with options, or a function or class found by ``module:object``.

A function is asked by being called. A class is made once, with the options as its arguments, and stays warm; in games
with turns its ``act`` is asked, and it may have ``begin``, ``end``, ``reset`` and ``close`` to hear of the rest.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from equipoise.arena.spec.protocols import GameTable, Move, Player, TurnView
from equipoise.arena.spec.references import apart, described, load_object, source_file, version_of
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import ParameterError
from equipoise.core.options import shown
from equipoise.core.results import FrozenMap

BUSY = frozenset({408, 409, 425, 429, *range(500, 600)})
"""Answers of a server over HTTP that say: not now. They are nobody's fault at the table."""


class NamedPlayer:
    """A name and options, for referees that know what to do with them.

    Parameters
    ----------
    name
        In the standings.
    options
        Of its spec.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self.options: Mapping[str, Any] = FrozenMap(options)
        self.version = version_of("", self.options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def __call__(self, *_: object) -> Any:
        """Refuse to answer: there is nobody behind the name."""
        raise ParameterError(f'player "{self.name}" has no bot to call; give it one, such as python:module:object')

    def reset(self) -> None:
        """Do nothing: there is nothing to forget."""

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""


class PythonPlayer:
    """A Python object that plays.

    Calling the player calls its bot, and what the bot raises is the player's fault; ``await`` it where both the bot and
    the referee are asynchronous.

    Parameters
    ----------
    name
        In the standings.
    options
        Of its spec.
    bot
        The object itself.
    version
        Of the player.
    """

    def __init__(self, name: str, options: Mapping[str, Any], bot: Any, version: str = "") -> None:
        self.name, self.bot, self.version = name, bot, version
        self.options: Mapping[str, Any] = FrozenMap(options)
        self._seat = 0
        self._runner: asyncio.Runner | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the bot."""
        return self._guarded(self.bot, *given, **named)

    def call(self, method: str, *given: Any, **named: Any) -> Any:
        """Call a method of the bot."""
        return self._guarded(getattr(self.bot, method), *given, **named)

    def begin(self, table: GameTable) -> None:
        """Hear that a game begins."""
        self._seat = table.seat
        self._optionally("begin", table)

    def act(self, view: TurnView) -> Move:
        """Ask the bot for a move."""
        answer = self._guarded(getattr(self.bot, "act", self.bot), view)
        if isinstance(answer, Move):
            return answer
        if hasattr(answer, "__index__") and not isinstance(answer, bool):
            return Move(answer.__index__())  # numbers of NumPy, too
        if isinstance(answer, str):
            return Move(answer)
        raise PlayerFault(self._seat, f"a move is a number or a text, not {shown(answer)}")

    def end(self, scores: Sequence[float] | None) -> None:
        """Hear how the game ended."""
        self._optionally("end", scores)

    def reset(self) -> None:
        """Forget the games before, where the bot knows how."""
        self._optionally("reset")

    def close(self) -> None:
        """Close the bot, where it knows how, and what ran its asynchronous calls."""
        self._optionally("close")
        if self._runner is not None:
            apart(self._runner.close)
            self._runner = None

    def _optionally(self, method: str, *given: Any) -> None:
        if not inspect.isfunction(self.bot) and hasattr(self.bot, method):
            self.call(method, *given)

    def _guarded(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        try:
            answer = function(*given, **named)
        except Exception as error:
            raise self._blamed(error) from error
        return self._waited(answer) if inspect.isawaitable(answer) else answer

    def _waited(self, answer: Awaitable[Any]) -> Any:
        """Hand an awaitable to a referee that awaits; wait for it on behalf of one that does not."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._runner = self._runner or asyncio.Runner()
            return self._runner.run(self._guarded_wait(answer))
        return self._guarded_wait(answer)

    async def _guarded_wait(self, answer: Awaitable[Any]) -> Any:
        try:
            return await answer
        except Exception as error:
            raise self._blamed(error) from error

    def _blamed(self, error: Exception) -> PlayerFault | WorkerFault:
        """Say whose fault an exception of the bot is: the player's only where that is sure."""
        if isinstance(error, WorkerFault):
            return error
        if isinstance(error, PlayerFault):
            return PlayerFault(self._seat, error.message, transcript=error.transcript, costs=error.costs)
        said = f"{self.name}: {described(error)}"
        trace = error.__traceback__
        # No frame below ours: the call itself did not fit, and that is who called.
        misfit = isinstance(error, TypeError) and (trace is None or trace.tb_next is None)
        if misfit or isinstance(error, OSError | MemoryError) or _is_busy(error):
            return WorkerFault(said)
        return PlayerFault(self._seat, said)


def _is_busy(error: Exception) -> bool:
    """Say whether an error is a server's answer over HTTP that asks for patience, whoever's client raised it."""
    answer = getattr(error, "response", error)
    return getattr(answer, "status_code", getattr(answer, "status", None)) in BUSY


def open_player(spec: PlayerSpec, rest: str) -> Player:
    """Open a player by ``module:object``."""
    loaded = load_object(rest)
    version = version_of(spec.bot or "", spec.options, source_file(loaded))
    if inspect.isclass(loaded):
        return PythonPlayer(spec.name, spec.options, _made(loaded, spec), version)
    if spec.options and inspect.isfunction(loaded) and "options" in inspect.signature(loaded).parameters:
        loaded = partial(loaded, options=FrozenMap(spec.options))
    return PythonPlayer(spec.name, spec.options, loaded, version)


def _made(loaded: Callable[..., Any], spec: PlayerSpec) -> Any:
    """Make the bot of a class, with the options as its arguments."""
    try:
        inspect.signature(loaded).bind(**spec.options)
    except TypeError as error:
        raise ParameterError(f'player "{spec.name}": {spec.bot} does not take these options: {error}') from error
    except ValueError:
        pass  # a class of an extension, without a signature to ask
    try:
        return loaded(**spec.options)
    except Exception as error:
        raise ParameterError(f'player "{spec.name}": {spec.bot} cannot be made: {described(error)}') from error
