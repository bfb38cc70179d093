"""The view of a benchmark: its agents, its tasks, and the audit in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.aggregates.aggregate import Aggregates
from equipoise.aggregates.compare import Comparison
from equipoise.diagnostics import Diagnostic
from equipoise.flows.additivity import Additivity
from equipoise.nash.audit import Audit
from equipoise.nash.tasks import TaskNash
from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.disc import Place
from equipoise.report.charts.latent_map import LatentMap
from equipoise.report.charts.rank_strip import RankSpan, RankStrip
from equipoise.report.drawings import charts_of
from equipoise.report.view import NOTHING, Column, Row, TableView, View, decimal, text
from equipoise.results import jsonable

__all__ = ["RunTables", "benchmark_view"]


@dataclass(frozen=True, slots=True, eq=False)
class RunTables:
    """Aggregates over runs and the comparison that belongs to them."""

    aggregates: Aggregates
    comparison: Comparison


def benchmark_view(
    nash: TaskNash,
    audit: Audit,
    *,
    runs: RunTables | None = None,
    averages: Additivity | None = None,
    first: str = "agents",
    facts: Mapping[str, Any] | None = None,
) -> View:
    """Make the view; ``averages`` tell what they explain, ``first`` is the first table and the one that CSV holds."""
    tables = {
        "agents": TableView("agents", nash.frame().to_dicts(), _agent_columns(), "Agents, best first"),
        "tasks": TableView("tasks", _task_rows(nash, audit), _task_columns(audit), "Tasks, hardest first"),
    }
    if runs is not None:
        tables["aggregates"] = TableView("aggregates", _run_rows(runs), _run_columns(), "Aggregates over runs")
    ordered = [tables[first], *(table for name, table in tables.items() if name != first)]
    findings = {key: value for key, value in audit.summary().items() if key != "value"}
    document = {
        "method": "nash-average",
        "value": nash.value,
        "exploitability": nash.exploitability,
        "kkt": nash.kkt,
        "interval": jsonable(nash.interval),
        "audit": jsonable(findings),
        **({"verdict": jsonable(averages.summary())} if averages else {}),
        "params": jsonable(nash.params),
    }
    return View(
        tables=tuple(ordered),
        sentences=(*audit.words, *((averages.text,) if averages else ())),
        diagnostics=_notes(nash, audit, runs),
        document=document | dict(facts or {}),
        method=_how(nash, runs),
        charts=_charts(nash, audit, runs),
        cites=("nash_average", "audit", *(("aggregate", "compare") if runs else ())),
        title="Benchmark",
    )


def _charts(nash: TaskNash, audit: Audit, runs: RunTables | None) -> tuple[ChartView, ...]:
    """Nash against plain averages, the latent skills, and where there are runs, the ranks that they leave open."""
    charts = list(charts_of(nash))
    latent = audit.latent
    if len(latent.share) >= 2:
        agents = [Place(name, *map(float, at[:2])) for name, at in zip(audit.agents, latent.agents, strict=True)]
        tasks = [Place(name, *map(float, at[:2])) for name, at in zip(audit.tasks, latent.tasks, strict=True)]
        charts.append(LatentMap(agents, tasks, float(latent.share[:2].sum())))
    if runs is not None:
        places = runs.comparison.frame().to_dicts()
        ranks = [RankSpan(row["agent"], k + 1, row["rank_low"], row["rank_high"]) for k, row in enumerate(places)]
        charts.append(RankStrip(ranks, runs.comparison.interval.level))
    return tuple(charts)


def _notes(nash: TaskNash, audit: Audit, runs: RunTables | None) -> tuple[Diagnostic, ...]:
    """Every note once, whichever of the results carries it."""
    more = runs.aggregates.diagnostics if runs else ()
    return tuple(dict.fromkeys((*nash.diagnostics, *audit.diagnostics, *more)))


def _task_rows(nash: TaskNash, audit: Audit) -> list[dict[str, Any]]:
    found = {row["task"]: row for row in audit.frame().to_dicts()}
    extra = ("duplicate_of", "decides_top")
    return [row | {key: found[row["task"]][key] for key in extra} for row in nash.task_frame().to_dicts()]


def _agent_columns() -> list[Column]:
    return [
        Column("agent", text("agent"), right=False),
        Column("skill", _with_interval("skill", 3)),
        Column("Nash", _with_interval("agent_p", 3)),
        Column("plain average", decimal("uniform_skill", 3)),
    ]


def _task_columns(audit: Audit) -> list[Column]:
    columns = [
        Column("task", text("task"), right=False),
        Column("difficulty", _with_interval("difficulty", 3)),
        Column("Nash", _with_interval("task_p", 3)),
        Column("plain difficulty", decimal("uniform_difficulty", 3)),
        Column("decides the top", lambda row: "yes" if row["decides_top"] else "", right=False),
    ]
    if audit.redundant:
        columns.append(Column("duplicate of", lambda row: row["duplicate_of"] or "", right=False))
    return columns


def _with_interval(key: str, digits: int) -> Any:
    value, low, high = (decimal(f"{key}{end}", digits) for end in ("", "_low", "_high"))

    def cell(row: Row) -> str:
        return value(row) if low(row) == NOTHING else f"{value(row)} ({low(row)} … {high(row)})"

    return cell


def _run_rows(runs: RunTables) -> list[dict[str, Any]]:
    standing = {row["agent"]: row for row in runs.comparison.frame().to_dicts()}
    keys = ("rank_low", "rank_high", "group")
    return [row | {key: standing[row["agent"]][key] for key in keys} for row in runs.aggregates.frame().to_dicts()]


def _run_columns() -> list[Column]:
    return [
        Column("agent", text("agent"), right=False),
        Column("iqm", _with_interval("iqm", 3)),
        Column("median", decimal("median", 3)),
        Column("mean", decimal("mean", 3)),
        Column("optimality gap", decimal("optimality_gap", 3)),
        Column("rank", lambda row: _span(row["rank_low"], row["rank_high"])),
        Column("tied", text("group"), right=False),
    ]


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}–{high}"


def _how(nash: TaskNash, runs: RunTables | None) -> str:
    interval = f"; {nash.interval}s" if nash.interval else ""
    certificate = f"exploitability {max(nash.exploitability, 0.0):.0e}, entropy conditions {nash.kkt:.0e}"
    more = f" Aggregates in min-max units: {runs.aggregates.interval}s." if runs else ""
    return f"Nash averaging in {nash.params['units']} units{interval}; certificate: {certificate}.{more}"
