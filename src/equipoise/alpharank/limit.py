"""The infinite-alpha limit: Markov-Conley chains and the mass on each profile, exactly.

At infinite alpha a population moves to a better profile, drifts between tied ones and never moves to a worse one. It
ends in a sink strongly connected component of that graph. One such component: its stationary distribution is the
answer. Several: the weight of each is the limit of the perturbed chain (mistakes of probability e, ties at 1/2) as e
vanishes, computed by arithmetic on leading powers of e rather than by trying a small e.

In large games that takes how often rare mistakes lead from one Markov-Conley chain to another, at the leading order in
their probability. After its first mistake a population moves freely until some chain absorbs it; where single mistakes
do not connect the chains, a second mistake is made among the transient profiles visited on the way, and so on. The
visits come from sparse equations, with a bound on what their error can do.
"""

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.alpharank.deviations import Deviations
from equipoise.alpharank.stationary import stationary_gth, stationary_iterated, stationary_wide
from equipoise.alpharank.transition import limit_rates
from equipoise.core.errors import ConvergenceError, ParameterError
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option

BoolArray = NDArray[np.bool_]

_LEFT = 1e-12  # of the least flow into a chain: what the equations may lack
_REFINEMENTS = 8
_MOST_MISTAKES = 12
_LARGEST_DENSE = 12_000
# Up to this many profiles the limit over several components is taken on the whole chain at once (milliseconds).
WHOLE_CHAIN = 150
# Larger chains are iterated first and eliminated only when the iterations do not agree.
ELIMINATE_FIRST = 1500
# A dense chain of this size needs about a gigabyte.
LARGEST_DENSE = 12_000


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


def sink_components(neighbours: NDArray[np.int32], open_edges: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Strongly connected components of the graph of open edges that no open edge leaves, largest first."""
    n = neighbours.shape[0]
    indptr = np.concatenate([[0], np.cumsum(open_edges.sum(axis=1))])
    graph = scipy.sparse.csr_array((np.ones(indptr[-1], dtype=np.int8), neighbours[open_edges], indptr), shape=(n, n))
    count, label = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    leaves = np.zeros(count, dtype=bool)
    crossing = open_edges & (label[neighbours] != label[:, None])
    leaves[label[crossing.any(axis=1)]] = True
    label = np.where(leaves[label], -1, label)
    sinks = [np.flatnonzero(label == c) for c in np.unique(label[label >= 0])]
    return sorted(sinks, key=lambda members: (-members.size, int(members[0])))


def markov_conley_chains(graph: Deviations) -> list[NDArray[np.intp]]:
    """Sink strongly connected components of the response graph (ties are edges both ways)."""
    if graph.complete:
        return [_only_sink(graph.neighbours, graph.gaps >= 0.0)]
    return sink_components(graph.neighbours, graph.gaps >= 0.0)


def _only_sink(neighbours: NDArray[np.int32], open_edges: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Sink component where every two profiles are joined by an open edge: there is only one.

    All others lead to all of its members and these to none of them, so the profile with the fewest ways out is one of
    them; the others are where it leads.
    """
    first = int(np.count_nonzero(open_edges, axis=1).argmin())
    reached = np.zeros(len(neighbours), dtype=bool)
    reached[first] = True
    todo = [first]
    while todo and not reached.all():
        at = todo.pop()
        new = neighbours[at][open_edges[at]]
        new = new[~reached[new]]
        reached[new] = True
        todo += new.tolist()
    return np.flatnonzero(reached)


def chain_mass(graph: Deviations, rates: FloatArray, members: NDArray[np.intp]) -> FloatArray:
    """Stationary distribution within one closed set of profiles."""
    if members.size == 1:
        return np.ones(1)
    if members.size == graph.profiles <= ELIMINATE_FIRST:
        return stationary_gth(graph.dense(rates))
    whole = graph.complete and members.size == graph.profiles
    local = graph.dense(rates) if whole else _local_rates(graph, rates, members)
    if members.size > ELIMINATE_FIRST:
        mass = stationary_iterated(local)
        if mass is not None:
            return mass
    if members.size > LARGEST_DENSE:
        raise ConvergenceError(
            f"the chain on {members.size} profiles mixes too slowly for iteration, and elimination "
            f"stops at {LARGEST_DENSE} profiles; use fewer strategies"
        )
    return stationary_gth(local if isinstance(local, np.ndarray) else local.toarray())


def iterated_mass(graph: Deviations, rates: FloatArray) -> FloatArray | None:
    """Masses of the whole chain by iteration from far-apart starts, or None where they do not agree."""
    return stationary_iterated(_local_rates(graph, rates, np.arange(graph.profiles)))


def _local_rates(graph: Deviations, rates: FloatArray, members: NDArray[np.intp]) -> "scipy.sparse.csr_array":
    position = np.full(graph.profiles, -1, dtype=np.int32)
    position[members] = np.arange(members.size, dtype=np.int32)
    everything = members.size == graph.profiles
    values = rates if everything else rates[members]
    present = values > 0.0
    indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    targets = graph.neighbours[present] if everything else position[graph.neighbours[members][present]]
    return scipy.sparse.csr_array((values[present], targets, indptr), shape=(members.size, members.size))


def limit_mass(graph: Deviations, m: int, chains: Sequence[NDArray[np.intp]]) -> FloatArray:
    """Masses when there is one Markov-Conley chain: ties move at rate 1/m."""
    mass = np.zeros(graph.profiles)
    mass[chains[0]] = chain_mass(graph, limit_rates(graph.gaps, m), chains[0])
    return mass


def perturbation_limit(graph: Deviations, chains: Sequence[NDArray[np.intp]]) -> FloatArray:
    """Limit of the perturbed chain's stationary distribution as the perturbation vanishes."""
    if graph.profiles > WHOLE_CHAIN:
        rates = np.where(graph.gaps == 0.0, 0.5, (graph.gaps > 0.0).astype(float))
        within = [chain_mass(graph, rates, members) for members in chains]
        weights = chain_weights(graph, chains, within)
        if weights is not None:
            return _spread(graph.profiles, chains, within, weights)
    return _limit_of_whole_chain(graph)


def _spread(
    profiles: int, chains: Sequence[NDArray[np.intp]], within: Sequence[FloatArray], weights: FloatArray
) -> FloatArray:
    mass = np.zeros(profiles)
    for members, inside, weight in zip(chains, within, weights, strict=True):
        mass[members] = weight * inside
    return mass


def _limit_of_whole_chain(graph: Deviations) -> FloatArray:
    if graph.profiles > LARGEST_DENSE:
        raise ParameterError(
            f"{graph.profiles:,} profiles with several Markov-Conley chains are too many for the exact perturbation"
            f" limit (at most {LARGEST_DENSE:,})",
            advice=[Advice("use fewer strategies or a finite ", Option("alpha"))],
        )
    log2_rates = np.where(graph.gaps == 0.0, -1.0, 0.0)
    orders = graph.dense((graph.gaps < 0.0).astype(float)).astype(np.int64)
    return stationary_wide(graph.dense(log2_rates, fill=-np.inf), orders)
