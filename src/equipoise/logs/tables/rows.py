"""Rows of logs that come as a list in JSON, as lines of JSON or as a table of text; and short names for long texts."""

import csv
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from equipoise.core.errors import ReadError
from equipoise.logs.files.bytes_read import is_mark, refuse_conflict
from equipoise.logs.files.json_files import entries_of, objects_of
from equipoise.logs.files.peek import Peek

LONGEST = 60


def short_name(text: str) -> str:
    """Give a text in one line, cut where it is long; what was cut off still distinguishes two texts.

    >>> short_name("Add  2 and 3"), len(short_name("x" * 99))
    ('Add 2 and 3', 60)
    """
    plain = " ".join(text.split())
    if len(plain) <= LONGEST:
        return plain
    return f"{plain[: LONGEST - 8]}… {blake2b(text.encode(), digest_size=3).hexdigest()}"


MARKS = frozenset("<=>|")


def rows_of(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the rows of a file with their numbers, from 1; lines and tables are never held whole."""
    peek = Peek.at(path)
    if peek.listed:
        for number, row in enumerate(entries_of(path), 1):
            if not isinstance(row, dict):
                raise ReadError(f"{path}: entry {number:,}: an object is expected, not {type(row).__name__}")
            yield number, row
    elif peek.text.startswith("{"):
        yield from objects_of(path)
    else:
        yield from text_rows(path)


def text_rows(path: Path, skip: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the rows of a table whose cells are separated by commas; ``skip`` lines stand before its header."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            for _ in range(skip):
                next(file, "")
            table = csv.DictReader(file)
            if is_mark(",".join(table.fieldnames or ())):
                refuse_conflict(path)
            for number, row in enumerate(table, 1):
                first, *others = row.values()
                if isinstance(first, str) and first[:1] in MARKS and not any(others) and is_mark(first):
                    refuse_conflict(path)
                yield number, row
    except (OSError, csv.Error) as error:
        raise ReadError(f"{path}: cannot be read: {error}") from error
