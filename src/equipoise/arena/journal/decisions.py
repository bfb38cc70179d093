"""Decisions with their place in the journal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.arena.contests.contest import Decision
from equipoise.arena.journal.events import Event
from equipoise.arena.store.transaction import Transaction

__all__ = ["Decided", "decided"]


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, frozen at an event.

    Attributes
    ----------
    decision
        What is decided, and whether that still holds.
    seq, time
        The event that froze it.
    """

    decision: Decision
    seq: int
    time: float

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return {**self.decision.to_dict(), "seq": self.seq, "time": self.time}


def decided(now: Sequence[Decision], journal: Transaction) -> tuple[Decided, ...]:
    """Find the event of each decision."""
    frozen: dict[tuple[str, str, str | None, int], Event] = {}
    for event in journal.events(kinds=["decision"]):
        body = event.content()
        frozen.setdefault((body["kind"], body["first"], body["second"], body["block"]), event)
    places = [
        (decision, frozen.get((decision.kind, decision.first, decision.second, decision.block))) for decision in now
    ]
    return tuple(Decided(decision, event.seq, event.time) for decision, event in places if event is not None)
