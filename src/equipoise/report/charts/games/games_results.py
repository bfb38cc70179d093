"""Charts of games: response graphs, where play ends, and the cyclic part.

Alpha sweep: how the ranking changes with the strength of selection. Disc: agents placed so that areas and turning
directions show who is better. Split: how much of the differences a single rating describes, and how much is
intransitive.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.data.types.pairs import PairTable
from equipoise.report.charts.boards.head_to_head import MOST_AGENTS, Crosstable, HeadToHead, Record
from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import (
    ACCENT,
    GRID,
    INK,
    MUTED,
    NARROW,
    WARM,
    ChartView,
    Frame,
    Sign,
    category_signs,
    finished,
    plot,
)
from equipoise.report.charts.drawing.domains import Domain
from equipoise.report.charts.drawing.lettering import tip_names
from equipoise.report.charts.drawing.lines import MOST_LINES, line_names, lines_with_marks
from equipoise.report.charts.drawing.scatter import Plane, named_places
from equipoise.report.charts.games.masses import agent_masses
from equipoise.report.charts.games.nash_averages import Averages, NashAgents
from equipoise.report.charts.games.response_graph import MOST_PROFILES, ResponseGraphChart
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.alpharank.alpha_rank import AlphaRank
    from equipoise.alpharank.alpha_sweep import AlphaSweep
    from equipoise.alpharank.response_graph import ResponseGraph
    from equipoise.flows.schur import Schur
    from equipoise.nash.agents import AgentNash
    from equipoise.ratings.online.melo import Melo
    from equipoise.ratings.transitivity.transitivity import Transitivity


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


class Place(NamedTuple):
    """A named point."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Disc(ChartView):
    """One disc of the Schur form of a table of log-odds.

    Attributes
    ----------
    places
        Agents, farthest from the centre first.
    share
        Share of the squared table that this disc explains, 0 to 1.
    of
        What it is a share of.
    """

    name: ClassVar[str] = "disc"
    title: ClassVar[str] = "The strongest cyclic pattern"
    about: ClassVar[str] = "disc plot of the strongest cyclic component"
    estimator: ClassVar[str | None] = "Schur decomposition"
    agents_in: ClassVar[str] = "places"

    places: Sequence[Place]
    share: float
    of: str = "the pairwise results"

    def caption(self) -> str:
        """Say how areas, phases and lines are read."""
        return (
            f"This disc explains {self.share:.0%} of {self.of}. An agent beats those that follow it anticlockwise"
            " (up to half a turn), the more strongly the larger the triangle that the two span with the centre: far"
            " apart in angle and far from the centre. Agents on one line through the centre are about even"
            " here; agents all on one line beside the centre form a ranking; agents spread around it form"
            " cycles. Near the centre: this disc says little about them."
        )

    def draw(self, width: int) -> Any:
        """Draw points around the centre."""
        reach = max((math.hypot(place.x, place.y) for place in self.places), default=1.0) or 1.0
        side = min(width, 560)
        across, up = ([0.0, *ends] for ends in zip(*((place.x, place.y) for place in self.places), strict=True))
        wide, high = (_around(ends, 0.15 * reach) for ends in (across, up))
        if high.high - high.low > wide.high - wide.low:
            wide = _around([*wide.ends], (high.high - high.low - wide.high + wide.low) / 2)
        tall = round((side - 32) * (high.high - high.low) / (wide.high - wide.low))  # a pixel is as much up as across
        signs = [Sign("circle", ACCENT, "agent"), Sign("cross", MUTED, "centre: even with everybody")]
        frame = Frame(side, tall, left=16, right=16, bottom=16, signs=signs)
        plane = Plane(frame, wide, high)
        rows = []
        for place in self.places:
            turn = math.degrees(math.atan2(place.y, place.x)) % 360
            words = f"{math.hypot(place.x, place.y):.2f} from the centre, at {turn:.0f} degrees"
            rows.append({**place._asdict(), "words": words, "shape": "circle", "colour": ACCENT})
        rays = plot([{"x": 0.0, "y": 0.0, "x1": place.x, "y1": place.y} for place in self.places])
        rays = rays.mark("rule", color=GRID, aria=False).encode(x=plane.x("x"), y=plane.y("y"), x2="x1:Q", y2="y1:Q")
        centre = plot([{"x": 0.0, "y": 0.0}]).mark(
            "point", shape="cross", filled=True, color=MUTED, size=60, aria=False
        )
        centre = centre.encode(x=plane.x("x"), y=plane.y("y"))
        return finished(rays, centre, *named_places(rows, plane), frame=frame)


def _around(values: Sequence[float], room: float) -> Domain:
    return Domain(min(values) - room, max(values) + room)


