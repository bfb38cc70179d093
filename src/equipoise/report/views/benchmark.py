"""The view of a benchmark: its agents by one aggregate, and its tasks, runs and Nash averages when asked for."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from equipoise.aggregates.shared_runs import SHARED
from equipoise.analyses.analysis import counts_of
from equipoise.analyses.scores.benchmark import NASH_NOTES, Benchmark
from equipoise.core.diagnostics import has_code
from equipoise.core.results import jsonable
from equipoise.core.wording import counted
from equipoise.flows.additivity import Additivity
from equipoise.inference.pass_fail import is_pass_fail
from equipoise.report.charts.registry import cell_details, charts_of
from equipoise.report.views import cells
from equipoise.report.views.profiles import benchmark_charts, profile_view, share_columns, shares
from equipoise.report.views.view import (
    NOTHING,
    Card,
    Cell,
    Column,
    LaterColumns,
    LaterRows,
    Row,
    TableView,
    View,
    answer_of,
)

if TYPE_CHECKING:
    from equipoise.analyses.scores.by_task import ByTask


DIFFICULTY = ("difficulty_low", "difficulty", "difficulty_high")
TOGETHER = {
    "nash-agents": "nash", "nash-tasks": "tasks", "aggregates": "aggregates", "ranks": "agents",
    "performance-profile": "profile_shares", "improvement": "improvement", "learning-curves": "learning",
}  # fmt: skip
"""Which table each chart is a picture of."""
HEADINGS = {"iqm": "IQM", "mean": "mean", "median": "median", "mean_rank": "mean rank"}
UNIT_WORDS = {"min-max": "min–max normalised", "normalised": "normalised", "none": "scores as they are"}


def benchmark_view(benchmark: Benchmark) -> View:
    """Make the view; the agents' table is the main one, the others wait until they are asked for."""
    nash = benchmark.nash
    units = _units_of(benchmark)
    tables = [
        TableView(
            "agents", benchmark.frame().to_dicts(), _agent_columns(benchmark),
            units=_units("agents", units) | _board_units(benchmark, units),
        ),
        *_run_tables(benchmark),
        TableView(
            "tasks", benchmark.task_frame().to_dicts(), _task_columns(benchmark), "Tasks, hardest first",
            _units("tasks", units), aside=True, sentences=benchmark.task_answer,
        ),
        TableView(
            "nash", nash.frame().to_dicts(), _nash_columns(), "Nash averages, best first", _units("agents", units),
            aside=True, sentences=benchmark.nash_answer, method=_how(benchmark), concerns=NASH_NOTES,
        ),
    ]  # fmt: skip
    runs = benchmark.aggregates is not None
    return View(
        tables=tuple(tables),
        sentences=benchmark.answer,
        diagnostics=benchmark.diagnostics,
        document={
            "method": "nash-average",
            **jsonable(benchmark.summary()),
            "params": jsonable(nash.params),
        },
        further=partial(_lines, benchmark),
        units={"value": f"{units} units", "exploitability": f"{units} units"},
        method=_footer(benchmark),
        charts=partial(benchmark_charts, benchmark, HEADINGS),
        cites=(
            *(("aggregate", "probability_of_improvement", "performance_profile") if runs else ()),
            "nash_average",
            "audit",
        ),
        title="Benchmark",
        data=partial(benchmark.origin.facts, benchmark.data),
        card=partial(_card, benchmark),
        together=TOGETHER,
        details=partial(cell_details, benchmark.data, benchmark.frame()["agent"].to_list()),
        leads=("aggregates", "profile_shares", "improvement", "by_task", "learning") if runs else ("by_task",),
    )


