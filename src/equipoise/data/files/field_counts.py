"""Whether every row of a delimited text has as many fields as its header, at the speed at which bytes are read.

Polars fills up short rows and passes over surplus fields behind the last column that is used. Both shift values to
where they do not belong, so every row is counted here.

The loops that count go over the bytes of the text; for long texts they are compiled by numba, and cached. They give,
from ``start`` on: rows with the wanted number of separators, blank lines, line ends passed, and where they stopped: at
a row with another number of separators (its first byte, the byte after it, its separators), or with a last row that
does not end here (its first byte, -1, 0). The functions are plain Python: short texts need no compiler. Nor do longer
ones without quotes, which NumPy takes many lines at a time; the longest are looked at in words of eight bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import ReadError
from equipoise.data.files.text_sources import TextSource

NEWLINE, RETURN, SPACE, QUOTE = 10, 13, 32, 34
SHORT = 500
"""Bytes up to which a loop in Python is as fast as any."""
LONG = 300_000
"""Bytes from which loading the compiled loops is worth its time."""

VERY_LONG = 100_000_000
"""Bytes from which that is so for texts without quotes."""
WINDOW, WIDEST = 4096, 1 << 20
"""Bytes that NumPy takes at a time, first and at most: after a bad row little was looked at in vain."""

Bytes = npt.NDArray[np.uint8]
WORD = 8
"""Bytes of a word; the data that loops get are whole words, filled up with zeros."""

Loop = Callable[[Bytes, int, int, int, int], tuple[int, int, int, int, int, int]]


def loops(size: int) -> tuple[Loop, Loop]:
    """Give the loop for texts without quotes and the one for texts with them."""
    unquoted = _unquoted if size <= SHORT else in_bulk if size <= VERY_LONG else _compiled_by_words
    return unquoted, _quoted if size <= LONG else _compiled_quoted


@cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    import numba

    made: Callable[..., Any] = numba.njit(cache=True, nogil=True)(function)
    return made


def _compiled_by_words(
    data: Bytes, start: int, end: int, separator: int, wanted: int
) -> tuple[int, int, int, int, int, int]:
    found: tuple[int, int, int, int, int, int] = _compiled(_by_words)(
        data, data.view("<u8"), start, end, separator, wanted
    )
    return found


def _compiled_quoted(
    data: Bytes, start: int, end: int, separator: int, wanted: int
) -> tuple[int, int, int, int, int, int]:
    found: tuple[int, int, int, int, int, int] = _compiled(_quoted)(data, start, end, separator, wanted)
    return found


def in_bulk(data: Bytes, start: int, end: int, separator: int, wanted: int) -> tuple[int, int, int, int, int, int]:
    """As :func:`_unquoted`, a window of lines at a time."""
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


_ONES, _LOW, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080)
_ONE, _SEVEN, _TOP = np.uint64(1), np.uint64(7), np.uint64(56)


def _by_words(
    data: Bytes, words: npt.NDArray[np.uint64], start: int, end: int, separator: int, wanted: int
) -> tuple[int, int, int, int, int, int]:
    """As :func:`_unquoted`, for the compiler only.

    ``x`` is 0 in the bytes that are looked for; ``~((x & LOW) + LOW | x | LOW)`` has the high bit of just these bytes.
    Their number is the sum of the bytes of the mask, shifted down.
    """
    rows = blank = found = 0
    first: Any = start
    separators, newlines = np.uint64(separator) * _ONES, np.uint64(NEWLINE) * _ONES
    # The first byte of a text is the lowest of its word: what lies before the start is masked in the first word.
    there = ~np.uint64(0) << np.uint64(8 * (start % 8))
    for index in range(start // 8, (end + 7) // 8):
        word = words[index]
        x, y = word ^ separators, word ^ newlines
        fields = ~(((x & _LOW) + _LOW) | x | _LOW) & there
        lines = ~(((y & _LOW) + _LOW) | y | _LOW) & there
        there = ~np.uint64(0)
        at = index * 8
        while lines != 0:
            before = (lines & (~lines + _ONE)) - _ONE
            found += int((((fields & before) >> _SEVEN) * _ONES) >> _TOP)
            stop = at + int((((_HIGH & before) >> _SEVEN) * _ONES) >> _TOP)
            if found == wanted and wanted > 0:
                rows += 1
            else:
                empty = found == 0
                for place in range(first, stop):
                    if data[place] != SPACE and data[place] != RETURN:
                        empty = False
                        break
                if empty:
                    blank += 1
                elif found != wanted:
                    return rows, blank, rows + blank, first, stop + 1, found
                else:
                    rows += 1
            found = 0
            first = stop + 1
            fields &= ~before
            lines &= lines - _ONE
        found += int(((fields >> _SEVEN) * _ONES) >> _TOP)
    return rows, blank, rows + blank, first, -1, 0


def _unquoted(data: Bytes, start: int, end: int, separator: int, wanted: int) -> tuple[int, int, int, int, int, int]:
    rows = blank = found = 0
    first = start
    for at in range(start, end):
        byte = data[at]
        if byte == NEWLINE:
            if found == wanted and wanted > 0:
                rows += 1
            else:
                empty = found == 0
                for place in range(first, at):
                    if data[place] != SPACE and data[place] != RETURN:
                        empty = False
                        break
                if empty:
                    blank += 1
                elif found != wanted:
                    return rows, blank, rows + blank, first, at + 1, found
                else:
                    rows += 1
            found = 0
            first = at + 1
        elif byte == separator:
            found += 1
    return rows, blank, rows + blank, first, -1, 0


def _quoted(  # noqa: PLR0912  # one loop, without calls that would slow it down
    data: Bytes, start: int, end: int, separator: int, wanted: int
) -> tuple[int, int, int, int, int, int]:
    """As above; a quote opens a field only as its first byte, two quotes inside are one, line ends inside are text."""
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
        count = self.loops[self.buffer.find(QUOTE_SIGN, 0, end) >= 0]
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
