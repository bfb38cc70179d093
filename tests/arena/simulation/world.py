"""Time and chance of a simulation: one heap of what happens next, one generator of random numbers, no threads."""

import heapq
import random
from collections.abc import Callable
from itertools import count

from equipoise.arena.engine.clock import Time

__all__ = ["BrokenPromiseError", "Crash", "World"]

BEGAN = 1.7e9
"""What the wall shows at the beginning."""


class BrokenPromiseError(AssertionError):
    """Something that is promised was not so."""


class Crash(BaseException):  # no error of the program: it is as if nothing more ran
    """The owner dies here: nothing that follows in its code happens."""


class World:
    """What happens next, and when.

    Attributes
    ----------
    random
        All that is left to chance.
    now
        Seconds by the stopwatch, since the beginning.
    set_by
        How far the wall clock was set forwards.
    calm
        Whether nothing goes wrong any more.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = self.set_by = 0.0
        self.calm = False
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._number = count()
        self.time = Time(wall=lambda: BEGAN + self.now + self.set_by, watch=lambda: self.now, sleep=self.let_pass)

    def let_pass(self, seconds: float) -> None:
        """Let time pass here and now."""
        self.now += seconds

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        """Do something after so many seconds."""
        heapq.heappush(self._heap, (self.now + seconds, next(self._number), action))

    def chance(self, share: float) -> bool:
        """Say whether something goes wrong that does so in this share of the cases."""
        return not self.calm and self.random.random() < share

    def run(self, over: Callable[[], bool], longest: float) -> None:
        """Let things happen until it is over."""
        while not over():
            if not self._heap or self.now > longest:
                raise BrokenPromiseError(f"play does not end: {self.now:g} s, {len(self._heap)} things to come")
            at, _, action = heapq.heappop(self._heap)
            self.now = max(self.now, at)
            action()
