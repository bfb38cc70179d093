"""Results that draw themselves in a notebook."""

from equipoise.analyses.analysis import Analysis
from equipoise.errors import MissingDependencyError
from equipoise.ratings.bradley_terry import BradleyTerry
from equipoise.ratings.elo import Elo
from equipoise.ratings.melo import Melo
from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.images import inline_svg
from equipoise.report.drawing import charts_of
from equipoise.report.leaderboard import rating_charts
from equipoise.report.views import view_of
from equipoise.results import Result

__all__ = ["drawing"]

WIDTH = 640
STYLE = "background: #ffffff; max-width: 100%; overflow-x: auto"
"""Charts lie on white paper: nothing tells which theme a notebook has."""


def drawing(result: Result) -> str:
    """Give the result's charts as HTML; nothing where it has none, or charts are not installed."""
    try:
        drawn = [f'<div style="{STYLE}">{inline_svg(chart, WIDTH)}</div>' for chart in _charts(result)]
    except MissingDependencyError:
        return ""
    return "".join(drawn)


def _charts(result: Result) -> tuple[ChartView, ...]:
    if isinstance(result, Analysis):
        return tuple(view_of(result).charts())
    return rating_charts(result) if isinstance(result, BradleyTerry | Elo | Melo) else charts_of(result)
