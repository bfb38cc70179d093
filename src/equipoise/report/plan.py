"""The view of a plan: what to play next, what is decided, and how many games would be enough."""

import math
from functools import partial
from typing import Any

from equipoise.analyses.next_games import PlannedGames
from equipoise.inference.sample_size import SampleSize
from equipoise.report.result_charts import charts_of
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
UNITS = dict.fromkeys(("play", "games", "needed"), "games") | {"score": "share"}


def plan_view(planned: PlannedGames, everything: bool = False) -> View:
    """Show the pairs to play, most games first; with ``everything`` also those to leave alone."""
    plan = planned.plan
    rows = [_row(row) for row in plan.frame().to_dicts() if everything or row["play"] > 0]
    columns = [
        Column("play", count("play")),
        Column("first", text("first"), right=False),
        Column("second", text("second"), right=False),
        Column("games so far", count("games")),
        Column("score", decimal("score", 3)),
        Column("still needed", count("needed")),
        Column("verdict", _verdict, right=False),
    ]
    return View(
        tables=(TableView("pairs", rows, columns, units=UNITS),),
        sentences=plan.words or _plan_in_words(plan),
        diagnostics=planned.diagnostics,
        document={"method": "plan", **jsonable(planned.summary()), "params": jsonable(plan.params)},
        method=f"Goal: {plan.goal}. Verdicts hold at every look and for all pairs together.",
        charts=partial(charts_of, plan),
        cites=("plan",),
        title="What to play next",
        data=partial(planned.origin.facts, planned.data),
    )


def _row(row: Row) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}


def _verdict(row: Row) -> str:
    better = {"first": f"{row['first']} is better", "second": f"{row['second']} is better", "equal": "equal"}
    return better.get(row["verdict"], "open")


def _plan_in_words(plan: Plan) -> tuple[str, ...]:
    decided = sum(verdict != "undecided" for verdict in plan.verdict)
    level = f"{100 * (1 - _number(plan, 'delta')):g}%"
    first = f"{decided} of {len(plan.verdict)} pairs are decided at {level}; {int(plan.play.sum())} games are planned."
    return (first, *(_promise(size, plan) for size in plan.sizes))


def _promise(size: SampleSize, plan: Plan) -> str:
    given = {name: _number(plan, name) for name in ("epsilon", "gap", "alpha")}
    games = f"{size.games:,.0f}" if size.games < 1e12 else f"10^{size.log10_games:.0f}"
    promise = PROMISES[size.theorem].format(**given)
    return f"In advance, {games} games a pair guarantee: {promise} (theorem {size.theorem})."


def _number(plan: Plan, name: str) -> float:
    value = plan.params[name]
    assert isinstance(value, int | float)
    return float(value)
