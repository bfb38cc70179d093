"""Agent curves: how results fall with difficulty, and how much they vary at each level of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.canvas import CATEGORIES, ChartView, altair, finished, plot
from equipoise.report.safe_text import short_names

__all__ = ["AgentCurve", "AgentCurvesChart"]

MOST_CURVES = 6


class AgentCurve(NamedTuple):
    """Mean result of an agent in each bin of difficulty, and the variance around it; None where it has none."""

    name: str
    mean: Sequence[float | None]
    variance: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class AgentCurvesChart(ChartView):
    """Curves of agents over bins of difficulty, the most interesting first."""

    name: ClassVar[str] = "agent-curves"
    title: ClassVar[str] = "Who fails on hard tasks only, and who in pockets?"
    about: ClassVar[str] = "agent characteristic curves with variance ribbons"

    difficulties: Sequence[float]
    curves: Sequence[AgentCurve]

    def caption(self) -> str:
        """Say what a narrow ribbon means."""
        more = len(self.curves) - MOST_CURVES
        left_out = f" The first {MOST_CURVES} of {len(self.curves):,} agents are drawn." if more > 0 else ""
        return (
            "Mean result of each agent on tasks from easy (left) to hard (right). The ribbon reaches one standard"
            " deviation to both sides, over tasks of like difficulty. A narrow ribbon that falls at one place is a"
            " general agent: it solves what is easier than its level and fails above. A wide ribbon is an agent good"
            f" in pockets only.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw lines in ribbons."""
        alt = altair()
        names = short_names((curve.name for curve in self.curves[:MOST_CURVES]), 28)
        rows = [row for name, curve in zip(names, self.curves, strict=False) for row in self._rows(name, curve)]
        colours = list(CATEGORIES[: len(names)])
        colour = alt.Color(
            "shown:N", sort=names, scale=alt.Scale(domain=names, range=colours), legend=alt.Legend(title=None)
        )
        x = alt.X("difficulty:Q", title="difficulty", scale=alt.Scale(nice=False, zero=False))
        ribbon = (
            plot(rows)
            .mark_area(opacity=0.14, aria=False)
            .encode(x=x, y=alt.Y("low:Q", title="result"), y2="high:Q", color=colour)
        )
        line = plot(rows).mark_line(strokeWidth=2, aria=False).encode(x=x, y="mean:Q", color=colour)
        dots = plot(rows).mark_point(filled=True, size=30).encode(x=x, y="mean:Q", color=colour, description="tip:N")
        return finished(ribbon, line, dots, width=width, height=360)

    def _rows(self, name: str, curve: AgentCurve) -> list[dict[str, Any]]:
        rows = []
        for difficulty, mean, variance in zip(self.difficulties, curve.mean, curve.variance, strict=True):
            if mean is None or variance is None:
                continue
            spread = variance**0.5
            tip = f"{name} at difficulty {difficulty:.2f}: {mean:.2f}, standard deviation {spread:.2f}"
            ends = {"low": mean - spread, "high": mean + spread}
            rows.append({"shown": name, "difficulty": difficulty, "mean": mean, "tip": tip, **ends})
        return rows
