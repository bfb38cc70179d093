"""Views of items and agents: a fit with its flags in words, abilities by a calibration, generality, predictions."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from equipoise.analyses.analysis import counts_of
from equipoise.core.results import jsonable
from equipoise.items.generality.generality import Generality
from equipoise.items.result import IRT
from equipoise.items.scoring.calibration import Scored
from equipoise.items.scoring.predict_score import Predicted
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.registry import cell_details, charts_of
from equipoise.report.views import cells
from equipoise.report.views.view import Card, Cell, Column, Row, TableView, View, answer_of, known

if TYPE_CHECKING:
    from equipoise.items.generality.duality import Duality
    from equipoise.report.charts.drawing.canvas import ChartView


AGENT_UNITS = dict.fromkeys(("ability", "low", "high"), "logits") | {"share": "share"}
ITEM_UNITS = dict.fromkeys(("difficulty", "difficulty_low", "difficulty_high"), "logits") | {"guessing": "share"}


DIFFICULTY = ("difficulty_low", "difficulty", "difficulty_high")
TOGETHER = {
    "forest": "agents", "item-map": "item-map", "item-curves": "items", "generality-map": "generality",
    "agent-curves": "generality",
}  # fmt: skip
HOW = {
    "mml": "marginal maximum likelihood",
    "jml": "joint maximum likelihood",
    "pooled": "a hierarchical item model, abilities relative to these agents",
}


def irt_view(result: IRT) -> View:
    """Make the view of a fit alone; the agents' table is the main one."""
    rows, asked = result.frame().to_dicts(), result.item_frame().to_dicts()
    alike, flagged = _grouped(rows), _to_check(asked)
    level = result.ability_interval.level
    agents = TableView(
        "agents",
        rows,
        _agent_columns(level),
        "" if flagged else "Agents, highest ability first",
        AGENT_UNITS,
        aside=bool(alike),
        first=FIRST_AGENTS if flagged else None,
    )
    items = TableView(
        "items", asked, _item_columns(result), "Items, hardest first", ITEM_UNITS, aside=len(asked) > FIRST_ITEMS
    )  # fmt: skip
    more = [TableView("by_correct", alike, _alike_columns(), "Agents by share correct", AGENT_UNITS)] if alike else []
    if flagged:
        more.append(TableView("to_check", flagged, _check_columns(), "", ITEM_UNITS, first=FIRST_ITEMS))
        items = replace(items, aside=True)
    numbers = {name: value for name, value in result.summary().items() if name != "items"}
    return View(
        tables=(agents, *more, items, *_fits_tables(result)),
        sentences=result.answer[:3],
        said=result.answer,
        diagnostics=result.diagnostics,
        document={"method": f"irt {result.model}", **jsonable(numbers), "params": jsonable(result.params)},
        units={"log_likelihood": "nats"},
        method=_how(result),
        footer=_short(result),
        charts=partial(charts_of, result),
        cites=("irt",),
        title="Items and abilities",
        together=TOGETHER,
    )


def _fits_tables(result: IRT) -> tuple[TableView, ...]:
    """Both fits side by side, where items were left out."""
    if result.before is None:
        return ()
    columns = [
        Column("fit", cells.text("fit"), right=False),
        Column("items", cells.count("items")),
        Column("reliability", cells.decimal("reliability")),
        Column("leader", cells.text("leader"), right=False),
        Column("other ranks", cells.count("rank_changes")),
    ]
    return (TableView("fits", result.fits_frame().to_dicts(), columns, "Both fits"),)


def items_view(fitted: IRT) -> View:
    """Make the view of a fit with what goes with it: the four indicators where asked for, else generality."""
    fit = irt_view(fitted)
    if fitted.source is None:
        return fit
    general = fitted.generality
    more = _indicator_tables(fitted.indicators) if fitted.indicators else _generality_tables(fitted)
    return View(
        tables=(*fit.tables, *more),
        sentences=fit.sentences,
        said=_sentences(fitted),
        diagnostics=(*fitted.diagnostics, *fitted.generality_notes),
        document=fit.document,
        units=fit.units,
        method=fit.method if general is None else f"{fit.method} {_how_general(general)}",
        footer=fit.footer,
        charts=partial(_charts, fitted),
        cites=("irt", *(() if general is None else ("generality",))),
        title=fit.title,
        data=fitted.source.facts,
        card=partial(_card, fitted),
        together=fit.together,
        leads=("item-map", "to_check"),
        details=partial(cell_details, fitted.source.data, [row["agent"] for row in fit.tables[0].rows]),
    )


def _sentences(fitted: IRT) -> tuple[str, ...]:
    """What the fit says, then who is the most general."""
    return (*fitted.answer, *(() if fitted.generality is None else fitted.generality.answer))


