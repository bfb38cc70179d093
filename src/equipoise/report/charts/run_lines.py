"""Lines of runs: performance profiles over thresholds, and learning curves over steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts import vega
from equipoise.report.charts.canvas import MUTED, ChartView, Frame, Sign, category_signs, finished
from equipoise.report.charts.domains import domain_of
from equipoise.report.charts.lettering import tip_names
from equipoise.report.charts.lines import MOST_LINES, line_names, lines_with_marks

__all__ = ["LearningCurves", "PerformanceProfiles", "RunLine"]


class RunLine(NamedTuple):
    """A number for each place of the chart, with the ends of its interval; None where there is none."""

    name: str
    value: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()


@dataclass(frozen=True, slots=True)
class PerformanceProfiles(ChartView):
    """Share of runs above each threshold.

    Attributes
    ----------
    thresholds
        In the units of the scores, increasing.
    lines
        Agents, best first.
    units
        Of the scores.
    interval
        Kind and level of the intervals; empty where there are none.
    """

    name: ClassVar[str] = "performance-profile"
    title: ClassVar[str] = "What share of runs beats any score asked for?"
    about: ClassVar[str] = "performance profiles: share of runs above each score"

    thresholds: Sequence[float]
    lines: Sequence[RunLine]
    units: str
    interval: str = ""

    def caption(self) -> str:
        """Say what lies above what, and what crossing means."""
        ribbons = f" Ribbons: {self.interval}s, point by point." if self.interval else ""
        return (
            "Share of an agent's runs, over all tasks alike, that score higher than the number below. Where one line"
            " lies above another everywhere, its agent is better whatever one asks for; where lines cross, it depends"
            f" on the score that matters.{ribbons}{_left_out(self.lines)}"
        )

    def draw(self, width: int) -> Any:
        """Draw falling lines."""
        return _drawn(
            self.thresholds, self.lines, width, interval=self.interval, limits=(0.0, 1.0),
            titles=(f"score asked for ({self.units} units)", "share of runs above"), shares=True,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class LearningCurves(ChartView):
    """Scores over steps of training.

    Attributes
    ----------
    steps
        At which the scores were taken, increasing.
    lines
        Agents, best at the end first.
    quantity
        What the scores are, with their unit.
    interval
        Kind and level of the intervals; empty where there are none.
    """

    name: ClassVar[str] = "learning-curves"
    title: ClassVar[str] = "How fast does each agent learn?"
    about: ClassVar[str] = "learning curves: scores over steps of training"

    steps: Sequence[float]
    lines: Sequence[RunLine]
    quantity: str
    interval: str = ""

    def caption(self) -> str:
        """Say how to read sample efficiency."""
        ribbons = f" Ribbons: {self.interval}s, point by point." if self.interval else ""
        return (
            f"The {self.quantity} of each agent over steps of training. Across: who needs fewer steps for the same"
            " score learns faster. Up: who scores higher after the same steps. Lines that still rise at the right were"
            f" not trained to the end.{ribbons}{_left_out(self.lines)}"
        )

    def draw(self, width: int) -> Any:
        """Draw lines over steps."""
        return _drawn(
            self.steps, self.lines, width, interval=self.interval, limits=None,
            titles=("steps of training", self.quantity), shares=False,
        )  # fmt: skip


def _drawn(
    places: Sequence[float],
    lines: Sequence[RunLine],
    width: int,
    *,
    titles: tuple[str, str],
    interval: str,
    limits: tuple[float, float] | None,
    shares: bool,
) -> Any:
    drawn = lines[:MOST_LINES]
    names = line_names([line.name for line in drawn], width)
    rows: list[dict[str, Any]] = []
    for name, told, line in zip(names, tip_names(line.name for line in drawn), drawn, strict=True):
        lows, highs = line.low or line.value, line.high or line.value
        for place, value, low, high in zip(places, line.value, lows, highs, strict=True):
            if value is not None:
                ends = (value if low is None else low, value if high is None else high)
                tip = f"{told} at {place:,.4g}: {_number(value, shares=shares)}"
                tip += f" ({' to '.join(_number(end, shares=shares) for end in ends)})" if ends[0] < ends[1] else ""
                rows.append(
                    {"shown": name, "name": told, "place": place, "value": value, "tip": tip}
                    | {"low": ends[0], "high": ends[1]}
                )
    if limits is None:
        domain = domain_of(row[key] for row in rows for key in ("value", "low", "high"))
        limits = (domain.low, domain.high)
        rows = [row | {key: domain.inside(row[key]) for key in ("value", "low", "high")} for row in rows]
    x = vega.channel("place:Q", title=titles[0], scale=vega.scale(nice=False, zero=False), axis=vega.axis(format="~s"))

    def y(field: str) -> Any:
        axis = vega.axis(format=".0%") if shares else vega.axis(format="~g")
        return vega.channel(f"{field}:Q", title=titles[1], scale=vega.scale(domain=list(limits), nice=False), axis=axis)

    ribbons = bool(interval)
    signs = [*category_signs(names), *([Sign("band", MUTED, interval)] if ribbons else [])]
    layers = lines_with_marks(rows, names, x, y, value="value", ribbons=ribbons)
    return finished(*layers, frame=Frame(width, 300, left=64, right=24, signs=signs))


def _number(value: float, *, shares: bool) -> str:
    return f"{value:.1%}" if shares else f"{value:,.4g}"


def _left_out(lines: Sequence[RunLine]) -> str:
    more = len(lines) - MOST_LINES
    return f" The first {MOST_LINES} of {len(lines):,} agents are drawn." if more > 0 else ""
