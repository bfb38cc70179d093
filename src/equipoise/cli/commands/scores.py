"""Commands about tasks and items: ``tasks``, ``irt`` and ``predict``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from equipoise.cli.options.choices import Estimator, Gaps, Model, RunsShared, Units
from equipoise.cli.options.generated import Intervals, LevelOption, OutputOptions, SeedOption
from equipoise.cli.output.output import say_written, source_of, write_view
from equipoise.cli.output.waiting import short, working
from equipoise.data.readers.options import ReadOptions

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
    runs: Annotated[
        RunsShared | None,
        typer.Option(help="Runs of one name on several tasks: one run, or as many [default: what the scores show]."),
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
                resample=resample, similarity=similarity, aggregates=aggregates, runs=runs,
                level=intervals.level, rng=intervals.seed, step=step, read=read, executor=executor,
            )  # fmt: skip
    write_view(benchmark_view(benchmark, first), to)


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
    read: ReadOptions,
    intervals: Intervals,
    to: OutputOptions,
    *,
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

        with processes(intervals.jobs) as executor:
            result = fit_items(
                source_of(file), model=model, method=method, threshold=threshold, trials=trials, prior=prior,
                estimator=estimator, starts=starts, indicators=indicators, save=save, calibration=calibration,
                level=intervals.level, rng=intervals.seed, read=read, executor=executor,
            )  # fmt: skip
    view = items_view(result) if isinstance(result, FittedItems) else scored_view(result)
    write_view(view, to)
    if save is not None:
        say_written(save, "the items' calibration")


def predict(
    file: Annotated[
        list[str],
        typer.Argument(
            help="Answers, wide or long, with gaps where an item was not given; logs of them; - for standard input."
        ),
    ],
    read: ReadOptions,
    to: OutputOptions,
    *,
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
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
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
        from equipoise.report.views.items import predict_view

        found = predict_scores(
            source_of(file), calibration=calibration, reference=reference, threshold=threshold, folds=folds,
            level=level, rng=seed, read=read,
        )  # fmt: skip
    write_view(predict_view(found), to)
