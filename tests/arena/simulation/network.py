"""Messages between clients and the owner: lost, doubled, late, and hence out of order."""

from collections import Counter
from collections.abc import Callable

from tests.arena.simulation.world import World

__all__ = ["Network"]

LOST, DOUBLED, SLOW = 0.08, 0.08, 0.06
USUAL, LONG = 0.2, 40.0
"""Seconds on the way, at most."""


class Network:
    """Carry messages, badly."""

    def __init__(self, world: World, seen: Counter[str]) -> None:
        self._world, self._seen = world, seen

    def send(self, deliver: Callable[[], None]) -> None:
        """Have a message delivered: once, not at all, or twice."""
        if self._world.chance(LOST):
            self._seen["lost messages"] += 1
            return
        self._world.later(self._delay(), deliver)
        if self._world.chance(DOUBLED):
            self._seen["doubled messages"] += 1
            self._world.later(self._delay(), deliver)

    def _delay(self) -> float:
        return self._world.random.uniform(0.0, LONG if self._world.chance(SLOW) else USUAL)
