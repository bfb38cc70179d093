"""What changed since an earlier leaderboard, beside the new one."""

from dataclasses import replace
from functools import partial

from equipoise.analyses.boards.changes import BoardChanges
from equipoise.core.results import jsonable
from equipoise.report.views.view import Card, Column, Row, TableView, View, interval, signed, text

__all__ = ["board_changes_view", "with_changes"]

BAR = ("low", "change", "high")
UNITS = ("change", "low", "high", "old", "new")


def board_changes_view(changes: BoardChanges) -> View:
    """Show how each agent on both boards changed, those that moved beyond noise first."""
    digits = 0 if changes.unit == "Elo points" else 2
    columns = [
        Column("agent", text("agent"), right=False),
        Column("change", signed("change", digits)),
        Column("interval", interval(signed("low", digits), signed("high", digits)), right=False, bar=BAR),
        *([] if changes.by_newcomers is None else [Column("by newcomers", signed("by_newcomers", digits), drop=1)]),
        Column("verdict", text("verdict"), right=False),
        Column("rank", _moved),
        Column("old rating", signed("old", digits)),
        Column("new rating", signed("new", digits)),
    ]
    footing = "the anchor or reference" if changes.params["anchored"] else "the median agent's change"
    rows = changes.frame().to_dicts()
    return View(
        tables=(TableView("changes", rows, columns, f"Changes since {changes.old_name}", changes.units),),
        sentences=changes.words,
        diagnostics=changes.diagnostics,
        document={"method": "compare_boards", **jsonable(changes.summary()), "params": jsonable(changes.params)},
        method=f"Changes are against {footing}; {changes.interval}s hold for all agents together.",
        title="Changes",
    )


def with_changes(board: View, changes: BoardChanges) -> View:
    """Put what changed beside a leaderboard: its words first, its table second."""
    more = board_changes_view(changes)
    return replace(
        board,
        card=partial(_card, board, more),
        tables=(*board.tables, *more.tables),
        sentences=(*more.sentences, *board.sentences),
        diagnostics=(*more.diagnostics, *board.diagnostics),
        document={**board.document, "changed": jsonable(changes.summary())},
        method=f"{board.method} {more.method}",
    )


def _card(board: View, more: View) -> Card:
    """Say who won, then what changed; how far one number tells all stands below."""
    card = board.card() if board.card is not None else Card(board.title)
    return replace(card, sentences=(*card.sentences[:1], *more.sentences, *card.sentences[1:]))


def _moved(row: Row) -> str:
    old, new = row["old_rank"], row["new_rank"]
    return f"{new}" if old == new else f"{old} → {new}"


VIEWS = {"BoardChanges": board_changes_view}
"""Who shows which class of results."""
