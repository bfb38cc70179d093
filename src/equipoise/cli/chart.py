"""``equipoise chart``: one picture from a file."""

from pathlib import Path
from typing import Annotated

import typer

import equipoise
from equipoise.cli.output import LevelOption, SeedOption, working
from equipoise.errors import DataError, ParameterError, did_you_mean
from equipoise.report.analyses import Request, analyse, charts_for
from equipoise.report.charts.images import write_chart
from equipoise.report.charts.registry import CHARTS
from equipoise.report.recognise import recognise

__all__ = ["chart"]


def chart(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(CHARTS)}.")],
    file: Annotated[str, typer.Argument(help="A file as for `equipoise report`, or a bundled set by name.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A name that ends in .svg, .png, or .json (the spec).")
    ],
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
) -> None:
    """Draw one chart of a file as SVG or PNG, without a browser.

    Examples
    --------
    - `equipoise chart forest battles.csv -o ratings.svg`

    - `equipoise chart head-to-head alphago -o alphago.png`
    """
    if name not in CHARTS:
        known = list(CHARTS)
        raise ParameterError(f'there is no chart "{name}"{did_you_mean(name, known)}; charts: {", ".join(known)}')
    with working(f"Reading {file}"):
        found = recognise(file)
    fitting = charts_for(found.data)
    if name not in fitting:
        raise DataError(f"{file} gives no {name} chart. {found.what} Charts that fit: {', '.join(fitting) or 'none'}")
    with working("Drawing"):
        views = analyse(found.data, Request(seed, level, equipoise.__version__), chart=name)
        drawn = next((drawing for view in views for drawing in view.charts if drawing.name == name), None)
        if drawn is None:
            notes = " ".join(note.message for view in views for note in view.diagnostics)
            raise DataError(f"{file} gives no {name} chart. {notes}")
        write_chart(drawn, output)
