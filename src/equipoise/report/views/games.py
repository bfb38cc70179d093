"""Views of games as game theory sees them: alpha-Rank and what goes with it, Nash averages, discs."""

from dataclasses import replace
from functools import partial, singledispatch
from typing import Any

from equipoise.alpharank.alpha_rank import AlphaRank
from equipoise.alpharank.alpha_sweep import AlphaSweep
from equipoise.alpharank.bounds import AlphaRankBounds
from equipoise.alpharank.response_graph import ResponseGraph
from equipoise.analyses.analysis import counts_of
from equipoise.analyses.play.metagame import NextGames, WeighedGame
from equipoise.choice.deviation import DeviationRatings
from equipoise.core.results import jsonable
from equipoise.core.units import units_in_words
from equipoise.flows.schur import Schur
from equipoise.nash.agents import AgentNash
from equipoise.report.charts.registry import charts_of
from equipoise.report.views import cells
from equipoise.report.views.view import NOTHING, Card, Column, TableView, View, answer_of

NO_MASS = 5e-5
"""Stationary probabilities below this are nothing in four digits."""
MASS = {"pi": "share", "low": "share", "high": "share"}


def weighed_view(weighed: WeighedGame, top: int | None = None) -> View:
    """Make the view of a meta-game, in the way that was asked for; ``top`` cuts the table."""
    view = game_view(weighed.result, top)
    if any(note.code == "no-counts" for note in weighed.diagnostics):
        unsure = "The table has no numbers of games, so nothing says how sure that is."
        view = replace(view, sentences=(*view.sentences, unsure))
    return replace(view, data=partial(weighed.origin.facts, weighed.data), card=partial(_card, weighed, view))


def _card(weighed: WeighedGame, view: View) -> Card:
    return Card("Where does play end?", view.sentences, counts=counts_of(weighed.data))


@singledispatch
def game_view(result: Any, _: int | None = None) -> View:
    """Make the view of a result on a meta-game."""
    raise TypeError(f"no view of {type(result).__name__}")


@game_view.register
def deviation_view(result: DeviationRatings, _: int | None = None) -> View:
    """Show the strategies of each player, best first."""
    columns = [
        Column("rank", cells.span("rank_low", "rank_high")),
        Column("strategy", cells.text("strategy"), right=False),
        Column("deviation rating", cells.decimal("rating", 4)),
    ]
    if len(result.players) > 1:
        columns.insert(0, Column("player", cells.text("player"), right=False))
    drawn = ""
    if result.band is not None:
        columns.append(Column("bootstrap range", cells.ends(cells.decimal, digits=4)))
        columns.append(Column("among the best", cells.percent("in_top")))
        drawn = f" {result.band.samples:,} bootstrap samples of games: a bootstrap range is no confidence interval."
    return View(
        tables=(TableView("strategies", result.frame().to_dicts(), columns, units=result.units),),
        **answer_of(result, "deviation-ratings"),
        method=f"Deviation ratings; no gain exceeds its rating by more than {max(result.excess, 0.0):.0e}.{drawn}",
        cites=("deviation_ratings",),
        title="Deviation ratings",
    )


@game_view.register
def masses_view(result: AlphaRank, top: int | None = None) -> View:
    """Show stationary probabilities, largest first, and the sink components they belong to."""
    rows = [{"profile": row.pop("agent"), **row} for row in result.frame().to_dicts()]
    columns = [
        Column("profile", cells.text("profile"), right=False),
        Column("probability", cells.decimal("pi", 4)),
        Column("in sink", lambda row: "yes" if row["in_mcc"] else NOTHING, right=False, drop=1),
    ]
    if result.low is not None:
        columns.insert(2, Column("bounds", cells.ends(cells.decimal, digits=4), right=False))
    alpha = result.params["alpha"]
    massive = sum(row["pi"] > NO_MASS for row in rows)
    return View(
        tables=(TableView("profiles", rows[:top], columns, units=MASS, first=max(massive, 1)),),
        sentences=result.answer,
        diagnostics=result.diagnostics,
        # As they are, not as JSON: there an infinite alpha is null, which a page would show as "none".
        document=jsonable(result.summary()) | {"params": dict(result.params)},
        method=f"alpha-Rank, alpha = {alpha:g}, m = {result.params['m']}: {result.kind}.",
        charts=partial(charts_of, result),
        cites=("alpha_rank",),
        title="alpha-Rank",
    )


@game_view.register
def _(graph: ResponseGraph, _: int | None = None) -> View:
    """Show which deviations pay, largest gain first."""
    rows = graph.frame().to_dicts()
    columns = [
        Column("from", cells.text("from"), right=False),
        Column("to", cells.text("to"), right=False),
        Column("gain", cells.decimal("gap", 4)),
    ]
    return View(
        tables=(TableView("edges", rows, columns, units={"gap": "payoff"}),),
        sentences=graph.answer,
        diagnostics=graph.diagnostics,
        document={"mccs": jsonable(graph.mccs), "params": jsonable(graph.params)},
        method=f"Response graph: {len(rows)} edges, {len(graph.profiles)} strategy profiles; a gain of 0 is a tie.",
        charts=partial(charts_of, graph),
        cites=("response_graph",),
        title="Response graph",
    )


