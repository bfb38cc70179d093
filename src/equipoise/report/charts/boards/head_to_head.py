"""Charts of games between agents, best first.

Head to head: how often the row's agent beats the column's. Crosstable: wins, draws and losses, and the likelihood of
superiority. Rating error: how errors of ratings fall with the games.
"""

import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from equipoise.inference.confidence import clopper_pearson_interval
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import (
    ACCENT,
    GRID,
    INK,
    MUTED,
    WARM,
    ChartView,
    Frame,
    Sign,
    finished,
    plot,
)
from equipoise.report.charts.drawing.domains import Domain, domain_of
from equipoise.report.charts.drawing.lettering import column_names, text_width, tip_names
from equipoise.report.charts.drawing.rows import row_names
from equipoise.report.charts.drawing.scatter import Plane, named_places

MOST_AGENTS = 30
SURE, LIKELY = 0.75, 0.3
"""How strongly a cell is coloured whose exact interval leaves out one half at 95%, or only at 80%."""
SHORT_COUNT = 1000
"""Games from which on a cell gives them in thousands."""


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
    smallest: ClassVar[int] = 25
    largest: ClassVar[int] = 50
    """Of a cell, in pixels: a percentage and a number of games must fit in."""
    tallest: ClassVar[int] = 34
    row_better: ClassVar[str] = "row is better"
    column_better: ClassVar[str] = "column is better"
    lettering: ClassVar[Mapping[str, Any]] = {"lineBreak": "\n", "dy": -5, "lineHeight": 11}
    """How the texts of cells are set, beside their size."""

    agents: Sequence[str]
    rates: Sequence[Sequence[float | None]]
    games: Sequence[Sequence[float]] | None = None

    @property
    def hub(self) -> int | None:
        """Whom everybody else has met, where nobody else met; None where others have, or there are only two."""
        met = {(i, j) for i, line in enumerate(self.rates) for j, rate in enumerate(line) if i < j and rate is not None}
        hubs = [k for k in range(len(self.rates)) if met and all(k in pair for pair in met)]
        return hubs[0] if len(hubs) == 1 and len(met) > 1 else None

    @property
    def evidence(self) -> list[list[float]]:
        """How sure it is that the row's agent is better, from -1 to 1; without numbers of games, by how much it is.

        Counted games say it where the exact interval of the share leaves out one half.
        """
        shares = np.array([[math.nan if rate is None else rate for rate in line] for line in self.rates])
        if self.games is None:
            return np.nan_to_num(SURE * (2.0 * shares - 1.0)).tolist()  # type: ignore[no-any-return]
        games = np.array(self.games)[: len(shares), : len(shares)]
        wins = np.nan_to_num(shares) * games
        sure = np.zeros(games.shape)
        for delta, strength in ((0.2, LIKELY), (0.05, SURE)):
            low, high = clopper_pearson_interval(wins, games, delta)
            sure = np.where(low > 0.5, strength, np.where(high < 0.5, -strength, sure))
        return np.where(np.isnan(shares) | (games <= 0), 0.0, sure).tolist()  # type: ignore[no-any-return]

    def caption(self) -> str:
        """Say where surprises show."""
        count = len(self.agents)
        if self.hub is not None:
            drawn = len(self._rays(self.hub).spans)
            more = f" The {drawn} highest rated of {count - 1:,} are drawn." if drawn < count - 1 else ""
            return (
                f"Share of points of each agent against {self.agents[self.hub]}, whom all games were against, a tie"
                " counting half; lines are exact 95% intervals of a pair alone. The others never met each other." + more
            )
        coloured = (
            "the stronger the further from even"
            if self.games is None
            else "only where the exact 95% interval of the pair's games excludes 50%, paler where only the 80% interval"
            " does"
        )
        more = ""
        if count > self._most(326):
            most = f"at most {MOST_AGENTS} of {count:,}" if count > MOST_AGENTS else f"all {count:,}"
            more = (
                f" The best are drawn, as many as there is room for: {most}, on a telephone the best {self._most(326)}."
            )
        return (
            "How often, in percent, the agent of the row beats the agent of the column"
            f"{'' if self.games is None else ', and in how many games'}; both in the order of rating, best first."
            f" Coloured {coloured}: blue where the row is better, orange where the column is. Orange above the diagonal"
            f" are agents that lose to somebody rated lower. Empty cells never met.{more}"
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
        """Draw cells with their percentages, as many as there is room for; of a star its rays."""
        if self.hub is not None:
            return self._rays(self.hub).draw(width)
        count = self._most(width)
        heads, names = column_names(self.agents[:count]), list(self.agents[:count])
        if any(head == str(k) for k, head in enumerate(heads, 1)):
            names = [f"{k} {name}" for k, name in enumerate(names, 1)]
        shown, left = row_names(names, width)
        cell = min(self.largest, (width - left - 16) / max(1, count))
        signs = [Sign("bar", ACCENT, self.row_better), Sign("bar", WARM, self.column_better)]
        cells_wide = round(cell * count)
        total = max(left + 16 + cells_wide, min(width, 330))  # the key may be wider than a few cells
        frame = Frame(
            total, round(min(cell, self.tallest) * count), left=left, right=total - left - cells_wide, bottom=10,
            signs=signs, above=14 + round(max((text_width(name) for name in heads), default=20)),
        )  # fmt: skip
        rows = [row for i in range(count) for row in self._row(i, shown, heads, tip_names(self.agents[:count]))]
        evidence = iter(self._strengths(count))
        rows = [row | {"sure": abs(sure), "better": sure > 0} for row, sure in zip(rows, evidence, strict=True)]
        axis = vega.axis(orient="top", labelAngle=-90, ticks=False, domain=False, labelPadding=6, labelOverlap=False)
        x = vega.channel("column:N", scale=vega.scale(domain=heads), title=None, axis=axis)
        axis = vega.axis(ticks=False, domain=False, labelPadding=6, labelOverlap=False)
        y = vega.channel("row:N", scale=vega.scale(domain=shown), title=None, axis=axis)
        # Even is the paper itself, so that it is neutral in the dark, too; evidence is how much colour lies on it.
        colour = vega.condition("datum.better", vega.value(ACCENT), vega.value(WARM))
        cells = plot(rows).mark("rect", stroke=GRID, strokeWidth=1)
        strength = vega.channel("sure:Q", scale=None)
        cells = cells.encode(x=x, y=y, fill=colour, fillOpacity=strength, description="tip:N")
        text = plot(rows).mark(
            "text", fontSize=11 if cell >= self.smallest + 6 else 9, color=INK, aria=False, **self.lettering
        )
        return finished(cells, text.encode(x=x, y=y, text="percent:N"), frame=frame)

    def _strengths(self, count: int) -> list[float]:
        """Give the evidence of the cells that are drawn."""
        evidence = self.evidence
        return [
            evidence[i][j] for i in range(count) for j in range(count) if i != j and self.rates[i][j] is not None
        ]  # fmt: skip

    def _rays(self, hub: int) -> Forest:
        """Give everybody's share against the one in the middle."""
        spans = []
        for i, line in enumerate(self.rates):
            share = line[hub]
            if i == hub or share is None:
                continue
            ends: tuple[float | None, float | None] = (None, None)
            if self.games is not None:
                games = self.games[i][hub]
                low, high = clopper_pearson_interval(share * games, games, 0.05)
                ends = float(low), float(high)
            spans.append(Span(self.agents[i], share, *ends))
        kind = "" if self.games is None else "exact 95% interval"
        spans.sort(key=lambda span: -(span.value or 0.0))
        return Forest(spans, f"share against {self.agents[hub]}", kind, 2)

    def _most(self, width: int) -> int:
        """Give how many agents a drawing has room for."""
        most = min(len(self.agents), MOST_AGENTS)
        _, left = row_names(self.agents[:most], width)
        return max(1, min(most, (width - left - 16) // self.smallest))

    def _row(
        self, i: int, shown: Sequence[str], heads: Sequence[str], in_tips: Sequence[str]
    ) -> list[dict[str, object]]:  # fmt: skip
        cells: list[dict[str, object]] = []
        for j, head in enumerate(heads):
            rate = self.rates[i][j]
            if i == j or rate is None:
                continue
            games = None if self.games is None else self.games[i][j]
            played = "" if games is None else f" in {games:,.0f} games"
            under = "" if games is None else f"\n{_in_short(games)}"
            tip = f"{in_tips[i]} beats {in_tips[j]} {rate:.0%} of the time{played}"
            cells.append(
                {
                    "row": shown[i], "column": head, "rate": rate, "percent": f"{100 * rate:.0f}{under}", "tip": tip,
                    "name": in_tips[i], "opponent": in_tips[j],
                }
            )  # fmt: skip
        return cells


def _in_short(games: float) -> str:
    return f"{games:,.0f}" if games < SHORT_COUNT else f"{games / SHORT_COUNT:.3g}k"


class Record(NamedTuple):
    """Games of the row's agent against the column's: won, drawn, lost."""

    won: float
    drawn: float
    lost: float

    @property
    def superiority(self) -> float:
        """Likelihood of superiority of the row's agent, of the decided games: the normal approximation of chess."""
        decided = self.won + self.lost
        return 0.5 * (1.0 + math.erf((self.won - self.lost) / math.sqrt(2.0 * decided))) if decided > 0 else 0.5


@dataclass(frozen=True, slots=True)
class Crosstable(HeadToHead):
    """Wins, draws and losses between agents, best first, and the likelihood of superiority.

    Attributes
    ----------
    records
        Games of the row's agent against the column's; None for a pair that never met.
    """

    name: ClassVar[str] = "crosstable"
    title: ClassVar[str] = "Crosstable"
    about: ClassVar[str] = "wins, draws and losses of every pair, with the likelihood of superiority (LOS)"
    estimator: ClassVar[str | None] = "Observed wins, draws and losses"
    aside: ClassVar[bool] = True
    smallest: ClassVar[int] = 50
    largest: ClassVar[int] = 86
    tallest: ClassVar[int] = 36
    row_better: ClassVar[str] = "row is likely the stronger"
    column_better: ClassVar[str] = "column is likely the stronger"
    lettering: ClassVar[Mapping[str, Any]] = {"lineBreak": "\n", "dy": -6, "lineHeight": 13}

    records: Sequence[Sequence[Record | None]] = ()

    @property
    def hub(self) -> int | None:
        """Nobody: records are cells in any case."""
        return None

    def caption(self) -> str:
        """Say what the numbers and the colours are."""
        count, room = len(self.agents), self._most(720)
        more = f" The best {room:,} of {count:,} are drawn, fewer where there is less room." if count > room else ""
        return (
            "In each cell: games that the agent of the row won, drew and lost against the agent of the column, and"
            " under them the likelihood of superiority (LOS), the probability that the row's agent is the stronger of"
            f" the two, from their decided games alone. Blue: the row's; orange: the column's.{more}"
        )

    def _strengths(self, count: int) -> list[float]:
        """Give how far the likelihoods are from even, in the cells that are drawn."""
        drawn = [self.records[i][j] for i in range(count) for j in range(count) if i != j]
        return [SURE * (2.0 * record.superiority - 1.0) for record in drawn if record is not None]

    def with_agents(self, agents: Collection[str]) -> "Crosstable":
        """Give the games of these agents against each other."""
        kept = [k for k, name in enumerate(self.agents) if name in agents]
        records = [[self.records[i][j] for j in kept] for i in kept]
        return Crosstable([self.agents[k] for k in kept], [[None] * len(kept)] * len(kept), None, records)

    def _row(
        self, i: int, shown: Sequence[str], heads: Sequence[str], in_tips: Sequence[str]
    ) -> list[dict[str, object]]:  # fmt: skip
        cells: list[dict[str, object]] = []
        for j, head in enumerate(heads):
            record = self.records[i][j] if i != j else None
            if record is None:
                continue
            games, los = "–".join(f"{part:,.0f}" for part in record), f"{record.superiority:.0%}"
            tip = f"{in_tips[i]} against {in_tips[j]}: {games} (won, drawn, lost), LOS {los}"
            cells.append(
                {
                    "row": shown[i], "column": head, "rate": record.superiority, "percent": f"{games}\n{los}",
                    "tip": tip, "name": in_tips[i], "opponent": in_tips[j],
                }
            )  # fmt: skip
        return cells


class RatingWidth(NamedTuple):
    """An agent's number of games, and half the width of its interval."""

    name: str
    games: float
    error: float


@dataclass(frozen=True, slots=True)
class RatingError(ChartView):
    """Errors of ratings against numbers of games, on logarithmic axes.

    Attributes
    ----------
    unit
        Of the ratings.
    interval
        Kind and level of the intervals.
    """

    name: ClassVar[str] = "rating-error"
    title: ClassVar[str] = "How does the error of a rating fall with the games?"
    about: ClassVar[str] = "half the width of each rating's interval against its number of games"
    agents_in: ClassVar[str] = "agents"
    elastic: ClassVar[bool] = True
    aside: ClassVar[bool] = True

    agents: Sequence[RatingWidth]
    unit: str
    interval: str

    def caption(self) -> str:
        """Say what the line is."""
        return (
            f"Each point is an agent: how many games it has played, and half the width of its {self.interval}, both on"
            " logarithmic axes. The dashed line falls with the square root of the games, through the median agent: four"
            " times the games for half the error. Points far above it play clustered or one-sided games."
        )

    def draw(self, width: int) -> Any:
        """Draw points with names, and the line."""
        games, errors = ([math.log10(value) for value in column] for column in list(zip(*self.agents, strict=True))[1:])
        wide, high = domain_of(games, margin=0.08), domain_of(errors, margin=0.08)
        signs = [Sign("circle", ACCENT, "agent"), Sign("dash", MUTED, "error of 1 / √games")]
        frame = Frame(width, 320, left=64, signs=signs)
        plane = Plane(frame, wide, high, ("games", f"half the interval ({self.unit})"), logs=True)
        middle = statistics.median(error + game / 2 for game, error in zip(games, errors, strict=True))
        ends = [(x, middle - x / 2) for x in wide.ends]
        ends = [_clipped(end, high) for end in ends]
        line = plot([{"x": x, "y": y} for x, y in ends]).mark("line", color=MUTED, strokeDash=[4, 4], aria=False)
        rows = [
            {"name": one.name, "x": x, "y": y, "shape": "circle", "colour": ACCENT}
            | {"words": f"{one.games:,.0f} games, ±{one.error:.3g} {self.unit}"}
            for one, x, y in zip(self.agents, games, errors, strict=True)
        ]
        size = 60 if len(rows) <= 100 else 30
        dots = named_places(rows, plane, size=size)
        return finished(line.encode(x=plane.x("x"), y=plane.y("y")), *dots, frame=frame)


def _clipped(end: tuple[float, float], up: Domain) -> tuple[float, float]:
    """Cut a line of slope -1/2 where it leaves the axis."""
    y = up.inside(end[1])
    return (end[0], y) if y == end[1] else (end[0] - 2 * (y - end[1]), y)
