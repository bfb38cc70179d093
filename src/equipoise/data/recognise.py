"""Tells what a file holds, and reads it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from equipoise.data.columns import PAIRS, WINNER_AND_LOSER, find_set, plain
from equipoise.data.datasets import BUNDLED, load
from equipoise.data.episodes import Episodes
from equipoise.data.matches import Matches
from equipoise.data.metagame import MetaGame
from equipoise.data.pairs import PairTable
from equipoise.data.read import read_episodes, read_metagame, read_pairs, read_scores
from equipoise.data.scores import Scores
from equipoise.data.wanted import Choice, Islands, Moment, refuse_choice
from equipoise.errors import DataError

__all__ = ["Recognised", "bundled", "read", "recognise"]

ROLES = {"deal", "agent", "utility", "seat", "hand"}
"""Columns of dealt hands that are no controls."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file that was read as what it holds.

    Attributes
    ----------
    title
        The file's name.
    data
        The data.
    what
        What the file was taken for, in words.
    """

    title: str
    data: PairTable | Scores | MetaGame | Episodes
    what: str


def read(
    source: str | Path,
    *,
    table: str | None = None,
    where: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    time: str | None = None,
    min_games: int | None = None,
    islands: Islands | None = None,
) -> PairTable | Scores | MetaGame | Episodes:
    """Read a file as what it is: games, scores, payoffs or dealt hands; the name of a bundled set will do as well.

    Games are counted by pairs; where each row matters (online Elo), use :func:`read_matches`.

    Parameters
    ----------
    table, where, since, until, time, min_games, islands
        Which table, rows and agents are wanted, as in :func:`read_scores`.

    >>> read("alphago").agents[0]
    'rvp'

    Fails when
        the file fits nothing; the error says why it is neither games nor scores.
    """
    return recognise(source, Choice(table, where, since, until, time, min_games, islands)).data


def recognise(source: str | Path, choice: Choice = Choice()) -> Recognised:  # noqa: B008  # nothing of it can change
    """Read a file as what it is, and say in words what it was taken for."""
    name = str(source)
    if bundled(name):
        refuse_choice(choice)
        loaded = load(name)
        data = loaded.pairs() if isinstance(loaded, Matches) else loaded
        return Recognised(name, data, _words(data))
    data = _read(name, Path(source), choice)
    return Recognised(Path(source).name, data, _words(data))


def bundled(name: object) -> bool:
    """Tell whether a name means a bundled set; a file of that name comes first."""
    return isinstance(name, str) and name in BUNDLED and not Path(name).exists()


def _read(source: str, path: Path, choice: Choice) -> PairTable | Scores | MetaGame | Episodes:
    from equipoise.data.cross_tables import holds_payoffs, is_cross_table
    from equipoise.data.tables import open_table

    if path.suffix.lower() == ".json" and path.is_file() and holds_payoffs(path):
        refuse_choice(choice)
        return read_metagame(source)
    table = open_table(choice.of(source))
    wanted = choice.named()
    columns = {plain(column) for column in table.columns}
    if {"deal", "agent", "utility"} <= columns:
        return read_episodes(source, controls=_controls(table.columns), **wanted)
    if find_set(table.columns, PAIRS + WINNER_AND_LOSER):
        return read_pairs(source, **wanted)
    if is_cross_table(table):
        return _square(source, choice)
    return read_scores(source, **wanted)


def _square(source: str, choice: Choice) -> PairTable | MetaGame:
    """A square table holds win rates or counts of wins; anything else is payoffs."""
    try:
        return read_pairs(source, **choice.named())
    except DataError:
        refuse_choice(replace(choice, table=None))
        return read_metagame(source, table=choice.table)


def _controls(columns: Sequence[str]) -> tuple[str, ...]:
    """Columns beside the known roles are controls."""
    return tuple(column for column in columns if plain(column) not in ROLES)


def _words(data: PairTable | Scores | MetaGame | Episodes) -> str:
    if isinstance(data, PairTable):
        games = f"{data.games.sum():,.0f} games" if data.counted else "win rates without numbers of games"
        return f"Taken for games: {games} between {len(data.agents):,} agents."
    if isinstance(data, Scores):
        return f"Taken for scores: {len(data.agents):,} agents on {len(data.tasks):,} tasks."
    if isinstance(data, Episodes):
        return f"Taken for dealt hands: {len(data):,} rows, {len(data.agents):,} agents."
    shape = " x ".join(f"{n}" for n in data.payoffs[0].shape)
    return f"Taken for payoffs of a game of shape {shape}."
