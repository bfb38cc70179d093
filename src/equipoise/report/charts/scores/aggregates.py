"""Aggregates: four summaries of each agent's runs side by side, with their intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import canvas
from equipoise.report.charts.drawing.domains import Domain, domain_of, round_numbers
from equipoise.report.charts.drawing.lettering import tip_names
from equipoise.report.charts.drawing.rows import row_names
from equipoise.report.charts.drawing.scatter import Plane

PANELS = {
    "iqm": "interquartile mean", "median": "median", "mean": "mean", "optimality_gap": "optimality gap (less is better)"
}  # fmt: skip
SHORT = {"optimality_gap": "gap (less is better)", "iqm": "IQM"}
MOST_ROWS, ROW, HEAD, FOOT, GAP = 40, 22, 26, 30, 26


class AggregateRow(NamedTuple):
    """An agent's aggregates by name, each with the ends of its interval; None where there is none."""

    name: str
    spans: Mapping[str, tuple[float, float | None, float | None]]


@dataclass(frozen=True, slots=True)
class AggregatesChart(canvas.ChartView):
    """Interquartile mean, median, mean and optimality gap of each agent, best first.

    Attributes
    ----------
    units
        Of the scores.
    interval
        Kind and level of the intervals.
    """

    name: ClassVar[str] = "aggregates"
    title: ClassVar[str] = "How good is each agent over all tasks and runs?"
    about: ClassVar[str] = "interquartile mean, median, mean and optimality gap of runs, with intervals"
    estimator: ClassVar[str | None] = "Aggregate scores"
    agents_in: ClassVar[str] = "rows"

    rows: Sequence[AggregateRow]
    units: str
    interval: str

    def caption(self) -> str:
        """Say which of the four to trust."""
        _, more = canvas.some_first(self.rows, MOST_ROWS)
        return (
            f"Four summaries of the runs of each agent, in {self.units} units: dots are estimates, lines their"
            f" {self.interval}. The interquartile mean leaves out the best and the worst quarter of runs, so that no"
            " single lucky run decides; the mean does not, and the median looks at one task in the middle only. The"
            f" optimality gap is how far runs fall short of 1: there, less is better.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw a panel for each summary: side by side on a desk, one below the other on a telephone."""
        drawn, _ = canvas.some_first(self.rows, MOST_ROWS)
        shown, left = row_names([row.name for row in drawn], width)
        stacked = width < canvas.NARROW
        signs = [canvas.Sign("circle", canvas.ACCENT, "estimate"), canvas.Sign("line", canvas.PALE, self.interval)]
        tall = HEAD + ROW * len(drawn) + FOOT
        frame = canvas.Frame(width, tall * (len(PANELS) if stacked else 1), left=left, bottom=8, signs=signs)
        plane = Plane(frame, Domain(0, frame.width), Domain(0, frame.height))
        wide = frame.width if stacked else (frame.width - GAP * (len(PANELS) - 1)) / len(PANELS)
        in_tips = tip_names(row.name for row in drawn)
        grid, words, lines, dots = [], [], [], []
        for k, (key, title) in enumerate(PANELS.items()):
            x0, y0 = (0.0, float(tall * k)) if stacked else ((wide + GAP) * k, 0.0)
            ends = [end for row in drawn for end in row.spans[key] if end is not None]
            domain = domain_of(ends, keep=[row.spans[key][0] for row in drawn])  # ends may be cut, no estimate is
            heading = title if wide >= 190 else SHORT.get(key, title)
            words.append({"x": x0, "y": frame.height - y0 - 10, "text": heading, "align": "left"})
            for tick in round_numbers(domain.low, domain.high):
                x = x0 + _share(domain, tick) * wide
                grid.append({"x": x, "y": frame.height - y0 - HEAD, "y1": frame.height - y0 - tall + FOOT})
                words.append(
                    {"x": x, "y": frame.height - y0 - tall + FOOT - 12, "text": f"{tick:g}", "align": "center"}
                )
            for i, row in enumerate(drawn):
                value, low, high = row.spans[key]
                of = {"name": in_tips[i]}
                y = frame.height - y0 - HEAD - ROW * (i + 0.5)
                tip = f"{in_tips[i]}, {title}: {value:.3f}"
                if low is not None and high is not None:
                    tip += f" ({low:.3f} to {high:.3f})"
                    x, x1 = (x0 + _share(domain, end) * wide for end in (low, high))
                    lines.append({"x": x, "x1": x1, "y": y, "tip": tip, "low": low, "high": high, "panel": key} | of)
                at = x0 + _share(domain, value) * wide
                dots.append({"x": at, "y": y, "tip": tip, "value": value, "panel": key} | of)
                if stacked or k == 0:
                    words.append({"x": -10.0, "y": y, "text": shown[i], "align": "right"})
        return canvas.finished(*_layers(plane, grid, words, lines, dots), frame=frame)


def _layers(
    plane: Plane, grid: list[Any], words: list[Any], lines: list[Any], dots: list[Any]
) -> list[Any]:  # fmt: skip
    x, y = plane.x("x"), plane.y("y")
    layers = [canvas.plot(grid).mark("rule", color=canvas.GRID, aria=False).encode(x=x, y=y, y2="y1:Q")]
    for align in ("left", "center", "right"):
        text = canvas.plot([word for word in words if word["align"] == align])
        colour = canvas.MUTED if align == "left" else canvas.INK
        text = text.mark("text", align=align, baseline="middle", fontSize=12, color=colour, aria=False)
        layers.append(text.encode(x=x, y=y, text="text:N"))
    if lines:
        rule = canvas.plot(lines).mark("rule", color=canvas.PALE, strokeWidth=5, strokeCap="round")
        layers.append(rule.encode(x=x, x2="x1:Q", y=y, description="tip:N"))
    points = canvas.plot(dots).mark("point", color=canvas.ACCENT, filled=True, size=70, opacity=1)
    return [*layers, points.encode(x=x, y=y, description="tip:N")]


def _share(domain: Domain, value: float) -> float:
    return (domain.inside(value) - domain.low) / (domain.high - domain.low)
