"""Charts of a table of scores: repeated runs, which agents and tasks have weight in it, and residual interactions.

Of runs: aggregates, profiles, learning curves and comparisons.

Lines of runs: performance profiles over thresholds, and learning curves over steps. Residual interactions: agents and
tasks in one plane.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from equipoise.core.results import FloatArray, Result
from equipoise.report.charts.boards.forest import RankSpan, RankStrip
from equipoise.report.charts.drawing import canvas, vega
from equipoise.report.charts.drawing.domains import Domain, domain_of
from equipoise.report.charts.drawing.lettering import PairName, tip_names
from equipoise.report.charts.drawing.lines import MOST_LINES, line_names, lines_with_marks
from equipoise.report.charts.drawing.scatter import Plane, named_places
from equipoise.report.charts.games.games_results import Place, Split
from equipoise.report.charts.games.masses import task_masses
from equipoise.report.charts.games.nash_averages import Averages, NashAgents, NashTasks
from equipoise.report.charts.scores.aggregates import PANELS, AggregateRow, AggregatesChart
from equipoise.report.charts.scores.improvement import Chance, ProbabilityOfImprovement
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.aggregates.aggregate import Aggregates
    from equipoise.aggregates.compare import Comparison
    from equipoise.aggregates.profiles import PerformanceProfile
    from equipoise.analyses.scores.learning import LearningCurves
    from equipoise.flows.additivity import Additivity
    from equipoise.nash.audit import Audit
    from equipoise.nash.tasks import TaskNash


class RunLine(NamedTuple):
    """A number for each place of the chart, with the ends of its interval; None where there is none."""

    name: str
    value: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()


@dataclass(frozen=True, slots=True)
class _RunLines(canvas.ChartView):
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
    best
        By what they are best first.
    """

    shares: ClassVar[bool]
    """Whether the lines show shares, from 0 to 1."""

    places: Sequence[float]
    lines: Sequence[RunLine]
    quantity: str
    interval: str = ""
    best: str = ""

    def caption(self) -> str:
        """Say how to read the lines, what ribbons are, and how many lines are left out."""
        ribbons = f" Ribbons: {self.interval}s, point by point." if self.interval else ""
        more = len(self.lines) - MOST_LINES
        left_out = (
            f" The first {MOST_LINES} of {len(self.lines):,} agents by {self.best} are drawn." if more > 0 else ""
        )
        return f"{self.reading()}{ribbons}{left_out}"

    @abstractmethod
    def reading(self) -> str:
        """Say how to read the lines."""

    @abstractmethod
    def titles(self) -> tuple[str, str]:
        """Give the titles of the two axes."""

    def draw(self, width: int) -> canvas.Spec:
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
        signs = [
            *canvas.category_signs(names),
            *([canvas.Sign("band", canvas.MUTED, self.interval)] if ribbons else []),
        ]
        layers = lines_with_marks(rows, names, x, y, value="value", ribbons=ribbons)
        return canvas.finished(*layers, frame=canvas.Frame(width, 300, left=64, right=24, signs=signs))

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


