"""JSON in files, packed or not: whole, line by line, entry by entry, or as columns.

What is broken is said in one line with its place. A file that is too large to be held whole is read as the entries of
its long list, one after the other. Long files of JSON lines are read as columns: the few keys that are wanted, a piece
of the file at a time. Polars reads those several times as fast as Python reads objects. It knows only one type a
column, so a piece in which something is odd (a text among numbers, NaN, a line that is broken) is given as it is, to be
read object by object.
"""

import codecs
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import polars as pl

from equipoise.core.errors import ReadError
from equipoise.logs.files.bytes_read import BROKEN, opened, refuse_conflict


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


STREAM_PIECE = 1 << 20
"""Bytes that are read at a time; an entry that is longer is read whole."""
SPACE = " \t\r\n"
ENDS = frozenset(f"{SPACE},:]}}")
DECODE = json.JSONDecoder().raw_decode


def entries_of(path: Path) -> Iterator[Any]:
    """Give the entries of a file that is one list.

    Fails when
        it is something else, or the file was left in the middle of a merge.
    """
    for _, entry in _walked(path, lambda text: text.entries("")):
        yield entry


def parts_of(path: Path, lists: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Give the keys of a file that is one object, with their values; lists of these names entry by entry.

    Fails when
        it is something else, or the file was left in the middle of a merge.
    """
    yield from _walked(path, lambda text: text.object(lists))


def _walked(path: Path, walk: Any) -> Iterator[tuple[str, Any]]:
    try:
        with opened(path) as file:
            text = _JsonText(file)
            yield from walk(text)
            if text.sign():
                raise ValueError("more after the end of the first value")
    except (*BROKEN, ValueError, RecursionError) as error:
        if isinstance(error, ReadError):
            raise
        refuse_conflict(path)
        raise ReadError(f"{path}: {_reason_in_stream(error)}") from error


def _reason_in_stream(error: Exception) -> str:
    if isinstance(error, BROKEN):
        return f"cannot be read: {error}"
    if isinstance(error, json.JSONDecodeError):  # lines are not counted on the way
        return f"broken JSON: {error.msg}"
    return "broken JSON: nested too deep" if isinstance(error, RecursionError) else f"broken JSON: {error}"


class _JsonText:
    """Text that is read on as it is needed, and forgotten behind."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._decoder = file, codecs.getincrementaldecoder("utf-8-sig")()
        self._data, self._at, self._ended, self._more = "", 0, False, STREAM_PIECE

    def object(self, lists: Collection[str]) -> Iterator[tuple[str, Any]]:
        self._expect("{")
        if self.sign() == "}":
            self._at += 1
            return
        while True:
            if self.sign() != '"':
                raise ValueError("a key in quotation marks is expected")
            key = self._value()
            self._expect(":")
            if key in lists and self.sign() == "[":
                yield from self.entries(key)
            else:
                yield key, self._value()
            if self._expect(",}") == "}":
                return

    def entries(self, key: str) -> Iterator[tuple[str, Any]]:
        self._expect("[")
        if self.sign() == "]":
            self._at += 1
            return
        while True:
            yield key, self._value()
            if self._expect(",]") == "]":
                return

    def sign(self) -> str:
        """Give the next character that is no space; nothing at the end."""
        while True:
            while self._at < len(self._data) and self._data[self._at] in SPACE:
                self._at += 1
            if self._at < len(self._data):
                return self._data[self._at]
            if not self._read_on():
                return ""

    def _expect(self, signs: str) -> str:
        sign = self.sign()
        if not sign or sign not in signs:
            raise ValueError(f"{' or '.join(signs)} is expected, not {sign or 'the end'}")
        self._at += 1
        return sign

    def _value(self) -> Any:
        """Give the next value; one that goes on beyond what was read is tried again with twice as much."""
        self.sign()
        while True:
            try:
                value, end = DECODE(self._data, self._at)
                if self._ended or self._data[end : end + 1] in ENDS:  # a number may go on
                    self._at, self._more = end, STREAM_PIECE
                    return value
            except ValueError:
                if self._ended:
                    raise
            self._read_on()

    def _read_on(self) -> bool:
        if self._ended:
            return False
        block = self._file.read(self._more)
        self._more *= 2
        self._ended = not block
        self._data = self._data[self._at :] + self._decoder.decode(block, final=self._ended)
        self._at = 0
        return True


COLUMNS_PIECE = 1 << 23
"""Bytes that are read at a time: so much memory is needed, however long the file."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a file, and the number of the first."""

    path: Path
    data: bytes
    first: int

    def objects(self) -> Iterator[dict[str, Any]]:
        """Give the lines as objects.

        Fails when
            a line is no object in JSON, or the file was left in the middle of a merge.
        """
        for number, line in enumerate(self.data.splitlines(), self.first):
            if line and not line.isspace():
                yield object_of(line, self.path, number)

    def columns(self, texts: Sequence[str], number: str) -> pl.DataFrame | None:
        """Give keys as texts, and one as a number (truths are 1 and 0); None where the lines are not so simple."""
        for kind in (pl.Float64, pl.Boolean):
            try:
                frame = pl.read_ndjson(self.data, schema={**dict.fromkeys(texts, pl.String), number: kind})
            except pl.exceptions.PolarsError:
                continue
            return frame.with_columns(pl.col(number).cast(pl.Float64))
        return None


def pieces_of(path: Path, file: IO[bytes]) -> Iterator[Piece]:
    """Give the lines of an open file, many at a time."""
    first = 1
    try:
        while data := file.read(COLUMNS_PIECE):
            data += file.readline()
            yield Piece(path, data.removeprefix(b"\xef\xbb\xbf"), first)
            first += data.count(b"\n")
    except BROKEN as error:
        raise ReadError(f"{path}: cannot be read: {error}") from error
