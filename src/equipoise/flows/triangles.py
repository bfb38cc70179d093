"""Triangles of a graph, and the holes that no triangle fills."""

from typing import Any, NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray

__all__ = ["Adjacency", "Holes", "adjacency", "curl_matrix", "find_holes", "triangle_edges"]

LISTED = 5_000_000
"""Most triangles that are listed to eliminate by them; of more, each is looked up when it is needed."""


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
    from equipoise.flows import _kernels

    near = adjacency(first, second, n)
    total = _kernels.count_triangles(near.starts, near.neighbours, np.iinfo(np.int64).max)
    out = np.empty((total, 3), dtype=np.int64)
    _kernels.list_triangles(*near, out)
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
    from equipoise.flows import _kernels

    near = adjacency(first, second, n)
    m = len(first)
    parent = np.arange(m + 1)
    ratio = np.ones(m + 1)
    tree = _spanning_forest(first, second, n)
    parent[tree], ratio[tree] = m, 0.0
    total = _kernels.count_triangles(near.starts, near.neighbours, LISTED)
    if total <= LISTED:
        three, relations = np.empty((total, 3), dtype=np.int64), np.empty((total, 3), dtype=np.int64)
        values = np.empty((total, 3))
        _kernels.list_triangles(*near, three)
        count = _kernels.settle_listed(three, parent, ratio, relations, values)
    else:
        relations, values, count = _settled_on_the_way(near, first, second, parent, ratio)
    group, ratio = _resolved(parent, ratio)
    roots, index = np.unique(group[group < m], return_inverse=True)
    numbered = np.full(m, -1)
    numbered[group < m] = index
    rows = np.repeat(np.arange(count), 3)
    columns = np.searchsorted(roots, relations[:count].ravel())
    matrix = scipy.sparse.coo_array((values[:count].ravel(), (rows, columns)), shape=(count, len(roots)))
    return Holes(numbered, ratio, len(roots), matrix.tocsr(), len(tree))


def _settled_on_the_way(
    near: Adjacency, first: IntArray, second: IntArray, parent: IntArray, ratio: FloatArray
) -> tuple[IntArray, FloatArray, int]:
    """Eliminate without a list of triangles: a dense table has too many, and settles after a few of them."""
    from equipoise.flows import _kernels

    room = 0
    while True:
        relations, values = np.empty((room, 3), dtype=np.int64), np.empty((room, 3))
        count = _kernels.settle(*near, first, second, parent, ratio, relations, values)
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
