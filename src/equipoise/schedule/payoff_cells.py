"""Which unknown payoffs a game has, which game shows which, and which pairs of them the response graph compares.

A *cell* is an unknown mean payoff. In a general game each player's payoff at each profile is one; symmetry makes the
players' payoffs at permuted profiles the same cell, and a known sum turns one player's payoff into the other's.
The layout of cells and comparisons never changes; :class:`OpenEdges` lists the comparisons that are still open.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.core.errors import ParameterError
from equipoise.core.results import FloatArray
from equipoise.core.wording import Option

Profile = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CellView:
    """A payoff as ``offset + sign * mean of cell``; no cell (-1) means the payoff is known."""

    cell: int
    sign: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class CellEdge:
    """A comparison of the response graph: the payoff of ``player`` at two profiles, each as a view of a cell."""

    source: Profile
    target: Profile
    player: int
    before: CellView
    after: CellView


@dataclass(frozen=True, slots=True)
class PayoffCells:
    """The layout of a game.

    Attributes
    ----------
    profiles
        Those that are worth playing.
    observes
        For each of them, the view of each player's payoff.
    edges
        All comparisons of the response graph.
    cells
        Number of unknown payoffs.
    """

    profiles: tuple[Profile, ...]
    observes: tuple[tuple[CellView, ...], ...]
    edges: tuple[CellEdge, ...]
    cells: int


def payoff_cells(shape: Sequence[int], *, symmetric: bool, constant_sum: float | None) -> PayoffCells:
    """Lay out a game with ``shape[k]`` strategies in population k.

    A shape of one entry is a single population: a symmetric two-player game between its strategies.
    """
    if symmetric and len(set(shape)) > 1:
        raise ParameterError(Option("symmetric"), f" needs the same strategies for every player, not {tuple(shape)}")
    if len(shape) == 1:
        return _one_population(shape[0], constant_sum)
    return _several_populations(tuple(shape), symmetric, constant_sum)


def _one_population(n: int, constant_sum: float | None) -> PayoffCells:
    """Strategies i and j are compared by what each gets against the other; one game shows both."""
    profiles = tuple(itertools.combinations(range(n), 2))
    known = constant_sum is not None
    observes, edges = [], []
    for number, (i, j) in enumerate(profiles):
        mine = CellView(number if known else 2 * number)
        theirs = CellView(number, -1.0, constant_sum) if constant_sum is not None else CellView(2 * number + 1)
        observes.append((mine, theirs))
        # Moving from i to j pays when j gets more against i than i against j.
        edges.append(CellEdge((i,), (j,), 0, mine, theirs))
    return PayoffCells(profiles, tuple(observes), tuple(edges), len(profiles) * (1 if known else 2))


def _several_populations(shape: tuple[int, ...], symmetric: bool, constant_sum: float | None) -> PayoffCells:
    views: dict[tuple[int, Profile], CellView] = {}
    cells: dict[tuple[object, ...], int] = {}
    everything = list(itertools.product(*(range(n) for n in shape)))
    for profile in everything:
        for player in range(len(shape)):
            views[player, profile] = _view(profile, player, cells, symmetric, constant_sum)
    seen: set[frozenset[int]] = set()
    worth = []
    for profile in everything:
        shows = frozenset(views[player, profile].cell for player in range(len(shape))) - {-1}
        if shows and shows not in seen:
            seen.add(shows)
            worth.append(profile)
    observes = tuple(tuple(views[player, profile] for player in range(len(shape))) for profile in worth)
    edges = tuple(
        CellEdge(profile, other, player, views[player, profile], views[player, other])
        for profile in everything
        for player in range(len(shape))
        for other in [(*profile[:player], b, *profile[player + 1 :]) for b in range(profile[player] + 1, shape[player])]
    )
    return PayoffCells(tuple(worth), observes, edges, len(cells))


def _view(
    profile: Profile, player: int, cells: dict[tuple[object, ...], int], symmetric: bool, constant_sum: float | None
) -> CellView:
    players = len(profile)
    if symmetric and constant_sum is not None and len(set(profile)) == 1:
        return CellView(-1, 0.0, constant_sum / players)
    others = profile[:player] + profile[player + 1 :]
    key = (profile[player], tuple(sorted(others))) if symmetric else (player, profile)
    if constant_sum is not None and players == 2:
        opposite = (others[0], (profile[player],)) if symmetric else (1 - player, profile)
        if opposite in cells:
            return CellView(cells[opposite], -1.0, constant_sum)
    return CellView(cells.setdefault(key, len(cells)))


class OpenEdges:
    """The unresolved edges by number, by cell and by profile; an edge that is closed leaves every list.

    Attributes
    ----------
    better
        For each edge 0 while open, 1 if the target is better, -1 if the source is.
    numbers
        Numbers of the open edges, increasing.
    of_cell
        For each cell the open edges that compare it, increasing.
    ends
        For each edge the profiles whose games show one of its payoffs.
    valence
        Open edges at each profile worth playing.
    """

    def __init__(self, layout: PayoffCells, better: Sequence[int] | None = None) -> None:
        edges = range(len(layout.edges))
        self.better: list[int] = [0] * len(edges) if better is None else list(better)
        self.numbers = [e for e in edges if self.better[e] == 0]
        self._compared = [sorted({edge.before.cell, edge.after.cell} - {-1}) for edge in layout.edges]
        self.of_cell: list[list[int]] = [[] for _ in range(layout.cells)]
        for e in self.numbers:
            for cell in self._compared[e]:
                self.of_cell[cell].append(e)
        shown_by: dict[int, int] = {}
        for number, views in enumerate(layout.observes):
            for view in views:
                shown_by.setdefault(view.cell, number)
        self.ends = [sorted({shown_by[cell] for cell in cells}) for cells in self._compared]
        self._shown = [sorted({view.cell for view in views} - {-1}) for views in layout.observes]
        self.valence = self.count_valence()

    def count_valence(self) -> FloatArray:
        """Count the open edges at each profile afresh."""
        ends = [end for e in self.numbers for end in self.ends[e]]
        return np.bincount(ends, minlength=len(self._shown)).astype(float)

    def at(self, profile: int) -> list[int]:
        """Open edges of which a game at a profile shows a payoff."""
        return [e for cell in self._shown[profile] for e in self.of_cell[cell]]

    def close(self, edge: int, better: int) -> None:
        """Resolve an edge."""
        self.better[edge] = better
        self.numbers.remove(edge)
        for cell in self._compared[edge]:
            self.of_cell[cell].remove(edge)
        self.valence[self.ends[edge]] -= 1.0
