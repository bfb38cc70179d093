"""What can go wrong while a trial is played, and whose fault it is.

A fault of a *player* (an illegal move, a crash, too much time) is a forfeit, by the rule that the spec states before
play. A fault of the *worker* (a machine, a network, a bug of the referee) says nothing about the players: the trial is
tried again, the same seats and the same seed.
"""

from collections.abc import Mapping
from typing import Any, Literal

__all__ = ["Fault", "PlayerFault", "WorkerFault"]

Fault = Literal["worker", "player"]


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
        return _player_fault, (self.seat, self.message, self.transcript, self.costs)


def _player_fault(seat: int, message: str, transcript: str | None, costs: Mapping[str, float]) -> PlayerFault:
    return PlayerFault(seat, message, transcript=transcript, costs=costs)


class WorkerFault(Exception):  # noqa: N818  # the rules' own word for it
    """Whoever played the trial could not finish it, through no fault of a player."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
