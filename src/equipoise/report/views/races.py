"""Views of races and of strength over time: ratings by place, best first, and ratings by period."""

from functools import partial
from typing import Any

from equipoise.analyses.analysis import counts_of
from equipoise.core.units import units_in_words
from equipoise.ratings.history.change import StrengthChange
from equipoise.ratings.history.whole_history import WholeHistory
from equipoise.ratings.places.plackett_luce import PlackettLuce
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.boards.over_time import Career, Moment, StrengthOverTime
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


UNITS_OF_PERIODS = {"number": "round"}
"""What a period is called, where that is not its name."""


def history_view(rated: WholeHistory) -> View:
    """Show the last rating of each agent and how it changed; the periods are a table of their own."""
    level = f"{100 * rated.interval.level:g}%"
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("last rating", cells.signed("last")),
        Column(f"{level} interval", cells.ends(cells.signed, "last"), right=False,
               bar=("last_low", "last", "last_high")),
        Column("since", cells.text("since"), right=False, drop=1),
        Column("change", cells.signed("change")),
        Column(f"{level} of change", cells.ends(cells.signed, "change"), right=False),
        Column("P(improved)", cells.percent("improved"), drop=2),
        Column("games", cells.count("games"), drop=3),
    ]  # fmt: skip
    by_period = [
        Column("agent", cells.text("agent"), right=False),
        Column("period", cells.text("period"), right=False),
        Column("rating", cells.signed("rating")),
        Column(f"{level} interval", cells.ends(cells.signed), right=False, bar=("low", "rating", "high")),
        Column("games", cells.count("games"), drop=1),
    ]
    rows, moments = rated.change_frame().to_dicts(), rated.frame().to_dicts()
    units = units_in_words(rated.units)
    opened = rated.source
    periods = TableView("periods", moments, by_period, title="Ratings by period", units=units, aside=True)
    return View(
        tables=(TableView("agents", rows, columns, units=units), periods),
        **answer_of(rated, "whole-history"),
        method="Whole-history rating: Bradley\u2013Terry by period, joined by a walk; joint posterior intervals.",
        charts=partial(_lines_over_time, rated, moments),
        cites=("whole_history",),
        title="Strength over time",
        data=None if opened is None else opened.facts,
        card=lambda: Card("How did strength change?", rated.answer,
                          counts={} if opened is None else counts_of(opened.data)),
    )  # fmt: skip


def change_view(change: StrengthChange) -> View:
    """Show one change."""
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("since", cells.text("since"), right=False),
        Column("until", cells.text("until"), right=False),
        Column("change", cells.signed("change")),
        Column(f"{100 * change.interval.level:g}% interval", cells.ends(cells.signed), right=False),
        Column("P(improved)", cells.percent("probability")),
    ]
    rows = change.frame().to_dicts()
    return View(
        tables=(TableView("agents", rows, columns, units=units_in_words(change.units)),),
        **answer_of(change, "whole-history"),
        method="Whole-history rating; joint posterior interval of the difference.",
        cites=("whole_history",),
    )


def _lines_over_time(rated: WholeHistory, rows: list[dict[str, object]]) -> tuple[StrengthOverTime, ...]:
    careers: dict[str, list[Moment]] = {}
    for row in rows:
        moment = Moment(*(row[name] for name in ("period", "rating", "low", "high")))  # type: ignore[arg-type]
        careers.setdefault(str(row["agent"]), []).append(moment)
    unit = UNITS_OF_PERIODS.get(rated.periods.unit, rated.periods.unit)
    lines = [Career(name, moments) for name, moments in careers.items()]
    return (StrengthOverTime(rated.period, lines, unit, str(rated.interval)),)


VIEWS = {"PlackettLuce": race_view, "WholeHistory": history_view, "StrengthChange": change_view}
"""Who shows which class of results."""