@dataclass(frozen=True, slots=True)
class Split(ChartView):
    """Shares of the signal.

    Attributes
    ----------
    cyclic
        Share that ratings do not explain, 0 to 1.
    low, high
        Its interval, or None.
    explained, rest
        What the two parts are called.
    corrected
        Whether noise was taken out first.
    subject
        What was counted: games, or scores.
    """

    name: ClassVar[str] = "split"
    title: ClassVar[str] = "Does a single rating describe these games?"
    about: ClassVar[str] = "how much of the differences is transitive, how much intransitive"
    estimator: ClassVar[str | None] = ""

    cyclic: float
    low: float | None = None
    high: float | None = None
    explained: str = "a single rating describes it"
    rest: str = "is intransitive"
    corrected: bool = True
    subject: str = "games"

    def heading(self) -> str:
        """Ask of games whether a rating is enough, of scores whether averages are."""
        return self.title if self.subject == "games" else "Do averages describe these scores?"

    def caption(self) -> str:
        """Say what a long orange part means."""
        noise = "beyond noise" if self.corrected else "noise included"
        spread = " The thin line is the interval of the boundary." if self.low is not None else ""
        return (
            f"The bar is all that the results say about differences between agents ({noise}). Blue: {self.explained}."
            f" Orange: it {self.rest}, so that no single rating can describe it.{spread} The longer the orange"
            " part, the more a leaderboard leaves out."
        )

    def draw(self, width: int) -> Any:
        """Draw one bar of two parts."""
        explained = 1 - self.cyclic
        parts = ["transitive", "intransitive"] if self.subject == "games" else ["averages", "the rest"]
        rows = [
            {"part": parts[0], "from": 0.0, "to": explained, "tip": f"{self.explained}: {explained:.0%}"},
            {"part": parts[1], "from": explained, "to": 1.0, "tip": f"{self.rest}: {self.cyclic:.0%}"},
        ]
        colour = vega.channel("part:N", scale=vega.scale(domain=parts, range=[ACCENT, WARM]), legend=None)
        x = vega.channel(
            "from:Q", scale=vega.scale(domain=[0, 1]), title="share of the differences", axis=vega.axis(format=".0%")
        )
        bar = plot(rows).mark("bar", height=34).encode(x=x, x2="to:Q", color=colour, description="tip:N")
        layers = [bar]
        signs = [
            Sign("bar", ACCENT, f"left: {parts[0]}, {explained:.0%}"),
            Sign("bar", WARM, f"right: {parts[1]}, {self.cyclic:.0%}"),
        ]
        if self.low is not None and self.high is not None:
            ends = [
                {
                    "from": 1 - self.high,
                    "to": 1 - self.low,
                    "tip": f"intransitive share: {self.low:.0%} to {self.high:.0%}",
                }
            ]
            layers.append(plot(ends).mark("rule", color=INK, strokeWidth=3).encode(x=x, x2="to:Q", description="tip:N"))
            signs.append(Sign("line", INK, "interval of the boundary"))
        return finished(*layers, frame=Frame(width, 50, left=16, right=20, signs=signs))


def mass_charts(result: "AlphaRank") -> tuple[ChartView, ...]:
    """Draw the response graph, profiles as large as play stays with them."""
    if result.response_graph is None:
        return ()
    return (_graph(result.response_graph, result.pi.ravel()),)


def graph_charts(result: "ResponseGraph") -> tuple[ChartView, ...]:
    """Draw who has reason to turn into whom."""
    return (_graph(result, None),)


def _graph(graph: "ResponseGraph", mass: FloatArray | None) -> ResponseGraphChart:
    """Put those first where play stays most, or the survivors; then those that lead to them."""
    chain = {name: k for k, names in enumerate(graph.mccs) for name in names}
    weight = np.zeros(len(graph.profiles)) if mass is None or np.isnan(mass).any() else mass
    order = sorted(range(len(graph.profiles)), key=lambda i: (-weight[i], graph.profiles[i] not in chain, i))
    order = _leading(order, sum(weight[i] > 0 or graph.profiles[i] in chain for i in order), graph)
    place = {old: new for new, old in enumerate(order)}
    edges = [(place[int(u)], place[int(v)]) for u, v in zip(graph.source, graph.target, strict=True)]
    names = [graph.profiles[i] for i in order]
    visited = None if mass is None or np.isnan(mass).any() else [float(mass[i]) for i in order]
    return ResponseGraphChart(names, edges, [chain.get(name) for name in names], visited)


