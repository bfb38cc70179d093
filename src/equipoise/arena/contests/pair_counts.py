"""How pairs scored: sums by pair, and the same as tables of players against players.

Pairs are numbered ``j (j - 1) / 2 + i`` for players i < j, so that a newcomer's pairs come after all others. Sums are
of the scores of the player with the lower number.
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heapreplace
from itertools import combinations
from typing import Any, Self

import numpy as np

from equipoise.arena.contests.block_queue import VOID, Value, checked_scores, pair_score
from equipoise.core.results import FloatArray, IntArray

_SUMS = ("total", "square", "count")


def pair_number(i: int, j: int) -> int:
    """Give the number of a pair."""
    low, high = (i, j) if i < j else (j, i)
    return high * (high - 1) // 2 + low


def pair_players(pair: int) -> tuple[int, int]:
    """Give the two players of a pair, the lower number first."""
    high = int((1 + (1 + 8 * pair) ** 0.5) // 2)
    return pair - high * (high - 1) // 2, high


def pair_values(
    block: int, numbers: Sequence[int], names: Sequence[str], scores: Mapping[str, float] | None
) -> dict[int, Value]:
    """Give each pair's score in a block, of the player with the lower number; all are void where there are none."""
    pairs = [(min(i, j), max(i, j)) for i, j in combinations(numbers, 2)]
    if scores is None:
        return {pair_number(i, j): VOID for i, j in pairs}
    known = checked_scores(block, [names[i] for i in numbers], scores)
    return {pair_number(i, j): pair_score(known[names[i]], known[names[j]]) for i, j in pairs}


class PairSums:
    """Sums of scores of every pair.

    Attributes
    ----------
    total, square, count
        Sum of the scores, sum of their squares, and how many blocks count (void ones do not).
    pending
        Blocks that are open, or wait for an earlier one of their pair.
    """

    def __init__(self, players: int) -> None:
        self.players = players
        pairs = players * (players - 1) // 2
        self.total, self.square, self.count, self.pending = (np.zeros(pairs) for _ in range(4))
        self._high, self._low = np.tril_indices(players, -1)

    def more(self) -> None:
        """Take a newcomer."""
        for name in (*_SUMS, "pending"):
            setattr(self, name, np.concatenate([getattr(self, name), np.zeros(self.players)]))
        self.players += 1
        self._high, self._low = np.tril_indices(self.players, -1)

    def add(self, pair: int, score: float, sign: float = 1.0) -> None:
        """Count a score, or take it back."""
        self.total[pair] += sign * score
        self.square[pair] += sign * score * score
        self.count[pair] += sign

    def table(self, values: FloatArray | IntArray) -> FloatArray:
        """Lay out one number a pair as a symmetric table."""
        cells = np.zeros((self.players, self.players))
        cells[self._high, self._low] = cells[self._low, self._high] = values
        return cells

    def games(self) -> FloatArray:
        """Blocks that count, of everybody against everybody."""
        return self.table(self.count)

    def points(self) -> FloatArray:
        """Points of the row against the column."""
        cells = np.zeros((self.players, self.players))
        cells[self._low, self._high] = self.total
        cells[self._high, self._low] = self.count - self.total
        return cells

    def state(self) -> dict[str, Any]:
        """Give strict JSON: pairs that played, and pairs with blocks that are open."""
        played = np.flatnonzero((self.count != 0.0) | (self.pending != 0.0))
        columns = {name: getattr(self, name)[played].tolist() for name in (*_SUMS, "pending")}
        return {"players": self.players, "pairs": played.tolist(), **columns}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Go on from :meth:`state`."""
        new = cls(state["players"])
        for name in (*_SUMS, "pending"):
            getattr(new, name)[state["pairs"]] = state[name]
        return new


# Whose turn it is: the pair that was opened least often, the first of several.


class PairTurns:
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
    >>> turns = PairTurns(3, lambda i, j: times[i, j])
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
