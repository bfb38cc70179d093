"""Places of many players in one game, and ranked ballots: recognised, and refused until they have their own type."""

import re

import polars as pl

from equipoise.core.errors import DataError
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import SCORES, find, plain

PLACES = [
    "place", "placement", "position", "rank", "ranking", "finishing_position", "finish", "finish_position",
    "final_position", "position_order", "positionorder", "standing",
]  # fmt: skip
"""Columns that say who came first, second, third."""
SHARED_GAMES = [
    "game", "game_id", "match", "match_id", "race", "race_id", "raceid", "event", "event_id", "contest", "heat",
    "lobby", "tournament", "tournament_id", "round", "voter", "voter_id", "ballot", "ballot_id", "session",
    "session_id",
]  # fmt: skip
"""Columns that say in what."""
NOT_YET = "free-for-alls with more than two players are not read yet"
BALLOTS = "ranked ballots are not read yet"
CHOICE = re.compile(r"(?:rank|choice|pref|preference|place|vote)_?([1-9]\d?)|(?:1st|2nd|3rd|\dth)(?:_choice)?")
"""Columns of a ballot, in order of preference."""
NUMBERED = re.compile(r"(.*?)(_?)(1|a)((?:_name)?)")
NEXT = {"1": "3", "a": "c"}


def refuse_places(table: Table) -> None:
    """Refuse a table in which a column says who came first, second, third in each game, or on each ballot.

    Fails when
        it is one.
    """
    names = [plain(column) for column in table.columns]
    ballots = [column for column, name in zip(table.columns, names, strict=True) if CHOICE.fullmatch(name)]
    if (len(ballots) > 2 and _holds_names(table, ballots[0])) or {"first", "second", "third"} <= set(names):
        raise DataError(f"{table.name}: each row puts several in order: {BALLOTS}")
    place, game = find(table.columns, PLACES), find(table.columns, SHARED_GAMES)
    if place is None or game is None or find(table.columns, SCORES):
        return
    sizes = collect(table.rows.group_by(table.text(game).alias("game")).agg(pl.len().alias("n")), table.name)["n"]
    if (sizes > 2).any():
        voted = plain(game) in ("voter", "voter_id", "ballot", "ballot_id")
        raise DataError(
            f'{table.name}: column "{place}" says who came first in each "{game}": {BALLOTS if voted else NOT_YET}'
        )


def _holds_names(table: Table, column: str) -> bool:
    """Say whether a column holds texts: numbers in columns of such names are scores."""
    first = collect(table.rows.select(text=table.text(column), number=table.number(column)).head(100), table.name)
    return bool((first["text"].is_not_null() & first["number"].is_null()).any())


def refuse_crowds(table: Table, pair: tuple[str, str]) -> None:
    """Refuse a log of games with a third side.

    Fails when
        there is a column for it beside the pair.
    """
    known = NUMBERED.fullmatch(plain(pair[0]))
    if known is not None and known[1]:  # columns a, b and c may hold anything
        third = f"{known[1]}{known[2]}{NEXT[known[3]]}{known[4]}"
    else:
        third = "third" if plain(pair[0]) == "first" else ""
    column = next((name for name in table.columns if third and plain(name) == third), None)
    if column is not None:
        raise DataError(f'{table.name}: "{pair[0]}", "{pair[1]}" and "{column}" are sides of a game: {NOT_YET}')
