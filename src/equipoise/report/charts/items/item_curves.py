"""Item curves: the chance to solve each item, over ability."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing.canvas import ACCENT, INK, WARM, ChartView, Frame, Sign, finished, plot
from equipoise.report.charts.drawing.domains import Domain
from equipoise.report.charts.drawing.label_positions import SIZE, Box, Line, place_labels
from equipoise.report.charts.drawing.lettering import fitted, tip_names
from equipoise.report.charts.drawing.scatter import Plane

MOST_CURVES, MOST_NAMED, POINTS = 60, 12, 8


class Curve(NamedTuple):
    """The curve of an item over the abilities of the chart, and whether it falls."""

    name: str
    chance: Sequence[float]
    negative: bool = False


@dataclass(frozen=True, slots=True)
class ItemCurves(ChartView):
    """Curves of items, those that fall first."""

    name: ClassVar[str] = "item-curves"
    title: ClassVar[str] = "How each item depends on ability"
    about: ClassVar[str] = "item response curves"

    abilities: Sequence[float]
    curves: Sequence[Curve]

    def caption(self) -> str:
        """Say what steep, flat and falling curves mean."""
        more = len(self.curves) - MOST_CURVES
        left_out = f" The first {MOST_CURVES} of {len(self.curves):,} are drawn." if more > 0 else ""
        return (
            "Probability of a correct answer to each item, over ability. A steep curve discriminates around its middle;"
            " a flat one hardly does; one far to the right is hard. Orange, dashed curves fall (negative"
            " discrimination): the higher the ability, the less often the answer is correct: a sign of a wrong key"
            f" or a flawed item.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw lines."""
        ordered = sorted(self.curves, key=lambda curve: not curve.negative)[:MOST_CURVES]
        in_tips = tip_names(curve.name for curve in ordered)
        low, high = (min(self.abilities, default=-1.0), max(self.abilities, default=1.0))
        signs = [Sign("line", ACCENT, "item")]
        signs += [Sign("dash", WARM, "negative discrimination")] if any(curve.negative for curve in ordered) else []
        frame = Frame(width, 300, left=64, signs=signs)
        plane = Plane(frame, Domain(low, high), Domain(0.0, 1.0), ("ability", "probability correct"), shares=True)
        fade = 0.9 if len(ordered) <= MOST_NAMED else 0.5
        layers = []
        for falls, colour, dash in ((False, ACCENT, [1, 0]), (True, WARM, [5, 3])):
            some = [
                {"curve": k, "ability": ability, "chance": chance}
                for k, curve in enumerate(ordered)
                if curve.negative == falls
                for ability, chance in zip(self.abilities, curve.chance, strict=True)
            ]
            if some:
                line = plot(some).mark("line", strokeWidth=1.8, opacity=fade, color=colour, strokeDash=dash, aria=False)
                layers.append(line.encode(x=plane.x("ability"), y=plane.y("chance"), detail="curve:N"))
        dots = plot(self._said(ordered, in_tips)).mark("point", size=60, opacity=0, filled=True)
        dots = dots.encode(x=plane.x("ability"), y=plane.y("chance"), description="tip:N")
        return finished(*layers, dots, *self._names(ordered, in_tips, plane), frame=frame)

    def _said(self, ordered: Sequence[Curve], in_tips: Sequence[str]) -> list[dict[str, Any]]:
        """Give some places of each curve with their numbers: a line says one thing only, points can say them."""
        step = max(1, len(self.abilities) // POINTS)
        return [
            {"item": name, "ability": ability, "chance": chance, "falls": curve.negative}
            | {"tip": f"{name}: {chance:.0%} at ability {ability:.2f}"}
            for name, curve in zip(in_tips, ordered, strict=True)
            for ability, chance in list(zip(self.abilities, curve.chance, strict=True))[step // 2 :: step]
        ]

    def _names(self, ordered: Sequence[Curve], in_tips: Sequence[str], plane: Plane) -> list[Any]:
        """Write names at the right ends of the curves, those that fall first, where there is room."""
        if not self.abilities:
            return []
        named = [k for k, curve in enumerate(ordered) if curve.negative or len(ordered) <= MOST_NAMED][:MOST_NAMED]
        ends = [plane.pixels(self.abilities[-1], ordered[k].chance[-1]) for k in named]
        shown = [fitted(in_tips[k], 120, SIZE) for k in named]
        within = Box(0, 0, plane.frame.width, plane.frame.height)
        rows = []
        for label in place_labels(ends, shown, within, most=MOST_NAMED, lines=self._lines(ordered, plane)):
            if label.align == "right":
                x, y = plane.from_pixels(label.x, label.y)
                rows.append({"tx": x, "ty": y, "name": label.text})
        text = plot(rows).mark("text", align="right", baseline="middle", fontSize=SIZE, color=INK, aria=False)
        return [text.encode(x=plane.x("tx"), y=plane.y("ty"), text="name:N")] if rows else []

    def _lines(self, ordered: Sequence[Curve], plane: Plane) -> list[Line]:
        """Give the curves as lines in pixels, so that names keep clear of them."""
        if len(ordered) > MOST_NAMED:
            return []
        return [
            (plane.pixels(*one), plane.pixels(*two))
            for curve in ordered
            for one, two in pairwise(zip(self.abilities, curve.chance, strict=True))
        ]
