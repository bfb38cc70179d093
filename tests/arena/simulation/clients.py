"""Who talks to the owner: workers that play, dawdle, hang, fail and die, and an operator."""

from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

from equipoise.core.errors import LeaseError, StoreError
from tests.arena.playing import outcome_of
from tests.arena.simulation.journal import must
from tests.arena.simulation.network import Network
from tests.arena.simulation.owner import Owner, Request
from tests.arena.simulation.world import World

__all__ = ["Client", "Operator", "Worker"]

PATIENCE = 2.0
"""Seconds until something that was not answered is said again; doubled each time, up to five times."""
Steps = Generator[float | Request, Any, Any]


class Client:
    """Somebody with a script: it waits, or says something again and again until there is an answer."""

    new_request_each_time = False
    """Whether what was not answered is asked for anew, as no client should."""

    def __init__(self, world: World, network: Network, owner: Owner, seen: Counter[str], name: str) -> None:
        self.world, self.seen, self.name = world, seen, name
        self._network, self._owner = network, owner
        self._said = 0
        self._script = self.script()
        world.later(world.random.uniform(0.0, 3.0), lambda: self._go_on(None))

    def script(self) -> Steps:
        """Give seconds to wait and requests to make; requests give their answers."""
        raise NotImplementedError

    def _go_on(self, answer: Any, error: BaseException | None = None) -> None:
        try:
            step = self._script.throw(error) if error is not None else self._script.send(answer)
        except StopIteration:
            return
        if isinstance(step, dict):
            self._said += 1
            self._say(step, self._said, PATIENCE)
        else:
            self.world.later(step, lambda: self._go_on(None))

    def _say(self, request: Request, number: int, patience: float) -> None:
        """Send a request, and look again whether it was answered."""
        if number != self._said:
            return
        if self.new_request_each_time and request["call"] == "ask" and patience > PATIENCE:
            request = {**request, "request": f"{round(patience)} {request['request']}"}

        def reply(answer: Any, error: BaseException | None) -> None:
            knows = self.knows() if error is None and request["call"] == "ask" else None
            self._network.send(lambda: self._hear(number, answer, error, knows))

        self._network.send(lambda: self._owner.receive(request, reply))
        self.world.later(patience, lambda: self._say(request, number, min(2.0 * patience, 32.0 * PATIENCE)))

    def _hear(self, number: int, answer: Any, error: BaseException | None, knows: Callable[[Any], None] | None) -> None:
        if number != self._said or isinstance(error, StoreError):  # of something said before; or to be said again
            return
        self._said += 1
        if knows is not None:
            knows(answer)
        self._go_on(answer, error)

    def knows(self) -> Callable[[Any], None]:
        """Give what a worker's answer is held against."""
        held = {(trial, one.attempt) for trial, one in self._owner.journal.held.items() if one.worker == self.name}
        held -= self._owner.forgotten
        return lambda answer: self._knows(held, answer)

    def _knows(self, held: set[tuple[int, int]], answer: Any) -> None:
        """Hold what a worker has by the journal against what it was given."""


class Worker(Client):
    """A session of a worker: it asks, plays what it gets, and reports."""

    def __init__(self, world: World, network: Network, owner: Owner, seen: Counter[str], name: str) -> None:
        self._given: set[tuple[int, int]] = set()
        self._more = lambda again: Worker(world, network, owner, seen, again)
        super().__init__(world, network, owner, seen, name)

    def _knows(self, held: set[tuple[int, int]], answer: Any) -> None:
        self._given |= {(lease.trial.number, lease.attempt) for lease in answer}
        unknown = held - self._given
        must(not unknown, f"{self.name} holds games {sorted(unknown)} that it was never given: nobody plays them")

    def script(self) -> Steps:
        """Play until the arena ends, or oneself does."""
        asked = 0
        while True:
            asked += 1
            name = f"{self.name}-{asked}"
            n = self.world.random.choice((1, 1, 2, 3))
            leases = yield {"call": "ask", "n": n, "worker": self.name, "request": name}
            if not leases:
                yield self.world.random.uniform(2.0, 20.0)
            elif self.world.chance(0.05):
                self.seen["workers died"] += 1
                name, _, life = self.name.partition(".")
                self._more(f"{name}.{int(life or 0) + 1}")
                return
            else:
                yield from self._play(leases)

    def _play(self, leases: list[Any]) -> Steps:
        random, finished = self.world.random, []
        for lease in leases:
            how = random.choices(
                (self._quickly, self._slowly, self._hanging, self._dawdling), (1, 0, 0, 0) if self.world.calm else
                (70, 12, 6, 12),
            )[0]  # fmt: skip
            yield from how(lease)
            if self.world.chance(0.15):
                yield from self._fail(lease)
            else:
                finished.append(self._result(lease))
                if random.random() < 0.6:
                    yield from self._tell(finished)
                    finished = []
        yield from self._tell(finished)

    def _quickly(self, _lease: Any) -> Steps:
        yield self.world.random.uniform(0.2, 3.0)

    def _slowly(self, lease: Any) -> Steps:
        """Play for longer than a lease, with progress."""
        for progress in range(1, self.world.random.randint(3, 8)):
            yield self.world.random.uniform(1.0, 0.7 * self._owner.journal.spec.lease)
            if not (yield from self._renew(lease, progress)):
                return

    def _hanging(self, lease: Any) -> Steps:
        """Renew without progress until that is refused."""
        while (yield from self._renew(lease, 1)):
            yield self.world.random.uniform(0.3, 0.6) * self._owner.journal.spec.lease
        self.seen["hung"] += 1

    def _dawdling(self, _lease: Any) -> Steps:
        """Come back when somebody else has it, perhaps."""
        yield self.world.random.uniform(0.8, 2.5) * self._owner.journal.spec.lease

    def _renew(self, lease: Any, progress: int) -> Steps:
        try:
            yield {"call": "renew", "lease": lease, "progress": float(progress)}
        except LeaseError:
            return False
        return True

    def _result(self, lease: Any) -> dict[str, Any]:
        key = self.name if lease.trial.number % 2 else None
        return {"lease": lease, "scores": outcome_of(lease.trial), "key": key}

    def _tell(self, results: list[dict[str, Any]]) -> Steps:
        if results:
            try:
                yield {"call": "tell", "results": results}
            except LeaseError:  # one is void: the others by themselves
                self.seen["void meanwhile"] += 1
                for one in results if len(results) > 1 else ():
                    yield from self._tell([one])

    def _fail(self, lease: Any) -> Steps:
        fault = self.world.random.choice(("worker", "worker", "player", "operator"))
        try:
            yield {"call": "fail", "lease": lease, "fault": fault, "seat": 0}
        except LeaseError:
            self.seen["void meanwhile"] += 1


class Operator(Client):
    """Somebody who stops play, goes on, and makes games void."""

    def script(self) -> Steps:
        """Interfere now and then, until everything is calm."""
        random = self.world.random
        while not self.world.calm:
            yield random.uniform(5.0, 60.0)
            what: Request = random.choice(
                ({"call": "pause"}, {"call": "sweep"}, {"call": "void", "number": random.randint(1, 12)})
            )
            yield from self._do(what)
            if what["call"] == "pause":
                yield random.uniform(1.0, 30.0)
                yield from self._do({"call": "resume"})
        while True:  # a message to pause that came late, or twice
            yield 30.0
            if self._owner.journal.phase == "paused":
                yield from self._do({"call": "resume"})

    def _do(self, what: Request) -> Steps:
        try:
            yield what
        except Exception as error:
            self.seen[f"{what['call']}: {type(error).__name__}"] += 1
