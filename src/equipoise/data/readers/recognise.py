"""Tells what a file holds, and reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.core.errors import DataError, EquipoiseError
from equipoise.core.wording import counted
from equipoise.data.datasets import BUNDLED, load
from equipoise.data.files.arena_files import arena_frame, arena_kind, arena_notes, is_arena_file
from equipoise.data.files.formats import BALLOTS as PREFLIB
from equipoise.data.readers.columns import (
    AGENTS,
    EPISODES,
    PAIRS,
    ROUNDS,
    ROW_IDS,
    SCORES,
    TASKS,
    TIMES,
    UNSURE_TASKS,
    WINNER_AND_LOSER,
    EpisodeColumns,
    find,
    find_set,
    plain,
)
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import (
    read_ballots,
    read_episodes,
    read_metagame,
    read_pairs,
    read_rankings,
    read_scores,
)
from equipoise.data.select.selection import Selection, refuse_cleaning, refuse_selection
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.orders import Ballots, Orders, Rankings
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

SAMPLE = 1000
"""Rows that are looked at to tell numbers from texts."""
ReadData = PairTable | Scores | MetaGame | Episodes | Rankings | Ballots
"""What a file may hold, its games counted by pairs."""


@dataclass(frozen=True, slots=True)
class RunMean:
    """The mean of an agent in an evaluation, and the number of samples that it is taken over (0 where nobody said)."""

    agent: str
    evaluation: str
    mean: float
    samples: int


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
    runs
        The mean of each agent in each evaluation, where logs of evaluations were read.
    matches
        The single games behind pair counts, where a log was read game by game.
    """

    title: str
    data: ReadData
    what: str
    runs: tuple[RunMean, ...] = ()
    matches: Matches | None = None


def recognise(
    source: str | Path,
    options: ReadOptions = ReadOptions(),  # nothing of it can change
) -> Recognised:
    """Read a file as what it is, and say in words what it was taken for."""
    name = str(source)
    if bundled(name):
        refuse_selection(options.selection)
        options.of("a bundled set")
        loaded = load(name)
        data = loaded.pairs() if isinstance(loaded, Matches) else loaded
        return Recognised(name, data, words_for(data))
    data = _read(name, Path(source), options)
    return Recognised(Path(source).name, data, words_for(data))


def bundled(name: object) -> bool:
    """Tell whether a name means a bundled set; a file of that name comes first."""
    return isinstance(name, str) and name in BUNDLED and not Path(name).exists()


def holds_scores(source: Any, table: str | None = None) -> bool:
    """Tell by its columns whether a file or a frame is a long table of scores (agent, task, score), and no games."""
    columns = _columns_of(source, table)
    if find_set(columns, PAIRS + WINNER_AND_LOSER):
        return False
    tasks = [name for name in TASKS if name not in UNSURE_TASKS]
    return all(find(columns, names) for names in (AGENTS, tasks, SCORES))


def holds_games(source: Any, table: str | None = None) -> bool:
    """Tell by its columns whether a file or a frame is a log of games, or counts them."""
    return find_set(_columns_of(source, table), PAIRS + WINNER_AND_LOSER) is not None


def several_in_order(source: Any, options: ReadOptions) -> Rankings | Ballots | None:
    """Read places of several players, or ballots, where a file or a frame holds such; None of anything else."""
    from equipoise.data.files.tables import open_table
    from equipoise.data.readers.orders import find_orders

    if isinstance(source, Orders):
        return source if isinstance(source, Rankings | Ballots) else None
    if hasattr(source, "kind") or hasattr(source, "read") or bundled(source):
        return None
    if isinstance(source, str | Path):
        if Path(source).suffix.lower() in PREFLIB:
            return read_ballots(source, read=options)
        if not Path(source).is_file() or is_arena_file(Path(source)):
            return None
    elif isinstance(source, Mapping | list | tuple):
        return None
    try:
        table = open_table(Selection(options.table).of(source))
        if find_set(table.columns, PAIRS + WINNER_AND_LOSER):
            return None
        found = find_orders(table)
    except EquipoiseError:
        return None
    if found is None:
        return None
    return read_ballots(source, read=options) if found.voted else read_rankings(source, read=options)


def _columns_of(source: Any, table: str | None) -> tuple[str, ...]:
    """Give the columns of a table; none where it is not one, or a stream that can be read only once."""
    from equipoise.data.files.tables import open_table

    if hasattr(source, "read") or (isinstance(source, str | Path) and not Path(source).is_file()):
        return ()
    try:
        return open_table(Selection(table).of(source)).columns
    except EquipoiseError:
        return ()


def _read(source: str, path: Path, options: ReadOptions) -> ReadData:
    from equipoise.data.files.tables import open_table
    from equipoise.data.readers.cross_tables import holds_payoffs

    if path.suffix.lower() in PREFLIB:
        return read_ballots(source, read=options)
    if path.suffix.lower() == ".json" and path.is_file() and holds_payoffs(path):
        refuse_selection(options.selection)
        options.of("payoffs")
        return read_metagame(source)
    if is_arena_file(path):
        return _of_arena(path, options)
    return _of_table(source, open_table(options.selection.of(source)), options)


