"""An arena far away: asking and reporting over HTTP, and reading it from a copy of its journal."""

import math
import os
import re
import secrets
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from equipoise.arena.access.reader import ArenaReader
from equipoise.arena.contests.contest import ContestProgress
from equipoise.arena.desk import PlayCounts
from equipoise.arena.engine.state import ArenaState, Phase
from equipoise.arena.journal.events import Event
from equipoise.arena.journal.verify import Verification
from equipoise.arena.remote.transport import Transport, error_of
from equipoise.arena.spec.access_token import Role
from equipoise.arena.spec.spec import ArenaSpec, PlayerSpec, as_player
from equipoise.arena.spec.trial import Fault, Lease, Receipt, Trial
from equipoise.arena.store.place import StorePlace
from equipoise.arena.store.store import Store
from equipoise.core.errors import ParameterError
from equipoise.core.results import jsonable

if TYPE_CHECKING:
    from equipoise.arena.access.accounts import GameAccount
    from equipoise.arena.access.reader import Decided
    from equipoise.arena.access.standings import ArenaStandings

_Answer = TypeVar("_Answer")
LONGEST_WAIT, PAGE = 20.0, 1_000
MOST_ITEMS = 256


class RemoteArena(ArenaReader):
    """Has the contract of :class:`equipoise.Arena`; made by ``equipoise.Arena.open("http://...", token=...)``.

    The token may also stand in the environment variable ``EQUIPOISE_TOKEN``. What it does not allow is refused by the
    server. Whatever reads results keeps a copy of the journal in a
    temporary file, without seeds unless the token is an organiser's, and fetches what is new.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        self._transport = Transport(url, token if token is not None else os.environ.get("EQUIPOISE_TOKEN"))
        try:
            self._summary = self._transport.get("")
        except BaseException:
            self._transport.close()
            raise
        self._asking = threading.local()
        self._counting = threading.Lock()
        self._copy: _Copy | None = None

    def close(self) -> None:
        """Let go of the connection and the copy."""
        self._transport.close()
        if self._copy is not None:
            self._copy.close()

    def __repr__(self) -> str:
        return f"Arena({self.place!r}, {self._summary['name']!r})"

    # Playing

    def ask(
        self,
        n: int = 1,
        worker: str = "worker",
        wait: float = 0.0,
        *,
        request: str | None = None,
        labels: Collection[str] | None = None,
    ) -> list[Lease]:
        """Lease trials, as :meth:`equipoise.Arena.ask`; the token's name stands before the worker's."""
        if isinstance(labels, str):
            raise ParameterError(f"labels is a list of names, not {labels!r}")
        left = float(wait)
        while True:
            asked = {"n": n, "wait": min(left, LONGEST_WAIT), "labels": None if labels is None else sorted(labels)}
            said = {"request": request or self._next_request(), "worker": worker, "ask": asked}
            answer = self._transport.post("/turns", said)
            left -= LONGEST_WAIT
            leases = [] if answer is None else answer["leases"]  # a question that waited in vain has no body
            if leases or left <= 0.0 or request is not None:
                return [self._lease(one, worker) for one in leases]

    def _next_request(self) -> str:
        """Count up; each thread has a session of its own, for in one session a later question ends the earlier."""
        own = self._asking
        if not hasattr(own, "session"):
            own.session, own.number = secrets.token_hex(8), 0
        own.number += 1
        return f"{own.session}-{own.number}"

    def _lease(self, said: Mapping[str, Any], worker: str) -> Lease:
        trial, attempt, secret = str(said["lease"]).split(".")
        played = Trial.from_dict(said["trial"])
        assert int(trial) == played.number
        return Lease(played, int(attempt), worker, said["reason"], said["until"], self.id, secret)

    def _turn(self, kind: str, items: Sequence[Mapping[str, Any]], answers: str) -> list[dict[str, Any]]:
        """Say some items; each has an answer of its own."""
        given: list[dict[str, Any]] = []
        for at in range(0, len(items), MOST_ITEMS):
            given += self._transport.post("/turns", {kind: items[at : at + MOST_ITEMS]})[answers]
        return given

    def renew(self, lease: Lease, progress: float) -> Lease:
        """Renew a lease, as :meth:`equipoise.Arena.renew`."""
        answer = _good(self._turn("renew", [{"lease": _text(lease), "progress": progress}], "renewed")[0])
        return replace(lease, until=answer["until"])

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
        """Report an outcome, as :meth:`equipoise.Arena.tell`."""
        more = {"key": key, "controls": controls, "transcript": transcript, "costs": costs}
        return self.tell_many([{"lease": lease, "scores": scores, **more}])[0]

    def tell_many(self, results: Iterable[Mapping[str, Any]]) -> list[Receipt]:
        """Bring many outcomes; each is taken or refused by itself, and the first refusal is raised at the end."""
        said = [
            {
                name: _text(value) if name == "lease" else _plain(value)
                for name, value in one.items()
                if value is not None
            }
            for one in results
        ]
        return [_receipt(answer) for answer in self._turn("tells", said, "receipts")]

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
        """Say that a trial was not finished, as :meth:`equipoise.Arena.fail`."""
        said = {"lease": _text(lease), "fault": fault, "message": message}
        more = {"seat": seat, "transcript": transcript, "costs": _plain(costs)}
        said |= {name: value for name, value in more.items() if value is not None}
        return _receipt(self._turn("fails", [said], "failed")[0])

    def record_versions(self, versions: Mapping[str, str], *, changed: bool = True) -> None:
        """Record which version of each player plays; one that replaces another is refused unless it may."""
        self._transport.post("/versions", {"versions": dict(versions), "changed": changed})

    def setup(self) -> dict[str, Any]:
        """Give what a worker must know before it plays."""
        setup: dict[str, Any] = self._transport.get("/setup")
        return setup

    def versions(self) -> dict[str, str]:
        """Give the version of each player that played last."""
        return dict(self.setup()["versions"])

    def holders(self) -> set[str]:
        """Name this token's workers that hold leases."""
        return set(self.setup()["holders"])

    def take_over(self, workers: Collection[str]) -> list[Lease]:
        """Give the leases of this token's workers that have died."""
        answer = self._transport.post("/turns", {"take_over": sorted(workers)})
        return [self._lease(one, "") for one in answer["leases"]]

    # Reading

    @property
    def id(self) -> str:
        """Identity of the arena."""
        return str(self._summary["arena"])

    @property
    def place(self) -> str:
        """Its address."""
        return self._transport.url

    @property
    def token(self) -> str | None:
        """What lets us in."""
        return self._transport.token

    @property
    def notes(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    @property
    def shared(self) -> bool:
        """Whether others may play, too."""
        return True

    @property
    def spec(self) -> ArenaSpec:
        """What is played; with bots and options where the token is a worker's."""
        if self._transport.role == "worker":
            return ArenaSpec.from_dict(self.setup()["spec"])
        return self.look(lambda state: replace(state.spec, players=tuple(state.players.values())))

    @property
    def state(self) -> Phase:
        """Whether play goes on."""
        self._summary = self._transport.get("")
        phase: Phase = self._summary["state"]
        return phase

    def counts(self) -> PlayCounts:
        """Say how far play is."""
        now = self._transport.get("")
        progress = ContestProgress.from_dict(now["progress"])
        return PlayCounts(now["state"], now["counted"], now["budget"], now["voids"], now["forfeits"], progress)

    def progress(self) -> ContestProgress:
        """Say how far the goal is."""
        return self.counts().progress

    def look(self, function: Callable[[ArenaState], _Answer]) -> _Answer:
        """Run a function on the state, folded here from the journal that the server gives."""
        return function(self._synced().state)

    def events(self, after: int = 0, most: int | None = None, kinds: Sequence[str] | None = None) -> Iterator[Event]:
        """Give the journal in order, as far as the token shows it."""
        with self._synced().store.read() as transaction:
            yield from transaction.events(after, kinds, most)

    def decisions(self) -> "tuple[Decided, ...]":
        """Give what is decided, each with the number of its event."""
        from equipoise.arena.access.reader import decided

        copy = self._synced()
        with copy.store.read() as transaction:
            return decided(copy.state.contest.decisions, transaction)

    def transcript(self, number: int, *, early: bool = False) -> str | None:  # noqa: ARG002  # the server decides
        """Give what was played in a trial, once its block is closed; None if nothing was kept."""
        try:
            return "\n".join(self._transport.lines(f"/trials/{number}/transcript"))
        except ParameterError as error:
            if "no transcript" in str(error):
                return None
            raise

    def game(self, number: int) -> "GameAccount":
        """Give one game, as :meth:`equipoise.Arena.game`; its seed is shown to organisers alone."""
        account = super().game(number)
        kept = self.transcript(number) if account.complete and account.scores is not None else None
        return replace(account, transcript=kept, seed=account.seed if self._transport.role == "organiser" else None)

    def standings(self, *, verdict: bool = True) -> "ArenaStandings":
        """Give the standings, computed here from the results."""
        return super().standings(verdict=verdict)

    def verify(self) -> Verification:
        """Have the server recount everything from its journal."""
        found = self._transport.get("/verify")
        return Verification(**{**found, "problems": tuple(found["problems"])})

    def journal_lines(self) -> list[str]:
        """Give the whole journal, for :func:`equipoise.restore_arena`; an organiser's token is needed."""
        return self._transport.lines("/export")

    @property
    def store(self) -> Store:
        """The copy of the journal."""
        return self._synced().store

    def fetched(self) -> Path:
        """Give a file of an arena with what was played so far, for what reads files; it goes when this arena does."""
        return self._synced().file

    def _synced(self) -> "_Copy":
        with self._counting:
            if self._copy is None:
                self._copy = _Copy(self.id, self._transport.name)
        self._copy.catch_up(self._transport)
        return self._copy

    # Organising

    def pause(self) -> None:
        """Lease nothing until :meth:`resume`."""
        self._transport.post("/pause", {})

    def resume(self) -> None:
        """Go on after a pause or a stop."""
        self._transport.post("/resume", {})

    def stop(self) -> None:
        """End play."""
        self._transport.post("/stop", {})

    def void(self, number: int, reason: str) -> None:
        """Leave out the block of a trial."""
        self._transport.post("/void", {"number": number, "reason": reason})

    def exclude(self, worker: str, reason: str) -> int:
        """Withdraw all results of a worker; give how many blocks became void."""
        return int(self._transport.post("/exclude", {"worker": worker, "reason": reason})["void"])

    def include(self, worker: str, reason: str) -> None:
        """Let an excluded worker play again."""
        self._transport.post("/include", {"worker": worker, "reason": reason})

    def add_player(self, player: PlayerSpec | str | Mapping[str, Any]) -> None:
        """Let one more play, in an open arena."""
        self._transport.post("/players", as_player(player).to_dict())

    def make_token(self, role: Role, name: str, *, labels: Sequence[str] = (), days: float = 90.0) -> str:
        """Make a token; it is given once."""
        said = {"role": role, "name": name, "labels": list(labels), "days": days}
        return str(self._transport.post("/tokens", said)["token"])

    def revoke(self, token: str) -> None:
        """Let nobody in with a token any more."""
        self._transport.delete(f"/tokens/{quote(token, safe='')}")

    def tokens(self) -> list[dict[str, Any]]:
        """List the tokens that are good."""
        return list(self._transport.get("/tokens")["tokens"])


class _Copy:
    """The journal as the server shows it, in a temporary file, and the state that follows from it."""

    def __init__(self, identity: str, name: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="equipoise-")
        plain = re.sub(r"[^\w.-]", "_", name)[:80]
        self.file = Path(self._folder.name) / f"{plain}.db"
        self.store = Store(StorePlace.of(self.file), make=lambda *_: None, identity=identity)
        self._state: ArenaState | None = None
        self._turn = threading.Lock()

    @property
    def state(self) -> ArenaState:
        assert self._state is not None
        return self._state

    def catch_up(self, transport: Transport) -> None:
        """Fetch what is new."""
        with self._turn:
            while True:
                after = 0 if self._state is None else self._state.seq
                page = transport.get("/events", after=after, most=PAGE)
                events = [Event.from_dict(line) for line in page["events"]]
                for event in events:
                    if self._state is None:
                        self._state = ArenaState.created(event)
                    else:
                        self._state.apply(event)
                with self.store.write() as transaction:
                    transaction.lock()
                    transaction.append(events)
                if len(events) < PAGE:
                    return

    def close(self) -> None:
        self.store.close()
        self._folder.cleanup()


def _text(lease: Any) -> str:
    if not isinstance(lease, Lease):
        raise ParameterError(f"a lease is what ask gave, not an object of type {type(lease).__name__}")
    return f"{lease.trial.number}.{lease.attempt}.{lease.secret}"


def _plain(value: Any) -> Any:
    """Give numbers of NumPy as JSON has them; what is not finite is refused here, as the arena would."""
    plain = jsonable(value) if value is not None else None
    if isinstance(value, float) and not math.isfinite(value):
        raise ParameterError(f"{value} is no finite number")
    return plain


def _good(answer: dict[str, Any]) -> dict[str, Any]:
    if answer["status"] != 200:
        raise error_of(answer)
    return answer


def _receipt(answer: dict[str, Any]) -> Receipt:
    good = _good(answer)
    return Receipt(good["counted"], good["duplicate"], good["seq"])
