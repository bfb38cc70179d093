"""Folders as reports take them: each file of a kind that readers know, and those that could not be read said."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.data.formats import format_of
from equipoise.diagnostics import warning
from equipoise.errors import DataError, EquipoiseError, ReadError
from equipoise.report.html import Part
from equipoise.report.view import View

__all__ = ["LEFT_OUT", "Wanted", "unread_part", "wanted_files"]

LEFT_OUT = "Files left out"
"""Title of the part of a page that says which files are not in it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to report on; one that was only found in a folder may be something else, and is then passed over."""

    file: str | Path
    found: bool = False


def wanted_files(given: Iterable[str | Path]) -> list[Wanted]:
    """Put the files of a folder in its place, in order of their names; hidden ones and other kinds are left out.

    Fails when
        a folder holds no file that could be read.
    """
    wanted = []
    for one in given:
        if not Path(one).is_dir():
            wanted.append(Wanted(one))
            continue
        found = [path for path in sorted(Path(one).iterdir()) if path.is_file() and _known(path)]
        if not found:
            raise ReadError(f"{one}: no file in this folder is of a kind that can be read")
        wanted += [Wanted(path, found=True) for path in found]
    return wanted


def _known(path: Path) -> bool:
    try:
        format_of(path)
    except ReadError:
        return False
    return not path.name.startswith(".")


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
