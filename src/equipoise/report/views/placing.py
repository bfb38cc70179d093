"""The view of newcomers on a board that is held."""

from functools import partial

from equipoise.analyses.boards.placing import PlacedAgents
from equipoise.core.results import jsonable
from equipoise.report.views.scale import Scale
from equipoise.report.views.view import Column, Row, TableView, View, count, interval, signed, text

__all__ = ["placed_view"]

BAR = ("low", "rating", "high")


def placed_view(found: PlacedAgents, scale: Scale) -> View:
    """Show the board with its newcomers; what it writes as JSON is the next board."""
    rows = scale.brought(found.frame().to_dicts(), found.units)
    digits = scale.digits
    columns = [
        Column("agent", text("agent"), right=False),
        Column("rating", signed("rating", digits)),
        Column("interval", interval(signed("low", digits), signed("high", digits)), right=False, bar=BAR),
        Column("games", count("games"), drop=1),
        Column("", _newcomer, right=False),
        Column("would have moved", signed("would_move", digits), drop=1),
    ]
    return View(
        tables=(TableView("agents", rows, columns, units=scale.units(found.units)),),
        sentences=found.words,
        diagnostics=found.diagnostics,
        document={"method": "bradley-terry", "scale": scale.name, **jsonable(found.summary()),
                  "params": jsonable(found.params)},
        method=f"Bradley-Terry in {scale.words}, ratings of {found.board} held; {found.interval}s of newcomers.",
        cites=("bradley_terry",),
        title="Newcomers",
        data=partial(found.origin.facts, found.data),
    )  # fmt: skip


def _newcomer(row: Row) -> str:
    return "new" if row["newcomer"] else "held"
