"""Item map: difficulty against discrimination."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing.canvas import ACCENT, MUTED, WARM, ChartView, Frame, Sign, finished
from equipoise.report.charts.drawing.domains import domain_of
from equipoise.report.charts.drawing.rows import beyond_words
from equipoise.report.charts.drawing.scatter import BEYOND_PLANE, Plane, named_places


class ItemPlace(NamedTuple):
    """An item's difficulty and discrimination."""

    name: str
    difficulty: float
    discrimination: float


@dataclass(frozen=True, slots=True)
class ItemMap(ChartView):
    """Items by how hard they are and how well they discriminate."""

    name: ClassVar[str] = "item-map"
    title: ClassVar[str] = "Which items discriminate?"
    about: ClassVar[str] = "map of difficulty and discrimination, negative ones marked"

    items: Sequence[ItemPlace]

    def caption(self) -> str:
        """Say what high, low and orange mean."""
        bad = sum(item.discrimination < 0 for item in self.items)
        count = {0: "There is none here.", 1: "There is one here."}.get(bad, f"There are {bad:,} here.")
        far = self._plane(900).beyond([{"x": item.difficulty, "y": item.discrimination} for item in self.items])
        return (
            "To the right: harder. Up: discriminates more. Items near the dotted line hardly discriminate and could be"
            f" dropped. Orange diamonds below it have negative discrimination: check them. {count}"
            f"{beyond_words(far, 'item')}"
        )

    def draw(self, width: int) -> Any:
        """Draw points, negative ones first so that they get their names."""
        ordered = sorted(self.items, key=lambda item: item.discrimination)
        plane = self._plane(width)
        rows = [
            {
                "name": item.name, "x": item.difficulty, "y": item.discrimination,
                "words": f"difficulty {item.difficulty:.2f}, discrimination {item.discrimination:.2f}",
                "shape": "diamond" if item.discrimination < 0 else "circle",
                "colour": WARM if item.discrimination < 0 else ACCENT,
            }
            for item in ordered
        ]  # fmt: skip
        size = 60 if len(rows) <= 100 else 30
        return finished(*plane.zero_lines(vertical=False), *named_places(rows, plane, size=size), frame=plane.frame)

    def _plane(self, width: int) -> Plane:
        across = domain_of(item.difficulty for item in self.items)
        up = domain_of((item.discrimination for item in self.items), keep=(0.0,))
        signs = [Sign("circle", ACCENT, "item")]
        if any(item.discrimination < 0 for item in self.items):
            signs.append(Sign("diamond", WARM, "negative discrimination"))
        signs.append(Sign("dash", MUTED, "no discrimination"))
        signs += [BEYOND_PLANE] if across.beyond or up.beyond else []
        return Plane(Frame(width, 340, signs=signs), across, up, ("difficulty", "discrimination"))
