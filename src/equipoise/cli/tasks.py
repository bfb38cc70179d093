"""``equipoise tasks``: from a table of scores to a verdict on agents and on the benchmark itself."""

from typing import Annotated, Literal

import typer

import equipoise
from equipoise.aggregates.aggregate import aggregate
from equipoise.aggregates.compare import compare
from equipoise.cli.output import (
    FormOption,
    LevelOption,
    OutputOption,
    ReportOption,
    SeedOption,
    source_of,
    working,
    write_view,
)
from equipoise.data.read import OnError, read_scores
from equipoise.data.scores import Scores
from equipoise.data.units import Missing, Units, informative, is_linear, without_gaps
from equipoise.errors import ParameterError
from equipoise.flows.averages import Averages, averages
from equipoise.nash.audit import audit
from equipoise.nash.average import nash_average
from equipoise.report.benchmark import RunTables, benchmark_view

__all__ = ["tasks"]

MOST_NUMBERS = 200_000
"""Of runs: beyond this aggregates are only made when asked for."""


Unit = Literal["task", "trial"]
"""What a bootstrap draws."""
TableName = Literal["agents", "tasks", "aggregates"]
"""Which table stands first."""


def tasks(
    file: Annotated[
        str, typer.Argument(help="Scores, wide (agents in rows, tasks in columns) or long; - for standard input.")
    ],
    units: Annotated[Units, typer.Option(help="Common units of the tasks.")] = "min-max",
    missing: Annotated[Missing, typer.Option(help="Cells without a score.")] = "error",
    bootstraps: Annotated[
        int, typer.Option("--bootstrap", help="Add intervals from so many bootstrap replicates.")
    ] = 0,
    unit: Annotated[Unit, typer.Option(help="What the bootstrap draws.")] = "task",
    similarity: Annotated[float, typer.Option(help="Correlation from which tasks count as duplicates.")] = 0.99,
    aggregates: Annotated[
        bool | None,
        typer.Option(
            "--aggregates/--no-aggregates",
            help="Interquartile means, optimality gaps and tied groups [default: where there are repeated runs].",
        ),
    ] = None,
    first: Annotated[
        TableName, typer.Option("--table", help="The table that stands first, and that CSV holds.")
    ] = "agents",
    agent: Annotated[str | None, typer.Option(help="Column of agents.")] = None,
    task: Annotated[str | None, typer.Option(help="Column of tasks (long tables).")] = None,
    score: Annotated[str | None, typer.Option(help="Column of scores (long tables).")] = None,
    trial: Annotated[str | None, typer.Option(help="Column of trials: seeds, runs (long tables).")] = None,
    transpose: Annotated[bool, typer.Option("--transpose", help="Tasks in rows and agents in columns.")] = False,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    on_error: Annotated[OnError, typer.Option(help="Stop at a bad cell, or count it as missing.")] = "raise",
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Weigh agents by tasks and tasks by agents: Nash averages, and an audit of the benchmark.

    Copies and easy tasks cannot bend a Nash average. The audit names the tasks that carry the verdict, those that
    repeat each other, and those on which the top depends.

    Examples
    --------
    - `equipoise tasks scores.csv`

    - `equipoise tasks scores.csv --missing drop-tasks --bootstrap 500 --format json -o audit.json`

    - `equipoise tasks runs.csv --agent algo --task env --score return --trial seed --unit trial --bootstrap 200`

    - `equipoise tasks scores.csv --table tasks --format csv`
    """
    with working(f"Reading {file}"):
        scores = read_scores(
            source_of(file), agent=agent, task=task, score=score, trial=trial, transpose=transpose,
            on_error=on_error,
        )  # fmt: skip
    with working("Solving"):
        nash = nash_average(
            scores,
            units=units,
            missing=missing,
            n=bootstraps,
            unit=unit,
            level=level,
            rng=seed,
        )
        findings = audit(scores, units=units, missing=missing, similarity=similarity)
    with working("Aggregating runs"):
        runs = _runs(scores, missing, aggregates, level, seed)
    if first == "aggregates" and runs is None:
        raise ParameterError("there is no table of aggregates; ask for it with --aggregates")
    facts = {"seed": seed, "version": equipoise.__version__}
    explained = _averages(scores, missing, units, seed)
    view = benchmark_view(nash, findings, runs=runs, averages=explained, first=first, facts=facts)
    write_view(view, form, output, report, about=file)


def _averages(scores: Scores, missing: Missing, units: Units, seed: int) -> Averages | None:
    """Ask whether averages explain the scores, where every cell has one and units leave scores as they are in kind."""
    if not is_linear(units) or (missing == "complete" and scores.missing.any()):
        return None
    whole, _ = without_gaps(scores, missing)
    if min(whole.values.shape) < 2:
        return None
    return averages(whole, units=units, rng=seed)


def _runs(scores: Scores, missing: Missing, wanted: bool | None, level: float, seed: int) -> RunTables | None:
    """Aggregate where asked, or where there are repeated runs and not too many."""
    repeated = scores.repeats is not None or scores.trials is not None
    small = scores.values.size * (1 if scores.repeats is None else scores.repeats.shape[2]) <= MOST_NUMBERS
    if not (wanted or (wanted is None and repeated and small)):
        return None
    if missing == "complete" and scores.missing.any():
        if wanted:
            raise ParameterError("aggregates need real runs in every cell: --missing complete does not go with them")
        return None
    whole, _ = without_gaps(scores, missing)
    whole, _ = informative(whole)
    return RunTables(
        aggregate(whole, units="min-max", level=level, rng=seed, n=1000),
        compare(whole, units="min-max", level=level, rng=seed, n=1000),
    )
