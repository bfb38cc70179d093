"""The numbers behind a chart as a table: what a reader takes along, and what a screen reader reads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from equipoise.report.charts.boards.head_to_head import HeadToHead
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.games.response_graph import ResponseGraphChart

__all__ = ["numbers_of"]

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
    told = next((rows for rows in drawn.get("datasets", {}).values() if rows and "tip" in rows[0]), ())
    return [{name: value for name, value in row.items() if name not in SHOWN_ONLY and _plain(value)} for row in told]


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)
