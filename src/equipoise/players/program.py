"""Players in any language: a command that speaks JSON lines on its standard streams (docs/arena-programs.md)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from equipoise.arena.processes.json_lines import JsonProgram, files_of, split_command
from equipoise.arena.processes.lines import Trouble
from equipoise.arena.processes.sandbox import PROGRAM_CHECKS, Confinement, Sandboxing
from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.moves import wrong_with
from equipoise.arena.spec.protocols import GameTable, Move, TurnView
from equipoise.arena.spec.references import version_of
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import ParameterError
from equipoise.core.options import Check, positive, shown
from equipoise.core.results import FrozenMap

CHECKS: Mapping[str, Check] = {
    "move_seconds": positive(),
    "game_seconds": positive(none=True),
    **PROGRAM_CHECKS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOptions:
    """Options of a program.

    Attributes
    ----------
    move_seconds, game_seconds
        Time for one move, and for all moves of a game together (None: no limit).
    start_seconds
        Time until it says that it is ready.
    memory
        Megabytes of address space, for each of its processes; None for no limit.
    sandbox, network, environment, files, devices
        How it is confined, whether it may use the network, which variables of the environment it gets, and which files
        and devices besides its own folder.
    settings
        Whatever the program itself wants to know; it is sent in ``hello``.
    """

    move_seconds: float = 5.0
    game_seconds: float | None = None
    start_seconds: float = 10.0
    memory: int | None = 4096
    sandbox: Sandboxing = "auto"
    network: bool = False
    environment: Sequence[str] = ()
    files: Sequence[str] = ()
    devices: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def confinement(self) -> Confinement:
        """Give what the program may do."""
        given = (tuple(self.environment), tuple(self.files), tuple(self.devices))
        return Confinement(self.sandbox, self.network, self.memory, *given)


class ProgramPlayer:
    """A program that is asked for moves.

    Parameters
    ----------
    name
        In the standings.
    command
        The program and its arguments.
    options
        How long it may take, and what it may do.
    version
        Of the player.
    given
        The options as the spec gave them.
    """

    def __init__(
        self,
        name: str,
        command: list[str],
        options: ProgramOptions,
        *,
        version: str = "",
        given: Mapping[str, Any] | None = None,
    ) -> None:
        self.name, self.version = name, version
        self.options: Mapping[str, Any] = FrozenMap(given or {})
        self.program = JsonProgram(
            command, options.confinement(), {"name": name, "settings": dict(options.settings)}, options.start_seconds
        )
        self._limits = options
        self._seat, self._used = 0, 0.0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def confinement(self) -> str:
        """How the program is confined on this machine, in words."""
        return self.program.confinement.described()

    def __call__(self, observation: Any) -> Any:
        """Ask the program anything that JSON can say; its answer, for referees in Python."""
        return self._asked({"legal": [], "names": [], "observation": observation})["move"]

    def begin(self, table: GameTable) -> None:
        """Start the program where it does not run, and send it that a game begins."""
        self._seat, self._used = table.seat, 0.0
        begin = {"seat": table.seat, "players": list(table.players), "seed": table.seed, "task": table.task}
        try:
            self.program.start()
            self.program.tell({"type": "begin", "game": table.game, **begin})
        except Trouble as trouble:
            raise self._blamed(trouble) from trouble

    def act(self, view: TurnView) -> Move:
        """Ask the program for a move."""
        answer = self._asked({"legal": list(view.legal), "names": list(view.names), "observation": view.observation})
        action, costs, notes = answer["move"], answer.get("costs", {}), answer.get("notes", {})
        move = Move(action, costs, notes)
        wrong = wrong_with(move)
        if wrong is not None:
            raise PlayerFault(self._seat, f"{self.name}: {wrong}")
        return move

    def end(self, scores: Sequence[float] | None) -> None:
        """Send the program how the game ended."""
        self._notify({"type": "end", "scores": None if scores is None else list(scores)})

    def reset(self) -> None:
        """Ask the program to forget the games before."""
        self._notify({"type": "reset"})

    def close(self) -> None:
        """End the program."""
        self.program.close()

    def _asked(self, question: Mapping[str, Any]) -> dict[str, Any]:
        left = self._left()
        begun = monotonic()
        try:
            answer = self.program.ask({"type": "act", **question, "seconds": left}, left)
            if "move" not in answer:
                raise Trouble(f'its answer has no "move": {shown(answer)}')
        except Trouble as trouble:
            raise self._blamed(trouble) from trouble
        finally:
            self._used += monotonic() - begun
        return answer

    def _left(self) -> float:
        """Give the seconds for this move: those of a move, or what is left of the game's."""
        whole_game = self._limits.game_seconds
        if whole_game is None:
            return self._limits.move_seconds
        if self._used >= whole_game:
            raise self._blamed(Trouble(f"its {whole_game:g} s for the game are used up"))
        return min(self._limits.move_seconds, whole_game - self._used)

    def _notify(self, message: Mapping[str, Any]) -> None:
        """Send what needs no answer; a program that has died meanwhile is found out when it is asked next."""
        with suppress(Trouble):
            self.program.tell(message, self._limits.move_seconds)

    def _blamed(self, trouble: Trouble) -> PlayerFault:
        """End a program in trouble: it starts anew with the next game."""
        self.program.kill()
        return PlayerFault(self._seat, f"{self.name}: {trouble}")


def open_player(spec: PlayerSpec, rest: str) -> ProgramPlayer:
    """Open ``program:COMMAND`` and start it: one that does not start is found out before the first game."""
    options = options_from(ProgramOptions, spec.options, CHECKS, f'player "{spec.name}"')
    command = split_command(rest)
    version = version_of(spec.bot or "", spec.options, *files_of(command))
    player = ProgramPlayer(spec.name, command, options, version=version, given=spec.options)
    try:
        player.program.start()
    except WorkerFault as fault:
        raise ParameterError(f'player "{spec.name}": {fault}') from fault
    return player
