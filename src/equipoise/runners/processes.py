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
from equipoise.runners.messages import Job, LoadRequest, Lost, Setup, receive, send
from equipoise.runners.threads import LocalTeam

START = (
    "import json, sys; sys.path[:], cores = json.loads(sys.argv.pop()); "
    "from equipoise.runners.ending import guard; guard(cores); from equipoise.runners.child import main; main()"
)
GRACE = 2.0
"""Seconds that a process without work has to end by itself."""


def usable_cores() -> list[int]:
    """Which cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@dataclass(slots=True, eq=False)
class _Child:
    """A process, its pipes, and what waits to be sent to it."""

    process: "subprocess.Popen[bytes]"
    inward: IO[bytes]
    outward: IO[bytes]
    waiting: queue.SimpleQueue[Any]


class ProcessTeam(LocalTeam[_Child]):
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
        super().__init__(setup, places)
        self._cores = list(cores)

    def give(self, place: int, work: Sequence[LoadRequest | Job]) -> None:
        """Send work to a process."""
        self._workers[place].waiting.put(list(work))

    def replace(self, place: int) -> None:
        """Kill a process with everything it started, and start another."""
        self._kill(self._workers[place])
        self._start(place)

    def close(self, *, now: bool) -> None:
        """Let idle processes close their players; kill those that take long, or all of them now."""
        until = monotonic() + (0.0 if now else GRACE)
        for child in self._workers.values():
            child.waiting.put(None)
        for child in self._workers.values():
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(max(0.0, until - monotonic()))
            self._kill(child)

    def _start(self, place: int) -> None:
        cores = [self._cores[place % len(self._cores)]] if self._cores else []
        process = subprocess.Popen(
            [sys.executable, "-c", START, json.dumps([sys.path, cores])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        child = _Child(process, process.stdin, process.stdout, queue.SimpleQueue())
        self._workers[place] = child
        child.waiting.put(self._setup)
        threading.Thread(target=_write, args=(child,), daemon=True).start()
        threading.Thread(target=self._listen, args=(place, child), daemon=True).start()

    def _listen(self, place: int, child: _Child) -> None:
        """Pass on what a process says, and how it ends."""
        try:
            while True:
                self._reports.put((place, child, receive(child.outward)))
        except Exception:  # the pipe ended, or something that can not be read came out of a dying process
            code = child.process.wait()
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            self._reports.put((place, child, [Lost(f"the worker process {how}")]))
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
