"""Head to head: how often the row's agent beats the column's, both in the order of rating."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.canvas import ChartView, altair, finished, plot
from equipoise.report.safe_text import short_names

__all__ = ["HeadToHead"]

MOST_AGENTS, MOST_NUMBERS = 30, 12
LOSES, EVEN, WINS = "#c9713a", "#f3f1ec", "#3f7fc1"


@dataclass(frozen=True, slots=True)
class HeadToHead(ChartView):
    """Win rates between agents, best first; None for a pair that never met.

    Attributes
    ----------
    agents
        Names, best first.
    rates
        Share of games that the row's agent won against the column's, a tie being half.
    games
        Games behind each share, or None where nobody counted.
    """

    name: ClassVar[str] = "head-to-head"
    title: ClassVar[str] = "Head to head"
    about: ClassVar[str] = "heat map of win rates, agents in the order of their ratings"

    agents: Sequence[str]
    rates: Sequence[Sequence[float | None]]
    games: Sequence[Sequence[float]] | None = None

    def caption(self) -> str:
        """Say where surprises show."""
        count = len(self.agents)
        more = f" Only the best {MOST_AGENTS} of {count:,} are drawn." if count > MOST_AGENTS else ""
        return (
            "How often the agent of the row beats the agent of the column; both in the order of rating, best first."
            " If one number told all, everything above the diagonal would be blue: orange cells there are agents that"
            f" lose to somebody rated lower. Empty cells never met.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw cells, with percentages where there is room."""
        alt = altair()
        names = short_names(self.agents[:MOST_AGENTS], 32)
        rows = [row for i, name in enumerate(names) for row in self._row(i, name, names)]
        x = alt.X(
            "column:N",
            sort=names,
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-90, labelLimit=150, ticks=False, domain=False),
        )
        y = alt.Y("row:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False))
        colour = alt.Color(
            "rate:Q",
            scale=alt.Scale(domain=[0, 0.5, 1], range=[LOSES, EVEN, WINS], interpolate="rgb"),
            legend=alt.Legend(title="share of games won by the row", format=".0%", gradientLength=min(220, width // 2)),
        )
        cells = (
            plot(rows).mark_rect(stroke="#ffffff", strokeWidth=1).encode(x=x, y=y, color=colour, description="tip:N")
        )
        layers = [cells]
        if len(names) <= MOST_NUMBERS and width >= 480:
            layers.append(
                plot(rows).mark_text(fontSize=11, color="#1a1a1a", aria=False).encode(x=x, y=y, text="percent:N")
            )
        side = min(width, 110 + 46 * len(names))
        return finished(*layers, width=side, height=180 + max(140, round((side - 110) * 0.72)))

    def _row(self, i: int, name: str, names: Sequence[str]) -> list[dict[str, object]]:
        cells: list[dict[str, object]] = []
        for j, other in enumerate(names):
            rate = self.rates[i][j]
            if i == j or rate is None:
                continue
            played = f" in {self.games[i][j]:,.0f} games" if self.games is not None else ""
            tip = f"{name} beats {other} {rate:.0%} of the time{played}"
            cells.append({"row": name, "column": other, "rate": rate, "percent": f"{100 * rate:.0f}", "tip": tip})
        return cells
