"""The owner of a simulated arena: it takes requests as they come, writes them together, dies and comes back."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from equipoise.arena.arena import Arena
from equipoise.arena.engine import managing, reported_results
from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.failpoints import calling
from equipoise.arena.engine.leasing import sweep
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.core.errors import EquipoiseError, StoreError
from tests.arena.simulation.disk import Disk
from tests.arena.simulation.journal import Journal, must
from tests.arena.simulation.world import Crash, World

__all__ = ["Owner", "Request"]

AWAY, REOPENED = 30.0, 0.01
"""Seconds that a dead owner is away, at most; share of writings after which a living one closes and opens again."""
TOGETHER = 0.4
"""Seconds for which requests are collected, at most."""
Request = dict[str, Any]


class Owner:
    """An arena, through all lives of the process that owns it.

    Attributes
    ----------
    journal
        What is on disk, checked event by event.
    forgotten
        Trials and attempts that were given to a request for which an owner who died since had nothing: that there was
        nothing stands in no journal, and a message that was doubled can come after the worker has moved on.
    """

    def __init__(self, world: World, spec: ArenaSpec, seen: Counter[str]) -> None:
        self._world, self._seen = world, seen
        self.disk = Disk(world, spec, seen, self._died)
        self.journal = Journal(self.disk.database, spec)
        self.journal.read()
        self._life = 0
        self._arena: Arena | None = None
        self._carrying = False
        self._renewing: list[Request] = []
        self._nothing: dict[str, int] = {}
        self.forgotten: set[tuple[int, int]] = set()
        self._began = self._ran = 0.0
        self._start()

    @property
    def arena(self) -> Arena:
        """The arena of a living owner."""
        assert self._arena is not None
        return self._arena

    @property
    def ended(self) -> bool:
        """Whether somebody is there and nothing is left to play."""
        return self._arena is not None and self.journal.phase in ("answered", "spent", "stopped")

    def finish(self, recount: bool) -> None:
        """Hold what was acknowledged against what is on disk, and recount everything, as a user would."""
        self.journal.read()
        for trial, key in self.journal.acknowledged:
            self.journal.keeps(trial, key)
        if recount:
            found = self.arena.verify()
            must(found.ok, f"verify: {'; '.join(found.problems)}")

    def _died(self) -> None:
        """End this life: nobody is answered any more."""
        self._life += 1
        self._arena = None
        self._carrying = False

    def _start(self) -> None:
        """Open the arena; die on the way, perhaps, and try again."""
        life = self._life
        try:
            with calling(self.disk.reached):
                arena = Arena(self.disk.store())
                arena._commits.look(lambda state: state.seq)
        except Crash:
            self._world.later(self._world.random.uniform(0.1, AWAY), self._start)
            return
        assert life == self._life
        self._arena, self._began = arena, -1.0
        self.journal.read()
        self.journal.agrees(arena._commits.look(lambda state: state))
        for trial, key in self.journal.acknowledged:
            self.journal.keeps(trial, key)

    def receive(self, request: Request, reply: Callable[[Any, BaseException | None], None]) -> None:
        """Take a request; who is away hears nothing."""
        if self._arena is None:
            return
        life = self._life

        def then(answer: Any, error: BaseException | None) -> None:
            if life == self._life:
                self._check(request, answer, error)
                reply(answer, error)

        try:
            run = self._run(request)
        except EquipoiseError as error:
            reply(None, error)
            return
        self._renewing += [request] if request["call"] == "renew" else []
        self.arena._commits.submit(run, then, last=request["call"] == "ask")
        if not self._carrying:
            self._carrying = True
            self._world.later(self._world.random.uniform(0.0, TOGETHER), lambda: self._carry(life))

    def _run(self, request: Request) -> Callable[[Batch], Any]:
        """Give what a request does in its transaction."""
        arena, call = self.arena, request["call"]
        if call == "ask":
            n, worker, number = request["n"], request["worker"], request["request"]
            return lambda batch: arena._issuer.ask(batch, n, worker, number, None)
        if call == "renew":
            return lambda batch: arena._issuer.renew(batch, request["lease"], request["progress"])
        if call == "tell":
            results = [arena._result(**one) for one in request["results"]]
            return lambda batch: reported_results.tell_many(batch, results)
        if call == "fail":
            lease, fault, seat = request["lease"], request["fault"], request["seat"]
            spec, loss = arena.spec, None
            if fault == "player" and spec.forfeit == "loss":
                loss = reported_results.forfeited(spec, lease, seat, "x")
            return lambda batch: reported_results.fail(batch, lease, fault, seat, "x", loss)
        if call == "void":
            return lambda batch: managing.void(batch, request["number"], "by chance")
        if call == "sweep":
            return sweep
        return lambda batch: managing.go(batch, call)

    def _carry(self, life: int) -> None:
        """Write what waits."""
        if life != self._life:
            return
        self._carrying = False
        if self._began < 0:  # the arena's clock begins with the first request
            self._began = self._world.now - self._ran
        self.journal.running = self.journal.by = self._world.now - self._began
        swept = self._seen["sweeps"]
        try:
            with calling(self.disk.reached):
                self._write()
        except Crash:
            self._fall(life)
            return
        self._look(swept)
        self._renewing.clear()
        if self._world.chance(REOPENED):
            self._close()

    def _write(self) -> None:
        """Write what waits; who asked is answered on the way."""
        self.arena._commits.carry()

    def _fall(self, life: int) -> None:
        """After a death: what was renewed and not answered may be renewed; the clock has come to the last event."""
        must(self._life == life + 1, "a death that is none")
        self._read()
        for request in self._renewing:
            lease = request["lease"]
            self.journal.maybe_renewed(lease.trial.number, lease.attempt)
        self._renewing.clear()
        self._away()
        self._world.later(self._world.random.uniform(0.1, AWAY), self._start)

    def _away(self) -> None:
        self._ran = self.journal.recorded
        self._began = -1.0

    def _close(self) -> None:
        """Close as one should, and come back."""
        self._seen["closed and opened"] += 1
        arena = self.arena
        self._died()
        self._away()
        arena.close()
        self._world.later(self._world.random.uniform(0.1, AWAY), self._start)

    def _asked(self, request: str, leases: list[Any]) -> None:
        """Take in what a request was given, and whether an owner that died had said that there is nothing."""
        if not leases:
            self._nothing[request] = self._life
        elif self._nothing.get(request, self._life) != self._life:
            self.forgotten |= {(lease.trial.number, lease.attempt) for lease in leases}

    def _read(self) -> None:
        self.journal.by = self._world.now - self._began
        self.journal.read()

    def _look(self, swept: int) -> None:
        """Hold what is written against what may be."""
        self._read()
        state = self.arena._commits._state
        if state is not None:
            self.journal.agrees(state)
        if self._seen["sweeps"] > swept:
            for words in self.journal.outlived():
                must(False, words)

    def _check(self, request: Request, answer: Any, error: BaseException | None) -> None:
        """Take in what is answered, when it is; what is not committed by then is not on disk."""
        if not self.disk.database.in_transaction:
            self._read()
        call = request["call"]
        if isinstance(error, StoreError):
            return
        self._seen["sweeps"] += call in ("ask", "sweep") and error is None
        if error is not None:
            must(isinstance(error, EquipoiseError), f"{call}: {type(error).__name__} {error}")
            self._seen[f"refused {call}"] += 1
            if call == "renew":
                lease = request["lease"]
                self.journal.refused(lease.trial.number, lease.attempt, request["progress"])
        elif call == "ask":
            self._asked(request["request"], answer)
        elif call == "renew":
            self.journal.renewed(answer.trial.number, answer.attempt, answer.until, request["progress"])
        elif call == "tell":
            for one, receipt in zip(request["results"], answer, strict=True):
                key = one.get("key") or f"attempt {one['lease'].attempt}"
                number = one["lease"].trial.number
                self.journal.acknowledge(number, key, receipt.seq, receipt.counted, list(one["scores"]))
