"""``equipoise predict``: a whole benchmark's score from answers to a part of it."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.choices import OnError
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
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working

__all__ = ["predict"]


def predict(
    file: Annotated[
        list[str],
        typer.Argument(
            help="Answers, wide or long, with gaps where an item was not given; logs of them; - for standard input."
        ),
    ],
    calibration: Annotated[
        Path | None, typer.Option(help="Items that were calibrated before (equipoise irt --save).")
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            help="Answers of other agents to all items [default: the agents of the same file that answered everything]."
        ),
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Scores of at least this are successes.")] = None,
    folds: Annotated[int, typer.Option(help="Parts for cross-fitting.")] = 10,
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
    verbose: VerboseOption = False,  # noqa: ARG001  # looked at where the answer is printed
    whole: AllOption = False,  # noqa: ARG001  # looked at where the answer is printed
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Predict what agents would score on a whole benchmark from their answers to a random part of it.

    The items that an agent answered must be a random part of all items; its interval then holds even if the model
    behind the prediction is wrong.

    In Python: `equipoise.predict_scores("answers.csv")`

    Examples
    --------
    - `equipoise predict answers.csv`

    - `equipoise predict new.csv --reference earlier.csv`

    - `equipoise irt earlier.csv --save bank.json`, then `equipoise predict new.csv --calibration bank.json`
    """
    with working(f"Predicting {short(file)}"):
        from equipoise.analyses.scores.prediction import predict_scores
        from equipoise.report.views.predict import predict_view

        found = predict_scores(
            source_of(file), calibration=calibration, reference=reference, threshold=threshold, folds=folds,
            level=level, rng=seed, agent=agent, task=task, score=score, trial=trial, tasks=tasks,
            not_tasks=not_tasks, duplicates=duplicates, transpose=transpose, on_error=on_error,
            table=table, where=where, since=since, until=until, time=time, min_games=min_games, islands=islands,
            metric=metric, reading=as_reading(reading),
        )  # fmt: skip
    write_view(predict_view(found), form, output, report)
