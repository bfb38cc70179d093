"""A view as questions: each with the chart and the table that answer it, in the order of reading."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.views.view import TableView, View

BOARDS = {"agents": "Ranking", "players": "Standings"}
"""Titles of tables that are leaderboards, by name, where they are the main one."""


@dataclass(slots=True)
class PageQuestion:
    """A heading with what answers it.

    ``table_first`` where the table is the answer and the chart its picture; ``folded`` where a page keeps it closed.
    """

    name: str
    title: str
    tables: list[TableView] = field(default_factory=list)
    charts: list[ChartView] = field(default_factory=list)
    table_first: bool = False
    folded: bool = False


def questions(view: View, *, first: bool) -> list[PageQuestion]:
    """Put charts and tables that belong together under one heading; of the ``first`` view the main table leads.

    What the view does not lead with comes after that, folded. A chart that a table shows in its rows is left out.
    """
    tables = [table for table in view.tables if table.rows]
    asked = {table.name: PageQuestion(table.name, _title(table, view, first), [table]) for table in tables}
    alone = []
    for chart in _charts(view, tables):
        owner = asked.get(_table_of(chart, view, tables))
        if owner is None:
            alone.append(PageQuestion(chart.name, chart.heading(), charts=[chart]))
        else:
            owner.charts.append(chart)
    listed = list(asked.values())
    if first and listed:
        listed[0].table_first = True
    elif listed and len(listed[0].charts) == 1:
        listed[0].title = listed[0].charts[0].heading()
    ordered = _ordered([*listed, *alone], view.leads)
    for one in ordered if not (first or view.stands_open) else ():
        one.folded = True
    return ordered


def _ordered(listed: list[PageQuestion], leads: Sequence[str] | None) -> list[PageQuestion]:
    """Put the main one first, then those that lead, then the others, folded."""
    if leads is None:
        return listed
    place = {name: k for k, name in enumerate(leads)}
    main, others = listed[:1], listed[1:]
    for one in others:
        one.folded = one.name not in place
    return [*main, *sorted(others, key=lambda one: place.get(one.name, len(place)))]


def _charts(view: View, tables: Sequence[TableView]) -> list[ChartView]:
    drawn = {table.name for table in tables if any(column.bar for column in table.columns)}
    charts = [chart for chart in view.charts() if not chart.aside]
    return [chart for chart in charts if not (chart.in_rows and _table_of(chart, view, tables) in drawn)]


def _table_of(chart: ChartView, view: View, tables: Sequence[TableView]) -> str:
    """The table that a chart is a picture of, as the view says; where it says nothing, rows are the main one's."""
    if not view.together and tables and chart.in_rows:
        return tables[0].name
    return view.together.get(chart.name, "")


def _title(table: TableView, view: View, first: bool) -> str:
    if table.title:
        return table.title
    if first and table is view.tables[0] and table.name in BOARDS:
        return BOARDS[table.name]
    own = table.name.replace("_", " ").capitalize()
    return view.title or own if table is view.tables[0] else own
