"""Where files are opened, for every question: data as they are, bundled sets, arenas, logs of other tools, tables."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from equipoise.analyses.analysis import AnyData, Origin
from equipoise.core.declaration import DATA_WORDS, DataKind
from equipoise.core.diagnostics import has_code
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.results import Result
from equipoise.core.wording import Advice, Option
from equipoise.data.datasets import load
from equipoise.data.files.arena_files import arena_frame, arena_kind, arena_notes, is_arena_file
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import read_matches, read_metagame, read_pairs, read_scores
from equipoise.data.readers.recognise import bundled, holds_scores, words_for
from equipoise.data.readers.similar_names import not_about_names
from equipoise.data.select.selection import Selection
from equipoise.data.types.matches import Matches
from equipoise.data.types.scores import Scores
from equipoise.logs.format import LOG_OPTIONS
from equipoise.logs.tables.frames import errors_naming
from equipoise.logs.tables.several import JoinedTables

ROWS = (*(one.name for one in fields(Selection)), "on_error", *LOG_OPTIONS)
"""Options that concern scores as well as games: which rows are taken, and those of logs."""
TAKEN_BY = {
    "matches": "`equipoise rank` and `equipoise plan` take games",
    "pairs": "`equipoise rank` and `equipoise plan` take games",
    "scores": "`equipoise tasks`, `equipoise irt` and `equipoise rank` take scores",
    "episodes": "`equipoise luck` takes dealt hands",
    "metagame": "`equipoise metagame` takes payoffs",
}
"""Who takes each kind of data that a log can hold."""

Reader = Callable[[Any, ReadOptions], AnyData]
_Result = TypeVar("_Result", bound=Result)


@dataclass(frozen=True, slots=True)
class Opened:
    """The data behind an answer, and where they come from."""

    data: Any
    origin: Origin

    def behind(self, result: _Result) -> _Result:
        """Give a result of a method that knows the data it rests on."""
        return replace(result, source=self)

    def facts(self) -> dict[str, object]:
        """Give what identifies the data."""
        return self.origin.facts(self.data)


def is_data(source: object) -> bool:
    """Tell data types from files, streams and frames."""
    return getattr(source, "kind", None) in DATA_WORDS


def single_games(
    source: Any, options: ReadOptions, *, labels: tuple[str, ...] = (), covariates: tuple[str, ...] = ()
) -> Matches:
    """Read single matches, for methods that look at each; with further columns."""
    return read_matches(source, covariates=covariates or None, labels=labels or None, read=options.clustered)


READERS: dict[str, Reader] = {
    "pairs": lambda source, options: read_pairs(source, read=options.clustered),
    "matches": single_games,
    "scores": lambda source, options: read_scores(source, read=options),
    "metagame": lambda source, options: read_metagame(source, read=options),
}
"""Who reads a table as each kind of data."""


def open_source(
    source: object,
    takes: tuple[DataKind, ...],
    options: ReadOptions | None = None,
    *,
    asked_by: str,
    reader: Reader | None = None,
    scores_as_matches: bool = False,
    in_order: bool = False,
    also: Collection[str] = (),
) -> Opened:
    """Give the data behind a source: data as they are, a bundled set by its name, a log, or what a reader makes of it.

    A table is read as the last kind in ``takes``, or by ``reader``. ``also`` are names of options that only make sense
    for a file. With ``scores_as_matches`` scores will do for matches: every two agents play one on each task, and the
    task is its group, which who asks must heed. With ``in_order`` who asks looks at times; otherwise a column of times
    is for limits alone.

    Fails when
        the data are not of a kind in ``takes``, options of reading are given for data that were read already, or a
        column of times is named that nothing looks at.
    """
    how = options or ReadOptions()
    source = Scores.from_dict(source) if isinstance(source, Mapping) else source
    of_tables = [name for name in how.given if name not in LOG_OPTIONS and name != "on_error"]
    if is_data(source) or bundled(source):
        return _as_they_are(source, takes, [*of_tables, *also, *_log_options(how)], asked_by, scores_as_matches)
    if not in_order:
        how.refuse_time_alone()
    read = partial(_read, reader or READERS[takes[-1]], without_logs(how))
    of_scores = how.could_be("scores") and not how.could_be("games")
    as_matches = scores_as_matches and (of_scores or not set(how.given) - set(ROWS))
    known = (*takes, "scores") if as_matches else takes
    if is_arena_file(source):
        return _of_arena(Path(str(source)), known, read, how)
    found = _from_logs(source, known, how, [*of_tables, *also])
    if isinstance(found, LogSource):
        scores = as_matches and found.data.kind == "scores"
        data = found.wanted(partial(_read, READERS["scores"], without_logs(how)) if scores else read, of_tables)
        return Opened(_as_games(data) if scores else data, Origin(found.name, found.path))
    if isinstance(found, JoinedTables):
        as_scores = as_matches and (of_scores or holds_scores(found.frame))
        with errors_naming(found.name):
            data = read_scores(found.frame, read=how) if as_scores else read(found.frame)
        data = replace(data, diagnostics=(*found.notes, *data.diagnostics))
        return Opened(_as_games(data) if isinstance(data, Scores) and as_scores else data, Origin(found.name))
    path = Path(found) if isinstance(found, str | Path) else None
    origin = Origin(path.name if path else None, path)
    if as_matches and path is not None and (of_scores or holds_scores(path, how.table)):
        return Opened(_as_games(read_scores(path, read=how)), origin)
    return Opened(read(found), origin)


def _read(reader: Reader, options: ReadOptions, source: Any) -> AnyData:
    return reader(source, options)


def _as_games(scores: Scores) -> Matches:
    from equipoise.analyses.scores.as_games import games_of  # which only scores need

    return games_of(scores)


def _log_options(options: ReadOptions) -> list[str]:
    return [name for name in options.given if name in LOG_OPTIONS]


def without_logs(options: ReadOptions) -> ReadOptions:
    """Leave out what only logs have: their tables are read without it."""
    return options.without(LOG_OPTIONS)


def _as_they_are(
    source: Any, takes: tuple[DataKind, ...], named: list[str], asked_by: str, scores_as_matches: bool
) -> Opened:
    if named:
        raise ParameterError(Option(named[0]), " tells how to read a file; these data are read already")
    data: Any = load(str(source)) if isinstance(source, str) else source
    if isinstance(data, Scores) and scores_as_matches:
        data = _as_games(data)
    if data.kind not in takes:
        wanted = " or ".join(DATA_WORDS[kind] for kind in takes)
        raise DataError(f"{asked_by} takes {wanted}, not {type(data).__name__}")
    return Opened(data, Origin(str(source) if isinstance(source, str) else None))


def _of_arena(path: Path, takes: tuple[str, ...], read: Callable[[Any], AnyData], options: ReadOptions) -> Opened:
    """Read the results of an arena, also while it is played."""
    kind = arena_kind(path, takes)
    frame = arena_frame(path, kind)
    data: Any
    if kind == "scores" and "matches" in takes:
        data = _as_games(read_scores(frame, read=options))
    else:
        data = read_pairs(frame, read=options) if "metagame" in takes else read(frame)
    return Opened(replace(data, diagnostics=(*arena_notes(path), *data.diagnostics)), Origin(path.name, path))


@dataclass(frozen=True, slots=True)
class LogSource:
    """Data of logs, what they are called, and their file where it is one."""

    data: Any
    name: str
    path: Path | None

    def wanted(self, read: Callable[[Any], Any], named: Collection[str]) -> Any:
        """Take what is wanted of rows, columns and tasks: those of the table that ``equipoise import`` would write.

        Games go by the groups and times that the log says.
        """
        from equipoise.logs.tables.frames import frame_of

        data = self.data
        if "duplicates" in named and data.kind in ("matches", "pairs"):
            message = f" has no effect: {self.name} is a log of games, whose rounds and moves are not kept, and games"
            once = [Advice("count those with the same moves once with ", Option("keep", "first"))]
            raise ParameterError(
                Option("duplicates"), f"{message} with the same sides and result are no copies",
                advice=once if has_code(data.diagnostics, "repeated-games") else [],
            )  # fmt: skip
        if named:
            with errors_naming(self.name):
                chosen = read(frame_of(data))
            return replace(chosen, diagnostics=(*not_about_names(data.diagnostics), *chosen.diagnostics))
        return data


def _from_logs(source: Any, takes: Collection[str], options: ReadOptions, named: Collection[str]) -> LogSource | Any:
    """Read logs, if the source is some; else give the source, or the one table in it.

    A log that is a table, too, is left to the reader of tables where a user names columns or rows.

    Fails when
        the logs hold data that are none of ``takes``, or there are several tables.
    """
    from equipoise.logs.files.paths import is_path, sort_files
    from equipoise.logs.read import named_table, read_sorted

    if not is_path(source):
        return _no_log(source, options)
    found = sort_files(source)
    if not found.logs:
        return _no_log(named_table(source, found, options), options)
    files = [file for known in found.formats for file in found.logs[known.name]]
    if len(files) == 1 and found.formats[0].tables and named and not _log_options(options):
        return files[0]
    own = {name: value for name, value in options.given.items() if name in (*LOG_OPTIONS, "on_error")}
    data = read_sorted(found, ReadOptions(**own))
    titles = " and ".join(known.title for known in found.formats)
    name = files[0].name if len(files) == 1 else f"{len(files):,} {titles}"
    if not set(takes) & ({"matches", "pairs"} if data.kind in ("matches", "pairs") else {data.kind}):
        held = words_for(data.pairs() if isinstance(data, Matches) else data).removeprefix("Taken for ").rstrip(".")
        raise DataError(f"{name}: {titles} that hold {held}; {TAKEN_BY[data.kind]}")
    return LogSource(data, name, files[0] if len(files) == 1 else None)


def _no_log(source: Any, options: ReadOptions) -> Any:
    """Pass on what is no log: options that only logs have make no sense for it."""
    for name in _log_options(options):
        raise ParameterError(Option(name), " has no effect: it tells how to read a log, and this is none")
    return source