def _run_tables(benchmark: Benchmark) -> list[TableView]:
    """Give what repeated runs say, or all pairs where there are none, and how fast agents learn."""
    units, runs, pairs = f"{benchmark.run_units} units", benchmark.run_frame(), benchmark.improvement_frame()
    worth = ("difference", "difference_low", "difference_high")
    tables = []
    if runs is not None:
        rows, title = runs.to_dicts(), f"Aggregate scores, in {units}"
        said = benchmark.aggregates.answer if benchmark.aggregates else ()
        columns = dict.fromkeys(runs.columns[1:-3], units)
        tables.append(TableView("aggregates", rows, _run_columns(), title, columns, aside=True, sentences=said))
    if pairs is not None:
        shares = dict.fromkeys(("improvement", "improvement_low", "improvement_high"), "share")
        tables.append(
            TableView(
                "improvement",
                pairs.to_dicts(),
                _improvement_columns(benchmark),
                "Probability of improvement",
                shares | dict.fromkeys(worth, units),
                aside=True,
                sentences=benchmark.runs.words[1:],
            )
        )
    elif benchmark.board.over and len(benchmark.board.agents) <= MOST_COMPARED:
        tables.append(
            TableView(
                "pairs",
                benchmark.board.pair_frame().to_dicts(),
                _pair_columns(benchmark),
                "Differences of all pairs, with simultaneous intervals",
                dict.fromkeys(worth, units),
                aside=True,
            )
        )
    if benchmark.board.by_task is not None:
        tables.append(_by_task(benchmark.board.by_task, units))
    if benchmark.runs.profiled is not None:
        tables.append(
            TableView(
                "profile_shares",
                LaterRows(partial(_profile_rows, benchmark)),
                _profile_columns(benchmark),
                "Performance profile: share of runs above a score",
                called="profile",
                aside=True,
            )
        )
    if benchmark.learning is not None:
        steps = dict.fromkeys(("reached", "earliest", "latest"), "steps")
        tables.append(
            TableView(
                "learning",
                benchmark.learning.efficiency_frame().to_dicts(),
                _learning_columns(),
                f"Steps to reach an interquartile mean of {benchmark.learning.target:.3f}",
                steps | {"final_iqm": units},
                aside=True,
                sentences=benchmark.learning.answer,
            )
        )
    return tables


def _lines(benchmark: Benchmark) -> dict[str, Any]:
    """What charts draw as lines: performance profiles and learning curves."""
    drawn = {"profile": benchmark.profile, "curves": benchmark.learning}
    return {name: result.frame().to_dicts() for name, result in drawn.items() if result is not None}


def _card(benchmark: Benchmark) -> Card:
    return Card("Which agent is best?", benchmark.answer, counts=counts_of(benchmark.data))


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


def _units_of(benchmark: Benchmark) -> str:
    return benchmark.run_units if benchmark.run_units == "normalised" else str(benchmark.nash.params["units"])


def _agent_columns(benchmark: Benchmark) -> list[Column]:
    """Rank, the aggregate with its interval, and what stands beside it; Nash averages wait."""
    board = benchmark.board
    name, leader = board.statistic, board.agents[board.order[0]]
    ends = cells.ends(cells.decimal, name, 2)
    bar = (f"{name}_low", name, f"{name}_high")
    columns = [
        *([Column("rank", cells.span("rank_low", "rank_high"))] if board.over else []),
        Column("agent", cells.text("agent"), right=False),
        Column(HEADINGS[name], cells.decimal(name)),
        *([Column(f"{100 * board.level:g}% interval", ends, right=False, bar=bar)] if board.over else []),
        *(
            Column(HEADINGS[other], cells.decimal(other, 1 if other == "mean_rank" else 2), drop=2)
            for other in board.beside
        ),
    ]
    if benchmark.aggregates is None and (board.estimate == board.estimate.max()).sum() == 1:
        tasks = len(board.tasks)
        columns.append(
            Column(
                f"{cells.short(leader, 'leader')} wins",
                lambda row: (
                    "" if row["agent"] == leader or row[name] is None else f"{row['lost_to_leader']} of {tasks}"
                ),
                drop=1,
            )
        )
    return [
        *columns,
        Column("Nash average", _with_interval("skill", 3), right=False, drop=4, aside=True),
        Column("Nash", _with_interval("agent_p", 3), drop=5, aside=True),
    ]


def _board_units(benchmark: Benchmark, units: str) -> dict[str, str]:
    board = benchmark.board
    names = [board.statistic, f"{board.statistic}_low", f"{board.statistic}_high"]
    names += [name for name in board.beside if name != "mean_rank"]
    return dict.fromkeys(names, f"{units} units") | {"lost_to_leader": "tasks"}


def _nash_columns() -> list[Column]:
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
        Column("difficulty", _with_interval("difficulty", 3, full), right=False, bar=DIFFICULTY, zero=-full),
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


