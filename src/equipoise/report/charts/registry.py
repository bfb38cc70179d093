"""The charts of a result and the cells behind it, for views: they load when somebody draws or opens them."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from equipoise.core.results import Result

if TYPE_CHECKING:
    from equipoise.data.types.scores import Scores
    from equipoise.report.charts.drawing.canvas import ChartView


def charts_of(result: Result) -> tuple["ChartView", ...]:
    """Give the charts of a result; none for a result that is only a table."""
    for each in type(result).__mro__:
        module = _drawn_in(each.__name__) if each.__module__.startswith("equipoise.") else None
        if module is not None:
            drawn: tuple[ChartView, ...] = module.CHARTS[each.__name__](result)
            return drawn
    return ()


def _drawn_in(name: str) -> ModuleType | None:
    """Give the module that draws a class of results, by its name, of which there is one; it loads when one is drawn."""
    match name:
        case "AlphaRank" | "AlphaSweep" | "ResponseGraph" | "Schur" | "AgentNash" | "Melo" | "Transitivity":
            from equipoise.report.charts.games import games_results

            return games_results
        case "AlphaRankBounds" | "Replicator":
            from equipoise.report.charts.games import masses

            return masses
        case "IRT" | "Generality":
            from equipoise.report.charts.items import items_results

            return items_results
        case "LuckTable" | "Plan" | "SampleSizes":
            from equipoise.report.charts.play import play_results

            return play_results
        case "Aggregates" | "Comparison" | "PerformanceProfile" | "LearningCurves":
            from equipoise.report.charts.scores import scores_results

            return scores_results
        case "Additivity" | "Audit" | "TaskNash":
            from equipoise.report.charts.scores import scores_results

            return scores_results
        case _:
            return None


def cell_details(scores: "Scores", agents: Sequence[str]) -> Mapping[str, object]:
    """Give the scores that a click opens, agents in this order."""
    from equipoise.report.views.details import score_details

    return score_details(scores, agents)
