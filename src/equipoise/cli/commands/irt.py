"""``equipoise irt``: items and agents from a table of answers."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from equipoise.cli.options.choices import Estimator, Model, OnError
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
    say_written,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import JobsOption, short, working

__all__ = ["irt"]

Method = Literal["mml", "jml", "pooled"]
"""Ways to fit."""
Prior = Literal["none", "weak"]
"""Priors on item parameters."""


def irt(
    file: Annotated[
        list[str],
        typer.Argument(
            help="Answers: agents in rows and items in columns, or long; logs of them; - for standard input."
        ),
    ],
    model: Annotated[Model | None, typer.Option(help="Which curves [default: 2pl].")] = None,
    method: Annotated[
        Method | None,
        typer.Option(
            help="Marginal or joint likelihood, or items pooled"
            " [default: pooled for fewer than 100 agents without a model, prior or estimator, else mml]."
        ),
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Scores of at least this are successes.")] = None,
    trials: Annotated[
        int | None, typer.Option(help="Cells are counts of successes (or rates) in so many trials.")
    ] = None,
    prior: Annotated[Prior, typer.Option(help="Weak priors on item parameters.")] = "none",
    estimator: Annotated[Estimator, typer.Option(help="Of abilities.")] = "eap",
    starts: Annotated[
        int | None, typer.Option(help="Places to start from [default: 4 for small tables, else 1].")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Save the items' calibration as JSON.")] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="Score agents with this saved calibration; items are not fitted.")
    ] = None,
    indicators: Annotated[
        int,
        typer.Option(
            help="Also show difficulty, discrimination, ability, generality, from so many bootstrap resamples."
        ),
    ] = 0,
    agent: AgentOption = None,
    task: TaskOption = None,
    score: ScoreOption = None,
    trial: TrialOption = None,
    tasks: TasksOption = None,
    not_tasks: NotTasksOption = None,
    duplicates: DuplicateCellsOption = None,
    transpose: Annotated[bool, typer.Option("--transpose", help="Items in rows and agents in columns.")] = False,
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
    """Find how hard each item is, how well it tells agents apart, and how able each agent is.

    Items on which weaker agents do better are found and named; look at them before trusting them.

    In Python: `equipoise.fit_items("responses.csv")`

    Examples
    --------
    - `equipoise irt responses.csv`

    - `equipoise irt scores.csv --threshold 100 --format json -o fit.json`

    - `equipoise irt counts.csv --trials 5 --model rasch`

    - `equipoise irt old.csv --save bank.json`, then `equipoise irt new.csv --calibration bank.json`
    """
    with working(f"Fitting {short(file)}"):
        from equipoise.analyses.scores.items import FittedItems, fit_items
        from equipoise.inference.executors import processes
        from equipoise.report.views.items import items_view, scored_view

        with processes(jobs) as executor:
            result = fit_items(
                source_of(file), model=model, method=method, threshold=threshold, trials=trials, prior=prior,
                estimator=estimator, starts=starts, indicators=indicators, save=save, calibration=calibration,
                level=level, rng=seed, agent=agent, task=task, score=score, trial=trial, tasks=tasks,
                not_tasks=not_tasks, duplicates=duplicates, transpose=transpose, on_error=on_error,
                table=table, where=where, since=since, until=until, time=time, min_games=min_games, islands=islands,
                metric=metric, reading=as_reading(reading),
                executor=executor,
            )  # fmt: skip
    view = items_view(result) if isinstance(result, FittedItems) else scored_view(result)
    write_view(view, form, output, report)
    if save is not None:
        say_written(save, "the items' calibration")
