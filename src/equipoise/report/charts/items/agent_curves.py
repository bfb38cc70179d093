"""Agent curves: how results fall with difficulty, and how much they vary at each level of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import MUTED, ChartView, Frame, Sign, category_signs, finished
from equipoise.report.charts.drawing.domains import domain_of
from equipoise.report.charts.drawing.lettering import tip_names
from equipoise.report.charts.drawing.lines import line_names, lines_with_marks

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
    agents_in: ClassVar[str] = "curves"
    elastic: ClassVar[bool] = True

    difficulties: Sequence[float]
    curves: Sequence[AgentCurve]

    def caption(self) -> str:
        """Say what a narrow ribbon means."""
        more = len(self.curves) - MOST_CURVES
        left_out = f" The first {MOST_CURVES} of {len(self.curves):,} agents are drawn." if more > 0 else ""
        far = domain_of(self.difficulties, margin=0).beyond
        if far:
            places = "One difficulty lies" if far == 1 else f"{far:,} difficulties lie"
            left_out += f" {places} far from all others and would squeeze them: they are not drawn."
        return (
            "Mean result of each agent on tasks from easy (left) to hard (right). The ribbon reaches one standard"
            " deviation to both sides as far as results can go, over tasks of like difficulty. A narrow ribbon that"
            " falls at one place is a general agent: it solves what is easier than its level and fails above. A wide"
            f" ribbon is an agent good in pockets only.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw lines in ribbons."""
        drawn = self.curves[:MOST_CURVES]
        names = line_names([curve.name for curve in drawn], width)
        in_tips = tip_names(curve.name for curve in drawn)
        least, most = self._limits()
        across = domain_of(self.difficulties, margin=0)
        rows = [
            row
            for name, tip, curve in zip(names, in_tips, drawn, strict=True)
            for row in self._rows(name, tip, curve, least, most)
            if not across.side(row["difficulty"])
        ]
        x = vega.channel("difficulty:Q", title="difficulty", scale=vega.scale(domain=across.ends, nice=False))

        def y(field: str) -> Any:
            return vega.channel(f"{field}:Q", title="result", scale=vega.scale(domain=[least, most], nice=False))

        signs = [*category_signs(names), Sign("band", MUTED, "one standard deviation")]
        lines = lines_with_marks(rows, names, x, y, value="mean", ribbons=True)
        return finished(*lines, frame=Frame(width, 300, signs=signs))

    def _limits(self) -> tuple[float, float]:
        """Give the least and largest result that is possible: shares stay between 0 and 1, others where they are."""
        means = [mean for curve in self.curves for mean in curve.mean if mean is not None]
        if not means or (min(means) >= 0 and max(means) <= 1):
            return 0.0, 1.0
        ends = [
            mean + side * variance**0.5
            for curve in self.curves[:MOST_CURVES]
            for mean, variance in zip(curve.mean, curve.variance, strict=True)
            if mean is not None and variance is not None
            for side in (-1, 1)
        ]
        return min(ends), max(ends)

    def _rows(
        self, name: str, tip_name: str, curve: AgentCurve, least: float, most: float
    ) -> list[dict[str, Any]]:  # fmt: skip
        rows = []
        for difficulty, mean, variance in zip(self.difficulties, curve.mean, curve.variance, strict=True):
            if mean is None or variance is None:
                continue
            spread = variance**0.5
            tip = f"{tip_name} at difficulty {difficulty:.2f}: {mean:.2f}, standard deviation {spread:.2f}"
            ends = {"low": max(least, mean - spread), "high": min(most, mean + spread)}
            rows.append({"shown": name, "name": tip_name, "difficulty": difficulty, "mean": mean, "tip": tip, **ends})
        return rows
