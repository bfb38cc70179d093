"""The view of a plan: what to play next, what is decided, and how many games would be enough."""

import math
from typing import Any

from equipoise.inference.sample_size import SampleSize
from equipoise.report.drawings import charts_of
from equipoise.report.view import Column, Row, TableView, View, count, decimal, text
from equipoise.results import jsonable
from equipoise.schedule.plan import Plan

__all__ = ["plan_view"]

PROMISES = {
    "C.1": "every agent's expected score, summed over opponents, within {epsilon:g}",
    "3.2": "every edge right if all pairs differ by {gap:g} in win rate",
    "3.1": "every mass of alpha-Rank at alpha {alpha:g} within {epsilon:g}",
    "4.2": "ResponseGraphUCB done if all pairs differ by {gap:g} in win rate",
}


def plan_view(found: Plan, everything: bool = False) -> View:
    """Show the pairs to play, most games first; with ``everything`` also those to leave alone."""
    rows = [_row(row) for row in found.frame().to_dicts() if everything or row["play"] > 0]
    columns = [
        Column("play", count("play")),
        Column("first", text("first"), right=False),
        Column("second", text("second"), right=False),
        Column("games so far", count("games")),
        Column("score", decimal("score", 3)),
        Column("still needed", count("needed")),
        Column("verdict", _verdict, right=False),
    ]
    document = jsonable(found.summary()) | {"params": jsonable(found.params)}
    return View(
        tables=(TableView("pairs", rows, columns),),
        sentences=_sentences(found),
        diagnostics=found.diagnostics,
        document=document,
        method=f"Goal: {found.goal}. Verdicts hold at every look and for all pairs together.",
        charts=charts_of(found),
        cites=("plan",),
        title="What to play next",
    )


def _row(row: Row) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}


def _verdict(row: Row) -> str:
    better = {"first": f"{row['first']} is better", "second": f"{row['second']} is better", "equal": "equal"}
    return better.get(row["verdict"], "open")


def _sentences(found: Plan) -> tuple[str, ...]:
    decided = sum(verdict != "undecided" for verdict in found.verdict)
    level = f"{100 * (1 - _number(found, 'delta')):g}%"
    first = (
        f"{decided} of {len(found.verdict)} pairs are decided at {level}; {int(found.play.sum())} games are planned."
    )
    return (first, *(_promise(size, found) for size in found.sizes))


def _promise(size: SampleSize, found: Plan) -> str:
    given = {name: _number(found, name) for name in ("epsilon", "gap", "alpha")}
    games = f"{size.games:,.0f}" if size.games < 1e12 else f"10^{size.log10_games:.0f}"
    promise = PROMISES[size.theorem].format(**given)
    return f"In advance, {games} games a pair guarantee: {promise} (theorem {size.theorem})."


def _number(found: Plan, name: str) -> float:
    value = found.params[name]
    assert isinstance(value, int | float)
    return float(value)
