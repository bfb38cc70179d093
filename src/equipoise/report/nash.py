"""The view of Nash averages of agents against each other."""

from collections.abc import Mapping
from typing import Any

from equipoise.errors import some_of
from equipoise.nash.agents import AgentNash
from equipoise.report.drawings import charts_of
from equipoise.report.view import Column, TableView, View, percent, signed, text
from equipoise.results import jsonable

__all__ = ["nash_view"]


def nash_view(found: AgentNash, facts: Mapping[str, Any] | None = None) -> View:
    """Make the view: the team that nobody beats, and everybody's average against it."""
    # Members of the team have average 0 up to rounding, which a sign would make look like a result.
    rows = [row | {"average": 0.0} if (row["p"] or 0) > 0 else row for row in found.frame().to_dicts()]
    columns = [
        Column("agent", text("agent"), right=False),
        Column("mass", percent("p", 1)),
        Column("Nash average", signed("average", 3)),
        Column("plain average", signed("uniform", 3)),
    ]
    team = [row["agent"] for row in rows if row["p"] is not None and row["p"] > 0]
    told = {0: "", 1: f"Nobody beats {some_of(team)}."}.get(
        len(team), f"Nobody beats the team of {len(team)} on average: {some_of(team, 6)}."
    )
    return View(
        tables=(TableView("nash", rows, columns, "Nash averages, best first"),),
        sentences=(told,) if told else (),
        diagnostics=found.diagnostics,
        document={"method": "nash_average", **jsonable(found.summary()), "params": jsonable(found.params)}
        | dict(facts or {}),
        method=f"Nash averaging; certificate: exploitability {max(found.exploitability, 0.0):.0e}.",
        charts=charts_of(found),
        title="Nash averages",
    )