def _improvement_columns(benchmark: Benchmark) -> list[Column]:
    """Read along a row: how often a run of the first beats one of the second, and by what it leads."""
    called = HEADINGS[benchmark.board.statistic]
    return [
        Column("agent", cells.text("agent"), right=False),
        Column("against", cells.text("other"), right=False),
        Column("chance", cells.percent("improvement")),
        Column("interval", cells.ends(cells.percent, "improvement"), right=False, drop=2),
        Column(called, cells.signed("difference", 2)),
        Column("interval", cells.ends(cells.signed, "difference", 2), right=False, drop=1),
        Column("tied", lambda row: "yes" if row["tied"] else "", right=False),
    ]


def _pair_columns(benchmark: Benchmark) -> list[Column]:
    return [
        Column("agent", cells.text("agent"), right=False),
        Column("against", cells.text("other"), right=False),
        Column(f"difference in {HEADINGS[benchmark.board.statistic]}", cells.signed("difference", 2)),
        Column("interval", cells.ends(cells.signed, "", 2), right=False),
        Column("tied", lambda row: "yes" if row["tied"] else "", right=False, drop=1),
    ]


def _by_task(found: "ByTask", units: str) -> TableView:
    """Show where the first and the second differ, the largest difference either way first."""
    called, ends = f"{100 * found.level:g}% interval", cells.ends(cells.signed, "", 2)
    columns = [
        Column("task", cells.text("task"), right=False),
        Column("difference", cells.signed("difference", 2)),
        *([Column(called, ends, right=False, bar=("low", "difference", "high"))] if found.tested else []),
        Column(found.first, cells.decimal("mean"), drop=1),
        Column(found.other, cells.decimal("other_mean"), drop=2),
    ]
    named = ("difference", "low", "high", "mean", "other_mean")
    return TableView(
        "by_task", found.frame().to_dicts(), columns, f"Where {found.first} and {found.other} differ",
        dict.fromkeys(named, units), aside=True, sentences=found.answer, called="by-task",
    )  # fmt: skip


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
    nash = benchmark.nash
    spread = f"; {nash.interval}s" if nash.interval else ""
    check = f"exploitability {max(nash.exploitability, 0.0):.0e}, entropy conditions {nash.kkt:.0e}"
    return f"Nash averaging in {_units_of(benchmark)} units{spread}; solver check: {check}."


def _footer(benchmark: Benchmark) -> str:
    """Say how much there is, in which units, and what intervals are over."""
    board, data = benchmark.board, benchmark.data
    runs = ""
    if data.trials is not None:
        least, most = int(data.trials[data.trials > 0].min()), int(data.trials.max())
        runs = f", {most if least == most else f'{least} to {most}'} runs each"
    over = "whole runs, which rise and fall together over tasks" if has_code(benchmark.diagnostics, SHARED) else "runs"
    sure = {"runs": f"over {over}, tasks fixed", "tasks": "over tasks like these"}.get(board.over or "")
    how = f"; {100 * board.level:g}% intervals {sure}; ranks simultaneous" if sure else ""
    units = _units_of(benchmark)
    as_they_are = units in ("min-max", "none") and is_pass_fail(data.values)
    units = "passed or failed" if as_they_are else UNIT_WORDS.get(units, f"{units} units")
    alike = len(data.tasks) - len(board.tasks)
    tasks = f"{len(board.tasks):,} of {len(data.tasks):,} tasks" if alike else counted(len(board.tasks), "task")
    return f"{len(board.agents):,} agents, {tasks}{runs}; {units}{how}."


MOST_COMPARED = 100
"""Agents of whom all pairs are listed."""


def _profile_rows(benchmark: Benchmark) -> list[Row]:
    """Give each agent's share of runs above a few scores, the agent with the largest shares first."""
    profile = benchmark.profile
    return [] if profile is None else shares(profile)


def _profile_columns(benchmark: Benchmark) -> Sequence[Column]:
    return LaterColumns(lambda: share_columns(_profile_rows(benchmark)))


VIEWS = {"Benchmark": benchmark_view, "Additivity": additivity_view, "PerformanceProfile": profile_view}
"""Who shows which class of results."""
