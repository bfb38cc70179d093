"""A worker process: it reads work from one pipe, plays, and writes reports into another.

``equipoise.runners.processes`` starts it; it never opens a store. When whoever started it is gone, it ends itself and
everything it started, in the middle of a trial too.
"""

import os
import queue
import signal
import sys
import threading
from time import monotonic
from typing import IO

from equipoise.runners.channel import receive, send
from equipoise.runners.ending import kill_family
from equipoise.runners.messages import Check, Done, Job, Report, Setup, Sign, Up
from equipoise.runners.worker import Worker

__all__ = ["main"]

TOGETHER = 0.005
"""Seconds that a result waits for the next ones, while there is more to play."""

_Work = queue.SimpleQueue[Check | Job | None]


class _Reports:
    """What is to be told, gathered while trials are short."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._lock = stream, threading.Lock()
        self._waiting: list[Report] = []
        self._sent = monotonic()

    def add(self, report: Report, *, more: bool = False) -> None:
        """Tell something; with more to come it may wait a moment."""
        with self._lock:
            self._waiting.append(report)
            if more and monotonic() - self._sent < TOGETHER:
                return
            send(self._stream, self._waiting)
            self._waiting, self._sent = [], monotonic()


def main() -> None:
    """Play what comes in until there is no more."""
    inward, outward = _pipes()
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us decides when we end
    setup: Setup = receive(inward)
    work: _Work = queue.SimpleQueue()
    reports = _Reports(outward)
    players = [threading.Thread(target=_play_all, args=(setup, work, reports)) for _ in range(setup.at_once - 1)]
    threading.Thread(target=_listen, args=(inward, work), daemon=True).start()
    for thread in players:
        thread.start()
    reports.add(Up(f"process {os.getpid()}"))
    _play_all(setup, work, reports)
    for thread in players:
        thread.join()


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the standard streams for messages; what is printed goes to standard error instead."""
    inward, outward = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return inward, outward


def _listen(inward: IO[bytes], work: _Work) -> None:
    """Take in work; when nobody is there any more, end everything."""
    try:
        while (batch := receive(inward)) is not None:
            for one in batch:
                work.put(one)
        work.put(None)
    except (EOFError, OSError):
        kill_family(os.getpid(), itself=False)
        os._exit(1)


def _play_all(setup: Setup, work: _Work, reports: _Reports) -> None:
    worker = Worker(setup)
    try:
        while (one := work.get()) is not None:
            _do(worker, one, setup.pulse, work, reports)
        work.put(None)  # for the next thread
    finally:
        worker.close()


def _do(worker: Worker, one: Check | Job, pulse: float, work: _Work, reports: _Reports) -> None:
    last = monotonic()

    def progress() -> None:
        nonlocal last
        if monotonic() - last >= pulse:
            last = monotonic()
            reports.add(Sign(one.number if isinstance(one, Job) else 0))

    report = worker.work(one, progress)
    try:
        reports.add(report, more=isinstance(report, Done) and not work.empty())
    except OSError:
        sys.exit(1)  # nobody reads any more
