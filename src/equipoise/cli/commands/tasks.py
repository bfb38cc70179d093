"""``equipoise tasks``: from a table of scores to a verdict on agents and on the benchmark itself."""

from typing import Annotated, Literal

import typer

from equipoise.cli.options.choices import Gaps, OnError, Units
from equipoise.cli.options.reading import (
    AgentOption,
    DuplicateCellsOption,
    IslandsOption,
    MetricOption,
    MinGamesOption,
    NotTasksOption,
    ReadingOption,
    ScoreOption,
    SinceOption,
    TableOption,
    TaskOption,
    TasksOption,
    TimeOption,
    TrialOption,
    UntilOption,
    VerboseOption,
    WhereOption,
    as_reading,
)
from equipoise.cli.output.output import (
    AllOption,
    FormOption,
    LevelOption,
    OutputOption,
    ReportOption,
    SeedOption,
    say_former,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import JobsOption, short, working

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
    unit: Annotated[Resample | None, typer.Option(hidden=True, help="Former name of --resample.")] = None,
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
    agent: AgentOption = None,
    task: TaskOption = None,
    score: ScoreOption = None,
    trial: TrialOption = None,
    step: Annotated[
        str | None,
        typer.Option(help="Column of training steps: the last one is weighed, and all give learning curves."),
    ] = None,
    tasks: TasksOption = None,
    not_tasks: NotTasksOption = None,
    duplicates: DuplicateCellsOption = None,
    transpose: Annotated[bool, typer.Option("--transpose", help="Tasks in rows and agents in columns.")] = False,
    table: TableOption = None,
    where: WhereOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    time: TimeOption = None,
    min_games: MinGamesOption = None,
    islands: IslandsOption = None,
    metric: MetricOption = None,
    reading: ReadingOption = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    on_error: Annotated[OnError, typer.Option(help="Stop at a bad cell, or count it as missing.")] = "raise",
    jobs: JobsOption = 1,
    verbose: VerboseOption = False,  # noqa: ARG001  # looked at where the answer is printed
    whole: AllOption = False,  # noqa: ARG001  # looked at where the answer is printed
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Weigh agents by tasks and tasks by agents: Nash averages, and an audit of the benchmark.

    Copies and easy tasks cannot bend a Nash average. The audit names the tasks that carry the verdict, those that
    repeat each other, and those on which the top depends.

    In Python: `equipoise.weigh_tasks("scores.csv")`

    Examples
    --------
    - `equipoise tasks scores.csv`

    - `equipoise tasks scores.csv --missing drop-tasks --bootstrap 500 --format json -o audit.json`

    - `equipoise tasks runs.csv --agent algo --task env --score return --trial seed --resample trial --bootstrap 200`

    - `equipoise tasks atari.csv --normalise human.csv`

    - `equipoise tasks training.csv --step frames --normalise human.csv`

    - `equipoise tasks scores.csv --first tasks --format csv`
    """
    if unit is not None:
        say_former("unit", "resample")
    with working(f"Weighing {short(file)}"):
        from equipoise.analyses.scores.benchmark import weigh_tasks
        from equipoise.inference.executors import processes
        from equipoise.report.views.benchmark import benchmark_view

        with processes(jobs) as executor:
            benchmark = weigh_tasks(
                source_of(file), units=units, normalise=normalise, missing=missing, n=n,
                resample=resample or unit, similarity=similarity, aggregates=aggregates,
                level=level, rng=seed, agent=agent, task=task, score=score, trial=trial, step=step,
                tasks=tasks, not_tasks=not_tasks, duplicates=duplicates, transpose=transpose,
                on_error=on_error,
                table=table, where=where, since=since, until=until, time=time, min_games=min_games, islands=islands,
                metric=metric, reading=as_reading(reading),
                executor=executor,
            )  # fmt: skip
    write_view(benchmark_view(benchmark, first), form, output, report)
