"""``equipoise report``: one page with all that fits the files given."""

from pathlib import Path
from typing import Annotated

import typer

import equipoise
from equipoise.cli.output import LevelOption, SeedOption, working, write_report
from equipoise.report.analyses import Request, analyse
from equipoise.report.html import Part
from equipoise.report.recognise import recognise

__all__ = ["report"]


def report(
    files: Annotated[
        list[str],
        typer.Argument(help="Match logs, pair tables, score tables, payoffs or dealt hands; or bundled sets by name."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("report.html"),
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
) -> None:
    """Recognise what each file is, run all that fits, and write one page with words, charts and tables.

    The page holds everything it shows: it opens from disk with the network off.

    Examples
    --------
    - `equipoise report battles.csv`

    - `equipoise report games.csv scores.csv hands.csv -o all.html`

    - `equipoise report alphago` (a data set that comes with the package)
    """
    request = Request(seed, level, equipoise.__version__)
    parts = []
    for file in files:
        with working(f"Reading {file}"):
            found = recognise(file)
        with working(f"Weighing {file}"):
            parts.append(Part(found.title, analyse(found.data, request), found.what))
    write_report(parts, output)
