"""Many requests, one transaction: what waits while a transaction is written goes into the next one together.

A request is a function of the state that emits events or refuses. One of the threads that wait takes all requests to
the disk, and then hands over to the next; the others sleep until they have their answer. Nobody is answered before the
events are on disk. Where the last transaction took many requests, the next one waits a moment for as many: their
threads were answered together and come back together.

A request may also be submitted without a thread that waits for it (:meth:`Commits.submit`): whoever has one writes
what waits to the disk (:meth:`Commits.carry`), and the request's own function is called with the answer.

Requests that wait together come from threads that do not know of each other, so that they may be taken in any order:
questions for something to play come last, and are answered from one look at all the results before them.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Generic, TypeVar

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.clock import Clock
from equipoise.arena.engine.failpoints import failpoint
from equipoise.arena.engine.state import SNAPSHOT_FORMAT, ArenaState
from equipoise.arena.store.store import Store
from equipoise.arena.store.transaction import Transaction
from equipoise.core.errors import DataError, EquipoiseError, ReadError, StoreError

_Answer = TypeVar("_Answer")
MOST_TOGETHER = 512
"""Requests in one transaction."""
GATHER, NAP = 0.004, 0.0002
"""Longest wait for as many requests as the last transaction had, and the time of a look. Threads that are still on
their way when the writing begins take turns with it, which costs more than to wait for them."""
SNAPSHOT_EVERY, SNAPSHOT_SHARE = 5_000, 0.05
"""Events between snapshots, and the most of the time that writing them may take."""


Then = Callable[[Any, BaseException | None], None]
"""Takes the answer of a request that nobody waits for, or why it was refused."""


class _PendingRequest(Generic[_Answer]):
    """A function to be run in a transaction, and its answer: for a thread that sleeps, or for ``then`` to take.

    A bare lock is all that one thread needs to sleep until another wakes it.
    """

    def __init__(self, run: Callable[[Batch], _Answer], last: bool, then: "Then | None" = None) -> None:
        self.run, self.last, self.then = run, last, then
        self.done = self.leads = self.left = False
        self.following: _PendingRequest[Any] | None = None
        self.answer: Any = None
        self.error: BaseException | None = None
        self._asleep = threading.Lock()
        self._asleep.acquire()
        self.wait = self._asleep.acquire
        self.wake = self._asleep.release

    def wake_following(self) -> None:
        following, self.following = self.following, None
        if following is not None:
            following.wake()


class Commits:
    """The one way to change an arena.

    Attributes
    ----------
    on_change
        Called after each transaction by the thread that wrote it; it must be quick.
    """

    def __init__(self, store: Store, *, snapshots: bool = True) -> None:
        self._store = store
        self._snapshots = snapshots
        self._waiting: deque[_PendingRequest[Any]] = deque()
        self._writing = threading.Lock()
        self._leading = threading.Lock()
        self._led, self._last = False, 1
        self._state: ArenaState | None = None
        self._time = store.time
        self._clock = Clock(self._time)
        self._snapshot_seq, self._snapshot_took, self._snapshot_at = 0, 0.0, 0.0
        self.on_change: Callable[[], None] | None = None
        self._changed = threading.Condition()
        self._sleepers = 0

    def run(self, function: Callable[[Batch], _Answer], *, last: bool = False) -> _Answer:
        """Run a function in a transaction with whatever else waits, after the others if ``last``.

        It is answered when everything is on disk.
        """
        request = _PendingRequest(function, last)
        with self._leading:
            self._waiting.append(request)
            request.leads = not self._led
            self._led = True
        try:
            if not request.leads:
                request.wait()
                request.wake_following()
            if not request.done:
                self._lead()
        except BaseException:
            self._leave(request)
            raise
        if request.error is not None:
            raise request.error
        answer: _Answer = request.answer
        return answer

    def submit(self, function: Callable[[Batch], Any], then: Then, *, last: bool = False) -> None:
        """Let a function run in the next transaction that somebody writes; ``then`` is called when it is on disk.

        Nobody waits: an event loop, or a simulation, calls :meth:`carry` when it suits it.
        """
        with self._leading:
            self._waiting.append(_PendingRequest(function, last, then))

    def carry(self) -> None:
        """Write everything that waits, here and now."""
        with self._writing:
            self._commit_waiting()

    def _lead(self) -> None:
        """Commit what waits, one's own request among it, and pass on to one that came meanwhile."""
        self._gather()
        with self._writing:
            self._commit_waiting()
        with self._leading:
            self._pass_on()

    def _pass_on(self) -> None:
        following = next((request for request in self._waiting if request.then is None), None)
        self._led = following is not None
        if following is not None:
            following.leads = True
            following.wake()

    def _leave(self, request: _PendingRequest[Any]) -> None:
        """Take back the request of a thread that was interrupted, after doing what other threads wait for."""
        with self._leading:
            request.left = True
            request.wake_following()
            if request in self._waiting:
                self._waiting.remove(request)
            if request.leads:
                self._pass_on()

    def _gather(self) -> None:
        """Wait a moment for the threads that were answered together."""
        until = self._time.watch() + GATHER
        while len(self._waiting) < self._last and self._time.watch() < until:
            self._time.sleep(NAP)

    def wait(self, seconds: float) -> None:
        """Sleep until something is written, or for so long."""
        with self._changed:
            self._sleepers += 1
            try:
                self._changed.wait(seconds)
            finally:
                self._sleepers -= 1

    def look(self, function: Callable[[ArenaState], _Answer]) -> _Answer:
        """Run a function on the state as it is on disk."""
        with self._writing:
            if self._others_write or self._state is None:
                try:
                    with self._store.read() as transaction:
                        self._catch_up(transaction)
                except BaseException:
                    self._state = None  # an event may be half in it
                    raise
            assert self._state is not None
            return function(self._state)

    def _commit_waiting(self) -> None:
        """Write everything that waits."""
        requests = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_TOGETHER))]
        self._last = max(len(requests), 1)
        requests.sort(key=lambda request: request.last)
        while requests:
            try:
                answers = self._written(requests)
            except _SpoiltError as spoilt:
                # One request went wrong after it had changed something: the others are written without it.
                self._state = None
                requests.remove(spoilt.request)
                self._answer([(spoilt.request, None, spoilt.error)])
            except BaseException as error:
                # What the state has in it may not be on disk: it is read again.
                self._state = None
                self._answer([(request, None, _again(error)) for request in requests])
                if not isinstance(error, EquipoiseError):
                    raise
                return
            else:
                failpoint("before-acknowledgement")
                self._answer([(request, *answer) for request, answer in zip(requests, answers, strict=True)])
                break
        if self._sleepers:
            with self._changed:
                self._changed.notify_all()
        if self.on_change is not None:
            self.on_change()
        self._save()

    def _answer(self, answers: Sequence[tuple[_PendingRequest[Any], Any, BaseException | None]]) -> None:
        """Give requests their answers, and wake the first; each thread wakes the next.

        Threads that are woken all at once stand in each other's way: one at a time runs anyhow.
        """
        asleep: list[_PendingRequest[Any]] = []
        with self._leading:
            for request, answer, error in answers:
                request.answer, request.error, request.done = answer, error, True
                if request.then is None and not request.leads and not request.left:
                    asleep.append(request)
            for one, following in pairwise(asleep):
                one.following = following
        if asleep:
            asleep[0].wake()
        for request, answer, error in answers:
            if request.then is not None:
                request.then(answer, error)

    @property
    def _others_write(self) -> bool:
        """Whether the journal may have grown without this process."""
        return self._store.shared or not self._store.owner

    def _written(self, requests: list[_PendingRequest[Any]]) -> list[tuple[Any, BaseException | None]]:
        """Write requests in one transaction; give their answers once they are on disk."""
        with self._store.write() as transaction:
            now = transaction.lock()
            state = self._catch_up(transaction)
            batch = Batch(state, transaction, self._clock.time(now, state.time))
            answers = [self._answered(request, batch) for request in requests]
            batch.write()
        return answers

    def _answered(self, request: _PendingRequest[Any], batch: Batch) -> tuple[Any, BaseException | None]:
        """Run one request; one that refuses has changed nothing, and the others go on."""
        before = batch.state.seq
        try:
            with self._store.complaints():  # a request that looks into the journal gets what the database says
                return request.run(batch), None
        except StoreError:
            raise
        except Exception as error:
            if batch.state.seq != before or not isinstance(error, EquipoiseError):
                raise _SpoiltError(request, error) from error
            return None, error

    def _catch_up(self, transaction: Transaction) -> ArenaState:
        """Bring the state to the end of the journal."""
        if self._state is None:
            self._state = self._loaded(transaction)
        elif self._others_write and transaction.last != self._state.seq:
            for event in transaction.events(after=self._state.seq):
                self._state.apply(event)
        return self._state

    def _loaded(self, transaction: Transaction) -> ArenaState:
        """Read the last snapshot and what came after it, or the whole journal."""
        state = _from_snapshot(transaction)
        self._snapshot_seq = 0 if state is None else state.seq
        for event in transaction.events(after=self._snapshot_seq):
            failpoint("in-recovery")
            if state is None:
                state = ArenaState.created(event)
            else:
                state.apply(event)
        if state is None:
            raise ReadError(
                f"{self._store.place} contains an empty journal: it was never created to the end; make it anew"
            )
        # Renewals are no events: one by a wall clock that was set back since would hold until that time comes again.
        self._clock.reached(transaction.last_progress())
        return state

    def _save(self) -> None:
        """Write a snapshot now and then, so that opening stays quick."""
        state = self._state
        if state is None or not self._snapshots or state.seq - self._snapshot_seq < SNAPSHOT_EVERY:
            return
        if self._time.watch() - self._snapshot_at >= self._snapshot_took / SNAPSHOT_SHARE:
            try:
                self.save()
            except StoreError:  # a full disk, say: results are safe without it
                self._snapshot_at = self._time.watch()

    def save(self) -> None:
        """Write a snapshot of what is on disk."""
        began = self._time.watch()
        state = self._state
        if state is None or state.seq == self._snapshot_seq:
            return
        with self._store.write() as transaction:
            transaction.lock()
            if transaction.end() != (state.seq, state.head):  # another process went on; it will write its own
                return
            transaction.save_snapshot(state.snapshot())
            transaction.keep_leases(list(state.held))
        self._snapshot_seq, self._snapshot_at = state.seq, self._time.watch()
        self._snapshot_took = self._snapshot_at - began

    def close(self) -> None:
        """Write a last snapshot."""
        with self._writing:
            if self._snapshots:
                self.save()


class _SpoiltError(Exception):
    """A request that failed after it had changed the state: nothing of its transaction may stay."""

    def __init__(self, request: _PendingRequest[Any], error: Exception) -> None:
        super().__init__(str(error))
        self.request, self.error = request, error


def _from_snapshot(transaction: Transaction) -> ArenaState | None:
    """Go on from the last snapshot.

    The journal is the truth: a snapshot that cannot be read, or that is of other events, is passed over.
    """
    try:
        saved = transaction.snapshot()
        if saved is None or saved.get("format") != SNAPSHOT_FORMAT:
            return None
        covered = next(transaction.events(after=saved["seq"] - 1, most=1), None)
        if covered is None or (covered.seq, covered.hash) != (saved["seq"], saved["head"]):
            return None
        return ArenaState.from_snapshot(saved)
    except (DataError, KeyError, TypeError, ValueError):
        return None


def _again(error: BaseException) -> BaseException:
    """Give each waiting request an error of its own: raising one object in several threads mixes their tracebacks."""
    if isinstance(error, StoreError):
        return StoreError(str(error))
    if isinstance(error, Exception):
        return error
    return StoreError("the arena was interrupted while it wrote: say it again, what was written counts once")
