"""Results that draw themselves in a notebook."""

from functools import singledispatch

from equipoise.errors import MissingDependencyError
from equipoise.luck.outcome import LuckTable
from equipoise.ratings.bradley_terry import BradleyTerry
from equipoise.ratings.elo import Elo
from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.images import inline_svg
from equipoise.report.leaderboard import Scale, leaderboard
from equipoise.report.luck import luck_view
from equipoise.results import Result

__all__ = ["charts_of", "drawing"]

WIDTH = 640
STYLE = "background: #ffffff; max-width: 100%; overflow-x: auto"
"""Charts lie on white paper: nothing tells which theme a notebook has."""


def drawing(result: Result) -> str:
    """Give the result's charts as HTML; nothing where it has none, or charts are not installed."""
    try:
        drawn = [f'<div style="{STYLE}">{inline_svg(chart, WIDTH)}</div>' for chart in charts_of(result)]
    except MissingDependencyError:
        return ""
    return "".join(drawn)


@singledispatch
def charts_of(_: Result) -> tuple[ChartView, ...]:
    """Give the charts of a result, the most telling first; none for a result that is only a table."""
    return ()


@charts_of.register(BradleyTerry)
@charts_of.register(Elo)
def _(result: BradleyTerry | Elo) -> tuple[ChartView, ...]:
    return leaderboard(result, Scale()).charts


@charts_of.register
def _(result: LuckTable) -> tuple[ChartView, ...]:
    return luck_view(result).charts
