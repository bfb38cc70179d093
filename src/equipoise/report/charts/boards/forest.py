"""Forest: an estimate and its interval for each agent, best first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import canvas, vega
from equipoise.report.charts.drawing.domains import Domain, domain_of
from equipoise.report.charts.drawing.rows import BEYOND, arrows, beyond_words, named_rows, row_frame, y_axis


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
    """

    name: ClassVar[str] = "forest"
    title: ClassVar[str] = "Who is better, and how certain is that?"
    about: ClassVar[str] = "estimates with their intervals, best first"
    agents_in: ClassVar[str] = "spans"
    elastic: ClassVar[bool] = True

    spans: Sequence[Span]
    quantity: str
    interval: str = ""
    digits: int = 0
    question: str = ""

    def heading(self) -> str:
        """Give the title above this very chart."""
        return self.question or self.title

    def caption(self) -> str:
        """Say how to read overlap."""
        more = canvas.some_first(self.spans)[1] + beyond_words(self._far(self._domain()), "agent")
        if not self.interval:
            return f"Each dot is an estimate of the {self.quantity}; there are no intervals.{more}"
        return (
            f"Each dot is an estimate of the {self.quantity}, each line its {self.interval}. Look for gaps: where two"
            f" lines overlap much, the two are not significantly different.{more}"
        )

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
