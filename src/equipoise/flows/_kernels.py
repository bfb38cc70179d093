"""Loops over the triangles of a graph, for tables with gaps; compiled for graphs of some size."""

import numpy as np

from equipoise.core.compiled import compiled
from equipoise.core.results import FloatArray, IntArray

__all__ = ["count_triangles", "list_triangles", "settle", "settle_listed"]

MANY = 300
"""Edges from which a loop over triangles is worth the compiler."""


@compiled(least=2 * MANY, by=1)
def count_triangles(starts: IntArray, neighbours: IntArray, most: int) -> int:
    """Count the triangles, and stop counting soon after ``most``; neighbours are sorted."""
    n = len(starts) - 1
    near = np.zeros(n, dtype=np.bool_)
    total = 0
    for i in range(n):
        for a in range(starts[i], starts[i + 1]):
            near[neighbours[a]] = True
        for a in range(starts[i], starts[i + 1]):
            j = neighbours[a]
            if j <= i:
                continue
            for b in range(starts[j + 1] - 1, starts[j] - 1, -1):
                if neighbours[b] <= j:
                    break
                total += near[neighbours[b]]
        for a in range(starts[i], starts[i + 1]):
            near[neighbours[a]] = False
        if total > most:
            break
    return total


@compiled(least=2 * MANY, by=1)
def list_triangles(starts: IntArray, neighbours: IntArray, edges: IntArray, out: IntArray) -> None:
    """Write the edges (ij, jk, ik) of each triangle i < j < k into ``out``."""
    n = len(starts) - 1
    to = np.full(n, -1, dtype=np.int64)
    t = 0
    for i in range(n):
        for a in range(starts[i], starts[i + 1]):
            to[neighbours[a]] = edges[a]
        for a in range(starts[i], starts[i + 1]):
            j = neighbours[a]
            if j <= i:
                continue
            for b in range(starts[j + 1] - 1, starts[j] - 1, -1):
                k = neighbours[b]
                if k <= j:
                    break
                if to[k] >= 0:
                    out[t, 0], out[t, 1], out[t, 2] = edges[a], edges[b], to[k]
                    t += 1
        for a in range(starts[i], starts[i + 1]):
            to[neighbours[a]] = -1


def _root(parent: IntArray, ratio: FloatArray, e: int) -> tuple[int, float]:
    """Follow e to its root; x[e] = (returned ratio) * x[root]. Halves the path on the way."""
    q = 1.0
    while parent[e] != e:
        up = parent[e]
        if parent[up] != up:
            ratio[e] *= ratio[up]
            parent[e] = parent[up]
        q *= ratio[e]
        e = parent[e]
    return e, q


def _relation(
    parent: IntArray, ratio: FloatArray, three: IntArray, sign: FloatArray, root: IntArray, q: FloatArray
) -> int:
    """Write x on a triangle in terms of distinct roots; return how many remain with q != 0."""
    zero = len(parent) - 1
    distinct = 0
    for s in range(3):
        r, value = _root(parent, ratio, three[s])
        if r == zero or value == 0.0:
            continue
        value *= sign[s]
        merged = False
        for f in range(distinct):
            if root[f] == r:
                q[f] += value
                merged = True
        if not merged:
            root[distinct], q[distinct] = r, value
            distinct += 1
    remaining = 0
    for f in range(distinct):
        if abs(q[f]) > 1e-9:
            root[remaining], q[remaining] = root[f], q[f]
            remaining += 1
    return remaining


@compiled(least=MANY, by=3, helpers=(_root, _relation))
def settle(
    starts: IntArray,
    neighbours: IntArray,
    edges: IntArray,
    first: IntArray,
    second: IntArray,
    parent: IntArray,
    ratio: FloatArray,
    relations: IntArray,
    values: FloatArray,
) -> int:
    """Eliminate the edge values that the triangles determine, in place.

    ``parent`` and ``ratio`` hold x[e] = ratio[e] * x[parent[e]]; the last index stands for zero.
    Sweeps until nothing changes. Then the relations that still tie three values are written to
    ``relations`` and ``values`` as far as they have room; returns how many there are.
    """
    zero = len(parent) - 1
    three = np.empty(3, dtype=np.int64)
    root = np.empty(3, dtype=np.int64)
    q = np.empty(3)
    sign = np.array([1.0, 1.0, -1.0])
    changed = True
    last = False
    total = 0
    while changed or not last:
        last = not changed
        changed = False
        for e in range(len(first)):
            if _root(parent, ratio, e)[0] == zero:
                continue
            i, j = first[e], second[e]
            a, a_end = starts[i], starts[i + 1]
            b, b_end = starts[j], starts[j + 1]
            while a < a_end and b < b_end:
                if neighbours[a] < neighbours[b]:
                    a += 1
                    continue
                if neighbours[a] > neighbours[b]:
                    b += 1
                    continue
                k = neighbours[a]
                three[0], three[1], three[2] = e, edges[b], edges[a]
                # x_ij + x_jk - x_ik, with each edge stored from its lower to its higher vertex.
                sign[1] = 1.0 if j < k else -1.0
                sign[2] = -1.0 if i < k else 1.0
                a += 1
                b += 1
                remaining = _relation(parent, ratio, three, sign, root, q)
                if remaining == 1:
                    parent[root[0]], ratio[root[0]] = zero, 0.0
                    changed = True
                elif remaining == 2:
                    parent[root[0]], ratio[root[0]] = root[1], -q[1] / q[0]
                    changed = True
                elif remaining == 3 and last:
                    if total < len(relations):
                        relations[total] = root
                        values[total] = q
                    total += 1
                if remaining == 1 and _root(parent, ratio, e)[0] == zero:
                    break
    return total


@compiled(least=MANY, helpers=(_root, _relation))
def settle_listed(three: IntArray, parent: IntArray, ratio: FloatArray, relations: IntArray, values: FloatArray) -> int:
    """Do what :func:`settle` does, with the triangles listed: those that say nothing more are dropped from ``three``.

    ``relations`` and ``values`` have room for all triangles; returns how many still tie three values.
    """
    zero = len(parent) - 1
    root = np.empty(3, dtype=np.int64)
    q = np.empty(3)
    sign = np.array([1.0, 1.0, -1.0])
    left = len(three)
    changed = True
    while changed:
        changed = False
        kept = 0
        for t in range(left):
            remaining = _relation(parent, ratio, three[t], sign, root, q)
            if remaining == 1:
                parent[root[0]], ratio[root[0]] = zero, 0.0
                changed = True
            elif remaining == 2:
                parent[root[0]], ratio[root[0]] = root[1], -q[1] / q[0]
                changed = True
            elif remaining == 3:
                three[kept] = three[t]
                relations[kept] = root
                values[kept] = q
                kept += 1
        left = kept
    return left
