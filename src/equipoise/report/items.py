"""The view of an item response fit: agents, items, and the flags in words."""

from collections.abc import Mapping
from math import inf
from typing import Any

from equipoise.items.calibration import Scored
from equipoise.items.duality import Duality
from equipoise.items.fit import IRT
from equipoise.report.drawings import charts_of
from equipoise.report.view import NOTHING, Column, Row, TableView, View, decimal, percent, signed, text
from equipoise.results import jsonable

__all__ = ["irt_view", "scored_view"]


def irt_view(result: IRT, facts: Mapping[str, Any] | None = None, indicators: Duality | None = None) -> View:
    """Make the view of a fit; the agents' table is the main one, ``indicators`` adds the four side by side."""
    agents = TableView("agents", result.frame().to_dicts(), _agent_columns(), title="Agents, ablest first")
    items = TableView("items", result.item_frame().to_dicts(), _item_columns(result), title="Items, hardest first")
    document = {"method": f"irt {result.model}", **jsonable(_numbers(result)), "params": jsonable(result.params)}
    return View(
        tables=(agents, items, *_indicator_tables(indicators)),
        sentences=_sentences(result),
        diagnostics=result.diagnostics,
        document=document | dict(facts or {}),
        method=_how(result),
        charts=charts_of(result),
        cites=("irt",),
        title="Items and abilities",
    )


def _indicator_tables(indicators: Duality | None) -> tuple[TableView, ...]:
    if indicators is None:
        return ()
    kind = f"{100 * indicators.interval.level:g}% bootstrap intervals"
    able = TableView(
        "agent_indicators",
        indicators.frame().to_dicts(),
        _pair_columns("agent", "ability", "generality"),
        title=f"Agents: ability and generality, {kind}",
    )
    hard = TableView(
        "item_indicators",
        indicators.item_frame().to_dicts(),
        _pair_columns("item", "difficulty", "discrimination"),
        title=f"Items: difficulty and discrimination, {kind}",
    )
    return able, hard


def _pair_columns(label: str, *names: str) -> list[Column]:
    columns = [Column(label, text(label), right=False)]
    for name in names:
        columns.append(Column(name, _infinite(name)))
        columns.append(Column("interval", _span(_infinite(f"{name}_low"), _infinite(f"{name}_high")), right=False))
    return columns


def _infinite(key: str) -> Any:
    """Show a number; infinity is a legal generality."""
    shown = signed(key, 2)
    return lambda row: "∞" if row[key] == inf else shown(row)


def scored_view(result: Scored, facts: Mapping[str, Any] | None = None) -> View:
    """Make the view of agents scored with fixed items."""
    columns = [
        Column("agent", text("agent"), right=False),
        Column("ability", signed("ability", 2)),
        Column("interval", _interval("low", "high"), right=False),
        Column("answered", decimal("answered", 0)),
    ]
    return View(
        tables=(TableView("agents", result.frame().to_dicts(), columns),),
        diagnostics=result.diagnostics,
        document={"interval": jsonable(result.interval), "params": jsonable(result.params)} | dict(facts or {}),
        method=f"Items fixed at their calibration; {result.params['estimator']} abilities; {result.interval}s.",
    )


def _numbers(result: IRT) -> dict[str, object]:
    return {name: value for name, value in result.summary().items() if name != "items"}


def _agent_columns() -> list[Column]:
    return [
        Column("agent", text("agent"), right=False),
        Column("ability", signed("ability", 2)),
        Column("interval", _interval("low", "high"), right=False),
        Column("solved", percent("share")),
        Column("outfit", decimal("outfit", 2)),
    ]


def _item_columns(result: IRT) -> list[Column]:
    columns = [
        Column("item", text("item"), right=False),
        Column("difficulty", signed("difficulty", 2)),
        Column("interval", _interval("difficulty_low", "difficulty_high"), right=False),
        Column("discrimination", signed("discrimination", 2)),
        Column("interval", _interval("discrimination_low", "discrimination_high"), right=False),
        Column("fit p", decimal("s_x2_p", 3)),
        Column("flags", lambda row: ", ".join(row["flags"]) or "", right=False),
    ]
    if result.model == "3pl":
        columns.insert(5, Column("guessing", decimal("guessing", 2)))
    return columns


def _interval(low: str, high: str) -> Any:
    return _span(signed(low, 2), signed(high, 2))


def _span(down: Any, up: Any) -> Any:
    def cell(row: Row) -> str:
        return NOTHING if down(row) == NOTHING else f"{down(row)} … {up(row)}"

    return cell


def _sentences(result: IRT) -> tuple[str, ...]:
    used = int((result.discrimination == result.discrimination).sum())
    flagged = sum(1 for flags in result.flags.values() if flags != ("constant",))
    look = f"{flagged} of them need a look (below)" if flagged else "none of them is flagged"
    return (f"{used} items tell agents apart; {look}.",)


def _item_intervals(result: IRT) -> str:
    return "no intervals of items" if result.interval is None else f"{result.interval}s of items"


def _how(result: IRT) -> str:
    kind = "marginal maximum likelihood" if result.params["method"] == "mml" else "joint maximum likelihood"
    starts = ""
    if len(result.starts) > 1:
        starts = f"; {result.agreeing} of {len(result.starts)} starts agree"
    return (
        f"{result.model.upper()} by {kind}, log-likelihood {result.log_likelihood:.2f}"
        f" ({result.points} quadrature points{starts}); {_item_intervals(result)}."
    )