@game_view.register
def sweep_view(sweep: AlphaSweep, top: int | None = None) -> View:
    """Show the largest stationary probabilities of the limit as alpha grows."""
    leaders = sorted(range(len(sweep.agents)), key=lambda i: -sweep.limit[i])[: top or 5]
    rows: list[dict[str, Any]] = [
        {"alpha": float(alpha), **{sweep.agents[i]: float(pi[i]) for i in leaders}, "distance": float(far)}
        for alpha, pi, far in zip(sweep.alphas, sweep.pi, sweep.distance, strict=True)
    ]
    columns = [Column("alpha", lambda row: f"{row['alpha']:.3g}")]
    columns += [Column(sweep.agents[i], cells.decimal(sweep.agents[i], 4)) for i in leaders]
    columns += [Column("from the limit", cells.decimal("distance", 4))]
    return View(
        tables=(TableView("alphas", rows, columns),),
        sentences=sweep.answer,
        diagnostics=sweep.diagnostics,
        document={
            "limit": {name: float(x) for name, x in zip(sweep.agents, sweep.limit, strict=True)},
            "params": jsonable(sweep.params),
        },
        method=f"alpha-Rank by alpha, m = {sweep.params['m']}; the limit is exact ({sweep.kind}).",
        charts=partial(charts_of, sweep),
        cites=("alpha_sweep", "alpha_rank"),
        title="Sweep over alpha",
    )


@game_view.register
def _(result: AlphaRankBounds, top: int | None = None) -> View:
    """Show the least and greatest stationary probability of every strategy profile."""
    rows = result.frame().to_dicts()
    columns = [
        Column("profile", cells.text("profile"), right=False),
        Column("probability", cells.ends(cells.decimal, "pi", 4), right=False),
        Column("in sink", cells.text("in_mcc"), right=False, drop=1),
    ]
    return View(
        tables=(TableView("profiles", rows[:top], columns, units={"pi_low": "share", "pi_high": "share"}),),
        **answer_of(result),
        method=f"Bounds on {result.measure}, over all response graphs that the payoff bounds allow.",
        charts=partial(charts_of, result),
        cites=("alpha_rank_bounds",),
        title="Bounds",
    )


@game_view.register
def _(games: NextGames, _: int | None = None) -> View:
    """Show which profiles to play next, and why."""
    columns = [
        Column("profile", lambda row: ", ".join(row["profile"]), right=False),
        Column("play", cells.count("play")),
        Column("why", cells.text("reason"), right=False, prose=True),
    ]
    return View(
        tables=(TableView("proposals", games.rows(), columns, units={"play": "games"}),),
        **answer_of(games),
        method="ResponseGraphUCB.",
        cites=("ResponseGraphUCB",),
        title="What to play next",
    )


def nash_view(result: AgentNash) -> View:
    """Make the view: the Nash mixture, and everybody's average against it."""
    # Members of the mixture have average 0 up to rounding, which a sign would make look like a result.
    rows = [row | {"average": 0.0} if (row["p"] or 0) > 0 else row for row in result.frame().to_dicts()]
    digits = 0 if result.log_odds else 3
    units = units_in_words(result.units)
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("probability", cells.percent("p", 1)),
        Column("Nash average", cells.signed("average", digits)),
        Column("mean score", cells.signed("uniform", digits), drop=1),
    ]
    return View(
        tables=(TableView("nash", rows, columns, f"Nash averages ({units['average']}), best first", units),),
        **answer_of(result, "nash_average"),
        method=f"Nash averaging; solver check: exploitability {max(result.exploitability, 0.0):.0e}.",
        charts=partial(charts_of, result),
        title="Nash averages",
    )


def discs_view(result: Schur) -> View:
    """Show where agents lie on the strongest disc."""
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("from the centre", cells.decimal("radius", 3)),
        Column("x", cells.signed("x", 3)),
        Column("y", cells.signed("y", 3)),
    ]
    return View(
        tables=(TableView("disc", result.frame().to_dicts(), columns, "Places on the strongest disc"),),
        **answer_of(result, "schur"),
        method=f"Schur form of the log-odds, part: {result.params['part']}; {len(result.values)} discs.",
        charts=partial(charts_of, result),
        title="Discs",
    )


VIEWS = {
    "AlphaRank": masses_view,
    "AlphaSweep": sweep_view,
    "WeighedGame": weighed_view,
    "Schur": discs_view,
    "AgentNash": nash_view,
    "DeviationRatings": deviation_view,
}
"""Who shows which class of results."""
