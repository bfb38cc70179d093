"""Item curves: the chance to solve each item, over ability."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.canvas import ACCENT, INK, WARM, ChartView, altair, finished, plot
from equipoise.report.safe_text import short_names

__all__ = ["Curve", "ItemCurves"]

MOST_CURVES, MOST_NAMED = 60, 12


class Curve(NamedTuple):
    """The curve of an item over the abilities of the chart, and whether it falls."""

    name: str
    chance: Sequence[float]
    negative: bool = False


@dataclass(frozen=True, slots=True)
class ItemCurves(ChartView):
    """Curves of items, those that fall first."""

    name: ClassVar[str] = "item-curves"
    title: ClassVar[str] = "What each item tells about ability"
    about: ClassVar[str] = "item response curves"

    abilities: Sequence[float]
    curves: Sequence[Curve]

    def caption(self) -> str:
        """Say what steep, flat and falling curves mean."""
        more = len(self.curves) - MOST_CURVES
        left_out = f" The first {MOST_CURVES} of {len(self.curves):,} are drawn." if more > 0 else ""
        return (
            "Chance to solve each item, over ability. A steep curve tells agents apart around its middle; a flat one"
            " tells little; one far to the right is hard. Orange curves fall: the abler an agent, the less likely it"
            f" solves them, which points to a wrong key or a flawed item.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw lines."""
        alt = altair()
        ordered = sorted(self.curves, key=lambda curve: not curve.negative)[:MOST_CURVES]
        names = short_names(curve.name for curve in ordered)
        rows = [
            {"item": name, "ability": ability, "chance": chance, "negative": curve.negative, "tip": name}
            for name, curve in zip(names, ordered, strict=True)
            for ability, chance in zip(self.abilities, curve.chance, strict=True)
        ]
        x = alt.X("ability:Q", title="ability", scale=alt.Scale(nice=False, zero=False))
        y = alt.Y("chance:Q", title="chance to solve", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%"))
        colour = alt.Color("negative:N", scale=alt.Scale(domain=[False, True], range=[ACCENT, WARM]), legend=None)
        fade = 0.9 if len(ordered) <= MOST_NAMED else 0.5
        lines = (
            plot(rows)
            .mark_line(strokeWidth=1.8, opacity=fade)
            .encode(x=x, y=y, color=colour, detail="item:N", description="tip:N")
        )
        last = [row for row in rows if row["ability"] == self.abilities[-1]]
        labels = plot(last if len(last) <= MOST_NAMED else [row for row in last if row["negative"]][:MOST_NAMED])
        text = labels.mark_text(align="right", dx=-4, dy=-7, fontSize=11, color=INK, limit=120, aria=False)
        return finished(lines, text.encode(x=x, y=y, text="item:N"), width=width, height=360)
