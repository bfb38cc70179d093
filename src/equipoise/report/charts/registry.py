"""The charts of a result and the cells behind it, for views: they load when somebody draws or opens them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from equipoise.core.results import Result
from equipoise.report.views.by_class import written_for

if TYPE_CHECKING:
    from equipoise.data.types.scores import Scores
    from equipoise.report.charts.drawing.canvas import ChartView

__all__ = ["CHARTS_FOR", "cell_details", "charts_of"]

CHARTS_FOR: Mapping[str, str] = {
    "equipoise.aggregates.aggregate.Aggregates": "equipoise.report.charts.scores.of_runs.aggregate_charts",
    "equipoise.aggregates.compare.Comparison": "equipoise.report.charts.scores.of_runs.comparison_charts",
    "equipoise.aggregates.profiles.PerformanceProfile": "equipoise.report.charts.scores.of_runs.profile_charts",
    "equipoise.alpharank.alpha_rank.AlphaRank": "equipoise.report.charts.games.of_results.mass_charts",
    "equipoise.alpharank.alpha_sweep.AlphaSweep": "equipoise.report.charts.games.of_results.sweep_charts",
    "equipoise.alpharank.response_graph.ResponseGraph": "equipoise.report.charts.games.of_results.graph_charts",
    "equipoise.analyses.scores.learning.LearningCurves": "equipoise.report.charts.scores.of_runs.learning_charts",
    "equipoise.flows.additivity.Additivity": "equipoise.report.charts.scores.of_tasks.additivity_charts",
    "equipoise.flows.schur.Schur": "equipoise.report.charts.games.of_results.disc_charts",
    "equipoise.items.result.IRT": "equipoise.report.charts.items.of_results.irt_charts",
    "equipoise.items.generality.generality.Generality": "equipoise.report.charts.items.of_results.generality_charts",
    "equipoise.luck.luck_table.LuckTable": "equipoise.report.charts.play.of_results.luck_charts",
    "equipoise.nash.agents.AgentNash": "equipoise.report.charts.games.of_results.nash_charts",
    "equipoise.nash.audit.Audit": "equipoise.report.charts.scores.of_tasks.audit_charts",
    "equipoise.nash.tasks.TaskNash": "equipoise.report.charts.scores.of_tasks.task_nash_charts",
    "equipoise.ratings.online.melo.Melo": "equipoise.report.charts.games.of_results.melo_charts",
    "equipoise.ratings.transitivity.transitivity.Transitivity": (
        "equipoise.report.charts.games.of_results.transitivity_charts"
    ),
    "equipoise.schedule.plan.Plan": "equipoise.report.charts.play.of_results.plan_charts",
}
"""Classes of results, and who makes their charts."""


def charts_of(result: Result) -> tuple["ChartView", ...]:
    """Give the charts of a result; none for a result that is only a table."""
    draw = written_for(type(result), CHARTS_FOR)
    return () if draw is None else draw(result)


def cell_details(scores: "Scores", agents: Sequence[str]) -> Mapping[str, object]:
    """Give the scores that a click opens, agents in this order."""
    from equipoise.report.views.details import score_details

    return score_details(scores, agents)
