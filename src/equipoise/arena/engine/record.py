"""What an operator wants to know of the play so far: who brought results, who forfeits, and why games fail.

It decides nothing, and follows from the journal like everything else.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

MOST_WORKERS, MOST_REASONS, MOST_AT_FAULT = 200, 3, 200
"""Workers that are remembered, the last to bring a result; last reasons of each player, and players with any."""


class WorkerResults(NamedTuple):
    """Results that a worker brought, and when the last one came."""

    results: int
    last: float


class Mishap(NamedTuple):
    """A game that was not finished, or was forfeited: which, how, why, and when."""

    game: int
    what: str
    reason: str
    time: float


class PlayRecord:
    """Who plays, and what went wrong.

    Attributes
    ----------
    workers
        By name; the last to bring a result comes last.
    forfeits
        How often each player's own fault cost it a game, voided ones too.
    mishaps
        The last of each player; of those who sat there, with commas between, where nobody of them was at fault.
    """

    def __init__(self) -> None:
        self.workers: dict[str, WorkerResults] = {}
        self.forfeits: dict[str, int] = {}
        self.mishaps: dict[str, tuple[Mishap, ...]] = {}

    def result(self, body: Mapping[str, Any], time: float) -> None:
        """Note a result."""
        worker = body["worker"]
        before = self.workers.pop(worker, None)
        self.workers[worker] = WorkerResults(1 + (0 if before is None else before.results), time)
        _end(self.workers, MOST_WORKERS)
        fault = body.get("forfeit")
        if fault is not None:
            self.fault(body["players"][fault["seat"]], Mishap(body["trial"], "forfeit", fault["message"], time))

    def fault(self, player: str, mishap: Mishap) -> None:
        """Note a fault of a player."""
        self.forfeits[player] = self.forfeits.get(player, 0) + 1
        self.mishap((player,), mishap)

    def mishap(self, players: Sequence[str], mishap: Mishap) -> None:
        """Note that a game was not finished."""
        who = ", ".join(players)
        self.mishaps[who] = (*self.mishaps.pop(who, ()), mishap)[-MOST_REASONS:]
        _end(self.mishaps, MOST_AT_FAULT)

    def state(self) -> dict[str, Any]:
        """Give it as JSON."""
        return {
            "workers": [[name, *known] for name, known in self.workers.items()],
            "forfeits": [list(one) for one in self.forfeits.items()],
            "mishaps": [[who, [list(one) for one in mishaps]] for who, mishaps in self.mishaps.items()],
        }

    @classmethod
    def from_state(cls, saved: Mapping[str, Any]) -> Self:
        """Read what :meth:`state` wrote."""
        new = cls()
        new.workers = {name: WorkerResults(*known) for name, *known in saved["workers"]}
        new.forfeits = dict(saved["forfeits"])
        new.mishaps = {who: tuple(Mishap(*one) for one in mishaps) for who, mishaps in saved["mishaps"]}
        return new


def _end(known: dict[str, Any], most: int) -> None:
    """Forget the first where there are too many."""
    if len(known) > most:
        del known[next(iter(known))]
