"""Ability-generality map: how much agents can do, and how evenly."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.drawing.canvas import ACCENT, ChartView, Frame, Sign, finished
from equipoise.report.charts.drawing.domains import domain_of
from equipoise.report.charts.drawing.rows import beyond_words
from equipoise.report.charts.drawing.scatter import BEYOND_PLANE, Plane, named_places
from equipoise.report.charts.games.disc import Place


@dataclass(frozen=True, slots=True)
class GeneralityMap(ChartView):
    """Agents by ability (x) and generality (y), highest ability first.

    Attributes
    ----------
    infinite
        Agents whose generality is infinite or unknown; they have no place.
    """

    name: ClassVar[str] = "generality-map"
    title: ClassVar[str] = "Ability and generality"
    about: ClassVar[str] = "map of ability and generality"
    agents_in: ClassVar[str] = "places"

    places: Sequence[Place]
    infinite: int = 0

    def caption(self) -> str:
        """Say what the corners mean."""
        left_out = ""
        if self.infinite:
            left_out = f" {self.infinite:,} agents are left out: their generality is infinite or unknown."
        left_out += beyond_words(self._plane(900).beyond([place._asdict() for place in self.places]), "agent")
        return (
            "To the right: higher ability. Up: more general, that is, more alike on tasks of like difficulty. The upper"
            " right does all that is easier than its level; the lower right has a high ability but fails in pockets;"
            f" the upper left is weak, but predictably so.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw points with names."""
        plane = self._plane(width)
        rows = [
            {**p._asdict(), "words": f"ability {p.x:.2f}, generality {p.y:.3g}", "shape": "circle", "colour": ACCENT}
            for p in self.places
        ]
        return finished(*named_places(rows, plane), frame=plane.frame)

    def _plane(self, width: int) -> Plane:
        across, up = domain_of(place.x for place in self.places), domain_of(place.y for place in self.places)
        signs = [Sign("circle", ACCENT, "agent"), *([BEYOND_PLANE] if across.beyond or up.beyond else [])]
        return Plane(Frame(width, 340, signs=signs), across, up, ("ability", "generality"))
