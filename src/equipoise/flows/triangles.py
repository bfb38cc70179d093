"""Triangles of a graph, and the holes that no triangle fills.

Loops over the triangles of a graph, for tables with gaps; compiled for graphs of some size.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy

from equipoise.core.compiled import compiled
from equipoise.core.results import FloatArray, IntArray

MANY = 300
"""Edges from which a loop over triangles is worth the compiler."""


@compiled(least=2 * MANY, by=1)
def count_triangles(starts: IntArray, neighbours: IntArray) -> int:
    """Count the triangles; neighbours are sorted."""
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


class Adjacency(NamedTuple):
    """Neighbour lists in compressed form; ``edges`` names the edge to each neighbour."""

    starts: IntArray
    neighbours: IntArray
    edges: IntArray


def adjacency(first: IntArray, second: IntArray, n: int) -> Adjacency:
    """Sorted neighbour lists of the graph with edges ``(first, second)``."""
    here = np.concatenate([first, second])
    there = np.concatenate([second, first])
    order = np.lexsort((there, here))
    starts = np.concatenate([[0], np.cumsum(np.bincount(here, minlength=n))])
    edges = np.tile(np.arange(len(first)), 2)[order]
    return Adjacency(starts.astype(np.int64), there[order].astype(np.int64), edges)


def triangle_edges(first: IntArray, second: IntArray, n: int) -> IntArray:
    """Edges (ij, jk, ik) of every triangle i < j < k; edges must run from low to high."""
    near = adjacency(first, second, n)
    total = count_triangles(near.starts, near.neighbours)
    out = np.empty((total, 3), dtype=np.int64)
    list_triangles(*near, out)
    return out


def curl_matrix(first: IntArray, second: IntArray, n: int) -> Any:
    """Sparse matrix that takes an edge flow to its curl, one row per triangle."""
    three = triangle_edges(first, second, n)
    rows = np.repeat(np.arange(len(three)), 3)
    signs = np.tile([1.0, 1.0, -1.0], len(three))
    return scipy.sparse.coo_array((signs, (rows, three.ravel())), shape=(len(three), len(first))).tocsr()


class Holes(NamedTuple):
    """Curl-free flows modulo gradients: what elimination by triangles leaves.

    Such a flow is ``x[e] = ratio[e] * y[group[e]]`` (``group`` -1: zero) for any ``y`` with
    ``relations @ y = 0``.
    """

    group: IntArray
    ratio: FloatArray
    groups: int
    relations: Any
    tree_edges: int


def find_holes(first: IntArray, second: IntArray, n: int) -> Holes:
    """Reduce the curl-free flows of a graph by its triangles; edges must run from low to high."""
    near = adjacency(first, second, n)
    m = len(first)
    parent = np.arange(m + 1)
    ratio = np.ones(m + 1)
    tree = _spanning_forest(first, second, n)
    parent[tree], ratio[tree] = m, 0.0
    relations, values, count = _settled(near, first, second, parent, ratio)
    group, ratio = _resolved(parent, ratio)
    roots, index = np.unique(group[group < m], return_inverse=True)
    numbered = np.full(m, -1)
    numbered[group < m] = index
    rows = np.repeat(np.arange(count), 3)
    columns = np.searchsorted(roots, relations[:count].ravel())
    matrix = scipy.sparse.coo_array((values[:count].ravel(), (rows, columns)), shape=(count, len(roots)))
    return Holes(numbered, ratio, len(roots), matrix.tocsr(), len(tree))


def _settled(
    near: Adjacency, first: IntArray, second: IntArray, parent: IntArray, ratio: FloatArray
) -> tuple[IntArray, FloatArray, int]:
    """Eliminate without a list of triangles: a dense table has too many, and settles after a few of them."""
    room = 0
    while True:
        relations, values = np.empty((room, 3), dtype=np.int64), np.empty((room, 3))
        count = settle(*near, first, second, parent, ratio, relations, values)
        if count <= room:
            return relations, values, count
        room = count


def _resolved(parent: IntArray, ratio: FloatArray) -> tuple[IntArray, FloatArray]:
    """Root of every edge and the factor to it, by pointer doubling."""
    while True:
        above = parent[parent]
        if np.array_equal(above, parent):
            return parent[:-1], ratio[:-1]
        ratio = ratio * ratio[parent]
        parent = above


def _spanning_forest(first: IntArray, second: IntArray, n: int) -> IntArray:
    """Edges of a spanning forest that prefers busy vertices, so that triangles close quickly."""
    degree = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    busy = np.maximum(degree[first], degree[second])
    cost = 1.0 + np.argsort(np.argsort(-busy, kind="stable"))
    graph = scipy.sparse.coo_array((cost, (first, second)), shape=(n, n)).tocsr()
    forest = scipy.sparse.csgraph.minimum_spanning_tree(graph)
    by_cost = np.argsort(cost)
    return np.asarray(by_cost[forest.data.astype(np.int64) - 1])
