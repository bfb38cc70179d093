"""The view of two agents compared."""

from functools import partial

from equipoise.core.results import jsonable
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.views.view import Column, TableView, View, count, interval, percent, text
from equipoise.schedule.compare_pair import PairComparison

__all__ = ["comparison_view"]


def comparison_view(found: PairComparison) -> View:
    """Show what each kind of evidence says of two agents."""
    columns = [
        Column("evidence", text("evidence"), right=False),
        Column("games", count("games")),
        Column(f"score of {found.first}", percent("score")),
        Column("interval", interval(percent("low"), percent("high")), right=False),
        Column(f"{found.first} is better", percent("chance", 1)),
    ]
    return View(
        tables=(TableView("evidence", found.frame().to_dicts(), columns, units={**found.units, "games": "games"}),),
        sentences=found.words,
        diagnostics=found.diagnostics,
        document={"method": "compare_pair", **jsonable(found.summary()), "params": jsonable(found.params)},
        units={"anytime_low": "share of points", "anytime_high": "share of points", "more_games": "games"},
        method=f"Bradley-Terry and Jeffreys' prior; {found.interval}s; e-values hold at every look.",
        charts=partial(_charts, found),
        cites=("compare_pair",),
        title=f"{found.first} against {found.second}",
        data=None if found.source is None else found.source.facts,
    )


def _charts(found: PairComparison) -> tuple[ChartView, ...]:
    rows = zip(found.evidence, found.score.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
    spans = [Span(name, score, low, high) for name, score, low, high in rows]
    return (Forest(spans, f"expected score of {found.first}", str(found.interval), 2),)


VIEWS = {"PairComparison": comparison_view}
"""Who shows which class of results."""
