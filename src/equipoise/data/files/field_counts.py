"""Whether every row of a delimited text has as many fields as its header, at the speed at which bytes are read.

Polars fills up short rows and passes over surplus fields behind the last column that is used. Both shift values to
where they do not belong, so every row is counted here.
"""

from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from equipoise.core.errors import ReadError
from equipoise.data.files._field_kernels import NEWLINE, WORD, Loop, loops
from equipoise.data.files.text_sources import TextSource

__all__ = ["FieldCounts", "count_fields"]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
COMMENT = b"#"
QUOTE = b'"'
PIECE = 1 << 21
"""Bytes read at once."""
LONGEST_ROW = 1 << 26
"""Bytes; a row beyond this is an opening quote without its closing one."""


@dataclass(frozen=True, slots=True)
class FieldCounts:
    """What the rows of a text look like.

    Attributes
    ----------
    rows
        Rows with as many fields as the header, which is not among them.
    blank
        Lines with nothing on them.
    longer, shorter
        Rows with more fields than the header, and with fewer.
    first
        Line and number of fields of the first such row; None where there is none.
    comments
        Lines that start with a number sign and have another number of fields than the header: they are no rows.
    good
        The text without rows and lines of the last three kinds, where it was asked for.
    """

    rows: int
    blank: int
    longer: int
    shorter: int
    first: tuple[int, int] | None
    comments: int
    good: bytes | None


def count_fields(text: TextSource, width: int, name: str, *, keep: bool = False) -> FieldCounts:
    """Count the fields of every row; with ``keep`` also give the text without rows that have another number.

    Without ``keep`` the count ends with the first such row.
    """
    counter = _Counter(text, width, name, keep)
    with text.open() as file:
        while counter.fill(file):
            counter.count()
            if counter.first and not keep:
                break
        else:
            counter.finish()
    return counter.found()


class _Counter:
    """Goes through a text piece by piece; what is left of a row at the end of a piece waits for the next one."""

    def __init__(self, text: TextSource, width: int, name: str, keep: bool) -> None:
        self.loops: tuple[Loop, Loop] = loops(text.size)
        self.separator, self.wanted, self.name, self.keep = ord(text.separator), width - 1, name, keep
        self.rows = self.blank = self.longer = self.shorter = self.comments = 0
        self.lines = text.skip
        self.first: tuple[int, int] | None = None
        self.good: list[bytes] = []
        self.buffer = bytearray(min(PIECE, max(text.size, 1)) + WORD)
        self.filled = 0

    def fill(self, file: BinaryIO) -> bool:
        """Read on behind what is left of a row; False at the end of the text."""
        if self.filled + WORD >= len(self.buffer):
            if self.filled > LONGEST_ROW:
                self._refuse_unfinished()
            self.buffer = self.buffer + bytearray(len(self.buffer))
        with memoryview(self.buffer) as view:
            start, size = self.filled, file.readinto(view[self.filled : len(view) - WORD])  # type: ignore[attr-defined]
        self.filled += size
        if start == 0 and self.lines == 0 and self.buffer.startswith(BYTE_ORDER_MARK):
            self.filled -= len(BYTE_ORDER_MARK)
            self.buffer[: self.filled] = self.buffer[len(BYTE_ORDER_MARK) : self.filled + len(BYTE_ORDER_MARK)]
        return bool(size)

    def count(self) -> None:
        """Go through the rows that are here."""
        end = self.filled
        self.buffer[end : end + WORD] = bytes(WORD)
        whole = (end + WORD - 1) // WORD * WORD
        data = np.frombuffer(self.buffer, dtype=np.uint8, count=whole)
        count = self.loops[self.buffer.find(QUOTE, 0, end) >= 0]
        start = 0
        while start < end:
            rows, blank, lines, row, after, found = count(data, start, end, self.separator, self.wanted)
            self.rows += rows
            self.blank += blank
            self.lines += lines
            if self.keep:
                self.good.append(bytes(self.buffer[start:row]))
            start = row if after < 0 else after
            if after < 0:
                break
            self._bad(bytes(self.buffer[row:after]), found)
            if self.first and not self.keep:
                self.filled = 0
                return
        self.filled = end - start
        self.buffer[: self.filled] = self.buffer[start:end]

    def _bad(self, row: bytes, separators: int) -> None:
        if row.startswith(COMMENT):
            self.comments += 1
            self.lines += row.count(b"\n")
            return
        self.first = self.first or (self.lines + 1, separators + 1)
        self.lines += row.count(b"\n")
        if separators > self.wanted:
            self.longer += 1
        else:
            self.shorter += 1

    def finish(self) -> None:
        """Count a last row that has no line end."""
        if self.filled:
            self.buffer[self.filled] = NEWLINE
            self.filled += 1
            self.buffer.extend(bytes(WORD))
            self.count()
        if self.filled:
            self._refuse_unfinished()

    def _refuse_unfinished(self) -> None:
        raise ReadError(f"{self.name} has an unfinished quoted field; every opening quote needs a closing one")

    def found(self) -> FieldCounts:
        good = b"".join(self.good) if self.keep else None
        return FieldCounts(
            max(self.rows - 1, 0), self.blank, self.longer, self.shorter, self.first, self.comments, good
        )
