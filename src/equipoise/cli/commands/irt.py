"""``equipoise irt``: items and agents from a table of answers."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from equipoise.cli.options.choices import Estimator, Model
from equipoise.cli.options.generated import Intervals, OutputOptions
from equipoise.cli.output.output import (
    say_written,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working
from equipoise.data.readers.options import ReadOptions

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
