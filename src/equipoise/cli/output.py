"""What the commands share: the options for output, and writing a view in the form asked for."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

import equipoise
from equipoise.errors import ParameterError
from equipoise.report.html import Part, to_html
from equipoise.report.text import print_view
from equipoise.report.view import View, to_csv, to_json

__all__ = [
    "Form",
    "FormOption",
    "LevelOption",
    "OutputOption",
    "ReportOption",
    "SeedOption",
    "source_of",
    "working",
    "write_report",
    "write_view",
]

PIPE_WIDTH = 160
"""Width of a table that goes to a file or a pipe, where there is no window to fit."""


Form = Literal["table", "json", "csv"]
"""Forms of output."""
FormOption = Annotated[
    Form | None, typer.Option("--format", help="Form of the output [default: by the suffix of --output, else table].")
]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file instead of the screen.")]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", help="Write a page with charts and tables to this .html file too; it needs no network."),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of everything random; the same seed gives the same output.")]
LevelOption = Annotated[float, typer.Option(help="Level of the intervals.")]


def write_view(
    view: View, form: Form | None, output: Path | None, report: Path | None = None, *, about: str = "these data"
) -> None:
    """Write the view as a table, JSON or CSV, to the screen or to a file; ``report`` gets a page ``about`` the file."""
    form = form or _form_of(output)
    if report is not None:
        write_report([Part(Path(about).name, [view])], report)
    if output is None:
        if form == "table":
            print_view(view, Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False))
        else:
            sys.stdout.write(_written(view, form))
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            if form == "table":
                print_view(view, Console(file=file, width=PIPE_WIDTH, highlight=False))
            else:
                file.write(_written(view, form))
    except OSError as error:
        raise ParameterError(f"cannot write {output}: {error.strerror}") from error


def write_report(parts: Sequence[Part], path: Path) -> None:
    """Write one page that shows all parts, and say so beside the output."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"{path}: a report is a page; give it a name that ends in .html")
    title = f"Equipoise: {parts[0].title}" if len(parts) == 1 else f"Equipoise: {len(parts)} files"
    with working("Drawing"):
        page = to_html(title, parts, version=equipoise.__version__)
    try:
        path.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ParameterError(f"cannot write {path}: {error.strerror}") from error
    print(f"Report written to {path}", file=sys.stderr)


def _written(view: View, form: Form) -> str:
    return to_json(view) + "\n" if form == "json" else to_csv(view)


def _form_of(output: Path | None) -> Form:
    suffix = output.suffix.lower() if output else ""
    forms: dict[str, Form] = {".json": "json", ".csv": "csv"}
    return forms.get(suffix, "table")


def working(what: str) -> Any:
    """Show a spinner on a terminal while something takes its time; nothing in a pipe."""
    return Console(stderr=True).status(f"{what} …")


def source_of(file: str) -> Any:
    """Give what a reader takes: the path, or standard input for ``-``."""
    return sys.stdin.buffer if file == "-" else file