@dataclass(frozen=True, slots=True)
class LatentMap(canvas.ChartView):
    """Agents and tasks by the two strongest factors.

    Attributes
    ----------
    agents, tasks
        Places; the product of an agent's and a task's places is what averages miss of that score.
    share
        Share of the rest (what averages do not explain) that the two factors explain, 0 to 1.
    """

    name: ClassVar[str] = "latent-skills"
    title: ClassVar[str] = "Residual interactions"
    about: ClassVar[str] = "map of residual interactions between agents and tasks"
    estimator: ClassVar[str | None] = "Singular value decomposition of residual scores"

    agents: Sequence[Place]
    tasks: Sequence[Place]
    share: float

    def caption(self) -> str:
        """Say how the two kinds of marks relate."""
        most = max(len(self.agents), len(self.tasks))
        far = f" Drawn are the {canvas.MOST} farthest agents, and as many tasks." if most > canvas.MOST else ""
        return (
            f"Dots are agents, triangles tasks; the two directions explain {self.share:.0%} of what averages do"
            " not. An agent scores better than its average on tasks that lie in its own direction from the"
            f" centre, and worse on tasks on the other side. Near the centre: no interaction.{far}"
        )

    def draw(self, width: int) -> Any:
        """Draw dots and triangles around the centre."""
        places = [
            (_far(place), kind, place)
            for kind, some in (("agent", self.agents), ("task", self.tasks))
            for place in sorted(some, key=_far, reverse=True)[: canvas.MOST]
        ]
        reach = 1.1 * max((far for far, *_ in places), default=1.0) or 1.0
        side = min(width, 680)
        marks = {"agent": ("circle", canvas.ACCENT), "task": ("triangle-up", canvas.WARM)}
        signs = [canvas.Sign(*marks[kind], kind) for kind in marks]
        frame = canvas.Frame(side, side - 72, signs=[*signs, canvas.Sign("dash", canvas.MUTED, "no interaction")])
        plane = Plane(frame, Domain(-reach, reach), Domain(-reach, reach), ("first factor", "second factor"))
        # The farthest from the centre get their names first, of agents and tasks alike.
        rows = [
            {
                **place._asdict(), "kind": f"{kind} ", "words": f"{place.x:+.2f} and {place.y:+.2f}",
                "shape": marks[kind][0], "colour": marks[kind][1],
            }
            for _, kind, place in sorted(places, key=lambda entry: -entry[0])
        ]  # fmt: skip
        return canvas.finished(*plane.zero_lines(), *named_places(rows, plane), frame=frame)


def _far(place: Place) -> float:
    return max(abs(place.x), abs(place.y))


FEW_PAIRS = 15
"""Of so many pairs of agents all are drawn."""


def aggregate_charts(result: "Aggregates") -> tuple[canvas.ChartView, ...]:
    """Draw the aggregates of each agent with their intervals."""
    rows = [
        AggregateRow(row["agent"], {key: _span(row, key) for key in PANELS})
        for row in result.frame().to_dicts()
        if all(known(row[key]) is not None for key in PANELS)
    ]
    return (AggregatesChart(rows, scores_in(result), str(result.interval)),) if rows else ()


def _span(row: dict[str, Any], key: str) -> tuple[float, float | None, float | None]:
    return row[key], known(row[f"{key}_low"]), known(row[f"{key}_high"])


def profile_charts(result: "PerformanceProfile") -> tuple[canvas.ChartView, ...]:
    """Put the agent with the largest area under its curve first."""
    lines = _run_lines(result.agents, -result.share.mean(axis=1), result.share, result.low, result.high)
    area = "the area under their lines"
    return (PerformanceProfiles(result.thresholds.tolist(), lines, scores_in(result), str(result.interval), area),)


def learning_charts(result: "LearningCurves") -> tuple[canvas.ChartView, ...]:
    """Put the agent that ends highest first."""
    lines = _run_lines(result.agents, -result.iqm[:, -1], result.iqm, result.low, result.high)
    quantity = f"interquartile mean ({scores_in(result)} units)"
    return (LearningCurvesChart(result.steps.tolist(), lines, quantity, str(result.interval), "their last score"),)


def _run_lines(agents: tuple[str, ...], order: FloatArray, *parts: FloatArray) -> list[RunLine]:
    """Give a line for each agent, the smallest number of ``order`` first."""
    return [
        RunLine(agents[i], *([known(end) for end in part[i]] for part in parts))
        for i in np.argsort(order, kind="stable")
    ]


