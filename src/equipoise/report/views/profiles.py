"""The view of a performance profile: shares at a few scores; the chart and the frame have them all."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from equipoise.core.results import jsonable
from equipoise.report.charts.registry import charts_of
from equipoise.report.views import cells
from equipoise.report.views.view import Column, Row, TableView, View

if TYPE_CHECKING:
    from equipoise.aggregates.profiles import PerformanceProfile

SHOWN = 5
"""Thresholds in the table, evenly over all of them."""


def shares(result: "PerformanceProfile") -> list[Row]:
    """Give each agent's share of runs above a few scores, the agent with the largest shares first."""
    last = len(result.thresholds) - 1
    chosen = sorted({round(k * last / (SHOWN - 1)) for k in range(SHOWN)})
    headings = {f"above {result.thresholds[k]:.3g}": k for k in chosen}
    order = sorted(range(len(result.agents)), key=lambda i: -float(result.share[i].mean()))
    return [
        {"agent": result.agents[i], **{heading: float(result.share[i, k]) for heading, k in headings.items()}}
        for i in order
    ]


def share_columns(rows: Sequence[Row]) -> list[Column]:
    """Give a column for each of the scores."""
    names = [name for name in (rows[0] if rows else ()) if name != "agent"]
    return [Column("agent", cells.text("agent"), right=False), *(Column(name, cells.percent(name)) for name in names)]


def profile_view(result: "PerformanceProfile") -> View:
    """Show what share of each agent's runs is above a few scores, the agent with the largest shares first."""
    rows = shares(result)
    columns = share_columns(rows)
    headings = [column.heading for column in columns[1:]]
    return View(
        tables=(TableView("shares", rows, columns, "Share of runs above a score", dict.fromkeys(headings, "share")),),
        sentences=result.answer,
        diagnostics=result.diagnostics,
        document={
            "method": "performance_profile",
            "profile": jsonable(result.frame().to_dicts()),
            **jsonable(result.summary()),
            "params": jsonable(result.params),
        },
        method=f"Performance profiles; {result.interval}s, point by point.",
        charts=partial(charts_of, result),
        title="Performance profiles",
    )
