"""The arena: a durable ask and tell. It leases trials, takes their outcomes, and says what is decided."""

import contextlib
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

from equipoise.arena.access.organiser import ArenaOrganiser
from equipoise.arena.access.reader import ArenaReader
from equipoise.arena.access.service import ArenaClient, Service
from equipoise.arena.contests.make import self_contained, texts_of
from equipoise.arena.engine import reported_results
from equipoise.arena.engine.commits import Commits
from equipoise.arena.engine.leasing import LeaseIssuer, sweep
from equipoise.arena.engine.reported_results import SubmittedResult
from equipoise.arena.engine.state import ENDED, ArenaState
from equipoise.arena.journal.events import BEGINNING, Event
from equipoise.arena.spec.look_alikes import refuse_look_alikes
from equipoise.arena.spec.names import checked_name, checked_text
from equipoise.arena.spec.outcome import Outcome, digest
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.arena.spec.trial import Fault, Lease, Receipt
from equipoise.arena.store.place import StorePlace
from equipoise.arena.store.store import Store
from equipoise.arena.store.transaction import Transaction
from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.options import check, number, shown, whole
from equipoise.core.wording import Option

if TYPE_CHECKING:
    from equipoise.arena.remote.arena import RemoteArena

ONE_OR_MORE, WAIT = whole(1), number(0.0)
RESULT = ("lease", "scores", "key", "controls", "transcript", "costs")
"""What a result has."""
LOOK_AGAIN = 0.2
"""Seconds between looks where other processes write too."""


