"""What majorities of pairs say: winners, sets, and the orders that follow from them.

Kernels on an antisymmetric table of margins; i beats j where ``margins[i, j] > 0``.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray, IntArray

Layers = tuple[tuple[int, ...], ...]
"""An order with ties: groups of positions, best first."""
MOST_TIES = 12
"""Pairs of one margin that are in each other's way, up to which every order of locking them is tried."""
MOST_STATES = 3000
"""Sets of locked pairs that are followed at once."""


def condorcet_winner(margins: FloatArray) -> int | None:
    """Give the agent that beats every other one, if there is one."""
    winners = np.flatnonzero((margins > 0).sum(axis=1) == len(margins) - 1)
    return int(winners[0]) if len(winners) else None


def weak_winners(margins: FloatArray) -> IntArray:
    """Give the agents that lose to nobody."""
    return np.flatnonzero((margins >= 0).all(axis=1))


def components(margins: FloatArray) -> list[IntArray]:
    """Part the agents so that everybody in a part beats everybody in all later ones; parts cannot be parted further."""
    count, part = scipy.sparse.csgraph.connected_components(margins >= 0, directed=True, connection="strong")
    members = [np.flatnonzero(part == k) for k in range(count)]
    return sorted(members, key=lambda each: -int((margins[each[0]] >= 0).sum()))


def smith_set(margins: FloatArray) -> IntArray:
    """Give the smallest set whose members beat everybody outside."""
    return components(margins)[0]


def schwartz_set(margins: FloatArray) -> IntArray:
    """Give the union of the strong components of wins that nobody outside beats."""
    _, part = scipy.sparse.csgraph.connected_components(margins > 0, directed=True, connection="strong")
    beaten = np.zeros(part.max() + 1, dtype=bool)
    loser, winner = np.nonzero(margins < 0)
    beaten[part[loser][part[loser] != part[winner]]] = True
    return np.flatnonzero(~beaten[part])


def uncovered_set(margins: FloatArray) -> IntArray:
    """Give the agents that nobody covers: i covers j if it beats j and all that beat i beat j (Gillies)."""
    beats = margins > 0
    escapes = beats.T.astype(float) @ (~beats).astype(float)  # [i, j]: how many beat i and do not beat j
    return np.flatnonzero(~(beats & (escapes == 0)).any(axis=0))


def copeland(margins: FloatArray) -> FloatArray:
    """Count wins over others, and half of the draws."""
    others = ~np.eye(len(margins), dtype=bool)
    return np.asarray(((margins > 0) + ((margins == 0) & others) / 2).sum(axis=1))


def by_score(score: FloatArray, tolerance: float = 1e-9) -> Layers:
    """Order by score, the highest first; what differs by rounding is tied."""
    order = np.argsort(-score, kind="stable")
    near = tolerance * max(float(np.abs(score).max()), 1e-300)
    groups: list[list[int]] = []
    for i in order:
        if groups and score[groups[-1][-1]] - score[i] <= near:
            groups[-1].append(int(i))
        else:
            groups.append([int(i)])
    return tuple(tuple(sorted(group)) for group in groups)


def schulze(margins: FloatArray) -> Layers:
    """Order by widest paths of wins; layers of a partial order, so that one layer may hold ties."""
    path = np.where(margins > 0, margins, 0.0)
    for k in range(len(path)):
        np.maximum(path, np.minimum(path[:, k, None], path[None, k]), out=path)
    return peeled(path > path.T)


def peeled(better: npt.NDArray[np.bool_]) -> Layers:
    """Take away who has nobody above, then who has nobody above among the rest, and so on."""
    left, layers = np.arange(len(better)), []
    while len(left):
        top = left[~better[np.ix_(left, left)].any(axis=0)]
        layers.append(tuple(int(i) for i in top))
        left = np.setdiff1d(left, top)
    return tuple(layers)


@dataclass(frozen=True, slots=True)
class Locked:
    """Ranked pairs under one order of ties, and who wins under some other one; None where that was not looked at."""

    order: tuple[int, ...]
    winners: tuple[int, ...] | None


def ranked_pairs(margins: FloatArray, first: IntArray) -> Locked:
    """Lock wins from the largest margin on, and skip what closes a cycle; ties of margins go by ``first``.

    Parameters
    ----------
    first
        Agents in the order that decides between equal margins: the pair whose winner, then whose loser, stands earlier.
    """
    place = np.argsort(first)
    winner, loser = np.nonzero(margins > 0)
    order = np.lexsort((place[loser], place[winner], -margins[winner, loser]))
    pairs = list(zip(winner[order].tolist(), loser[order].tolist(), strict=True))
    sizes = margins[winner[order], loser[order]]
    breaks = np.flatnonzero(np.diff(sizes) < -1e-12 * max(sizes.max(initial=0.0), 1e-300)) + 1
    groups = [list(group) for group in np.split(np.arange(len(pairs)), breaks)]
    start = tuple(1 << i for i in range(len(margins)))  # reach[i]: who can be reached from i, itself included
    one = start
    states: set[tuple[int, ...]] | None = {start}
    for group in groups:
        edges = [pairs[k] for k in group]
        for edge in edges:
            one = _lock(one, edge) or one
        if states is not None:
            states = _every_way(states, edges)
    count = np.array([reach.bit_count() for reach in one])
    sure = tuple(int(i) for i in np.lexsort((place, -count)))
    if states is None:
        return Locked(sure, None)
    return Locked(sure, tuple(sorted({i for state in states for i in _tops(state)})))


def _tops(reach: tuple[int, ...]) -> list[int]:
    """Who is below nobody."""
    below = 0
    for i, mask in enumerate(reach):
        below |= mask & ~(1 << i)
    return [i for i in range(len(reach)) if not below >> i & 1]


def _lock(reach: tuple[int, ...], edge: tuple[int, int]) -> tuple[int, ...] | None:
    """Add a win; None where it closes a cycle."""
    winner, loser = edge
    if reach[loser] >> winner & 1:
        return None
    more = reach[loser]
    return tuple(mask | more if mask >> winner & 1 else mask for mask in reach)


def _every_way(states: set[tuple[int, ...]], edges: list[tuple[int, int]]) -> set[tuple[int, ...]] | None:
    """Lock wins of one margin in every order; None where there are too many."""
    ends: set[tuple[int, ...]] = set()
    for state in states:
        whole: tuple[int, ...] | None = state
        fits = [edge for edge in edges if _lock(state, edge) is not None]
        for edge in fits:
            whole = _lock(whole, edge) if whole is not None else None
        if whole is not None:  # no two of them are in each other's way
            ends.add(whole)
            continue
        if len(fits) > MOST_TIES:
            return None
        seen, todo = {state}, [state]
        while todo:
            here = todo.pop()
            following = {then for edge in fits if (then := _lock(here, edge)) not in (None, here)}
            if not following:
                ends.add(here)
            for then in following - seen:
                assert then is not None
                seen.add(then)
                todo.append(then)
            if len(seen) > MOST_STATES:
                return None
    return ends if len(ends) <= MOST_STATES else None
