"""Views of questions beside the board: two agents, rates at equal length, newcomers, changes, cleaning."""

from functools import partial
from typing import Any

from equipoise.analyses.analysis import counts_of
from equipoise.analyses.boards.changes import BoardChanges
from equipoise.analyses.boards.placing import PlacedAgents
from equipoise.analyses.votes.cleaning import CleaningSensitivity
from equipoise.core.results import jsonable
from equipoise.ratings.length.result import LengthControlled
from equipoise.report.charts.boards.forest import Forest, RankSpan, RankStrip, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.views import cells
from equipoise.report.views.gate import gate_view, joint_view
from equipoise.report.views.scale import Scale
from equipoise.report.views.view import NOTHING, Card, Column, Row, TableView, View, answer_of, known
from equipoise.schedule.compare_pair import PairComparison


def comparison_view(result: PairComparison) -> View:
    """Show what each kind of evidence says of two agents."""
    first = cells.short(result.first, "the first", 8)
    columns = [
        Column("evidence", cells.text("evidence"), right=False),
        Column("games", cells.count("games")),
        Column(f"score of {first}", cells.percent("score")),
        Column("interval", cells.ends(cells.percent), right=False),
        Column(f"{first} is better", cells.percent("chance", 1)),
    ]
    return View(
        tables=(TableView("evidence", result.frame().to_dicts(), columns, units={**result.units, "games": "games"}),),
        **answer_of(result, "compare_pair"),
        units={"anytime_low": "share of points", "anytime_high": "share of points", "more_games": "games"},
        method=f"Bradley-Terry and Jeffreys' prior; {result.interval}s; e-values are valid at every look.",
        charts=partial(_charts, result),
        cites=("compare_pair",),
        title=f"{result.first} against {result.second}",
        data=None if result.source is None else result.source.facts,
    )


def _charts(result: PairComparison) -> tuple[ChartView, ...]:
    rows = zip(result.evidence, result.score.tolist(), result.low.tolist(), result.high.tolist(), strict=True)
    spans = [Span(name, score, low, high) for name, score, low, high in rows]
    return (Forest(spans, f"expected score of {result.first}", str(result.interval), 2),)


BAR = ("low", "lc_win_rate", "high")


def controlled_view(result: LengthControlled) -> View:
    """Show rates at equal length beside plain ones."""
    rows = result.frame().to_dicts()
    difficulty = result.params["difficulty"]
    columns = [
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("agent", cells.text("agent"), right=False),
        Column("at equal length (%)", cells.decimal("lc_win_rate", 1)),
        Column("interval", cells.ends(cells.decimal, "", 1), right=False, bar=BAR),
        Column("won (%)", cells.decimal("win_rate", 1)),
        Column("longer baseline", cells.signed("phi", 2), drop=2),
        *([] if difficulty is None else [Column("difficulty", cells.signed("psi", 2), drop=3)]),
        Column("games", cells.count("games"), drop=1),
    ]
    how = "" if difficulty is None else f", difficulties {difficulty}"
    return View(
        tables=(TableView("controlled", rows, columns, units={**result.units, "games": "games"}),),
        **answer_of(result, "length-controlled"),
        method=f"Win rates at equal length{how}; {result.interval}s; simultaneous rank intervals.",
        charts=partial(_length_control_charts, result, rows),
        cites=("length_control",),
        title="Win rates at equal length",
        data=None if result.source is None else result.source.facts,
        card=None if result.source is None else partial(_card, result),
        together={"forest": "controlled", "ranks": "controlled"},
    )


def _card(result: LengthControlled) -> Card:
    return Card("Which agent is best at equal length?", result.answer, (), counts_of(result.source.data))


def _length_control_charts(result: LengthControlled, rows: list[dict[str, Any]]) -> list[ChartView]:
    have = [row for row in rows if row["lc_win_rate"] is not None]
    spans = [Span(row["agent"], *(known(row[key]) for key in ("lc_win_rate", "low", "high"))) for row in have]
    places = [RankSpan(row["agent"], k + 1, row["rank_low"], row["rank_high"]) for k, row in enumerate(have)]
    quantity = f"win rate against {result.baseline} at equal length (%)"
    return [Forest(spans, quantity, str(result.interval), 1), RankStrip(places, result.interval.level)]


PLACING_BAR = ("low", "rating", "high")


