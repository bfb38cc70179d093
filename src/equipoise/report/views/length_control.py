"""The view of length-controlled win rates."""

from functools import partial
from typing import Any

from equipoise.analyses.analysis import counts_of
from equipoise.core.results import jsonable
from equipoise.ratings.length.result import LengthControlled
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.boards.rank_strip import RankSpan, RankStrip
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.views.view import (
    Card,
    Column,
    TableView,
    View,
    count,
    decimal,
    interval,
    known,
    signed,
    span,
    text,
)

__all__ = ["controlled_view"]

BAR = ("low", "lc_win_rate", "high")


def controlled_view(found: LengthControlled) -> View:
    """Show rates at equal length beside plain ones."""
    rows = found.frame().to_dicts()
    difficulty = found.params["difficulty"]
    columns = [
        Column("rank", span("rank_low", "rank_high")),
        Column("agent", text("agent"), right=False),
        Column("at equal length (%)", decimal("lc_win_rate", 1)),
        Column("interval", interval(decimal("low", 1), decimal("high", 1)), right=False, bar=BAR),
        Column("won (%)", decimal("win_rate", 1)),
        Column("longer baseline", signed("phi", 2), drop=2),
        *([] if difficulty is None else [Column("difficulty", signed("psi", 2), drop=3)]),
        Column("games", count("games"), drop=1),
    ]
    how = "" if difficulty is None else f", difficulties {difficulty}"
    return View(
        tables=(TableView("controlled", rows, columns, units={**found.units, "games": "games"}),),
        sentences=found.words,
        diagnostics=found.diagnostics,
        document={"method": "length-controlled", **jsonable(found.summary()), "params": jsonable(found.params)},
        method=f"Length-controlled win rates{how}; {found.interval}s; ranks hold together.",
        charts=partial(_charts, found, rows),
        cites=("length_controlled",),
        title="Win rates at equal length",
        data=None if found.source is None else found.source.facts,
        card=None if found.source is None else partial(_card, found, rows),
        together={"forest": "controlled"},
    )


def _card(found: LengthControlled, rows: list[dict[str, Any]]) -> Card:
    best = [row["agent"] for row in rows if row["rank_low"] == 1 and row["lc_win_rate"] is not None]
    label = "Winner at equal length" if len(best) == 1 else "Tied at the top at equal length"
    return Card(label, best, found.words, (), counts_of(found.source.data))


def _charts(found: LengthControlled, rows: list[dict[str, Any]]) -> list[ChartView]:
    have = [row for row in rows if row["lc_win_rate"] is not None]
    spans = [Span(row["agent"], *(known(row[key]) for key in ("lc_win_rate", "low", "high"))) for row in have]
    places = [RankSpan(row["agent"], k + 1, row["rank_low"], row["rank_high"]) for k, row in enumerate(have)]
    quantity = f"win rate against {found.baseline} at equal length (%)"
    return [Forest(spans, quantity, str(found.interval), 1), RankStrip(places, found.interval.level)]


VIEWS = {"LengthControlled": controlled_view}
"""Who shows which class of results."""
