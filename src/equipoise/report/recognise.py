"""Tells what a file holds, and reads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.data.columns import PAIRS, WINNER_AND_LOSER, find_set, plain
from equipoise.data.datasets import BUNDLED, load
from equipoise.data.episodes import Episodes
from equipoise.data.matches import Matches
from equipoise.data.metagame import MetaGame
from equipoise.data.pairs import PairTable
from equipoise.data.read import read_episodes, read_metagame, read_pairs, read_scores
from equipoise.data.scores import Scores
from equipoise.errors import DataError

__all__ = ["Found", "recognise"]

ROLES = {"deal", "agent", "utility", "seat", "hand"}


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a file.

    Attributes
    ----------
    title
        The file's name.
    data
        The data, read.
    what
        What the file was taken for, in words.
    """

    title: str
    data: PairTable | Scores | MetaGame | Episodes
    what: str


def recognise(source: str) -> Found:
    """Read a file as what it is: games, scores, payoffs or dealt hands. A bundled set's name will do as well.

    Fails when
        the file fits nothing; the error says why it is neither games nor scores.
    """
    path = Path(source)
    if source in BUNDLED and not path.exists():
        found = load(source)
        data = found.pairs() if isinstance(found, Matches) else found
        return Found(source, data, _words(data))
    data = _read(source, path)
    return Found(path.name, data, _words(data))


def _read(source: str, path: Path) -> PairTable | Scores | MetaGame | Episodes:
    from equipoise.data.cross_tables import is_cross_table
    from equipoise.data.tables import open_table

    if path.suffix.lower() == ".json" and path.is_file() and path.read_bytes().lstrip()[:1] == b"{":
        return read_metagame(source)
    table = open_table(source)
    columns = {plain(column) for column in table.columns}
    if {"deal", "agent", "utility"} <= columns:
        return read_episodes(source, controls=_controls(table.columns))
    if find_set(table.columns, PAIRS + WINNER_AND_LOSER):
        return read_pairs(source)
    if is_cross_table(table):
        return _square(source)
    return read_scores(source)


def _square(source: str) -> PairTable | MetaGame:
    """A square table holds win rates or counts of wins; anything else is payoffs."""
    try:
        return read_pairs(source)
    except DataError:
        return read_metagame(source)


def _controls(columns: Sequence[str]) -> tuple[str, ...]:
    """Columns beside the known roles are controls."""
    return tuple(column for column in columns if plain(column) not in ROLES)


def _words(data: Any) -> str:
    if isinstance(data, PairTable):
        games = f"{data.games.sum():,.0f} games" if data.counted else "win rates without numbers of games"
        return f"Taken for games: {games} between {len(data.agents):,} agents."
    if isinstance(data, Scores):
        return f"Taken for scores: {len(data.agents):,} agents on {len(data.tasks):,} tasks."
    if isinstance(data, Episodes):
        return f"Taken for dealt hands: {len(data):,} rows, {len(data.agents):,} agents."
    shape = " x ".join(f"{n}" for n in data.payoffs[0].shape)
    return f"Taken for payoffs of a game of shape {shape}."
