"""The view of voters: what clustering by voter does to the board, and how far voters agree."""

from equipoise.analyses.votes.voting import WeighedVoters
from equipoise.core.results import jsonable
from equipoise.flows.points import ELO_POINT
from equipoise.report.views.judges import rater_columns
from equipoise.report.views.view import Column, Row, TableView, View, decimal, interval, signed, span, text

__all__ = ["voters_view"]

ON_SCALE = ("rating", "low", "high", "independent_low", "independent_high")
MOST_RATERS = 100
"""Voters that are shown: those who stand out, then those with most votes."""


def voters_view(found: WeighedVoters) -> View:
    """Show ratings with intervals clustered by voter beside those of independent votes, and each voter."""
    rows = [
        {**row, **{name: None if row[name] is None else row[name] / ELO_POINT for name in ON_SCALE}}
        for row in found.frame().to_dicts()
    ]
    units = dict.fromkeys(ON_SCALE, "Elo points")
    tables = [TableView("agents", rows, _columns(), "The board with errors clustered by voter", units)]
    if found.agreement is not None:
        raters: list[Row] = sorted(found.agreement.frame().to_dicts(), key=lambda row: (not row["odd"], -row["votes"]))
        title = "Each voter beside the others"
        title += f" (the first {MOST_RATERS} of {len(raters):,})" if len(raters) > MOST_RATERS else ""
        shown = raters[:MOST_RATERS]
        tables.append(TableView("raters", shown, rater_columns("voter"), title, {"votes": "votes"}))
    return View(
        tables=tuple(tables),
        sentences=found.words,
        diagnostics=found.diagnostics,
        document={"method": "bradley_terry", **jsonable(found.summary()), "params": jsonable(found.params)},
        method=f"Bradley-Terry in Elo points with errors clustered by voter; {found.ratings.interval}s.",
        cites=("bradley_terry", "agreement") if found.agreement is not None else ("bradley_terry",),
        title="Voters",
    )


def _columns() -> list[Column]:
    low, high = signed("low"), signed("high")
    return [
        Column("rank", span("rank_low", "rank_high")),
        Column("agent", text("agent"), right=False),
        Column("rating", signed("rating")),
        Column("clustered by voter", interval(low, high), right=False, bar=("low", "rating", "high")),
        Column(
            "votes independent", interval(signed("independent_low"), signed("independent_high")), right=False, drop=1
        ),
        Column("times as wide", decimal("wider", 2), drop=2),
    ]


VIEWS = {"WeighedVoters": voters_view}
"""Who shows which class of results."""
