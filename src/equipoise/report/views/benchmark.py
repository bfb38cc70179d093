"""The view of a benchmark: its agents, its tasks, and the audit in words; and of a performance profile.

Of a profile the shares at a few scores are shown; the chart and the frame have them all.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from equipoise.analyses.analysis import counts_of
from equipoise.analyses.scores.benchmark import Benchmark
from equipoise.core.results import jsonable
from equipoise.flows.additivity import Additivity
from equipoise.report.charts.registry import cell_details, charts_of
from equipoise.report.views import cells
from equipoise.report.views.view import NOTHING, Card, Cell, Column, Row, TableView, View, answer_of

if TYPE_CHECKING:
    from equipoise.aggregates.profiles import PerformanceProfile
    from equipoise.report.charts.drawing.canvas import ChartView


DIFFICULTY = ("difficulty_low", "difficulty", "difficulty_high")
TOGETHER = {
    "nash-agents": "agents", "nash-tasks": "tasks", "aggregates": "aggregates", "ranks": "aggregates",
    "performance-profile": "aggregates", "improvement": "improvement", "learning-curves": "learning",
}  # fmt: skip
"""Which table each chart is a picture of."""


def benchmark_view(benchmark: Benchmark) -> View:
    """Make the view; the agents' table is the main one."""
    nash, runs = benchmark.nash, benchmark.run_frame()
    units = _units_of(benchmark)
    tables = {
        "agents": TableView(
            "agents", benchmark.frame().to_dicts(), _agent_columns(), "Agents, best first", _units("agents", units)
        ),
        "tasks": TableView(
            "tasks", benchmark.task_frame().to_dicts(), _task_columns(benchmark), "Tasks, hardest first",
            _units("tasks", units),
        ),
    }  # fmt: skip
    if runs is not None:
        rows = runs.to_dicts()
        tables["aggregates"] = TableView(
            "aggregates", rows, _run_columns(), f"Aggregate scores, in {benchmark.run_units} units",
            dict.fromkeys(runs.columns[1:-3], f"{benchmark.run_units} units"),
        )  # fmt: skip
    pairs = benchmark.improvement_frame()
    if pairs is not None:
        improved = ("improvement", "improvement_low", "improvement_high")
        worth = ("difference", "difference_low", "difference_high")
        tables["improvement"] = TableView(
            "improvement", pairs.to_dicts(), _improvement_columns(), "Probability of improvement",
            dict.fromkeys(improved, "share") | dict.fromkeys(worth, f"{benchmark.run_units} units"),
        )  # fmt: skip
    if benchmark.learning is not None:
        steps = dict.fromkeys(("reached", "earliest", "latest"), "steps")
        tables["learning"] = TableView(
            "learning", benchmark.learning.efficiency_frame().to_dicts(), _learning_columns(),
            f"Steps to reach an interquartile mean of {benchmark.learning.target:.3f}",
            steps | {"final_iqm": f"{benchmark.run_units} units"},
        )  # fmt: skip
    return View(
        tables=tuple(tables.values()),
        sentences=benchmark.answer,
        diagnostics=benchmark.diagnostics,
        document={
            "method": "nash-average",
            **jsonable(benchmark.summary()),
            "params": jsonable(nash.params),
        },
        further=partial(_lines, benchmark),
        units={"value": f"{units} units", "exploitability": f"{units} units"},
        method=_how(benchmark),
        charts=partial(_charts, benchmark),
        cites=(
            "nash_average",
            "audit",
            *(("aggregate", "probability_of_improvement", "performance_profile") if runs is not None else ()),
        ),
        title="Benchmark",
        data=partial(benchmark.origin.facts, benchmark.data),
        card=partial(_card, benchmark),
        together=TOGETHER,
        details=partial(cell_details, benchmark.data, benchmark.frame()["agent"].to_list()),
    )


def _lines(benchmark: Benchmark) -> dict[str, Any]:
    """What charts draw as lines: performance profiles and learning curves."""
    drawn = {"profile": benchmark.profile, "curves": benchmark.learning}
    return {name: result.frame().to_dicts() for name, result in drawn.items() if result is not None}


def _card(benchmark: Benchmark) -> Card:
    best = benchmark.leaders
    tied = "Tied at the top" if set(best) == set(benchmark.nash.top) else "Not significantly different at the top"
    label = "Winner" if len(best) == 1 else tied
    return Card(label, best, benchmark.answer, counts=counts_of(benchmark.data))


def additivity_view(result: Additivity) -> View:
    """Show how far averages explain the scores."""
    units = result.params["units"]
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("mean score", cells.signed("skill", 3)),
        Column("latent ability", cells.signed("ability", 3)),
    ]
    return View(
        tables=(TableView("averages", result.frame().to_dicts(), columns, "Averages, best first"),),
        **answer_of(result, "additivity"),
        method=f"Averages of agents and tasks and the singular values of residual interactions, in {units} units.",
        charts=partial(charts_of, result),
        title="Averages",
    )


def _units(table: str, units: str) -> dict[str, str]:
    worth = ("skill", "uniform_skill") if table == "agents" else ("difficulty", "uniform_difficulty")
    ends = [f"{name}{end}" for name in worth for end in ("", "_low", "_high")]
    mass = [f"{'agent' if table == 'agents' else 'task'}_p{end}" for end in ("", "_low", "_high")]
    return dict.fromkeys(ends, f"{units} units") | dict.fromkeys(mass, "share")


