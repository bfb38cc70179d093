"""``equipoise chart``: one picture from a file."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.choices import CHART_NAMES
from equipoise.cli.output.output import LevelOption, SeedOption, say_written
from equipoise.cli.output.waiting import working
from equipoise.data.readers.options import ReadOptions

__all__ = ["chart"]


def chart(
    name: Annotated[
        str,
        typer.Argument(
            help=f"One of: {', '.join(CHART_NAMES)}.",
            autocompletion=lambda incomplete: [name for name in CHART_NAMES if name.startswith(incomplete)],
        ),
    ],
    file: Annotated[str, typer.Argument(help="A file as for `equipoise report`, or a bundled set by name.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A name that ends in .svg, .png, or .json (the spec).")
    ],
    read: ReadOptions,
    *,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    step: Annotated[str | None, typer.Option(help="Of learning-curves: column of training steps.")] = None,
    normalise: Annotated[
        str | None, typer.Option(help="Of learning-curves: what counts as 0 and as 1, as for `equipoise tasks`.")
    ] = None,
) -> None:
    """Draw one chart of a file as SVG or PNG, without a browser.

    In Python: `equipoise.draw_chart("forest", "battles.csv", "ratings.svg")`

    Examples
    --------
    - `equipoise chart forest battles.csv -o ratings.svg`

    - `equipoise chart head-to-head alphago -o alphago.png`

    - `equipoise chart learning-curves training.csv --step frames -o training.svg`
    """
    with working("Drawing"):
        from equipoise.report.pages.files import draw_chart

    written = draw_chart(
        name, file, output, level=level, rng=seed, working=working,
        read=read, step=step, normalise=normalise,
    )  # fmt: skip
    say_written(written, f"the {name} chart of {file}")
