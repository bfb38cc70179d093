"""Chess engines that speak UCI, with a watchdog around everything: some never answer ``go nodes N``.

An engine that hangs, dies or answers nonsense forfeits; its whole process group is ended, and it starts anew with the
next game. Before every game it is sent ``ucinewgame``, so that no game depends on the one before.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from equipoise.arena.processes.json_lines import files_of, split_command
from equipoise.arena.processes.lines import LineProcess, StartedProgram, Trouble
from equipoise.arena.processes.sandbox import PROGRAM_CHECKS, Confinement, Sandboxing
from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.protocols import GameTable, Move, TurnView
from equipoise.arena.spec.references import version_of
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.options import Check, positive, shown, whole
from equipoise.core.results import FrozenMap

# The Universal Chess Interface, as lines: what an engine announces, how it is set, what it says while it thinks.

ANNOUNCED = re.compile(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<type>\S+)(?P<rest>.*)")
NUMBER = r"\s+{}\s+(-?\d+)"


@dataclass(frozen=True, slots=True)
class EngineOption:
    """An option that an engine announces: its name, type, ends (``spin``) and words (``combo``)."""

    name: str
    type: str
    least: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()


def announced(line: str) -> EngineOption | None:
    """Read a line in which an engine announces an option; None for any other.

    >>> announced("option name Skill Level type spin default 20 min 0 max 20")
    EngineOption(name='Skill Level', type='spin', least=0, most=20, words=())
    """
    match = ANNOUNCED.match(line.strip())
    if match is None:
        return None
    rest = match["rest"]
    least, most = (re.search(NUMBER.format(end), rest) for end in ("min", "max"))
    words = tuple(re.findall(r"\svar\s+(.*?)(?=\s+var\s|$)", rest))
    return EngineOption(
        match["name"], match["type"], int(least[1]) if least else None, int(most[1]) if most else None, words
    )


def setting(name: str, value: Any, known: Mapping[str, EngineOption]) -> str:
    """Give the line that sets an option of an engine; refuse what the engine would pass over in silence.

    >>> setting("Hash", 64, {"hash": EngineOption("Hash", "spin", 1, 1024)})
    'setoption name Hash value 64'
    """
    option = known.get(name.lower())
    if option is None:
        near = did_you_mean(name, [one.name for one in known.values()])
        raise DataError(f'the engine has no option "{name}"{near}')
    right = {
        "spin": isinstance(value, int) and not isinstance(value, bool) and _within(value, option),
        "check": isinstance(value, bool),
        "combo": value in option.words,
        "string": isinstance(value, str),
        "button": value is True,
    }
    if not right.get(option.type, True):
        wanted = {
            "spin": f"a whole number from {option.least} to {option.most}", "check": "true or false",
            "combo": f"one of {', '.join(option.words)}", "string": "a text", "button": "true, to press it",
        }  # fmt: skip
        raise DataError(f'the engine\'s option "{name}" is {wanted[option.type]}, not {shown(value)}')
    said = str(value).lower() if isinstance(value, bool) else str(value)
    if "\n" in said or "\r" in said:
        raise DataError(f'the engine\'s option "{name}" is one line, not {shown(value)}')
    return f"setoption name {option.name}" + ("" if option.type == "button" else f" value {said}")


DIGITS = 18
"""Of a number that is taken from an engine; longer ones are passed over."""


def read_info(line: str) -> dict[str, int]:
    """Read depth, nodes and score (``cp`` or ``mate``) out of what an engine says while it thinks.

    >>> read_info("info depth 9 score cp -31 nodes 4711 pv e2e4")
    {'depth': 9, 'nodes': 4711, 'cp': -31}
    """
    if not line.startswith("info ") or line.startswith("info string"):
        return {}
    pairs = {name: re.search(NUMBER.format(name), line) for name in ("depth", "nodes", "score cp", "score mate")}
    return {
        name.removeprefix("score "): int(value[1]) for name, value in pairs.items() if value and len(value[1]) <= DIGITS
    }


def _within(value: int, option: EngineOption) -> bool:
    return (option.least is None or value >= option.least) and (option.most is None or value <= option.most)


CHECKS: Mapping[str, Check] = {
    "nodes": whole(1, none=True),
    "depth": whole(1, none=True),
    "seconds": positive(none=True),
    "clock": Check('seconds and an increment, such as "10+0.1"', none=True, others=(str,)),
    "patience": positive(),
    "start_seconds": positive(),
    "setoption": Check("a table of the engine's own options", others=(Mapping,)),
    **{name: PROGRAM_CHECKS[name] for name in ("memory", "sandbox", "network", "files", "devices")},
}
FAREWELL = "quit"
MEMORY = 4096
"""Megabytes of address space that an engine may have beside its hash tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UciOptions:
    """Options of an engine.

    Attributes
    ----------
    nodes, depth, seconds, clock
        How long it thinks: at least one of them. ``clock`` is seconds for the game and an increment a move ("10+0.1").
    patience
        Seconds beyond its own time (``seconds``, or what its clock shows) after which an engine is given up; for
        ``nodes`` and ``depth``, for a whole move.
    start_seconds
        Time until it is ready.
    setoption
        Options of the engine itself, such as ``{"Skill Level" = 5}``.
    memory, sandbox, network, files, devices
        What it may do, as for programs; ``files`` are its books and tablebases where they are not in its own folder.
        ``memory`` is 4,096 MB beside its hash tables (``Hash`` in ``setoption``) where it is not given, and not limited
        where it has devices, for which drivers reserve what they never use.
    """

    nodes: int | None = None
    depth: int | None = None
    seconds: float | None = None
    clock: str | None = None
    patience: float = 30.0
    start_seconds: float = 20.0
    setoption: Mapping[str, Any] = field(default_factory=dict)
    memory: int | None = None
    sandbox: Sandboxing = "auto"
    network: bool = False
    files: Sequence[str] = ()
    devices: Sequence[str] = ()

    def confinement(self) -> Confinement:
        """Give what the engine may do."""
        memory = self.memory
        if memory is None and not self.devices and self.sandbox != "off":
            tables = next((size for name, size in self.setoption.items() if name.lower() == "hash"), 0)
            memory = MEMORY + (tables if isinstance(tables, int) else 0)
        return Confinement(self.sandbox, self.network, memory, files=tuple(self.files), devices=tuple(self.devices))


