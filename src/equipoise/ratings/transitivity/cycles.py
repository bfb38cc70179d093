"""The strongest cycles of a table: A beats B, B beats C, C beats A.

A cycle is as strong as its weakest link, so cycles are ordered by that.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.types.graph import strongly_connected_components
from equipoise.data.types.pairs import PairTable

SURE = 0.05
"""A p-value below this says that cycles are not chance."""
PATHS = 2_000_000
"""About how many paths of two links are looked at together."""
FEW_AGENTS = 64
"""Agents among whom cycles are looked for without a library."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Agents each of which beats the next, and the last the first.

    Attributes
    ----------
    log_odds
        Of each link, in the same order: the first is that of ``agents[0]`` beating ``agents[1]``.
    clarity
        How many standard errors the weakest link is from even; None without counts.
    """

    agents: tuple[str, ...]
    log_odds: tuple[float, ...]
    clarity: float | None

    @property
    def curl(self) -> float:
        """Sum of the log-odds around the cycle; a rating always gives 0."""
        return sum(self.log_odds)

    def __str__(self) -> str:
        return " > ".join((*self.agents, self.agents[0]))

    def to_dict(self) -> dict[str, object]:
        """Give the JSON form."""
        return {
            "agents": list(self.agents),
            "log_odds": list(self.log_odds),
            "curl": self.curl,
            "clarity": self.clarity,
        }


def clarity_of_pairs(table: PairTable) -> FloatArray:
    """How clearly the first of each pair is ahead, in standard errors; ties say nothing."""
    decided = table.wins + table.losses
    return np.asarray((table.wins - table.losses) / np.sqrt(np.where(decided > 0, decided, 1.0)))


def named_cycles(table: PairTable, flow: FloatArray, clarity: FloatArray, count: int) -> tuple[Cycle, ...]:
    """The strongest cycles by name, each beginning with its most successful agent."""
    ahead = clarity > 0
    decided = clarity != 0
    first, second = table.first.astype(np.int64), table.second.astype(np.int64)
    winner, loser = np.where(ahead, first, second)[decided], np.where(ahead, second, first)[decided]
    if count == 0 or len(winner) == 0:
        return ()
    loops = strongest_cycles(winner, loser, np.abs(clarity[decided]), len(table.agents), count)
    keys = winner * len(table.agents) + loser
    odds = dict(zip(keys.tolist(), np.abs(flow[decided]).tolist(), strict=True))
    games = np.where(table.games_of_agents() > 0, table.games_of_agents(), 1.0)
    won = table.scores_of_agents() / games
    return tuple(
        _cycle(table, loop.tolist(), odds, won, float(z) if table.counted else None)
        for loop, z in zip(*loops, strict=True)
    )


def _cycle(table: PairTable, loop: list[int], odds: dict[int, float], won: FloatArray, z: float | None) -> Cycle:
    start = int(np.argmax(won[loop]))
    ring = loop[start:] + loop[:start]
    links = zip(ring, ring[1:] + ring[:1], strict=True)
    return Cycle(
        tuple(table.agents[i] for i in ring), tuple(odds[a * len(table.agents) + b] for a, b in links), z
    )  # fmt: skip


class Loops(NamedTuple):
    """Cycles as rows of agents (each beats the next, the last the first) and the strength of the weakest link."""

    agents: list[IntArray]
    weakest: FloatArray


def strongest_cycles(winner: IntArray, loser: IntArray, strength: FloatArray, n: int, count: int) -> Loops:
    """Find the ``count`` strongest triangles; where there is none, the strongest longer cycle.

    ``strength`` is positive: how clearly ``winner`` beats ``loser``.
    """
    if not _has_cycle(winner, loser, n):  # saves looking through the triples of many agents
        return Loops([], np.empty(0))
    order = np.argsort(-strength, kind="stable")
    winner, loser, strength = winner[order], loser[order], strength[order]
    links = min(len(order), 256)
    while True:
        triangles = _triangles(winner[:links], loser[:links], n)
        # Any triangle whose links are all among the first `links` is at least as strong as the next link.
        if len(triangles) >= count or links == len(order):
            break
        links = min(len(order), 4 * links)
    if len(triangles):
        return _best(triangles, winner[:links], loser[:links], strength[:links], n, count)
    return _longer(winner, loser, strength, n)


def _triangles(winner: IntArray, loser: IntArray, n: int) -> IntArray:
    """All directed triangles a > b > c > a, each once, with a the smallest number of the three."""
    order = np.lexsort((loser, winner))
    winner, loser = winner[order], loser[order]
    starts = np.searchsorted(winner, np.arange(n + 1))
    keys = winner.astype(np.int64) * n + loser
    triangles = [np.empty((0, 3), dtype=np.int64)]
    size = max(1, PATHS // max(1, len(winner) // n + 1))
    for begin in range(0, len(winner), size):
        a, b = winner[begin : begin + size], loser[begin : begin + size]
        many = starts[b + 1] - starts[b]
        edge = np.repeat(np.arange(len(a)), many)
        step = np.arange(len(edge)) - np.repeat(np.cumsum(many) - many, many)
        c = loser[starts[b[edge]] + step]
        lowest = (a[edge] < b[edge]) & (a[edge] < c)
        back = c.astype(np.int64) * n + a[edge]
        at = np.minimum(np.searchsorted(keys, back), len(keys) - 1)
        closed = lowest & (keys[at] == back)
        triangles.append(np.stack([a[edge], b[edge], c], axis=1)[closed])
    return np.concatenate(triangles)


def _best(triangles: IntArray, winner: IntArray, loser: IntArray, strength: FloatArray, n: int, count: int) -> Loops:
    keys = winner.astype(np.int64) * n + loser
    order = np.argsort(keys)
    links = triangles * n + np.roll(triangles, -1, axis=1)
    link_strength = strength[order[np.searchsorted(keys, links, sorter=order)]]
    # The weakest link decides; the sum over the links breaks ties, then the agents' order.
    weakest, total = link_strength.min(axis=1), link_strength.sum(axis=1)
    first = np.lexsort((*triangles.T[::-1], -total, -weakest))[:count]
    return Loops(list(triangles[first]), weakest[first])


def _longer(winner: IntArray, loser: IntArray, strength: FloatArray, n: int) -> Loops:
    """The strongest cycle of any length: drop weak links as long as a cycle remains, then take a shortest one."""
    low, high = 1, len(winner)  # links are sorted, strongest first: the first `high` contain a cycle
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _has_cycle(winner[:middle], loser[:middle], n) else (middle + 1, high)
    winner, loser = winner[:high], loser[:high]
    # The weakest of these links is on every cycle among them: close it by a shortest path back.
    graph = scipy.sparse.coo_array((np.ones(high), (winner, loser)), shape=(n, n)).tocsr()
    start, goal = int(loser[-1]), int(winner[-1])
    before = scipy.sparse.csgraph.breadth_first_order(graph, start, return_predecessors=True)[1]
    path = [goal]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
    return Loops([np.array([goal, *path[:0:-1]], dtype=np.int64)], strength[high - 1 : high])


def _has_cycle(winner: IntArray, loser: IntArray, n: int) -> bool:
    if n > FEW_AGENTS:
        return bool(strongly_connected_components(n, winner, loser).max(initial=0) + 1 < n)
    while len(winner):  # take out whoever nobody has beaten, again and again
        beaten = np.bincount(loser, minlength=n) > 0
        left = beaten[winner]
        if left.all():
            return True
        winner, loser = winner[left], loser[left]
    return False
