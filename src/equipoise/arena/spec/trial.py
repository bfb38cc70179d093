"""What is handed to a worker, and what it gets back for its result."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal, Self

REPLAYED = 1_000_000
"""The attempt of a trial that is finished, and played again to be compared: its result is late, whatever it is."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Who sits where, on which task, with which seed.

    Attributes
    ----------
    number
        Of the trial in its arena, from 1.
    block
        The block it belongs to: trials that count together or not at all.
    players
        Names by seat.
    task
        What they play on, where the arena has tasks.
    seed
        Everything random in the trial is drawn from it; the trials of a block share it.
    """

    number: int
    block: int
    players: tuple[str, ...]
    task: str | None
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Give the trial as JSON."""
        return {
            "number": self.number, "block": self.block, "players": list(self.players), "task": self.task,
            "seed": self.seed,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**{**saved, "players": tuple(saved["players"])})


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to play a trial until a moment, to be renewed with progress.

    Attributes
    ----------
    trial
        What to play.
    attempt
        How often the trial was leased, this time included.
    worker
        Who holds the lease.
    reason
        Why this trial, in words.
    until
        When the lease ends, in seconds since 1970 by the arena's clock.
    arena
        Identity of the arena that gave it.
    secret
        What proves that a result comes from the holder.
    """

    trial: Trial
    attempt: int
    worker: str
    reason: str
    until: float
    arena: str
    secret: str

    def to_dict(self) -> dict[str, Any]:
        """Give the lease as JSON, for a worker in another process."""
        return asdict(self) | {"trial": self.trial.to_dict()}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(**{**saved, "trial": Trial.from_dict(saved["trial"])})


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a result: it is on disk when this is given.

    Attributes
    ----------
    counted
        Whether it is the result of its trial; False for one that came after another worker's.
    duplicate
        Whether the same result had been taken already (a repeated ``tell``).
    seq
        Number of the event in the journal.
    """

    counted: bool
    duplicate: bool
    seq: int


# What can go wrong while a trial is played, and whose fault it is.
#
# A fault of a *player* (an illegal move, a crash, too much time) is a forfeit, by the rule that the spec states before
# play. A fault of the *worker* (a machine, a network, a bug of the referee) says nothing about the players: the trial
# is tried again, the same seats and the same seed. Where the *operator* stops play nobody failed: the trial waits for
# the next play, and that costs no attempt.

Fault = Literal["worker", "player", "operator"]


class PlayerFault(Exception):  # noqa: N818  # the rules' own word for it
    """A player broke the rules, crashed, or took too long.

    Parameters
    ----------
    seat
        Which seat, from 0.
    message
        What happened, in one line.
    transcript
        What was played until then, where it is known.
    costs
        Numbers kept with the trial (seconds, tokens, money), by name.
    """

    def __init__(
        self, seat: int, message: str, *, transcript: str | None = None, costs: Mapping[str, float] | None = None
    ) -> None:
        super().__init__(message)
        self.seat, self.message, self.transcript, self.costs = seat, message, transcript, dict(costs or {})

    def __reduce__(self) -> tuple[Any, ...]:
        # The standard way passes the message alone: the seat would be lost between processes.
        return partial(type(self), transcript=self.transcript, costs=self.costs), (self.seat, self.message)


class WorkerFault(Exception):  # noqa: N818  # the rules' own word for it
    """Whoever played the trial could not finish it, through no fault of a player."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
