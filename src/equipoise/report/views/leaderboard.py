"""The view of standings: a leaderboard."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from equipoise.analyses.analysis import counts_of
from equipoise.analyses.boards.standings import IN_LOG_ODDS, Standings
from equipoise.core.errors import ParameterError, some_of
from equipoise.core.results import Estimate, Result, jsonable
from equipoise.core.wording import Option
from equipoise.flows.points import ELO_POINT
from equipoise.ratings.paired.bradley_terry import BradleyTerry
from equipoise.report.charts.registry import charts_of
from equipoise.report.views.view import (
    NOTHING,
    Card,
    Cell,
    Column,
    TableView,
    View,
    count,
    decimal,
    interval,
    known,
    percent,
    signed,
    span,
    text,
)

if TYPE_CHECKING:
    from equipoise.ratings.online.elo import Elo
    from equipoise.ratings.online.melo import Melo
    from equipoise.report.charts.drawing.canvas import ChartView

__all__ = ["Scale", "leaderboard", "rating_view"]

GAME_THEORY = {"nash": "Nash", "nash_average": "Nash avg", "alpha_rank": "alpha-Rank"}
"""Headings of the columns that other methods add."""
BAR = ("low", "rating", "high")


@dataclass(frozen=True, slots=True)
class Scale:
    """How ratings in log-odds are shown: as Elo points or as they are, with an offset."""

    name: Literal["elo", "logit"] = "elo"
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not math.isfinite(self.offset):
            raise ParameterError(Option("offset"), f" is a finite number, not {self.offset}")

    @property
    def unit(self) -> float:
        """One unit of the scale in log-odds."""
        return ELO_POINT if self.name == "elo" else 1.0

    @property
    def digits(self) -> int:
        """Digits worth showing."""
        return 0 if self.name == "elo" else 2

    @property
    def words(self) -> str:
        """The unit in words."""
        return "Elo points" if self.name == "elo" else "log-odds"

    def shown(self, rating: float | None) -> float | None:
        """Bring a rating from log-odds to the scale."""
        return None if rating is None else rating / self.unit + self.offset

    def difference(self, estimate: Estimate) -> Estimate:
        """Bring a difference of ratings, with its uncertainty, to the scale."""
        value, stderr, low, high = (x / self.unit for x in (estimate, estimate.stderr, estimate.low, estimate.high))
        return Estimate(value, stderr, low, high)


def leaderboard(standings: Standings, scale: Scale | None = None) -> View:
    """Make the view; ratings in log-odds are brought to the ``scale``, others are shown in their own unit."""
    ratings = standings.ratings
    shown = (scale or Scale()) if _in_log_odds(ratings) else None
    rows = _on_scale(standings.rows(), shown)
    summary = standings.summary()
    if shown and isinstance(summary.get("side"), Estimate):
        summary["side"] = shown.difference(summary["side"])  # type: ignore[arg-type]  # looked at just now
    if standings.replicates is not None:
        summary["interval"] = standings.replicates.interval
    document = {**({"scale": shown.name} if shown else {}), **jsonable(summary), "params": jsonable(ratings.params)}
    columns = _columns(rows, shown)
    more: tuple[TableView, ...] = ()
    if standings.style is not None:
        from equipoise.report.views.style import coefficients_table, style_columns, style_on_scale

        rows = style_on_scale(rows, shown.unit if shown else 1.0, shown.offset if shown else 0.0)
        columns = style_columns(columns, shown.digits if shown else 2)
        more = (coefficients_table(standings.style.coefficients),)
    return View(
        tables=(TableView("agents", rows, columns, units=_units(standings, shown)), *more),
        sentences=standings.words,
        diagnostics=standings.diagnostics,
        document=document,
        units={"side": shown.words if shown else "", "tie": "log-odds", "log_likelihood": "nats"},
        method=_how(standings, shown),
        charts=partial(_charts, standings, rows, shown),
        cites=(standings.method.name, *(("style_control",) if standings.style else ()), "transitivity"),
        title="Ratings",
        data=partial(standings.origin.facts, standings.data),
        card=partial(_card, standings, rows),
        together={"forest": "agents"},
        details=partial(_details, standings, [row["agent"] for row in rows]),
    )


def _card(standings: Standings, rows: list[dict[str, Any]]) -> Card:
    """Who may be first, and what the verdict says against one number where it does.

    Without an interval every rank is open, which ties nobody: then only who is rated highest is said.
    """
    sure = getattr(standings.ratings, "interval", None) is not None
    best = [row["agent"] for row in rows if sure and row["rank_low"] == 1]
    apart = any("island" in row for row in rows)
    label = "May be the best of their islands" if apart else "Winner" if len(best) == 1 else "Tied at the top"
    against = standings.verdict.words if standings.needs_more_than_one_number else ()
    return Card(
        label if best else "Rated highest",
        best or [row["agent"] for row in rows[:1]],
        [sentence for sentence in standings.words if sentence not in against],
        against,
        counts_of(standings.data),
    )


def _in_log_odds(ratings: Result) -> bool:
    return ratings.units.get(ratings.main) == "log-odds"


def _on_scale(rows: list[dict[str, Any]], scale: Scale | None) -> list[dict[str, Any]]:
    if scale is None:
        return rows
    return [row | {name: scale.shown(row[name]) for name in ("rating", "low", "high")} for row in rows]


def _units(standings: Standings, scale: Scale | None) -> Mapping[str, str]:
    styled = IN_LOG_ODDS if standings.style is not None else ()
    on_scale = dict.fromkeys(("rating", "low", "high", *styled), scale.words) if scale else {}
    return {**standings.units, "games": "games", **on_scale}


def rating_view(ratings: "BradleyTerry | Elo | Melo") -> View:
    """Show the ratings of a result alone, without the games behind them: what a notebook shows."""
    scale = Scale() if _in_log_odds(ratings) else None
    kind = getattr(ratings, "interval", None)
    rows = [
        {name: row.get(name) for name in ("agent", "low", "high", "rank_low", "rank_high", "games", "win_rate")}
        | {"rating": row[ratings.main]}
        | ({"island": row["island"]} if "island" in row else {})
        for row in ratings.frame().to_dicts()
    ]
    rows = _on_scale(rows, scale)
    units = dict.fromkeys(("rating", "low", "high"), scale.words) if scale else dict(ratings.units)
    return View(
        tables=(TableView("agents", rows, _columns(rows, scale), units=units),),
        sentences=ratings.words,
        diagnostics=ratings.diagnostics,
        document={**jsonable(ratings.summary()), "params": jsonable(ratings.params)},
        method=_how_rated(ratings, kind, scale),
        charts=lambda: (*_rating_charts(ratings, rows, scale, kind), *charts_of(ratings)),
        title="Ratings",
    )


def _details(standings: Standings, agents: Sequence[str]) -> Mapping[str, object]:
    """Give the games of each pair, which a click opens."""
    from equipoise.report.views.details import pair_details

    return pair_details(standings.data, agents)


def _charts(standings: Standings, rows: list[dict[str, Any]], scale: Scale | None) -> "Sequence[ChartView]":
    from equipoise.report.charts.games.of_results import head_to_head

    ratings, replicates = standings.ratings, standings.replicates
    kind = replicates.interval if replicates else getattr(ratings, "interval", None)
    return (
        *_rating_charts(ratings, rows, scale, kind),
        *charts_of(standings.verdict),
        *charts_of(ratings),
        head_to_head(standings.data, [row["agent"] for row in rows]),
    )


def _rating_charts(ratings: Result, rows: list[dict[str, Any]], scale: Scale | None, kind: object) -> "list[ChartView]":
    """Ratings with their intervals, and the ranks that they leave open where the method says them."""
    from equipoise.report.charts.boards.forest import Forest, Span
    from equipoise.report.charts.boards.rank_strip import RankSpan, RankStrip

    spans = [Span(row["agent"], *(known(row[key]) for key in ("rating", "low", "high"))) for row in rows]
    described = str(kind) if kind and any(one.low is not None for one in spans) else ""
    unit = f" ({scale.words})" if scale else ""
    charts: list[ChartView] = [Forest(spans, f"rating{unit}", described, scale.digits if scale else 2)]
    if isinstance(ratings, BradleyTerry) and ratings.interval and described and not ratings.island.any():
        places = [RankSpan(row["agent"], k + 1, row["rank_low"], row["rank_high"]) for k, row in enumerate(rows)]
        charts.append(RankStrip(places, ratings.interval.level))
    return charts


def _columns(rows: list[dict[str, Any]], scale: Scale | None) -> list[Column]:
    digits = scale.digits if scale else 2
    columns = [
        Column("agent", text("agent"), right=False),
        Column("rating", signed("rating", digits)),
        Column("interval", interval(signed("low", digits), signed("high", digits)), right=False, bar=BAR),
        Column("games", count("games"), drop=1),
        Column("won", percent("win_rate"), drop=2),
    ]
    if any(row["rank_low"] is not None for row in rows):
        columns.insert(0, Column("rank", span("rank_low", "rank_high")))
    if any("island" in row for row in rows):
        columns.insert(0, Column("island", text("island")))
    there = [name for name in GAME_THEORY if any(row.get(name) for row in rows)]
    return [*columns, *(Column(GAME_THEORY[name], _with_ends(name), drop=3 + k) for k, name in enumerate(there))]


def _with_ends(name: str) -> Cell:
    """Show a number with the ends of its interval, where it has one."""
    value, ends = decimal(name, 3), interval(decimal(f"{name}_low"), decimal(f"{name}_high"))
    return lambda row: value(row) if ends(row) == NOTHING else f"{decimal(name)(row)} ({ends(row)})"


def _how(standings: Standings, scale: Scale | None) -> str:
    ratings, replicates = standings.ratings, standings.replicates
    kind = replicates.interval if replicates else getattr(ratings, "interval", None)
    known_how = _how_rated(ratings, kind, scale)
    return known_how or f"{standings.method.name}: {standings.method.declared.reference}{f'; {kind}s' if kind else ''}."


def _how_rated(ratings: Result, kind: object, scale: Scale | None) -> str:
    """Say how one of our own methods rated; nothing about those of others."""
    unit = f" in {scale.words}" if scale else ""
    spread = f"; {kind}s" if kind else ""
    if not isinstance(ratings, BradleyTerry):
        from equipoise.ratings.online.elo import Elo
        from equipoise.ratings.online.melo import Melo

        if isinstance(ratings, Melo):
            return f"Multidimensional Elo{unit}, k = {ratings.k}{spread}."
        return f"Online Elo{unit}, k = {ratings.params['k']:g}{spread}." if isinstance(ratings, Elo) else ""
    together = "; ranks hold together" if kind else ""
    styled = f" at equal {some_of(ratings.coefficients.names, 6)}" if ratings.coefficients is not None else ""
    return f"Bradley-Terry{styled}{unit}, ties: {ratings.params['ties']}{spread}{together}."
