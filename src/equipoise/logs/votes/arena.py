"""Battles of arenas: ``model_a``, ``model_b`` and ``winner`` (or three columns of 0 and 1, as on Kaggle).

``keep`` may be ``fair``: battles whose judge saw the names ("anony" is false) are left out, as the arenas do; or
``all``: they count, too. Reading fails where a row has no winner, or one that is neither a side, a model nor a tie,
unless ``on_error`` is ``skip``.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.diagnostics import info
from equipoise.core.errors import DataError
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.outcomes import outcome_score
from equipoise.data.types.matches import Matches
from equipoise.logs.files.json_files import number_of
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.games.matches import Games, refuse_without_games
from equipoise.logs.tables.rows import rows_of, short_name

ONE_HOT = {"winner_model_a": 1.0, "winner_model_b": 0.0, "winner_tie": 0.5}
BOTH_BAD = ("tie (bothbad)", "bothbad", "both_bad")
JUDGES = ("judge", "judge_hash", "user_id")
TIMES = ("tstamp", "timestamp", "time")
ROLES = {"model_a": "a", "model_b": "b", "winner": "outcome", **dict.fromkeys(ONE_HOT, "outcome")}
ROLES |= {**dict.fromkeys(JUDGES, "group"), **dict.fromkeys(TIMES, "time"), "language": "task", "anony": "choice"}


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:
    """Read battles; those in which the names were shown are left out, as the arenas do, unless all are to be kept."""
    games = Games()
    both_bad = 0
    keep_all = how.more.get("keep") == "all"
    for path in files:
        for number, row in rows_of(path):
            if number == 1:
                notes.mapped(*(f"{key} ({ROLES[key]})" for key in row if key in ROLES))
                notes.left(*(key for key in row if key not in ROLES))
            a, b, score = _name(row.get("model_a")), _name(row.get("model_b")), _score(row)
            if score is None or not a or not b:
                if how.on_error == "raise":
                    raise DataError(f"{path}: row {number:,}: {_complaint(row, a, b)}")
                notes.drop("without two names and a winner")
            elif a == b:
                notes.drop("of a model against itself")
            elif row.get("anony") in (False, "False", "false") and not keep_all:
                notes.drop("whose judge saw the names")
            else:
                notes.use(1)
                both_bad += _name(row.get("winner")).lower() in BOTH_BAD
                judge, time = _first(row, JUDGES), number_of(_first(row, TIMES))
                games.add(a, b, score, _name(row.get("language")), _name(judge), time)
    _say(both_bad, notes)
    refuse_without_games(len(games.first), "battles", notes)
    return games.matches()


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _name(value: object) -> str:
    return "" if value is None else str(value).strip()


def _score(row: Mapping[str, Any]) -> float | None:
    """Give the first model's score; None where the row does not say it."""
    if "winner" not in row:
        marks = {name: number_of(row.get(name)) for name in ONE_HOT}
        marked = [name for name, mark in marks.items() if mark == 1]
        return ONE_HOT[marked[0]] if len(marked) == 1 else None
    word = _name(row["winner"])
    if word in (_name(row.get("model_a")), _name(row.get("model_b"))):
        return 1.0 if word == _name(row.get("model_a")) else 0.0
    return 0.5 if word.lower() in BOTH_BAD else outcome_score(word)


def _complaint(row: Mapping[str, Any], a: str, b: str) -> str:
    if not a or not b:
        return "a battle needs two names"
    if "winner" in row:
        return f'"{short_name(_name(row["winner"]))}" is no winner'
    return f"not exactly one of {', '.join(ONE_HOT)} is 1"


def _say(bad: int, notes: Notes) -> None:
    if bad:
        notes.info("both-bad", f'{bad:,} battles end with "both are bad"; they count as ties.')
    shown = notes.dropped.get("whose judge saw the names", 0)
    if shown:
        sentence = f'{shown:,} battles are left out: their judge saw the names of the models ("anony" is false).'
        advice = [Advice("count them with ", Option("keep", "all"))]
        notes.said.append(info("names-shown", sentence, advice=advice))
