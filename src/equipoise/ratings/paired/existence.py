"""Does a finite maximum-likelihood estimate exist? Asked before fitting, answered from the win graph.

Ratings have a finite estimate iff the graph "i scored against j" is strongly connected within each connected component
(Zermelo 1929; Ford 1957). A first-position advantage must besides be told from strength, and must not separate the
data; nor must a tie parameter together with strengths.

Systems of difference constraints: potentials r with r_v <= r_u + length on every edge u -> v.

Such potentials exist iff no cycle of edges has a negative length in all. Lengths may have a parameter g: they are
``fixed + slope g`` then, and a g is looked for. All arithmetic is in whole numbers, so that the answers are exact.

References
----------
Bellman (1958), On a routing problem. Cormen, Leiserson, Rivest and Stein, Introduction to Algorithms, section 22.4.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.encode.labels import Codes
from equipoise.data.types.graph import connected_components, strongly_connected_components
from equipoise.ratings.paired.ties import PairCounts, TieModel

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
    before = np.full(nodes + 1, nodes)  # nothing comes before a node to which no edge leads, nor before nothing
    before[node] = tail[through[node]]
    for _ in range(nodes.bit_length()):
        before = before[before]  # twice as many steps back: more than there are nodes in the end
    if (before == nodes).all():
        return None
    at = int(before.min())
    edges = [int(through[at])]
    while int(tail[edges[-1]]) != at:
        edges.append(int(through[tail[edges[-1]]]))
    return np.array(edges)


Mask = npt.NDArray[np.bool_]
LONG, SWEEPS = 1_000_000, 30
"""Cells from which agents that are joined both ways are first made one, and sweeps to find them."""


@dataclass(frozen=True, slots=True, eq=False)
class Connections:
    """Who can be compared: connected components, strong components, and the agents outside of two-way comparison.

    ``unbeaten`` agents sit in a component that nobody outside of it scored against; ``winless`` ones in a
    component that scored against nobody outside; the bulk of a connected component (its largest strong one) is neither.
    """

    components: IntArray
    strong: IntArray
    unbeaten: IntArray
    winless: IntArray

    @property
    def connected(self) -> bool:
        """Whether all agents are connected."""
        return int(self.components.max()) == 0

    @property
    def finite(self) -> bool:
        """Whether finite ratings exist within each connected component."""
        strong, components = (np.count_nonzero(np.bincount(labels)) for labels in (self.strong, self.components))
        return bool(strong == components)


def connections(agents: int, first: Codes, second: Codes, cells: PairCounts) -> Connections:
    """Look at who met and who scored; a tie is a score for both."""
    up = cells.wins + cells.ties > 0
    down = cells.losses + cells.ties > 0
    if len(first) > LONG:
        first, second, up, down, place = _without_bulk(agents, first, second, up, down)
    else:
        place = None
    winner = np.concatenate([first[up], second[down]])
    loser = np.concatenate([second[up], first[down]])
    strong = strongly_connected_components(agents, winner, loser)
    # One strong component is one connected component; the usual case needs no further look.
    components = connected_components(agents, winner, loser) if strong.any() else strong
    if place is not None:
        components, strong = (_renumbered(label[place]) for label in (components, strong))
    between = strong[winner] != strong[loser]
    beaten, scoring = strong[loser[between]], strong[winner[between]]
    joined = np.isin(strong, np.concatenate([beaten, scoring])) & ~_bulk(components, strong)
    unbeaten = np.flatnonzero(joined & ~np.isin(strong, beaten))
    winless = np.flatnonzero(joined & ~np.isin(strong, scoring))
    return Connections(components, strong, unbeaten, winless)


def _renumbered(labels: IntArray) -> IntArray:
    """Number the labels in use from 0, in their order."""
    return np.asarray((np.cumsum(np.bincount(labels) > 0) - 1)[labels])


def _without_bulk(
    agents: int, first: Codes, second: Codes, up: Mask, down: Mask
) -> tuple[Codes, Codes, Mask, Mask, IntArray]:
    """Make one agent of many that are joined both ways, and drop the cells between them; give whom each became.

    Components of what is left are those of the whole; in a long table that is little.
    """
    from equipoise.data.encode._pair_kernels import joined_both_ways, root_of

    root = root_of(agents, first, up, down)
    joined = joined_both_ways(agents, first, second, up, down, root, SWEEPS)
    rest = ~(joined[first] & joined[second])
    place = np.where(joined, joined.argmax(), np.arange(agents))
    return place[first[rest]], place[second[rest]], up[rest], down[rest], place


def _bulk(components: IntArray, strong: IntArray) -> Mask:
    """Mark the agents of a component's largest strong one, if one is the largest: the others are the odd ones."""
    sizes = np.bincount(strong)[strong]
    largest = np.zeros(int(components.max()) + 1, dtype=np.int64)
    np.maximum.at(largest, components, sizes)
    top = sizes == largest[components]
    where = np.full(int(strong.max()) + 1, -1, dtype=np.int64)  # the component of each of the largest strong ones
    where[strong[top]] = components[top]
    strongest = np.bincount(where[where >= 0], minlength=len(largest))
    return np.asarray(top & (strongest[components] == 1))


