"""The view of a rating: a leaderboard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from equipoise.data.pairs import PairTable
from equipoise.diagnostics import Diagnostic, has_code
from equipoise.inference.bootstrap import Bootstrap
from equipoise.ratings.bradley_terry import BradleyTerry
from equipoise.ratings.elo import ELO_POINT, Elo
from equipoise.ratings.melo import Melo
from equipoise.ratings.transitivity import Transitivity
from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.forest import Forest, Span
from equipoise.report.charts.rank_strip import RankSpan, RankStrip
from equipoise.report.drawings import charts_of
from equipoise.report.names import harmless
from equipoise.report.pairs import head_to_head
from equipoise.report.view import NOTHING, Column, Row, TableView, View, count, decimal, known, percent, signed, text
from equipoise.results import Estimate, jsonable

__all__ = ["Extra", "Rating", "Scale", "leaderboard"]

Rating = BradleyTerry | Elo | Melo


@dataclass(frozen=True, slots=True)
class Scale:
    """How ratings are shown: Elo points or log-odds, with an offset."""

    name: Literal["elo", "logit"] = "elo"
    offset: float = 0.0

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


@dataclass(frozen=True, slots=True, eq=False)
class Extra:
    """A column of another method, by agent; null where it has no answer, with the diagnostics that say why."""

    name: str
    heading: str
    values: Mapping[str, float | None]
    diagnostics: tuple[Diagnostic, ...] = ()


def leaderboard(
    result: Rating,
    scale: Scale,
    *,
    replicates: Bootstrap | None = None,
    verdict: Transitivity | None = None,
    facts: Mapping[str, Any] | None = None,
    more: Sequence[Extra] = (),
    table: PairTable | None = None,
) -> View:
    """Make the view of a rating.

    ``replicates`` replace the intervals, ``verdict`` says whether one number is honest, ``facts`` go into the JSON
    document, ``more`` adds columns of other methods, ``table`` is drawn head to head.
    """
    rows = [_row(row, scale) for row in result.frame().to_dicts()]
    for extra in more:
        for row in rows:
            row[extra.name] = extra.values.get(row["agent"])
    if replicates is not None:
        _replace_intervals(rows, replicates, scale)
    document = {
        "method": _method_name(result),
        "scale": scale.name,
        **jsonable(result.summary()),
        **({"verdict": jsonable(verdict.verdict())} if verdict else {}),
        "params": jsonable(result.params),
    }
    notes = result.diagnostics if replicates is None else replicates.diagnostics
    for extra in more:
        notes += tuple(note for note in extra.diagnostics if not has_code(notes, note.code))
    shown = [Column(extra.heading, decimal(extra.name, 3)) for extra in more if any(extra.values.values())]
    return View(
        tables=(TableView("agents", rows, [*_columns(rows, scale), *shown]),),
        sentences=(*_sentences(result, rows, scale, replicates), *((verdict.text,) if verdict else ())),
        diagnostics=notes if verdict is None else _joined(notes, verdict.diagnostics),
        document=document | dict(facts or {}),
        method=_how(result, replicates),
        charts=_charts(result, rows, scale, replicates, table, verdict),
        title="Ratings",
    )


def _charts(
    result: Rating,
    rows: list[dict[str, Any]],
    scale: Scale,
    replicates: Bootstrap | None,
    table: PairTable | None,
    verdict: Transitivity | None,
) -> tuple[ChartView, ...]:
    spans = [Span(row["agent"], *(known(row[key]) for key in ("rating", "low", "high"))) for row in rows]
    interval = replicates.interval if replicates else None if isinstance(result, Elo) else result.interval
    told = str(interval) if interval and any(span.low is not None for span in spans) else ""
    charts: list[ChartView] = [Forest(spans, f"rating ({scale.words})", told, scale.digits)]
    if isinstance(result, BradleyTerry) and result.interval and told and not result.island.any():
        places = [RankSpan(row["agent"], k + 1, row["rank_low"], row["rank_high"]) for k, row in enumerate(rows)]
        charts.append(RankStrip(places, result.interval.level))
    charts += charts_of(verdict) if verdict is not None else ()
    charts += charts_of(result)
    if table is not None:
        charts.append(head_to_head(table, [row["agent"] for row in rows]))
    return tuple(charts)


def _joined(notes: tuple[Diagnostic, ...], more: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Add what only the verdict has to say; of a code that both use, the rating's own words are enough."""
    said = {note.code for note in notes} | ({"weak-prior"} if has_code(notes, "no-finite-mle") else set())
    return (*notes, *(note for note in more if note.code not in said))


def _method_name(result: Rating) -> str:
    return "bradley-terry" if isinstance(result, BradleyTerry) else "elo" if isinstance(result, Elo) else "melo"


