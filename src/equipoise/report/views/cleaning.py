"""The view of what each step of cleaning changes."""

from equipoise.analyses.votes.cleaning import CleaningSensitivity
from equipoise.core.results import jsonable
from equipoise.report.views.view import NOTHING, Column, Row, TableView, View, count, interval, signed, text

__all__ = ["sensitivity_view"]

BAR = ("low", "change", "high")


def sensitivity_view(found: CleaningSensitivity) -> View:
    """Show a row for each board that is compared with the one after all steps, and the agents on all of them."""
    columns = [
        Column("board", text("board"), right=False),
        Column("rows", count("rows")),
        Column("more rows", count("costs")),
        Column("largest change", text("agent"), right=False),
        Column("by", signed("change")),
        Column("interval", interval(signed("low"), signed("high")), right=False, bar=BAR),
        Column("beyond noise", count("beyond_noise")),
        Column("ranks changed", count("reranked")),
        Column("leader", _leader, right=False),
    ]
    beside = [Column(board, signed(board), drop=1) for board in found.boards]
    agents = [Column("agent", text("agent"), right=False), Column("all steps", signed("rating")), *beside]
    listed = ", ".join(f"{rows:,} ({step})" for step, rows in found.steps.items())
    return View(
        tables=(
            TableView("boards", found.frame().to_dicts(), columns, "What each step changes", found.units),
            TableView("agents", found.agents_frame().to_dicts(), agents, "Ratings after all steps, and what steps add"),
        ),
        sentences=(*found.words, f"All steps use {found.used:,} rows; left out, in this order: {listed}."),
        diagnostics=found.diagnostics,
        document={"method": "cleaning_sensitivity", **jsonable(found.summary()), "params": jsonable(found.params)},
        method="Bradley-Terry in Elo points; changes are rating with all steps less rating on the board;"
        f" {found.interval}s hold for all agents of a board together and account for the votes that boards share.",
        cites=("bradley_terry",),
        title="Cleaning",
    )


def _leader(row: Row) -> str:
    if row["leader"] is None:
        return NOTHING
    return f"{row['leader']} (another)" if row["leader_changes"] else str(row["leader"])