class UciPlayer(StartedProgram):
    """A chess engine.

    Parameters
    ----------
    name
        In the standings.
    command
        The program and its arguments.
    options
        How long it thinks, and what it may do.
    version
        Of the player.
    given
        The options as the spec gave them.
    """

    def __init__(
        self,
        name: str,
        command: list[str],
        options: UciOptions,
        *,
        version: str = "",
        given: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(command, options.confinement())
        self.name, self.version = name, version
        self.options: Mapping[str, Any] = FrozenMap(given or {})
        self.engine = ""
        self._limits = options
        self._clock = _clock(options.clock)
        self._left = self._clock[0]
        self._seat = 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def start(self) -> LineProcess:
        """Start the engine where it does not run.

        Fails when
            it never ran here: ``WorkerFault``. One that did, and does not start again, is in ``Trouble``.
        """
        self._start(self._greet, "the engine", f'"{self.name}": ')
        return self._running()

    def begin(self, table: GameTable) -> None:
        """Start the engine where it does not run, and send it that a new game begins."""
        self._seat, self._left = table.seat, self._clock[0]
        try:
            process = self.start()
            process.send("ucinewgame", self._limits.patience)
            self._ready(process, self._limits.patience)
        except Trouble as trouble:
            raise self._blamed(trouble) from trouble

    def act(self, view: TurnView) -> Move:
        """Ask the engine for a move."""
        seen = view.observation
        if not isinstance(seen, Mapping) or not {"fen", "moves"} <= seen.keys():
            raise ParameterError(f'player "{self.name}" is a chess engine and plays chess only')
        moves = f" moves {' '.join(seen['moves'])}" if seen["moves"] else ""
        begun = monotonic()
        try:
            process = self.start()
            process.send(f"position fen {seen['fen']}{moves}", self._limits.patience)
            process.send(self._go(), self._limits.patience)
            answer, notes = self._best(process)
        except Trouble as trouble:
            raise self._blamed(trouble) from trouble
        used = monotonic() - begun
        self._tick(used)
        nodes = {"nodes": float(notes["nodes"])} if "nodes" in notes else {}
        return Move(answer, {"seconds": used, **nodes}, notes)

    def end(self, scores: Sequence[float] | None) -> None:
        """Do nothing: engines do not ask who won."""

    def reset(self) -> None:
        """Do nothing: every game begins with ``ucinewgame``."""

    def close(self) -> None:
        """End the engine."""
        self.leave()

    def leave(self) -> bool:
        """End the engine; say whether it ended by itself."""
        return self._leave(FAREWELL)

    @property
    def confinement(self) -> str:
        """How the engine is confined on this machine, in words."""
        return self._confinement.described()

    @property
    def patience(self) -> float:
        """Seconds after which it is given up."""
        return self._limits.patience

    def _greet(self, process: LineProcess) -> None:
        """Say uci, hear what the engine is and has, and set its options."""
        deadline = monotonic() + self._limits.start_seconds
        process.send("uci", self._limits.start_seconds)
        known: dict[str, EngineOption] = {}
        while (line := process.read(max(0.0, deadline - monotonic()))).strip() != "uciok":
            if line.startswith("id name "):
                self.engine = line.removeprefix("id name ").strip()
            if (option := announced(line)) is not None:
                known[option.name.lower()] = option
        for name, value in self._limits.setoption.items():
            try:
                process.send(setting(name, value, known), self._limits.start_seconds)
            except DataError as error:
                raise DataError(f'player "{self.name}": {error}') from None
        self._ready(process, self._limits.start_seconds)

    def _ready(self, process: LineProcess, seconds: float) -> None:
        deadline = monotonic() + seconds
        process.send("isready", seconds)
        while process.read(max(0.0, deadline - monotonic())).strip() != "readyok":
            pass

    def _go(self) -> str:
        limits = self._limits
        parts = {"nodes": limits.nodes, "depth": limits.depth}
        if limits.seconds is not None:
            parts["movetime"] = max(1, round(limits.seconds * 1000))
        if limits.clock is not None:
            left, more = max(1, round(self._left * 1000)), round(self._clock[1] * 1000)
            # The other's clock is not known here; engines plan with their own.
            parts |= {"wtime": left, "btime": left, "winc": more, "binc": more}
        return "go " + " ".join(f"{name} {value}" for name, value in parts.items() if value is not None)

    def _best(self, process: LineProcess) -> tuple[str, dict[str, int]]:
        """Read until the best move, or until patience ends."""
        own = self._limits.seconds or (self._left if self._limits.clock is not None else 0.0)
        deadline = monotonic() + own + self._limits.patience
        notes: dict[str, int] = {}
        while True:
            left = deadline - monotonic()
            if left <= 0:
                raise Trouble(f"no best move within {own + self._limits.patience:g} s")
            try:
                line = process.read(left)
            except Trouble as trouble:
                late = str(trouble).startswith("no answer")
                raise Trouble(f"no best move within {own + self._limits.patience:g} s") if late else trouble from None
            words = line.split()
            if words[:1] == ["bestmove"]:
                if len(words) < 2 or words[1] in ("(none)", "0000", "NULL"):
                    raise Trouble(f"it gave no move, but {shown(line)}")
                return words[1], notes
            said = read_info(line)
            if "cp" in said or "mate" in said:
                notes = {name: value for name, value in notes.items() if name not in ("cp", "mate")}
            notes |= said

    def _tick(self, used: float) -> None:
        """Take the time of a move from the clock; whoever has none left has lost."""
        if self._limits.clock is None:
            return
        self._left -= used
        if self._left < 0:
            raise PlayerFault(self._seat, f"{self.name}: lost on time by {-self._left:.2f} s")
        self._left += self._clock[1]

    def _blamed(self, trouble: Trouble) -> PlayerFault:
        """End an engine in trouble: it starts anew with the next game."""
        self.kill()
        return PlayerFault(self._seat, f"{self.name}: {trouble}")


def open_player(spec: PlayerSpec, rest: str) -> UciPlayer:
    """Open ``uci:COMMAND`` and start it: one that does not start is found out before the first game."""
    options = options_from(UciOptions, spec.options, CHECKS, f'player "{spec.name}"')
    if not any((options.nodes, options.depth, options.seconds, options.clock)):
        raise ParameterError(f'player "{spec.name}" needs to know how long it thinks: nodes, depth, seconds or clock')
    _clock(options.clock)
    command = split_command(rest)
    version = version_of(spec.bot or "", spec.options, *files_of(command))
    player = UciPlayer(spec.name, command, options, version=version, given=spec.options)
    try:
        player.start()
    except WorkerFault as fault:
        raise ParameterError(f"player {fault}") from fault
    return player


def _clock(text: str | None) -> tuple[float, float]:
    """Read seconds and an increment: ``10+0.1``.

    >>> _clock("10+0.1")
    (10.0, 0.1)
    """
    if text is None:
        return 0.0, 0.0
    base, _, more = text.partition("+")
    try:
        seconds, increment = float(base), float(more or 0.0)
    except ValueError:
        seconds, increment = -1.0, 0.0
    if not 0 < seconds < 1e6 or not 0 <= increment < 1e6:
        raise ParameterError(f'clock is seconds and an increment, such as "10+0.1", not {shown(text)}')
    return seconds, increment
