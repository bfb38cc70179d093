"""A view as questions: each with the chart and the table that answer it, in the order of reading."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.views.view import TableView, View

__all__ = ["Question", "questions"]

LEADERBOARD = "Leaderboard"


@dataclass(slots=True)
class Question:
    """A heading with what answers it; ``table_first`` where the table is the answer and the chart its picture."""

    title: str
    tables: list[TableView] = field(default_factory=list)
    charts: list[ChartView] = field(default_factory=list)
    table_first: bool = False


def questions(view: View, *, first: bool) -> list[Question]:
    """Put charts and tables that belong together under one heading; of the ``first`` view the main table leads."""
    charts = list(view.charts())
    tables = [table for table in view.tables if table.rows]
    asked = {
        table.name: Question(_table_title(table, view, first and k == 0), [table]) for k, table in enumerate(tables)
    }
    alone = []
    for chart in charts:
        owner = asked.get(_table_of(chart, view, tables, charts))
        if owner is None:
            alone.append(Question(chart.heading(), charts=[chart]))
        else:
            owner.charts.append(chart)
    listed = list(asked.values())
    if first and listed:
        listed[0].table_first = True
    elif listed and len(listed[0].charts) == 1:
        listed[0].title = listed[0].charts[0].heading()
    return [*listed, *alone]


def _table_of(chart: ChartView, view: View, tables: Sequence[TableView], charts: Sequence[ChartView]) -> str:
    """The table that a chart is a picture of: as the view says; of a view that says nothing, the main one's first."""
    if not view.together and tables and chart is charts[0]:
        return tables[0].name
    return view.together.get(chart.name, "")


def _table_title(table: TableView, view: View, leads: bool) -> str:
    if table.title:
        return table.title
    return (
        LEADERBOARD if leads and table.name == "agents" else f"{view.title}: {table.name}" if view.title else table.name
    )
