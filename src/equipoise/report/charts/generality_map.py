"""Ability-generality map: how much agents can do, and how evenly."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.canvas import ACCENT, ChartView, altair, finished
from equipoise.report.charts.disc import Place
from equipoise.report.charts.scatter import named_points
from equipoise.report.safe_text import short_names

__all__ = ["GeneralityMap"]


@dataclass(frozen=True, slots=True)
class GeneralityMap(ChartView):
    """Agents by ability (x) and generality (y), ablest first.

    Attributes
    ----------
    infinite
        Agents whose generality is infinite or unknown; they have no place.
    """

    name: ClassVar[str] = "generality-map"
    title: ClassVar[str] = "How able, and how general?"
    about: ClassVar[str] = "map of ability and generality"

    places: Sequence[Place]
    infinite: int = 0

    def caption(self) -> str:
        """Say what the corners mean."""
        left_out = ""
        if self.infinite:
            left_out = f" {self.infinite:,} agents are left out: their generality is infinite or unknown."
        return (
            "To the right: abler. Up: more general, that is, more alike on tasks of like difficulty. The upper right"
            " does all that is easier than its level; the lower right is able on the whole but fails in pockets; the"
            f" upper left is weak, but predictably so.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw points with names."""
        alt = altair()
        names = short_names(place.name for place in self.places)
        rows = [
            {"shown": name, "x": p.x, "y": p.y, "tip": f"{name}: ability {p.x:.2f}, generality {p.y:.3g}"}
            for name, p in zip(names, self.places, strict=True)
        ]
        x = alt.X("x:Q", title="ability", scale=alt.Scale(zero=False))
        y = alt.Y("y:Q", title="generality", scale=alt.Scale(zero=False))
        return finished(*named_points(rows, x, y, width=width, colour=alt.value(ACCENT)), width=width, height=400)
