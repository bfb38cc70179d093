"""Charts of masses: of Nash mixtures, of alpha-Rank within bounds, and how shares of a population move.

Nash masses: which agents and which tasks have weight. Bounds: the least and the greatest stationary probability, and
who is in a sink component. Dynamics: paths of the replicator equation on a triangle of three strategies.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import (
    ACCENT,
    ARROW,
    INK,
    MUTED,
    PALE,
    WARM,
    ChartView,
    Frame,
    Sign,
    finished,
    plot,
    sentence,
)
from equipoise.report.charts.drawing.domains import Domain
from equipoise.report.charts.drawing.label_positions import SIZE
from equipoise.report.charts.drawing.lettering import fitted_names, tip_names
from equipoise.report.charts.drawing.rows import named_rows, row_frame, y_axis
from equipoise.report.charts.drawing.scatter import Plane
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.alpharank.bounds import AlphaRankBounds
    from equipoise.alpharank.dynamics import Replicator
    from equipoise.core.results import FloatArray
    from equipoise.nash.agents import AgentNash
    from equipoise.nash.tasks import TaskNash

MOST_MASSES = 24
"""Most agents, and most tasks, whose masses are drawn."""


class Mass(NamedTuple):
    """Probability of an agent or a task in a mixture, its bootstrap range, and whether it is a task."""

    name: str
    mass: float
    low: float | None = None
    high: float | None = None
    task: bool = False


@dataclass(frozen=True, slots=True)
class NashMasses(ChartView):
    """Masses of agents, then of tasks, largest first; those without mass come last."""

    name: ClassVar[str] = "nash-masses"
    title: ClassVar[str] = "Who and what has weight in the Nash mixture?"
    about: ClassVar[str] = "probabilities of agents and tasks in the maximum-entropy Nash mixture"
    estimator: ClassVar[str | None] = "Maximum-entropy Nash equilibrium"
    elastic: ClassVar[bool] = True
    aside: ClassVar[bool] = True

    masses: Sequence[Mass]

    def caption(self) -> str:
        """Say what a mass is, and how many are not drawn."""
        words = ["Each bar is a probability in the maximum-entropy Nash mixture: bars of one colour add up to 100%."]
        for one, task in (("agent", False), ("task", True)):
            some = [entry for entry in self.masses if entry.task == task]
            core = sum(entry.mass > 0 for entry in some)
            if some:
                words.append(f"{core:,} of {len(some):,} {one}s have mass.")
            if len(some) > MOST_MASSES:
                words.append(f"The {MOST_MASSES} {one}s with the most are drawn.")
        if any(entry.low is not None for entry in self.masses):
            words.append("Thin lines are bootstrap ranges.")
        return " ".join(words)

    def draw(self, width: int) -> Any:
        """Draw bars, agents above tasks."""
        agents, tasks = ([one for one in self.masses if one.task == task][:MOST_MASSES] for task in (False, True))
        named = named_rows([*agents, *tasks], width)
        rows = [
            {"shown": row.shown, "name": row.tip_name, **row.entry._asdict(), "name_of": row.entry.name}
            | {"tip": f"{row.tip_name}: {row.entry.mass:.1%}"}
            for row in named.rows
        ]
        most = max((row[key] for row in rows for key in ("mass", "high") if row[key] is not None), default=1.0) or 1.0
        scale = vega.scale(domain=[0, min(1.0, 1.08 * most)], nice=False)

        def x(field: str) -> Any:
            axis = vega.axis(format=".0%", tickCount=4 if width < 480 else 6)
            return vega.channel(f"{field}:Q", scale=scale, axis=axis, title="probability in the Nash mixture")

        layers, signs = [], []
        for task, colour, text in ((False, ACCENT, "agents"), (True, WARM, "tasks")):
            some = [row for row in rows if row["task"] == task]
            if some:
                bars = plot(some).mark("bar", height=13, color=colour)
                layers.append(bars.encode(x=x("mass"), y=y_axis(), description="tip:N"))
                signs.append(Sign("bar", colour, text))
        ranges = [row for row in rows if row["low"] is not None and row["high"] is not None]
        if ranges:
            rule = plot(ranges).mark("rule", color=INK, strokeWidth=1.5, aria=False)
            layers.append(rule.encode(x=x("low"), x2="high:Q", y=y_axis()))
            signs.append(Sign("line", INK, "bootstrap range"))
        return finished(*layers, frame=row_frame(width, named.left, len(rows), signs))


def task_masses(result: "TaskNash") -> NashMasses:
    """Give the masses of both sides."""
    sides = (("agent", result.frame(), False), ("task", result.task_frame(), True))
    masses = [
        Mass(row[one], row[f"{one}_p"], known(row.get(f"{one}_p_low")), known(row.get(f"{one}_p_high")), task)
        for one, frame, task in sides
        for row in frame.drop_nulls(f"{one}_p").sort(f"{one}_p", descending=True, maintain_order=True).to_dicts()
    ]
    return NashMasses(masses)


def agent_masses(result: "AgentNash") -> NashMasses:
    """Give the masses of agents who play each other."""
    rows = result.frame().drop_nulls("p").sort("p", descending=True, maintain_order=True).to_dicts()
    return NashMasses([Mass(row["agent"], row["p"], known(row.get("p_low")), known(row.get("p_high"))) for row in rows])


class Bounded(NamedTuple):
    """A strategy profile with its least and greatest probability, and whether it is in a sink component."""

    name: str
    low: float
    high: float
    member: str


MEMBERS = {"certainly": ("diamond", WARM), "possibly": ("circle", ACCENT), "never": ("square", MUTED)}
"""How profiles are marked that are so in a sink component."""
MOST_BOUNDS = 40


@dataclass(frozen=True, slots=True)
class AlphaBounds(ChartView):
    """Bounds on stationary probabilities, largest upper bound first.

    Attributes
    ----------
    open_edges, edges
        How many edges of the response graph have no certain direction, of how many.
    """

    name: ClassVar[str] = "alpha-bounds"
    title: ClassVar[str] = "Which profiles survive whatever the payoffs are?"
    about: ClassVar[str] = "bounds on alpha-Rank's masses, and membership of sink components"
    estimator: ClassVar[str | None] = "alpha-Rank at infinite alpha, over all payoffs within their bounds"
    elastic: ClassVar[bool] = True

    profiles: Sequence[Bounded]
    open_edges: int
    edges: int

    def caption(self) -> str:
        """Say what long lines and marks mean."""
        left = len(self.profiles) - MOST_BOUNDS
        more = (
            f" The {MOST_BOUNDS} with the largest upper bounds of {len(self.profiles):,} are drawn." if left > 0 else ""
        )
        return (
            "Each line goes from the least to the greatest stationary probability that payoffs within their bounds"
            " allow. Diamonds are in a sink component (Markov-Conley chain) whatever the payoffs are, squares never;"
            f" circles may be. {self.open_edges:,} of {self.edges:,} edges of the response graph have no certain"
            f" direction.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw lines with a mark at each end."""
        named = named_rows(self.profiles[:MOST_BOUNDS], width, numbers=lambda one: one[1:])
        if named.all_alike:
            one = named.rows[0].entry
            return sentence(
                f"All {named.rows[0].behind:,} profiles: {_bounded_words(one)}.",
                width,
            )
        rows = [
            {"shown": row.shown, "name": row.tip_name, "low": row.entry.low, "high": row.entry.high}
            | {"member": row.entry.member}
            | {"tip": f"{row.tip_name}: {_bounded_words(row.entry)}"}
            for row in named.rows
        ]

        def x(field: str) -> Any:
            axis = vega.axis(format=".0%", tickCount=4 if width < 480 else 6)
            scale = vega.scale(domain=[-0.02, 1.02], nice=False)
            return vega.channel(f"{field}:Q", scale=scale, axis=axis, title="stationary probability")

        rule = plot(rows).mark("rule", color=PALE, strokeWidth=5, strokeCap="round")
        layers = [rule.encode(x=x("low"), x2="high:Q", y=y_axis(), description="tip:N")]
        signs = []
        for member, (shape, colour) in MEMBERS.items():
            some = [row for row in rows if row["member"] == member]
            if some:
                for end in ("low", "high"):
                    dots = plot(some).mark("point", filled=True, shape=shape, color=colour, size=60, opacity=1)
                    layers.append(dots.encode(x=x(end), y=y_axis(), description="tip:N"))
                signs.append(Sign(shape, colour, f"{member} in a sink component"))
        return finished(*layers, frame=row_frame(width, named.left, len(rows), signs))


