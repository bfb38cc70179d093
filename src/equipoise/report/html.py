"""Views as one page that needs nothing else: words, charts, tables, warnings, and how it was all computed."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from equipoise.catalogue import catalogue
from equipoise.diagnostics import Diagnostic
from equipoise.errors import MissingDependencyError
from equipoise.inference.progress import counted
from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.images import inline_svg
from equipoise.report.safe_text import harmless
from equipoise.report.view import Column, TableView, View
from equipoise.wording import PYTHON, Spelling

__all__ = ["Part", "to_html"]

WIDE, NARROW = 900, 326
"""Widths of the drawings: on a desk, and on a telephone 360 pixels wide."""
LARGE_DRAWING = 150_000
"""A drawing of more characters is put in once and scrolls on a telephone."""
MOST_ROWS, LONGEST_CELL, LONGEST_PROSE, LONGEST_HEADING = 1000, 200, 2000, 40


@dataclass(frozen=True, slots=True)
class Part:
    """What one file, or one command, has to say.

    Attributes
    ----------
    title
        The file's name, or the command's question.
    views
        Views in the order in which they are shown.
    subtitle
        What the file was taken for.
    seed
        Seed behind the figures; None where nothing is random.
    """

    title: str
    views: Sequence[View]
    subtitle: str = ""
    seed: object = None


def to_html(title: str, parts: Sequence[Part], *, version: str, subtitle: str = "", spelling: Spelling = PYTHON) -> str:
    """Render the page; messages name options as ``spelling`` writes them."""
    script = _asset("page.js")
    page = {
        "title": harmless(title, LONGEST_CELL),
        "subtitle": subtitle,
        "version": version,
        "parts": [_part(part, version, spelling) for part in parts],
    }
    rendered: str = _template().render(
        page=page, css=_trusted(_asset("page.css")), script=_trusted(script), script_hash=_hash(script)
    )
    return rendered


def _part(part: Part, version: str, spelling: Spelling) -> dict[str, Any]:
    several = len(part.views) > 1
    charts = [chart for view in part.views for chart in view.charts()]
    return {
        "title": harmless(part.title, LONGEST_CELL),
        "subtitle": harmless(part.subtitle, LONGEST_PROSE),
        "sentences": [harmless(sentence, LONGEST_PROSE) for view in part.views for sentence in view.sentences],
        "figures": [_figure(chart) for chart in counted(charts, "charts", [1] * len(charts))],
        "tables": [_table(table, view) for view in part.views for table in view.tables if table.rows],
        "diagnostics": _notes(part.views, spelling),
        "provenance": [_provenance(view, several, {"seed": part.seed, "version": version}) for view in part.views],
    }


def _figure(chart: ChartView) -> dict[str, Any]:
    wide = inline_svg(chart, WIDE)
    narrow = inline_svg(chart, NARROW) if len(wide) <= LARGE_DRAWING else ""
    return {
        "name": chart.name,
        "title": chart.heading(),
        "caption": chart.caption(),
        "wide": _trusted(wide),
        "narrow": _trusted(narrow) if narrow else "",
    }


def _table(table: TableView, view: View) -> dict[str, Any]:
    more = len(table.rows) - MOST_ROWS
    return {
        "title": harmless(table.title, LONGEST_CELL) or (f"{view.title}: {table.name}" if view.title else table.name),
        "columns": [replace(column, heading=harmless(column.heading, LONGEST_HEADING)) for column in table.columns],
        "rows": [[_cell(column, row) for column in table.columns] for row in table.rows[:MOST_ROWS]],
        "note": f"The first {MOST_ROWS:,} rows; {more:,} more are in the command's CSV and JSON." if more > 0 else "",
    }


def _cell(column: Column, row: Mapping[str, Any]) -> str:
    return harmless(column.cell(row), LONGEST_PROSE if column.prose else LONGEST_CELL)


def _notes(views: Sequence[View], spelling: Spelling) -> list[dict[str, str]]:
    notes: dict[Diagnostic, None] = dict.fromkeys(note for view in views for note in view.diagnostics)
    ordered = sorted(notes, key=lambda note: note.severity != "warning")
    return [
        {"severity": note.severity, "code": note.code, "message": harmless(note.spelled(spelling), LONGEST_PROSE)}
        for note in ordered
    ]


def _provenance(view: View, several: bool, facts: Mapping[str, object]) -> list[tuple[str, str]]:
    """Method, parameters, seed, version and citation, as far as the view knows them."""
    known = view.document
    entry = [("figures", view.title)] if several and view.title else []
    if view.method:
        entry.append(("method", view.method))
    params = known.get("params")
    if isinstance(params, Mapping) and params:
        entry.append(("parameters", ", ".join(f"{name} = {_value(value)}" for name, value in params.items())))
    entry += [(name, str(value)) for name, value in facts.items() if value is not None]
    names = view.cites or ((str(known["method"]).replace("-", "_"),) if "method" in known else ())
    cited = dict.fromkeys(method.declared.reference for method in catalogue() if method.name in names)
    entry += [("citation", reference) for reference in cited]
    return [(name, harmless(value, LONGEST_PROSE)) for name, value in entry]


def _value(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _asset(name: str) -> str:
    return (files("equipoise.report") / "assets" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Give the name under which the page lets this script, and no other, run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _trusted(text: str) -> Any:
    """Mark what we wrote ourselves (and drawings, whose texts are escaped) as markup."""
    from markupsafe import Markup

    return Markup(text)


@cache
def _template() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise MissingDependencyError(
            'a report needs Jinja, Altair and vl-convert; install them with: pip install "equipoise[report]"'
        ) from error
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_asset("page.html.jinja"))
