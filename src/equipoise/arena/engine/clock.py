"""The arena's clock: it never goes back, and never stands still."""

import time

__all__ = ["Clock"]


class Clock:
    """Follow a wall clock forwards; where it is set back, go on from the last time at the pace of a stopwatch.

    A clock that stood still until the wall clock has caught up would keep the lease of a dead worker for that long.
    """

    def __init__(self) -> None:
        self._last, self._watch = 0.0, time.monotonic()

    def time(self, wall: float, journal: float) -> float:
        """Give the time, by a wall clock and not before the last event of the journal."""
        watch = time.monotonic()
        now = max(wall, journal, self._last + (watch - self._watch))
        self._last, self._watch = now, watch
        return now
