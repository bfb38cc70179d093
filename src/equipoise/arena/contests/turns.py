"""Whose turn it is: the pair that was opened least often, the first of several."""

from collections.abc import Callable
from heapq import heapify, heapreplace
from itertools import combinations

__all__ = ["Turns"]


class Turns:
    """Pairs of players by how often they were opened.

    Parameters
    ----------
    players
        How many there are.
    opened
        How often a pair was opened. It only grows, so that a number that was looked up once is never too large: what
        stands first is looked up again, until it is right.

    Examples
    --------
    >>> times = {(0, 1): 2, (0, 2): 1, (1, 2): 1}
    >>> turns = Turns(3, lambda i, j: times[i, j])
    >>> turns.next()
    (0, 2)
    >>> times[0, 2] += 1
    >>> turns.next()
    (1, 2)
    """

    def __init__(self, players: int, opened: Callable[[int, int], int]) -> None:
        self.players = players
        self._opened = opened
        self._heap = [(opened(i, j), i, j) for i, j in combinations(range(players), 2)]
        heapify(self._heap)

    def next(self) -> tuple[int, int]:
        """Give the pair whose turn it is; it stays so until it is opened."""
        while True:
            times, i, j = self._heap[0]
            now = self._opened(i, j)
            if now == times:
                return i, j
            heapreplace(self._heap, (now, i, j))
