"""Views of what one number cannot tell: discs of games, and talents that averages hide."""

from collections.abc import Mapping
from typing import Any

from equipoise.flows.additivity import Additivity
from equipoise.flows.schur import Schur
from equipoise.report.drawings import charts_of
from equipoise.report.view import Column, TableView, View, decimal, signed, text
from equipoise.results import jsonable

__all__ = ["averages_view", "disc_view"]


def disc_view(found: Schur, facts: Mapping[str, Any] | None = None) -> View:
    """Show where agents lie on the strongest disc."""
    columns = [
        Column("agent", text("agent"), right=False),
        Column("from the centre", decimal("radius", 3)),
        Column("x", signed("x", 3)),
        Column("y", signed("y", 3)),
    ]
    return View(
        tables=(TableView("disc", found.frame().to_dicts(), columns, "Places on the strongest disc"),),
        diagnostics=found.diagnostics,
        document={"method": "schur", **jsonable(found.summary()), "params": jsonable(found.params)} | dict(facts or {}),
        method=f"Schur form of the log-odds, part: {found.params['part']}; {len(found.values)} discs.",
        charts=charts_of(found),
        title="Discs",
    )


def averages_view(found: Additivity, facts: Mapping[str, Any] | None = None) -> View:
    """Show how far averages explain the scores."""
    columns = [
        Column("agent", text("agent"), right=False),
        Column("average skill", signed("skill", 3)),
        Column("latent ability", signed("ability", 3)),
    ]
    return View(
        tables=(TableView("averages", found.frame().to_dicts(), columns, "Averages, best first"),),
        sentences=(found.text,),
        diagnostics=found.diagnostics,
        document={"method": "additivity", **jsonable(found.summary()), "params": jsonable(found.params)}
        | dict(facts or {}),
        method=f"Averages of agents and tasks and the singular values of the rest, in {found.params['units']} units.",
        charts=charts_of(found),
        title="Averages",
    )
