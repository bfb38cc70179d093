"""Rank strip: the ranks that the data allow each agent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import ACCENT, PALE, ChartView, Sign, finished, plot, sentence, some_first
from equipoise.report.charts.drawing.rows import named_rows, row_frame, y_axis


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
    about: ClassVar[str] = "strip of simultaneous rank intervals"
    agents_in: ClassVar[str] = "spans"
    elastic: ClassVar[bool] = True

    spans: Sequence[RankSpan]
    level: float
    by: str | None = None

    def estimated_by(self) -> str | None:
        """Name the estimator behind the ranks; None where it is that of the whole answer."""
        return self.by

    def caption(self) -> str:
        """Say what a short and a long bar mean."""
        _, more = some_first(self.spans)
        return (
            f"Each bar is the simultaneous rank interval of an agent, at {100 * self.level:g}%. A bar"
            " of one rank is a settled place; long bars that lie above each other are places that more games could"
            f" swap.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw bars over ranks."""
        drawn, more = some_first(self.spans)
        named = named_rows(drawn, width, numbers=lambda span: (span.low, span.high))
        if named.all_alike and not more:
            low, high = drawn[0].low, drawn[0].high
            return sentence(
                f"Each of the {len(drawn):,} may have any rank from {low} to {high}: no difference is significant.",
                width,
            )
        rows = [
            {
                "shown": row.shown, "name": row.tip_name, "tip": f"{row.tip_name}: {_ranks(row.entry)}",
                "from": row.entry.low - 0.42, "to": row.entry.high + 0.42, "place": row.entry.place,
                "single": row.behind == 1,
            }
            for row in named.rows
        ]  # fmt: skip
        count = max((span.high for span in self.spans), default=1)
        axis = vega.axis(tickMinStep=1, format="d", grid=True)
        scale = vega.scale(domain=[0.5, count + 0.5], nice=False)
        base = plot(rows).encode(y=y_axis(), description="tip:N")
        bar = base.mark("bar", color=PALE, height=12, cornerRadius=5).encode(
            x=vega.channel("from:Q", scale=scale, axis=axis, title="rank (1 is the best)"), x2="to:Q"
        )
        dot = plot([row for row in rows if row["single"]]).mark("point", color=ACCENT, filled=True, size=45, opacity=1)
        dot = dot.encode(x=vega.channel("place:Q", scale=scale), y=y_axis(), description="tip:N")
        signs = [Sign("circle", ACCENT, "place in the table"), Sign("bar", PALE, "rank interval")]
        return finished(bar, dot, frame=row_frame(width, named.left, len(rows), signs))


def _ranks(span: RankSpan) -> str:
    return f"rank {span.low}" if span.low == span.high else f"any rank from {span.low} to {span.high}"
