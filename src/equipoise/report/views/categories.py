"""The view of boards by category."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from equipoise.analyses.analysis import counts_of
from equipoise.core.results import jsonable
from equipoise.ratings.categories.result import CategoryBoards
from equipoise.report.charts.boards.category_map import CategoryMap
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.views import cells
from equipoise.report.views.scale import Scale
from equipoise.report.views.view import Card, Cell, Column, TableView, View, known

BAR = ("low", "rating", "high")
OFF_BAR = ("difference_low", "difference", "difference_high")
STAR = "*"
"""Marks a rating with a significant category effect."""


def category_boards_view(boards: CategoryBoards, scale: Scale | None = None) -> View:
    """Show the overall board with a column for each category, and who is special where."""
    shown = scale or Scale()
    rows, special = _agents(boards, shown), _special(boards, shown)
    units = shown.units(boards.units) | {"games": "games", "told": "share"}
    more = [
        TableView(
            "special", special, _special_columns(shown), "Category effects, Holm-adjusted", units, aside=True,
            sentences=boards.answer[3:], called="effects",
        )
    ]  # fmt: skip
    digits, unit = shown.digits, shown.unit
    summary = boards.summary()
    del summary["overall"]  # the first table
    summary["tau"] = shown.difference(boards.tau)
    summary["side"] = None if boards.side is None else shown.difference(boards.side)
    document = {"method": "categories", "scale": shown.name, **jsonable(summary), "boards": _boards(boards, shown)}
    return View(
        tables=(TableView("agents", rows, _columns(boards, digits), units=units), *(more if special else ())),
        sentences=boards.answer[:3],
        said=boards.answer,
        diagnostics=boards.diagnostics,
        document={**document, "params": jsonable(boards.params)},
        units={"tau": shown.words, "side": shown.words, "log_likelihood": "nats", "boards": shown.words},
        method=(
            f"Bradley-Terry by {boards.by} in {shown.words}, partially pooled with a between-category SD of"
            f" {float(boards.tau) / unit:.{digits}f}; {boards.interval}s; simultaneous rank intervals within a board;"
            f" {STAR}: significant category effect."
        ),
        charts=partial(_charts, boards, rows, shown),
        cites=("categories",),
        title=f"Boards by {boards.by}",
        data=None if boards.source is None else boards.source.facts,
        card=partial(_card, boards),
        together={"category-map": "agents"},
    )


def _agents(boards: CategoryBoards, scale: Scale) -> list[dict[str, Any]]:
    """Give the overall board, with the rating in each category beside it."""
    rows = scale.brought(boards.board().to_dicts(), boards.units)
    place = {agent: i for i, agent in enumerate(boards.agents)}
    for row in rows:
        at = place[row["agent"]]
        for c, name in enumerate(boards.categories):
            row[f"rating_{name}"] = scale.shown(float(boards.rating[at, c]))
            row[f"special_{name}"] = int(boards.special[at, c])
    return rows


def _boards(boards: CategoryBoards, scale: Scale) -> list[dict[str, Any]]:
    """Give a board for each category, best first, as JSON has it."""
    return [
        {
            "category": name,
            "games": float(boards.games[:, c].sum() / 2),
            "agents": jsonable(scale.brought(boards.board(c).to_dicts(), boards.units)),
        }
        for c, name in enumerate(boards.categories)
    ]


def _special(boards: CategoryBoards, scale: Scale) -> list[dict[str, Any]]:
    rows = [row for row in boards.frame().to_dicts() if row["special"]]
    return scale.brought(sorted(rows, key=lambda row: -abs(row["difference"])), boards.units)


def _columns(boards: CategoryBoards, digits: int) -> list[Column]:
    """Put the overall board first; categories with fewer games give way first where there is no room."""
    order = np.argsort(np.argsort(-boards.games.sum(axis=0), kind="stable"))
    return [
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("agent", cells.text("agent"), right=False),
        Column("overall", cells.signed("rating", digits)),
        Column(
            "interval",
            cells.ends(cells.signed, digits=digits),
            right=False,
            bar=BAR,
            drop=1,
        ),
        *(Column(name, _starred(name, digits), drop=2 + int(order[c])) for c, name in enumerate(boards.categories)),
        Column("games", cells.count("games"), drop=2 + len(boards.categories)),
    ]


def _starred(category: str, digits: int) -> Cell:
    rating = cells.signed(f"rating_{category}", digits)
    return lambda row: rating(row) + (STAR if row[f"special_{category}"] else "")


def _special_columns(scale: Scale) -> list[Column]:
    return [
        Column("agent", cells.text("agent"), right=False),
        Column("category", cells.text("category"), right=False),
        Column("beside overall", cells.signed("difference", scale.digits)),
        Column("interval", cells.ends(cells.signed, "difference", scale.digits), right=False, bar=OFF_BAR),
        Column("rating", cells.signed("rating", scale.digits)),
        Column("games", cells.count("games"), drop=1),
    ]


def _charts(boards: CategoryBoards, rows: list[dict[str, Any]], scale: Scale) -> Sequence[ChartView]:
    place = {agent: i for i, agent in enumerate(boards.agents)}
    order = [place[row["agent"]] for row in rows]

    def table(values: Any, unit: float = 1.0) -> list[list[float]]:
        return [[float(value) / unit for value in values[i]] for i in order]

    spans = [Span(row["agent"], *(known(row[key]) for key in ("rating", "low", "high"))) for row in rows]
    return (
        CategoryMap(
            [row["agent"] for row in rows], boards.categories, table(boards.difference, scale.unit),
            table(boards.rating, scale.unit), table(boards.low, scale.unit), table(boards.high, scale.unit),
            [[int(value) for value in boards.special[i]] for i in order], table(boards.games), scale.words,
            scale.digits, scale.offset,
        ),
        Forest(spans, f"overall rating ({scale.words})", str(boards.interval), scale.digits),
    )  # fmt: skip


def _card(boards: CategoryBoards) -> Card:
    counts = {} if boards.source is None else counts_of(boards.source.data)
    return Card("Which agent is best, and in which category?", boards.answer, (), counts)


VIEWS = {"CategoryBoards": category_boards_view}
"""Who shows which class of results."""
