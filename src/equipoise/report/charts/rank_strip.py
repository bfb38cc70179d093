"""Rank strip: the ranks that the data allow each agent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.canvas import ACCENT, PALE, ChartView, altair, finished, plot, some_first
from equipoise.report.safe_text import short_names

__all__ = ["RankSpan", "RankStrip"]


class RankSpan(NamedTuple):
    """An agent's place in the table, and the best and worst rank that the data allow it."""

    name: str
    place: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class RankStrip(ChartView):
    """Rank intervals, best first."""

    name: ClassVar[str] = "ranks"
    title: ClassVar[str] = "Which ranks are possible?"
    about: ClassVar[str] = "strip of the ranks that the data allow each agent"

    spans: Sequence[RankSpan]
    level: float

    def caption(self) -> str:
        """Say what a short and a long bar mean."""
        _, more = some_first(self.spans)
        return (
            f"Each bar covers the ranks that the data allow an agent, all together at {100 * self.level:g}%. A bar"
            " of one rank is a settled place; long bars that lie above each other are places that more games could"
            f" swap.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw bars over ranks."""
        alt = altair()
        spans, _ = some_first(self.spans)
        rows = []
        for name, span in zip(short_names(span.name for span in spans), spans, strict=True):
            place = f"rank {span.low}" if span.low == span.high else f"any rank from {span.low} to {span.high}"
            ends = {"from": span.low - 0.42, "to": span.high + 0.42, "place": span.place}
            rows.append({"shown": name, "tip": f"{name}: {place}", **ends})
        count = max((span.high for span in self.spans), default=1)
        axis = alt.Axis(tickMinStep=1, format="d", grid=True)
        scale = alt.Scale(domain=[0.5, count + 0.5], nice=False)
        y = alt.Y("shown:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False))
        base = plot(rows).encode(y=y, description="tip:N")
        bar = base.mark_bar(color=PALE, height=12, cornerRadius=5).encode(
            x=alt.X("from:Q", scale=scale, axis=axis, title="rank (1 is the best)"), x2="to:Q"
        )
        dot = base.mark_point(color=ACCENT, filled=True, size=45, opacity=1).encode(x=alt.X("place:Q", scale=scale))
        return finished(bar, dot, width=width, height=64 + 22 * len(rows))
