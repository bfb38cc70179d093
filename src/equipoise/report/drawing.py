"""The charts of a result, for views: what draws every kind of result loads every room, and waits until it draws."""

from typing import TYPE_CHECKING

from equipoise.results import Result

if TYPE_CHECKING:
    from equipoise.report.charts.canvas import ChartView

__all__ = ["charts_of"]


def charts_of(result: Result) -> tuple["ChartView", ...]:
    """Give the charts of a result; none for a result that is only a table."""
    from equipoise.report import result_charts

    return result_charts.charts_of(result)
