"""Time as an arena sees it: handed in, so that a test or a simulation can be its own time."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Time:
    """What tells the time, and what waits.

    Attributes
    ----------
    wall
        Seconds since 1970; somebody may set it.
    watch
        Seconds of a stopwatch, which nobody sets.
    sleep
        Waits for so many seconds.
    """

    # Looked up at each call, so that a test may put another one in the place of the module's own.
    wall: Callable[[], float] = lambda: time.time()  # noqa: PLW0108
    watch: Callable[[], float] = lambda: time.monotonic()  # noqa: PLW0108
    sleep: Callable[[float], None] = lambda seconds: time.sleep(seconds)  # noqa: PLW0108


TIME = Time()
"""The time of this machine."""


class Clock:
    """Follow a wall clock forwards; where it is set back, go on from the last time at the pace of a stopwatch.

    It never goes back, and never stands still: one that stood still until the wall clock has caught up would keep the
    lease of a dead worker for that long.
    """

    def __init__(self, time: Time = TIME) -> None:
        self._time = time
        self._last, self._watch = 0.0, time.watch()

    def reached(self, moment: float) -> None:
        """Take in a time that this clock showed already, to another process: it goes on from there."""
        self._last = max(self._last, moment)

    def time(self, wall: float, journal: float) -> float:
        """Give the time, by a wall clock and not before the last event of the journal."""
        watch = self._time.watch()
        now = max(wall, journal, self._last + (watch - self._watch))
        self._last, self._watch = now, watch
        return now
