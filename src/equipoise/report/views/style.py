"""Both boards side by side: as judged, and at equal style."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from equipoise.core.units import POINTS
from equipoise.ratings.covariates.covariates import Coefficients
from equipoise.ratings.covariates.style_control import StyleControl
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.views import cells
from equipoise.report.views.view import Column, Row, TableView, View, answer_of, known

DIFFERENCES = tuple(f"{name}{end}" for name in ("change", "style") for end in ("", "_low", "_high"))
UNITS = dict.fromkeys(("coefficient", "stderr", "low", "high"), "log-odds")


def style_columns(columns: Sequence[Column], digits: int) -> list[Column]:
    """Put the unadjusted board, the change and the effect of style after the rating and its interval."""
    at = next(k for k, column in enumerate(columns) if column.heading.endswith("interval")) + 1
    more = [
        Column("as judged", cells.signed("plain_rating", digits)),
        Column("change", cells.signed("change", digits)),
        Column("its interval", _ends("change", digits), right=False, bar=("change_low", "change", "change_high")),
        Column("direction", cells.text("change_verdict"), right=False, aside=True),
        Column("rank change", _moved, drop=2, aside=True),
        Column(
            "effect of style",
            lambda row: f"{cells.signed('style', digits)(row)} ({_ends('style', digits)(row)})",
            drop=2,
            aside=True,
        ),
    ]
    return [*columns[:at], *more, *columns[at:]]


def _ends(name: str, digits: int) -> Any:
    return cells.ends(cells.signed, name, digits)


def _moved(row: Row) -> str:
    before, after = row["plain_rank"], row["controlled_rank"]
    return f"{after}" if before == after else f"{before} → {after}"


def coefficients_table(coefficients: Coefficients) -> TableView:
    """Show the coefficient of each covariate."""
    columns = [
        Column("covariate", cells.text("covariate"), right=False),
        Column("log-odds a unit", cells.signed("coefficient", 3)),
        Column("interval", cells.ends(cells.signed, "", 3), right=False, bar=("low", "coefficient", "high")),
        Column("unit", cells.decimal("scale", 3), drop=1),
    ]
    return TableView("covariates", coefficients.rows(), columns, "Coefficients of style", UNITS, aside=True)


def style_view(style: StyleControl) -> View:
    """Show both boards and the coefficients, in Elo points."""
    rows = []
    for row in style.frame().to_dicts():
        plain = {"plain_rating": row["plain"], "plain_rank": row["rank_before"], "controlled_rank": row["rank_after"]}
        change = {"change": row["change"], "change_low": row["low"], "change_high": row["high"]}
        given = {name: row[name] for name in ("style", "style_low", "style_high")}
        numbers = {"rating": row["controlled"], "plain_rating": plain.pop("plain_rating"), **change, **given}
        rows.append({"agent": row["agent"], **numbers, **plain, "change_verdict": row["verdict"]})
    first = [Column("agent", cells.text("agent"), right=False), Column("interval", cells.signed("rating"))]
    columns = style_columns(first, 0)
    columns[1] = Column("at equal style", cells.signed("rating"))
    units = dict.fromkeys(("rating", "plain_rating", *DIFFERENCES), POINTS)
    return View(
        tables=(TableView("agents", rows, columns, units=units), coefficients_table(style.coefficients)),
        **answer_of(style, "style_control"),
        units={"log_likelihood_gain": "nats"},
        method=f"Two Bradley-Terry fits to the same matches, in Elo points; {style.interval}s of the changes.",
        charts=partial(_charts, rows, str(style.interval)),
        cites=("style_control",),
        title="Style",
        together={"forest": "agents"},
    )


def _charts(rows: Sequence[Row], described: str) -> tuple[ChartView, ...]:
    spans = [Span(row["agent"], *(known(row[key]) for key in ("change", "change_low", "change_high"))) for row in rows]
    return (Forest(spans, "change at equal style (Elo points)", described, 0, "What changes at equal style?"),)


VIEWS = {"StyleControl": style_view}
"""Who shows which class of results."""
