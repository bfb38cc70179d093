"""Alpha sweep: how the ranking changes with the strength of selection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.canvas import CATEGORIES, ChartView, altair, finished, plot
from equipoise.report.safe_text import short_names

__all__ = ["AlphaSweepChart"]


@dataclass(frozen=True, slots=True)
class AlphaSweepChart(ChartView):
    """Masses over a grid of selection strengths.

    Attributes
    ----------
    profiles
        Names, the largest mass at the end first.
    alphas
        Selection strengths, increasing and positive.
    masses
        For each profile its mass at each strength.
    """

    name: ClassVar[str] = "alpha-sweep"
    title: ClassVar[str] = "How strong selection changes the ranking"
    about: ClassVar[str] = "alpha-Rank masses over the strength of selection"

    profiles: Sequence[str]
    alphas: Sequence[float]
    masses: Sequence[Sequence[float]]

    def caption(self) -> str:
        """Say where to read the answer."""
        more = len(self.profiles) - len(CATEGORIES)
        left_out = f" The {len(CATEGORIES)} largest are drawn; {more:,} smaller ones are not." if more > 0 else ""
        return (
            "Share of the time that evolution spends at each profile, for weak selection on the left and strong on"
            " the right. Where the lines have become flat the ranking no longer depends on the strength; lines that"
            " cross before that mean that a ranking read off further left says more about the setting than about the"
            f" agents.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw a line for each profile."""
        alt = altair()
        names = short_names(self.profiles[: len(CATEGORIES)], 28)
        rows = [
            {"shown": name, "alpha": alpha, "mass": mass, "tip": f"{name} at alpha {alpha:g}: {mass:.1%}"}
            for name, line in zip(names, self.masses, strict=False)
            for alpha, mass in zip(self.alphas, line, strict=True)
        ]
        colour = alt.Color(
            "shown:N", sort=names, scale=alt.Scale(domain=names, range=list(CATEGORIES)), legend=alt.Legend(title=None)
        )
        x = alt.X("alpha:Q", scale=alt.Scale(type="log"), title="strength of selection, alpha (log scale)")
        y = alt.Y("mass:Q", title="share of time", axis=alt.Axis(format=".0%"), scale=alt.Scale(domainMin=0))
        lines = plot(rows).mark_line(strokeWidth=2, aria=False).encode(x=x, y=y, color=colour)
        dots = plot(rows).mark_point(filled=True, size=22).encode(x=x, y=y, color=colour, description="tip:N")
        return finished(lines, dots, width=width, height=340)
