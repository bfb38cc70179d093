"""The view of generality: who fails on hard tasks only, and who in pockets."""

from collections.abc import Mapping
from typing import Any

from equipoise.items.fit import IRT
from equipoise.items.generality import Generality
from equipoise.report.drawings import charts_of, generality_map
from equipoise.report.names import harmless
from equipoise.report.view import Column, TableView, View, count, decimal, text
from equipoise.results import jsonable

__all__ = ["generality_view"]


def generality_view(found: Generality, fit: IRT, facts: Mapping[str, Any] | None = None) -> View:
    """Make the view; ability comes from the fit."""
    ability = dict(zip(fit.agents, fit.ability.tolist(), strict=True))
    rows = [row | {"ability": ability.get(row["agent"])} for row in found.frame().to_dicts()]
    columns = [
        Column("agent", text("agent"), right=False),
        Column("generality", decimal("generality", 2)),
        Column("regularity", decimal("regularity", 2)),
        Column("ability", decimal("ability", 2)),
        Column("mean result", decimal("mean", 3)),
        Column("dominates", count("dominates")),
    ]
    top = harmless(str(rows[0]["agent"]), 60)
    return View(
        tables=(TableView("generality", rows, columns, "Agents, most general first"),),
        sentences=(f"{top} is the most general: its results vary least among tasks of like difficulty.",),
        diagnostics=found.diagnostics,
        document={"method": "generality", **jsonable(found.summary()), "params": jsonable(found.params)}
        | dict(facts or {}),
        method=f"Generality: 1 over the variance within bins of difficulty; {found.interval}s.",
        charts=(generality_map(fit, found), *charts_of(found)),
        title="Generality",
    )
