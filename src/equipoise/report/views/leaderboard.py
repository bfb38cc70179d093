"""The view of standings: a leaderboard."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from equipoise.analyses.analysis import counts_of
from equipoise.analyses.boards.columns import COLUMNS, BoardColumn
from equipoise.analyses.boards.standings import Standings
from equipoise.core.errors import some_of
from equipoise.core.former import with_former_keys
from equipoise.core.results import Estimate, Result, jsonable
from equipoise.core.units import DIFFERENCES, RATINGS, frame_in_points, units_in_points, units_in_words
from equipoise.data.types.matches import CLUSTERS_FOUND, FEW_CLUSTERS
from equipoise.ratings.paired.few_games import PROVISIONAL
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.report.charts.registry import charts_of
from equipoise.report.views import cells
from equipoise.report.views.scale import Scale
from equipoise.report.views.view import NOTHING, Card, Cell, Column, TableView, View, answer_of, known

if TYPE_CHECKING:
    from equipoise.ratings.online.elo import Elo
    from equipoise.ratings.online.melo import Melo
    from equipoise.report.charts.drawing.canvas import ChartView


GAME_THEORY = {"nash": "Nash", "nash_average": "Nash avg", "alpha_rank": "alpha-Rank"}
"""Headings of the columns that other methods add."""
BAR = ("low", "rating", "high")


def leaderboard(standings: Standings, scale: Scale | None = None) -> View:
    """Make the view; ratings by games are brought to the ``scale``, others are shown in their own unit."""
    ratings = standings.rated
    shown = (scale or Scale()) if _by_games(ratings) else None
    rows = with_former_keys(standings, standings.rows())
    rows = rows if shown is None else shown.brought(rows, standings.units)
    summary = standings.summary()
    side = getattr(ratings, "side", None)
    if shown and isinstance(side, Estimate):
        summary["side"] = shown.difference(side)
    if standings.replicates is not None:
        summary["interval"] = standings.replicates.interval
    document = {**({"scale": shown.name} if shown else {}), **jsonable(summary), "params": jsonable(ratings.params)}
    columns = _columns(rows, shown, _interval_of(standings))
    more = _nash_tables(standings, rows, shown)
    if standings.style is not None:
        from equipoise.report.views.style import coefficients_table, style_columns

        columns = style_columns(columns, shown.digits if shown else 2)
        more = (coefficients_table(standings.style.coefficients), *more)
    return View(
        tables=(TableView("agents", rows, columns, units=_units(standings, shown)), *more),
        sentences=_first_sentences(standings, shown),
        said=_on_scale(standings.answer, ratings, shown),
        diagnostics=standings.diagnostics,
        document=document,
        units={"side": shown.words if shown else "", "tie": "log-odds", "log_likelihood": "nats"},
        method=_how(standings, shown),
        footer=_footer(standings, shown),
        charts=partial(_charts, standings, rows, shown),
        cites=(standings.method.name, *(("style_control",) if standings.style else ()), "transitivity"),
        title="Ratings",
        data=partial(standings.origin.facts, standings.data),
        card=partial(_card, standings, shown),
        together={"forest": "agents", "ranks": "agents"},
        leads=("head-to-head",),
        details=partial(_details, standings, [row["agent"] for row in rows]),
    )


def _card(standings: Standings, scale: Scale | None) -> Card:
    """Who cannot be ruled out as best, and what the test of transitivity says against a single rating where it does."""
    against = standings.transitivity.answer if standings.needs_more_than_one_number else ()
    said = [sentence for sentence in _first_sentences(standings, scale) if sentence not in against]
    return Card("Which agent is best?", said, against, counts_of(standings.data))


def _by_games(ratings: Result) -> bool:
    return ratings.units.get(ratings.main) in RATINGS


def _units(standings: Standings, scale: Scale | None) -> Mapping[str, str]:
    return {**(scale.units(standings.units) if scale else units_in_words(standings.units)), "games": "games"}


def rating_view(ratings: "BradleyTerry | Elo | Melo") -> View:
    """Show the ratings of a result alone, without the games behind them: what a notebook shows."""
    scale = Scale() if _by_games(ratings) else None
    kind = getattr(ratings, "interval", None)
    rows = [
        {name: row.get(name) for name in ("agent", "low", "high", "rank_low", "rank_high", "games", "win_rate")}
        | {"rating": row[ratings.main]}
        | ({"component": row["component"]} if "component" in row else {})
        for row in frame_in_points(ratings).to_dicts()
    ]
    units = units_in_points(ratings.units)
    own = {"rating": units.get(ratings.main, ""), **units}
    rows = rows if scale is None else scale.brought(rows, own)
    shown = scale.units({name: own[name] for name in ("rating", "low", "high")}) if scale else units
    return View(
        tables=(TableView("agents", rows, _columns(rows, scale, kind), units=shown),),
        **answer_of(ratings),
        method=_how_rated(ratings, kind, scale),
        charts=lambda: (*_rating_charts(ratings, rows, scale, kind), *charts_of(ratings)),
        title="Ratings",
    )


def _details(standings: Standings, agents: Sequence[str]) -> Mapping[str, object]:
    """Give the games of each pair, which a click opens."""
    from equipoise.report.views.details import pair_details

    return pair_details(standings.data, agents)


def _charts(standings: Standings, rows: list[dict[str, Any]], scale: Scale | None) -> "Sequence[ChartView]":
    from equipoise.report.charts.games.games_results import crosstable, head_to_head

    ratings, replicates = standings.rated, standings.replicates
    kind = replicates.interval if replicates else getattr(ratings, "interval", None)
    order = [row["agent"] for row in rows]
    return (
        *_rating_charts(ratings, rows, scale, kind),
        *charts_of(standings.transitivity),
        *charts_of(ratings),
        head_to_head(standings.data, order),
        *crosstable(standings.data, order),
        *_errors(rows, scale, kind),
    )


def _rating_charts(ratings: Result, rows: list[dict[str, Any]], scale: Scale | None, kind: object) -> "list[ChartView]":
    """Ratings with their intervals, and the ranks that they leave open where the method says them."""
    from equipoise.report.charts.boards.forest import Forest, RankSpan, RankStrip, Span

    spans = [Span(row["agent"], *(known(row[key]) for key in ("rating", "low", "high"))) for row in rows]
    described = str(kind) if kind and any(one.low is not None for one in spans) else ""
    unit = f" ({scale.words})" if scale else ""
    charts: list[ChartView] = [Forest(spans, f"rating{unit}", described, scale.digits if scale else 2)]
    if isinstance(ratings, BradleyTerry) and ratings.interval and described and not ratings.component.any():
        places = [RankSpan(row["agent"], k + 1, row["rank_low"], row["rank_high"]) for k, row in enumerate(rows)]
        charts.append(RankStrip(places, ratings.interval.level))
    return charts


def _errors(rows: list[dict[str, Any]], scale: Scale | None, kind: object) -> "list[ChartView]":
    """How errors fall with the games, where both are known of three agents or more."""
    from equipoise.report.charts.boards.head_to_head import RatingError, RatingWidth

    spans = [(row["agent"], row.get("games"), known(row["low"]), known(row["high"])) for row in rows]
    agents = [
        RatingWidth(name, games, (high - low) / 2)
        for name, games, low, high in spans
        if games and low is not None and high is not None and high > low
    ]
    return [RatingError(agents, scale.words if scale else "rating", str(kind or "interval"))] if len(agents) > 2 else []


def _columns(rows: list[dict[str, Any]], scale: Scale | None, kind: Any = None) -> list[Column]:
    scale = scale or Scale("logit")
    digits = scale.digits
    called = f"{100 * kind.level:g}% interval" if kind else "interval"
    columns = [
        Column("agent", cells.text("agent"), right=False),
        Column("rating", scale.cell("rating")),
        Column(called, scale.ends(), right=False, bar=BAR),
        Column("games", cells.count("games"), drop=1),
        Column("score", cells.percent("win_rate"), drop=2),
    ]
    if any(row["rank_low"] is not None for row in rows):
        columns.insert(0, Column("rank", cells.span("rank_low", "rank_high")))
    if any("component" in row for row in rows):
        columns.insert(0, Column("component", cells.text("component")))
    there = [name for name in GAME_THEORY if any(row.get(name) for row in rows)]
    theory = [
        Column(GAME_THEORY[name], _with_ends(name, digits), drop=3 + k, aside=True) for k, name in enumerate(there)
    ]
    further = [
        Column(one.heading, _by_unit(one, digits), drop=3) for one in COLUMNS if any(one.name in row for row in rows)
    ]
    return [*columns, *further, *theory]


NASH_CODES = frozenset({"equilibrium-jumps", "stability-band", "not-certified", "agent-clones", "incomplete-table"})
"""Codes of notes about Nash averages and alpha-Rank."""


def _nash_tables(standings: Standings, rows: list[dict[str, Any]], scale: Scale | None) -> tuple[TableView, ...]:
    """Give Nash averages and alpha-Rank a table of their own, which waits until it is asked for."""
    there = [name for name in GAME_THEORY if any(row.get(name) is not None for row in rows)]
    if not there:
        return ()
    ends = [f"{name}{end}" for name in there for end in ("", "_low", "_high")]
    kept = [{key: row[key] for key in ("agent", "rating", *ends) if key in row} for row in rows]
    kept.sort(key=lambda row: -(row.get("nash") or 0.0))
    digits = scale.digits if scale else 2
    columns = [Column("agent", cells.text("agent"), right=False)]
    columns += [Column(GAME_THEORY[name], _with_ends(name, digits), drop=k) for k, name in enumerate(there)]
    columns.append(Column("rating", cells.signed("rating", digits), drop=3))
    why = (
        "A Nash average is an agent's score against the Nash mixture, which copies of agents do not change; a rating is"
        " its strength against everybody."
    )
    units = {key: unit for key, unit in _units(standings, scale).items() if key in ("rating", *ends)}
    title = "Nash mixture and Nash averages"
    return (
        TableView(
            "nash_averages", kept, columns, title, units, aside=True, method=why, concerns=NASH_CODES,
            called="nash",
        ),
    )  # fmt: skip


def _first_sentences(standings: Standings, scale: Scale | None) -> tuple[str, ...]:
    """Who is best, and whether a single rating describes the games, before how many games would separate them."""
    own = standings.transitivity.answer
    others = [sentence for sentence in standings.answer if sentence not in own]
    ordered = tuple(dict.fromkeys((*others[:1], *own[:1], *others[1:], *own[1:])))[:3]
    return _on_scale(ordered, standings.rated, scale)


def _on_scale(said: tuple[str, ...], ratings: Result, scale: Scale | None) -> tuple[str, ...]:
    """Say ratings as the table shows them, where an offset is added to them."""
    if scale is None or not scale.offset or not isinstance(ratings, BradleyTerry):
        return said
    words = {f"({value:+.0f} Elo)": f"({value + scale.offset:.0f} Elo)" for value in ratings.points.tolist()}
    for one, other in words.items() if scale.name == "elo" else ():
        said = tuple(sentence.replace(f"highest rating {one}", f"highest rating {other}") for sentence in said)
    return said


def _by_unit(column: BoardColumn, digits: int) -> Cell:
    """Show a column as its unit asks: on the scale of the ratings, in percent, or as a number."""
    if column.unit in RATINGS or column.unit in DIFFERENCES:
        return cells.signed(column.name, digits)
    return cells.percent(column.name) if column.unit == "share" else cells.decimal(column.name)


def _with_ends(name: str, on_scale: int) -> Cell:
    """Show a number with the ends of its interval, where it has one; averages with as many digits as ratings."""
    digits = on_scale if name == "nash_average" else 2
    ends = cells.ends(cells.decimal, name, digits)
    alone = cells.decimal(name, on_scale if name == "nash_average" else 3)
    return lambda row: alone(row) if ends(row) == NOTHING else f"{cells.decimal(name, digits)(row)} ({ends(row)})"


def _interval_of(standings: Standings) -> Any:
    if standings.replicates is not None:
        return standings.replicates.interval
    return getattr(standings.rated, "interval", None)


def _footer(standings: Standings, scale: Scale | None) -> str:
    """Say the method, how many games there are, what errors are clustered by, and that ranks are simultaneous."""
    ratings = standings.rated
    if not isinstance(ratings, BradleyTerry):
        return ""
    games = counts_of(standings.data).get("games")
    many = f", {_whole(games)} games" if games else ""
    styled = f" at equal {some_of(ratings.coefficients.names, 6)}" if ratings.coefficients is not None else ""
    ties = "" if ratings.params["ties"] == "half" else f", ties: {ratings.params['ties']}"
    unit = f" in {scale.words}" if scale else ""
    by = next((note.subjects for note in standings.diagnostics if note.code == CLUSTERS_FOUND), ())
    group = getattr(standings.data, "group", None)
    clustered = f"; errors clustered by {' and '.join(by)}" if by else "; errors clustered" if group is not None else ""
    these = [note.subjects for note in standings.diagnostics if note.code == FEW_CLUSTERS]
    clustered += "".join(f"; for these {len(values):,} values of {name}" for name, *values in these)
    ranks = "; ranks simultaneous" if ratings.interval is not None else ""
    aside = next((note.subjects for note in ratings.diagnostics if note.code == PROVISIONAL), ())
    apart = f" Provisional, so last and outside the others' ranks: {some_of(aside)}." if aside else ""
    return f"Bradley–Terry{styled}{unit}{_zero(ratings, scale)}{many}{ties}{clustered}{ranks}.{apart}"


def _zero(ratings: BradleyTerry, scale: Scale | None) -> str:
    """Say what 0 is (or the offset), where that is the mean of agents weighted by their games."""
    zero = f"{scale.offset:g}" if scale else "0"
    return f", {zero} is the average opponent" if ratings.zero_is_average_opponent else ""


def _whole(value: Any) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _how(standings: Standings, scale: Scale | None) -> str:
    ratings, kind = standings.rated, _interval_of(standings)
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
    together = "; simultaneous rank intervals" if kind else ""
    styled = f" at equal {some_of(ratings.coefficients.names, 6)}" if ratings.coefficients is not None else ""
    return f"Bradley-Terry{styled}{unit}{_zero(ratings, scale)}, ties: {ratings.params['ties']}{spread}{together}."


VIEWS = {"Standings": leaderboard, "BradleyTerry": rating_view, "Elo": rating_view, "Melo": rating_view}
"""Who shows which class of results."""
