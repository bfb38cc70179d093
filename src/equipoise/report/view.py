"""The view model: what every form of a report shows, free of how it is shown.

A command makes one view from a result; the terminal's table, JSON, CSV, the chart and the HTML page all render it.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.diagnostics import Diagnostic
from equipoise.report.charts.canvas import ChartView
from equipoise.results import jsonable

__all__ = ["Column", "TableView", "View", "count", "decimal", "known", "percent", "signed", "text", "to_csv", "to_json"]

Row = Mapping[str, Any]
Format = Callable[[Any], str]
NOTHING = "–"
"""What stands in a table where there is no value."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column for people: how to get the cell's text from a row, its heading, and how it is set.

    Numbers stand to the right; prose may be long and is wrapped, while names are cut.
    """

    heading: str
    cell: Callable[[Row], str]
    right: bool = True
    prose: bool = False


@dataclass(frozen=True, slots=True)
class TableView:
    """Rows for programs (``rows``) and columns for people."""

    name: str
    rows: Sequence[Row]
    columns: Sequence[Column]
    title: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """What a command has to say.

    Attributes
    ----------
    sentences
        The answer in plain words, first things first.
    tables
        The first is the main one (what CSV holds).
    document
        What JSON holds besides the tables' rows.
    method
        How it was computed: one line.
    charts
        View models of the charts, the most telling first.
    cites
        Names of the catalogue's methods behind the figures; without any, the document's ``method`` is looked up.
    title
        What the view is about, as a heading beside other views.
    """

    tables: tuple[TableView, ...]
    sentences: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    method: str = ""
    charts: tuple[ChartView, ...] = ()
    cites: tuple[str, ...] = ()
    title: str = ""


def to_json(view: View) -> str:
    """Give strict JSON: the rows of each table under its name, then the rest of the document."""
    body = {table.name: jsonable(list(table.rows)) for table in view.tables}
    body |= jsonable(dict(view.document))
    body["diagnostics"] = [diagnostic.to_dict() for diagnostic in view.diagnostics]
    return json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)


def to_csv(view: View) -> str:
    """Give the main table's rows as CSV; a cell that a spreadsheet would run as a formula is quoted as text."""
    import polars as pl

    rows = [{key: _harmless(value) for key, value in row.items()} for row in view.tables[0].rows]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    frame = frame.with_columns(
        pl.col(name).map_elements(lambda cell: json.dumps(cell.to_list()), pl.String) for name in nested
    )
    return frame.write_csv()


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def known(value: float | None) -> float | None:
    """Give a finite number as it is, and None for what is not one."""
    return None if value is None or not math.isfinite(value) else float(value)


def text(key: str) -> Callable[[Row], str]:
    """Show a cell as it is."""
    return lambda row: NOTHING if row.get(key) is None else str(row[key])


def decimal(key: str, digits: int = 2) -> Callable[[Row], str]:
    """Show a number with so many digits."""
    return lambda row: _number(row.get(key), f".{digits}f")


def signed(key: str, digits: int = 0) -> Callable[[Row], str]:
    """Show a number with its sign."""
    return lambda row: _number(row.get(key), f"+.{digits}f")


def count(key: str) -> Callable[[Row], str]:
    """Show a whole number with thousands apart; a fractional weight keeps one digit."""

    def cell(row: Row) -> str:
        value = row.get(key)
        whole = value is not None and float(value).is_integer()
        return _number(value, ",.0f" if whole else ",.1f")

    return cell


def percent(key: str, digits: int = 0) -> Callable[[Row], str]:
    """Show a share in percent."""
    return lambda row: _number(row.get(key), f".{digits}%")


def _number(value: Any, form: str) -> str:
    if value is None or not math.isfinite(value):
        return NOTHING
    shown = format(value, form)
    return shown.replace("-", "−") if form.startswith(("+", ".")) else shown
