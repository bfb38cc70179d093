"""Charts of items and abilities."""

from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.items.models.curves import item_curve_frame
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.games.disc import Place
from equipoise.report.charts.items.agent_curves import AgentCurve, AgentCurvesChart
from equipoise.report.charts.items.generality_map import GeneralityMap
from equipoise.report.charts.items.item_curves import Curve, ItemCurves
from equipoise.report.charts.items.item_map import ItemMap, ItemPlace
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.items.generality.generality import Generality
    from equipoise.items.result import IRT


CURVE_POINTS = 33


def irt_charts(result: "IRT") -> tuple[ChartView, ...]:
    """Draw abilities, where the items lie, and their curves."""
    rows = result.frame().to_dicts()
    spans = [Span(row["agent"], *(known(row[key]) for key in ("ability", "low", "high"))) for row in rows]
    items = [
        ItemPlace(row["item"], row["difficulty"], row["discrimination"])
        for row in result.item_frame().to_dicts()
        if known(row["difficulty"]) is not None and known(row["discrimination"]) is not None
    ]
    forest = Forest(spans, "ability", f"{100 * result.ability_interval.level:g}% interval", 2)
    if not items:
        return (forest,)
    return (forest, ItemMap(items), _item_curves(result, items))


def _item_curves(result: "IRT", items: list[ItemPlace]) -> ItemCurves:
    frame = item_curve_frame(result, points=CURVE_POINTS)
    abilities = frame["ability"][:CURVE_POINTS].to_list()
    chances: dict[str, Any] = {
        str(name): part["probability"].to_list() for (name,), part in frame.group_by(["item"], maintain_order=True)
    }
    curves = [Curve(item.name, chances[item.name], item.discrimination < 0) for item in items if item.name in chances]
    return ItemCurves(abilities, curves)


def generality_charts(result: "Generality") -> tuple[ChartView, ...]:
    """Draw how results fall with difficulty."""
    order = np.argsort(-np.nan_to_num(result.mean, nan=-np.inf), kind="stable")
    curves = [
        AgentCurve(
            result.agents[i],
            [known(value) for value in result.curves.mean[i]],
            [known(value) for value in result.curves.variance[i]],
        )
        for i in order
    ]
    return (AgentCurvesChart(result.curves.difficulty.tolist(), _spread_out(curves)),)


def _spread_out(curves: list[AgentCurve], most: int = 6) -> list[AgentCurve]:
    """Put first a few agents from the best to the worst: agents adjacent in a ranking look alike."""
    if len(curves) <= most:
        return curves
    chosen = sorted({round(k * (len(curves) - 1) / (most - 1)) for k in range(most)})
    return [curves[k] for k in chosen] + [curve for k, curve in enumerate(curves) if k not in chosen]


def generality_map(fit: "IRT", result: "Generality") -> GeneralityMap:
    """Place agents by ability and generality, highest ability first."""
    ability = dict(zip(fit.agents, fit.ability.tolist(), strict=True))
    places = [
        Place(agent, ability[agent], float(value))
        for agent, value in zip(result.agents, result.generality, strict=True)
        if np.isfinite(value) and np.isfinite(ability[agent])
    ]
    return GeneralityMap(sorted(places, key=lambda place: -place.x), len(result.agents) - len(places))


CHARTS = {"IRT": irt_charts, "Generality": generality_charts}
"""Who draws which class of results."""
