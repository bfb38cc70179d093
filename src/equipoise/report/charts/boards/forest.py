"""Forest: an estimate and its interval for each agent, best first.

Rank strip: the ranks that the data allow each agent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import canvas, vega
from equipoise.report.charts.drawing.canvas import ACCENT, PALE, ChartView, Sign, finished, plot, sentence, some_first
from equipoise.report.charts.drawing.domains import Domain, domain_of
from equipoise.report.charts.drawing.rows import BEYOND, arrows, beyond_words, named_rows, row_frame, y_axis


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
    in_rows: ClassVar[bool] = True
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


class Span(NamedTuple):
    """An estimate with its interval; None where there is none."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Forest(canvas.ChartView):
    """Estimates with intervals, best first.

    Attributes
    ----------
    quantity
        What the axis shows, with its unit.
    interval
        Kind and level of the intervals; empty where there are none.
    question
        What the chart answers, where that is not who is better.
    compared
        Whether lines that overlap say something of a difference; ranges of places do not.
    """

    name: ClassVar[str] = "forest"
    title: ClassVar[str] = "Who is better, and how certain is that?"
    about: ClassVar[str] = "estimates with their intervals, best first"
    in_rows: ClassVar[bool] = True
    agents_in: ClassVar[str] = "spans"
    elastic: ClassVar[bool] = True

    spans: Sequence[Span]
    quantity: str
    interval: str = ""
    digits: int = 0
    question: str = ""
    compared: bool = True

    def heading(self) -> str:
        """Give the title above this very chart."""
        return self.question or self.title

    def caption(self) -> str:
        """Say how to read overlap."""
        more = canvas.some_first(self.spans)[1] + beyond_words(self._far(self._domain()), "agent")
        if not self.interval:
            return f"Each dot is an estimate of the {self.quantity}; there are no intervals.{more}"
        gaps = " Look for gaps: where two lines overlap much, the two are not significantly different."
        read = gaps if self.compared else ""
        return f"Each dot is an estimate of the {self.quantity}, each line its {self.interval}.{read}{more}"

    def draw(self, width: int) -> Any:
        """Draw dots on lines."""
        named = named_rows(self._drawn(), width, numbers=lambda span: span[1:])
        if named.all_alike:
            span, count = named.rows[0].entry, named.rows[0].behind
            return canvas.sentence(f"All {count:,} have the same {self.quantity}: {self._number(span)}.", width)
        domain = self._domain()
        rows = [
            row.entry._asdict()
            | {
                "shown": row.shown,
                "name": row.tip_name,
                "tip": f"{row.tip_name}: {self._number(row.entry)}",
                "at": domain.inside(row.entry.value),
            }
            for row in named.rows
        ]
        known = [
            row | {"from": domain.inside(row["low"]), "to": domain.inside(row["high"])}
            for row in rows
            if row["low"] is not None and row["high"] is not None
        ]

        def x(field: str) -> Any:
            scale = vega.scale(domain=domain.ends, nice=False, zero=False)
            return vega.channel(f"{field}:Q", scale=scale, title=self.quantity)

        y = y_axis()
        far = arrows(rows, ("value", "low", "high"), domain, x)
        layers = [] if not domain.low < 0 < domain.high else [_zero(x)]
        layers.append(
            canvas.plot(known)
            .mark("rule", color=canvas.PALE, strokeWidth=5, strokeCap="round")
            .encode(y=y, x=x("from"), x2="to:Q", description="tip:N")
        )
        near = [row for row in rows if domain.side(row["value"]) == 0]
        dots = canvas.plot(near).mark("point", color=canvas.ACCENT, filled=True, size=70, opacity=1)
        layers.append(dots.encode(y=y, x=x("at"), description="tip:N"))
        signs = [canvas.Sign("circle", canvas.ACCENT, "estimate")]
        signs += [canvas.Sign("line", canvas.PALE, self.interval or "interval")] if known else []
        signs += [canvas.Sign("dash", canvas.INK, "zero")] if domain.low < 0 < domain.high else []
        signs += [BEYOND] if far else []
        return canvas.finished(*layers, *far, frame=row_frame(width, named.left, len(rows), signs))

    def _drawn(self) -> Sequence[Span]:
        return canvas.some_first([span for span in self.spans if span.value is not None])[0]

    def _domain(self) -> Domain:
        """Over estimates and ends of intervals."""
        return domain_of(end for span in self._drawn() for end in span[1:] if end is not None)

    def _far(self, domain: Domain) -> int:
        return sum(any(end is not None and domain.side(end) for end in span[1:]) for span in self._drawn())

    def _number(self, span: Span) -> str:
        value = f"{span.value:.{self.digits}f}"
        if span.low is None or span.high is None:
            return value
        return f"{value} ({span.low:.{self.digits}f} to {span.high:.{self.digits}f})"


def _zero(x: Any) -> Any:
    return canvas.plot([{"zero": 0}]).mark("rule", color=canvas.INK, strokeDash=[2, 3], aria=False).encode(x=x("zero"))
