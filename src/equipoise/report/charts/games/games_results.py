"""Charts of games: response graphs, where play ends, and the cyclic part."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.data.types.pairs import PairTable
from equipoise.report.charts.boards.head_to_head import MOST_AGENTS, HeadToHead
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.games.alpha_sweep import AlphaSweepChart
from equipoise.report.charts.games.disc import Disc, Place
from equipoise.report.charts.games.nash_averages import Averages, NashAgents
from equipoise.report.charts.games.response_graph import ResponseGraphChart
from equipoise.report.charts.games.split import Split
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.alpharank.alpha_rank import AlphaRank
    from equipoise.alpharank.alpha_sweep import AlphaSweep
    from equipoise.alpharank.response_graph import ResponseGraph
    from equipoise.flows.schur import Schur
    from equipoise.nash.agents import AgentNash
    from equipoise.ratings.online.melo import Melo
    from equipoise.ratings.transitivity.transitivity import Transitivity


def mass_charts(result: "AlphaRank") -> tuple[ChartView, ...]:
    """Draw the response graph, profiles as large as play stays with them."""
    if result.response_graph is None:
        return ()
    return (_graph(result.response_graph, result.pi.ravel()),)


def graph_charts(result: "ResponseGraph") -> tuple[ChartView, ...]:
    """Draw who has reason to turn into whom."""
    return (_graph(result, None),)


def _graph(graph: "ResponseGraph", mass: FloatArray | None) -> ResponseGraphChart:
    """Put the survivors first, then the most visited."""
    chain = {name: k for k, names in enumerate(graph.mccs) for name in names}
    weight = np.zeros(len(graph.profiles)) if mass is None or np.isnan(mass).any() else mass
    order = sorted(range(len(graph.profiles)), key=lambda i: (graph.profiles[i] not in chain, -weight[i], i))
    place = {old: new for new, old in enumerate(order)}
    edges = [(place[int(u)], place[int(v)]) for u, v in zip(graph.source, graph.target, strict=True)]
    names = [graph.profiles[i] for i in order]
    visited = None if mass is None or np.isnan(mass).any() else [float(mass[i]) for i in order]
    return ResponseGraphChart(names, edges, [chain.get(name) for name in names], visited)


def sweep_charts(result: "AlphaSweep") -> tuple[ChartView, ...]:
    """Draw the stationary probabilities over alpha, those that stay longest first."""
    order = np.argsort(-result.limit, kind="stable")
    masses = [result.pi[:, i].tolist() for i in order]
    return (AlphaSweepChart([result.agents[i] for i in order], result.alphas.tolist(), masses),)


def nash_charts(result: "AgentNash") -> tuple[ChartView, ...]:
    """Draw plain and Nash averages beside each other."""
    if np.isnan(result.p).any():
        return ()
    rows = [Averages(row["agent"], row["uniform"], row["average"], row["p"]) for row in result.frame().to_dicts()]
    unit = "Elo points" if result.log_odds else "payoff"
    return (NashAgents(rows, f"average against the others ({unit})"),)


def transitivity_charts(result: "Transitivity") -> tuple[ChartView, ...]:
    """Draw how large the cyclic part is."""
    if known(result.cyclic_share) is None:
        return ()
    low, high = known(result.low), known(result.high)
    return (Split(result.cyclic_share, low, high, corrected=low is not None),)


def disc_charts(result: "Schur") -> tuple[ChartView, ...]:
    """Draw the strongest disc."""
    if not len(result.values):
        return ()
    rows = result.frame().to_dicts()
    return (Disc([Place(row["agent"], row["x"], row["y"]) for row in rows], float(result.share[0])),)


def melo_charts(result: "Melo") -> tuple[ChartView, ...]:
    """Draw the strongest disc; its share is of what the discs explain beside the rating."""
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
    return (Disc(far, float(discs[0] / discs.sum()), of="the remainder that ratings do not explain"),)


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


CHARTS = {
    "AlphaRank": mass_charts,
    "AlphaSweep": sweep_charts,
    "ResponseGraph": graph_charts,
    "Schur": disc_charts,
    "AgentNash": nash_charts,
    "Melo": melo_charts,
    "Transitivity": transitivity_charts,
}
"""Who draws which class of results."""
