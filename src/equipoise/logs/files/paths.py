"""From what a user names (files, folders, globs, lists of them) to files, sorted by the kind of log they are."""

import glob
import os
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

from equipoise.core.errors import ReadError
from equipoise.data.files.formats import format_of
from equipoise.data.readers.recognise import bundled
from equipoise.logs.files.bytes_read import is_mark, refuse_conflict
from equipoise.logs.files.peek import Peek
from equipoise.logs.format import LogFormat
from equipoise.logs.registry import FORMATS, format_of_log, is_companion

Source = str | Path | Iterable[str | Path]
"""A file, a folder, a glob, or several of them."""
WILD = "*?["


@dataclass(slots=True)
class Sorted:
    """Files by kind.

    Attributes
    ----------
    logs
        Files of each kind of log, in the order in which the kinds are known.
    others
        What is no log, in order: a table, a bundled set, or a name that leads nowhere; with whether a user named it
        (else it was found in a folder).
    beside
        What lies in folders beside the logs and is nothing to be read on its own.
    """

    logs: dict[str, list[Path]] = field(default_factory=dict)
    others: list[tuple[str | Path, bool]] = field(default_factory=list)
    beside: list[Path] = field(default_factory=list)

    @property
    def formats(self) -> list[LogFormat]:
        """The kinds of logs that are there."""
        return [known for known in FORMATS.values() if known.name in self.logs]


def is_path(source: object) -> TypeGuard[Source]:
    """Distinguish a file, a folder, a glob or a list of them from frames and streams."""
    return isinstance(source, str | Path) or (
        isinstance(source, list | tuple) and bool(source) and all(isinstance(one, str | Path) for one in source)
    )


def is_table(path: Path) -> bool:
    """Say by its name whether a file that was found in a folder may be a table."""
    try:
        kind, _ = format_of(path)
    except ReadError:
        return False
    return not path.name.startswith(".") and (kind != "markdown" or _page_with_table(path))


def _page_with_table(path: Path) -> bool:
    """Say whether a page of text has a table: most, such as those that explain a folder, have none."""
    from equipoise.data.files.markdown import holds_table

    try:
        return holds_table(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False


def sort_files(given: Source) -> Sorted:
    """Find the files, look at each, and sort them.

    Folders are searched for logs as deep as they go, and for tables at their top only: what tools write beside their
    logs is no table. Hidden files are passed over.

    Fails when
        a name is empty, a glob fits no file, one of several names leads nowhere, or a file begins with a mark of an
        unfinished merge.
    """
    sources = Sorted()
    seen: set[Path] = set()
    names = [given] if isinstance(given, str | Path) else list(given)
    if any(not str(name).strip() for name in names if isinstance(name, str)):
        raise ReadError("the name of a file is empty; a name in quotes may come from a variable that is not set")
    missing = [str(name) for name in names if not _leads_somewhere(name)]
    if missing and len(names) > 1:
        raise ReadError(f"{missing[0]} does not exist")
    for one in names:
        for path, named in _expanded(one):
            if not isinstance(path, Path):
                sources.others.append((path, True))
                continue
            real = path.resolve()
            if real in seen:
                continue
            seen.add(real)
            peek = Peek.at(path)
            known = format_of_log(peek) or _cut_off(path)
            if known is None and is_mark(peek.first_line.rstrip()):
                refuse_conflict(path)
            if known:
                sources.logs.setdefault(known.name, []).append(path)
            elif (named or path.parent == Path(one)) and not is_companion(peek):
                sources.others.append((path, named))
            else:
                sources.beside.append(path)
    return sources


def _leads_somewhere(name: str | Path) -> bool:
    """Say whether a name is of a file, a folder or a bundled set, or a pattern for files."""
    return any(sign in str(name) for sign in WILD) or Path(name).exists() or bool(bundled(str(name)))


def _cut_off(path: Path) -> LogFormat | None:
    """An Inspect archive that was not written to its end is one all the same: its reader says what is wrong."""
    try:
        with path.open("rb") as file:
            started = path.suffix.lower() == ".eval" and file.read(2) == b"PK"
        return FORMATS["inspect"] if started and not zipfile.is_zipfile(path) else None
    except OSError:
        return None


def _below(folder: Path) -> list[Path]:
    """Give the files of a folder and of those in it; hidden ones, and what may not be looked at, are passed over."""
    inside = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside += [Path(place, name) for name in files if not name.startswith(".")]
    return sorted(file for file in inside if os.path.isfile(file))


def _expanded(one: str | Path) -> Sequence[tuple[str | Path, bool]]:
    """Give the files behind a name, and whether the user named each; a name that is no file stays as it is."""
    path = Path(one)
    if path.is_dir():
        return [(file, False) for file in _below(path)]
    if path.is_file():
        return [(path, True)]
    if any(sign in str(one) for sign in WILD):
        fitting = sorted(Path(name) for name in glob.glob(str(one), recursive=True))
        files = [(file, True) for file in fitting if file.is_file()]
        deeper = [entry for folder in fitting if folder.is_dir() for entry in _expanded(folder)]
        if not files and not deeper:
            raise ReadError(f"{one}: no file fits this pattern")
        return files + deeper
    return [(one, True)]
