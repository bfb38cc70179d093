"""The view of a rating: a leaderboard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from equipoise.diagnostics import Diagnostic, has_code
from equipoise.inference.bootstrap import Bootstrap
from equipoise.ratings.bradley_terry import BradleyTerry
from equipoise.ratings.elo import ELO_POINT, Elo
from equipoise.report.view import NOTHING, Column, Row, TableView, View, count, decimal, percent, signed, text
from equipoise.results import Estimate, jsonable

__all__ = ["Extra", "Scale", "leaderboard"]


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
    result: BradleyTerry | Elo,
    scale: Scale,
    *,
    replicates: Bootstrap | None = None,
    facts: Mapping[str, Any] | None = None,
    more: Sequence[Extra] = (),
) -> View:
    """Make the view of a rating.

    ``replicates`` replace the intervals, ``facts`` go into the JSON document, ``more`` adds columns of other methods.
    """
    rows = [_row(row, scale) for row in result.frame().to_dicts()]
    for extra in more:
        for row in rows:
            row[extra.name] = extra.values.get(row["agent"])
    if replicates is not None:
        _replace_intervals(rows, replicates, scale)
    known = result.summary()
    document = {
        "method": _method_name(result),
        "scale": scale.name,
        **jsonable(known),
        "params": jsonable(result.params),
    }
    notes = result.diagnostics if replicates is None else replicates.diagnostics
    for extra in more:
        notes += tuple(note for note in extra.diagnostics if not has_code(notes, note.code))
    shown = [Column(extra.heading, decimal(extra.name, 3)) for extra in more if any(extra.values.values())]
    return View(
        tables=(TableView("agents", rows, [*_columns(rows, scale), *shown]),),
        sentences=_sentences(result, rows, scale),
        diagnostics=notes,
        document=document | dict(facts or {}),
        method=_how(result, replicates),
    )


def _method_name(result: BradleyTerry | Elo) -> str:
    return "bradley-terry" if isinstance(result, BradleyTerry) else "elo"


def _row(row: Row, scale: Scale) -> dict[str, Any]:
    known = {name: scale.shown(row.get(name)) for name in ("rating", "low", "high")}
    keys = ("rank_low", "rank_high", "games", "win_rate")
    island = {"island": row["island"]} if "island" in row else {}
    return {"agent": row["agent"], **known, **{key: row.get(key) for key in keys}, **island}


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


def _sentences(result: BradleyTerry | Elo, rows: list[dict[str, Any]], scale: Scale) -> tuple[str, ...]:
    if not isinstance(result, BradleyTerry):
        return ("Online Elo depends on the order of the games and on k; it says nothing about how sure it is.",)
    return (*_top(result, rows), *_extra("Side advantage of the first-named", result.side, scale))


def _top(result: BradleyTerry, rows: list[dict[str, Any]]) -> tuple[str, ...]:
    if result.covariance is None or result.island.any():
        return ()
    best = [row["agent"] for row in rows if row["rank_low"] == 1]
    level = f"{100 * result.interval.level:g}%"
    if len(best) == 1:
        return (f"{best[0]} is the best, all comparisons taken together at {level}.",)
    if len(best) == len(rows):
        return (f"The data do not tell who is best: at {level} it may be any of the {len(rows)}.",)
    return (
        f"At {level} the best may be any of the {len(best)} whose ranks start at 1: the data do not separate them.",
    )


def _extra(name: str, estimate: Estimate | None, scale: Scale) -> tuple[str, ...]:
    if estimate is None:
        return ()
    size, low, high = (value / scale.unit for value in (float(estimate), estimate.low, estimate.high))
    unit = "Elo points" if scale.name == "elo" else "log-odds"
    return (f"{name}: {size:+.{scale.digits}f} {unit} ({low:+.{scale.digits}f} … {high:+.{scale.digits}f}).",)


def _how(result: BradleyTerry | Elo, replicates: Bootstrap | None) -> str:
    if isinstance(result, Elo):
        spread = f"; {replicates.interval}s" if replicates else ""
        return f"Online Elo, k = {result.params['k']:g}{spread}."
    if not has_code(result.diagnostics, "no-counts"):
        interval = replicates.interval if replicates else result.interval
        return f"Bradley-Terry, ties: {result.params['ties']}; {interval}s; ranks hold together."
    return f"Bradley-Terry, ties: {result.params['ties']}."
