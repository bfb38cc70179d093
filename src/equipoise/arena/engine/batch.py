"""One transaction in the making: what requests see of the arena, and what they want written."""

from collections.abc import Mapping
from typing import Any

from equipoise.arena.contests.contest import Decision
from equipoise.arena.engine.state import ArenaState
from equipoise.arena.journal.events import Event, EventKind
from equipoise.arena.store.transaction import Transaction


class Batch:
    """One transaction in the making: the state, what was emitted, what else is to be written.

    Attributes
    ----------
    state
        With everything emitted so far.
    now
        Time of the transaction.
    swept
        Whether the leases that have run out by then were taken back.
    """

    def __init__(self, state: ArenaState, transaction: Transaction, now: float) -> None:
        self.state, self.now, self.swept = state, now, False
        self._transaction = transaction
        self._events: list[Event] = []
        self._leases: dict[int, Mapping[str, Any]] = {}
        self._texts: dict[str, str] = {}

    def emit(
        self, kind: EventKind, body: Mapping[str, Any], key: str | None = None
    ) -> tuple[Event, tuple[Decision, ...]]:
        """Add a fact to the journal; give it, and what it decides."""
        state = self.state
        event = Event.after(state.head, state.seq + 1, self.now, kind, body, key)
        self._events.append(event)
        return event, state.apply(event, body)

    def lease(self, row: Mapping[str, Any]) -> None:
        """Write a renewed lease."""
        self._leases[row["trial"]] = row

    def lease_of(self, trial: int, attempt: int) -> Mapping[str, Any] | None:
        """Give a lease as it was last renewed; None if it never was."""
        row = self._leases.get(trial) or self._transaction.lease(trial)
        return row if row is not None and row["attempt"] == attempt else None

    def keep_text(self, name: str, text: str) -> None:
        """Keep a transcript."""
        self._texts[name] = text

    @property
    def journal(self) -> Transaction:
        """The journal with everything emitted so far in it."""
        self.flush()
        return self._transaction

    def flush(self) -> None:
        """Write what was emitted into the transaction."""
        if self._events:
            self._transaction.append(self._events)
            self._events = []

    def write(self) -> None:
        """Write everything into the transaction."""
        self.flush()
        self._transaction.put_leases(list(self._leases.values()))
        self._transaction.put_transcripts(self._texts)
