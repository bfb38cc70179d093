"""The view of luck: what agents win, how much of it the control explained, and what their hands are worth."""

import math
from collections.abc import Mapping
from typing import Any

from equipoise.luck.luck_table import LuckTable
from equipoise.report.drawings import charts_of
from equipoise.report.view import NOTHING, Column, Row, TableView, View, count, decimal, signed, text
from equipoise.results import jsonable

__all__ = ["luck_view"]

NAMES = {"baseline": "Baseline control variates", "duplicate": "Duplicate deals"}


def luck_view(result: LuckTable, *, half_width: float | None = None, facts: Mapping[str, Any] | None = None) -> View:
    """Make the view of a luck table.

    ``half_width`` adds how many hands intervals of that half width would take; ``facts`` go into the JSON document.
    """
    rows = result.frame().to_dicts()
    if half_width is not None:
        rows = [row | {"hands_needed": _needed(row, half_width)} for row in rows]
    document = {"method": result.params["method"], **jsonable(result.summary()), "params": jsonable(result.params)}
    return View(
        tables=(TableView("agents", rows, _columns(str(result.params["by"]), _digits(rows), half_width)),),
        sentences=_sentences(rows),
        diagnostics=result.diagnostics,
        document=document | dict(facts or {}),
        method=f"{_how(result)}; {result.interval}s.",
        charts=charts_of(result),
        title="Luck",
    )


def _columns(by: str, digits: int, half_width: float | None) -> list[Column]:
    needed = [] if half_width is None else [Column(f"hands for ±{half_width:g}", count("hands_needed"))]
    return [
        Column(by, text("agent"), right=False),
        Column("estimate", signed("estimate", digits)),
        Column("interval", _interval(digits), right=False),
        Column("plain mean", signed("mean", digits)),
        Column("hands", count("hands")),
        Column("deals", count("deals")),
        Column("error cut", _percent),
        Column("worth", _worth),
        *needed,
    ]


def _interval(digits: int) -> Any:
    low, high = signed("low", digits), signed("high", digits)
    return lambda row: NOTHING if low(row) == NOTHING else f"{low(row)} … {high(row)}"


def _percent(row: Row) -> str:
    shown = decimal("reduction", 1)(row)
    return shown if shown == NOTHING else f"{shown}%"


def _worth(row: Row) -> str:
    shown = decimal("multiplier", 2)(row)
    return shown if shown == NOTHING else f"× {shown}"


def _needed(row: Row, half_width: float) -> int:
    """Hands for an interval of this half width, if hands and deals go on as in the table: widths fall as 1/sqrt(n)."""
    half = float(row["high"] - row["low"]) / 2.0
    return max(2, math.ceil(int(row["hands"]) * (half / half_width) ** 2))


def _digits(rows: list[dict[str, Any]]) -> int:
    """Digits enough to see the smallest standard error."""
    errors = [row["stderr"] for row in rows if row["stderr"] > 0.0]
    smallest = min(errors, default=1.0)
    return next((digits for digits in range(6) if smallest * 10**digits >= 2.0), 6)


def _sentences(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    """Say what the hands are worth."""
    told = sorted((row for row in rows if row["multiplier"] > 0.0), key=lambda row: float(row["multiplier"]))
    if not told:
        return ()
    middle = told[(len(told) - 1) // 2]
    worth = float(middle["multiplier"]) * middle["hands"]
    whose = "These" if len(told) == 1 else f"{middle['agent']}'s"
    sentence = f"{whose} {middle['hands']:,} hands are worth {_rounded(worth)} without adjustment"
    if len(told) == 1:
        return (f"{sentence}.",)
    ends = f"{float(told[0]['multiplier']):.1f} to {float(told[-1]['multiplier']):.1f}"
    return (f"{sentence}; over all rows one hand is worth {ends}.",)


def _rounded(value: float) -> str:
    """Three digits are enough for people."""
    if value == float("inf"):
        return "any number of"
    size = max(0, len(str(int(value))) - 3)
    return f"{round(value, -size):,.0f}"


def _how(result: LuckTable) -> str:
    name = NAMES[str(result.params["method"])]
    if result.params["method"] == "duplicate":
        return f"{name}, permutations: {result.params['permutations']}"
    controls = result.params["control"]
    listed = ", ".join(controls) if isinstance(controls, tuple) else str(controls)
    return f"{name}, control: {listed}, coefficient: {result.params['coefficient']}"
