"""Workers on a Ray cluster: an actor for each place.

Ray tries nothing again, neither actors nor calls: a lost actor may have played, and only the arena's leases know what
counts. Actors never see the arena; whoever runs :func:`equipoise.play` asks and reports for them. An actor that is done
with something answers a call that waits for it, so that results and signs of progress come when they happen.
"""

import os
import queue
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from equipoise.core.errors import MissingDependencyError, ParameterError, WorkerError
from equipoise.core.options import number, shown
from equipoise.core.wording import Option
from equipoise.runners.ending import kill_family
from equipoise.runners.messages import Job, LoadRequest, Lost, Report, Setup, Up
from equipoise.runners.worker import Work, play_all

WAIT = 10.0
"""Seconds that an actor lets a call wait for reports."""
LOOK_EVERY = 5.0
"""Seconds between looks at how large the cluster is."""
CONNECT = 10.0
"""Seconds for a cluster to answer."""
FAREWELL = 1.0
"""Seconds that an actor has to end what it started, before it is killed."""


class PlayingActor:
    """What runs on the nodes."""

    def __init__(self, setup: Setup, folder: str, path: Sequence[str]) -> None:
        import ray

        if os.path.isdir(folder):  # where bots are found; a node without it finds those that are installed
            os.chdir(folder)
        sys.path.extend(one for one in path if one not in sys.path)
        self._work: Work = queue.SimpleQueue()
        self._reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
        for _ in range(setup.at_once):
            threading.Thread(target=play_all, args=(setup, self._work, self._reports.put), daemon=True).start()
        self._reports.put(Up(f"node {ray.get_runtime_context().get_node_id()}"))

    def give(self, work: Sequence[LoadRequest | Job]) -> None:
        """Take work."""
        for one in work:
            self._work.put(one)

    def collect(self) -> list[Report]:
        """Give the reports there are; wait for the first."""
        reports: list[Report] = []
        with suppress(queue.Empty):
            reports.append(self._reports.get(timeout=WAIT))
            while True:
                reports.append(self._reports.get_nowait())
        return reports

    def end(self) -> None:
        """End everything that was started here."""
        kill_family(os.getpid(), itself=False)


