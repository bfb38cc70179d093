"""The files of a report: logs, tables and folders of them; each is read as what it is, and what fits is computed."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.analyses.analysis import Origin
from equipoise.analyses.reports.evaluations import compared, distinguished_by_tasks, with_two_hands
from equipoise.analyses.reports.everything import Section, analyse
from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import EquipoiseError, ReadError, some_of
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.recognise import Recognised, bundled
from equipoise.data.types.pairs import PairTable
from equipoise.logs.files.paths import Sorted, is_table, sort_files
from equipoise.logs.format import LogFormat
from equipoise.logs.read import recognise, recognise_logs

Working = Callable[[str], AbstractContextManager[Any]]
"""Says what is being done, for as long as it takes."""


@dataclass(frozen=True, slots=True)
class WantedFile:
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


def wanted_files(given: Iterable[str | Path]) -> list[WantedFile]:
    """Put the files of a folder in its place, in order of their names; logs of one kind are joined, and come first.

    Fails when
        a folder holds no file that could be read.
    """
    named = list(given)
    sorted_files = sort_files(one for one in named if not bundled(str(one)))
    tables = [(one, True) for one in named if bundled(str(one))] + sorted_files.others
    wanted = [WantedFile(file, not by_name) for file, by_name in tables if by_name or is_table(Path(file))]
    several = len(wanted) + len(sorted_files.formats) > 1
    logs = [
        WantedFile(_called(known, files), several, (known, Sorted({known.name: files})))
        for known, files in ((known, sorted_files.logs[known.name]) for known in sorted_files.formats)
    ]
    if not wanted and not logs:
        raise ReadError(
            f"{named[0] if len(named) == 1 else some_of(named)}: no file in this folder is of a kind that can be read"
        )
    return logs + wanted


def _called(known: LogFormat, files: Sequence[Path]) -> str | Path:
    return files[0] if len(files) == 1 else f"{len(files):,} {known.title}"


@dataclass(frozen=True, slots=True)
class FilePart:
    """One part of a report: data that were read together, and what fits them.

    Attributes
    ----------
    recognised
        The data, and what they were taken for.
    sections
        What was computed; none where the part only lists the runs of logs that cannot be compared.
    notes
        What else there is to say of the part.
    facts
        What identifies the data.
    """

    recognised: Recognised
    sections: tuple[Section, ...]
    notes: tuple[Diagnostic, ...]
    facts: dict[str, object]


@dataclass(frozen=True, slots=True)
class AnalysedFiles:
    """All parts of a report, how many files were read, and those that could not be."""

    parts: tuple[FilePart, ...]
    files_read: int
    unread: tuple[tuple[WantedFile, EquipoiseError], ...]

    @property
    def sections(self) -> list[Section]:
        """What was computed, of all parts."""
        return [section for part in self.parts for section in part.sections]


def analyse_files(
    files: Iterable[str | Path],
    options: ReadOptions,
    *,
    level: float,
    rng: int | np.random.Generator,
    working: Working,
    executor: Executor | None = None,
) -> AnalysedFiles:
    """Read each file as what it is, and compute all that fits.

    Fails when
        a file that was named cannot be read; those of a folder are passed over and kept with their errors.
    """
    parts: list[FilePart] = []
    unread: list[tuple[WantedFile, EquipoiseError]] = []
    with working("Looking for logs and tables"):
        all_wanted = wanted_files(files)
    for wanted in all_wanted:
        try:
            with working(f"Reading {Path(wanted.file).name}"):
                recognised = wanted.read(options)
        except EquipoiseError as error:
            if not wanted.found:
                raise
            unread.append((wanted, error))
            continue
        parts += _parts_of(wanted, recognised, options, level, rng, working, executor)
    return AnalysedFiles(tuple(parts), len(all_wanted) - len(unread), tuple(unread))


def _parts_of(
    wanted: WantedFile, recognised: Recognised, options: ReadOptions, level: float, rng: int | np.random.Generator,
    working: Working, executor: Executor | None,
) -> list[FilePart]:  # fmt: skip
    """Take what was read apart where not all of it can be compared, and analyse each part."""
    file = wanted.file
    if wanted.logs is not None:
        recognised = distinguished_by_tasks(recognised if options.min_games else with_two_hands(recognised))
    with working(f"Reading {Path(file).name}"):
        apart = compared(recognised, partial(wanted.read, replace(options, per="sample")))
    facts = Origin(recognised.title, Path(file) if Path(file).is_file() else None).facts(recognised.data)
    parts = [] if apart is None else [FilePart(recognised, (), (apart.note,), facts)]
    for each in [recognised] if apart is None else apart.parts:
        with working(f"Evaluating {each.title}"):
            sections = analyse(each.data, level=level, rng=rng, executor=executor)
            beside, notes = _beside(wanted, each, options, level, rng)
        of_each = facts if apart is None else Origin(each.title).facts(each.data)
        parts.append(FilePart(each, (*sections, *beside), notes, of_each))
    return parts


def _beside(
    wanted: WantedFile, read: Recognised, options: ReadOptions, level: float, rng: int | np.random.Generator
) -> tuple[tuple[Section, ...], tuple[Diagnostic, ...]]:
    """Look for columns of style, categories, voters and judges in tables of games and battles of arenas."""
    if not (isinstance(read.data, PairTable) if wanted.logs is None else wanted.logs[0].name == "arena"):
        return (), ()
    from equipoise.analyses.reports.vote_sections import sections_of_arena, vote_sections

    if wanted.logs is None:
        found = vote_sections(wanted.file, read.data, options, level=level, rng=rng)
    else:
        found = sections_of_arena(read.matches, level=level, rng=rng)
    return found.sections, found.notes
