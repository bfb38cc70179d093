"""What the commands share: the options for output, and writing a view in the form asked for."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.options.generated import Form, OutputOptions, PrintOptions
from equipoise.cli.options.invocation import here
from equipoise.cli.output.waiting import working
from equipoise.core.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from equipoise.core.diagnostics import Diagnostic
    from equipoise.report.views.view import View


PIPE_WIDTH = 160
"""Width of a table that goes to a file or a pipe, where there is no window to fit."""

FileArgument = Annotated[
    list[str],
    typer.Argument(
        help="CSV, TSV, JSON lines or Parquet, also compressed; logs of other tools, folders and globs of them;"
        " - for standard input; or a bundled set by name."
    ),
]


def write_view(view: "View", to: PrintOptions) -> None:
    """Write the view as a table, JSON or CSV, to the screen or to a file, and as a page where one is asked for.

    The screen shows the first rows of long tables only, unless more are asked for; a file always gets all.
    """
    page = to.page if isinstance(to, OutputOptions) else None
    if page is not None:
        from equipoise.report.pages.files import page_name

        page_name(page)
    _write_answer(view, to)
    if page is not None:
        sys.stdout.flush()
        _write_page(view, page)


def _write_answer(view: "View", to: PrintOptions) -> None:
    from rich.console import Console

    verbose = isinstance(to, OutputOptions) and to.verbose
    output, form = to.output, to.form or _form_of(to.output)
    if output is None:
        if form == "table":
            from equipoise.report.render.terminal import ROWS

            console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
            _print(view, console, verbose, to.most(ROWS))
        else:
            sys.stdout.write(_written(view, form))
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as file:
            if form == "table":
                _print(view, Console(file=file, width=PIPE_WIDTH, highlight=False), verbose)
            else:
                file.write(_written(view, form))
    except OSError as error:
        raise ParameterError(f"cannot write {output}: {error.strerror}") from error
    tables = view.tables[:1] if form == "csv" else view.tables
    say_written(output, ", ".join(f"{table.name} ({len(table.rows):,} rows)" for table in tables))


def _print(view: "View", console: "Console", verbose: bool, most: int | None = None) -> None:
    from equipoise.report.render.terminal import print_view, say
    from equipoise.report.views.view import account_words

    print_view(view, console, here().shell, most=most)
    if verbose:
        for sentence in account_words(view):
            say(sentence, console, "dim")


def _written(view: "View", form: Form) -> str:
    from equipoise.report.render.export import to_csv, to_json

    if form == "csv":
        return to_csv(view)
    at = here()
    return to_json(view, command=at.command, parameters=at.parameters, spelling=at.shell) + "\n"


def _write_page(view: "View", report: Path) -> None:
    from equipoise.report.pages.files import write_page
    from equipoise.report.render.html import Part
    from equipoise.report.views.view import account_words

    at = here()
    account = " ".join(account_words(view))
    part = Part(_title(at.options["file"]), [view], account, seed=at.options.get("seed"), command=at.line)
    with working("Drawing"):
        write_page([part], report, spelling=at.shell)
    say_written(report, "a page with charts")


def _title(file: object) -> str:
    """Call a page after its file, or after how many there are."""
    named = file if isinstance(file, list) else [file]
    return Path(str(named[0])).name if len(named) == 1 else f"{len(named):,} files"


def say_notes(notes: Iterable["Diagnostic"]) -> None:
    """Say beside the output what was done and warnings, a line each."""
    for note in notes:
        print(f"{note.severity}: {note.spelled(here().shell)}", file=sys.stderr)


def say_written(file: Path, what: str) -> None:
    """Say beside the output which file was written, and what is in it."""
    print(f"Written to {file}: {what}", file=sys.stderr)


def _form_of(output: Path | None) -> Form:
    suffix = output.suffix.lower() if output else ""
    forms: dict[str, Form] = {".json": "json", ".csv": "csv"}
    return forms.get(suffix, "table")


def source_of(file: str | list[str]) -> Any:
    """Give what a reader takes: the path, several of them, or standard input for ``-``."""
    named = [file] if isinstance(file, str) else file
    if len(named) > 1 and "-" in named:
        raise ParameterError("standard input (-) goes alone, without other files")
    return sys.stdin.buffer if named[0] == "-" else named[0] if len(named) == 1 else named
