"""Lines of runs: performance profiles over thresholds, and learning curves over steps."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import MUTED, ChartView, Frame, Sign, Spec, category_signs, finished
from equipoise.report.charts.drawing.domains import domain_of
from equipoise.report.charts.drawing.lettering import tip_names
from equipoise.report.charts.drawing.lines import MOST_LINES, line_names, lines_with_marks


class RunLine(NamedTuple):
    """A number for each place of the chart, with the ends of its interval; None where there is none."""

    name: str
    value: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()


@dataclass(frozen=True, slots=True)
class _RunLines(ChartView):
    """Lines with ribbons: what both charts share.

    Attributes
    ----------
    places
        Where along the first axis the numbers were taken, increasing.
    lines
        Agents, best first.
    quantity
        What the scores are, or their units.
    interval
        Kind and level of the intervals; empty where there are none.
    """

    shares: ClassVar[bool]
    """Whether the lines show shares, from 0 to 1."""

    places: Sequence[float]
    lines: Sequence[RunLine]
    quantity: str
    interval: str = ""

    def caption(self) -> str:
        """Say how to read the lines, what ribbons are, and how many lines are left out."""
        ribbons = f" Ribbons: {self.interval}s, point by point." if self.interval else ""
        more = len(self.lines) - MOST_LINES
        left_out = f" The first {MOST_LINES} of {len(self.lines):,} agents are drawn." if more > 0 else ""
        return f"{self.reading()}{ribbons}{left_out}"

    @abstractmethod
    def reading(self) -> str:
        """Say how to read the lines."""

    @abstractmethod
    def titles(self) -> tuple[str, str]:
        """Give the titles of the two axes."""

    def draw(self, width: int) -> Spec:
        """Draw the lines, each in its ribbon."""
        drawn = self.lines[:MOST_LINES]
        names = line_names([line.name for line in drawn], width)
        in_tips = tip_names(line.name for line in drawn)
        rows = [row for line in zip(names, in_tips, drawn, strict=True) for row in self._rows(*line)]
        limits = (0.0, 1.0)
        if not self.shares:
            domain = domain_of(row[key] for row in rows for key in ("value", "low", "high"))
            limits = (domain.low, domain.high)
            rows = [row | {key: domain.inside(row[key]) for key in ("value", "low", "high")} for row in rows]
        across, up = self.titles()
        x = vega.channel("place:Q", title=across, scale=vega.scale(nice=False, zero=False), axis=vega.axis(format="~s"))

        def y(field: str) -> Any:
            axis = vega.axis(format=".0%") if self.shares else vega.axis(format="~g")
            return vega.channel(f"{field}:Q", title=up, scale=vega.scale(domain=list(limits), nice=False), axis=axis)

        ribbons = bool(self.interval)
        signs = [*category_signs(names), *([Sign("band", MUTED, self.interval)] if ribbons else [])]
        layers = lines_with_marks(rows, names, x, y, value="value", ribbons=ribbons)
        return finished(*layers, frame=Frame(width, 300, left=64, right=24, signs=signs))

    def _rows(self, name: str, tip_name: str, line: RunLine) -> Iterator[dict[str, Any]]:
        number = "{:.1%}" if self.shares else "{:,.4g}"
        lows, highs = line.low or line.value, line.high or line.value
        for place, value, low, high in zip(self.places, line.value, lows, highs, strict=True):
            if value is not None:
                ends = (value if low is None else low, value if high is None else high)
                tip = f"{tip_name} at {place:,.4g}: {number.format(value)}"
                tip += f" ({' to '.join(map(number.format, ends))})" if ends[0] < ends[1] else ""
                of = {"shown": name, "name": tip_name, "place": place, "value": value, "tip": tip}
                yield of | {"low": ends[0], "high": ends[1]}


@dataclass(frozen=True, slots=True)
class PerformanceProfiles(_RunLines):
    """Share of runs above each score; the quantity is the units of the scores."""

    name: ClassVar[str] = "performance-profile"
    title: ClassVar[str] = "What share of runs beats any score asked for?"
    about: ClassVar[str] = "performance profiles: share of runs above each score"
    estimator: ClassVar[str | None] = "Performance profiles"
    agents_in: ClassVar[str] = "lines"
    elastic: ClassVar[bool] = True
    shares: ClassVar[bool] = True

    def reading(self) -> str:
        """Say what lies above what, and what crossing means."""
        return (
            "Share of an agent's runs, over all tasks alike, that score higher than the number below. Where one line"
            " lies above another everywhere, its agent is better whatever one asks for; where lines cross, it depends"
            " on the score that matters."
        )

    def titles(self) -> tuple[str, str]:
        """Name scores and shares."""
        return f"score asked for ({self.quantity} units)", "share of runs above"


@dataclass(frozen=True, slots=True)
class LearningCurvesChart(_RunLines):
    """Scores over steps of training; the quantity is what the scores are, with their unit."""

    name: ClassVar[str] = "learning-curves"
    title: ClassVar[str] = "How fast does each agent learn?"
    about: ClassVar[str] = "learning curves: scores over steps of training"
    estimator: ClassVar[str | None] = ""
    agents_in: ClassVar[str] = "lines"
    elastic: ClassVar[bool] = True
    shares: ClassVar[bool] = False

    def reading(self) -> str:
        """Say how to read sample efficiency."""
        return (
            f"The {self.quantity} of each agent over steps of training. Across: who needs fewer steps for the same"
            " score learns faster. Up: who scores higher after the same steps. Lines that still rise at the right were"
            " not trained to the end."
        )

    def titles(self) -> tuple[str, str]:
        """Name steps and scores."""
        return "steps of training", self.quantity
