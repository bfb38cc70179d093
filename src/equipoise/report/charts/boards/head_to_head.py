"""Head to head: how often the row's agent beats the column's, both in the order of rating."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import ChartView, Frame, Sign, finished, plot
from equipoise.report.charts.drawing.lettering import fitted_names, text_width, tip_names
from equipoise.report.charts.drawing.rows import row_names

MOST_AGENTS = 30
SMALLEST, LARGEST = 19, 46
"""Of a cell, in pixels: a number of two or three digits must fit in."""
LOSES, EVEN, WINS = "#c9713a", "#f3f1ec", "#3f7fc1"
SHADES = {0.0: LOSES, 0.25: "#deb193", 0.5: EVEN, 0.75: "#99b8d7", 1.0: WINS}
"""Colours of the key, those of the scale."""


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
    estimator: ClassVar[str | None] = "Observed win rates"

    agents: Sequence[str]
    rates: Sequence[Sequence[float | None]]
    games: Sequence[Sequence[float]] | None = None

    def caption(self) -> str:
        """Say where surprises show."""
        count = len(self.agents)
        more = ""
        if count > self._most(326):
            most = f"at most {MOST_AGENTS} of {count:,}" if count > MOST_AGENTS else f"all {count:,}"
            more = (
                f" The best are drawn, as many as there is room for: {most}, on a telephone the best {self._most(326)}."
            )
        return (
            "How often, in percent, the agent of the row beats the agent of the column; both in the order of rating,"
            " best first. If a single rating described all games, everything above the diagonal would be blue: orange"
            f" cells there are agents that lose to somebody rated lower. Empty cells never met.{more}"
        )

    def agent_names(self) -> list[str]:
        """Name the agents of rows and columns."""
        return list(self.agents) if len(self.agents) > 1 else []

    def with_agents(self, agents: Collection[str]) -> "HeadToHead":
        """Give the games of these agents against each other."""
        kept = [k for k, name in enumerate(self.agents) if name in agents]
        games = None if self.games is None else [[self.games[i][j] for j in kept] for i in kept]
        rates = [[self.rates[i][j] for j in kept] for i in kept]
        return HeadToHead([self.agents[k] for k in kept], rates, games)

    def draw(self, width: int) -> Any:
        """Draw cells with their percentages, as many as there is room for."""
        count = self._most(width)
        shown, left = row_names(self.agents[:count], width)
        heads = fitted_names(self.agents[:count], 110)
        cell = min(LARGEST, (width - left - 16) / max(1, count))
        signs = [Sign("cell", colour, f"{share:.0%}") for share, colour in SHADES.items()]
        signs[-1] = signs[-1]._replace(text="100% won by the row")
        cells_wide = round(cell * count)
        total = max(left + 16 + cells_wide, min(width, 330))  # the key may be wider than a few cells
        frame = Frame(
            total, round(min(cell, 34) * count), left=left, right=total - left - cells_wide, bottom=10, signs=signs,
            above=14 + round(max((text_width(name) for name in heads), default=20)),
        )  # fmt: skip
        rows = [row for i in range(count) for row in self._row(i, shown, heads, tip_names(self.agents[:count]))]
        axis = vega.axis(orient="top", labelAngle=-90, ticks=False, domain=False, labelPadding=6, labelOverlap=False)
        x = vega.channel("column:N", sort=heads, title=None, axis=axis)
        axis = vega.axis(ticks=False, domain=False, labelPadding=6, labelOverlap=False)
        y = vega.channel("row:N", sort=shown, title=None, axis=axis)
        scale = vega.scale(domain=[0, 0.5, 1], range=[LOSES, EVEN, WINS], interpolate="rgb")
        cells = plot(rows).mark("rect", stroke="#ffffff", strokeWidth=1)
        cells = cells.encode(x=x, y=y, color=vega.channel("rate:Q", scale=scale, legend=None), description="tip:N")
        text = plot(rows).mark("text", fontSize=11 if cell >= 23 else 9, color="#1a1a1a", aria=False)
        return finished(cells, text.encode(x=x, y=y, text="percent:N"), frame=frame)

    def _most(self, width: int) -> int:
        """Give how many agents a drawing has room for."""
        most = min(len(self.agents), MOST_AGENTS)
        _, left = row_names(self.agents[:most], width)
        return max(1, min(most, (width - left - 16) // SMALLEST))

    def _row(
        self, i: int, shown: Sequence[str], heads: Sequence[str], in_tips: Sequence[str]
    ) -> list[dict[str, object]]:  # fmt: skip
        cells: list[dict[str, object]] = []
        for j, head in enumerate(heads):
            rate = self.rates[i][j]
            if i == j or rate is None:
                continue
            played = f" in {self.games[i][j]:,.0f} games" if self.games is not None else ""
            tip = f"{in_tips[i]} beats {in_tips[j]} {rate:.0%} of the time{played}"
            cells.append(
                {
                    "row": shown[i], "column": head, "rate": rate, "percent": f"{100 * rate:.0f}", "tip": tip,
                    "name": in_tips[i], "opponent": in_tips[j],
                }
            )  # fmt: skip
        return cells
