"""Which comparisons of a response graph are still open, found by cell, by profile and by number."""

from collections.abc import Sequence

import numpy as np

from equipoise.results import FloatArray
from equipoise.schedule.payoff_cells import PayoffCells

__all__ = ["OpenEdges"]


class OpenEdges:
    """Unresolved edges; an edge that is closed leaves every list, so that nothing looks at it again.

    Attributes
    ----------
    better
        For each edge 0 while open, 1 if the target is better, -1 if the source is.
    numbers
        Numbers of the open edges, increasing.
    of_cell
        For each cell the open edges that compare it, increasing.
    ends
        For each edge the profiles whose games tell about it.
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
        """Open edges that a game at a profile tells about."""
        return [e for cell in self._shown[profile] for e in self.of_cell[cell]]

    def close(self, edge: int, better: int) -> None:
        """Resolve an edge."""
        self.better[edge] = better
        self.numbers.remove(edge)
        for cell in self._compared[edge]:
            self.of_cell[cell].remove(edge)
        self.valence[self.ends[edge]] -= 1.0
