"""How often rare mistakes lead from one Markov-Conley chain to another, at the leading order in their probability.

After its first mistake a population moves freely until some chain absorbs it; where single mistakes do not connect the
chains, a second mistake is made among the transient profiles visited on the way, and so on. The visits come from
sparse equations, with a bound on what their error can do.
"""

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.alpharank.deviations import Deviations
from equipoise.alpharank.stationary import stationary_wide
from equipoise.core.results import FloatArray

__all__ = ["chain_weights"]

BoolArray = NDArray[np.bool_]

_LEFT = 1e-12  # of the least flow into a chain: what the equations may lack
_REFINEMENTS = 8
_MOST_MISTAKES = 12
_LARGEST_DENSE = 12_000


def chain_weights(
    graph: Deviations, chains: Sequence[NDArray[np.intp]], within: Sequence[FloatArray]
) -> FloatArray | None:
    """Weight of each chain as mistakes become rare, or None where that takes too many steps.

    Parameters
    ----------
    within
        Stationary distribution inside each chain.
    """
    home = np.full(graph.profiles, len(chains))
    for number, members in enumerate(chains):
        home[members] = number
    transient = home == len(chains)
    free, mistakes = _moves(graph, transient)
    start = np.zeros((graph.profiles, len(chains)))
    for number, (members, mass) in enumerate(zip(chains, within, strict=True)):
        start[members, number] = mass
    log2_rates = np.full((len(chains), len(chains)), -np.inf)
    orders = np.zeros(log2_rates.shape, dtype=np.int64)
    for order in range(1, _MOST_MISTAKES + 1):
        flow = _until_absorbed(mistakes @ start, free, transient)
        if flow is None:
            return None
        into = np.array([flow[members].sum(axis=0) for members in chains]).T
        new = (into > 0.0) & (orders == 0)
        log2_rates[new], orders[new] = np.log2(into[new]), order
        if scipy.sparse.csgraph.connected_components(orders > 0, directed=True, connection="strong")[0] == 1:
            return stationary_wide(log2_rates, orders)
        start = np.where(transient[:, None], flow, 0.0)
    return None


def _moves(graph: Deviations, transient: BoolArray) -> tuple["scipy.sparse.csr_array", "scipy.sparse.csr_array"]:
    """Free moves and mistakes of one visit to each profile, as matrices from column to row; chains make no free move.

    A visit to a transient profile lasts until its next free move; chains are never left but by mistake, and theirs
    count by the unit of time.
    """
    rates = np.where(graph.gaps == 0.0, 0.5, (graph.gaps > 0.0).astype(float))
    stay = np.where(transient, 1.0 / np.maximum(rates.sum(axis=1), 0.5), 1.0)[:, None]
    free = np.where(transient[:, None], rates * stay, 0.0)
    return _transposed(graph, free), _transposed(graph, np.where(graph.gaps < 0.0, stay, 0.0))


def _transposed(graph: Deviations, values: FloatArray) -> "scipy.sparse.csr_array":
    present = values > 0.0
    indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    shape = (graph.profiles, graph.profiles)
    return scipy.sparse.csr_array((values[present], graph.neighbours[present], indptr), shape=shape).T.tocsr()


def _until_absorbed(start: FloatArray, free: "scipy.sparse.csr_array", transient: BoolArray) -> FloatArray | None:
    """Visits to every profile from each column's start until a chain is met; None where they cannot be computed.

    Visits v to transient profiles solve v = start + F v. Whatever an approximate v lacks in these equations would be
    absorbed somewhere, once: its sum bounds the error of every flow into a chain, and is made small against the least.
    """
    reached = _reached(start > 0.0, free)
    inside = np.flatnonzero(transient)
    inner = free[inside][:, inside]
    for solve in (_by_iteration, _by_factors):
        visits = np.zeros((inside.size, start.shape[1]))
        for _ in range(_REFINEMENTS):
            lack = start[inside] - visits + inner @ visits
            total = start + free[:, inside] @ visits
            least = np.where(reached & ~transient[:, None], total, np.inf).min(axis=0, initial=np.inf)
            if np.all(np.abs(lack).sum(axis=0) <= _LEFT * least):
                return np.where(reached, total, 0.0)
            change = solve(inner, lack)
            if change is None:
                break
            visits = np.maximum(visits + change, 0.0)
    return None


def _reached(seen: BoolArray, free: "scipy.sparse.csr_array") -> BoolArray:
    """Profiles that free moves lead to from each column's start."""
    while True:
        further = seen | ((free @ seen.astype(float)) > 0.0)
        if np.array_equal(further, seen):
            return seen
        seen = further


def _by_iteration(inner: "scipy.sparse.csr_array", lack: FloatArray) -> FloatArray:
    """Roughly solve v = lack + F v; a few slow modes are no obstacle to a Krylov method."""
    equations = scipy.sparse.linalg.LinearOperator(inner.shape, matvec=lambda v: v - inner @ v, dtype=float)
    return np.array([scipy.sparse.linalg.gmres(equations, column, restart=60, maxiter=5)[0] for column in lack.T]).T


def _by_factors(inner: "scipy.sparse.csr_array", lack: FloatArray) -> FloatArray | None:
    if inner.shape[0] > _LARGEST_DENSE:
        return None
    return np.asarray(scipy.linalg.solve(np.eye(inner.shape[0]) - inner.toarray(), lack))