def _leading(order: list[int], first: int, graph: "ResponseGraph") -> list[int]:
    """Fill the places after the ``first`` with profiles that lead to those before them, so that no path breaks off."""
    placed, rest = order[:first], order[first:]
    leads: dict[int, set[int]] = {}
    for source, target in zip(graph.source.tolist(), graph.target.tolist(), strict=True):
        leads.setdefault(source, set()).add(target)
    while rest and len(placed) < MOST_PROFILES:
        there = set(placed)
        following = next((i for i in rest if leads.get(i, set()) & there), rest[0])
        rest.remove(following)
        placed.append(following)
    return [*placed, *rest]


def sweep_charts(result: "AlphaSweep") -> tuple[ChartView, ...]:
    """Draw the stationary probabilities over alpha, those that stay longest first."""
    order = np.argsort(-result.limit, kind="stable")
    masses = [result.pi[:, i].tolist() for i in order]
    return (AlphaSweepChart([result.agents[i] for i in order], result.alphas.tolist(), masses),)


def nash_charts(result: "AgentNash") -> tuple[ChartView, ...]:
    """Draw plain and Nash averages beside each other."""
    if np.isnan(result.p).any():
        return ()
    rows = [Averages(row["agent"], row["uniform"], row["average"], row["p"]) for row in result.frame().to_dicts()]
    unit = "Elo points" if result.log_odds else "payoff"
    return (NashAgents(rows, f"average against the others ({unit})"), agent_masses(result))


def transitivity_charts(result: "Transitivity") -> tuple[ChartView, ...]:
    """Draw how large the cyclic part is."""
    if known(result.cyclic_share) is None:
        return ()
    low, high = known(result.low), known(result.high)
    return (Split(result.cyclic_share, low, high, corrected=low is not None),)


def disc_charts(result: "Schur") -> tuple[ChartView, ...]:
    """Draw the strongest disc."""
    if not len(result.values):
        return ()
    rows = result.frame().to_dicts()
    return (Disc([Place(row["agent"], row["x"], row["y"]) for row in rows], float(result.share[0])),)


def melo_charts(result: "Melo") -> tuple[ChartView, ...]:
    """Draw the strongest disc; its share is of what the discs explain beside the rating."""
    if not result.k:
        return ()
    strength = np.linalg.norm(result.vectors, axis=0)
    discs = (strength[0::2] * strength[1::2]) ** 2
    if not discs.any():
        return ()
    places = [
        Place(agent, float(x), float(y)) for agent, (x, y) in zip(result.agents, result.vectors[:, :2], strict=True)
    ]
    far = sorted(places, key=lambda place: -(place.x**2 + place.y**2))
    return (Disc(far, float(discs[0] / discs.sum()), of="the remainder that ratings do not explain"),)


def head_to_head(table: PairTable, order: Sequence[str]) -> HeadToHead:
    """Give the win rates between agents in this order; only those that a chart has room for are looked at."""
    won, drawn, lost = _records(table, order[:MOST_AGENTS])
    games = won + drawn + lost
    with np.errstate(invalid="ignore"):
        share = (won + drawn / 2) / games
    rates = [[float(rate) if played > 0 else None for rate, played in zip(*line, strict=True)]
             for line in zip(share, games, strict=True)]  # fmt: skip
    return HeadToHead(tuple(order), rates, games.tolist() if table.counted else None)


def crosstable(table: PairTable, order: Sequence[str]) -> tuple[Crosstable, ...]:
    """Give wins, draws and losses between agents in this order; nothing where games were not counted."""
    if not table.counted:
        return ()
    top = order[:MOST_AGENTS]
    cells = np.moveaxis(_records(table, top), 0, -1).tolist()
    records = [[Record(*cell) if sum(cell) > 0 else None for cell in line] for line in cells]
    return (Crosstable(tuple(top), [[None] * len(top)] * len(top), None, records),)


def _records(table: PairTable, top: Sequence[str]) -> FloatArray:
    """Count what the agent of each row won, drew and lost against that of each column."""
    place = np.full(len(table.agents), -1)
    codes = {name: code for code, name in enumerate(table.agents)}
    place[[codes[name] for name in top]] = np.arange(len(top))
    first, second = place[table.first], place[table.second]
    drawn = (first >= 0) & (second >= 0)
    counts = np.zeros((3, len(top), len(top)))
    for k, (forth, back) in enumerate(
        ((table.wins, table.losses), (table.ties, table.ties), (table.losses, table.wins))
    ):
        np.add.at(counts[k], (first[drawn], second[drawn]), forth[drawn])
        np.add.at(counts[k], (second[drawn], first[drawn]), back[drawn])
    return counts


CHARTS = {
    "AlphaRank": mass_charts,
    "AlphaSweep": sweep_charts,
    "ResponseGraph": graph_charts,
    "Schur": disc_charts,
    "AgentNash": nash_charts,
    "Melo": melo_charts,
    "Transitivity": transitivity_charts,
}
"""Who draws which class of results."""