BALANCED = 0.3
"""Share of games that agents play in their rarer position, at least, where positions were dealt out: at most 0.5."""
BOTH_WAYS = 0.05
"""Share of games that are the rarer way round of their pair, at least: games in both orders tell position from strength
where agents are mostly in one position, such as stronger teams at home."""


def positions_alternate(first: Codes, second: Codes, games: FloatArray) -> bool:
    """Tell whether agents, or pairs, play in both positions: where one list is before the other, these say nothing."""
    agents = _rarer_share(np.concatenate([first, second]), np.arange(2 * len(first)) < len(first), np.tile(games, 2))
    if agents >= BALANCED:
        return True
    pair = np.minimum(first, second).astype(np.int64) * (int(max(first.max(), second.max())) + 1)
    return _rarer_share(pair + np.maximum(first, second), first < second, games) >= BOTH_WAYS


def _rarer_share(of: IntArray, forward: Mask, games: FloatArray) -> float:
    """Share of games in the rarer of two positions of each agent, or of two orders of each pair."""
    _, at = np.unique(of, return_inverse=True)
    one, other = (np.bincount(at, games * way) for way in (forward, ~forward))
    return float(np.minimum(one, other).sum() / games.sum())


def side_is_confounded(agents: int, first: Codes, second: Codes) -> bool:
    """Tell whether some strengths explain a first-position advantage exactly: r_first - r_second = 1 in all games."""
    rows = np.arange(len(first))
    incidence = scipy.sparse.coo_array(
        (np.repeat([1.0, -1.0], len(first)), (np.tile(rows, 2), np.concatenate([first, second]))),
        shape=(len(first), agents),
    ).tocsr()
    ones: FloatArray = np.ones(len(first))
    best = scipy.sparse.linalg.lsqr(incidence, ones, atol=1e-12, btol=1e-12)[0]
    return float(np.abs(incidence @ best - ones).max()) < 1e-6


def side_separates(agents: int, first: Codes, second: Codes, cells: PairCounts) -> bool:
    """Tell whether an infinite first-position advantage fits the results: potentials with wins up and losses down.

    For a first-position advantage of +1 every win needs r_f - r_s >= -1 and every loss r_f - r_s <= -1 (a tie both): a
    system of difference constraints, feasible iff its graph has no negative cycle. Likewise for -1.
    """
    edges = _edges(agents, first, second, cells, win=0, tie=0)
    return any(negative_cycle(agents, edges.tail, edges.head, edges.lengths(side)) is None for side in (1, -1))


def side_explains_alone(cells: PairCounts, ties: TieModel) -> bool:
    """Tell whether a first-position advantage may grow for ever while agents stay equal: no prior on them holds it.

    Every game was won by the same side; a parameter for ties explains tied ones as well.
    """
    one_way = not cells.wins.any() or not cells.losses.any()
    return bool(one_way and (ties != "half" or not cells.ties.any()))


def ties_separate(agents: int, first: Codes, second: Codes, cells: PairCounts, *, side: bool) -> bool:
    """Tell whether strengths and a tie parameter fit ever better as they grow together.

    Along a direction (r, g, t) with t > 0, which may be scaled, both tie models ask for d >= 1 on every win and
    |d| <= 1 on every tie, d = r_first - r_second + g: the likelihood of Davidson's model grows for ever iff
    d/2 >= t on wins and |d|/2 <= t on ties, that of Rao and Kupper's iff d >= t and |d| <= t. Strengths alone (t = 0)
    are the business of :func:`connections` and :func:`side_separates`.

    Wins round in a circle rule it out (sums of d >= 1 are not 0), which settles nearly all logs in linear time.
    """
    if _wins_go_round(agents, first, second, cells, side=side):
        return False
    edges = _edges(agents, first, second, cells, win=1, tie=1)
    if side:
        return some_parameter_fits(edges)
    return negative_cycle(agents, edges.tail, edges.head, edges.fixed) is None


def _wins_go_round(agents: int, first: Codes, second: Codes, cells: PairCounts, *, side: bool) -> bool:
    won, lost = cells.wins > 0, cells.losses > 0
    if side:
        # A circle must go as often with the side as against it: the same pair, the same way round, says so at sight.
        return bool((won & lost).any())
    winner, loser = np.concatenate([first[won], second[lost]]), np.concatenate([second[won], first[lost]])
    return len(np.unique(strongly_connected_components(agents, winner, loser))) < agents


def _edges(agents: int, first: Codes, second: Codes, cells: PairCounts, *, win: int, tie: int) -> Edges:
    """Say d >= win on wins, d <= -win on losses and |d| <= tie on ties as edges u -> v: r_v <= r_u + length."""
    won, lost, tied = (np.flatnonzero(count > 0) for count in (cells.wins, cells.losses, cells.ties))
    parts = [(first, second, won, -win, 1), (second, first, lost, -win, -1)]
    parts += [(first, second, tied, tie, 1), (second, first, tied, tie, -1)]
    return Edges(
        agents,
        np.concatenate([tail[at] for tail, _, at, _, _ in parts]),
        np.concatenate([head[at] for _, head, at, _, _ in parts]),
        np.concatenate([np.full(len(at), fixed, dtype=np.int64) for _, _, at, fixed, _ in parts]),
        np.concatenate([np.full(len(at), slope, dtype=np.int64) for _, _, at, _, slope in parts]),
    )
