"""Reporting results to the arena: many at once, each once, also while the database is away for a moment."""

import threading
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any, TypeVar

from equipoise.arena.desk import Desk
from equipoise.arena.spec.trial import Lease, PlayerFault, WorkerFault
from equipoise.core.errors import DataError, LeaseError, StoreError
from equipoise.runners.messages import Done

_Answer = TypeVar("_Answer")
OUTAGE = 120.0
"""Seconds that a database may be away before play is given up; results wait so long."""


class ResultReporter:
    """Reports results to an arena.

    Parameters
    ----------
    arena
        Where results are reported.
    stop
        Set when play must end now, whatever waits.

    Attributes
    ----------
    counted, late, forfeits, failures
        Results that count, results that came after another worker's, players' faults, workers' faults.
    in_a_row
        Workers' faults since the last result.
    last_failure
        Which game the last one was, who sat there, and what was said.
    """

    def __init__(self, arena: Desk, stop: threading.Event) -> None:
        self._arena, self._stop = arena, stop
        self.counted = self.late = self.forfeits = self.failures = self.in_a_row = 0
        self.last_failure = ""

    def report(self, done: Sequence[tuple[Lease, Done]]) -> None:
        """Report what became of some trials."""
        results = [(lease, one) for lease, one in done if one.outcome is not None]
        if results:
            self._report_results(results)
        for lease, one in done:
            if isinstance(one.fault, PlayerFault):
                self._forfeit(lease, one.fault)
            elif isinstance(one.fault, WorkerFault):
                self.fail(lease, one.fault.message)

    def fail(self, lease: Lease, message: str) -> None:
        """Give a trial back that could not be finished, through no fault of a player."""
        self.failures += 1
        self.in_a_row += 1
        self.last_failure = f"game {lease.trial.number} of {', '.join(lease.trial.players)}: {message}"
        self.patiently(lambda: self._arena.fail(lease, "worker", message=message))

    def give_back(self, leases: Sequence[Lease]) -> None:
        """Give back what will not be played because play ends; what cannot be given back now runs out by itself."""
        for lease in leases:
            try:
                self._arena.fail(lease, "operator", message="play was stopped")
            except (StoreError, LeaseError):
                return

    def patiently(self, call: Callable[[], _Answer]) -> _Answer:
        """Call the arena; while its database is away, wait and call again."""
        until, nap = monotonic() + OUTAGE, 0.05
        while True:
            try:
                return call()
            except StoreError:
                if monotonic() > until or self._stop.wait(nap):
                    raise
                nap = min(2.0 * nap, 5.0)

    def _report_results(self, results: Sequence[tuple[Lease, Done]]) -> None:
        said = [_said(lease, one) for lease, one in results]
        try:
            receipts = self.patiently(lambda: self._arena.tell_many(said))
        except DataError as error:  # nothing was taken: which of them is it?
            if len(results) == 1:
                self._refused(results[0][0], error)
                return
            for one in results:
                self._report_results([one])
            return
        counted = sum(receipt.counted for receipt in receipts)
        self.counted += counted
        self.late += len(receipts) - counted
        self.in_a_row = 0

    def _refused(self, lease: Lease, error: DataError) -> None:
        """Say why a result is not taken; the trial of a lease that is not valid is not ours to give back."""
        if isinstance(error, LeaseError):
            self.late += 1
        else:
            self.fail(lease, str(error))

    def _forfeit(self, lease: Lease, fault: PlayerFault) -> None:
        try:
            try:
                self._blame(lease, fault, {"transcript": fault.transcript, "costs": fault.costs})
            except LeaseError:
                raise
            except DataError:  # what goes with the fault makes no sense: it is a fault all the same
                self._blame(lease, fault, {})
        except DataError as error:  # a trial that is void by now
            self._refused(lease, error)
            return
        except ValueError as error:
            self.fail(lease, str(error))
            return
        self.forfeits += 1
        self.in_a_row = 0

    def _blame(self, lease: Lease, fault: PlayerFault, more: Mapping[str, Any]) -> None:
        self.patiently(lambda: self._arena.fail(lease, "player", fault.seat, fault.message, **more))


def _said(lease: Lease, one: Done) -> dict[str, object]:
    outcome = one.outcome
    assert outcome is not None
    return {
        "lease": lease, "scores": outcome.scores, "controls": outcome.controls, "transcript": outcome.transcript,
        "costs": outcome.costs,
    }  # fmt: skip
