"""Fixtures of leagues, as openfootball writes them: ``team1`` (home), ``team2``, and ``score.ft`` after full time.

More goals win; a match of which there is no score was not played (cancelled, or still to come) and is left out, which
is said. Reading fails where a score is no two numbers, unless ``on_error`` is ``skip``, and when no match was played.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError
from equipoise.data.types.matches import Matches
from equipoise.logs.files.json_files import number_of, whole_object
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.games.matches import Games, refuse_without_games
from equipoise.logs.tables.rows import short_name


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:
    """Read matches: the first team is at home, the season is the task, and the date the time."""
    notes.mapped("team1 (a)", "team2 (b)", "score.ft (outcome)", "date (time)", "name (task)")
    notes.left("round", "score.ht")
    games = Games()
    for path in files:
        whole = whole_object(path)
        season = str((whole.get("name") if isinstance(whole, dict) else None) or path.stem)
        for number, match in enumerate(_matches(path, whole), 1):
            home, away = _team(match.get("team1")), _team(match.get("team2"))
            if not home or not away or home == away:
                _bad(f"{path}: match {number:,} must name two teams", "that do not name two teams", how, notes)
                continue
            goals = _goals(match)
            if goals is None:
                status = short_name(str(match.get("status") or "").lower())
                notes.drop(f"that were not played ({status})" if status else "that were not played (no score)")
                continue
            if len(goals) != 2 or None in goals:
                _bad(f"{path}: match {number:,}: the score is no two numbers", "whose score is no two numbers", how,
                     notes)  # fmt: skip
                continue
            notes.use(1)
            ahead = (goals[0] or 0.0) - (goals[1] or 0.0)
            games.add(home, away, (1 + (ahead > 0) - (ahead < 0)) / 2, season, time=_day(match.get("date")))
    open_ones = sum(count for reason, count in notes.dropped.items() if reason.startswith("that were not played"))
    if open_ones:
        notes.info("matches-not-played", f"{open_ones:,} of {notes.rows:,} matches have no score: they were not played,"
                   " and are no draws.")  # fmt: skip
    refuse_without_games(len(games.first), "fixtures", notes)
    return games.matches()


def _bad(message: str, reason: str, how: LogReading, notes: Notes) -> None:
    if how.on_error == "raise":
        raise DataError(message)
    notes.drop(reason)


def _matches(path: Path, whole: Any) -> Iterator[Mapping[str, Any]]:
    """Give the matches of a file: listed, below ``matches``, or round by round."""
    rounds = whole.get("rounds") if isinstance(whole, dict) else None
    entries = whole if isinstance(whole, list) else whole.get("matches") if isinstance(whole, dict) else None
    if isinstance(rounds, list):
        entries = [match for one in rounds if isinstance(one, dict) for match in one.get("matches") or ()]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise DataError(f'{path}: "matches" must be a list of objects')
    yield from entries


def _team(given: Any) -> str:
    """Give a team's name; older files have an object with name and code."""
    name = given.get("name") if isinstance(given, dict) else given
    return "" if name is None else str(name).strip()


def _goals(match: Mapping[str, Any]) -> list[float | None] | None:
    """Give the goals of both sides after full time; None where the match has no score."""
    score = match.get("score")
    final = score.get("ft") if isinstance(score, dict) else score
    if final is None and match.get("score1") is not None:
        final = [match["score1"], match.get("score2")]
    return [number_of(goals) for goals in final] if isinstance(final, list) else None


def _day(given: Any) -> float | None:
    try:
        return float(date.fromisoformat(str(given)[:10]).toordinal())
    except ValueError:
        return None
