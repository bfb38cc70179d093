"""Charts and tables as a page shows them: drawn for a desk and a telephone, with their numbers, bars in cells.

The numbers behind a chart are a table, too: what a reader takes along, and what a screen reader reads.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from equipoise.report.charts.boards.head_to_head import HeadToHead
from equipoise.report.charts.drawing.canvas import ChartView, Spec
from equipoise.report.charts.drawing.images import inline_svg, spec
from equipoise.report.charts.games.response_graph import ResponseGraphChart
from equipoise.report.render.safe_text import harmless
from equipoise.report.views.view import NOTHING, Column, Row, TableView, known

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


SHOWN_ONLY = {"tip", "shown"}
"""Columns of a drawing that say again what others say."""


def numbers_of(chart: ChartView, drawn: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the rows behind a chart, as its view model holds them, else as the drawing (a Vega-Lite spec) does."""
    if isinstance(chart, HeadToHead):
        return list(_cells(chart))
    if isinstance(chart, ResponseGraphChart):
        return [{"from": chart.profiles[i], "to": chart.profiles[j]} for i, j in chart.edges]
    return _named(chart) or _drawn(drawn)


def _cells(chart: HeadToHead) -> Iterable[dict[str, Any]]:
    for i, rates in enumerate(chart.rates):
        for j, rate in enumerate(rates):
            if i != j and rate is not None:
                played = {} if chart.games is None else {"games": chart.games[i][j]}
                yield {"agent": chart.agents[i], "opponent": chart.agents[j], "share won": rate, **played}


def _named(chart: Any) -> list[dict[str, Any]]:
    """Rows of a view model that holds one named tuple for each mark."""
    rows: list[dict[str, Any]] = []
    for field in fields(chart):
        value = getattr(chart, field.name)
        if isinstance(value, Sequence) and value and hasattr(value[0], "_asdict"):
            rows += [row._asdict() for row in value]
    return rows if rows and all(_plain(value) for value in rows[0].values()) else []


def _drawn(drawn: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of the first layer that says something of its marks."""
    tipped = next((rows for rows in drawn.get("datasets", {}).values() if rows and "tip" in rows[0]), ())
    return [{name: value for name, value in row.items() if name not in SHOWN_ONLY and _plain(value)} for row in tipped]


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)
