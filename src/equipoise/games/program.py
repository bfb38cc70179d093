"""Referees in any language: a command that speaks JSON lines on its standard streams (docs/arena-programs.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.arena.processes.json_lines import JsonProgram, split_command
from equipoise.arena.processes.lines import Trouble
from equipoise.arena.processes.sandbox import PROGRAM_CHECKS, Confinement, Sandboxing
from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import Player, Progress, TurnView
from equipoise.arena.spec.spec import MOST_SEATS
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import DataError
from equipoise.core.options import Check, positive, shown
from equipoise.games.turns import TurnGame, Turns

CHECKS: Mapping[str, Check] = {
    "seconds": positive(),
    **PROGRAM_CHECKS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramGameOptions:
    """Options of a referee program.

    Attributes
    ----------
    seconds, start_seconds
        Time for each of its messages, and until it says that it is ready.
    memory, sandbox, network, environment
        What it may do, as for players.
    settings
        Whatever the program wants to know; it is sent in ``hello``.
    """

    seconds: float = 30.0
    start_seconds: float = 10.0
    memory: int | None = None
    sandbox: Sandboxing = "off"
    network: bool = True
    environment: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


class ProgramGame(TurnGame):
    """A game whose referee is a program.

    Parameters
    ----------
    name
        As in the spec.
    command
        The program and its arguments.
    options
        Its options.

    Fails when
        the program does not start, or does not say which seats it has.
    """

    def __init__(self, name: str, command: list[str], options: ProgramGameOptions) -> None:
        self.name = name
        walls = Confinement(options.sandbox, options.network, options.memory, tuple(options.environment))
        self._program = JsonProgram(command, walls, {"settings": dict(options.settings)}, options.start_seconds)
        self._seconds = options.seconds
        try:
            said = self._program.start()
            self.seats = _ends(said.get("seats", [1, MOST_SEATS]), "seats", int)
            span = said.get("score_range")
            self.score_range = None if span is None else _ends(span, "score_range", float)
        except (WorkerFault, DataError) as error:
            self._program.kill()
            raise DataError(f"{name}: {error}") from error

    def play(
        self, players: Sequence[Player], *, task: str | None = None, seed: int = 0, progress: Progress | None = None
    ) -> Outcome:
        """Pass questions and answers between the referee and the players until there is an outcome."""
        turns = Turns(self.name, players, task=task, seed=seed, progress=progress)
        names = [player.name for player in players]
        try:
            self._program.start()
            self._program.tell({"type": "play", "players": names, "task": task, "seed": seed}, self._seconds)
            with turns:
                return self._refereed(turns)
        except Trouble as trouble:
            self._program.kill()
            raise WorkerFault(f"{self.name}: {trouble}") from trouble
        except (PlayerFault, WorkerFault, DataError, KeyboardInterrupt):
            # The referee stands in the middle of a game that is over: it starts anew with the next one.
            self._program.kill()
            raise

    def close(self) -> None:
        """End the program."""
        self._program.close()

    def _refereed(self, turns: Turns) -> Outcome:
        while True:
            said = self._program.hear(self._seconds)
            match said.get("type"):
                case "ask":
                    move = turns.ask(_view(said, len(turns.players)))
                    answer = {"type": "move", "seat": said["seat"], "move": move.action}
                    self._program.tell(answer, self._seconds)
                case "fault":
                    raise turns.fault(_seat(said, len(turns.players)), str(said.get("message", "a fault")))
                case "outcome":
                    return _outcome(said, turns)
                case other:
                    raise Trouble(f"a referee says ask, fault or outcome, not {shown(other)}")


def open_game(name: str, rest: str, options: Mapping[str, Any]) -> ProgramGame:
    """Open ``program:COMMAND``."""
    return ProgramGame(name, split_command(rest), options_from(ProgramGameOptions, options, CHECKS, f"the game {name}"))


def _view(said: Mapping[str, Any], seats: int) -> TurnView:
    legal, names = said.get("legal") or [], said.get("names") or []
    if not isinstance(legal, list) or not all(isinstance(move, int | str) for move in legal):
        raise Trouble(f"legal moves are a list of numbers and texts, not {shown(legal)}")
    if not isinstance(names, list) or len(names) not in (0, len(legal)):
        raise Trouble("names of moves are a list as long as that of the legal ones")
    return TurnView(_seat(said, seats), tuple(legal), said.get("observation"), tuple(map(str, names)))


def _seat(said: Mapping[str, Any], seats: int) -> int:
    seat = said.get("seat")
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < seats:
        raise Trouble(f"a seat is a number from 0 to {seats - 1}, not {shown(seat)}")
    return seat


def _outcome(said: Mapping[str, Any], turns: Turns) -> Outcome:
    if isinstance(said.get("transcript"), str):
        turns.transcript = said["transcript"]
    try:
        return turns.outcome(said.get("scores", ()), said.get("controls"), said.get("costs"))
    except DataError as error:
        raise Trouble(f"its outcome: {error}") from error


def _ends(given: Any, name: str, kind: type) -> Any:
    """Read two numbers, the lower first."""
    right = isinstance(given, list) and len(given) == 2 and all(isinstance(end, kind | int) for end in given)
    if not right or given[0] > given[1]:
        raise DataError(f"{name} in its answer to hello is two numbers, the lower first, not {shown(given)}")
    return kind(given[0]), kind(given[1])
