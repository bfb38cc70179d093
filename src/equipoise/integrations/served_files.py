"""Questions about files below a few folders, answered in words, for programs that must see nothing else.

A name is a path below one of the folders. Links, ``..``, addresses of databases and names that the package would look
up elsewhere are refused, and so are DuckDB files, whose views can read other files. No condition is taken.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from equipoise.core.errors import DataError, ReadError

if TYPE_CHECKING:
    from equipoise.core.results import Result

LISTED = 200
"""Files that are named at a time."""
PATTERN = set("*?[]\0")
"""Characters that make a name more than a name."""


class ServedFolders:
    """Folders whose files may be read.

    Parameters
    ----------
    folders
        At least one, each of them there.

    Fails when
        there is none, or one is no folder.
    """

    def __init__(self, folders: Sequence[str | Path]) -> None:
        if not folders:
            raise DataError("name the folders whose files may be read")
        self.roots = [Path(folder).resolve() for folder in folders]
        for given, root in zip(folders, self.roots, strict=True):
            if not root.is_dir():
                raise ReadError(f"{given} is no folder")

    def path(self, name: str) -> Path:
        """Give the file or folder of a name.

        Fails when
            it is not below the folders, is or holds a link, or is more than a path.
        """
        if "://" in name or PATTERN & set(name) or ".." in Path(name).parts:
            raise ReadError(f"{name!r:.80} is no path below the folders that are served")
        for root in self.roots:
            found = root / name
            if found.is_relative_to(root) and os.path.lexists(found):
                self._refuse_links(found, root)
                return found
        raise ReadError(f"there is no {name!r:.80} below the folders that are served")

    def _refuse_links(self, found: Path, root: Path) -> None:
        above = [found, *(one for one in found.parents if one.is_relative_to(root) and one != root)]
        for one in (*above, *_below(found)):
            if one.is_symlink():
                raise ReadError(f"{one.relative_to(root)} is a link, and links are not followed")
            if one.is_file() and _is_duckdb(one):
                raise ReadError(f"{one.relative_to(root)} is a DuckDB file, whose views could read other files")

    def files(self) -> str:
        """List the files that may be read."""
        names = [
            str(one.relative_to(root)) for root in self.roots for one in _below(root)
            if one.is_file() and not one.is_symlink()
        ]  # fmt: skip
        more = f"\n{len(names) - LISTED:,} more" if len(names) > LISTED else ""
        return "\n".join(names[:LISTED]) + more if names else "There is no file."

    def read(self, file: str) -> str:
        """Say what a file or a folder of logs is taken for: games, scores, payoffs or dealt hands, and of whom."""
        from equipoise.logs.read import recognise

        found = recognise(self.path(file))
        notes = [note.message for note in found.data.diagnostics]
        return "\n".join([found.what, *notes])

    def rank(self, file: str) -> str:
        """Who is better? Rank agents from a log of games or votes, with intervals and what to be careful about."""
        from equipoise.analyses.boards.standings import rank

        return in_words(rank(self.path(file)))

    def tasks(self, file: str) -> str:
        """Who scores best on these tasks, and what does the benchmark hang on? Takes scores or logs of evaluations."""
        from equipoise.analyses.scores.benchmark import tasks

        return in_words(tasks(self.path(file)))

    def compare(self, file: str, a: str, b: str) -> str:
        """How likely is agent a better than agent b in a log of games or votes, and by what?"""
        from equipoise.analyses.boards.questions import compare

        return in_words(compare(self.path(file), a, b))

    def plan(self, file: str) -> str:
        """Which pairs to play next to find the best agent, and how many games would be enough?"""
        from equipoise.analyses.play.next_games import plan

        return in_words(plan(self.path(file)))

    def explain(self, file: str) -> str:
        """Which summary answers which question, who is first by each, and what does it mean where they disagree?"""
        from equipoise.analyses.votes.explaining import explain

        return in_words(explain(self.path(file)))

    def gate(
        self, base: str, new: str, margin: float | None = None, direction: Literal["not-worse", "better"] = "not-worse"
    ) -> str:
        """Is a new agent not worse than the base by more than a margin, or better? Each has a log or a table."""
        from equipoise.analyses.gate.gate import gate

        return in_words(gate(self.path(base), self.path(new), margin=margin, direction=direction))


def in_words(result: "Result") -> str:
    """Give a result as sentences, its main table, and what to be careful about."""
    warnings = [f"Note: {note.message}" for note in result.diagnostics if note.severity != "info"]
    return "\n".join([*result.answer, "", result.to_markdown(), *warnings])


def _below(path: Path) -> Iterator[Path]:
    """Give all that is below a folder, without following links."""
    for folder, folders, files in os.walk(path, followlinks=False):
        for name in sorted((*folders, *files)):
            yield Path(folder, name)


def _is_duckdb(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(12)[8:] == b"DUCK"