def _card(fitted: IRT) -> Card:
    asked = "Which agent has the highest ability, and which items are to be checked?"
    return Card(asked, _sentences(fitted), counts=counts_of(fitted.source.data))


def _charts(fitted: IRT) -> "Sequence[ChartView]":
    general = fitted.generality
    if general is None:
        return charts_of(fitted)
    from equipoise.report.charts.items.spread import generality_map

    return (*charts_of(fitted), generality_map(fitted, general), *charts_of(general))


def _generality_tables(fitted: IRT) -> tuple[TableView, ...]:
    if fitted.generality is None:
        return ()
    ability = dict(zip(fitted.agents, fitted.ability.tolist(), strict=True))
    rows = [row | {"ability": ability.get(row["agent"])} for row in fitted.generality.frame().to_dicts()]
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("generality", cells.decimal("generality", 2)),
        Column("regularity", cells.decimal("regularity", 2), drop=3),
        Column("ability", cells.decimal("ability", 2), drop=1),
        Column("mean result", cells.decimal("mean", 3), drop=2),
        Column("dominates", cells.count("dominates"), drop=4),
    ]
    return (
        TableView(
            "generality", rows, columns, "Agents, most general first", {"ability": "logits"}, aside=True,
            sentences=fitted.generality.answer,
        ),
    )  # fmt: skip


def _indicator_tables(indicators: "Duality") -> tuple[TableView, ...]:
    kind = f"{100 * indicators.interval.level:g}% bootstrap intervals"
    able = TableView(
        "agent_indicators",
        indicators.frame().to_dicts(),
        _pair_columns("agent", "ability", "generality"),
        f"Agents: ability and generality, {kind}",
        _with_ends("ability"),
    )
    hard = TableView(
        "item_indicators",
        indicators.item_frame().to_dicts(),
        _pair_columns("item", "difficulty", "discrimination"),
        f"Items: difficulty and discrimination, {kind}",
        _with_ends("difficulty"),
    )
    return able, hard


def _with_ends(name: str) -> dict[str, str]:
    return dict.fromkeys((name, f"{name}_low", f"{name}_high"), "logits")


def _pair_columns(label: str, *names: str) -> list[Column]:
    columns = [Column(label, cells.text(label), right=False)]
    for name in names:
        columns.append(Column(name, _infinite(name)))
        columns.append(Column("interval", cells.ends(lambda key, _: _infinite(key), name), right=False))
    return columns


def _infinite(key: str) -> Cell:
    """Show a number; infinity is a legal generality."""
    shown = cells.signed(key, 2)
    return lambda row: "∞" if row[key] == inf else shown(row)


def scored_view(result: Scored) -> View:
    """Make the view of agents scored with fixed items."""
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("ability", cells.signed("ability", 2)),
        Column("interval", cells.ends(cells.signed, "", 2), right=False),
        Column("answered", cells.decimal("answered", 0), drop=1),
    ]
    return View(
        tables=(TableView("agents", result.frame().to_dicts(), columns, units=AGENT_UNITS),),
        sentences=result.answer,
        diagnostics=result.diagnostics,
        document={"method": "irt", "interval": jsonable(result.interval), "params": jsonable(result.params)},
        method=f"Items fixed at their calibration; {result.params['estimator']} abilities; {result.interval}s.",
        data=None if result.source is None else result.source.facts,
    )


FIRST_AGENTS, FIRST_ITEMS = 10, 10
"""Rows on the first screen where items are to be checked; items that are all shown there."""
MOST_ALIKE, MANY_AGENTS = 15, 25
"""Shares correct that stand for all agents with the same, where there are many of these."""
WRONG = {
    "negative-discrimination": "weaker agents may do better on it", "flat-curve": "does not separate agents",
    "unclear-difficulty": "may not separate agents", "poor-fit": "departs from its curve",
    "quasi-separated": "splits the agents cleanly",
}  # fmt: skip
"""What is wrong with an item, by its flag."""


