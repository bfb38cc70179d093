"""Charts of repeated runs: aggregates, profiles, learning curves and comparisons."""

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.report.charts.boards.rank_strip import RankSpan, RankStrip
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.drawing.lettering import PairName
from equipoise.report.charts.scores.aggregates import PANELS, AggregateRow, AggregatesChart
from equipoise.report.charts.scores.improvement import Chance, ProbabilityOfImprovement
from equipoise.report.charts.scores.of_tasks import scores_in
from equipoise.report.charts.scores.run_lines import LearningCurves as LearningChart
from equipoise.report.charts.scores.run_lines import PerformanceProfiles, RunLine
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.aggregates.aggregate import Aggregates
    from equipoise.aggregates.compare import Comparison
    from equipoise.aggregates.profiles import PerformanceProfile
    from equipoise.analyses.scores.learning import LearningCurves

__all__ = ["aggregate_charts", "comparison_charts", "learning_charts", "profile_charts"]

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
    """The ranks that the comparisons allow, then the pairs: neighbours, then open ones; of many, only these."""
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
    telling = sum(not (apart and settled) for (apart, settled, *_), _ in listed)
    level = f"{100 * result.interval.level:g}% Wilson interval"
    return RankStrip(ranks, result.interval.level), ProbabilityOfImprovement(
        pairs, level, telling if len(pairs) > FEW_PAIRS else None
    )


CHARTS = {
    "Aggregates": aggregate_charts,
    "Comparison": comparison_charts,
    "PerformanceProfile": profile_charts,
    "LearningCurves": learning_charts,
}
"""Who draws which class of results."""
