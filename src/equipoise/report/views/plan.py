"""The view of a plan: what to play next, what is decided, and how many games would be enough."""

from functools import partial

from equipoise.analyses.analysis import counts_of
from equipoise.report.charts.registry import charts_of
from equipoise.report.views import cells
from equipoise.report.views.details import pair_details
from equipoise.report.views.view import NOTHING, Card, Column, Row, TableView, View, answer_of, finite
from equipoise.schedule.plan import Plan

UNITS = dict.fromkeys(("play", "games", "needed"), "games") | {"score": "share"}


def whole_plan_view(plan: Plan) -> View:
    """Show all pairs, those to leave alone too."""
    return plan_view(plan, everything=True)


def plan_view(plan: Plan, everything: bool = False) -> View:
    """Show the pairs to play, most games first; with ``everything`` also those to leave alone."""
    rows = [finite(row) for row in plan.frame().to_dicts() if everything or row["play"] > 0]
    columns = [
        Column("play", cells.count("play")),
        Column("first", cells.text("first"), right=False),
        Column("second", cells.text("second"), right=False),
        Column("games so far", cells.count("games"), drop=1),
        Column("score", cells.decimal("score", 3), drop=3),
        Column("expected after", _expected, drop=2),
        Column("decision", _decision, right=False, aside=not everything, drop=0 if everything else 4),
    ]
    decided = [] if everything else [finite(row) for row in plan.frame().to_dicts() if row["verdict"] != "undecided"]
    tables = [TableView("pairs", rows, columns, units=UNITS)]
    if decided:
        title = "Decided: these need no more games"
        shown = [*columns[1:5], columns[6]]
        said = plan.decided_answer
        tables.append(
            TableView("decided_pairs", decided, shown, title, UNITS, aside=True, called="decided", sentences=said)
        )
    promised = [
        Column(
            "games a pair",
            lambda row: cells.count("games")(row) if row["games"] < 1e12 else f"10^{row['log10_games']:.0f}",
        ),
        Column("guarantee in advance", cells.text("guarantees"), right=False, prose=True),
        Column("theorem", cells.text("theorem"), right=False),
    ]
    title = "What numbers of games guarantee in advance"
    tables.append(TableView("guarantee", plan.guarantee_frame().to_dicts(), promised, title, aside=True))
    return View(
        tables=tuple(tables),
        **answer_of(plan, "plan"),
        method=_how(plan),
        charts=partial(charts_of, plan),
        cites=("plan",),
        title="What to play next",
        data=None if plan.source is None else plan.source.facts,
        card=None if plan.source is None else partial(_card, plan),
        details=None if plan.source is None else partial(pair_details, plan.source.data, plan.agents),
    )


def _how(plan: Plan) -> str:
    whole = plan.goal in ("order", "profile")
    valid = "simultaneously for all pairs" if whole else "for the answer; other decisions are steps to it"
    clusters = " Games of a cluster count as one." if plan.clustered else ""
    return f"Goal: {plan.goal}. Decisions are valid at every look, {valid}.{clusters}"


def _card(plan: Plan) -> Card:
    return Card(
        "What to play next?", plan.answer, counts={"planned": int(plan.play.sum()), **counts_of(plan.source.data)}
    )


def _expected(row: Row) -> str:
    """Give the games after which the pair should be decided, if it goes on as it has."""
    needed = row["needed"]
    return NOTHING if needed is None or not row["games"] else f"{row['games'] + needed:,.0f}"


def _decision(row: Row) -> str:
    better = {"first": f"{row['first']} is better", "second": f"{row['second']} is better", "equal": "equal"}
    return better.get(row["verdict"], "open")


VIEWS = {"Plan": plan_view}
"""Who shows which class of results."""
WHOLE_VIEWS = {"Plan": whole_plan_view}
"""Those of which a report shows more than a command."""
