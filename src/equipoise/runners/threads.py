"""Workers that are threads of this process: for small Python functions, and for tests.

A thread cannot be killed. One that makes no progress is left alone and another takes its place; it ends with the
process.
"""

import queue
import threading
from collections.abc import Sequence
from contextlib import suppress

from equipoise.runners.messages import Job, LoadRequest, Report, Setup, Up
from equipoise.runners.worker import Work, play_all


class ThreadTeam:
    """Workers that are threads.

    Parameters
    ----------
    setup
        What is played.
    places
        How many threads.
    """

    def __init__(self, setup: Setup, places: int) -> None:
        self.places = places
        self._setup = setup
        self._reports: queue.SimpleQueue[tuple[int, Work, Report] | None] = queue.SimpleQueue()
        self._work: dict[int, Work] = {}

    def start(self) -> None:
        """Start the threads."""
        for place in range(self.places):
            self._start(place)

    def give(self, place: int, work: Sequence[LoadRequest | Job]) -> None:
        """Hand work to a thread."""
        for one in work:
            self._work[place].put(one)

    def reports(self, seconds: float) -> list[tuple[int, Report]]:
        """Wait at most so long for reports, and give all there are."""
        reports: list[tuple[int, Report]] = []
        with suppress(queue.Empty):
            entry = self._reports.get(timeout=seconds) if seconds > 0 else self._reports.get_nowait()
            while entry is not None:
                place, work, report = entry
                if self._work[place] is work:
                    reports.append((place, report))
                entry = self._reports.get_nowait()
        return reports

    def replace(self, place: int) -> None:
        """Leave a thread to itself, and start another."""
        self._work[place].put(None)
        self._start(place)

    def trouble(self) -> str | None:
        """Nothing keeps a thread from starting."""
        return None

    def wake(self) -> None:
        """End the waiting in :meth:`reports`."""
        self._reports.put(None)

    def close(self, *, now: bool) -> None:  # noqa: ARG002  # threads cannot be ended
        """Ask the threads to end once they have played what they play."""
        for work in self._work.values():
            work.put(None)

    def _start(self, place: int) -> None:
        work: Work = queue.SimpleQueue()
        self._work[place] = work
        threading.Thread(target=self._play_all, args=(place, work), daemon=True).start()

    def _play_all(self, place: int, work: Work) -> None:
        self._reports.put((place, work, Up(threading.current_thread().name)))
        play_all(self._setup, work, lambda report: self._reports.put((place, work, report)))
