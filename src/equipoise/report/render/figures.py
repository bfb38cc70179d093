"""Charts and tables as a page shows them: drawn for a desk and a telephone, with their numbers, bars in cells."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise.report.charts.drawing.canvas import ChartView, Spec
from equipoise.report.charts.drawing.images import inline_svg, spec
from equipoise.report.render.numbers import numbers_of
from equipoise.report.render.safe_text import harmless
from equipoise.report.views.view import NOTHING, Column, Row, TableView, known

__all__ = ["LONGEST_CELL", "LONGEST_PROSE", "figure", "table"]

WIDE, NARROW = 900, 326
"""Widths of the drawings: on a desk, and on a telephone 360 pixels wide."""
LARGE_DRAWING = 150_000
"""A drawing of more characters stands in a page once: on a telephone it scrolls."""
MOST_ROWS, LONGEST_CELL, LONGEST_PROSE, LONGEST_HEADING = 1000, 200, 2000, 40
FAR = 6.0
"""Spreads from the middle half at which a bar's axis ends: one wild interval must not flatten the others."""


def figure(chart: ChartView, key: str) -> dict[str, Any]:
    """Draw a chart; ``key`` names it within the page."""
    drawn = spec(chart, WIDE)
    wide = inline_svg(chart, WIDE, drawn)
    return {
        "id": f"chart-{key}",
        "name": chart.name,
        "title": chart.heading(),
        "caption": chart.caption(),
        "wide": wide,
        "narrow": inline_svg(chart, NARROW) if len(wide) <= LARGE_DRAWING else "",
        "numbers": _numbers(chart, drawn, key),
    }


def _numbers(chart: ChartView, drawn: Spec, key: str) -> dict[str, Any] | None:
    rows = numbers_of(chart, drawn)
    if not rows:
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [Column(name, _figure_cell(name), right=not isinstance(rows[0].get(name), str)) for name in names]
    shown = TableView("numbers", rows, columns, f"Numbers: {chart.heading()}")
    return table(shown, f"numbers-{key}", shown.title)


def _figure_cell(name: str) -> Any:
    def cell(row: Row) -> str:
        value = row.get(name)
        return NOTHING if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)

    return cell


def table(view: TableView, identity: str, title: str) -> dict[str, Any]:
    """Give the texts of a table's cells, and where the bars of its intervals stand."""
    more = len(view.rows) - MOST_ROWS
    rows = view.rows[:MOST_ROWS]
    axes = [_Axis.of(column, rows) for column in view.columns]
    return {
        "id": identity,
        "title": harmless(title, LONGEST_CELL),
        "columns": [replace(column, heading=harmless(column.heading, LONGEST_HEADING)) for column in view.columns],
        "rows": [[_cell(column, row, axis) for column, axis in zip(view.columns, axes, strict=True)] for row in rows],
        "note": f"The first {MOST_ROWS:,} rows; {more:,} more are in the command's CSV and JSON." if more > 0 else "",
    }


def _cell(column: Column, row: Row, axis: "_Axis | None") -> tuple[str, str, str]:
    """Give the class of a cell, its text, and the bar of its interval."""
    kind = "number" if column.right else "prose" if column.prose else "interval" if column.bar else ""
    text = harmless(column.cell(row), LONGEST_PROSE if column.prose else LONGEST_CELL)
    return kind, text, "" if axis is None or column.bar is None else axis.bar(row, column.bar)


@dataclass(frozen=True, slots=True)
class _Axis:
    """The shared axis of the bars of a column."""

    low: float
    high: float

    @classmethod
    def of(cls, column: Column, rows: Sequence[Row]) -> "_Axis | None":
        if column.bar is None:
            return None
        ends = sorted(end for row in rows for key in column.bar if (end := known(row.get(key))) is not None)
        if len(ends) < 2 or ends[0] == ends[-1]:
            return None
        quarter, three = ends[len(ends) // 4], ends[(3 * len(ends)) // 4]
        reach = FAR * (three - quarter) or ends[-1] - ends[0]
        return cls(max(ends[0], quarter - reach), min(ends[-1], three + reach))

    def bar(self, row: Row, keys: tuple[str, str, str]) -> str:
        """Give left end, right end and estimate in percent of the axis, as CSS; nothing where one is not known."""
        values: list[Any] = [row.get(key) for key in keys]
        if any(value is None or math.isnan(value) for value in values):
            return ""
        low, at, high = (100 * (min(max(value, self.low), self.high) - self.low) / self._span for value in values)
        return f"--l:{low:.1f}%;--w:{max(high - low, 0.5):.1f}%;--m:{at:.1f}%"

    @property
    def _span(self) -> float:
        return self.high - self.low
