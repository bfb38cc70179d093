"""Charts of a table of scores: repeated runs, which agents and tasks have weight in it, and residual interactions.

Of runs: aggregates, profiles, learning curves and comparisons.
"""

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.core.results import FloatArray, Result
from equipoise.report.charts.boards.rank_strip import RankSpan, RankStrip
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.drawing.lettering import PairName
from equipoise.report.charts.games.disc import Place
from equipoise.report.charts.games.nash_averages import Averages, NashAgents, NashTasks
from equipoise.report.charts.games.split import Split
from equipoise.report.charts.scores.aggregates import PANELS, AggregateRow, AggregatesChart
from equipoise.report.charts.scores.improvement import Chance, ProbabilityOfImprovement
from equipoise.report.charts.scores.latent_map import LatentMap
from equipoise.report.charts.scores.run_lines import LearningCurvesChart as LearningChart
from equipoise.report.charts.scores.run_lines import PerformanceProfiles, RunLine
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.aggregates.aggregate import Aggregates
    from equipoise.aggregates.compare import Comparison
    from equipoise.aggregates.profiles import PerformanceProfile
    from equipoise.analyses.scores.learning import LearningCurves
    from equipoise.flows.additivity import Additivity
    from equipoise.nash.audit import Audit
    from equipoise.nash.tasks import TaskNash


FEW_PAIRS = 15
"""Of so many pairs of agents all are drawn."""


def aggregate_charts(result: "Aggregates") -> tuple[ChartView, ...]:
    """Draw the aggregates of each agent with their intervals."""
    rows = [
        AggregateRow(row["agent"], {key: _span(row, key) for key in PANELS})
        for row in result.frame().to_dicts()
        if all(known(row[key]) is not None for key in PANELS)
    ]
    return (AggregatesChart(rows, scores_in(result), str(result.interval)),) if rows else ()


def _span(row: dict[str, Any], key: str) -> tuple[float, float | None, float | None]:
    return row[key], known(row[f"{key}_low"]), known(row[f"{key}_high"])


def profile_charts(result: "PerformanceProfile") -> tuple[ChartView, ...]:
    """Put the agent with the largest area under its curve first."""
    lines = _run_lines(result.agents, -result.share.mean(axis=1), result.share, result.low, result.high)
    return (PerformanceProfiles(result.thresholds.tolist(), lines, scores_in(result), str(result.interval)),)


def learning_charts(result: "LearningCurves") -> tuple[ChartView, ...]:
    """Put the agent that ends highest first."""
    lines = _run_lines(result.agents, -result.iqm[:, -1], result.iqm, result.low, result.high)
    quantity = f"interquartile mean ({scores_in(result)} units)"
    return (LearningChart(result.steps.tolist(), lines, quantity, str(result.interval)),)


def _run_lines(agents: tuple[str, ...], order: FloatArray, *parts: FloatArray) -> list[RunLine]:
    """Give a line for each agent, the smallest number of ``order`` first."""
    return [
        RunLine(agents[i], *([known(end) for end in part[i]] for part in parts))
        for i in np.argsort(order, kind="stable")
    ]


def comparison_charts(result: "Comparison") -> tuple[ChartView, ...]:
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


def task_nash_charts(result: "TaskNash") -> tuple[ChartView, ...]:
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
    return (NashAgents(agents, f"average score, {units}"), NashTasks(tasks, f"difficulty, {units}"))


def additivity_charts(result: "Additivity") -> tuple[ChartView, ...]:
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


def audit_charts(result: "Audit") -> tuple[ChartView, ...]:
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
