"""Forest: an estimate and its interval for each agent, best first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.canvas import ACCENT, INK, PALE, ChartView, altair, finished, plot, some_first
from equipoise.report.safe_text import short_names

__all__ = ["Forest", "Span"]


class Span(NamedTuple):
    """An estimate with its interval; None where there is none."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Forest(ChartView):
    """Estimates with intervals, best first.

    Attributes
    ----------
    quantity
        What the axis shows, with its unit.
    interval
        Kind and level of the intervals; empty where there are none.
    """

    name: ClassVar[str] = "forest"
    title: ClassVar[str] = "Who is better, and how sure are we?"
    about: ClassVar[str] = "estimates with their intervals, best first"

    spans: Sequence[Span]
    quantity: str
    interval: str = ""
    digits: int = 0

    def caption(self) -> str:
        """Say how to read overlap."""
        _, more = some_first(self.spans)
        if not self.interval:
            return f"Each dot is an estimate of the {self.quantity}; nothing here says how sure it is.{more}"
        return (
            f"Each dot is an estimate of the {self.quantity}, each line its {self.interval}. Look for gaps: where two"
            f" lines overlap much, these data do not tell the two apart.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw dots on lines."""
        alt = altair()
        spans, _ = some_first([span for span in self.spans if span.value is not None])
        names = short_names(span.name for span in spans)
        rows = [
            span._asdict() | {"shown": name, "tip": self._tip(name, span)}
            for name, span in zip(names, spans, strict=True)
        ]
        y = alt.Y("shown:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False))
        scale = alt.Scale(zero=False, nice=True)
        base = plot(rows).encode(y=y, description="tip:N")
        known = plot([row for row in rows if row["low"] is not None and row["high"] is not None]).encode(
            y=y, description="tip:N"
        )
        line = known.mark_rule(color=PALE, strokeWidth=5, strokeCap="round").encode(
            x=alt.X("low:Q", scale=scale, title=self.quantity), x2="high:Q"
        )
        dot = base.mark_point(color=ACCENT, filled=True, size=70, opacity=1).encode(
            x=alt.X("value:Q", scale=scale, title=self.quantity)
        )
        zero = plot([{"at": 0}]).mark_rule(color=INK, strokeDash=[2, 3], aria=False).encode(x="at:Q")
        layers = [zero] if self._spans_zero() else []
        return finished(*layers, line, dot, width=width, height=64 + 22 * max(1, len(rows)))

    def _spans_zero(self) -> bool:
        ends = [end for span in self.spans for end in (span.low, span.high, span.value) if end is not None]
        return bool(ends) and min(ends) < 0 < max(ends)

    def _tip(self, name: str, span: Span) -> str:
        value = f"{name}: {span.value:.{self.digits}f}"
        if span.low is None or span.high is None:
            return value
        return f"{value} ({span.low:.{self.digits}f} to {span.high:.{self.digits}f})"
