"""Systems of difference constraints: potentials r with r_v <= r_u + length on every edge u -> v.

Such potentials exist iff no cycle of edges has a negative length in all. Lengths may have a parameter g: they are
``fixed + slope g`` then, and a g is looked for. All arithmetic is in whole numbers, so that the answers are exact.

References
----------
Bellman (1958), On a routing problem. Cormen, Leiserson, Rivest and Stein, Introduction to Algorithms, section 22.4.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy

from equipoise.core.results import IntArray
from equipoise.data.encode.labels import Codes

__all__ = ["Edges", "negative_cycle", "some_parameter_fits"]

MOST_WORK = 200_000_000
"""Edges looked at before the search is given up (seconds): only very long chains of agents need so many."""
MOST_CYCLES = 1000
"""Values of the parameter that are tried."""


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Edges ``tail -> head`` between ``nodes`` numbered from 0, of length ``fixed + slope g``."""

    nodes: int
    tail: Codes
    head: Codes
    fixed: IntArray
    slope: IntArray

    def lengths(self, parameter: Fraction | int) -> IntArray:
        """Give the lengths at g, times its denominator."""
        g = Fraction(parameter)
        return np.asarray(self.fixed * g.denominator + self.slope * g.numerator, dtype=np.int64)


def some_parameter_fits(edges: Edges) -> bool:
    """Tell whether potentials exist for some g.

    Every cycle that is negative at a g bounds the g that can do, from below or above; the next one tried is that
    bound, until one does or none is left.
    """
    low, high, g = None, None, Fraction(0)
    for _ in range(MOST_CYCLES):
        cycle = negative_cycle(edges.nodes, edges.tail, edges.head, edges.lengths(g))
        if cycle is None:
            return True
        fixed, slope = int(edges.fixed[cycle].sum()), int(edges.slope[cycle].sum())
        if slope == 0:
            return False
        g = Fraction(-fixed, slope)
        low, high = (g, high) if slope > 0 else (low, g)
        if low is not None and high is not None and low > high:
            return False
    return False


def negative_cycle(nodes: int, tail: Codes, head: Codes, length: IntArray) -> IntArray | None:
    """Give the edges of a cycle whose lengths sum below zero, or None where there is none (or no end of work).

    Bellman and Ford's method from all nodes at once; only edges from nodes that have moved are looked at again. The
    edges that moved nodes last hold a cycle some time iff a negative one exists.
    """
    order = np.argsort(tail, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(tail, minlength=nodes))])
    distance = np.zeros(nodes, dtype=np.int64)
    through = np.full(nodes, -1, dtype=np.int64)
    active, work, look = np.arange(nodes), 0, 1
    for step in range(1, nodes + 1):
        edges = order[_ranges(start[active], start[active + 1])]
        work += len(edges) + len(active)
        reached, before = distance[tail[edges]] + length[edges], distance[head[edges]]
        shorter = reached < before
        edges, reached = edges[shorter], reached[shorter]
        if len(edges) == 0:
            return None
        np.minimum.at(distance, head[edges], reached)
        last = edges[reached == distance[head[edges]]]
        through[head[last]] = last
        active = np.unique(head[last])
        if step in (look, nodes) or work > MOST_WORK:
            look *= 2
            cycle = _cycle(nodes, tail, through)
            if cycle is not None or work > MOST_WORK:
                return cycle
    raise AssertionError("nodes still move after as many steps as there are nodes, but not along a cycle")


def _ranges(start: IntArray, end: IntArray) -> IntArray:
    """Give the numbers from each start to before its end, one range after the other."""
    sizes = end - start
    return np.asarray(np.repeat(start - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum())))


def _cycle(nodes: int, tail: Codes, through: IntArray) -> IntArray | None:
    """Give the edges of a cycle in a graph where each node has at most one edge that leads to it."""
    node = np.flatnonzero(through >= 0)
    graph = scipy.sparse.coo_array((np.ones(len(node)), (tail[through[node]], node)), shape=(nodes, nodes))
    count, label = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    if count == nodes:
        return None
    at = int(np.flatnonzero(np.bincount(label)[label] > 1)[0])
    edges = [int(through[at])]
    while int(tail[edges[-1]]) != at:
        edges.append(int(through[tail[edges[-1]]]))
    return np.array(edges)
