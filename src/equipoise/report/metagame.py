"""Views of a meta-game: masses, response graph, sweep over alpha, bounds, and what to play next."""

from typing import Any

from equipoise.alpharank.alpha_rank import AlphaRank
from equipoise.alpharank.alpha_sweep import AlphaSweep
from equipoise.alpharank.bounds import AlphaRankBounds
from equipoise.alpharank.response_graph import ResponseGraph
from equipoise.errors import some_of
from equipoise.report.drawings import charts_of
from equipoise.report.view import NOTHING, Column, Row, TableView, View, count, decimal, text
from equipoise.results import jsonable
from equipoise.schedule.proposals import LearnedGraph, Proposal

__all__ = ["bounds_view", "graph_view", "masses_view", "next_view", "sweep_view"]


def masses_view(found: AlphaRank, top: int | None = None) -> View:
    """Show the masses, largest first, and the chains they sit on."""
    rows = [{"profile": row.pop("agent"), **row} for row in found.frame().to_dicts()]
    columns = [
        Column("profile", text("profile"), right=False),
        Column("mass", decimal("pi", 4)),
        Column("in a chain", lambda row: "yes" if row["in_mcc"] else NOTHING, right=False),
    ]
    if found.low is not None:
        columns.insert(2, Column("bounds", _bounds("low", "high"), right=False))
    alpha = found.params["alpha"]
    return View(
        tables=(TableView("profiles", rows[:top], columns),),
        sentences=_chains(found.mccs) if found.mccs else (),
        diagnostics=found.diagnostics,
        # As they are, not as JSON: there an infinite alpha is null, which a page would show as "none".
        document=jsonable(found.summary()) | {"params": dict(found.params)},
        method=f"alpha-Rank, alpha = {alpha:g}, m = {found.params['m']}: {found.kind}.",
        charts=charts_of(found),
        cites=("alpha_rank",),
        title="alpha-Rank",
    )


def graph_view(graph: ResponseGraph) -> View:
    """Show which deviations pay, largest gain first."""
    rows = graph.frame().to_dicts()
    columns = [
        Column("from", text("from"), right=False),
        Column("to", text("to"), right=False),
        Column("gain", decimal("gap", 4)),
    ]
    return View(
        tables=(TableView("edges", rows, columns),),
        sentences=_chains(graph.mccs),
        diagnostics=graph.diagnostics,
        document={"mccs": jsonable(graph.mccs)},
        method=f"Response graph: {len(rows)} edges between {len(graph.profiles)} profiles; a gain of 0 is a tie.",
        charts=charts_of(graph),
        cites=("response_graph",),
        title="Response graph",
    )


def sweep_view(sweep: AlphaSweep, top: int | None = None) -> View:
    """Show the largest masses of the limit as alpha grows."""
    leaders = sorted(range(len(sweep.agents)), key=lambda i: -sweep.limit[i])[: top or 5]
    rows: list[dict[str, Any]] = [
        {"alpha": float(alpha), **{sweep.agents[i]: float(pi[i]) for i in leaders}, "distance": float(far)}
        for alpha, pi, far in zip(sweep.alphas, sweep.pi, sweep.distance, strict=True)
    ]
    columns = [Column("alpha", lambda row: f"{row['alpha']:.3g}")]
    columns += [Column(sweep.agents[i], decimal(sweep.agents[i], 4)) for i in leaders]
    columns += [Column("from the limit", decimal("distance", 4))]
    return View(
        tables=(TableView("alphas", rows, columns),),
        diagnostics=sweep.diagnostics,
        document={"limit": {name: float(x) for name, x in zip(sweep.agents, sweep.limit, strict=True)}},
        method=f"alpha-Rank by alpha, m = {sweep.params['m']}; the limit is exact ({sweep.kind}).",
        charts=charts_of(sweep),
        cites=("alpha_sweep", "alpha_rank"),
        title="Sweep over alpha",
    )


def bounds_view(found: AlphaRankBounds, top: int | None = None) -> View:
    """Show the least and greatest mass of every profile."""
    rows = found.frame().to_dicts()
    columns = [
        Column("profile", text("profile"), right=False),
        Column("mass", _bounds("pi_low", "pi_high"), right=False),
        Column("in a chain", text("in_mcc"), right=False),
    ]
    unsure, edges = found.uncertain_edges
    return View(
        tables=(TableView("profiles", rows[:top], columns),),
        sentences=(f"{unsure} of {edges} edges have no certain direction.",),
        diagnostics=found.diagnostics,
        document=jsonable(found.summary()) | {"params": jsonable(found.params)},
        method=f"Bounds on {found.measure}, over all response graphs that the payoff bounds allow.",
        cites=("alpha_rank_bounds",),
        title="Bounds",
    )


def next_view(proposals: tuple[Proposal, ...], graph: LearnedGraph) -> View:
    """Show which profiles to play next, and why."""
    often: dict[tuple[str, ...], dict[str, Any]] = {}
    for proposal in proposals:
        row = often.setdefault(proposal.names, {"profile": list(proposal.names), "play": 0, "reason": proposal.reason})
        row["play"] += 1
    rows = sorted(often.values(), key=lambda row: -row["play"])
    columns = [
        Column("profile", lambda row: ", ".join(row["profile"]), right=False),
        Column("play", count("play")),
        Column("why", text("reason"), right=False, prose=True),
    ]
    done = f"{len(graph.resolved)} edges are resolved, {len(graph.unresolved)} are not, after {graph.games} games."
    return View(
        tables=(TableView("proposals", rows, columns),),
        sentences=(done, f"Guarantee: {graph.guarantee}."),
        document={"graph": graph.to_dict()},
        method="ResponseGraphUCB.",
    )


def _chains(mccs: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    if len(mccs) == 1:
        return (f"Evolution ends in one chain of {len(mccs[0])}: {some_of(mccs[0], 6)}.",)
    shown = "; ".join(some_of(chain, 3) for chain in mccs[:4])
    return (f"Evolution ends in one of {len(mccs)} chains: {shown}.",)


def _bounds(low: str, high: str) -> Any:
    first, second = decimal(low, 4), decimal(high, 4)

    def cell(row: Row) -> str:
        return NOTHING if first(row) == NOTHING else f"{first(row)} … {second(row)}"

    return cell
