"""Agents by categories: what each category adds to an agent's overall rating."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.boards.head_to_head import SURE, HeadToHead
from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import ACCENT, GRID, INK, WARM, ChartView, Frame, Sign, finished, plot
from equipoise.report.charts.drawing.lettering import HEADING, fitted_names, text_width, tip_names
from equipoise.report.charts.drawing.rows import row_names

MOST_AGENTS, MOST_CATEGORIES = 40, 30
SMALLEST = 34
"""Of a cell, in pixels: a number with its sign and three digits must fit in."""


@dataclass(frozen=True, slots=True)
class CategoryMap(ChartView):
    """What each category adds to the rating of each agent, best agents first.

    Attributes
    ----------
    agents, categories
        Names of the rows, best first, and of the columns.
    differences
        What the column's category adds to the row's agent.
    ratings, low, high
        The agent's rating in the category, with its interval.
    special
        1 or -1 where a difference is significantly above or below 0, Holm-adjusted.
    games
        Played by the agent in the category.
    unit, digits, offset
        Of ratings: in words, digits worth showing, and what is added to ratings shown.
    """

    name: ClassVar[str] = "category-map"
    title: ClassVar[str] = "Category effects"
    about: ClassVar[str] = "heat map of category effects on the ratings of agents"

    agents: Sequence[str]
    categories: Sequence[str]
    differences: Sequence[Sequence[float]]
    ratings: Sequence[Sequence[float]]
    low: Sequence[Sequence[float]]
    high: Sequence[Sequence[float]]
    special: Sequence[Sequence[int]]
    games: Sequence[Sequence[float]]
    unit: str = "Elo points"
    digits: int = 0
    offset: float = 0.0

    def caption(self) -> str:
        """Say what the colours are, and which of them are more than noise."""
        rows, columns = self._most(326)
        more = ""
        if rows < len(self.agents) or columns < len(self.categories):
            more = " Where there is no room for all, the best agents and the first categories are drawn."
        return (
            f"By how many {self.unit} the agent of the row is better (blue) or worse (orange) in the category of the"
            " column than overall, partially pooled. Numbers are given where the category effect is significant,"
            f" Holm-adjusted over all agents and categories.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw a cell for each agent and category, with a number where its category effect is significant."""
        count, across = self._most(width)
        shown, left = row_names(self.agents[:count], width)
        heads = fitted_names(self.categories[:across], HEADING)
        cell = min(HeadToHead.largest, (width - left - 16) / max(1, across))
        largest = max((abs(value) for row in self.differences for value in row), default=1.0) or 1.0
        signs = [
            Sign("bar", colour, f"{share * largest:+.{self.digits}f}") for share, colour in ((-1, WARM), (1, ACCENT))
        ]
        cells_wide = round(cell * across)
        total = max(left + 16 + cells_wide, min(width, 330))
        frame = Frame(
            total, round(min(cell, 26) * count), left=left, right=total - left - cells_wide, bottom=10, signs=signs,
            above=14 + round(max((text_width(name) for name in heads), default=20)),
        )  # fmt: skip
        in_tips, called = tip_names(self.agents[:count]), tip_names(self.categories[:across])
        rows = [
            self._cell(i, j, (shown[i], heads[j]), (in_tips[i], called[j])) for i in range(count) for j in range(across)
        ]
        axis = vega.axis(orient="top", labelAngle=-90, ticks=False, domain=False, labelPadding=6, labelOverlap=False)
        x = vega.channel("column:N", sort=heads, title=None, axis=axis)
        axis = vega.axis(ticks=False, domain=False, labelPadding=6, labelOverlap=False)
        y = vega.channel("row:N", sort=shown, title=None, axis=axis)
        # Nothing is the paper itself, so that it is neutral in the dark, too.
        colour = vega.condition("datum.difference > 0", vega.value(ACCENT), vega.value(WARM))
        off = [self.differences[i][j] for i in range(count) for j in range(across)]
        rows = [row | {"strength": SURE * abs(value) / largest} for row, value in zip(rows, off, strict=True)]
        cells = plot(rows).mark("rect", stroke=GRID, strokeWidth=1)
        strength = vega.channel("strength:Q", scale=None)
        cells = cells.encode(x=x, y=y, fill=colour, fillOpacity=strength, description="tip:N")
        words = plot(rows).mark("text", fontSize=11, color=INK, aria=False)
        return finished(cells, words.encode(x=x, y=y, text="written:N"), frame=frame)

    def _most(self, width: int) -> tuple[int, int]:
        """Give how many agents and categories a drawing has room for."""
        rows = min(len(self.agents), MOST_AGENTS)
        _, left = row_names(self.agents[:rows], width)
        return rows, max(1, min(len(self.categories), MOST_CATEGORIES, (width - left - 16) // SMALLEST))

    def _cell(self, i: int, j: int, drawn: tuple[str, str], in_tips: tuple[str, str]) -> dict[str, object]:
        def number(value: float, more: float = 0.0) -> str:
            return f"{value + more:+.{self.digits}f}"

        off = self.differences[i][j]
        ends = f"{number(self.low[i][j], self.offset)} to {number(self.high[i][j], self.offset)}"
        rating = f"{number(self.ratings[i][j], self.offset)} ({ends})"
        significant = ", a significant category effect" if self.special[i][j] else ""
        played = f"{self.games[i][j]:,.0f} games"
        tip = f"{in_tips[0]} in {in_tips[1]}: rating {rating} from {played}, {number(off)} beside overall{significant}"
        return {
            "row": drawn[0], "column": drawn[1], "difference": off, "written": number(off) if significant else "",
            "tip": tip, "name": in_tips[0], "category": in_tips[1],
        }  # fmt: skip
