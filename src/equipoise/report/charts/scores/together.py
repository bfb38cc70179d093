"""The charts of a whole benchmark, in one order of agents and one unit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from equipoise.analyses.scores.benchmark import Benchmark
from equipoise.analyses.scores.score_board import ScoreBoard
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.games.nash_averages import NashAgents, NashTasks
from equipoise.report.charts.registry import charts_of
from equipoise.report.charts.scores.aggregates import AggregatesChart
from equipoise.report.charts.scores.improvement import ProbabilityOfImprovement
from equipoise.report.charts.scores.scores_results import PerformanceProfiles


def benchmark_charts(benchmark: Benchmark, called: Mapping[str, str]) -> Sequence[ChartView]:
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


def _in_order(chart: ChartView, board: ScoreBoard, statistic: str) -> ChartView:
    """Put agents in the order of the board, so that a page has one."""
    order = [board.agents[i] for i in board.order]
    if isinstance(chart, PerformanceProfiles):
        lines = sorted(chart.lines, key=lambda line: order.index(line.name))
        return replace(chart, lines=lines, best=statistic)
    return replace(chart, order=order) if isinstance(chart, ProbabilityOfImprovement) else chart


def _normalised(chart: ChartView) -> ChartView:
    """Name the units that scores were brought to before the methods saw them."""
    if isinstance(chart, AggregatesChart):
        return replace(chart, units="normalised")
    if isinstance(chart, PerformanceProfiles):
        return replace(chart, quantity="normalised")
    if isinstance(chart, NashTasks):
        return replace(chart, quantity="difficulty, in normalised units")
    return replace(chart, quantity="average score, in normalised units") if isinstance(chart, NashAgents) else chart
