"""Item map: difficulty against discrimination."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.canvas import ACCENT, WARM, ChartView, altair, finished
from equipoise.report.charts.scatter import named_points, zero_lines
from equipoise.report.safe_text import short_names

__all__ = ["ItemMap", "ItemPlace"]


class ItemPlace(NamedTuple):
    """An item's difficulty and discrimination."""

    name: str
    difficulty: float
    discrimination: float


@dataclass(frozen=True, slots=True)
class ItemMap(ChartView):
    """Items by how hard they are and how well they tell agents apart."""

    name: ClassVar[str] = "item-map"
    title: ClassVar[str] = "Which items are worth asking?"
    about: ClassVar[str] = "map of difficulty and discrimination, negative ones marked"

    items: Sequence[ItemPlace]

    def caption(self) -> str:
        """Say what high, low and orange mean."""
        bad = sum(item.discrimination < 0 for item in self.items)
        count = {0: "None does here.", 1: "One does here."}.get(bad, f"{bad:,} do here.")
        return (
            "To the right: harder. Up: tells agents apart more sharply. Items near the dotted line tell little and"
            f" could be dropped. Orange items below it fail the able more often than the weak: check them. {count}"
        )

    def draw(self, width: int) -> Any:
        """Draw points, negative ones first so that they get their names."""
        alt = altair()
        ordered = sorted(self.items, key=lambda item: item.discrimination)
        names = short_names(item.name for item in ordered)
        rows = [
            item._asdict()
            | {"shown": name, "negative": item.discrimination < 0}
            | {"tip": f"{name}: difficulty {item.difficulty:.2f}, discrimination {item.discrimination:.2f}"}
            for name, item in zip(names, ordered, strict=True)
        ]
        x = alt.X("difficulty:Q", title="difficulty", scale=alt.Scale(zero=False))
        y = alt.Y("discrimination:Q", title="discrimination")
        colour = alt.condition("datum.negative", alt.value(WARM), alt.value(ACCENT))
        points = named_points(rows, x, y, width=width, colour=colour)
        return finished(*zero_lines(vertical=False), *points, width=width, height=400)
