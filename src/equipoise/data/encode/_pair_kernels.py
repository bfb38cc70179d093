"""Loops over the rows of long match tables, compiled by numba on first use and cached."""

import numba
import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray

Whole = npt.NDArray[np.signedinteger]


@numba.njit(cache=True)
def plain_counts(
    first: npt.NDArray[np.int32], second: npt.NDArray[np.int32], score: FloatArray, agents: int
) -> tuple[bool, npt.NDArray[np.int32], npt.NDArray[np.int32], FloatArray]:
    """Sort plain results by both agents and count them: wins, losses and ties of each pair.

    Gives whether all are plain, both codes of each pair, and a row of each count. What is sorted is an opponent and a
    result in one number, not rows to be looked up: agents must be fewer than 2^29.
    """
    none, nothing = np.empty(0, dtype=np.int32), np.empty((3, 0))
    by_second, by_first = np.zeros(agents + 1, dtype=np.int64), np.zeros(agents + 1, dtype=np.int64)
    for row in range(len(score)):
        twice = 2 * score[row]
        if not (twice == 0.0 or twice == 1.0 or twice == 2.0):  # noqa: PLR1714  # a set is slow when compiled
            return False, none, none, nothing
        by_second[second[row] + 1] += 1
        by_first[first[row] + 1] += 1
    for code in range(agents):
        by_second[code + 1] += by_second[code]
        by_first[code + 1] += by_first[code]
    half, whole = np.empty(len(score), dtype=np.int32), np.empty(len(score), dtype=np.int32)
    free = by_second[:-1].copy()
    for row in range(len(score)):
        code = second[row]
        half[free[code]] = 4 * first[row] + np.int32(2 * score[row])
        free[code] += 1
    free = by_first[:-1].copy()
    for code in range(agents):
        for k in range(by_second[code], by_second[code + 1]):
            other = half[k] >> 2
            whole[free[other]] = 4 * code + (half[k] & 3)
            free[other] += 1
    pairs = 0
    for code in range(agents):
        before = -1
        for k in range(by_first[code], by_first[code + 1]):
            pairs += (whole[k] >> 2) != before
            before = whole[k] >> 2
    left, right = np.empty(pairs, dtype=np.int32), np.empty(pairs, dtype=np.int32)
    counts = np.zeros((3, pairs))
    pair = -1
    for code in range(agents):
        before = -1
        for k in range(by_first[code], by_first[code + 1]):
            other = whole[k] >> 2
            if other != before:
                pair += 1
                left[pair], right[pair], before = code, other, other
            result = whole[k] & 3
            counts[0 if result == 2 else 1 if result == 0 else 2, pair] += 1.0
    return True, left, right, counts


@numba.njit(cache=True)
def root_of(agents: int, tail: Whole, along: npt.NDArray[np.bool_], back: npt.NDArray[np.bool_]) -> int:
    """Give the agent whose edges lead both away and back most often, of those that are tails."""
    away, home = np.zeros(agents, dtype=np.int64), np.zeros(agents, dtype=np.int64)
    for e in range(len(tail)):
        away[tail[e]] += along[e]
        home[tail[e]] += back[e]
    return int(np.minimum(away, home).argmax())


@numba.njit(cache=True)
def joined_both_ways(
    agents: int,
    tail: Whole,
    head: Whole,
    along: npt.NDArray[np.bool_],
    back: npt.NDArray[np.bool_],
    root: int,
    most: int,
) -> npt.NDArray[np.bool_]:
    """Agents that are reached from the root and reach it: all of them, unless ``most`` sweeps are too few.

    Edges lead from tail to head where ``along`` and from head to tail where ``back``.
    """
    state = np.zeros(agents, dtype=np.uint8)  # 1: reached from the root, 2: reaches it
    state[root] = 3
    for _ in range(most):
        changed = False
        for e in range(len(tail)):
            t, h = state[tail[e]], state[head[e]]
            if t != h:
                new_t, new_h = t, h
                if along[e]:
                    new_h |= t & 1
                    new_t |= h & 2
                if back[e]:
                    new_t |= h & 1
                    new_h |= t & 2
                if new_t != t or new_h != h:
                    state[tail[e]], state[head[e]] = new_t, new_h
                    changed = True
        if not changed:
            break
    joined = np.zeros(agents, dtype=np.bool_)
    for i in range(agents):
        joined[i] = state[i] == 3
    return joined