def recognise_frame(frame: Any, title: str, options: ReadOptions) -> Recognised:
    """Read a data frame as what it is."""
    from equipoise.data.files.tables import open_table

    data = _of_table(frame, open_table(options.selection.of(frame)), options)
    return Recognised(title, data, words_for(data))


def _of_table(source: Any, table: Any, options: ReadOptions) -> ReadData:
    """Read a table as what its columns say it is."""
    kind = options.kind or _kind(table)
    if kind not in ("games", "square"):
        refuse_cleaning(options.selection)
    if kind == "square":
        return _square(source, options)
    if kind == "ballots":
        return read_ballots(source, read=options)
    if kind == "rankings":
        return read_rankings(source, read=options)
    if kind == "games":
        return read_pairs(source, read=options.clustered)
    if kind == "scores":
        return read_scores(source, read=options)
    controls = options.controls or _controls(table, options.of("dealt hands"))
    return read_episodes(source, read=replace(options, controls=controls))


def _of_arena(path: Path, options: ReadOptions) -> ReadData:
    """Read the results of an arena as what its seats make of them."""
    kind = arena_kind(path)
    readers: Mapping[str, Any] = {"matches": read_pairs, "scores": read_scores, "episodes": read_episodes}
    data = readers[kind](arena_frame(path, kind), read=options)
    result: ReadData = replace(
        data, diagnostics=(*arena_notes(path), *data.diagnostics)
    )  # fmt: skip
    return result


def _kind(table: Any) -> str:
    """Tell the kind of data by the columns."""
    from equipoise.data.readers.cross_tables import is_cross_table
    from equipoise.data.readers.orders import find_orders

    if all(find(table.columns, names) for names in EPISODES.values()):
        return "dealt hands"
    several = find_orders(table)
    if several is not None and (several.choices or not find_set(table.columns, PAIRS + WINNER_AND_LOSER)):
        return "ballots" if several.voted else "rankings"
    sides = find_set(table.columns, PAIRS + WINNER_AND_LOSER)
    if sides and not _fractions(table, sides):
        return "games"
    return "square" if is_cross_table(table) else "scores"


def _fractions(table: Any, columns: Sequence[str]) -> bool:
    """Tell whether columns hold numbers, not all whole: scores of agents that are called model_1 and model_2."""
    from equipoise.data.files.tables import collect

    first = collect(
        table.rows.select(table.number(column).alias(column) for column in columns).head(SAMPLE), table.name
    )
    numbers = first.to_numpy()
    return bool(numbers.size and np.isfinite(numbers).all() and (numbers != np.round(numbers)).any())


def _square(source: Any, options: ReadOptions) -> PairTable | MetaGame:
    """A square table holds win rates or counts of wins; anything else is payoffs."""
    ReadOptions(**options.columns).of("a square table")
    try:
        return read_pairs(source, read=options)
    except DataError:
        refuse_selection(replace(options.selection, table=None))
        return read_metagame(source, read=ReadOptions(table=options.table))


def _controls(table: Any, options: ReadOptions) -> tuple[str, ...]:
    """Columns of numbers beside those that have a role are controls, but for times, rounds and ids of rows."""
    from equipoise.data.files.tables import collect

    columns = table.columns
    given = EpisodeColumns(options.agent, options.deals, options.score, options.seat, options.run).checked(columns)
    roles = {given.agent, given.utility, given.seat, given.hand, *given.deals, options.time}
    usual = {*TIMES, *ROUNDS, *ROW_IDS}
    rest = [column for column in columns if column not in roles and plain(column) not in usual]
    first = collect(table.rows.select(table.number(column).alias(column) for column in rest).head(SAMPLE), table.name)
    return tuple(column for column in rest if first[column].null_count() < max(first.height, 1))


def words_for(data: ReadData) -> str:
    """Say what data were taken for."""
    if isinstance(data, PairTable):
        games = counted(round(data.games.sum()), "game") if data.counted else "win rates without numbers of games"
        return f"Taken for games: {games} between {counted(len(data.agents), 'agent')}."
    if isinstance(data, Scores):
        return f"Taken for scores: {counted(len(data.agents), 'agent')} on {counted(len(data.tasks), 'task')}."
    if isinstance(data, Episodes):
        return f"Taken for dealt hands: {counted(len(data), 'row')}, {counted(len(data.agents), 'agent')}."
    if isinstance(data, Orders):
        what = "ballots" if isinstance(data, Ballots) else "games of several players"
        return f"Taken for {what}: {data.weight.sum():,.15g} over {counted(len(data.agents), 'agent')}."
    shape = " x ".join(f"{n}" for n in data.payoffs[0].shape)
    return f"Taken for payoffs of a game of shape {shape}."
