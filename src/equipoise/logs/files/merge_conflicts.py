"""Marks that git leaves in a text file in the middle of a merge: such a file holds two versions, and is refused."""

import re
from pathlib import Path

from equipoise.core.errors import ReadError
from equipoise.logs.files.bytes_read import BROKEN, unpacking

__all__ = ["conflict_line", "is_mark", "refuse_conflict"]

BLOCK = 1 << 20
MARK = re.compile(rb"^(?:[<>|]{7}(?: [^\r\n]*)?|={7})\r?$", re.MULTILINE)


def is_mark(line: str) -> bool:
    """Tell whether a line is a mark.

    >>> is_mark("<<<<<<< HEAD"), is_mark("======="), is_mark("========")
    (True, True, False)
    """
    return bool(MARK.match(line.encode()))


def refuse_conflict(path: Path) -> None:
    """Refuse a text file with marks of a merge that was not finished."""
    line = conflict_line(path)
    if line:
        raise ReadError(f"{path}: line {line:,} is a mark of an unfinished merge (git); settle the merge first")


def conflict_line(path: Path) -> int:
    """Give the line of the first mark of an unfinished merge, from 1; 0 where there is none."""
    try:
        with path.open("rb") as raw, unpacking(path, raw) as file:
            lines = 0
            while block := file.read(BLOCK):
                block += file.readline()
                if found := MARK.search(block):
                    return lines + block.count(b"\n", 0, found.start()) + 1
                lines += block.count(b"\n")
            return 0
    except BROKEN:
        return 0
