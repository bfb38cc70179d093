"""Views in a terminal."""

from rich.console import Console
from rich.text import Text

from equipoise.core.wording import PYTHON, Spelling
from equipoise.report.render.layout import PROSE, lay_out, wrapped
from equipoise.report.render.notes import notes_of
from equipoise.report.render.safe_text import harmless
from equipoise.report.views.view import TableView, View

ROWS = 30
"""So many rows of each table are shown where not all are asked for."""


def print_view(view: View, console: Console, spelling: Spelling = PYTHON, *, most: int | None = None) -> None:
    """Print the answer in words, the tables, the method, then notes, warnings first.

    Of each table ``most`` rows are shown, or all.
    """
    for sentence in view.sentences:
        say(sentence, console)
    for k, table in enumerate(table for table in view.tables if not table.aside):
        if k or view.sentences:
            console.print()
        _print_table(table, console, most)
    if view.method:
        if view.tables:
            console.print()
        say(view.method, console, "dim")
    for note in sorted(notes_of(view.diagnostics, spelling), key=lambda note: note.severity != "warning"):
        mark, style = ("!", "yellow") if note.severity == "warning" else ("·", "dim")
        say(f"{mark} {note.text}", console, style, indent="  ")


def say(sentence: str, console: Console, style: str = "", indent: str = "") -> None:
    """Print a sentence, its later lines indented; a user's text in it is harmless in a terminal."""
    lines = wrapped(harmless(sentence, PROSE), console.width, indent)
    console.print(Text("\n".join(lines), style=style), soft_wrap=True)


def _print_table(table: TableView, console: Console, most: int | None) -> None:
    rows = table.rows[:most]
    laid = lay_out(table, rows, console.width)
    if table.title:
        console.print(Text(table.title, style="bold"))
    # As one text that fits already: rich takes its time over every line that it may have to break.
    console.print(Text("\n".join(laid.heading), style="bold"), soft_wrap=True)
    if laid.rows:
        console.print(Text("\n".join(laid.rows)), soft_wrap=True)
    hidden = len(table.rows) - len(rows)
    if hidden:
        say(f"{hidden:,} more: --rows all", console, "dim")
    if laid.dropped:
        say(f"Too narrow for: {', '.join(laid.dropped)}.", console, "dim")
