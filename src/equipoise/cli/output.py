"""What the commands share: the options for output, and writing a view in the form asked for."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from equipoise.errors import ParameterError
from equipoise.report.text import print_view
from equipoise.report.view import View, to_csv, to_json

__all__ = ["Form", "FormOption", "LevelOption", "OutputOption", "SeedOption", "source_of", "working", "write_view"]

PIPE_WIDTH = 160
"""Width of a table that goes to a file or a pipe, where there is no window to fit."""


class Form(StrEnum):
    """Forms of output."""

    table = "table"
    json = "json"
    csv = "csv"


FormOption = Annotated[
    Form | None, typer.Option("--format", help="Form of the output [default: by the suffix of --output, else table].")
]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file instead of the screen.")]
SeedOption = Annotated[int, typer.Option(help="Seed of everything random; the same seed gives the same output.")]
LevelOption = Annotated[float, typer.Option(help="Level of the intervals.")]


def write_view(view: View, form: Form | None, output: Path | None) -> None:
    """Write the view as a table, JSON or CSV, to the screen or to a file."""
    form = form or _form_of(output)
    if output is None:
        if form is Form.table:
            print_view(view, Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False))
        else:
            sys.stdout.write(_written(view, form))
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            if form is Form.table:
                print_view(view, Console(file=file, width=PIPE_WIDTH, highlight=False))
            else:
                file.write(_written(view, form))
    except OSError as error:
        raise ParameterError(f"cannot write {output}: {error.strerror}") from error


def _written(view: View, form: Form) -> str:
    return to_json(view) + "\n" if form is Form.json else to_csv(view)


def _form_of(output: Path | None) -> Form:
    suffix = output.suffix.lower() if output else ""
    return {".json": Form.json, ".csv": Form.csv}.get(suffix, Form.table)


def working(what: str) -> Any:
    """Show a spinner on a terminal while something takes its time; nothing in a pipe."""
    return Console(stderr=True).status(f"{what} …")


def source_of(file: str) -> Any:
    """Give what a reader takes: the path, or standard input for ``-``."""
    return sys.stdin.buffer if file == "-" else file