def _bounded_words(one: Bounded) -> str:
    return f"{one.low:.1%} to {one.high:.1%}, {one.member} in a sink component"


def bounds_charts(result: "AlphaRankBounds") -> tuple[ChartView, ...]:
    """Draw the bounds of the profiles that were asked for."""
    rows = [row for row in result.frame().to_dicts() if known(row["pi_high"]) is not None]
    profiles = [Bounded(row["profile"], row["pi_low"], row["pi_high"], row["in_mcc"]) for row in rows]
    return (AlphaBounds(profiles, *result.uncertain_edges),) if profiles else ()


HEIGHT = math.sqrt(0.75)
"""Of a triangle whose sides are 1."""


@dataclass(frozen=True, slots=True)
class Dynamics(ChartView):
    """Paths of shares of three strategies.

    Attributes
    ----------
    strategies
        The three: at the left, at the right, at the top.
    paths
        Shares of the three along each path.
    rest
        Where all do equally well, if that is inside; of perturbed best response, where it comes to rest.
    equilibria
        Nash equilibria.
    absent
        How many further strategies nobody plays here.
    """

    name: ClassVar[str] = "dynamics"
    title: ClassVar[str] = "Where does evolution go?"
    about: ClassVar[str] = "paths of the replicator equation, of two strategies or on the triangle of three"
    moves: ClassVar[str] = "as strategies that do better than the average grow (replicator equation)"
    estimator: ClassVar[str | None] = "Replicator equation"

    strategies: Sequence[str]
    paths: Sequence[Sequence[tuple[float, float, float]]]
    rest: Sequence[tuple[float, float, float]] = ()
    absent: int = 0
    equilibria: Sequence[tuple[float, float, float]] = ()

    def caption(self) -> str:
        """Say what a place in the triangle means."""
        inside = f" At the diamond {self._rests()}." if self.rest else ""
        inside += " Crosses are Nash equilibria." if self.equilibria else ""
        left = f" {self.absent:,} further strategies are played by nobody here." if self.absent else ""
        where = "at a corner all play one strategy, in the middle each is played by a third."
        if len(self.strategies) == 2:
            where = "at an end all play one strategy; paths are drawn one above the other."
        follow = f"Lines begin at rings and follow the arrows {self.moves}."
        return f"Each place is a population: {where} {follow}{inside}{left}"

    def _rests(self) -> str:
        return "all do equally well"

    def draw(self, width: int) -> Any:
        """Draw the triangle, the paths and their arrows."""
        side = min(width, 480)
        frame = Frame(side, round((side - 32) * HEIGHT) + 44, left=16, right=16, bottom=10, signs=self._signs())
        edge = 44 / (side - 32)
        plane = Plane(frame, Domain(0.0, 1.0), Domain(-edge / 2, HEIGHT + edge / 2))
        corners = [_place(*(float(k == j) for j in range(3))) for k in range(len(self.strategies))]
        outline = [{"x": x, "y": y, "k": k} for k, (x, y) in enumerate([*corners, corners[0]])]
        order = vega.channel("k:Q")
        layers = [
            plot(outline).mark("line", color=MUTED, strokeWidth=1.5, aria=False).encode(
                x=plane.x("x"), y=plane.y("y"), order=order
            )
        ]  # fmt: skip
        points = [
            {"path": k, "k": step, **dict(zip("xy", self._at(share, k), strict=True))}
            for k, path in enumerate(self.paths)
            for step, share in enumerate(path)
        ]
        line = plot(points).mark("line", color=PALE, strokeWidth=1.6, aria=False)
        layers.append(line.encode(x=plane.x("x"), y=plane.y("y"), detail="path:N", order=order))
        heads = [head for k, path in enumerate(self.paths) for head in _heads([self._at(share, k) for share in path])]
        if heads:
            mark = plot(heads).mark("point", shape="triangle", filled=True, color=ARROW, size=55, opacity=1, aria=False)
            layers.append(mark.encode(x=plane.x("x"), y=plane.y("y"), angle=vega.channel("turn:Q", scale=None)))
        starts = [self._said(path[0], "begins", k) for k, path in enumerate(self.paths)]
        dots = plot(starts).mark("point", color=ACCENT, size=22, strokeWidth=1.2, opacity=1)
        layers.append(dots.encode(x=plane.x("x"), y=plane.y("y"), description="tip:N"))
        for places, what, shape, filled in (
            (self.rest, "rests", "diamond", True), (self.equilibria, "equilibrium", "cross", False)
        ):  # fmt: skip
            if not places:
                continue
            mark = plot([self._said(place, what) for place in places]).mark(
                "point", shape=shape, filled=filled, color=WARM if filled else INK, size=110, opacity=1
            )
            layers.append(mark.encode(x=plane.x("x"), y=plane.y("y"), description="tip:N"))
        return finished(*layers, *self._names(plane), frame=frame)

    def _signs(self) -> list[Sign]:
        signs = [Sign("ring", ACCENT, "a path begins"), Sign("line", PALE, "path")]
        signs += [Sign("diamond", WARM, self._rests())] if self.rest else []
        return [*signs, *([Sign("cross", INK, "Nash equilibrium")] if self.equilibria else [])]

    def _at(self, share: Sequence[float], path: int) -> tuple[float, float]:
        """Place shares; of two strategies, each path stands at a height of its own."""
        left, right, top = share
        x, y = _place(left, right, top)
        return (x, y) if len(self.strategies) == 3 else (x, HEIGHT * (path + 1) / (len(self.paths) + 1))

    def _said(self, share: Sequence[float], what: str, path: int | None = None) -> dict[str, Any]:
        named = ", ".join(f"{name} {part:.0%}" for name, part in zip(tip_names(self.strategies), share, strict=False))
        place = _place(*share) if path is None else self._at(share, path)
        return {**dict(zip("xy", place, strict=True)), "tip": f"{what} at {named}", "name": named}

    def _names(self, plane: Plane) -> list[Any]:
        frame = plane.frame
        shown = fitted_names(self.strategies, frame.width / 2 - 8, SIZE)
        layers = []
        for name, align, (x, y), down in zip(
            shown, ("left", "right", "center"), ((0, 0), (1, 0), (0.5, HEIGHT)), (14, 14, -12), strict=False
        ):
            row = [{"x": float(x), "y": float(y), "shown": name}]
            text = plot(row).mark("text", align=align, baseline="middle", dy=down, fontSize=SIZE, color=INK, aria=False)
            layers.append(text.encode(x=plane.x("x"), y=plane.y("y"), text="shown:N"))
        return layers


