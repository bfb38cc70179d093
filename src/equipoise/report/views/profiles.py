"""The charts of a benchmark in one order, and performance profiles: the share of runs above each score."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from equipoise.core.results import jsonable
from equipoise.report.charts.registry import charts_of
from equipoise.report.views import cells
from equipoise.report.views.view import Column, Row, TableView, View

if TYPE_CHECKING:
    from equipoise.aggregates.profiles import PerformanceProfile
    from equipoise.analyses.scores.benchmark import Benchmark
    from equipoise.analyses.scores.score_board import ScoreBoard
    from equipoise.report.charts.drawing.canvas import ChartView

SHOWN = 5
"""Thresholds in the table, evenly over all of them."""


def benchmark_charts(benchmark: "Benchmark", called: Mapping[str, str]) -> "Sequence[ChartView]":
    """What runs say first, where there are any; then averages, what they explain, and residual interactions.

    ``called`` are the names of statistics.
    """
    board, audit = benchmark.board, benchmark.audit
    over_runs = (benchmark.aggregates, benchmark.comparison, benchmark.profile, benchmark.learning)
    found = [chart for result in over_runs if result is not None for chart in charts_of(result)]
    charts = [_in_order(chart, board, called[board.statistic]) for chart in found]
    charts += charts_of(benchmark.nash)
    if benchmark.run_units == "normalised":
        charts = [_normalised(chart) for chart in charts]
    if benchmark.additivity is not None:
        charts += [chart for chart in charts_of(benchmark.additivity) if chart.name == "split"]
    return [*charts, *(chart for chart in charts_of(audit) if chart.name == "latent-skills")]


def _in_order(chart: "ChartView", board: "ScoreBoard", statistic: str) -> "ChartView":
    """Put agents in the order of the board, so that a page has one."""
    from equipoise.report.charts.scores.improvement import ProbabilityOfImprovement
    from equipoise.report.charts.scores.scores_results import PerformanceProfiles

    order = [board.agents[i] for i in board.order]
    if isinstance(chart, PerformanceProfiles):
        lines = sorted(chart.lines, key=lambda line: order.index(line.name))
        return replace(chart, lines=lines, best=statistic)
    return replace(chart, order=order) if isinstance(chart, ProbabilityOfImprovement) else chart


def _normalised(chart: "ChartView") -> "ChartView":
    """Name the units that scores were brought to before the methods saw them."""
    from equipoise.report.charts.games.nash_averages import NashAgents, NashTasks
    from equipoise.report.charts.scores.aggregates import AggregatesChart
    from equipoise.report.charts.scores.scores_results import PerformanceProfiles

    if isinstance(chart, AggregatesChart):
        return replace(chart, units="normalised")
    if isinstance(chart, PerformanceProfiles):
        return replace(chart, quantity="normalised")
    if isinstance(chart, NashTasks):
        return replace(chart, quantity="difficulty, in normalised units")
    return replace(chart, quantity="average score, in normalised units") if isinstance(chart, NashAgents) else chart


def shares(result: "PerformanceProfile") -> list[Row]:
    """Give each agent's share of runs above a few scores, the agent with the largest shares first."""
    last = len(result.thresholds) - 1
    chosen = sorted({round(k * last / (SHOWN - 1)) for k in range(SHOWN)})
    headings = {f"above {result.thresholds[k]:.3g}": k for k in chosen}
    order = sorted(range(len(result.agents)), key=lambda i: -float(result.share[i].mean()))
    return [
        {"agent": result.agents[i], **{heading: float(result.share[i, k]) for heading, k in headings.items()}}
        for i in order
    ]


def share_columns(rows: Sequence[Row]) -> list[Column]:
    """Give a column for each of the scores."""
    names = [name for name in (rows[0] if rows else ()) if name != "agent"]
    return [Column("agent", cells.text("agent"), right=False), *(Column(name, cells.percent(name)) for name in names)]


def profile_view(result: "PerformanceProfile") -> View:
    """Show what share of each agent's runs is above a few scores, the agent with the largest shares first."""
    rows = shares(result)
    columns = share_columns(rows)
    headings = [column.heading for column in columns[1:]]
    return View(
        tables=(TableView("shares", rows, columns, "Share of runs above a score", dict.fromkeys(headings, "share")),),
        sentences=result.answer,
        diagnostics=result.diagnostics,
        document={
            "method": "performance_profile",
            "profile": jsonable(result.frame().to_dicts()),
            **jsonable(result.summary()),
            "params": jsonable(result.params),
        },
        method=f"Performance profiles; {result.interval}s, point by point.",
        charts=partial(charts_of, result),
        title="Performance profiles",
    )
