"""``equipoise predict``: a whole benchmark's score from answers to a part of it."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.generated import OutputOptions
from equipoise.cli.output.output import (
    LevelOption,
    SeedOption,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working
from equipoise.data.readers.options import ReadOptions

__all__ = ["predict"]


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
