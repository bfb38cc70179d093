"""What the commands share: the options for output, and writing a view in the form asked for."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.options.generated import OutputOptions, PrintOptions
from equipoise.cli.options.invocation import here
from equipoise.cli.output.waiting import working
from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.wording import Option

if TYPE_CHECKING:
    from rich.console import Console

    from equipoise.core.diagnostics import Diagnostic
    from equipoise.report.views.view import View


PIPE_WIDTH = 160
"""Width of a table that goes to a file or a pipe, where COLUMNS does not say how wide it may be."""

FileArgument = Annotated[
    list[str],
    typer.Argument(
        help="CSV, TSV, JSON lines or Parquet, also compressed; logs of other tools, folders and globs of them;"
        " - for standard input; or a bundled set by name."
    ),
]


def pipe_width() -> int:
    """Give the width of what goes to a file or a pipe."""
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else PIPE_WIDTH


def write_view(view: "View", to: PrintOptions) -> None:
    """Write the view in the form asked for, to the screen or to a file, and as a page where one is asked for.

    The screen shows the first rows of long tables only, unless more are asked for; a file always gets all.
    """
    page = to.page if isinstance(to, OutputOptions) else None
    if page is not None:
        from equipoise.report.pages.files import page_name

        page_name(page)
    shown = _with_shown(view, to.shown)
    if to.chosen == "page" and to.output is not None:
        _write_page(view, to.output, to.title)
    elif to.chosen == "chart" and to.output is not None:
        _write_chart(view, to.output, to)
    else:
        _write_answer(shown, to)
    if page is not None:
        sys.stdout.flush()
        _write_page(view, page, to.title)


def _with_shown(view: "View", names: tuple[str, ...]) -> "View":
    """Put the tables that were asked for in the place of the usual ones; a document has the others all the same.

    Fails when
        there is no such table.
    """
    if not names:
        return view
    by_name = {table.name: table for table in view.tables}
    for name in names:
        if name != "all" and name not in by_name:
            known = [known.replace("_", "-") for known in by_name]
            hint = did_you_mean(name, known)
            raise ParameterError(Option("show"), f' has no "{name}" here{hint}; it takes {", ".join(known)} and all')
    asked = dict.fromkeys(each for name in names for each in (by_name if name == "all" else (name,)))
    shown = [replace(by_name[name], aside=False) for name in asked]
    return replace(
        view, tables=(*shown, *(replace(table, aside=True) for table in view.tables if table.name not in asked))
    )


def _write_answer(view: "View", to: PrintOptions) -> None:
    from rich.console import Console

    verbose = isinstance(to, OutputOptions) and to.verbose
    if to.output is None:
        if to.chosen == "table":
            from equipoise.report.render.terminal import ROWS

            console = Console(width=None if sys.stdout.isatty() else pipe_width(), highlight=False)
            _print(view, console, verbose, to.most(ROWS))
        else:
            sys.stdout.write(_written(view, to))
        return
    try:
        with to.output.open("w", encoding="utf-8", newline="") as file:
            if to.chosen == "table":
                _print(view, Console(file=file, width=pipe_width(), highlight=False), verbose)
            else:
                file.write(_written(view, to))
    except OSError as error:
        raise ParameterError(f"cannot write {to.output}: {error.strerror}") from error
    tables = view.tables if to.chosen == "json" else _on_paper(view, to).tables
    say_written(to.output, ", ".join(f"{table.name} ({len(table.rows):,} rows)" for table in tables))


def _on_paper(view: "View", to: PrintOptions) -> "View":
    """Give the view with the tables that a form holds: of one table, the main one unless others were asked for."""
    tables = [table for table in view.tables if not table.aside]
    one = to.chosen == "csv" or (to.chosen in ("latex", "markdown") and not to.shown)
    return replace(view, tables=tuple(tables[:1] if one else tables))


def _print(view: "View", console: "Console", verbose: bool, most: int | None = None) -> None:
    from equipoise.report.render.terminal import print_view, say
    from equipoise.report.views.view import account_words

    print_view(view, console, here().shell, most=most)
    if verbose:
        for sentence in account_words(view):
            say(sentence, console, "dim")


def _written(view: "View", to: PrintOptions) -> str:
    from equipoise.report.render.export import to_csv, to_json

    at = here()
    if to.chosen == "json":
        return to_json(view, command=at.command, parameters=at.parameters, spelling=at.shell) + "\n"
    view = _on_paper(view, to)
    if to.chosen == "csv":
        return to_csv(view)
    from equipoise.report.render.paper import to_latex, to_markdown

    if to.chosen == "latex":
        return to_latex(view, command=at.line, title=to.title, caption=to.caption)
    return to_markdown(view, title=to.title, caption=to.caption)


def _write_chart(view: "View", picture: Path, to: PrintOptions) -> None:
    """Write the main chart."""
    with working("Drawing"):
        from equipoise.report.charts.drawing.look import ChartLook, Plot
        from equipoise.report.views.view import origin_of

        chart = next(iter(view.charts()), None)
        if chart is None:
            raise ParameterError(f"{picture}: this answer has no chart; write it as .txt, .json, .csv, .tex or .md")
        Plot(chart, ChartLook(title=to.title, caption=to.caption), origin_of(view, chart)).save(picture)
    say_written(picture, f"the {chart.name} chart")


def _write_page(view: "View", page: Path, title: str | None) -> None:
    from equipoise.report.pages.files import write_page
    from equipoise.report.render.html import Part
    from equipoise.report.views.view import account_words

    at = here()
    account = " ".join(account_words(view))
    part = Part(title or _title(at.options), [view], account, seed=at.options.get("seed"), command=at.line)
    with working("Drawing"):
        write_page([part], page, title=title, spelling=at.shell)
    say_written(page, "a page with charts")


def _title(options: Mapping[str, object]) -> str:
    """Call a page after its file, or after how many there are."""
    file = options.get("file", here().command)
    named = file if isinstance(file, list) else [file]
    return Path(str(named[0])).name if len(named) == 1 else f"{len(named):,} files"


def say_notes(notes: Iterable["Diagnostic"]) -> None:
    """Say beside the output what was done and warnings, a line each."""
    for note in notes:
        print(f"{note.severity}: {note.spelled(here().shell)}", file=sys.stderr)


def say_written(file: Path, what: str) -> None:
    """Say beside the output which file was written, and what is in it."""
    print(f"Written to {file}: {what}", file=sys.stderr)


def source_of(file: str | list[str]) -> Any:
    """Give what a reader takes: the path, several of them, or standard input for ``-``."""
    named = [file] if isinstance(file, str) else file
    if len(named) > 1 and "-" in named:
        raise ParameterError("standard input (-) goes alone, without other files")
    return sys.stdin.buffer if named[0] == "-" else named[0] if len(named) == 1 else named
