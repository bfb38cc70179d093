"""Who met whom: connectivity and strong connectivity of the games played."""

import numpy as np
import scipy

from equipoise.data.labels import Codes
from equipoise.results import FloatArray, IntArray

__all__ = ["connected_components", "strongly_connected_components"]


def connected_components(agents: int, first: Codes, second: Codes) -> IntArray:
    """Label each agent with its island: agents joined by a chain of games share a label."""
    _, labels = scipy.sparse.csgraph.connected_components(_graph(agents, first, second), directed=False)
    return np.asarray(labels, dtype=np.int64)


def strongly_connected_components(agents: int, winner: Codes, loser: Codes) -> IntArray:
    """Label each agent with its strong component: those who beat each other along chains share a label."""
    _, labels = scipy.sparse.csgraph.connected_components(
        _graph(agents, winner, loser), directed=True, connection="strong"
    )
    return np.asarray(labels, dtype=np.int64)


def _graph(agents: int, tail: Codes, head: Codes) -> "scipy.sparse.coo_array":
    ones: FloatArray = np.ones(len(tail))
    return scipy.sparse.coo_array((ones, (tail, head)), shape=(agents, agents))
