"""What whoever asks the arena and whoever plays say to each other; all of it can be pickled."""

import pickle
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import EquipoiseError


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker must know before it plays.

    Attributes
    ----------
    game, options
        Of the spec.
    warm
        Players that stay loaded between trials.
    at_once
        Trials that the worker plays at the same time.
    pulse
        Least seconds between two signs of progress.
    """

    game: str
    options: Mapping[str, Any]
    warm: int
    at_once: int
    pulse: float


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """Load the game and these players once, before anything is played."""

    players: tuple[PlayerSpec, ...]
    seats: int


@dataclass(frozen=True, slots=True)
class Job:
    """A trial to play: its number and attempt, and what the game needs to know."""

    number: int
    attempt: int
    block: int
    players: tuple[PlayerSpec, ...]
    task: str | None
    seed: int


@dataclass(frozen=True, slots=True)
class Up:
    """A worker is there and may be given something; ``where`` names its place."""

    where: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """The answer to a check: versions of the players, the seats and the score range of the game."""

    versions: Mapping[str, str]
    seats: tuple[int, int]
    score_range: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Refused:
    """The game or a player cannot be loaded: nobody's bad luck, so nothing is tried again."""

    error: EquipoiseError


@dataclass(frozen=True, slots=True)
class SignOfLife:
    """A trial made progress."""

    number: int


@dataclass(frozen=True, slots=True)
class Done:
    """A trial is over: its outcome, or whose fault it is that there is none.

    Attributes
    ----------
    number, attempt
        Of the job.
    outcome, fault
        One of the two.
    seconds
        How long it took.
    versions
        Of players that were loaded for it.
    """

    number: int
    attempt: int
    outcome: Outcome | None
    fault: PlayerFault | WorkerFault | None
    seconds: float
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker died; ``message`` says how."""

    message: str


Report = Up | Ready | Refused | SignOfLife | Done | Lost


class Team(Protocol):
    """Workers of one kind. Each has a place, from 0; who dies or is killed can be replaced there."""

    places: int
    """How many workers there shall be; it may grow."""

    def start(self) -> None:
        """Begin to get workers; each reports :class:`Up` when it is there."""

    def give(self, place: int, work: Sequence[LoadRequest | Job]) -> None:
        """Give work to a worker that is up. One that has just died loses it silently, and is reported as lost."""

    def reports(self, seconds: float) -> list[tuple[int, Report]]:
        """Wait at most so long for reports, and give all there are."""

    def replace(self, place: int) -> None:
        """End the worker at a place with everything it started, and begin to get another."""

    def trouble(self) -> str | None:
        """Say why there are no workers yet, where that is known and does not mend itself."""

    def wake(self) -> None:
        """End the waiting in :meth:`reports`; signal handlers may call it."""

    def close(self, *, now: bool) -> None:
        """End all workers with everything they started; those without work may close their players before."""


# Pickled messages over the two pipes of a child process, each with its length before it.

LENGTH = struct.Struct("!Q")


def send(stream: IO[bytes], message: Any) -> None:
    """Write a message; ``OSError`` if nobody reads any more."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a message; ``EOFError`` if the other side is gone, also in the middle of one."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (size,) = LENGTH.unpack(head)
    body = stream.read(size)
    if len(body) < size:
        raise EOFError
    return pickle.loads(body)