def _grouped(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put agents with the same share correct into one row, where they are many and the shares few."""
    shares: dict[float, list[dict[str, Any]]] = {}
    for row in rows:
        if known(row["share"]) is not None and known(row["ability"]) is not None:
            shares.setdefault(round(row["share"], 9), []).append(row)
    if len(rows) <= MANY_AGENTS or not shares or len(shares) > MOST_ALIKE:
        return []
    return [
        {
            "share": share, "agents": len(alike),
            **{name: sum(row[name] for row in alike) / len(alike) for name in ("ability", "low", "high")},
        }
        for share, alike in sorted(shares.items(), reverse=True)
    ]  # fmt: skip


def _alike_columns() -> list[Column]:
    return [
        Column("correct", cells.percent("share")),
        Column("agents", cells.count("agents")),
        Column("mean ability", cells.signed("ability", 2)),
        Column("interval of one", cells.ends(cells.signed, "", 2), right=False),
    ]


def _to_check(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give the items to check before they are used, the least discriminating first."""
    flagged = [row for row in rows if set(row["flags"]) - {"constant"}]
    return sorted(flagged, key=lambda row: known(row["discrimination"]) or 0.0)


def _check_columns() -> list[Column]:
    return [
        Column("item to check", cells.text("item"), right=False),
        Column("discrimination", cells.signed("discrimination", 2)),
        Column("interval", cells.ends(cells.signed, "discrimination", 2), right=False, drop=1),
        Column("what is wrong", _wrong, right=False, prose=True, drop=2),
    ]


def _wrong(row: Row) -> str:
    return next((WRONG[flag] for flag in WRONG if flag in row["flags"]), ", ".join(row["flags"]))


def _short(result: IRT) -> str:
    """Say the model in a line."""
    pooled = result.params["method"] == "pooled"
    how = f", items pooled ({len(result.agents)} agents are too few for each item alone)" if pooled else ""
    sure = "" if result.interval is None else f"; {100 * result.interval.level:g}% intervals"
    return f"{result.model.upper()}{how}: {len(result.agents):,} agents, {len(result.items):,} items{sure}."


def _agent_columns(level: float) -> list[Column]:
    return [
        Column("agent", cells.text("agent"), right=False),
        Column("ability", cells.signed("ability", 2)),
        Column(
            f"{100 * level:g}% interval", cells.ends(cells.signed, "", 2), right=False, bar=("low", "ability", "high")
        ),
        Column("correct", cells.percent("share"), drop=1),
        Column("outfit", cells.decimal("outfit", 2), drop=2, aside=True),
    ]


def _item_columns(result: IRT) -> list[Column]:
    columns = [
        Column("item", cells.text("item"), right=False),
        Column("difficulty", cells.signed("difficulty", 2)),
        Column("interval", cells.ends(cells.signed, "difficulty", 2), right=False, bar=DIFFICULTY),
        Column("discrimination", cells.signed("discrimination", 2), drop=1),
        Column("interval", cells.ends(cells.signed, "discrimination", 2), right=False, drop=3),
        Column("fit p", cells.decimal("s_x2_p", 3), drop=4),
        Column("flags", lambda row: ", ".join(row["flags"]) or "", right=False, drop=2),
    ]
    if result.model == "3pl":
        columns.insert(5, Column("guessing", cells.decimal("guessing", 2), drop=3))
    return columns


def _how(result: IRT) -> str:
    kind = HOW[str(result.params["method"])]
    starts = ""
    if len(result.starts) > 1:
        starts = f"; {result.agreeing} of {len(result.starts)} starts agree"
    intervals = "no intervals of items" if result.interval is None else f"{result.interval}s of items"
    return (
        f"{result.model.upper()} by {kind}, log-likelihood {result.log_likelihood:.2f}"
        f" ({result.points} quadrature points{starts}{_floor(result)}); {intervals}."
    )


def _floor(result: IRT) -> str:
    """Name the floor that all items share."""
    floors = result.guessing[result.guessing > 0.0]
    return "" if result.model == "3pl" or not len(floors) else f", one floor of {floors[0]:.2f} for all items"


def _how_general(result: Generality) -> str:
    units = result.params["units"]
    shown = "results as they are" if units == "none" else f"results in {units} units"
    return f"Generality: 1 over the variance within bins of difficulty, {shown}; {result.interval}s."


UNITS = dict.fromkeys(("score", "stderr", "low", "high", "plain", "plain_stderr"), "share of all items") | {
    "answered": "items",
    "saving": "answers per answer",
}


def predict_view(result: Predicted) -> View:
    """Make the view."""
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("predicted", cells.percent("score", 1)),
        Column("interval", cells.ends(cells.percent, "", 1), right=False),
        Column("unadjusted", cells.percent("plain", 1), drop=1),
        Column("answered", cells.count("answered"), drop=2),
        Column("worth", cells.decimal("saving"), drop=3),
    ]
    folds = result.params["folds"]
    how = f"Predictions as a control variate, {folds} folds, items calibrated on {result.calibrated_on}"
    return View(
        tables=(TableView("agents", result.frame().to_dicts(), columns, units=UNITS),),
        **answer_of(result, "predict"),
        units={"n_items": "items"},
        method=f"{how}; {result.interval}s.",
        charts=partial(_predict_charts, result),
        cites=("predict",),
        title="Predicted scores",
        data=None if result.source is None else result.source.facts,
    )


def _predict_charts(result: Predicted) -> tuple[ChartView, ...]:
    rows = result.frame().to_dicts()
    spans = [Span(row["agent"], *(known(row[key]) for key in ("score", "low", "high"))) for row in rows]
    return (Forest(spans, "share of all items correct", str(result.interval), 3),)


VIEWS = {"IRT": items_view, "Scored": scored_view, "Predicted": predict_view}
"""Who shows which class of results."""
