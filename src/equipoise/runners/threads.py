"""Workers that are threads of this process: for small Python functions, and for tests.

A thread cannot be killed. One that makes no progress is left alone and another takes its place; it ends with the
process.
"""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from equipoise.runners.messages import Job, LoadRequest, Report, Setup, Up
from equipoise.runners.worker import Work, play_all

_Worker = TypeVar("_Worker")


class LocalTeam(ABC, Generic[_Worker]):
    """Workers on this machine, who report through one queue; what one still says that was replaced is not listened to.

    Parameters
    ----------
    setup
        What is played.
    places
        How many workers.
    """

    def __init__(self, setup: Setup, places: int) -> None:
        self.places, self._setup = places, setup
        self._reports: queue.SimpleQueue[tuple[int, _Worker, Sequence[Report]] | None] = queue.SimpleQueue()
        self._workers: dict[int, _Worker] = {}

    def start(self) -> None:
        """Start the workers."""
        for place in range(self.places):
            self._start(place)

    @abstractmethod
    def _start(self, place: int) -> None:
        """Start the worker of a place."""

    def reports(self, seconds: float) -> list[tuple[int, Report]]:
        """Wait at most so long for reports, and give all there are."""
        gathered: list[tuple[int, Report]] = []
        with suppress(queue.Empty):
            entry = self._reports.get(timeout=seconds) if seconds > 0 else self._reports.get_nowait()
            while entry is not None:
                place, worker, reports = entry
                if self._workers[place] is worker:
                    gathered += [(place, report) for report in reports]
                entry = self._reports.get_nowait()
        return gathered

    def trouble(self) -> str | None:
        """Nothing that lasts keeps a worker from starting."""
        return None

    def wake(self) -> None:
        """End the waiting in :meth:`reports`."""
        self._reports.put(None)


class ThreadTeam(LocalTeam[Work]):
    """Workers that are threads."""

    def give(self, place: int, work: Sequence[LoadRequest | Job]) -> None:
        """Hand work to a thread."""
        for one in work:
            self._workers[place].put(one)

    def replace(self, place: int) -> None:
        """Leave a thread to itself, and start another."""
        self._workers[place].put(None)
        self._start(place)

    def close(self, *, now: bool) -> None:  # noqa: ARG002  # threads cannot be ended
        """Ask the threads to end once they have played what they play."""
        for work in self._workers.values():
            work.put(None)

    def _start(self, place: int) -> None:
        work: Work = queue.SimpleQueue()
        self._workers[place] = work
        threading.Thread(target=self._play_all, args=(place, work), daemon=True).start()

    def _play_all(self, place: int, work: Work) -> None:
        self._reports.put((place, work, [Up(threading.current_thread().name)]))
        play_all(self._setup, work, lambda report: self._reports.put((place, work, [report])))
