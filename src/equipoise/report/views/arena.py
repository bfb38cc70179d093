"""The view of an arena: who stands where, what is decided, and what is left to play."""

from typing import Any

from equipoise.arena.access.standings import ArenaStandings
from equipoise.arena.contests.contest import BUDGET_USED_UP, ended
from equipoise.core.results import jsonable
from equipoise.core.wording import counted
from equipoise.report.views import cells
from equipoise.report.views.view import Column, TableView, View, finite

CONSTANT = "if the expected score of each pair stays the same while it plays (else whole sessions: session in the spec)"
"""The condition under which decisions hold."""


def arena_view(standings: ArenaStandings) -> View:
    """Show the standings, then what is decided."""
    rows = [finite(row) for row in standings.frame().to_dicts()]
    columns = [
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("player", cells.text("agent"), right=False),
        Column("rating", cells.signed("rating")),
        Column("interval", cells.ends(cells.signed), drop=2, bar=("low", "rating", "high")),
        Column("games", cells.count("trials"), drop=1),
        Column("score", cells.percent("score", 1), drop=3),
    ]
    if rows and "adjusted" in rows[0]:
        columns.append(Column("without luck", cells.decimal("adjusted", 3)))
        columns.append(Column("interval", cells.ends(cells.decimal, "adjusted", 3), drop=4))
    tables = [TableView("players", rows, columns, units=standings.units)]
    decided = [{"said": one.sentence, "block": one.block, "status": one.status} for one in standings.decisions]
    if decided:
        shown = [
            Column("decided", cells.text("said"), right=False, prose=True),
            Column("status", lambda row: "stands" if row["status"] == "holds" else str(row["status"]), right=False),
        ]
        tables.append(TableView("decisions", decided, shown, "Decisions", aside=True))
    kind = "no rating intervals" if standings.interval is None else f"{standings.interval}s"
    return View(
        tables=tuple(tables),
        sentences=_sentences(standings),
        diagnostics=standings.diagnostics,
        document={**_document(standings), "params": jsonable(standings.params)},
        method=f"Ratings in Elo points, {kind}; ranks from decisions only, valid at every look {CONSTANT}.",
        cites=("bradley-terry",),
        title=standings.name,
    )  # fmt: skip


def _sentences(standings: ArenaStandings) -> tuple[str, ...]:
    """Say in which state play is where the goal's own sentence does not, then how far the goal is."""
    halted = standings.phase in ("paused", "stopped")
    state = (_state(standings),) if halted or standings.progress.ending is None else ()
    saved = standings.progress.round_robin if standings.progress.answered else None
    often = "half of the cases" if str(standings.params["goal"]) in ("profile", "ability") else "nine cases of ten"
    length = (
        (f"A round-robin of fixed length would take about {counted(saved, 'game')} for that in {often}.",)
        if saved
        else ()
    )
    return (*state, standings.answer[0], *length, *standings.answer[1:])


def _state(standings: ArenaStandings) -> str:
    budget = standings.params["budget"]
    most = "" if budget is None else f" of at most {budget:,}"
    played = f"{standings.counted:,}{most} games"
    if standings.phase == "running" and not standings.counted:
        limit = "" if budget is None else f", at most {budget:,} games"
        return f"Not started: {counted(len(standings.agents), 'player')}{limit}."
    if standings.phase == "spent":
        asked = standings.params["goal"] != "budget"
        return f"{ended(BUDGET_USED_UP, standings.counted, 'game', asked=asked)}."
    of_itself = standings.phase == "running" or any(one.code == "stopped" for one in standings.diagnostics)
    return f"{standings.phase.capitalize()}{'' if of_itself else ' by command'}: {played}."


def _document(standings: ArenaStandings) -> dict[str, Any]:
    summary: dict[str, Any] = jsonable(standings.summary())
    return {key: value for key, value in summary.items() if key not in ("decisions", "interval")}