def _row(row: Row, scale: Scale) -> dict[str, Any]:
    shown = {name: scale.shown(row.get(name)) for name in ("rating", "low", "high")}
    keys = ("rank_low", "rank_high", "games", "win_rate")
    own = {key: value for key, value in row.items() if key == "island" or (key[0] == "c" and key[1:].isdigit())}
    return {"agent": row["agent"], **shown, **{key: row.get(key) for key in keys}, **own}


def _replace_intervals(rows: list[dict[str, Any]], replicates: Bootstrap, scale: Scale) -> None:
    place = {agent: k for k, agent in enumerate(replicates.agents)}
    for row in rows:
        k = place[row["agent"]]
        row["low"], row["high"] = scale.shown(replicates.low[k]), scale.shown(replicates.high[k])


def _columns(rows: list[dict[str, Any]], scale: Scale) -> list[Column]:
    columns = [
        Column("agent", text("agent"), right=False),
        Column("rating", signed("rating", scale.digits)),
        Column("interval", _interval(scale), right=False),
        Column("games", count("games")),
        Column("won", percent("win_rate")),
    ]
    if any(row["rank_low"] is not None for row in rows):
        columns.insert(0, Column("rank", _rank))
    if any("island" in row for row in rows):
        columns.append(Column("island", text("island")))
    return columns


def _rank(row: Row) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return f"{low}" if low == high else f"{low}–{high}"


def _interval(scale: Scale) -> Any:
    low, high = signed("low", scale.digits), signed("high", scale.digits)
    return lambda row: NOTHING if low(row) == NOTHING else f"{low(row)} … {high(row)}"


def _sentences(
    result: Rating, rows: list[dict[str, Any]], scale: Scale, replicates: Bootstrap | None
) -> tuple[str, ...]:
    if isinstance(result, Melo):
        return (_discs(result),)
    if not isinstance(result, BradleyTerry):
        sure = "" if replicates else "; without --bootstrap it says nothing about how sure it is"
        return (f"Online Elo depends on the order of the games and on k{sure}.",)
    return (*_top(result, rows), *_extra("Side advantage of the first-named", result.side, scale))


def _top(result: BradleyTerry, rows: list[dict[str, Any]]) -> tuple[str, ...]:
    leader = harmless(str(rows[0]["agent"]), 60)
    if result.island.any():
        return ("Some of these agents never met, even indirectly: ratings compare only agents of the same island.",)
    if result.interval is None:
        return (f"{leader} is rated highest; without numbers of games nothing says how sure that is.",)
    if result.covariance is None:
        return (f"{leader} is rated highest.",)
    best = [row["agent"] for row in rows if row["rank_low"] == 1]
    level = f"{100 * result.interval.level:g}%"
    if len(best) == 1:
        return (f"{leader} is the best, all comparisons taken together at {level}.",)
    if len(best) == len(rows):
        return (f"The data do not tell who is best: at {level} it may be any of the {len(rows)}.",)
    return (f"{leader} is ahead, but at {level} any of {len(best)} may be the best: the data do not separate them.",)


def _discs(result: Melo) -> str:
    """What the discs add to the rating."""
    count = "no disc" if result.k == 0 else "1 disc" if result.k == 1 else f"{result.k} discs"
    chosen = " (chosen by held-out loss)" if result.held_out else ""
    return (
        f"With {count}{chosen} the predictions are off by {result.frobenius:.3f} (Frobenius), those of a rating alone"
        f" by {result.rating_frobenius:.3f}; the columns c1, c2 … of JSON and CSV place the agents on the discs."
    )


def _extra(name: str, estimate: Estimate | None, scale: Scale) -> tuple[str, ...]:
    if estimate is None:
        return ()
    size, low, high = (value / scale.unit for value in (float(estimate), estimate.low, estimate.high))
    return (f"{name}: {size:+.{scale.digits}f} {scale.words} ({low:+.{scale.digits}f} … {high:+.{scale.digits}f}).",)


def _how(result: Rating, replicates: Bootstrap | None) -> str:
    if isinstance(result, Melo):
        spread = f"; {result.interval}s" if result.interval else ""
        return f"Multidimensional Elo, k = {result.k}{spread}."
    if isinstance(result, Elo):
        spread = f"; {replicates.interval}s" if replicates else ""
        return f"Online Elo, k = {result.params['k']:g}{spread}."
    if not has_code(result.diagnostics, "no-counts"):
        interval = replicates.interval if replicates else result.interval
        return f"Bradley-Terry, ties: {result.params['ties']}; {interval}s; ranks hold together."
    return f"Bradley-Terry, ties: {result.params['ties']}."
