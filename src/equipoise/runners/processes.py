"""Worker processes on this machine.

They are started from scratch, not copied from this process: that may hold the lock of an arena's file, and threads.
Messages go through a pair of pipes; the script that called :func:`equipoise.play` is not run again in them.
"""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import IO, Any

from equipoise.runners.ending import kill_family
from equipoise.runners.messages import Job, LoadRequest, Lost, Report, Setup, receive, send

START = "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); from equipoise.runners.child import main; main()"
GRACE = 2.0
"""Seconds that a process without work has to end by itself."""


def usable_cores() -> list[int]:
    """Which cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@dataclass(slots=True)
class _Child:
    """A process, and which one it is at its place: what a former one still had to say is not listened to."""

    process: "subprocess.Popen[bytes]"
    inward: IO[bytes]
    outward: IO[bytes]
    generation: int
    waiting: queue.SimpleQueue[Any]


class ProcessTeam:
    """Workers that are processes.

    Parameters
    ----------
    setup
        What is played.
    places
        How many processes.
    cores
        Which core each may use, one after the other; empty to leave that to the system.
    """

    def __init__(self, setup: Setup, places: int, cores: Sequence[int] = ()) -> None:
        self.places = places
        self._setup, self._cores = setup, list(cores)
        self._reports: queue.SimpleQueue[tuple[int, int, Sequence[Report]] | None] = queue.SimpleQueue()
        self._children: dict[int, _Child] = {}
        self._generation = 0

    def start(self) -> None:
        """Start the processes."""
        for place in range(self.places):
            self._start(place)

    def give(self, place: int, work: Sequence[LoadRequest | Job]) -> None:
        """Send work to a process."""
        self._children[place].waiting.put(list(work))

    def reports(self, seconds: float) -> list[tuple[int, Report]]:
        """Wait at most so long for reports, and give all there are."""
        gathered: list[tuple[int, Report]] = []
        with suppress(queue.Empty):
            entry = self._reports.get(timeout=seconds) if seconds > 0 else self._reports.get_nowait()
            while entry is not None:
                place, generation, reports = entry
                if self._children[place].generation == generation:
                    gathered += [(place, report) for report in reports]
                entry = self._reports.get_nowait()
        return gathered

    def replace(self, place: int) -> None:
        """Kill a process with everything it started, and start another."""
        self._kill(self._children[place])
        self._start(place)

    def trouble(self) -> str | None:
        """Nothing that lasts keeps a process from starting."""
        return None

    def wake(self) -> None:
        """End the waiting in :meth:`reports`."""
        self._reports.put(None)

    def close(self, *, now: bool) -> None:
        """Let idle processes close their players; kill those that take long, or all of them now."""
        until = monotonic() + (0.0 if now else GRACE)
        for child in self._children.values():
            child.waiting.put(None)
        for child in self._children.values():
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(max(0.0, until - monotonic()))
            self._kill(child)

    def _start(self, place: int) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", START, json.dumps(sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        self._generation += 1
        child = _Child(process, process.stdin, process.stdout, self._generation, queue.SimpleQueue())
        self._children[place] = child
        if self._cores and hasattr(os, "sched_setaffinity"):
            with suppress(OSError):  # it is dead already, or the system does not let us
                os.sched_setaffinity(process.pid, {self._cores[place % len(self._cores)]})
        child.waiting.put(self._setup)
        threading.Thread(target=_write, args=(child,), daemon=True).start()
        threading.Thread(target=self._listen, args=(place, child), daemon=True).start()

    def _listen(self, place: int, child: _Child) -> None:
        """Pass on what a process says, and how it ends."""
        try:
            while True:
                self._reports.put((place, child.generation, receive(child.outward)))
        except Exception:  # the pipe ended, or something that can not be read came out of a dying process
            code = child.process.wait()
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            self._reports.put((place, child.generation, [Lost(f"the worker process {how}")]))
        finally:
            child.outward.close()

    def _kill(self, child: _Child) -> None:
        if child.process.poll() is None:
            kill_family(child.process.pid)
        child.process.wait()
        child.waiting.put(None)


def _write(child: _Child) -> None:
    """Write what waits for a process, in a thread of its own: a process that does not read would hold up the others."""
    with suppress(OSError):  # it is dead, which its reader reports
        while (message := child.waiting.get()) is not None:
            send(child.inward, message)
        send(child.inward, None)
    with suppress(OSError):
        child.inward.close()
