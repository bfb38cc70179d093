"""Does a finite maximum-likelihood estimate exist? Asked before fitting, answered from the win graph.

Ratings have a finite estimate iff the graph "i scored against j" is strongly connected within each island
(Zermelo 1929; Ford 1957). A side advantage must besides be told from strength, and must not separate the data.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.data.graph import connected_components, strongly_connected_components
from equipoise.data.labels import Codes
from equipoise.ratings.tie_models import Cells
from equipoise.results import FloatArray, IntArray

__all__ = ["Connections", "connections", "side_is_confounded", "side_separates"]

LARGEST_SEPARATION_CHECK = 600
"""Above this many agents a separating side advantage is left to the fit, which then does not converge."""


@dataclass(frozen=True, slots=True, eq=False)
class Connections:
    """Who can be compared: islands, strong components, and the agents outside of two-way comparison.

    ``unbeaten`` agents sit in a component that nobody outside of it scored against; ``winless`` ones in a
    component that scored against nobody outside; the bulk of an island (its largest component) is neither.
    """

    islands: IntArray
    strong: IntArray
    unbeaten: IntArray
    winless: IntArray

    @property
    def connected(self) -> bool:
        """Whether all agents are in one island."""
        return int(self.islands.max()) == 0

    @property
    def finite(self) -> bool:
        """Whether finite ratings exist within each island."""
        return len(np.unique(self.strong)) == len(np.unique(self.islands))


def connections(agents: int, first: Codes, second: Codes, cells: Cells) -> Connections:
    """Look at who met and who scored; a tie is a score for both."""
    up = cells.wins + cells.ties > 0
    down = cells.losses + cells.ties > 0
    winner = np.concatenate([first[up], second[down]])
    loser = np.concatenate([second[up], first[down]])
    islands = connected_components(agents, winner, loser)
    strong = strongly_connected_components(agents, winner, loser)
    between = strong[winner] != strong[loser]
    beaten, scoring = strong[loser[between]], strong[winner[between]]
    joined = np.isin(strong, np.concatenate([beaten, scoring])) & ~_bulk(islands, strong)
    unbeaten = np.flatnonzero(joined & ~np.isin(strong, beaten))
    winless = np.flatnonzero(joined & ~np.isin(strong, scoring))
    return Connections(islands, strong, unbeaten, winless)


def _bulk(islands: IntArray, strong: IntArray) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Mark the agents of an island's largest strong component, if one is the largest: the others are the odd ones."""
    sizes = np.bincount(strong)[strong]
    largest = np.zeros(int(islands.max()) + 1, dtype=np.int64)
    np.maximum.at(largest, islands, sizes)
    top = sizes == largest[islands]
    pairs = np.unique(np.column_stack([islands[top], strong[top]]), axis=0)
    components = np.bincount(pairs[:, 0], minlength=len(largest))
    return np.asarray(top & (components[islands] == 1))


def side_is_confounded(agents: int, first: Codes, second: Codes) -> bool:
    """Tell whether some strengths explain a side advantage exactly: r_first - r_second = 1 in all games."""
    rows = np.arange(len(first))
    incidence = scipy.sparse.coo_array(
        (np.repeat([1.0, -1.0], len(first)), (np.tile(rows, 2), np.concatenate([first, second]))),
        shape=(len(first), agents),
    ).tocsr()
    ones: FloatArray = np.ones(len(first))
    best = scipy.sparse.linalg.lsqr(incidence, ones, atol=1e-12, btol=1e-12)[0]
    return float(np.abs(incidence @ best - ones).max()) < 1e-6


def side_separates(agents: int, first: Codes, second: Codes, cells: Cells) -> bool:
    """Tell whether an infinite side advantage fits the results: potentials with wins up and losses down.

    For a side advantage of +1 every win needs r_f - r_s >= -1 and every loss r_f - r_s <= -1 (a tie both): a
    system of difference constraints, feasible iff its graph has no negative cycle. Likewise for -1.
    """
    if agents > LARGEST_SEPARATION_CHECK:
        return False
    up, down = cells.wins + cells.ties > 0, cells.losses + cells.ties > 0
    return any(_feasible(agents, first, second, up, down, side) for side in (1.0, -1.0))


def _feasible(
    agents: int,
    first: Codes,
    second: Codes,
    up: np.ndarray,
    down: np.ndarray,
    side: float,
) -> bool:
    bound = np.full((agents, agents), np.inf)
    # Edge u -> v of length c says r_v <= r_u + c.
    np.minimum.at(bound, (first[up], second[up]), side)
    np.minimum.at(bound, (second[down], first[down]), -side)
    distance = np.zeros(agents)
    for _ in range(agents + 1):
        shorter = np.minimum(distance, (distance[:, None] + bound).min(axis=0))
        if np.array_equal(shorter, distance):
            return True
        distance = shorter
    return False
