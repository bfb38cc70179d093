"""Boards to compare: what ``rank`` wrote, standings, or the games themselves."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.analyses.boards.standings import Standings
from equipoise.core.errors import DataError, ReadError
from equipoise.core.units import LOG_ODDS, RATINGS
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.paired.shared_errors import RatedGames
from equipoise.ratings.places.plackett_luce import PlackettLuce

ENDS = ("rating", "low", "high")
BoardSource = str | Path | Mapping[str, Any] | Standings | Matches | PairTable


@dataclass(frozen=True, slots=True)
class Board:
    """What is compared of a board; ratings in log-odds where they are ratings of that kind.

    ``zero`` names the agents whose mean is 0 (None: all), ``games`` says how many each agent has, where that is
    known, and ``rated`` holds the games themselves, where they are at hand.
    """

    name: str
    method: str
    unit: str
    level: float
    zero: frozenset[str] | None
    digest: str | None
    ratings: Mapping[str, tuple[float, float, float]]
    rated: RatedGames | None = None
    games: Mapping[str, float] = field(default_factory=dict)


def is_board(path: Path) -> bool:
    """Tell a board from games by its suffix: ``rank`` writes JSON."""
    return path.suffix.lower() == ".json" or not path.is_file()


def board_of(source: BoardSource, name: str) -> Board:
    """Give a board, whatever it comes as; games are rated by Bradley-Terry.

    Fails when
        it is no board, or agents were rated in several connected components.
    """
    if isinstance(source, Matches | PairTable):
        pairs = source if isinstance(source, PairTable) else source.pairs(by_group=source.group is not None)
        fit = bradley_terry(pairs)
        return _made(name, "bradley-terry", LOG_ODDS, 0.95, None, None, _rows(fit), RatedGames(fit, pairs))
    if isinstance(source, Standings):
        return _of_standings(source, name)
    if isinstance(source, Mapping):
        return _of_document(source, name)
    if isinstance(source, PlackettLuce):
        raise DataError(f"{name} is of games of several players, whose boards cannot be compared yet")
    try:
        body = json.loads(Path(source).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ReadError(f"{source}: there is no such file") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ReadError(f"{source} is no board: not valid JSON") from error
    except OSError as error:
        raise ReadError(f"{source}: {error.strerror}") from error
    return _of_document(body, Path(source).name)


def _rows(fit: BradleyTerry) -> list[dict[str, Any]]:
    """Give the ratings as the fit has them, in log-odds, best first."""
    ends = ([None] * len(fit.agents) if end is None else end.tolist() for end in (fit.rating, fit.low, fit.high))
    rows = [dict(zip(("agent", *ENDS), row, strict=True)) for row in zip(fit.agents, *ends, strict=True)]
    return sorted(rows, key=lambda row: -row["rating"])


def _of_standings(standings: Standings, name: str) -> Board:
    kind = standings.replicates.interval if standings.replicates else getattr(standings.rated, "interval", None)
    return _made(
        standings.origin.name or name, standings.method.option_name, standings.units.get("rating", ""),
        kind.level if kind else 0.95,
        _zero(standings.rated.params), None, standings.rows(),
        RatedGames(standings.rated, standings.data) if isinstance(standings.rated, BradleyTerry) else None,
    )  # fmt: skip


def _of_document(body: Any, name: str) -> Board:
    """Read what ``equipoise rank --format json`` writes."""
    try:
        if body["command"] not in ("rank", "place") or not body["agents"]:
            raise KeyError("agents")
        unit = body["tables"]["agents"]["units"].get("rating", "")
        interval, options = body.get("interval") or {}, body.get("parameters") or {}
        offset = float(options.get("offset") or 0.0)
        digest = (body.get("data") or {}).get("sha256")
        rows = [
            {**row, **{end: None if row[end] is None else row[end] - offset for end in ("rating", "low", "high")}}
            for row in body["agents"]
        ]
        return _made(name, str(body["method"]), unit, float(interval.get("level", 0.95)), _zero(options), digest, rows)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise ReadError(f"{name} is no board: write one with equipoise rank FILE --format json -o {name}") from error


def _zero(options: Mapping[str, Any]) -> frozenset[str] | None:
    """Tell whose mean is 0 by the options of a board."""
    given = options.get("anchor") or options.get("reference")
    if not given:
        return None
    names = [given] if options.get("anchor") else given.split(",") if isinstance(given, str) else given
    return frozenset(str(name).strip() for name in names)


def _made(
    name: str, method: str, unit: str, level: float, zero: frozenset[str] | None, digest: Any,
    rows: list[dict[str, Any]], rated: RatedGames | None = None,
) -> Board:  # fmt: skip
    if any((row.get("component", row.get("island"))) is not None for row in rows):
        raise DataError(f"{name} rates connected components apart: their ratings have no common zero to compare")
    factor = RATINGS.get(unit, 1.0)
    ratings = {
        str(row["agent"]): tuple(np.nan if row[end] is None else factor * float(row[end]) for end in ENDS)
        for row in rows
    }
    games = {str(row["agent"]): float(row["games"]) for row in rows if row.get("games") is not None}
    return Board(name, method, unit, level, zero, digest, ratings, rated, games)  # type: ignore[arg-type]  # three numbers each


def refuse_unlike(before: Board, after: Board) -> None:
    """Refuse boards that were not rated the same way."""
    if before.method != after.method:
        raise DataError(
            f"{before.name} was rated with {before.method} and {after.name} with {after.method}: rate both the same way"
        )
    if before.unit != after.unit and not {before.unit, after.unit} <= set(RATINGS):
        raise DataError(f"{before.name} has ratings in {before.unit} and {after.name} in {after.unit}")
