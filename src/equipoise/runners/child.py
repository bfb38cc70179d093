"""A worker process: it reads work from one pipe, plays, and writes reports into another.

``equipoise.runners.processes`` starts it; it never opens a store. When whoever started it is gone, it ends itself and
everything it started, in the middle of a trial too.
"""

import os
import queue
import signal
import threading
from time import monotonic
from typing import IO, NoReturn

from equipoise.runners.ending import kill_family
from equipoise.runners.messages import Done, Report, Setup, Up, receive, send
from equipoise.runners.worker import Work, play_all

TOGETHER = 0.005
"""Seconds that a result waits for the next ones, while there is more to play."""


class _Reports:
    """What is to be reported, gathered while trials are short."""

    def __init__(self, stream: IO[bytes], work: Work) -> None:
        self._stream, self._work, self._lock = stream, work, threading.Lock()
        self._waiting: list[Report] = []
        self._sent = monotonic()

    def add(self, report: Report) -> None:
        """Report something; the result of a trial may wait a moment while there is more to play."""
        with self._lock:
            self._waiting.append(report)
            if isinstance(report, Done) and not self._work.empty() and monotonic() - self._sent < TOGETHER:
                return
            try:
                send(self._stream, self._waiting)
            except OSError:
                _end()  # nobody reads any more
            self._waiting, self._sent = [], monotonic()


def main() -> None:
    """Play what comes in until there is no more."""
    inward, outward = _pipes()
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us decides when we end
    setup: Setup = receive(inward)
    work: Work = queue.SimpleQueue()
    reports = _Reports(outward, work)
    players = [threading.Thread(target=play_all, args=(setup, work, reports.add)) for _ in range(setup.at_once - 1)]
    threading.Thread(target=_listen, args=(inward, work), daemon=True).start()
    for thread in players:
        thread.start()
    reports.add(Up(f"process {os.getpid()}"))
    play_all(setup, work, reports.add)
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


def _listen(inward: IO[bytes], work: Work) -> None:
    """Take in work; when nobody is there any more, end everything."""
    try:
        while (batch := receive(inward)) is not None:
            for one in batch:
                work.put(one)
        work.put(None)
    except (EOFError, OSError):
        _end()


def _end() -> NoReturn:
    """End this process and everything it started, whatever it does now."""
    kill_family(os.getpid(), itself=False)
    os._exit(1)
