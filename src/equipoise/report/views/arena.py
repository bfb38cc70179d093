"""The view of an arena: who stands where, what is decided, and what is left to play."""

import math
from typing import Any

from equipoise.arena.access.standings import ArenaStandings
from equipoise.core.results import jsonable
from equipoise.report.views.view import (
    Column,
    Row,
    TableView,
    View,
    count,
    decimal,
    interval,
    percent,
    signed,
    span,
    text,
)


def arena_view(standings: ArenaStandings) -> View:
    """Show the standings, then what is decided."""
    rows = [_row(row) for row in standings.frame().to_dicts()]
    columns = [
        Column("rank", span("rank_low", "rank_high")),
        Column("player", text("agent"), right=False),
        Column("rating", signed("rating")),
        Column("interval", interval(signed("low"), signed("high")), drop=2, bar=("low", "rating", "high")),
        Column("trials", count("trials"), drop=1),
        Column("score", percent("score", 1), drop=3),
    ]
    if rows and "adjusted" in rows[0]:
        columns.append(Column("without luck", decimal("adjusted", 3)))
        columns.append(Column("interval", interval(decimal("adjusted_low", 3), decimal("adjusted_high", 3)), drop=4))
    tables = [TableView("players", rows, columns, units=standings.units)]
    decided = [{"said": one.sentence, "block": one.block, "status": one.status} for one in standings.decisions]
    if decided:
        shown = [
            Column("decided", text("said"), right=False, prose=True),
            Column("status", text("status"), right=False),
        ]
        tables.append(TableView("decisions", decided, shown, "What is decided"))
    kind = "no rating intervals" if standings.interval is None else f"{standings.interval}s"
    return View(
        tables=tuple(tables),
        sentences=_sentences(standings),
        diagnostics=standings.diagnostics,
        document={**_document(standings), "params": jsonable(standings.params)},
        method=f"Ratings in Elo points, {kind}; ranks from decisions alone, valid at every look.",
        cites=("bradley-terry",),
        title=standings.name,
    )  # fmt: skip


def _sentences(standings: ArenaStandings) -> tuple[str, ...]:
    played = f"{standings.counted:,} trials count"
    saved = standings.progress.round_robin
    state = {
        "running": f"Running: {played}.",
        "paused": f"Paused: {played}.",
        "answered": f"Answered: {played}"
        + (f"; a fixed round-robin would have taken about {saved:,}." if saved else "."),
        "spent": f"The budget is spent: {played}.",
        "stopped": f"Stopped: {played}.",
    }[standings.phase]
    return (state, *standings.words)


def _document(standings: ArenaStandings) -> dict[str, Any]:
    summary: dict[str, Any] = jsonable(standings.summary())
    return {key: value for key, value in summary.items() if key not in ("decisions", "interval")}


def _row(row: Row) -> dict[str, Any]:
    return {key: _known(value) for key, value in row.items()}


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