class RayTeam:
    """Workers that are actors of a Ray cluster.

    Parameters
    ----------
    setup
        What is played.
    workers
        How many actors; None for as many as the cluster has room for, also when nodes join.
    address
        Of the cluster; None for the one this program is connected to, or a new one on this machine.
    resources
        What each actor claims; ``{"CPU": 1}`` where None.
    """

    def __init__(
        self,
        setup: Setup,
        workers: int | None,
        *,
        address: str | None = None,
        resources: Mapping[str, float] | None = None,
    ) -> None:
        self._ray = _ray()
        self._setup, self._workers, self._address = setup, workers, address
        self._claims = _claims(resources)
        self._actors: dict[int, Any] = {}
        self._calls: dict[Any, int] = {}
        self._looked = float("-inf")
        self._connected = False
        self.places = workers or 0

    def start(self) -> None:
        """Connect to the cluster, and begin to get actors."""
        if not self._ray.is_initialized():
            _refuse_silent(self._address)
            try:
                self._ray.init(address=self._address, log_to_driver=False)
            except (OSError, RuntimeError, ValueError) as error:
                said = " ".join(str(error).split())[:200]
                raise WorkerError(f"no Ray cluster answers at {self._address or 'this machine'}: {said}") from error
            self._connected = True
        self._grow()

    def give(self, place: int, work: Sequence[LoadRequest | Job]) -> None:
        """Send work to an actor; what becomes of it is known from what the actor reports."""
        self._actors[place].give.remote(list(work))

    def reports(self, seconds: float) -> list[tuple[int, Report]]:
        """Wait at most so long for reports, and give all there are."""
        if monotonic() - self._looked > LOOK_EVERY:
            self._grow()
        calls = list(self._calls)
        if not calls:
            threading.Event().wait(seconds)
            return []
        first, _ = self._ray.wait(calls, num_returns=1, timeout=max(seconds, 0.001))
        ready = self._ray.wait(calls, num_returns=len(calls), timeout=0)[0] if first else []
        return [(place, report) for call in ready for place, report in self._collected(call)]

    def replace(self, place: int) -> None:
        """Kill an actor, and begin to get another."""
        self._end([place])
        self._begin(place)

    def trouble(self) -> str | None:
        """Say what the actors claim and what there is."""
        total, free = self._ray.cluster_resources(), self._ray.available_resources()
        wanted = ", ".join(f"{name} = {amount:g}" for name, amount in self._claims.items())
        there = ", ".join(f"{name} = {free.get(name, 0.0):g} of {total.get(name, 0.0):g} free" for name in self._claims)
        return f"the cluster has no room for a worker: each claims {wanted}, and there is {there} (see resources)"

    def wake(self) -> None:
        """Nothing: no wait in :meth:`reports` is long."""

    def close(self, *, now: bool) -> None:  # noqa: ARG002  # what actors started is ended with them
        """End all actors, and leave the cluster as it was."""
        self._end(list(self._actors))
        if self._connected:
            self._ray.shutdown()

    def _grow(self) -> None:
        """Begin to get actors for all places there are."""
        self._looked = monotonic()
        if self._workers is None:
            total = self._ray.cluster_resources()
            room = min(int(total.get(name, 0.0) / amount + 1e-9) for name, amount in self._claims.items() if amount > 0)
            self.places = max(self.places, room, 1)
        for place in range(self.places):
            if place not in self._actors:
                self._begin(place)

    def _begin(self, place: int) -> None:
        others = {name: amount for name, amount in self._claims.items() if name not in ("CPU", "GPU")}
        made = self._ray.remote(PlayingActor).options(
            num_cpus=self._claims.get("CPU", 0.0), num_gpus=self._claims.get("GPU", 0.0), resources=others,
            max_restarts=0, max_task_retries=0, max_concurrency=3,
        )  # fmt: skip
        self._actors[place] = made.remote(self._setup, os.getcwd(), [one for one in sys.path if one])
        self._listen(place)

    def _listen(self, place: int) -> None:
        self._calls[self._actors[place].collect.remote()] = place

    def _collected(self, call: Any) -> list[tuple[int, Report]]:
        place = self._calls.pop(call)
        try:
            reports: list[Report] = self._ray.get(call)
        except self._ray.exceptions.RayError as error:
            return [(place, Lost(f"the actor was lost: {' '.join(str(error).split())[:200]}"))]
        self._listen(place)
        return [(place, report) for report in reports]

    def _end(self, places: Sequence[int]) -> None:
        """Kill actors with what they started, and stop listening to them."""
        leaving = [actor for place in places if (actor := self._actors.pop(place, None)) is not None]
        self._calls = {call: place for call, place in self._calls.items() if place not in places}
        with suppress(self._ray.exceptions.RayError):
            farewells = [actor.end.remote() for actor in leaving]
            if farewells:
                self._ray.wait(farewells, num_returns=len(farewells), timeout=FAREWELL)
        for actor in leaving:
            with suppress(self._ray.exceptions.RayError):
                self._ray.kill(actor, no_restart=True)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingDependencyError('Ray is needed to play on a cluster; run: pip install "equipoise[ray]"') from error
    return ray


def _refuse_silent(address: str | None) -> None:
    """Refuse an address where nobody listens: Ray itself would try for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return  # "auto", or a name that Ray knows what to do with
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT).close()
    except (OSError, OverflowError) as error:
        raise WorkerError(f"no Ray cluster answers at {address}: {error}") from None


def _claims(resources: Mapping[str, float] | None) -> dict[str, float]:
    """Read what each actor claims; one CPU unless something is said about it."""
    if resources is None:
        return {"CPU": 1.0}
    holds = isinstance(resources, Mapping) and all(
        isinstance(name, str) and number(0.0).holds(amount) for name, amount in resources.items()
    )
    if not holds or not any(resources.values()):
        raise ParameterError(
            Option("resources"), f' are names and amounts such as {{"CPU": 1}}, not {shown(resources)}'
        )
    return {name: float(amount) for name, amount in resources.items()}
