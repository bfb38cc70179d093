"""JSON in files, whole or line by line, packed or not; what is broken is said in one line with its place."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.core.errors import ReadError
from equipoise.logs.files.bytes_read import BROKEN, opened
from equipoise.logs.files.merge_conflicts import refuse_conflict

__all__ = ["count_of", "number_of", "object_of", "objects_of", "parsed", "whole_object"]


def whole_object(path: Path) -> Any:
    """Read a file that is one value in JSON.

    Fails when
        it is not, or it was left in the middle of a merge.
    """
    try:
        with opened(path) as file:
            data = file.read()
    except (*BROKEN, ValueError) as error:
        raise ReadError(f"{path}: cannot be read: {error}") from error
    return parsed(data, path)


def parsed(data: bytes, path: Path, member: str = "") -> Any:
    """Read a value in JSON; ``path`` and ``member`` are for the message."""
    try:
        return json.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        refuse_conflict(path)
        where = f"{path}: {member}" if member else str(path)
        raise ReadError(f"{where}: broken JSON: {_reason(error)}") from error


def objects_of(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the objects of a file of JSON lines with their lines, one after the other; the file is never held whole.

    Fails when
        a line is no object in JSON, or the file was left in the middle of a merge.
    """
    try:
        with opened(path) as file:
            for number, line in enumerate(file, 1):
                if not line.isspace():
                    yield number, object_of(line, path, number)
    except BROKEN as error:
        raise ReadError(f"{path}: cannot be read: {error}") from error


def object_of(line: bytes, path: Path, number: int) -> dict[str, Any]:
    """Read one line; ``path`` and ``number`` are for the message."""
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        refuse_conflict(path)
        raise ReadError(f"{path}: line {number:,}: broken JSON: {_reason(error)}") from error
    if not isinstance(value, dict):
        raise ReadError(f"{path}: line {number:,}: an object is expected, not {type(value).__name__}")
    return value


def _reason(error: Exception) -> str:
    return "nested too deep" if isinstance(error, RecursionError) else " ".join(str(error).split())


def number_of(value: object) -> float | None:
    """Give a number, a truth value or a number as text as a number; None for anything else.

    >>> number_of(True), number_of("8"), number_of("N/A"), number_of(None)
    (1.0, 8.0, None, None)
    """
    if not isinstance(value, bool | int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if number - number == 0 else None


def count_of(value: object) -> int:
    """Give a number of things; 0 where it is none that can be.

    >>> count_of("12"), count_of(-1), count_of(None), count_of(1e300)
    (12, 0, 0, 0)
    """
    number = number_of(value)
    return int(number) if number is not None and 0 <= number < 2**53 else 0
