"""Whether every row of a delimited text has as many fields as its header, at the speed at which bytes are read.

Polars fills up short rows and passes over surplus fields behind the last column that is used. Both shift values to
where they do not belong, so every row is counted here.

The loops that count go over the bytes of the text. They give, from ``start`` on: rows with the wanted number of
separators, blank lines, line ends passed, and where they stopped: at a row with another number of separators (its first
byte, the byte after it, its separators), or with a last row that does not end here (its first byte, -1, 0). Texts
without quotes need no compiler, NumPy takes many lines at a time; for others the loop is plain Python where they are
short, and compiled by numba, and cached, where they are long.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import ReadError
from equipoise.data.files.text_sources import TextSource

NEWLINE, RETURN, SPACE, QUOTE = 10, 13, 32, 34
LONG = 300_000
"""Bytes from which loading the compiled loop is worth its time."""
WINDOW, WIDEST = 4096, 1 << 20
"""Bytes that NumPy takes at a time, first and at most: after a bad row little was looked at in vain."""

Bytes = npt.NDArray[np.uint8]

Counted = tuple[int, int, int, int, int, int]


@cache
def _compiled() -> Callable[[Bytes, int, int, int, int], Counted]:
    import numba

    made: Callable[[Bytes, int, int, int, int], Counted] = numba.njit(cache=True, nogil=True)(_quoted)
    return made


def in_bulk(data: Bytes, start: int, end: int, separator: int, wanted: int) -> Counted:
    """Count in a text without quotes, a window of lines at a time."""
    rows = blank = 0
    first, width = start, WINDOW
    while first < end:
        part = data[first : min(end, first + width)]
        ends = np.flatnonzero(part == NEWLINE)
        width = min(2 * width, max(WIDEST, 2 * len(part)))
        if not len(ends):
            if first + len(part) == end:
                break
            width = 2 * width
            continue
        starts = np.concatenate([[0], ends[:-1] + 1])
        found = np.diff(np.searchsorted(np.flatnonzero(part[: ends[-1]] == separator), ends), prepend=0)
        empty = found == 0
        if empty.any():
            seen = part[: ends[-1] + 1]
            seen = (seen != SPACE) & (seen != RETURN) & (seen != NEWLINE)
            empty &= np.add.reduceat(seen, starts, dtype=np.int64) == 0
        bad = (found != wanted) & ~empty
        upto = int(np.argmax(bad)) if bad.any() else len(ends)
        blank += int(empty[:upto].sum())
        rows += upto - int(empty[:upto].sum())
        if upto < len(ends):
            row, after = first + int(starts[upto]), first + int(ends[upto]) + 1
            return rows, blank, rows + blank, row, after, int(found[upto])
        first += int(ends[-1]) + 1
    return rows, blank, rows + blank, first, -1, 0


def _quoted(  # noqa: PLR0912  # one loop, without calls that would slow it down
    data: Bytes, start: int, end: int, separator: int, wanted: int
) -> Counted:
    """Count in any text: quotes open a field as its first byte, two inside are one, and line ends inside are text."""
    rows = blank = found = lines = inner = 0
    first = start
    inside = False
    opening = True
    at = start
    while at < end:
        byte = data[at]
        if inside:
            if byte == QUOTE:
                if at + 1 < end and data[at + 1] == QUOTE:
                    at += 1
                else:
                    inside = False
            elif byte == NEWLINE:
                inner += 1
        elif byte == QUOTE and opening:
            inside = True
            opening = False
        elif byte == separator:
            found += 1
            opening = True
        elif byte == NEWLINE:
            empty = found == 0
            for place in range(first, at):
                if data[place] != SPACE and data[place] != RETURN:
                    empty = False
                    break
            if empty:
                blank += 1
            elif found != wanted:
                return rows, blank, lines, first, at + 1, found
            else:
                rows += 1
            lines += 1 + inner
            inner = 0
            found = 0
            first = at + 1
            opening = True
        else:
            opening = False
        at += 1
    return rows, blank, lines, first, -1, 0


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
COMMENT = b"#"
QUOTE_SIGN = b'"'
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
        self.long = text.size > LONG
        self.separator, self.wanted, self.name, self.keep = ord(text.separator), width - 1, name, keep
        self.rows = self.blank = self.longer = self.shorter = self.comments = 0
        self.lines = text.skip
        self.first: tuple[int, int] | None = None
        self.good: list[bytes] = []
        self.buffer = bytearray(min(PIECE, max(text.size, 1)) + 1)
        self.filled = 0

    def fill(self, file: BinaryIO) -> bool:
        """Read on behind what is left of a row; False at the end of the text."""
        if self.filled + 1 >= len(self.buffer):
            if self.filled > LONGEST_ROW:
                self._refuse_unfinished()
            self.buffer = self.buffer + bytearray(len(self.buffer))
        with memoryview(self.buffer) as view:
            start, size = self.filled, file.readinto(view[self.filled : len(view) - 1])  # type: ignore[attr-defined]
        self.filled += size
        if start == 0 and self.lines == 0 and self.buffer.startswith(BYTE_ORDER_MARK):
            self.filled -= len(BYTE_ORDER_MARK)
            self.buffer[: self.filled] = self.buffer[len(BYTE_ORDER_MARK) : self.filled + len(BYTE_ORDER_MARK)]
        return bool(size)

    def count(self) -> None:
        """Go through the rows that are here."""
        end = self.filled
        data = np.frombuffer(self.buffer, dtype=np.uint8, count=end)
        quoted = self.buffer.find(QUOTE_SIGN, 0, end) >= 0
        count = in_bulk if not quoted else _compiled() if self.long else _quoted
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
