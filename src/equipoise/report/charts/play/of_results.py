"""Charts of what to play next, and of luck."""

from typing import TYPE_CHECKING

from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.drawing.lettering import PairName
from equipoise.report.charts.play.progress import PairGames, Progress
from equipoise.report.charts.play.variance_reduction import Reduction, VarianceReduction
from equipoise.report.views.view import digits_for, known

if TYPE_CHECKING:
    from equipoise.luck.luck_table import LuckTable
    from equipoise.schedule.plan import Plan

__all__ = ["luck_charts", "plan_charts"]


def plan_charts(result: "Plan") -> tuple[ChartView, ...]:
    """Draw what each pair has played and should still play."""
    rows = result.frame().to_dicts()
    pairs = [
        PairGames(PairName(row["first"], "vs", row["second"]), row["games"], row["play"], row["verdict"] != "undecided")
        for row in rows
    ]
    return (Progress(pairs),)


def luck_charts(result: "LuckTable") -> tuple[ChartView, ...]:
    """Draw the win per hand, and how much luck was taken out."""
    rows = result.frame().to_dicts()
    spans = [Span(row["agent"], *(known(row[key]) for key in ("estimate", "low", "high"))) for row in rows]
    cuts = [Reduction(row["agent"], known(row["reduction"]), known(row["multiplier"])) for row in rows]
    return (Forest(spans, "win per hand", str(result.interval), digits_for(result.stderr)), VarianceReduction(cuts))


CHARTS = {"LuckTable": luck_charts, "Plan": plan_charts}
"""Who draws which class of results."""
