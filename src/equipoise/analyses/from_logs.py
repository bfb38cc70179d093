"""Logs of other tools as data of an analysis: recognised as in a report; those that do not fit are one line."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from equipoise.core.diagnostics import info
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.reading import Reading
from equipoise.data.readers.recognise import words_for
from equipoise.data.types.matches import Matches

__all__ = ["LogSource", "from_logs", "log_options"]

TAKEN_BY: Mapping[str, str] = {
    "matches": "`equipoise rank` and `equipoise plan` take games",
    "pairs": "`equipoise rank` and `equipoise plan` take games",
    "scores": "`equipoise tasks`, `equipoise irt` and `equipoise rank` take scores",
    "episodes": "`equipoise luck` takes dealt hands",
    "metagame": "`equipoise metagame` takes payoffs",
}
"""Who takes each kind of data that a log can hold."""


@dataclass(frozen=True, slots=True)
class LogSource:
    """Data of logs, what they are called, and their file where it is one."""

    data: Any
    name: str
    path: Path | None

    def wanted(self, read: Callable[[Any], Any], columns: Mapping[str, Any]) -> Any:
        """Take what is wanted of rows, columns and tasks: those of the table that ``equipoise import`` would write.

        Games go by their groups and times if a user names these, as those of a table do.
        """
        from equipoise.logs.tables.frames import errors_naming, frame_of

        data = self.data
        if columns:
            with errors_naming(self.name):
                chosen = read(frame_of(data))
            return replace(chosen, diagnostics=(*data.diagnostics, *chosen.diagnostics))
        if not isinstance(data, Matches) or (data.group is None and data.time is None):
            return data
        notes = data.diagnostics
        if data.group is not None:
            told = f"The log says which games belong together ({len(data.group.labels):,} groups); that is not heeded."
            notes = (*notes, info("groups-not-used", told, advice=[Advice("heed it with ", Option("group", "group"))]))
        return replace(data, group=None, time=None, diagnostics=notes)


def log_options(metric: str | None, reading: Mapping[str, object] | None, on_error: str = "raise") -> dict[str, object]:
    """Put together what a user chose where a log holds more than one answer."""
    given = {**(reading or {}), **({"metric": metric} if metric else {})}
    return given if on_error == "raise" else {**given, "on_error": on_error}


def from_logs(
    source: Any, takes: Collection[str], columns: Mapping[str, Any], options: Mapping[str, object]
) -> LogSource | Any:
    """Read logs, if the source is some; else give the source, or the one table in it.

    A log that is a table, too, is left to the reader of tables where a user names ``columns``.

    Fails when
        the logs hold data that are none of ``takes``, or there are several tables.
    """
    from equipoise.logs.files.paths import is_path, sort_files
    from equipoise.logs.read import named_table, read_found

    if not is_path(source):
        return _no_log(source, options)
    found = sort_files(source)
    if not found.logs:
        return _no_log(named_table(source, found), options)
    files = [file for known in found.formats for file in found.logs[known.name]]
    if len(files) == 1 and found.formats[0].tables and columns and not set(options) - {"on_error"}:
        return files[0]
    data = read_found(found, Reading(options))
    titles = " and ".join(known.title for known in found.formats)
    name = files[0].name if len(files) == 1 else f"{len(files):,} {titles}"
    if not set(takes) & ({"matches", "pairs"} if data.kind in ("matches", "pairs") else {data.kind}):
        held = words_for(data.pairs() if isinstance(data, Matches) else data).removeprefix("Taken for ").rstrip(".")
        raise DataError(f"{name}: {titles} that hold {held}; {TAKEN_BY[data.kind]}")
    return LogSource(data, name, files[0] if len(files) == 1 else None)


def _no_log(source: Any, options: Mapping[str, object]) -> Any:
    """Pass on what is no log: options that only logs have make no sense for it."""
    for name in options:
        if name != "on_error":
            raise ParameterError(Option(name), " has no effect: it tells how to read a log, and this is none")
    return source
