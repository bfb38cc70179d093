"""``equipoise tasks``: from a table of scores to a verdict on agents and on the benchmark itself."""

from typing import Annotated, Literal

import typer

from equipoise.cli.options.choices import Gaps, Units
from equipoise.cli.options.generated import Intervals, OutputOptions
from equipoise.cli.output.output import (
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working
from equipoise.data.readers.options import ReadOptions

__all__ = ["tasks"]

Resample = Literal["task", "trial"]
"""What a bootstrap draws."""
TableName = Literal["agents", "tasks", "aggregates"]
"""Which table stands first."""


def tasks(
    file: Annotated[
        list[str],
        typer.Argument(
            help="Scores, wide (agents in rows, tasks in columns) or long; logs of them; - for standard input."
        ),
    ],
    read: ReadOptions,
    intervals: Intervals,
    to: OutputOptions,
    *,
    units: Annotated[
        Units | None, typer.Option(help="Common units of the tasks [default: min-max, or none with --normalise].")
    ] = None,
    normalise: Annotated[
        str | None,
        typer.Option(
            help="What counts as 0 and as 1 on each task: a file (task,random,human), or two agents (random,human)."
        ),
    ] = None,
    missing: Annotated[
        Gaps, typer.Option(help="Cells without a score; auto drops tasks where most have no gap, else fills in.")
    ] = "error",
    n: Annotated[
        int | None,
        typer.Option(
            "--bootstrap",
            help="Take intervals from so many bootstrap replicates [default: 200 up to 1,500 cells, 50 up to 5,000].",
        ),
    ] = None,
    resample: Annotated[
        Resample | None,
        typer.Option(help="What the bootstrap draws [default: trials where there are several, else tasks]."),
    ] = None,
    similarity: Annotated[float, typer.Option(help="Correlation from which tasks count as duplicates.")] = 0.99,
    aggregates: Annotated[
        bool | None,
        typer.Option(
            "--aggregates/--no-aggregates",
            help="Interquartile means, optimality gaps and tied groups [default: where there are repeated runs].",
        ),
    ] = None,
    first: Annotated[
        TableName, typer.Option("--first", help="The table that stands first, and that CSV holds.")
    ] = "agents",
    step: Annotated[
        str | None,
        typer.Option(help="Column of training steps: the last one is weighed, and all give learning curves."),
    ] = None,
) -> None:
    """Weigh agents by tasks and tasks by agents: Nash averages, and an audit of the benchmark.

    Copies and easy tasks cannot bend a Nash average. The audit names the tasks that carry the verdict, those that
    repeat each other, and those on which the top depends.

    In Python: `equipoise.weigh_tasks("scores.csv")`

    Examples
    --------
    - `equipoise tasks scores.csv`

    - `equipoise tasks scores.csv --missing drop-tasks --bootstrap 500 --format json -o audit.json`

    - `equipoise tasks runs.csv --agent algo --task env --score return --run seed --resample trial --bootstrap 200`

    - `equipoise tasks atari.csv --normalise human.csv`

    - `equipoise tasks training.csv --step frames --normalise human.csv`

    - `equipoise tasks scores.csv --first tasks --format csv`
    """
    with working(f"Weighing {short(file)}"):
        from equipoise.analyses.scores.benchmark import weigh_tasks
        from equipoise.inference.executors import processes
        from equipoise.report.views.benchmark import benchmark_view

        with processes(intervals.jobs) as executor:
            benchmark = weigh_tasks(
                source_of(file), units=units, normalise=normalise, missing=missing, n=n,
                resample=resample, similarity=similarity, aggregates=aggregates,
                level=intervals.level, rng=intervals.seed, step=step, read=read, executor=executor,
            )  # fmt: skip
    write_view(benchmark_view(benchmark, first), to)
