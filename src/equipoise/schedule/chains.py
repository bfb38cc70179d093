"""Who is above whom, from decided pairs: chains of decisions, orders that fit them, cycles.

Matrices of truth values; ``better[i, j]`` says that i was decided better than j.
"""

import numpy as np
from numpy.typing import NDArray

from equipoise.core.results import FloatArray, IntArray

__all__ = ["BoolArray", "above_by_chains", "extend_chains", "find_cycle", "fitting_order", "tie_groups"]

BoolArray = NDArray[np.bool_]


def above_by_chains(better: BoolArray) -> BoolArray:
    """Give the transitive closure: i is above j if a chain of decisions leads from i down to j."""
    above: BoolArray = better.copy()
    for k in range(len(above)):
        above |= above[:, k, None] & above[None, k, :]
    return above


def extend_chains(above: BoolArray, i: int, j: int) -> BoolArray:
    """Give the closure with one more decision, i better than j."""
    upper, lower = above[:, i].copy(), above[j].copy()
    upper[i] = lower[j] = True
    return np.asarray(above | (upper[:, None] & lower[None, :]))


def find_cycle(better: BoolArray, through: IntArray | None = None) -> tuple[int, ...]:
    """Give a shortest cycle of decisions, each better than the next and the last better than the first; or nothing.

    ``through`` names players of whom the cycle must hold one.
    """
    best: tuple[int, ...] = ()
    for start in range(len(better)) if through is None else through.tolist():
        found = _back_to(better, int(start))
        if found and (not best or len(found) < len(best)):
            best = found
    return best


def _back_to(better: BoolArray, start: int) -> tuple[int, ...]:
    """Search breadth first for the shortest way from a player back to itself."""
    came_from = {start: start}
    layer = [start]
    while layer:
        deeper = []
        for node in layer:
            for lower in np.flatnonzero(better[node]).tolist():
                if lower == start:
                    path = [node]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return tuple(reversed(path))
                if lower not in came_from:
                    came_from[lower] = node
                    deeper.append(lower)
        layer = deeper
    return ()


def fitting_order(rating: FloatArray, above: BoolArray) -> IntArray:
    """Order players by rating, best first, as far as chains of decisions allow.

    Nobody stands before a player who is above: a rating counts at most as much as the lowest of those above. Players
    with the same number then stand in the order of how many are above them, which grows along every chain.
    """
    cap = np.where(above, rating[:, None], np.inf).min(axis=0)
    return np.asarray(np.lexsort((above.sum(axis=0), -np.minimum(rating, cap))), dtype=np.int64)


def tie_groups(order: IntArray, equal: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Split an order into groups: a player joins the group before it if it is equal to each of its members."""
    groups: list[list[int]] = []
    for player in order.tolist():
        if groups and all(equal[player, other] for other in groups[-1]):
            groups[-1].append(player)
        else:
            groups.append([player])
    return tuple(tuple(group) for group in groups)
