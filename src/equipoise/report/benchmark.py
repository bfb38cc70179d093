"""The view of a benchmark: its agents, its tasks, and the audit in words."""

from collections.abc import Sequence
from functools import partial

from equipoise.analyses.benchmark import Benchmark
from equipoise.errors import ParameterError
from equipoise.flows.additivity import Additivity
from equipoise.report.charts.canvas import ChartView
from equipoise.report.drawing import charts_of
from equipoise.report.view import NOTHING, Cell, Column, Row, TableView, View, decimal, signed, span, text
from equipoise.results import jsonable
from equipoise.wording import Option

__all__ = ["additivity_view", "benchmark_view"]


def benchmark_view(benchmark: Benchmark, first: str = "agents") -> View:
    """Make the view; ``first`` is the table that stands first, and the one that CSV holds."""
    nash, runs = benchmark.nash, benchmark.run_frame()
    units = str(nash.params["units"])
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
            "aggregates", rows, _run_columns(), "Aggregates over runs",
            dict.fromkeys(runs.columns[1:-3], "min-max units"),
        )  # fmt: skip
    if first not in tables:
        raise ParameterError("there is no table of aggregates; ask for it with ", Option("aggregates", value=True))
    return View(
        tables=(tables[first], *(table for name, table in tables.items() if name != first)),
        sentences=benchmark.words,
        diagnostics=benchmark.diagnostics,
        document={"method": "nash-average", **jsonable(benchmark.summary()), "params": jsonable(nash.params)},
        units={"value": f"{units} units", "exploitability": f"{units} units"},
        method=_how(benchmark),
        charts=partial(_charts, benchmark),
        cites=("nash_average", "audit", *(("aggregate", "compare") if runs is not None else ())),
        title="Benchmark",
        data=partial(benchmark.origin.facts, benchmark.data),
    )


def additivity_view(result: Additivity) -> View:
    """Show how far averages explain the scores."""
    units = result.params["units"]
    columns = [
        Column("agent", text("agent"), right=False),
        Column("average skill", signed("skill", 3)),
        Column("latent ability", signed("ability", 3)),
    ]
    return View(
        tables=(TableView("averages", result.frame().to_dicts(), columns, "Averages, best first"),),
        sentences=result.words,
        diagnostics=result.diagnostics,
        document={"method": "additivity", **jsonable(result.summary()), "params": jsonable(result.params)},
        method=f"Averages of agents and tasks and the singular values of the rest, in {units} units.",
        charts=partial(charts_of, result),
        title="Averages",
    )


def _units(table: str, units: str) -> dict[str, str]:
    worth = ("skill", "uniform_skill") if table == "agents" else ("difficulty", "uniform_difficulty")
    ends = [f"{name}{end}" for name in worth for end in ("", "_low", "_high")]
    mass = [f"{'agent' if table == 'agents' else 'task'}_p{end}" for end in ("", "_low", "_high")]
    return dict.fromkeys(ends, f"{units} units") | dict.fromkeys(mass, "share")


def _charts(benchmark: Benchmark) -> Sequence[ChartView]:
    """Aggregates of runs first, where there are any; then averages, what they explain, and latent skills."""
    audit = benchmark.audit
    charts = [] if benchmark.aggregates is None else [*charts_of(benchmark.aggregates)]
    charts += [] if benchmark.comparison is None else charts_of(benchmark.comparison)
    charts += charts_of(benchmark.nash)
    if benchmark.additivity is not None:
        charts += [chart for chart in charts_of(benchmark.additivity) if chart.name == "split"]
    return [*charts, *(chart for chart in charts_of(audit) if chart.name == "latent-skills")]


def _agent_columns() -> list[Column]:
    return [
        Column("agent", text("agent"), right=False),
        Column("skill", _with_interval("skill", 3)),
        Column("Nash", _with_interval("agent_p", 3)),
        Column("plain average", decimal("uniform_skill", 3)),
    ]


def _task_columns(benchmark: Benchmark) -> list[Column]:
    columns = [
        Column("task", text("task"), right=False),
        Column("difficulty", _with_interval("difficulty", 3)),
        Column("Nash", _with_interval("task_p", 3)),
        Column("plain difficulty", decimal("uniform_difficulty", 3)),
        Column("decides the top", lambda row: "yes" if row["decides_top"] else "", right=False),
    ]
    if benchmark.audit.redundant:
        columns.append(Column("duplicate of", lambda row: row["duplicate_of"] or "", right=False))
    return columns


def _run_columns() -> list[Column]:
    return [
        Column("agent", text("agent"), right=False),
        Column("iqm", _with_interval("iqm", 3)),
        Column("median", decimal("median", 3)),
        Column("mean", decimal("mean", 3)),
        Column("optimality gap", decimal("optimality_gap", 3)),
        Column("rank", span("rank_low", "rank_high")),
        Column("tied", text("group"), right=False),
    ]


def _with_interval(key: str, digits: int) -> Cell:
    value, low, high = (decimal(f"{key}{end}", digits) for end in ("", "_low", "_high"))

    def cell(row: Row) -> str:
        return value(row) if low(row) == NOTHING else f"{value(row)} ({low(row)} … {high(row)})"

    return cell


def _how(benchmark: Benchmark) -> str:
    nash, aggregates = benchmark.nash, benchmark.aggregates
    interval = f"; {nash.interval}s" if nash.interval else ""
    certificate = f"exploitability {max(nash.exploitability, 0.0):.0e}, entropy conditions {nash.kkt:.0e}"
    more = f" Aggregates in min-max units: {aggregates.interval}s." if aggregates else ""
    return f"Nash averaging in {nash.params['units']} units{interval}; certificate: {certificate}.{more}"