def comparison_charts(result: "Comparison") -> tuple[canvas.ChartView, ...]:
    """The ranks that the comparisons allow, then the pairs: adjacent ones, then undecided ones; of many, only these."""
    places = result.frame().to_dicts()
    ranks = [RankSpan(row["agent"], k + 1, row["rank_low"], row["rank_high"]) for k, row in enumerate(places)]
    place = {row["agent"]: k for k, row in enumerate(places)}

    listed = []
    for row in result.pair_frame().to_dicts():
        first, second = sorted((place[row["agent"]], place[row["other"]]))
        ends = known(row["improvement_low"]), known(row["improvement_high"])
        pair = Chance(PairName(row["agent"], "over", row["other"]), row["improvement"], *ends)
        listed.append(((second - first != 1, pair.settled, first, second), pair))
    pairs = [pair for _, pair in sorted(listed, key=itemgetter(0))]
    informative = sum(not (apart and settled) for (apart, settled, *_), _ in listed)
    level = f"{100 * result.interval.level:g}% Wilson interval"
    return RankStrip(ranks, result.interval.level, ProbabilityOfImprovement.estimator), ProbabilityOfImprovement(
        pairs, level, informative if len(pairs) > FEW_PAIRS else None
    )


def task_nash_charts(result: "TaskNash") -> tuple[canvas.ChartView, ...]:
    """Draw plain and Nash averages of agents and of tasks."""
    units = f"in {scores_in(result)} units"
    agents = [
        Averages(row["agent"], row["uniform_skill"], row["skill"], row["agent_p"])
        for row in result.frame().to_dicts()
        if row["agent"] not in result.unranked
    ]
    tasks = [
        Averages(row["task"], result.full + row["uniform_difficulty"], result.full + row["difficulty"], row["task_p"])
        for row in result.task_frame().to_dicts()
    ]
    averages = (NashAgents(agents, f"average score, {units}"), NashTasks(tasks, f"difficulty, {units}"))
    return (*averages, task_masses(result))


def additivity_charts(result: "Additivity") -> tuple[canvas.ChartView, ...]:
    """Draw what averages explain, and the two strongest residual interactions."""
    if known(result.residual_share) is None:
        return ()
    share = min(1.0, max(0.0, result.residual_share))
    split = Split(
        share, explained="means of agents and tasks describe it", rest="is interaction of agents and tasks",
        corrected=known(result.p_value) is not None, subject="scores",
    )  # fmt: skip
    size = float((result.values**2).sum())
    if len(result.values) < 2 or size <= 0:
        return (split,)
    scale = np.sqrt(result.values[:2])
    return (
        split,
        latent_map(
            result.agents,
            result.tasks,
            result.abilities[:, :2] * scale,
            result.problems[:, :2] * scale,
            float((result.values[:2] ** 2).sum() / size),
        ),
    )


def audit_charts(result: "Audit") -> tuple[canvas.ChartView, ...]:
    """Draw the averages, and the two strongest factors."""
    latent = result.latent
    if len(latent.share) < 2:
        return task_nash_charts(result.nash)
    share = float(latent.share[:2].sum())
    return (
        *task_nash_charts(result.nash),
        latent_map(result.nash.agents, result.nash.tasks, latent.agents, latent.tasks, share),
    )


def latent_map(
    agents: tuple[str, ...], tasks: tuple[str, ...], of_agents: FloatArray, of_tasks: FloatArray, share: float
) -> LatentMap:
    """Both sides in one plane."""
    return LatentMap(_places(agents, of_agents), _places(tasks, of_tasks), share)


def _places(names: tuple[str, ...], points: FloatArray) -> list[Place]:
    """Scale to the unit square, the farthest from the centre first."""
    reach = float(np.abs(points[:, :2]).max()) or 1.0
    placed = [
        Place(name, float(x) / reach, float(y) / reach) for name, (x, y) in zip(names, points[:, :2], strict=True)
    ]
    return sorted(placed, key=lambda place: -(place.x**2 + place.y**2))


def scores_in(result: Result) -> str:
    """Name the units of scores."""
    units = str(result.params["units"])
    return "the scores' own" if units == "none" else units


CHARTS = {
    "Aggregates": aggregate_charts,
    "Comparison": comparison_charts,
    "PerformanceProfile": profile_charts,
    "LearningCurves": learning_charts,
    "Additivity": additivity_charts,
    "Audit": audit_charts,
    "TaskNash": task_nash_charts,
}
"""Who draws which class of results."""
