"""The charts of a result and the cells behind it, for views: they load when somebody draws or opens them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from equipoise.results import Result

if TYPE_CHECKING:
    from equipoise.data.scores import Scores
    from equipoise.report.charts.canvas import ChartView

__all__ = ["cell_details", "charts_of"]


def charts_of(result: Result) -> tuple["ChartView", ...]:
    """Give the charts of a result; none for a result that is only a table."""
    from equipoise.report import result_charts

    return result_charts.charts_of(result)


def cell_details(scores: "Scores", agents: Sequence[str]) -> Mapping[str, object]:
    """Give the scores that a click opens, agents in this order."""
    from equipoise.report.details import score_details

    return score_details(scores, agents)