class LogitDynamics(Dynamics):
    """Paths of perturbed best response, beside those of replicators."""

    name: ClassVar[str] = "logit-dynamics"
    title: ClassVar[str] = "Where does perturbed best response go?"
    about: ClassVar[str] = "paths of perturbed best response (logit), of two strategies or on the triangle of three"
    estimator: ClassVar[str | None] = "Perturbed best response"
    moves: ClassVar[str] = "as players take what does best, now and then something else; copies move them"

    def _rests(self) -> str:
        return "perturbed best response comes to rest"


def _place(_left: float, right: float, top: float) -> tuple[float, float]:
    """Place shares in the triangle."""
    return right + top / 2, HEIGHT * top


def _heads(path: Sequence[tuple[float, float]]) -> list[dict[str, float]]:
    """Put an arrow in the middle of a path, by its length; none on a path that stays where it is."""
    lengths = [math.dist(one, two) for one, two in pairwise(path)]
    whole, gone = sum(lengths), 0.0
    if whole < 0.03:
        return []
    for (x, y), (u, v), length in zip(path, path[1:], lengths, strict=False):
        gone += length
        if gone >= whole / 3 and length > 0:
            return [{"x": u, "y": v, "turn": math.degrees(math.atan2(u - x, v - y))}]
    return []


def dynamics_charts(result: "Replicator") -> tuple[ChartView, ...]:
    """Draw the paths of both equations, with the equilibria."""
    alike = tuple(map(_padded, result.equilibria))
    rest = () if result.rest is None else (_padded(result.rest),)
    paths, logit = (
        [[_padded(share) for share in path] for path in some] for some in (result.paths, result.logit_paths)
    )
    ends = tuple(map(_padded, result.logit_rest))
    return (
        Dynamics(result.strategies, paths, rest, result.absent, alike),
        LogitDynamics(result.strategies, logit, ends, result.absent, alike),
    )


def _padded(share: "FloatArray") -> tuple[float, float, float]:
    """Give shares of three, of which two strategies leave the last to nobody."""
    left, right, *top = map(float, share)
    return left, right, top[0] if top else 0.0


CHARTS = {"AlphaRankBounds": bounds_charts, "Replicator": dynamics_charts}
"""Who draws which class of results."""
