"""Reads what a user names: logs of other tools where they are recognised, and tables otherwise.

Logs can also be written as plain tables that every reader takes back.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.core.diagnostics import info
from equipoise.core.errors import DataError, EquipoiseError, ParameterError, ReadError, did_you_mean, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.readers import recognise as tables
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.recognise import Recognised, RunMean
from equipoise.data.readers.similar_names import similar_names
from equipoise.data.select.selection import refuse_selection
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.scores import Scores
from equipoise.logs.files.bytes_read import refuse_conflict, reporting_progress
from equipoise.logs.files.paths import Sorted, Source, is_table, sort_files
from equipoise.logs.format import LOG_OPTIONS, OPENSPIEL, LogFormat, LogReading, Notes
from equipoise.logs.registry import FORMATS
from equipoise.logs.tables.frames import LogData, chosen, errors_naming, frame_of

if TYPE_CHECKING:
    from equipoise.logs.tables.several import JoinedTables

WRITERS = {".parquet": "write_parquet", ".csv": "write_csv", ".jsonl": "write_ndjson", ".arrow": "write_ipc"}


@former_reading
def read(
    source: Source | Mapping[str, Any],
    *,
    format: str | None = None,  # noqa: A002  # the word for it
    read: ReadOptions | None = None,
) -> LogData:
    """Read a file as what it is: games, scores, payoffs, dealt hands, or a log that another tool wrote.

    A folder, a glob or a list of logs gives one table: their runs are joined. The name of a bundled set will do as
    well, and so will a small game of OpenSpiel (``openspiel:kuhn_poker``). Games are counted by pairs; where each row
    matters (online Elo), use :func:`read_matches`.

    Parameters
    ----------
    source
        A file, a folder, a glob, or a list of them; or a name, as above. Arrays runs x tasks by agent, the form of
        rliable, are taken as they are (:meth:`Scores.from_dict`).
    format
        The kind of log that is expected, such as ``pgn``, ``inspect`` or ``lm-eval``; found out by what is in the files
        if None. Other files of a folder are passed over then, and games come one by one (:class:`Matches`) unless rows
        or agents are chosen.
    read
        Columns, rows and agents, such as ``ReadOptions(metric="acc")``; columns that it names also say what the file
        is. Columns of logs are those that :func:`import_logs` writes.

    >>> read("alphago").agents[0]
    'rvp'

    Fails when
        the file fits nothing, which the error explains: it is neither games nor scores; or there is no log of the
        ``format``.
    """
    options = read or ReadOptions()
    if isinstance(source, Mapping):
        options.refuse_all(" tells how to read a file; these are arrays")
        return Scores.from_dict(source)
    if format is not None:
        return chosen(read_logs(source, options.without(options.rows.given), only=format), options)
    return recognise(source, options).data


def recognise(
    source: Source,
    options: ReadOptions = ReadOptions(),  # nothing of it can change
) -> Recognised:
    """Read files as what they are, and say in words what they were taken for."""
    if isinstance(source, str | Path) and tables.bundled(str(source)):
        return tables.recognise(source, options)
    if isinstance(source, str) and source.startswith(OPENSPIEL):
        game = _of_openspiel(source, options)
        return Recognised(source.removeprefix(OPENSPIEL), game, tables.words_for(game))
    sources = sort_files(source)
    if not sources.logs:
        return _only_table(source, sources, options)
    if _meant_as_table(sources, options):
        return tables.recognise(sources.logs[sources.formats[0].name][0], options)
    return recognise_logs(sources.formats, sources, options)


def recognise_logs(formats: Sequence[LogFormat], sources: Sorted, options: ReadOptions) -> Recognised:
    """Read the logs of some kinds among the files found, and say what they were taken for."""
    data, runs = _joined(formats, sources, LogReading.of(options))
    data = chosen(data, options)
    counted = data.pairs() if isinstance(data, Matches) else data
    files = [file for known in formats for file in sources.logs[known.name]]
    titles = " and ".join(known.title for known in formats)
    title = files[0].name if len(files) == 1 else f"{len(files):,} {titles}"
    what = tables.words_for(counted).removeprefix("Taken for ")
    single = data if isinstance(data, Matches) else None
    return Recognised(title, counted, f"Taken for {titles}: {what}", () if options.selection.named() else runs, single)


def read_logs(source: Source, options: ReadOptions = ReadOptions(), *, only: str | None = None) -> LogData:
    """Read logs with all their rows; ``only`` names the one format that is expected."""
    of_openspiel = only == OPENSPIEL.rstrip(":") or (only is None and str(source).startswith(OPENSPIEL))
    if of_openspiel and isinstance(source, str):
        return _of_openspiel(source, options)
    if only is not None and only not in FORMATS:
        hint = did_you_mean(str(only), list(FORMATS))
        raise ParameterError(Option("format"), f' has no "{only}"{hint}; it takes: {", ".join(FORMATS)}')
    sources = sort_files(source)
    if only is not None and only not in sources.logs:
        raise DataError(f"{_named(source)}: no {FORMATS[only].title} were found there")
    formats = sources.formats if only is None else [FORMATS[only]]
    if not formats:
        return _only_table(source, sources, options).data
    for name in options.rows.given:
        raise ParameterError(Option(name), " has no effect: all rows of logs are taken here")
    data: LogData = _joined(formats, sources, LogReading.of(options))[0]
    return data


@former_reading
def import_logs(source: Source, output: str | Path, *, read: ReadOptions | None = None) -> LogData:
    """Convert logs into one table, and give back what was read.

    Parameters
    ----------
    source
        A log, a folder, a glob, or a list of them.
    output
        The table to write: a name that ends in .parquet, .csv, .jsonl or .arrow.
    read
        Which of several metrics is taken, and everything else about reading, as in :func:`read`.

    Fails when
        nothing there can be read, or the table cannot be written.
    """
    target = Path(output)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        raise ParameterError(f"{target}: tables are written as {', '.join(WRITERS)}")
    if not target.parent.is_dir():
        raise ParameterError(f"cannot write {target}: there is no folder {target.parent}")
    data = _with_losses_named(read_logs(source, read or ReadOptions()))
    try:
        getattr(frame_of(data), writer)(target)
    except OSError as error:
        raise ParameterError(f"cannot write {target}: {error.strerror or error}") from error
    return data


def _with_losses_named(data: LogData) -> LogData:
    """Say what of the data a table does not keep by itself."""
    if isinstance(data, Scores) and data.trials is not None and data.repeats is None:
        message = "The table gives means without their numbers of samples, so that intervals cannot use them."
        advice = Advice("for a row a sample, read with ", Option("per", "sample"))
        return replace(data, diagnostics=(*data.diagnostics, info("counts-not-written", message, advice=[advice])))
    if isinstance(data, Matches) and data.group is not None:
        message = f'Which games belong together is in the column "group" ({len(data.group.labels):,} groups).'
        return replace(data, diagnostics=(*data.diagnostics, info("group-column", message)))
    return data


def _of_openspiel(source: str, options: ReadOptions) -> MetaGame:
    """Take a game of OpenSpiel, of which there is nothing to choose."""
    refuse_selection(options.by_limits)
    options.refuse_all(" has no effect: a game of OpenSpiel is no file")
    from equipoise.logs.games.openspiel import read_openspiel

    return read_openspiel(source)


def _meant_as_table(sources: Sorted, options: ReadOptions) -> bool:
    """Say whether one log that is a table, too, is asked for what only tables have: other rows, or other columns."""
    single = len(sources.formats) == 1 and len(sources.logs[sources.formats[0].name]) == 1 and sources.formats[0].tables
    return single and bool(set(options.given) - {*LOG_OPTIONS, "on_error"})


def _named(source: Source) -> str:
    return str(source) if isinstance(source, str | Path) else some_of(source)


def named_table(source: Source, sources: Sorted, options: ReadOptions) -> "str | Path | JoinedTables":
    """Give the one table that was found among files none of which is a log, or several of one form as one.

    Fails when
        there is none, or there are several that do not have the same columns.
    """
    tables = [name for name, named in sources.others if named or is_table(Path(name))]
    if len(tables) == 1:
        return tables[0]
    if not tables:
        there = some_of(Path(name).name for name in (*(name for name, _ in sources.others), *sources.beside))
        found = f" (found: {there})" if there else ""
        raise ReadError(f"{_named(source)}: no file in this folder is of a kind that can be read{found}")
    from equipoise.logs.tables.several import join_tables

    return join_tables(tables, options)


def _only_table(source: Source, sources: Sorted, options: ReadOptions) -> Recognised:
    """Read the one table that was found, or several as one."""
    table = named_table(source, sources, options)
    if not isinstance(table, str | Path):
        with errors_naming(table.name):
            found = tables.recognise_frame(table.frame, table.name, options)
        return replace(found, data=replace(found.data, diagnostics=(*table.notes, *found.data.diagnostics)))
    try:
        return tables.recognise(table, options)
    except EquipoiseError:
        refuse_conflict(Path(table))
        raise


def read_sorted(sources: Sorted, options: ReadOptions) -> LogData:
    """Read all logs that were found, with all their rows."""
    data: LogData = _joined(sources.formats, sources, LogReading.of(options))[0]
    return data


def _joined(formats: Sequence[LogFormat], sources: Sorted, how: LogReading) -> tuple[Any, tuple[RunMean, ...]]:
    """Read logs into one data set, if they can be one; where one of many files is broken, say how to do without it."""
    titles = " and ".join(known.title for known in formats)
    if len(formats) > 1 and not all(known.runs for known in formats):
        there = "; ".join(f"{known.title}: {some_of(p.name for p in sources.logs[known.name])}" for known in formats)
        raise DataError(f"{titles} cannot become one data set; give the files of one kind ({there})")
    files = sum(len(sources.logs[known.name]) for known in formats)
    try:
        return _read(formats, sources, how)
    except DataError as error:
        if how.on_error == "skip" and files > 1:
            return _read_what_can_be(formats, sources, how, error)
        if not isinstance(error, ReadError) or files < 2:
            raise
        skip = Advice("leave out what cannot be read with ", Option("on_error", "skip"))
        raise ReadError(*error.words, advice=[*error.advice, skip]) from error


def _read_what_can_be(
    formats: Sequence[LogFormat], sources: Sorted, how: LogReading, error: DataError
) -> tuple[Any, tuple[RunMean, ...]]:  # fmt: skip
    """Read logs without the files that cannot be read each alone; where that changes nothing, the error stands."""
    broken: list[Path] = []
    kept: dict[str, list[Path]] = {}
    for known in formats:
        for path in sources.logs[known.name]:
            (kept.setdefault(known.name, []) if _readable(known, path, how) else broken).append(path)
    if not broken or not kept:
        raise error
    rest = replace(sources, logs=kept)
    data, runs = _read(rest.formats, rest, how)
    notes = Notes()
    notes.leave_out(broken, "not readable")
    return replace(data, diagnostics=(*notes.diagnostics(), *data.diagnostics)), runs


def _readable(known: LogFormat, path: Path, how: LogReading) -> bool:
    """Say whether a file can be read on its own."""
    try:
        part = known.read([path], how, Notes())
        for _ in () if hasattr(part, "kind") else part:
            pass
    except DataError:
        return False
    return True


def _read(formats: Sequence[LogFormat], sources: Sorted, how: LogReading) -> tuple[Any, tuple[RunMean, ...]]:
    """Read logs of one or several kinds into one data set."""
    from equipoise.logs.tables.join import join

    notes = Notes()
    titles = " and ".join(known.title for known in formats)
    how.refuse_idle(titles, chain.from_iterable(known.options for known in formats))
    with reporting_progress([file for known in formats for file in sources.logs[known.name]]):
        parts = [known.read(sources.logs[known.name], how, notes) for known in formats]
        whole = [part for part in parts if hasattr(part, "kind")]
        if whole and len(parts) > 1:
            raise DataError(f"{titles} cannot become one data set; read one kind at a time")
        data = whole[0] if whole else join(chain.from_iterable(parts), how.per, notes)
    if sources.others:
        notes.leave_out([Path(name) for name, _ in sources.others], "no logs")
    if sources.beside:
        names = Counter(path.name for path in sources.beside)
        listed = some_of(name if count == 1 else f"{name} ({count:,})" for name, count in names.most_common())
        notes.info("files-beside", f"What lies beside the logs is not read: {listed}.", names)
    named = notes.on(data)
    if isinstance(named, MetaGame):
        return named, tuple(notes.runs)
    return replace(named, diagnostics=(*named.diagnostics, *similar_names(named.agents))), tuple(notes.runs)
