"""Tells what a file holds, and reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, EquipoiseError
from equipoise.core.wording import counted
from equipoise.data.datasets import BUNDLED, load
from equipoise.data.files.arena_files import arena_frame, arena_kind, arena_notes, is_arena_file
from equipoise.data.readers.columns import (
    AGENTS,
    EPISODES,
    PAIRS,
    SCORES,
    TASKS,
    UNSURE_TASKS,
    WINNER_AND_LOSER,
    EpisodeColumns,
    find,
    find_set,
)
from equipoise.data.readers.read import read_episodes, read_metagame, read_pairs, read_scores
from equipoise.data.readers.reading import Reading
from equipoise.data.select.selection import Choice, refuse_choice, refuse_cleaning
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

__all__ = ["Recognised", "RunMean", "bundled", "holds_scores", "recognise", "words_for"]


@dataclass(frozen=True, slots=True)
class RunMean:
    """The mean of an agent in an evaluation, and how many samples stand behind it (0 where nobody said)."""

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
    data: PairTable | Scores | MetaGame | Episodes
    what: str
    runs: tuple[RunMean, ...] = ()
    matches: Matches | None = None


def recognise(
    source: str | Path,
    choice: Choice = Choice(),  # noqa: B008  # nothing of it can change
    reading: Reading = Reading(),  # noqa: B008  # likewise
) -> Recognised:
    """Read a file as what it is, and say in words what it was taken for."""
    name = str(source)
    if bundled(name):
        refuse_choice(choice)
        reading.of("a bundled set")
        loaded = load(name)
        data = loaded.pairs() if isinstance(loaded, Matches) else loaded
        return Recognised(name, data, words_for(data))
    data = _read(name, Path(source), choice, reading)
    return Recognised(Path(source).name, data, words_for(data))


def bundled(name: object) -> bool:
    """Tell whether a name means a bundled set; a file of that name comes first."""
    return isinstance(name, str) and name in BUNDLED and not Path(name).exists()


def holds_scores(source: str | Path, table: str | None = None) -> bool:
    """Tell whether a file is a long table of scores (agent, task, score) by the names of its columns, and no games."""
    from equipoise.data.files.tables import open_table

    if not Path(source).is_file():
        return False
    try:
        columns = open_table(Choice(table).of(str(source))).columns
    except EquipoiseError:
        return False
    if find_set(columns, PAIRS + WINNER_AND_LOSER):
        return False
    tasks = [name for name in TASKS if name not in UNSURE_TASKS]
    return all(find(columns, names) for names in (AGENTS, tasks, SCORES))


def _read(source: str, path: Path, choice: Choice, reading: Reading) -> PairTable | Scores | MetaGame | Episodes:
    from equipoise.data.files.tables import open_table
    from equipoise.data.readers.cross_tables import holds_payoffs

    if path.suffix.lower() == ".json" and path.is_file() and holds_payoffs(path):
        refuse_choice(choice)
        reading.of("payoffs")
        return read_metagame(source)
    if is_arena_file(path):
        return _of_arena(path, choice, reading)
    table = open_table(choice.of(source))
    wanted = choice.named()
    kind = reading.kind or _kind(table)
    if kind not in ("games", "square"):
        refuse_cleaning(choice)
    if kind == "square":
        reading.of("a square table")
        return _square(source, choice)
    options = reading.of(kind)
    if kind == "games":
        return read_pairs(source, **options, **wanted)
    if kind == "scores":
        return read_scores(source, **options, **wanted)
    controls = _controls(table.columns, options)
    return read_episodes(source, **{"controls": controls, **options}, **wanted)


def _of_arena(path: Path, choice: Choice, reading: Reading) -> PairTable | Scores | MetaGame | Episodes:
    """Read the results of an arena as what its seats make of them."""
    kind = arena_kind(path)
    readers: Mapping[str, Any] = {"matches": read_pairs, "scores": read_scores, "episodes": read_episodes}
    words = {"matches": "games", "scores": "scores", "episodes": "dealt hands"}
    data = readers[kind](arena_frame(path, kind), **reading.of(words[kind]), **choice.named())
    result: PairTable | Scores | MetaGame | Episodes = replace(
        data, diagnostics=(*arena_notes(path), *data.diagnostics)
    )  # fmt: skip
    return result


def _kind(table: Any) -> str:
    """Tell the kind of data by the columns."""
    from equipoise.data.readers.cross_tables import is_cross_table

    if all(find(table.columns, names) for names in EPISODES.values()):
        return "dealt hands"
    if find_set(table.columns, PAIRS + WINNER_AND_LOSER):
        return "games"
    return "square" if is_cross_table(table) else "scores"


def _square(source: str, choice: Choice) -> PairTable | MetaGame:
    """A square table holds win rates or counts of wins; anything else is payoffs."""
    try:
        return read_pairs(source, **choice.named())
    except DataError:
        refuse_choice(replace(choice, table=None))
        return read_metagame(source, table=choice.table)


def _controls(columns: Sequence[str], options: Mapping[str, Any]) -> tuple[str, ...]:
    """Columns beside those that have a role are controls."""
    given = EpisodeColumns(
        options.get("agent"), options.get("deal", ()), options.get("utility"), options.get("seat"), options.get("hand")
    ).checked(columns)
    roles = {given.agent, given.utility, given.seat, given.hand, *given.deals}
    return tuple(column for column in columns if column not in roles)


def words_for(data: PairTable | Scores | MetaGame | Episodes) -> str:
    """Say what data were taken for."""
    if isinstance(data, PairTable):
        games = counted(round(data.games.sum()), "game") if data.counted else "win rates without numbers of games"
        return f"Taken for games: {games} between {counted(len(data.agents), 'agent')}."
    if isinstance(data, Scores):
        return f"Taken for scores: {counted(len(data.agents), 'agent')} on {counted(len(data.tasks), 'task')}."
    if isinstance(data, Episodes):
        return f"Taken for dealt hands: {counted(len(data), 'row')}, {counted(len(data.agents), 'agent')}."
    shape = " x ".join(f"{n}" for n in data.payoffs[0].shape)
    return f"Taken for payoffs of a game of shape {shape}."
