"""Alpha sweep: how the ranking changes with the strength of selection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import NARROW, ChartView, Frame, category_signs, finished
from equipoise.report.charts.drawing.lettering import tip_names
from equipoise.report.charts.drawing.lines import MOST_LINES, line_names, lines_with_marks


@dataclass(frozen=True, slots=True)
class AlphaSweepChart(ChartView):
    """Stationary probabilities over a grid of selection strengths.

    Attributes
    ----------
    profiles
        Names, the largest probability at the end first.
    alphas
        Selection strengths, increasing and positive.
    masses
        For each profile its stationary probability at each strength.
    """

    name: ClassVar[str] = "alpha-sweep"
    title: ClassVar[str] = "How strong selection changes the ranking"
    about: ClassVar[str] = "alpha-Rank's stationary probabilities over the strength of selection"
    elastic: ClassVar[bool] = True

    profiles: Sequence[str]
    alphas: Sequence[float]
    masses: Sequence[Sequence[float]]

    def caption(self) -> str:
        """Say where to read the answer."""
        more = len(self.profiles) - MOST_LINES
        left_out = f" The {MOST_LINES} largest are drawn; {more:,} smaller ones are not." if more > 0 else ""
        return (
            "Stationary probability of each strategy profile, for weak selection on the left and strong on"
            " the right. Where the lines have become flat the ranking no longer depends on the strength; lines that"
            " cross before that mean that a ranking read off further left says more about the setting than about the"
            f" agents.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw a line for each profile."""
        names = line_names(self.profiles, width)
        rows = [
            {"shown": name, "name": tip_name, "alpha": alpha, "mass": mass}
            | {"tip": f"{tip_name} at alpha {alpha:g}: {mass:.1%}"}
            for name, tip_name, line in zip(names, tip_names(self.profiles[:MOST_LINES]), self.masses, strict=False)
            for alpha, mass in zip(self.alphas, line, strict=True)
        ]
        axis = vega.axis(tickCount=4 if width < NARROW else 7, grid=False)
        x = vega.channel(
            "alpha:Q", scale=vega.scale(type="log", nice=False), axis=axis,
            title="strength of selection, alpha (log scale)",
        )  # fmt: skip

        def y(field: str) -> Any:
            scale = vega.scale(domain=[0, 1], nice=False)
            return vega.channel(f"{field}:Q", title="stationary probability", axis=vega.axis(format=".0%"), scale=scale)

        lines = lines_with_marks(rows, names, x, y, value="mass")
        return finished(*lines, frame=Frame(width, 280, left=64, right=24, signs=category_signs(names)))
