"""Results that draw themselves in a notebook."""

from equipoise.errors import MissingDependencyError
from equipoise.ratings.bradley_terry import BradleyTerry
from equipoise.ratings.elo import Elo
from equipoise.ratings.melo import Melo
from equipoise.report.charts.images import inline_svg
from equipoise.report.drawings import charts_of
from equipoise.report.leaderboard import Scale, leaderboard
from equipoise.results import Result

__all__ = ["drawing"]

WIDTH = 640
STYLE = "background: #ffffff; max-width: 100%; overflow-x: auto"
"""Charts lie on white paper: nothing tells which theme a notebook has."""


def drawing(result: Result) -> str:
    """Give the result's charts as HTML; nothing where it has none, or charts are not installed."""
    charts = leaderboard(result, Scale()).charts if isinstance(result, BradleyTerry | Elo | Melo) else charts_of(result)
    try:
        drawn = [f'<div style="{STYLE}">{inline_svg(chart, WIDTH)}</div>' for chart in charts]
    except MissingDependencyError:
        return ""
    return "".join(drawn)