def placed_view(result: PlacedAgents, scale: Scale) -> View:
    """Show the board with its newcomers; what it writes as JSON is the next board."""
    rows = scale.brought(result.frame().to_dicts(), result.units)
    digits = scale.digits
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("rating", scale.cell("rating")),
        Column("interval", scale.ends(), right=False, bar=PLACING_BAR),
        Column("games", cells.count("games"), drop=1),
        Column("", _newcomer, right=False),
        Column("change if not fixed", cells.signed("would_move", digits), drop=1),
    ]
    return View(
        tables=(TableView("agents", rows, columns, units=scale.units(result.units)),),
        sentences=result.answer,
        diagnostics=result.diagnostics,
        document={"method": "bradley-terry", "scale": scale.name, **jsonable(result.summary()),
                  "params": jsonable(result.params)},
        method=f"Bradley-Terry in {scale.words}, ratings of {result.board} fixed; {result.interval}s of newcomers.",
        cites=("bradley_terry",),
        title="Newcomers",
        data=partial(result.origin.facts, result.data),
    )  # fmt: skip


def _newcomer(row: Row) -> str:
    return "new" if row["newcomer"] else "fixed"


CHANGES_BAR = ("low", "change", "high")
UNITS = ("change", "low", "high", "old", "new")


def board_changes_view(changes: BoardChanges) -> View:
    """Show how each agent on both boards changed, those that moved beyond noise first."""
    digits = 0 if changes.unit == "Elo points" else 2
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("change", cells.signed("change", digits)),
        Column("interval", cells.ends(cells.signed, "", digits), right=False, bar=CHANGES_BAR),
        *(
            []
            if changes.by_newcomers is None
            else [Column("by newcomers", cells.signed("by_newcomers", digits), drop=1)]
        ),
        Column("rank", _moved),
        Column("old rating", cells.signed("old", digits), drop=2),
        Column("new rating", cells.signed("new", digits), drop=2),
        Column("", _direction, right=False),
    ]
    footing = "the anchor or reference" if changes.params["anchored"] else "the median agent's change"
    rows = changes.frame().to_dicts()
    return View(
        tables=(TableView("changes", rows, columns, f"Changes since {changes.old_name}", changes.units),),
        sentences=changes.answer[:3],
        said=changes.answer,
        diagnostics=changes.diagnostics,
        document={"method": "changes", **jsonable(changes.summary()), "params": jsonable(changes.params)},
        method=f"Changes are against {footing}; simultaneous {changes.interval}s over all agents.",
        title="Changes",
    )


def _direction(row: Row) -> str:
    """Name the direction of what moved beyond noise."""
    return "" if row["verdict"] == "within noise" else str(row["verdict"])


def _moved(row: Row) -> str:
    old, new = row["old_rank"], row["new_rank"]
    return f"{new}" if old == new else f"{old} → {new}"


CLEANING_BAR = ("low", "change", "high")


def sensitivity_view(result: CleaningSensitivity) -> View:
    """Show a row for each board that is compared with the one after all steps, and the agents on all of them."""
    columns = [
        Column("board", cells.text("board"), right=False),
        Column("rows", cells.count("rows")),
        Column("more rows", cells.count("costs"), drop=2),
        Column("largest change", cells.text("agent"), right=False),
        Column("by", cells.signed("change")),
        Column("interval", cells.ends(cells.signed), right=False, bar=CLEANING_BAR),
        Column("beyond noise", cells.count("beyond_noise"), drop=3),
        Column("ranks changed", cells.count("reranked"), drop=3),
        Column("leader", _leader, right=False, drop=1),
    ]
    beside = [Column(board, cells.signed(board), drop=1) for board in result.boards]
    agents = [Column("agent", cells.text("agent"), right=False), Column("all steps", cells.signed("rating")), *beside]
    listed = ", ".join(f"{rows:,} ({step})" for step, rows in result.steps.items())
    used = f"All steps use {result.used:,} rows; left out, in this order: {listed}."
    return View(
        tables=(
            TableView("boards", result.frame().to_dicts(), columns, "What each step changes", result.units),
            TableView(
                "agents",
                result.agents_frame().to_dicts(),
                agents,
                "Ratings after all steps, and what each step adds",
                aside=True,
            ),
        ),
        sentences=(*result.answer[:2], used),
        said=(*result.answer, used),
        diagnostics=result.diagnostics,
        document={"method": "cleaning", **jsonable(result.summary()), "params": jsonable(result.params)},
        method="Bradley-Terry in Elo points; changes are rating with all steps less rating on the board;"
        f" simultaneous {result.interval}s over the agents of a board, which account for the votes that boards share.",
        cites=("bradley_terry",),
        title="Cleaning",
    )


def _leader(row: Row) -> str:
    if row["leader"] is None:
        return NOTHING
    return f"{row['leader']} (another)" if row["leader_changes"] else str(row["leader"])


VIEWS = {
    "PairComparison": comparison_view, "LengthControlled": controlled_view, "BoardChanges": board_changes_view,
    "GateResult": gate_view, "JointGate": joint_view,
}  # fmt: skip
"""Who shows which class of results."""
