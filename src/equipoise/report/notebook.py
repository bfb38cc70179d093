"""Results in a notebook: the answer in words, its charts, a table that can be read, and what to know about it.

Results find this module by the package's metadata, and here what their own methods give: charts, tables, files.
"""

from collections.abc import Sequence
from html import escape

from equipoise.core.errors import MissingDependencyError
from equipoise.core.results import Result
from equipoise.report.charts.drawing.images import inline_svg
from equipoise.report.forms import look_of, plot, save, to_latex, to_markdown
from equipoise.report.render.layout import LONGEST_NAME, PROSE
from equipoise.report.render.notes import notes_of
from equipoise.report.render.safe_text import harmless
from equipoise.report.views.registry import view_of
from equipoise.report.views.view import Column, TableView, View

__all__ = ["drawing", "look_of", "plot", "save", "to_latex", "to_markdown"]

WIDTH = 640
ROWS, COLUMNS = 30, 7
"""More of a table is in the result's frame."""
STYLE = "background: #ffffff; max-width: 100%; overflow-x: auto"
"""Charts lie on white paper: nothing says which theme a notebook has."""


def drawing(result: Result) -> str:
    """Give the result as HTML; without its charts where drawing is not installed."""
    view = view_of(result)
    parts = [f"<p>{_text(sentence, PROSE)}</p>" for sentence in view.sentences]
    parts += _charts(view)
    parts += [_table(table) for table in view.tables if table.rows]
    parts += [f"<p><small>{_text(view.method, PROSE)}</small></p>"] if view.method else []
    notes = sorted(notes_of(view.diagnostics), key=lambda note: note.severity != "warning")
    listed = [
        f"<li>{'<strong>Warning:</strong> ' if note.severity == 'warning' else ''}{_text(note.text, PROSE)}</li>"
        for note in notes
    ]
    return "".join([*parts, *(["<ul>", *listed, "</ul>"] if listed else [])])


def _charts(view: View) -> list[str]:
    try:
        return [f'<div style="{STYLE}">{inline_svg(chart, WIDTH)}</div>' for chart in view.charts() if not chart.aside]
    except MissingDependencyError:
        return []


def _table(table: TableView) -> str:
    columns, left_out = _most_important(table.columns)
    title = f"<caption>{_text(table.title)}</caption>" if table.title else ""
    heads = "".join(f"<th{_side(column)}>{_text(column.heading)}</th>" for column in columns)
    body = "".join(
        f"<tr>{''.join(f'<td{_side(column)}>{_text(column.cell(row))}</td>' for column in columns)}</tr>"
        for row in table.rows[:ROWS]
    )
    hidden = len(table.rows) - ROWS
    more = [f"{hidden:,} more rows"] if hidden > 0 else []
    more += [_text(column.heading) for column in left_out]
    rest = f"<p><small>Not shown: {', '.join(more)}; see the result's frame.</small></p>" if more else ""
    return f"<table>{title}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _most_important(columns: Sequence[Column]) -> tuple[list[Column], list[Column]]:
    """Part the columns that are shown from those that would go first in a narrow terminal, too."""
    shown = list(columns)
    left_out: list[Column] = []
    while len(shown) > COLUMNS and any(column.drop for column in shown):
        last = max(range(len(shown)), key=lambda k: (shown[k].drop, k))
        left_out.insert(0, shown.pop(last))
    return shown, left_out


def _side(column: Column) -> str:
    return f' style="text-align: {"right" if column.right else "left"}; padding: 0 0.5em"'


def _text(value: str, longest: int = LONGEST_NAME) -> str:
    return escape(harmless(value, longest))