class Arena(ArenaOrganiser):
    """Ask for trials, report their outcomes; nothing that was acknowledged is lost or counts twice.

    Made by :meth:`create` or :meth:`open`. Every method may be called from many threads at once. An arena in a file
    belongs to one process; one in PostgreSQL takes any number.

    Examples
    --------
    >>> import tempfile, equipoise as eq
    >>> folder = tempfile.TemporaryDirectory()
    >>> spec = eq.ArenaSpec(name="coin", game="python:coin:toss", players=["a", "b"], budget=2)
    >>> with eq.Arena.create(f"{folder.name}/coin.db", spec) as arena:
    ...     for lease in arena.ask(n=2):
    ...         receipt = arena.tell(lease, scores=(1.0, 0.0) if lease.trial.players[0] == "a" else (0.0, 1.0))
    ...     arena.state, receipt.counted
    ('spent', True)
    >>> folder.cleanup()
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store, Commits(store))
        self._issuer = LeaseIssuer(store.id, store.secret)
        self._closed = threading.Event()
        self._service: Service | None = None

    @classmethod
    def create(cls, where: str | Path, spec: ArenaSpec | str | Path | Mapping[str, Any]) -> Self:
        """Make an arena.

        Parameters
        ----------
        where
            A new file, or ``postgresql://...``.
        spec
            What is played: an :class:`ArenaSpec`, or the path of a TOML file.

        Fails when
            something is there already, the spec makes no sense, or names of players look alike.
        """
        return cls(Store(StorePlace.of(where), make=beginning(_spec(spec))))

    @overload
    @classmethod
    def open(cls, where: str | Path) -> Self: ...

    @overload
    @classmethod
    def open(cls, where: str, *, token: str | None) -> "Self | RemoteArena": ...

    @classmethod
    def open(cls, where: str | Path, *, token: str | None = None) -> "Self | RemoteArena":
        """Open an arena and go on with it.

        Parameters
        ----------
        where
            A file, ``postgresql://...``, or ``http://HOST/arenas/NAME`` of a server of arenas.
        token
            For a server: what lets us in.

        Fails when
            there is none, another process owns the file, or a newer Equipoise made it.
        """
        far = _far(where, token)
        if far is not None:
            return far
        if token is not None:
            raise ParameterError(Option("token"), " is for an arena behind a server: http://...")
        store = Store(StorePlace.of(where))
        try:
            arena = cls(store)
            arena._commits.look(lambda state: state.seq)
        except BaseException:
            store.close()
            raise
        return arena

    @classmethod
    def look_at(cls, where: str | Path) -> ArenaReader:
        """Open an arena for reading only; one behind a server by its address.

        Fails when
            there is none, or a newer Equipoise made it.
        """
        return _far(where) or super().look_at(where)

    def serve(self) -> None:
        """Let other processes on this machine reach this arena through a local socket (:meth:`connect`)."""
        if self._service is None and self._store.ownership is not None:
            self._service = Service(self)
            self._store.ownership.announce(str(self._service.address))

    @classmethod
    def connect(cls, where: str | Path) -> "ArenaClient":
        """Reach an arena in a file that another process owns and serves."""
        return ArenaClient(where)

    def close(self) -> None:
        """Write a last snapshot and give the file back."""
        if not self._closed.is_set():
            self._closed.set()
            with contextlib.ExitStack() as last:
                if self._service is not None:
                    self._service.close()
                last.callback(self._store.close)
                if self._store.owner:
                    self._commits.close()

    def ask(
        self,
        n: int = 1,
        worker: str = "worker",
        wait: float = 0.0,
        *,
        request: str | None = None,
        labels: Collection[str] | None = None,
    ) -> list[Lease]:
        """Lease trials to play.

        Parameters
        ----------
        n
            How many at most.
        worker
            Who asks.
        wait
            Seconds to wait for one if there is none now.
        request
            An id of this request, ``SESSION-NUMBER``, with numbers that count up within a session. The same number
            gives the same answer for ever, also when its leases are over; a smaller one is refused.
        labels
            What the worker has; players that need more are not given to it. None for everything.

        Returns
        -------
        list of Lease
            Empty if there is nothing to play now: see :attr:`state`.
        """
        check(ONE_OR_MORE, "n", n)
        check(WAIT, "wait", wait)
        name = checked_name(worker, "worker")
        if request is not None:
            checked_text(request, "the id of a request", 200)
        if isinstance(labels, str):
            raise ParameterError(Option("labels"), f" is a list of names, not {shown(labels)}")
        known = None if labels is None else frozenset(labels)
        watch = self._store.time.watch
        until = watch() + wait
        while True:
            left = until - watch()
            ask = partial(self._issuer.ask, n=n, worker=name, request=request, labels=known, final=left <= 0)
            leases = self._commits.run(ask, last=True)
            if leases or left <= 0 or self._closed.is_set() or self.state in ENDED:
                return leases
            self._commits.wait(min(left, LOOK_AGAIN))

    def take_over(self, workers: Collection[str]) -> list[Lease]:
        """Give the leases that workers hold who have died, so that another one goes on with their trials."""
        return self._commits.run(lambda batch: self._issuer.held_by(batch, frozenset(workers)))

    def renew(self, lease: Lease, progress: float) -> Lease:
        """Put the end of a lease off: ``progress`` must have grown within ``stall_after`` seconds.

        Fails when
            the lease was taken back.
        """
        own = self._issuer.refuse_foreign(lease)
        check(number(), "progress", progress)
        return self._commits.run(lambda batch: self._issuer.renew(batch, own, float(progress)))

    def tell(
        self,
        lease: Lease,
        scores: Sequence[float],
        key: str | None = None,
        controls: Mapping[str, Sequence[float]] | None = None,
        transcript: str | None = None,
        *,
        costs: Mapping[str, float] | None = None,
    ) -> Receipt:
        """Bring the outcome of a trial; it is on disk when this returns.

        Parameters
        ----------
        lease
            From :meth:`ask`. A lease that ran out is good as long as nobody else has finished the trial.
        scores
            One for each seat.
        key
            Name of this result, by which a repeated one is known; by itself it is that of the lease.
        controls
            What went with luck, by name, for each seat: ``{"baseline": (0.2, -0.2)}``.
        transcript
            What was played, as text.
        costs
            Numbers kept beside it, by name.

        Returns
        -------
        Receipt
            Whether it counts (not if another worker was first), and whether it was there already.
        """
        submitted = self._result(lease, scores, key, controls, transcript, costs)
        return self._commits.run(lambda batch: reported_results.tell(batch, submitted))

    def tell_many(self, results: Iterable[Mapping[str, Any]]) -> list[Receipt]:
        """Report many outcomes in one transaction: mappings with the arguments of :meth:`tell`, all taken or none."""
        if isinstance(results, str | bytes | Mapping) or not isinstance(results, Iterable):
            raise ParameterError(f"tell_many takes a list of results, not {shown(results)}")
        submitted = [self._result_of(result) for result in results]
        return self._commits.run(lambda batch: reported_results.tell_many(batch, submitted))

    def fail(
        self,
        lease: Lease,
        fault: Fault,
        seat: int | None = None,
        message: str = "",
        *,
        transcript: str | None = None,
        costs: Mapping[str, float] | None = None,
    ) -> Receipt:
        """Say that a trial was not finished.

        Parameters
        ----------
        lease
            Of the trial.
        fault
            ``worker``: the trial is tried again, at most ``attempts`` times. ``player``: a forfeit, as the spec says.
            ``operator``: play was stopped, the trial waits for the next one, and that costs no attempt.
        seat
            Of the player at fault, from 0.
        message
            What happened.
        transcript, costs
            As in :meth:`tell`.
        """
        own = self._issuer.refuse_foreign(lease)
        failed = reported_results.failure(own, fault, seat, message, transcript=transcript, costs=costs)
        return self._commits.run(failed)

    def sweep(self) -> None:
        """Take back the leases that ran out; :meth:`ask` does so by itself."""
        self._commits.run(sweep)

    def purge_transcripts(self) -> int:
        """Throw all transcripts away; their hashes stay in the journal. Gives how many there were."""
        with self._store.write() as transaction:
            return transaction.purge_transcripts(str(self.spec.options.get("answers", "")))

    def _result_of(self, result: Mapping[str, Any]) -> SubmittedResult:
        if not isinstance(result, Mapping) or "lease" not in result or "scores" not in result:
            raise ParameterError(f"tell_many takes mappings with a lease and scores, not {shown(result)}")
        for name in result:
            if name not in RESULT:
                raise ParameterError(f'a result has no "{name}"{did_you_mean(str(name), RESULT)}')
        return self._result(**result)

    def _result(
        self,
        lease: Lease,
        scores: Sequence[float],
        key: str | None = None,
        controls: Mapping[str, Sequence[float]] | None = None,
        transcript: str | None = None,
        costs: Mapping[str, float] | None = None,
    ) -> SubmittedResult:
        own = self._issuer.refuse_foreign(lease)
        if key is not None:
            reported_results.checked_key(key)
        seats = len(own.trial.players)
        return SubmittedResult(
            own, Outcome.checked(scores, seats, controls=controls, transcript=transcript, costs=costs), key
        )


def _far(where: str | Path, token: str | None = None) -> "RemoteArena | None":
    """Reach an arena behind a server; None for one that is here."""
    if not str(where).startswith(("http://", "https://")):
        return None
    from equipoise.arena.remote.arena import RemoteArena

    return RemoteArena(str(where), token)


def beginning(spec: ArenaSpec) -> Callable[[Transaction, str, str], None]:
    """Give what writes the first event of an arena, given its identity and its secret: what a store makes one with.

    Fails when
        names of players look alike, or no contest can be made of the spec.
    """
    wanted, texts = self_contained(spec), texts_of(spec)
    refuse_look_alikes(wanted.names)

    def begin(transaction: Transaction, identity: str, secret: str) -> None:
        body = {"arena": identity, "spec": wanted.to_dict(), "secret": digest(secret)}
        event = Event.after(BEGINNING, 1, transaction.lock(), "created", body)
        ArenaState.created(event)  # refuses what no contest can be made of
        transaction.append([event])
        transaction.put_transcripts(texts)

    return begin


def _spec(given: object) -> ArenaSpec:
    if isinstance(given, ArenaSpec):
        return given
    if isinstance(given, str | Path):
        return ArenaSpec.from_toml(given)
    if isinstance(given, Mapping):
        return ArenaSpec.from_dict(given)
    raise ParameterError(Option("spec"), f" is an ArenaSpec or a TOML file's path, not {shown(given)}")
