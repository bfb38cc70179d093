"""What the commands share: the options for output, and writing a view in the form asked for."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
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

    from equipoise.arena.remote.arena import RemoteArena
    from equipoise.core.diagnostics import Diagnostic
    from equipoise.report.views.view import View


PIPE_WIDTH = 160
"""Width of a table that goes to a file or a pipe, where COLUMNS does not say how wide it may be."""

FileArgument = Annotated[
    list[str],
    typer.Argument(
        help="CSV, TSV, JSON lines or Parquet, also compressed; logs of other tools, folders and globs of them;"
        " - for standard input; http://HOST/arenas/NAME; or a bundled set by name."
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
    if to.chosen == "html":
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

    What the answer says stands above its own table; another table has sentences of its own.

    Fails when
        there is no such table.
    """
    from equipoise.report.render.terminal import NOTES

    if not names:
        return view
    by_name = {table.asked.replace("-", "_"): table for table in view.tables}
    by_name |= {table.name: table for table in view.tables}
    for name in names:
        if name not in ("all", NOTES) and name not in by_name:
            known = [table.asked for table in view.tables]
            hint = did_you_mean(name, [*known, NOTES])
            raise ParameterError(Option("show"), f' has no "{name}" here{hint}; it takes {", ".join(known)} and all')
    asked = {
        table.name: replace(table, aside=False)
        for name in names
        for table in (view.tables if name == "all" else [by_name[name]] if name in by_name else ())
    }
    others = [replace(table, aside=True) for table in view.tables if table.name not in asked]
    if NOTES in names:
        others = [replace(table, concerns=frozenset()) for table in others]
    own = [table for table in asked.values() if table.sentences]
    alone = bool(own) and len(own) == len(asked) and view.tables[0].name not in asked
    return replace(
        view, tables=(*asked.values(), *others), sentences=() if alone else view.whole_answer,
        method="" if alone else view.method, said=view.whole_answer,
    )  # fmt: skip


def _write_answer(view: "View", to: PrintOptions) -> None:
    from rich.console import Console

    if to.output is None:
        if to.chosen == "table":
            _print(view, Console(width=None if sys.stdout.isatty() else pipe_width(), highlight=False), to)
        else:
            sys.stdout.write(_written(view, to))
        return
    try:
        with to.output.open("w", encoding="utf-8", newline="") as file:
            if to.chosen == "table":
                _print_all(view, Console(file=file, width=pipe_width(), highlight=False), to)
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


def _print(view: "View", console: "Console", to: PrintOptions) -> None:
    """Print one screen, or what was asked for in its place."""
    from equipoise.report.render.terminal import print_screen, print_view

    if to.shown:
        print_view(view, console, here().shell, most=to.most, usual=to.rows is None)
    else:
        rows = sys.maxsize if to.rows == "all" else to.most
        print_screen(view, console, here().shell, rows=rows, more=_more(view, to))
    _print_account(view, console, to)


def _print_all(view: "View", console: "Console", to: PrintOptions) -> None:
    """Print all rows of what is shown: a file has room."""
    from equipoise.report.render.terminal import print_view

    print_view(view, console, here().shell)
    _print_account(view, console, to)


def _print_account(view: "View", console: "Console", to: PrintOptions) -> None:
    from equipoise.report.render.terminal import say
    from equipoise.report.views.view import account_words

    if isinstance(to, OutputOptions) and to.verbose:
        for sentence in account_words(view):
            say(sentence, console, "dim")


def _more(view: "View", to: PrintOptions) -> list[str]:
    """Say what else there is, and how to see it."""
    from equipoise.report.render.terminal import NOTES, hidden_notes

    names = [table.asked for table in view.tables if table.aside]
    names += [NOTES] * bool(hidden_notes(view, here().shell))
    shown = [f"--show {','.join(names)}"] if names else []
    if isinstance(to, OutputOptions):
        shown += ["page: --page FILE.html", "paper: -o FILE.tex"]
    return shown


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


def _write_page(view: "View", page: Path | None, title: str | None) -> None:
    """Write the page, to the standard output where no file is named."""
    from equipoise.report.pages.files import page_text, write_page
    from equipoise.report.render.html import Part
    from equipoise.report.views.view import account_words

    at = here()
    account = " ".join(account_words(view))
    part = Part(title or _title(at.options), [view], account, seed=at.options.get("seed"), command=at.line)
    with working("Drawing"):
        if page is not None:
            write_page([part], page, title=title, spelling=at.shell)
        text = page_text([part], title, at.shell) if page is None else ""
    if page is None:
        sys.stdout.write(text)
    else:
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
    """Give what a reader takes: the path, several of them, or standard input for ``-``.

    What an arena on the web has is fetched into a file.
    """
    named = [file] if isinstance(file, str) else [*file]
    if len(named) > 1 and "-" in named:
        raise ParameterError("standard input (-) goes alone, without other files")
    found = [str(_far(one).fetched()) if one.startswith(("http://", "https://")) else one for one in named]
    return sys.stdin.buffer if named[0] == "-" else found[0] if len(named) == 1 else found


@cache
def _far(url: str) -> "RemoteArena":
    """Reach an arena on the web, once: what was fetched of it stays until the command ends."""
    from equipoise.arena.remote.arena import RemoteArena

    return RemoteArena(url)
