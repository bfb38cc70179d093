"""Commands about tasks and items: ``tasks``, ``irt`` and ``predict``."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from equipoise.cli.options.choices import Chosen, Estimator, Gaps, Model, RunsShared, Units
from equipoise.cli.options.generated import Intervals, LevelOption, OutputOptions, SeedOption
from equipoise.cli.output.output import say_written, source_of, write_view
from equipoise.cli.output.waiting import short, working
from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions

Over = Literal["runs", "tasks"]
"""What a bootstrap draws."""
Statistic = Literal["iqm", "mean", "median"]
"""What agents are ranked by."""
OF_RUNS = {"aggregates", "improvement", "profile"}
"""Tables about repeated runs."""
INDICATORS = ("agent_indicators", "item_indicators")
"""Tables with the four indicators."""
BOOTSTRAP = 200
"""Bootstrap samples behind the indicators."""


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
            help="Take intervals from so many bootstrap samples [default: 200 up to 1,500 cells, 50 up to 5,000].",
        ),
    ] = None,
    over: Annotated[
        Over | None,
        typer.Option(help="What the bootstrap draws [default: runs where there are several, else tasks]."),
    ] = None,
    similarity: Annotated[float, typer.Option(help="Correlation from which tasks count as redundant.")] = 0.99,
    statistic: Annotated[
        Statistic | None,
        typer.Option(help="What agents are ranked by [default: iqm, the interquartile mean, with runs; else mean]."),
    ] = None,
    runs: Annotated[
        RunsShared | None,
        typer.Option(help="Runs of one name on several tasks: one run, or as many [default: what the scores show]."),
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(help="Column of training steps: the last one is analysed, and all give learning curves."),
    ] = None,
) -> None:
    """Rank agents by their scores on tasks, and audit the benchmark.

    With repeated runs by the interquartile mean (IQM), with intervals over runs; `--show improvement` has the
    probability of improvement of each pair, `--show profile` the performance profile. With one score a cell by the
    mean, with intervals over tasks. `--show nash` says which tasks separate the best agents, `--show tasks` which are
    redundant.

    In Python: `equipoise.tasks("scores.csv")`

    Examples
    --------
    - `equipoise tasks scores.csv`

    - `equipoise tasks scores.csv --missing drop-tasks --bootstrap 500 --format json -o audit.json`

    - `equipoise tasks runs.csv --agent algo --task env --score return --run seed --over runs --bootstrap 200`

    - `equipoise tasks atari.csv --normalise human.csv`

    - `equipoise tasks training.csv --step frames --normalise human.csv`

    - `equipoise tasks scores.csv --show tasks --format csv`

    - `equipoise tasks runs.csv --show improvement,profile`
    """
    with working(f"Analysing {short(file)}"):
        from equipoise.analyses.scores.benchmark import tasks
        from equipoise.inference.executors import processes
        from equipoise.report.views.benchmark import benchmark_view

        with processes(intervals.jobs) as executor:
            benchmark = tasks(
                source_of(file), units=units, normalise=normalise, missing=missing, n=n,
                over=over, similarity=similarity, aggregates=_aggregates(to), statistic=statistic, runs=runs,
                level=intervals.level, rng=intervals.seed, step=step, read=read, executor=executor,
            )  # fmt: skip
    write_view(benchmark_view(benchmark), to)


def _aggregates(to: OutputOptions) -> bool | None:
    """Say whether to aggregate over runs: if their tables are asked for, else by data."""
    return True if OF_RUNS & set(to.shown) else None


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
        int | None, typer.Option(help="Cells are counts of successes (or rates) in so many attempts.")
    ] = None,
    prior: Annotated[Prior, typer.Option(hidden=True, help="Weak priors on item parameters.")] = "none",
    estimator: Annotated[Estimator, typer.Option(help="Of abilities.")] = "eap",
    starts: Annotated[
        int | None, typer.Option(hidden=True, help="Places to start from [default: 4 for small tables, else 1].")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Save the items' calibration as JSON.")] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="Score agents with this saved calibration; items are not fitted.")
    ] = None,
    drop_flagged: Annotated[
        bool, typer.Option("--drop-flagged", help="Fit again without the flagged items, and compare both fits.")
    ] = False,
    n: Annotated[
        int | None,
        typer.Option("--bootstrap", min=1, hidden=True, help="Of --show indicators [default: 200]."),
    ] = None,
) -> None:
    """Fit item response models: items' difficulty and discrimination, agents' ability.

    Items with negative discrimination are named; check them before you use them.

    In Python: `equipoise.irt("responses.csv")`, and `fit.without(fit.flagged)` of what it gives

    Examples
    --------
    - `equipoise irt responses.csv`

    - `equipoise irt scores.csv --threshold 100 --format json -o fit.json`

    - `equipoise irt counts.csv --trials 5 --model rasch`

    - `equipoise irt old.csv --save bank.json`, then `equipoise irt new.csv --calibration bank.json`

    - `equipoise irt answers.csv --drop-flagged --save bank.json` (the bank has the items that are left)
    """
    with working(f"Fitting {short(file)}"):
        from equipoise.analyses.scores.items import IRTOptions, irt, save_calibration, without_flagged
        from equipoise.inference.executors import processes
        from equipoise.items.scoring.calibration import Scored
        from equipoise.report.views.items import items_view, scored_view

        indicators = "indicators" in to.shown
        if n is not None and not indicators:
            raise ParameterError(Option("n"), " has no effect without ", Option("show", "indicators"))
        if drop_flagged and calibration is not None:
            raise ParameterError(
                Option("drop_flagged"), " has no effect with ", Option("calibration"), ": nothing is fitted"
            )
        with processes(intervals.jobs) as executor:
            result = irt(
                source_of(file), model=model, method=method, threshold=threshold, trials=trials, prior=prior,
                estimator=estimator, starts=starts, options=IRTOptions(indicators=(n or BOOTSTRAP) * indicators),
                save=None if drop_flagged else save,
                calibration=calibration, level=intervals.level, rng=intervals.seed, read=read, executor=executor,
            )  # fmt: skip
        if drop_flagged and not isinstance(result, Scored):
            result = without_flagged(result)
            if save is not None:
                save_calibration(result, save)
    view = scored_view(result) if isinstance(result, Scored) else items_view(result)
    tables = [table for name in to.shown for table in (INDICATORS if name == "indicators" else (name,))]
    write_view(view, replace(to, show=",".join(tables)))
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
    chosen: Annotated[
        Chosen, typer.Option(help="How the part was chosen: at random, or as anchor items are.")
    ] = "random",
    folds: Annotated[int, typer.Option(help="Parts for cross-fitting.")] = 10,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
) -> None:
    """Predict what agents would score on a whole benchmark from their answers to a random part of it.

    The items that an agent answered must be a random part of all items; its interval is then valid even if the model
    behind the prediction is wrong.

    In Python: `equipoise.predict("answers.csv")`

    Examples
    --------
    - `equipoise predict answers.csv`

    - `equipoise predict new.csv --reference earlier.csv`

    - `equipoise irt earlier.csv --save bank.json`, then `equipoise predict new.csv --calibration bank.json`
    """
    with working(f"Predicting {short(file)}"):
        from equipoise.analyses.scores.prediction import predict
        from equipoise.report.views.items import predict_view

        found = predict(
            source_of(file), calibration=calibration, reference=reference, threshold=threshold, chosen=chosen,
            folds=folds, level=level, rng=seed, read=read,
        )  # fmt: skip
    write_view(predict_view(found), to)
