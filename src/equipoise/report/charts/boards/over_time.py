"""Strength over time: a line for each agent, in a ribbon of its intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import canvas, vega
from equipoise.report.charts.drawing.domains import domain_of
from equipoise.report.charts.drawing.lettering import tip_names
from equipoise.report.charts.drawing.lines import MOST_LINES, line_names, lines_with_marks


class Moment(NamedTuple):
    """A rating in a period, with its interval."""

    period: str
    value: float
    low: float
    high: float


class Career(NamedTuple):
    """An agent's ratings, in order."""

    name: str
    moments: Sequence[Moment]


@dataclass(frozen=True, slots=True)
class StrengthOverTime(canvas.ChartView):
    """Ratings by period, the agent with the highest last rating first.

    Attributes
    ----------
    periods
        All periods, in order.
    careers
        The agents.
    unit
        What a period is.
    interval
        Kind and level of the intervals.
    """

    name: ClassVar[str] = "over-time"
    title: ClassVar[str] = "How did strength change?"
    about: ClassVar[str] = "ratings over time: a line for each agent"
    estimator: ClassVar[str | None] = "Whole-history rating"
    agents_in: ClassVar[str] = "careers"
    elastic: ClassVar[bool] = True

    periods: Sequence[str]
    careers: Sequence[Career]
    unit: str
    interval: str

    def caption(self) -> str:
        """Say how to read lines, and what overlap does not say."""
        more = len(self.careers) - MOST_LINES
        left_out = f" The first {MOST_LINES} of {len(self.careers):,} agents are drawn." if more > 0 else ""
        return (
            f"Rating of each agent by {self.unit}. Ribbons: {self.interval}s, point by point. Whether an agent changed"
            f" is said by the interval of its change: overlap of two ribbons is no test.{left_out}"
        )

    def draw(self, width: int) -> canvas.Spec:
        """Draw the lines, each in its ribbon."""
        drawn = self.careers[:MOST_LINES]
        names = line_names([career.name for career in drawn], width)
        in_tips = tip_names(career.name for career in drawn)
        domain = domain_of(end for career in drawn for moment in career.moments for end in moment[1:])
        rows = [
            {
                "shown": name, "name": tip, "period": at.period, "value": domain.inside(at.value),
                "low": domain.inside(at.low), "high": domain.inside(at.high),
                "tip": f"{tip}, {at.period}: {at.value:+.0f} ({at.low:+.0f} to {at.high:+.0f})",
            }
            for name, tip, career in zip(names, in_tips, drawn, strict=True) for at in career.moments
        ]  # fmt: skip
        axis = vega.axis(labelOverlap=True, labelAngle=0)
        x = vega.channel("period:N", title=self.unit, scale=vega.scale(domain=list(self.periods)), axis=axis)

        def y(field: str) -> Any:
            scale = vega.scale(domain=[domain.low, domain.high], nice=False, zero=False)
            return vega.channel(f"{field}:Q", title="rating (Elo points)", scale=scale)

        signs = [*canvas.category_signs(names), canvas.Sign("band", canvas.MUTED, self.interval)]
        layers = lines_with_marks(rows, names, x, y, value="value", ribbons=True)
        return canvas.finished(*layers, frame=canvas.Frame(width, 300, left=64, right=24, signs=signs))
