"""JSON in files that are too large to be held whole: the entries of a long list, one after the other."""

import codecs
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any

from equipoise.core.errors import ReadError
from equipoise.logs.files.bytes_read import BROKEN, opened
from equipoise.logs.files.merge_conflicts import refuse_conflict

__all__ = ["entries_of", "parts_of"]

PIECE = 1 << 20
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
            text = _Text(file)
            yield from walk(text)
            if text.sign():
                raise ValueError("more after the end of the first value")
    except (*BROKEN, ValueError, RecursionError) as error:
        if isinstance(error, ReadError):
            raise
        refuse_conflict(path)
        raise ReadError(f"{path}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, BROKEN):
        return f"cannot be read: {error}"
    if isinstance(error, json.JSONDecodeError):  # lines are not counted on the way
        return f"broken JSON: {error.msg}"
    return "broken JSON: nested too deep" if isinstance(error, RecursionError) else f"broken JSON: {error}"


class _Text:
    """Text that is read on as it is needed, and forgotten behind."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._decoder = file, codecs.getincrementaldecoder("utf-8-sig")()
        self._data, self._at, self._ended, self._more = "", 0, False, PIECE

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
                    self._at, self._more = end, PIECE
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
