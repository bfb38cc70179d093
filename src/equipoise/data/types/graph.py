"""Who met whom: connectivity and strong connectivity of the games played."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray, IntArray

Codes = npt.NDArray[np.signedinteger[Any]]
"""Agents as whole numbers."""
FEW, LOOKED_AT = 5, 2_000_000
"""Steps to try before a graph is taken apart as a whole (a tournament needs two or three), or as many as look at so
many edges in all: loading SciPy's graphs takes longer."""


def connected_components(agents: int, first: Codes, second: Codes) -> IntArray:
    """Label each agent with its connected component: agents joined by a chain of games share a label."""
    if _reached(agents, np.concatenate([first, second]), np.concatenate([second, first])):
        return np.zeros(agents, dtype=np.int64)
    _, labels = scipy.sparse.csgraph.connected_components(_graph(agents, first, second), directed=False)
    return np.asarray(labels, dtype=np.int64)


def strongly_connected_components(agents: int, winner: Codes, loser: Codes) -> IntArray:
    """Label each agent with its strong component: those who beat each other along chains share a label."""
    if _reached(agents, winner, loser) and _reached(agents, loser, winner):
        return np.zeros(agents, dtype=np.int64)
    _, labels = scipy.sparse.csgraph.connected_components(
        _graph(agents, winner, loser), directed=True, connection="strong"
    )
    return np.asarray(labels, dtype=np.int64)


def _reached(agents: int, tail: Codes, head: Codes) -> bool:
    """Whether a few steps lead from the first agent to all: the usual case, for which no library need be loaded."""
    seen = np.arange(agents) < 1
    count = 1 if agents else 0
    for _ in range(max(FEW, LOOKED_AT // max(len(tail), 1))):
        seen[head[seen[tail]]] = True
        before, count = count, int(seen.sum())
        if count in (before, agents):
            break
    return count == agents


def _graph(agents: int, tail: Codes, head: Codes) -> "scipy.sparse.coo_array":
    ones: FloatArray = np.ones(len(tail))
    return scipy.sparse.coo_array((ones, (tail, head)), shape=(agents, agents))
