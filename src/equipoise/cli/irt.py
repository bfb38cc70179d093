"""``equipoise irt``: items and agents from a table of answers."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

import equipoise
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
from equipoise.errors import ParameterError
from equipoise.items.ability import Estimator
from equipoise.items.calibration import load_calibration
from equipoise.items.duality import duality
from equipoise.items.fit import irt as fit_irt
from equipoise.items.models import Model
from equipoise.report.items import irt_view, scored_view

__all__ = ["irt"]


Method = Literal["mml", "jml"]
"""Ways to fit."""
Prior = Literal["none", "weak"]
"""Priors on item parameters."""


def irt(
    file: Annotated[
        str, typer.Argument(help="Answers: agents in rows and items in columns, or long; - for standard input.")
    ],
    model: Annotated[Model, typer.Option(help="Which curves.")] = "2pl",
    method: Annotated[Method, typer.Option(help="Marginal or joint likelihood.")] = "mml",
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
    transpose: Annotated[bool, typer.Option("--transpose", help="Items in rows and agents in columns.")] = False,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    on_error: Annotated[OnError, typer.Option(help="Stop at a bad cell, or count it as missing.")] = "raise",
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Find how hard each item is, how well it tells agents apart, and how able each agent is.

    Items on which weaker agents do better are found and named; look at them before trusting them.

    Examples
    --------
    - `equipoise irt responses.csv`

    - `equipoise irt scores.csv --threshold 100 --format json -o fit.json`

    - `equipoise irt counts.csv --trials 5 --model rasch`

    - `equipoise irt old.csv --save bank.json`, then `equipoise irt new.csv --calibration bank.json`
    """
    with working(f"Reading {file}"):
        scores = read_scores(source_of(file), transpose=transpose, on_error=on_error)
        if trials is not None:
            scores = _counted(scores, trials, threshold)
    facts = {"seed": seed, "version": equipoise.__version__}
    if calibration is not None:
        if save is not None:
            raise ParameterError("--save and --calibration do not go together: nothing is fitted")
        bank = load_calibration(calibration)
        scored = bank.score(scores, estimator=estimator, threshold=threshold, level=level)
        write_view(scored_view(scored, facts), form, output, report, about=file)
        return
    with working("Fitting"):
        result = fit_irt(
            scores, model=model, method=method, threshold=threshold, estimator=estimator,
            prior="weak" if prior == "weak" else None, starts=starts, level=level, rng=seed,
        )  # fmt: skip
    if save is not None:
        try:
            result.calibration().save(save)
        except OSError as error:
            raise ParameterError(f"cannot write {save}: {error.strerror}") from error
    four = None
    if indicators:
        with working("Resampling"):
            four = duality(scores, result, n=indicators, level=level, rng=seed)
    write_view(irt_view(result, facts, four), form, output, report, about=file)


def _counted(scores: Scores, trials: int, threshold: float | None) -> Scores:
    if threshold is not None:
        raise ParameterError("--trials and --threshold do not go together: counts are used as they are")
    if scores.repeats is not None:
        raise ParameterError("--trials is for tables of counts; this one has single trials in its rows")
    counted = Scores.from_matrix(scores.values, scores.agents, scores.tasks, trials)
    return replace(counted, diagnostics=scores.diagnostics)
