"""The view of judges (position bias, self-preference, consistency, agreement), and of voters.

The view of voters says what clustering by voter does to the board, and how far voters agree.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from equipoise.analyses.analysis import counts_of
from equipoise.analyses.votes.voting import WeighedVoters
from equipoise.core.results import jsonable
from equipoise.core.units import POINTS, in_points
from equipoise.ratings.judges.judges import Judges
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.views import cells
from equipoise.report.views.view import Card, Cell, Column, Row, TableView, View, answer_of

ODDS = dict.fromkeys(("advantage", "preference", "stderr", "low", "high"), POINTS)
UNITS = {**ODDS, "votes": "votes", "first_share": "share"}


def judges_view(result: Judges) -> View:
    """Show judges, first-position advantages of agents, self-preference, and raters beside each other."""
    flagged = sum(bool(row["flagged"]) for row in result.by_judge.rows("judge"))
    judged = sorted(result.by_judge.rows("judge"), key=lambda row: not row["flagged"])
    tables = [
        TableView(
            "judges", judged, _columns("judge", "position bias"), units=_units(UNITS), first=flagged or None,
        ),
        TableView(
            "agents", result.by_agent.rows("agent"), _columns("agent", "unlike others"),
            "First-position advantage of agents", units=_units(UNITS), aside=True,
        ),
    ]  # fmt: skip
    if result.own is not None and result.own.judges:
        units = {key: unit for key, unit in UNITS.items() if key in ("preference", "stderr", "low", "high", "votes")}
        tables.append(TableView("own", result.own.rows(), _own_columns(), "Self-preference", units, aside=True))
    if result.agreement is not None:
        rows: list[dict[str, Any]] = result.agreement.frame().to_dicts()
        tables.append(
            TableView(
                "raters", rows, rater_columns("judge"), "Each judge beside the others", {"votes": "votes"}, aside=True
            )
        )
    if result.weighted is not None:
        units = dict.fromkeys(result.weighted.units, POINTS) | {"votes": "votes"}
        weights = result.weighted.rater_frame().to_dicts()
        tables += [
            TableView("weights", weights, _weight_columns(), "How often judges look", units, aside=True),
            TableView(
                "weighted",
                result.weighted.frame().to_dicts(),
                _weighted_columns(),
                "Ratings with weighted judges",
                units,
                aside=True,
            ),
        ]
    aside = ("agents", "own", "weights", "weighted_ratings")
    summary = {key: value for key, value in result.summary().items() if key not in aside}
    return View(
        tables=tuple(tables),
        sentences=_first_sentences(result),
        said=result.answer,
        diagnostics=result.diagnostics,
        document={"method": "judges", **jsonable(summary), "params": jsonable(result.params)},
        units=dict.fromkeys(("side", "judges_common", "judges_spread", "agents_spread", "self_preference"), POINTS),
        method="Bradley-Terry in Elo points with a first-position advantage of each judge, partially pooled;"
        " Holm-adjusted flags.",
        charts=partial(_charts, result),
        cites=(
            "judges",
            *(() if result.agreement is None else ("agreement",)),
            *(() if result.weighted is None else ("rater_weighted",)),
        ),
        title="How reliable are the judges?",
        data=None if result.source is None else result.source.facts,
        card=partial(_card, result),
        together={"forest": "judges" if len(result.judges) > 1 else "agents"},
        leads=("judges", "own"),
        stands_open=True,
    )


def _first_sentences(result: Judges) -> tuple[str, ...]:
    """Position bias, self-preference or how far judges agree, and which of them favour a side."""
    side, *others = result.answer
    own = () if result.own is None else result.own.words[:1]
    agree = () if result.agreement is None else result.agreement.answer[:1]
    weighed = () if result.weighted is None else result.weighted.answer
    return (side, *dict.fromkeys((*weighed, *own, *agree, *others)))[:3]


def _units(units: dict[str, str]) -> dict[str, str]:
    return {key: unit for key, unit in units.items() if key != "preference"}


def _columns(name: str, flag: str) -> list[Column]:
    return [
        Column(name, cells.text(name), right=False),
        Column("votes", cells.count("votes"), drop=2),
        Column("points of the first", cells.percent("first_share"), drop=3, aside=True),
        Column("advantage of the first", cells.signed("advantage")),
        Column("interval", cells.ends(cells.signed), bar=("low", "advantage", "high")),
        Column("p", _p("p_value"), drop=1),
        Column(flag, _yes("flagged"), right=False),
    ]


def _own_columns() -> list[Column]:
    return [
        Column("judge", cells.text("judge"), right=False),
        Column("votes on its own", cells.count("votes"), drop=2),
        Column("preference", cells.signed("preference")),
        Column("interval", cells.ends(cells.signed), bar=("low", "preference", "high")),
        Column("p", _p("p_value"), drop=1),
        Column("self-preference", _yes("flagged"), right=False),
    ]


def rater_columns(called: str) -> list[Column]:
    """Columns of raters beside each other, who are ``called`` so."""
    return [
        Column(called, cells.text("rater"), right=False),
        Column("votes", cells.count("votes"), drop=2),
        Column("alpha with others", cells.signed("alpha", 2)),
        Column("interval", cells.ends(cells.signed, "", 2), bar=("low", "alpha", "high")),
        Column("p", _p("p_value"), drop=1),
        Column("low agreement", _yes("odd"), right=False),
    ]


def _weight_columns() -> list[Column]:
    return [
        Column("judge", cells.text("rater"), right=False),
        Column("votes", cells.count("votes"), drop=2),
        Column("looks at", cells.percent("weight")),
        Column("interval", _share_ends, bar=("low", "weight", "high")),
        Column("else the first", cells.percent("lean"), drop=1),
    ]


def _share_ends(row: Row) -> str:
    return f"{row['low']:.0%} to {row['high']:.0%}"


def _weighted_columns() -> list[Column]:
    return [
        Column("agent", cells.text("agent"), right=False),
        Column("rating", cells.signed("rating")),
        Column("interval", cells.ends(cells.signed), bar=("low", "rating", "high")),
        Column("all judges alike", cells.signed("plain"), drop=1),
        Column("without some", cells.signed("without"), drop=2),
    ]


def _p(key: str) -> Cell:
    return lambda row: "< 0.001" if row[key] < 0.001 else f"{row[key]:.3f}"


def _yes(key: str) -> Cell:
    def cell(row: Row) -> str:
        return "yes" if row[key] else ""

    return cell


def _card(result: Judges) -> Card:
    counts = {} if result.source is None else counts_of(result.source.data)
    return Card("How reliable are the judges?", result.answer, counts={"judges": len(result.judges), **counts})


def _charts(result: Judges) -> tuple[ChartView, ...]:
    """Draw the judges, or what agents gain where there is one judge."""
    many = len(result.judges) > 1
    terms = result.by_judge if many else result.by_agent
    ends = zip(terms.names, *(in_points(part) for part in (terms.advantage, terms.low, terms.high)), strict=True)
    spans = sorted((Span(name, *map(float, rest)) for name, *rest in ends), key=lambda span: -(span.value or 0.0))
    asked = "Do judges have a position bias?" if many else "Who gains from the first position?"
    return (Forest(spans, "first-position advantage (Elo points)", str(result.interval), 0, asked),)


MOST_RATERS = 100
"""Voters that are shown: those who stand out, then those with most votes."""


def voters_view(result: WeighedVoters) -> View:
    """Show ratings with intervals clustered by voter beside those of independent votes, and each voter."""
    rows = result.frame().to_dicts()
    tables = [TableView("agents", rows, _voters_columns(), "The board with errors clustered by voter", result.units)]
    if result.agreement is not None:
        raters: list[Row] = sorted(result.agreement.frame().to_dicts(), key=lambda row: (not row["odd"], -row["votes"]))
        title = "Each voter beside the others"
        title += f" (the first {MOST_RATERS} of {len(raters):,})" if len(raters) > MOST_RATERS else ""
        shown = raters[:MOST_RATERS]
        tables.append(TableView("raters", shown, rater_columns("voter"), title, {"votes": "votes"}))
    return View(
        tables=tuple(tables),
        **answer_of(result, "bradley_terry"),
        method=f"Bradley-Terry in Elo points with errors clustered by voter; {result.rated.interval}s.",
        cites=("bradley_terry", "agreement") if result.agreement is not None else ("bradley_terry",),
        title="Voters",
        stands_open=True,
    )


def voters_section(result: WeighedVoters) -> View:
    """Show the voters alone: a page has their board already."""
    view = voters_view(result)
    return replace(view, tables=tuple(table for table in view.tables if table.name != "agents"))


def _voters_columns() -> list[Column]:
    return [
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("agent", cells.text("agent"), right=False),
        Column("rating", cells.signed("rating")),
        Column("clustered by voter", cells.ends(cells.signed), right=False, bar=("low", "rating", "high")),
        Column("votes independent", cells.ends(cells.signed, "independent"), right=False, drop=1),
        Column("times as wide", cells.decimal("wider", 2), drop=2),
    ]


VIEWS = {"Judges": judges_view, "WeighedVoters": voters_view}
"""Who shows which class of results."""
WHOLE_VIEWS = {"WeighedVoters": voters_section}
"""Those of which a report shows other parts."""
