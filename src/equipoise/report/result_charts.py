"""From results to the view models of their charts: plain rows, the most telling chart first."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from equipoise.aggregates.aggregate import Aggregates
from equipoise.aggregates.compare import Comparison
from equipoise.aggregates.profiles import PerformanceProfile
from equipoise.alpharank.alpha_rank import AlphaRank
from equipoise.alpharank.alpha_sweep import AlphaSweep
from equipoise.alpharank.response_graph import ResponseGraph
from equipoise.analyses.learning import LearningCurves
from equipoise.data.pairs import PairTable
from equipoise.flows.additivity import Additivity
from equipoise.flows.schur import Schur
from equipoise.items.curves import item_curve_frame
from equipoise.items.fit import IRT
from equipoise.items.generality import Generality
from equipoise.luck.luck_table import LuckTable
from equipoise.nash.agents import AgentNash
from equipoise.nash.audit import Audit
from equipoise.nash.tasks import TaskNash
from equipoise.ratings.melo import Melo
from equipoise.ratings.transitivity import Transitivity
from equipoise.report.charts.agent_curves import AgentCurve, AgentCurvesChart
from equipoise.report.charts.aggregates import PANELS, AggregateRow, AggregatesChart
from equipoise.report.charts.alpha_sweep import AlphaSweepChart
from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.disc import Disc, Place
from equipoise.report.charts.forest import Forest, Span
from equipoise.report.charts.generality_map import GeneralityMap
from equipoise.report.charts.head_to_head import MOST_AGENTS, HeadToHead
from equipoise.report.charts.improvement import Chance, ProbabilityOfImprovement
from equipoise.report.charts.item_curves import Curve, ItemCurves
from equipoise.report.charts.item_map import ItemMap, ItemPlace
from equipoise.report.charts.latent_map import LatentMap
from equipoise.report.charts.lettering import PairName
from equipoise.report.charts.nash_averages import Averages, NashAgents, NashTasks
from equipoise.report.charts.progress import PairGames, Progress
from equipoise.report.charts.rank_strip import RankSpan, RankStrip
from equipoise.report.charts.response_graph import ResponseGraphChart
from equipoise.report.charts.run_lines import LearningCurves as LearningChart
from equipoise.report.charts.run_lines import PerformanceProfiles, RunLine
from equipoise.report.charts.split import Split
from equipoise.report.charts.variance_reduction import Reduction, VarianceReduction
from equipoise.report.view import digits_for, known
from equipoise.results import FloatArray, Result
from equipoise.schedule.plan import Plan

__all__ = ["charts_of", "generality_map", "head_to_head", "latent_map"]

CURVE_POINTS = 33


@singledispatch
def charts_of(_: Result) -> tuple[ChartView, ...]:
    """Give the charts of a result; none for a result that is only a table."""
    return ()


@charts_of.register
def _(result: AlphaRank) -> tuple[ChartView, ...]:
    if result.response_graph is None:
        return ()
    return (_graph(result.response_graph, result.pi.ravel()),)


@charts_of.register
def _(result: ResponseGraph) -> tuple[ChartView, ...]:
    return (_graph(result, None),)


def _graph(graph: ResponseGraph, mass: FloatArray | None) -> ResponseGraphChart:
    """Put the survivors first, then the most visited."""
    chain = {name: k for k, names in enumerate(graph.mccs) for name in names}
    weight = np.zeros(len(graph.profiles)) if mass is None or np.isnan(mass).any() else mass
    order = sorted(range(len(graph.profiles)), key=lambda i: (graph.profiles[i] not in chain, -weight[i], i))
    place = {old: new for new, old in enumerate(order)}
    edges = [(place[int(u)], place[int(v)]) for u, v in zip(graph.source, graph.target, strict=True)]
    names = [graph.profiles[i] for i in order]
    visited = None if mass is None or np.isnan(mass).any() else [float(mass[i]) for i in order]
    return ResponseGraphChart(names, edges, [chain.get(name) for name in names], visited)


@charts_of.register
def _(result: AlphaSweep) -> tuple[ChartView, ...]:
    order = np.argsort(-result.limit, kind="stable")
    masses = [result.pi[:, i].tolist() for i in order]
    return (AlphaSweepChart([result.agents[i] for i in order], result.alphas.tolist(), masses),)


@charts_of.register
def _(result: Plan) -> tuple[ChartView, ...]:
    rows = result.frame().to_dicts()
    pairs = [
        PairGames(PairName(row["first"], "vs", row["second"]), row["games"], row["play"], row["verdict"] != "undecided")
        for row in rows
    ]
    return (Progress(pairs),)


@charts_of.register
def _(result: LuckTable) -> tuple[ChartView, ...]:
    rows = result.frame().to_dicts()
    spans = [Span(row["agent"], *(known(row[key]) for key in ("estimate", "low", "high"))) for row in rows]
    cuts = [Reduction(row["agent"], known(row["reduction"]), known(row["multiplier"])) for row in rows]
    return (Forest(spans, "win per hand", str(result.interval), digits_for(result.stderr)), VarianceReduction(cuts))


@charts_of.register
def _(result: AgentNash) -> tuple[ChartView, ...]:
    if np.isnan(result.p).any():
        return ()
    rows = [Averages(row["agent"], row["uniform"], row["average"], row["p"]) for row in result.frame().to_dicts()]
    unit = "log-odds" if result.params["payoff"] == "log-odds" else "payoff"
    return (NashAgents(rows, f"average against the others ({unit})"),)


@charts_of.register
def _(result: TaskNash) -> tuple[ChartView, ...]:
    units = f"in {_scores_in(result)} units"
    agents = [
        Averages(row["agent"], row["uniform_skill"], row["skill"], row["agent_p"])
        for row in result.frame().to_dicts()
        if row["agent"] not in result.unranked
    ]
    tasks = [
        Averages(row["task"], result.full + row["uniform_difficulty"], result.full + row["difficulty"], row["task_p"])
        for row in result.task_frame().to_dicts()
    ]
    return (NashAgents(agents, f"average score, {units}"), NashTasks(tasks, f"difficulty, {units}"))


@charts_of.register
def _(result: IRT) -> tuple[ChartView, ...]:
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


def _item_curves(result: IRT, items: list[ItemPlace]) -> ItemCurves:
    frame = item_curve_frame(result, points=CURVE_POINTS)
    abilities = frame["ability"][:CURVE_POINTS].to_list()
    chances: dict[str, Any] = {
        str(name): part["probability"].to_list() for (name,), part in frame.group_by(["item"], maintain_order=True)
    }
    curves = [Curve(item.name, chances[item.name], item.discrimination < 0) for item in items if item.name in chances]
    return ItemCurves(abilities, curves)


@charts_of.register
def _(result: Generality) -> tuple[ChartView, ...]:
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
    """Put first a few agents from the best to the worst: neighbours in a ranking look alike."""
    if len(curves) <= most:
        return curves
    chosen = sorted({round(k * (len(curves) - 1) / (most - 1)) for k in range(most)})
    return [curves[k] for k in chosen] + [curve for k, curve in enumerate(curves) if k not in chosen]


def generality_map(fit: IRT, result: Generality) -> GeneralityMap:
    """Place agents by ability and generality, ablest first."""
    ability = dict(zip(fit.agents, fit.ability.tolist(), strict=True))
    places = [
        Place(agent, ability[agent], float(value))
        for agent, value in zip(result.agents, result.generality, strict=True)
        if np.isfinite(value) and np.isfinite(ability[agent])
    ]
    return GeneralityMap(sorted(places, key=lambda place: -place.x), len(result.agents) - len(places))


@charts_of.register
def _(result: Transitivity) -> tuple[ChartView, ...]:
    if known(result.cyclic_share) is None:
        return ()
    low, high = known(result.low), known(result.high)
    return (Split(result.cyclic_share, low, high, corrected=low is not None),)


@charts_of.register
def _(result: Schur) -> tuple[ChartView, ...]:
    if not len(result.values):
        return ()
    rows = result.frame().to_dicts()
    return (Disc([Place(row["agent"], row["x"], row["y"]) for row in rows], float(result.share[0])),)


@charts_of.register
def _(result: Melo) -> tuple[ChartView, ...]:
    """Draw the strongest disc; its share is of what the discs hold beside the rating."""
    if not result.k:
        return ()
    strength = np.linalg.norm(result.vectors, axis=0)
    discs = (strength[0::2] * strength[1::2]) ** 2
    if not discs.any():
        return ()
    places = [
        Place(agent, float(x), float(y)) for agent, (x, y) in zip(result.agents, result.vectors[:, :2], strict=True)
    ]
    far = sorted(places, key=lambda place: -(place.x**2 + place.y**2))
    return (Disc(far, float(discs[0] / discs.sum()), of="what a rating leaves over"),)


@charts_of.register
def _(result: Additivity) -> tuple[ChartView, ...]:
    if known(result.residual_share) is None:
        return ()
    share = min(1.0, max(0.0, result.residual_share))
    split = Split(
        share, explained="averages explain it", rest="is talent for some tasks and not for others",
        corrected=known(result.p_value) is not None, subject="scores",
    )  # fmt: skip
    size = float((result.values**2).sum())
    if len(result.values) < 2 or size <= 0:
        return (split,)
    scale = np.sqrt(result.values[:2])
    return (
        split,
        latent_map(
            result.agents,
            result.tasks,
            result.abilities[:, :2] * scale,
            result.problems[:, :2] * scale,
            float((result.values[:2] ** 2).sum() / size),
        ),
    )


@charts_of.register
def _(result: Audit) -> tuple[ChartView, ...]:
    latent = result.latent
    if len(latent.share) < 2:
        return charts_of(result.nash)
    share = float(latent.share[:2].sum())
    return (
        *charts_of(result.nash),
        latent_map(result.nash.agents, result.nash.tasks, latent.agents, latent.tasks, share),
    )


@charts_of.register
def _(result: Aggregates) -> tuple[ChartView, ...]:
    rows = [
        AggregateRow(row["agent"], {key: _span(row, key) for key in PANELS})
        for row in result.frame().to_dicts()
        if all(known(row[key]) is not None for key in PANELS)
    ]
    return (AggregatesChart(rows, _scores_in(result), str(result.interval)),) if rows else ()


def _span(row: dict[str, Any], key: str) -> tuple[float, float | None, float | None]:
    return row[key], known(row[f"{key}_low"]), known(row[f"{key}_high"])


def _scores_in(result: Result) -> str:
    """Name the units of scores."""
    units = str(result.params["units"])
    return "the scores' own" if units == "none" else units


@charts_of.register
def _(result: PerformanceProfile) -> tuple[ChartView, ...]:
    """Put the agent with the largest area under its curve first."""
    lines = _run_lines(result.agents, -result.share.mean(axis=1), result.share, result.low, result.high)
    return (PerformanceProfiles(result.thresholds.tolist(), lines, _scores_in(result), str(result.interval)),)


@charts_of.register
def _(result: LearningCurves) -> tuple[ChartView, ...]:
    """Put the agent that ends highest first."""
    lines = _run_lines(result.agents, -result.iqm[:, -1], result.iqm, result.low, result.high)
    quantity = f"interquartile mean ({_scores_in(result)} units)"
    return (LearningChart(result.steps.tolist(), lines, quantity, str(result.interval)),)


def _run_lines(agents: tuple[str, ...], order: FloatArray, *parts: FloatArray) -> list[RunLine]:
    """Give a line for each agent, the smallest number of ``order`` first."""
    return [
        RunLine(agents[i], *([known(end) for end in part[i]] for part in parts))
        for i in np.argsort(order, kind="stable")
    ]


@charts_of.register
def _(result: Comparison) -> tuple[ChartView, ...]:
    """The ranks that the comparisons allow, then the pairs: those of the best agent first, then neighbours."""
    places = result.frame().to_dicts()
    ranks = [RankSpan(row["agent"], k + 1, row["rank_low"], row["rank_high"]) for k, row in enumerate(places)]
    place = {row["agent"]: k for k, row in enumerate(places)}

    def telling(row: dict[str, Any]) -> tuple[bool, bool]:
        first, second = place[row["agent"]], place[row["other"]]
        return 0 not in (first, second), abs(first - second) != 1

    pairs = [
        Chance(PairName(row["agent"], "over", row["other"]), row["improvement"],
               known(row["improvement_low"]), known(row["improvement_high"]))
        for row in sorted(result.pair_frame().to_dicts(), key=telling)
    ]  # fmt: skip
    level = f"{100 * result.interval.level:g}% Wilson interval"
    return RankStrip(ranks, result.interval.level), ProbabilityOfImprovement(pairs, level)


def latent_map(
    agents: tuple[str, ...], tasks: tuple[str, ...], of_agents: FloatArray, of_tasks: FloatArray, share: float
) -> LatentMap:
    """Both sides in one plane."""
    return LatentMap(_places(agents, of_agents), _places(tasks, of_tasks), share)


def _places(names: tuple[str, ...], points: FloatArray) -> list[Place]:
    """Scale to the unit square, the farthest from the centre first."""
    reach = float(np.abs(points[:, :2]).max()) or 1.0
    placed = [
        Place(name, float(x) / reach, float(y) / reach) for name, (x, y) in zip(names, points[:, :2], strict=True)
    ]
    return sorted(placed, key=lambda place: -(place.x**2 + place.y**2))


def head_to_head(table: PairTable, order: Sequence[str]) -> HeadToHead:
    """Give the win rates between agents in this order; only those that a chart has room for are looked at."""
    top = list(order[:MOST_AGENTS])
    place = np.full(len(table.agents), -1)
    codes = {name: code for code, name in enumerate(table.agents)}
    place[[codes[name] for name in top]] = np.arange(len(top))
    first, second = place[table.first], place[table.second]
    drawn = (first >= 0) & (second >= 0)
    wins, games = np.zeros((2, len(top), len(top)))
    np.add.at(wins, (first[drawn], second[drawn]), table.score[drawn])
    np.add.at(wins, (second[drawn], first[drawn]), (table.games - table.score)[drawn])
    np.add.at(games, (first[drawn], second[drawn]), table.games[drawn])
    np.add.at(games, (second[drawn], first[drawn]), table.games[drawn])
    rates = [[w / g if g > 0 else None for w, g in zip(*pair, strict=True)] for pair in zip(wins, games, strict=True)]
    return HeadToHead(tuple(order), rates, games.tolist() if table.counted else None)
