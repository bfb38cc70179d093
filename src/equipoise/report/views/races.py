"""The view of races: players of free-for-alls with their ratings, best first."""

from functools import partial
from typing import Any

from equipoise.analyses.analysis import counts_of
from equipoise.core.units import units_in_words
from equipoise.ratings.places.plackett_luce import PlackettLuce
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.views import cells
from equipoise.report.views.view import Card, Column, TableView, View, answer_of


def race_view(rated: PlackettLuce) -> View:
    """Show players of races with their ratings, best first."""
    columns = [
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("agent", cells.text("agent"), right=False),
        Column("rating", cells.signed("rating")),
        Column(f"{100 * rated.interval.level:g}% interval", cells.ends(cells.signed), right=False,
               bar=("low", "rating", "high")),
        Column("games", cells.count("games"), drop=1),
        Column("mean place", cells.decimal("mean_place", 1), drop=2),
    ]  # fmt: skip
    rows = rated.frame().to_dicts()
    errors = "posterior errors under the prior" if rated.params["prior"] else "errors clustered by game"
    opened = rated.source
    return View(
        tables=(TableView("agents", rows, columns, units=units_in_words(rated.units)),),
        **answer_of(rated, "plackett-luce"),
        method=f"Plackett\u2013Luce by places{' with ties' if rated.tie else ''}; {errors}; ranks simultaneous.",
        charts=partial(_race_charts, rated, rows),
        cites=("plackett_luce",),
        title="Ratings",
        data=None if opened is None else opened.facts,
        card=lambda: Card("Highest rating", (rows[0]["agent"],), rated.answer,
                          counts={} if opened is None else counts_of(opened.data)),
    )  # fmt: skip


def _race_charts(rated: PlackettLuce, rows: list[dict[str, Any]]) -> tuple[Forest, ...]:
    spans = [Span(row["agent"], row["rating"], row["low"], row["high"]) for row in rows]
    return (Forest(spans, "rating (Elo points)", str(rated.interval), 0),)


VIEWS = {"PlackettLuce": race_view}
"""Who shows which class of results."""
