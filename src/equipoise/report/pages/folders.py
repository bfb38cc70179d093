"""What reports are about: logs, tables and folders of them; and what could not be read, said."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.core.diagnostics import warning
from equipoise.core.errors import DataError, EquipoiseError, ReadError, some_of
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.recognise import Recognised, bundled
from equipoise.logs.files.paths import Sorted, is_table, sort_files
from equipoise.logs.format import LogFormat
from equipoise.logs.read import recognise, recognise_logs
from equipoise.report.render.html import Part
from equipoise.report.views.view import View

__all__ = ["LEFT_OUT", "Wanted", "unread_part", "wanted_files"]

LEFT_OUT = "Files left out"
"""Title of the part of a page that says which files are not in it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file or a set of logs to report on; what was only found in a folder may be something else, and is passed over.

    Attributes
    ----------
    file
        The file; for logs what they are called.
    found
        Whether it was found in a folder, or is one of several kinds of logs: the others are reported on without it.
    logs
        The kind of logs and their files, which make one part of the report; None for a table or a bundled set.
    """

    file: str | Path
    found: bool = False
    logs: tuple[LogFormat, Sorted] | None = None

    def read(self, options: ReadOptions) -> Recognised:
        """Read it as what it is."""
        if self.logs is None:
            return recognise(self.file, options)
        return recognise_logs([self.logs[0]], self.logs[1], options)


def wanted_files(given: Iterable[str | Path]) -> list[Wanted]:
    """Put the files of a folder in its place, in order of their names; logs of one kind are joined, and come first.

    Fails when
        a folder holds no file that could be read.
    """
    named = list(given)
    sorted_files = sort_files(one for one in named if not bundled(str(one)))
    tables = [(one, True) for one in named if bundled(str(one))] + sorted_files.others
    wanted = [Wanted(file, not by_name) for file, by_name in tables if by_name or is_table(Path(file))]
    several = len(wanted) + len(sorted_files.formats) > 1
    logs = [
        Wanted(_called(known, files), several, (known, Sorted({known.name: files})))
        for known, files in ((known, sorted_files.logs[known.name]) for known in sorted_files.formats)
    ]
    if not wanted and not logs:
        raise ReadError(
            f"{named[0] if len(named) == 1 else some_of(named)}: no file in this folder is of a kind that can be read"
        )
    return logs + wanted


def _called(known: LogFormat, files: Sequence[Path]) -> str | Path:
    return files[0] if len(files) == 1 else f"{len(files):,} {known.title}"


def unread_part(unread: Sequence[tuple[Wanted, EquipoiseError]], read: bool) -> list[Part]:
    """Say which files of a folder are not in the report, and why; nothing where all are.

    Fails when
        none was read.
    """
    if not unread:
        return []
    if not read:
        first, error = unread[0]
        more = f"none of the {len(unread):,} files can be reported on. " if len(unread) > 1 else ""
        raise DataError(more, f"{Path(first.file).name}: ", *error.words, advice=error.advice)
    notes = tuple(
        warning("not-read", (f"{Path(one.file).name}: ", *error.words, "."), [Path(one.file).name], advice=error.advice)
        for one, error in unread
    )
    counted = f"{len(unread):,} file{'s are' if len(unread) > 1 else ' is'} not in this report."
    return [Part(LEFT_OUT, [View((), (counted,), notes)])]
