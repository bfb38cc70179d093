"""Views in a terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from equipoise.report.safe_text import harmless
from equipoise.report.view import TableView, View
from equipoise.wording import PYTHON, Spelling

__all__ = ["PROSE", "plain_text", "print_view"]

LONGEST, PROSE = 48, 2000
"""Names are cut to the first width in tables, sentences to the second; JSON and CSV keep them whole."""


def print_view(view: View, console: Console, spelling: Spelling = PYTHON) -> None:
    """Print the tables, the answer in words, then what to know about it."""
    for table in view.tables:
        if table.title:
            console.print(Text(table.title, style="bold"))
        console.print(_table(table))
    for sentence in view.sentences:
        console.print(Text(plain_text(sentence, PROSE)))
    if view.method:
        console.print(Text(view.method, style="dim"))
    for diagnostic in view.diagnostics:
        mark, style = ("!", "yellow") if diagnostic.severity == "warning" else ("·", "dim")
        console.print(Text(f"{mark} {plain_text(diagnostic.spelled(spelling), PROSE)}", style=style))


def plain_text(value: str, longest: int = LONGEST) -> str:
    """Make a user's text harmless in a terminal: no control or direction marks, not too long."""
    return harmless(value, longest)


def _table(view: TableView) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", row_styles=["", ""])
    for column in view.columns:
        # A heading may be an agent's name; as Text it is not read as rich's markup.
        table.add_column(
            Text(plain_text(column.heading)),
            justify="right" if column.right else "left",
            no_wrap=not column.prose,
            # A file's name that is longer than its column goes on in the next line: prose is read to the end.
            overflow="fold" if column.prose else "ellipsis",
        )
    for row in view.rows:
        table.add_row(
            *(Text(plain_text(column.cell(row), PROSE if column.prose else LONGEST)) for column in view.columns)
        )
    return table
