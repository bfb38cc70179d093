"""Referees in Python: a function gets players, a task and a seed, and gives scores.

The function names what it wants among ``players`` (``agent`` for tasks), ``task``, ``seed``, ``options`` and
``progress``; it may be asynchronous. It gives scores, an ``Outcome``, or a mapping with ``scores``, ``controls``,
``transcript`` and ``costs``. What a player's bot raises when the function calls ``player(...)`` is that player's fault;
everything else that goes wrong is the referee's own, and the trial is tried again.
"""

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import GameTable, Player, Progress, TurnPlayer
from equipoise.arena.spec.references import apart, described, load_object
from equipoise.arena.spec.spec import MOST_SEATS
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.options import shown
from equipoise.core.results import FrozenMap
from equipoise.games.turns import own_seed

REFEREE = ("players", "task", "seed", "options", "progress")
TASKS = ("agent", "task", "seed", "options", "progress")
ANSWER = ("scores", "score", "controls", "transcript", "costs")


class PythonGame:
    """A game whose referee is a Python function.

    Parameters
    ----------
    name
        As in the spec.
    function
        The referee.
    options
        Of the game, handed on.
    alone
        Whether the function scores one agent on a task.
    """

    score_range: tuple[float, float] | None = None
    hides = True

    def __init__(self, name: str, function: Callable[..., Any], options: Mapping[str, Any], *, alone: bool) -> None:
        self.name = name
        self.seats = (1, 1) if alone else (1, MOST_SEATS)
        self._function, self._options = function, FrozenMap(options)
        self._wanted = _wanted(name, function, TASKS if alone else REFEREE)
        self._runner: asyncio.Runner | None = None

    def admit(self, player: Player) -> None:
        """Take anybody: the function knows what to do with them."""

    def play(
        self, players: Sequence[Player], *, task: str | None = None, seed: int = 0, progress: Progress | None = None
    ) -> Outcome:
        """Call the function once."""
        if self.seats == (1, 1) and len(players) != 1:
            raise ParameterError(f"{self.name} takes one agent at a time, not {len(players)}")
        turning = [player for player in players if isinstance(player, TurnPlayer)]
        names = tuple(player.name for player in players)
        scores: tuple[float, ...] | None = None
        try:
            for seat, player in enumerate(players):
                if isinstance(player, TurnPlayer):
                    player.begin(GameTable(self.name, seat, names, own_seed(seed, seat), task))
            outcome = apart(lambda: self._called(players, task, seed, progress or _nothing))
            scores = outcome.scores
        finally:
            for player in turning:
                with suppress(PlayerFault, WorkerFault):  # the trial is over, whatever they do now
                    player.end(scores)
        return outcome

    def close(self) -> None:
        """Close what ran asynchronous calls."""
        if self._runner is not None:
            apart(self._runner.close)
            self._runner = None

    def _called(self, players: Sequence[Player], task: str | None, seed: int, progress: Progress) -> Outcome:
        given = {
            "players": tuple(players), "agent": players[0], "task": task, "seed": seed, "options": self._options,
            "progress": progress,
        }  # fmt: skip
        try:
            answer = self._function(**{name: given[name] for name in self._wanted})
            if inspect.isawaitable(answer):
                # One loop for all trials: clients that keep their connections stay warm.
                self._runner = self._runner or asyncio.Runner()
                answer = self._runner.run(_waited(answer))
        except (PlayerFault, WorkerFault):
            raise
        except Exception as error:
            raise _fault_within(error) or WorkerFault(f"{self.name}: {described(error)}") from error
        try:
            return _outcome(answer, len(players))
        except DataError as error:
            raise WorkerFault(f"{self.name} gave no outcome: {error}") from error


def open_referee(name: str, rest: str, options: Mapping[str, Any]) -> PythonGame:
    """Open ``python:module:function``."""
    return PythonGame(name, _function(name, rest), options, alone=False)


def open_tasks(name: str, rest: str, options: Mapping[str, Any]) -> PythonGame:
    """Open ``tasks:module:function``."""
    return PythonGame(name, _function(name, rest), options, alone=True)


def _function(name: str, rest: str) -> Callable[..., Any]:
    loaded = load_object(rest)
    if not callable(loaded):
        raise ParameterError(f"{name} is no function, but {shown(loaded)}")
    return loaded  # type: ignore[no-any-return]  # callable, as was asked


def _wanted(name: str, function: Callable[..., Any], known: Sequence[str]) -> tuple[str, ...]:
    """Read which of the known arguments a function wants; refuse one that wants others."""
    kinds = inspect.Parameter
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is kinds.VAR_KEYWORD for one in parameters):
        return tuple(known)
    for one in parameters:
        needed = one.default is kinds.empty and one.kind is not kinds.VAR_POSITIONAL
        if needed and (one.name not in known or one.kind is kinds.POSITIONAL_ONLY):
            near = did_you_mean(one.name, known)
            raise ParameterError(f'{name} wants "{one.name}"{near}; a referee gets {", ".join(known)} by these names')
    return tuple(one.name for one in parameters if one.name in known)


def _outcome(answer: object, seats: int) -> Outcome:
    """Read what a referee gave."""
    if isinstance(answer, Outcome):
        return Outcome.checked(
            answer.scores, seats, controls=answer.controls, transcript=answer.transcript, costs=answer.costs
        )
    if isinstance(answer, Mapping):
        unknown = [str(key) for key in answer if key not in ANSWER]
        if unknown:
            raise DataError(f"unknown key {some_of(unknown)}{did_you_mean(unknown[0], ANSWER)}")
        controls, transcript, costs = (answer.get(key) for key in ("controls", "transcript", "costs"))
        scores = _scores(answer.get("scores", answer.get("score")), seats)
        return Outcome.checked(scores, seats, controls=controls, transcript=transcript, costs=costs)
    return Outcome.checked(_scores(answer, seats), seats)


def _scores(given: Any, seats: int) -> Any:
    """Take a single number as the scores of a single seat, and right or wrong as 1 or 0."""
    many = given if hasattr(given, "__iter__") or seats != 1 else (given,)
    return [float(one) if isinstance(one, bool) else one for one in many] if isinstance(many, list | tuple) else many


def _fault_within(error: BaseException) -> PlayerFault | WorkerFault | None:
    """Find the fault in a group of exceptions, as a group of asynchronous tasks raises them."""
    if isinstance(error, PlayerFault | WorkerFault):
        return error
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return next((fault for one in inner if (fault := _fault_within(one)) is not None), None)


async def _waited(answer: Any) -> Any:
    return await answer


def _nothing(_: int) -> None:
    """Do nothing."""
