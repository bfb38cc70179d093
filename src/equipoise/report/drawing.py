"""The charts of a result and the cells behind it, for views: they load when somebody draws or opens them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from equipoise.report.by_class import written_for
from equipoise.results import Result

if TYPE_CHECKING:
    from equipoise.data.scores import Scores
    from equipoise.report.charts.canvas import ChartView

__all__ = ["CHARTS_FOR", "cell_details", "charts_of"]

CHARTS_FOR: Mapping[str, str] = {
    "equipoise.aggregates.aggregate.Aggregates": "equipoise.report.result_charts.runs.aggregate_charts",
    "equipoise.aggregates.compare.Comparison": "equipoise.report.result_charts.runs.comparison_charts",
    "equipoise.aggregates.profiles.PerformanceProfile": "equipoise.report.result_charts.runs.profile_charts",
    "equipoise.alpharank.alpha_rank.AlphaRank": "equipoise.report.result_charts.games.mass_charts",
    "equipoise.alpharank.alpha_sweep.AlphaSweep": "equipoise.report.result_charts.games.sweep_charts",
    "equipoise.alpharank.response_graph.ResponseGraph": "equipoise.report.result_charts.games.graph_charts",
    "equipoise.analyses.learning.LearningCurves": "equipoise.report.result_charts.runs.learning_charts",
    "equipoise.flows.additivity.Additivity": "equipoise.report.result_charts.tasks.additivity_charts",
    "equipoise.flows.schur.Schur": "equipoise.report.result_charts.games.disc_charts",
    "equipoise.items.irt_result.IRT": "equipoise.report.result_charts.items.irt_charts",
    "equipoise.items.generality.Generality": "equipoise.report.result_charts.items.generality_charts",
    "equipoise.luck.luck_table.LuckTable": "equipoise.report.result_charts.play.luck_charts",
    "equipoise.nash.agents.AgentNash": "equipoise.report.result_charts.games.nash_charts",
    "equipoise.nash.audit.Audit": "equipoise.report.result_charts.tasks.audit_charts",
    "equipoise.nash.tasks.TaskNash": "equipoise.report.result_charts.tasks.task_nash_charts",
    "equipoise.ratings.melo.Melo": "equipoise.report.result_charts.games.melo_charts",
    "equipoise.ratings.transitivity.Transitivity": "equipoise.report.result_charts.games.transitivity_charts",
    "equipoise.schedule.plan.Plan": "equipoise.report.result_charts.play.plan_charts",
}
"""Classes of results, and who makes their charts."""


def charts_of(result: Result) -> tuple["ChartView", ...]:
    """Give the charts of a result; none for a result that is only a table."""
    draw = written_for(type(result), CHARTS_FOR)
    return () if draw is None else draw(result)


def cell_details(scores: "Scores", agents: Sequence[str]) -> Mapping[str, object]:
    """Give the scores that a click opens, agents in this order."""
    from equipoise.report.details import score_details

    return score_details(scores, agents)
