"""The view of predicted scores: what agents would score on the whole benchmark."""

from functools import partial

from equipoise.analyses.scores.prediction import PredictedScores
from equipoise.core.results import jsonable
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.views.view import Column, TableView, View, count, decimal, interval, known, percent, text

__all__ = ["predict_view"]

UNITS = dict.fromkeys(("score", "stderr", "low", "high", "plain", "plain_stderr"), "share of all items") | {
    "answered": "items",
    "saving": "answers per answer",
}


def predict_view(found: PredictedScores) -> View:
    """Make the view."""
    columns = [
        Column("agent", text("agent"), right=False),
        Column("predicted", percent("score", 1)),
        Column("interval", interval(percent("low", 1), percent("high", 1)), right=False),
        Column("plain share", percent("plain", 1)),
        Column("answered", count("answered")),
        Column("worth", decimal("saving")),
    ]
    folds = found.predicted.params["folds"]
    how = f"Predictions as a control variate, {folds} folds, items calibrated on {found.calibrated_on}"
    return View(
        tables=(TableView("agents", found.frame().to_dicts(), columns, units=UNITS),),
        sentences=found.words,
        diagnostics=found.diagnostics,
        document={"method": "predict_score", **jsonable(found.summary()), "params": jsonable(found.params)},
        units={"n_items": "items"},
        method=f"{how}; {found.predicted.interval}s.",
        charts=partial(_charts, found),
        cites=("predict_score",),
        title="Predicted scores",
        data=partial(found.origin.facts, found.data),
    )


def _charts(found: PredictedScores) -> tuple[ChartView, ...]:
    rows = found.frame().to_dicts()
    spans = [Span(row["agent"], *(known(row[key]) for key in ("score", "low", "high"))) for row in rows]
    return (Forest(spans, "share of all items solved", str(found.predicted.interval), 3),)


VIEWS = {"PredictedScores": predict_view}
"""Who shows which class of results."""