def _charts(benchmark: Benchmark) -> "Sequence[ChartView]":
    """What runs say first, where there are any; then averages, what they explain, and residual interactions."""
    audit = benchmark.audit
    over_runs = (benchmark.aggregates, benchmark.comparison, benchmark.profile, benchmark.learning)
    charts = [chart for result in over_runs if result is not None for chart in charts_of(result)]
    charts += charts_of(benchmark.nash)
    if benchmark.run_units == "normalised":
        charts = [_normalised(chart) for chart in charts]
    if benchmark.additivity is not None:
        charts += [chart for chart in charts_of(benchmark.additivity) if chart.name == "split"]
    return [*charts, *(chart for chart in charts_of(audit) if chart.name == "latent-skills")]


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


def _units_of(benchmark: Benchmark) -> str:
    return benchmark.run_units if benchmark.run_units == "normalised" else str(benchmark.nash.params["units"])


def _agent_columns() -> list[Column]:
    return [
        Column("agent", cells.text("agent"), right=False),
        Column("Nash average", _with_interval("skill", 3), right=False, bar=("skill_low", "skill", "skill_high")),
        Column("Nash", _with_interval("agent_p", 3), drop=2),
        Column("mean score", cells.decimal("uniform_skill", 3), drop=1),
    ]


def _task_columns(benchmark: Benchmark) -> list[Column]:
    full = benchmark.nash.full
    columns = [
        Column("task", cells.text("task"), right=False),
        Column("difficulty", _with_interval("difficulty", 3, full), right=False, bar=DIFFICULTY),
        Column("Nash", _with_interval("task_p", 3), drop=4),
        Column("mean difficulty", cells.decimal("uniform_difficulty", 3, full), drop=3),
        Column("changes leader", lambda row: "yes" if row["decides_top"] else "", right=False, drop=1),
    ]
    if benchmark.audit.redundant:
        columns.append(Column("redundant with", lambda row: row["duplicate_of"] or "", right=False, drop=2))
    return columns


def _run_columns() -> list[Column]:
    return [
        Column("agent", cells.text("agent"), right=False),
        Column("iqm", _with_interval("iqm", 3), right=False, bar=("iqm_low", "iqm", "iqm_high")),
        Column("median", _with_interval("median", 3), drop=3),
        Column("mean", _with_interval("mean", 3), drop=1),
        Column("optimality gap", _with_interval("optimality_gap", 3), drop=2),
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("tied", cells.text("group"), right=False, drop=4),
    ]


def _improvement_columns() -> list[Column]:
    """Read along a row: how often a run of the first beats one of the second, and by what it leads."""
    return [
        Column("agent", cells.text("agent"), right=False),
        Column("against", cells.text("other"), right=False),
        Column("P(improvement)", cells.percent("improvement")),
        Column("interval", cells.ends(cells.percent, "improvement"), right=False),
        Column("difference in IQM", _with_interval("difference", 3)),
        Column("not significant", lambda row: "yes" if row["tied"] else "", right=False),
    ]


def _learning_columns() -> list[Column]:
    return [
        Column("agent", cells.text("agent"), right=False),
        Column("steps", cells.count("reached")),
        Column("interval", lambda row: f"{cells.count('earliest')(row)} to {cells.count('latest')(row)}", right=False),
        Column("final IQM", cells.decimal("final_iqm", 3)),
    ]


def _with_interval(key: str, digits: int, more: float = 0.0) -> Cell:
    value, low, high = (cells.decimal(f"{key}{end}", digits, more) for end in ("", "_low", "_high"))

    def cell(row: Row) -> str:
        return value(row) if low(row) == NOTHING else f"{value(row)} ({low(row)} to {high(row)})"

    return cell


def _how(benchmark: Benchmark) -> str:
    nash, aggregates = benchmark.nash, benchmark.aggregates
    spread = f"; {nash.interval}s" if nash.interval else ""
    check = f"exploitability {max(nash.exploitability, 0.0):.0e}, entropy conditions {nash.kkt:.0e}"
    more = f" Aggregate scores in {benchmark.run_units} units: {aggregates.interval}s." if aggregates else ""
    return f"Nash averaging in {_units_of(benchmark)} units{spread}; solver check: {check}.{more}"


SHOWN = 5
"""Thresholds in the table, evenly over all of them."""


def profile_view(result: "PerformanceProfile") -> View:
    """Show what share of each agent's runs is above a few scores, the agent with the largest shares first."""
    last = len(result.thresholds) - 1
    chosen = sorted({round(k * last / (SHOWN - 1)) for k in range(SHOWN)})
    headings = {f"above {result.thresholds[k]:.3g}": k for k in chosen}
    order = sorted(range(len(result.agents)), key=lambda i: -float(result.share[i].mean()))
    rows: list[dict[str, Any]] = [
        {"agent": result.agents[i], **{heading: float(result.share[i, k]) for heading, k in headings.items()}}
        for i in order
    ]
    columns = [
        Column("agent", cells.text("agent"), right=False),
        *(Column(name, cells.percent(name)) for name in headings),
    ]
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


VIEWS = {"Benchmark": benchmark_view, "Additivity": additivity_view, "PerformanceProfile": profile_view}
"""Who shows which class of results."""
