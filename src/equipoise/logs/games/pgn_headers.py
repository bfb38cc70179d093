"""Headers of chess games, as columns of bytes: one pattern that is learnt from the games takes all of a game at once.

The games of a file have mostly the same headers in the same order. A game that is headed otherwise is read line by
line, and the pattern learns what is new about it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import IO, Any

import numpy as np
import numpy.typing as npt

BLOCK = 1 << 20
TAGS = (b"White", b"Black", b"Result", b"Event", b"Round", b"UTCDate", b"Date", b"UTCTime", b"Termination")
"""Headers that are taken; the others are passed over."""
SECTION = re.compile(rb"\n\[[A-Za-z][^\n]*(?:\n\[[A-Za-z][^\n]*)+")
"""Lines of headers after each other: the beginning of a game."""
NAME = re.compile(rb"\n\[([A-Za-z]\w*)")
MARKS = rb"[<>|]{7}[ \r\n]|={7}\r?\n"
"""Marks of an unfinished merge, at the beginning of a line."""
MOST = 50
"""Patterns that are learnt from one file; what is headed otherwise still is read line by line."""
ENDS = {b"1-0": 1.0, b"0-1": 0.0, b"1/2-1/2": 0.5}
SPACE = np.isin(np.arange(256), list(b" \t\r\n"))
TAIL = 40
LAST_MOVES = 64
"""Bytes of moves by which games are discriminated, with the length of all."""
PRIME = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class HeaderBatch:
    """Some games: what each header says (None where a game lacks it), the score after the moves, and a sign.

    Games with one sign have headers and moves of the same length, of which the last are the same; 0: few moves or none.
    """

    columns: Mapping[bytes, Sequence[bytes | None]]
    last: npt.NDArray[np.float64]
    signs: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.last)


class MergeError(Exception):
    """The file was left in the middle of a merge."""


def batches(file: IO[bytes]) -> Iterator[HeaderBatch]:
    """Give the games of an open file, a block at a time.

    Fails when
        a line is a mark of an unfinished merge (``MergeError``).
    """
    shape, start = _HeaderPattern(), b"\n" + file.read(3).removeprefix(b"\xef\xbb\xbf")
    data, filled, more = bytearray(start.ljust(BLOCK + 8)), len(start), 1
    while more:
        more = file.readinto(memoryview(data)[filled:])  # type: ignore[attr-defined]
        filled += more
        block = _GamesInBlock(data, filled)
        yield from block.games(shape, last=not more)
        left = data[block.rest : filled]  # the last game may go on in the next block
        filled = len(left)
        if 2 * filled > len(data):
            data = bytearray(2 * len(data))
        data[:filled] = left


@dataclass(slots=True)
class _HeaderPattern:
    """The order in which headers stand, and the pattern that takes those of a game at once."""

    order: list[bytes] = field(default_factory=list)
    optional: set[bytes] = field(default_factory=set)
    learnt: int = 0
    columns: tuple[bytes, ...] = TAGS
    pattern: re.Pattern[bytes] = field(default_factory=lambda: re.compile(rb"\n(?:\[(?=[A-Za-z])|(?=%b))" % MARKS))

    def learn(self, headers: bytes) -> bool:
        """Take in the headers of a game, and say whether the pattern is another now."""
        names = NAME.findall(headers)
        order, at, added = list(self.order), 0, set()
        if self.learnt == MOST or len(set(names)) < len(names) or (order and names[0] != order[0]):
            return False
        for name in names:
            if name in order[at:]:
                at = order.index(name, at) + 1
            elif name in order:
                return False
            else:
                order.insert(at, name)
                added.add(name)
                at += 1
        optional = self.optional | (added if self.order else set()) | (set(order) - set(names))
        if (order, optional) == (self.order, self.optional):
            return False  # what is odd about these headers is not their order
        self.order, self.optional, self.learnt = order, optional, self.learnt + 1
        taken = [name for name in order if name in TAGS]
        self.columns = (*taken, *(name for name in TAGS if name not in taken))
        lines = b"".join(self._line(name) for name in order)
        self.pattern = re.compile(rb"\n(?:%b(?=\n(?!\[[A-Za-z])|\Z)|\[(?=[A-Za-z])|(?=%b))" % (lines[2:], MARKS))
        return True

    def _line(self, name: bytes) -> bytes:
        line = rb'\n\[%b "([^"]*)"\][ \t\r]*' % name if name in TAGS else rb"\n\[%b [^\n]*" % name
        return rb"(?:%b)?" % line if name in self.optional else line


@dataclass(slots=True)
class _GamesInBlock:
    """The games in some bytes; those from ``rest`` on may not be whole."""

    data: bytearray
    size: int
    rest: int = 0
    rows: list[tuple[bytes | None, ...]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def games(self, shape: _HeaderPattern, *, last: bool) -> Iterator[HeaderBatch]:
        """Give the games that are whole: all but the last, which only the next one or the end of the file ends."""
        at, columns = 0, shape.columns
        while section := self._walk(shape, at):
            yield from self._batch(columns, section.start())  # the pattern is another, and so is the order it takes
            columns, at = shape.columns, section.end()
            self._add(section, columns)
        if not last:
            self.rest = self.starts[-1] if self.starts else 0
            self.rows[-1:] = []
        yield from self._batch(columns, self.size if last else self.rest)

    def _walk(self, shape: _HeaderPattern, at: int) -> re.Match[bytes] | None:
        """Collect games until the pattern learns something new, and give the headers from which it did."""
        matches = list(shape.pattern.finditer(self.data, at, self.size))
        if all([match.lastindex for match in matches]):  # noqa: C419  # a list is twice as fast
            self.rows += [match.groups() for match in matches]
            self.starts += [match.start() for match in matches]
            self.ends += [match.end() for match in matches]
            return None
        for match in matches:
            if match.start() < at:
                continue  # a line of headers that were taken already
            if match.lastindex:
                self.rows.append(match.groups())
                self.starts.append(match.start())
                self.ends.append(match.end())
            elif not match[0].endswith(b"["):
                raise MergeError
            else:
                section = SECTION.match(self.data, match.start(), self.size)
                if section is None:
                    continue
                columns, at = shape.columns, section.end()
                if shape.learn(section[0]):
                    return section
                self._add(section, columns)
        return None

    def _add(self, section: re.Match[bytes], columns: Sequence[bytes]) -> None:
        """Take a game line by line."""
        self.rows.append(tuple(_value(section[0], b'\n[%b "' % name) for name in columns))
        self.starts.append(section.start())
        self.ends.append(section.end())

    def _batch(self, columns: Sequence[bytes], top: int) -> Iterator[HeaderBatch]:
        """Give what was collected; the last of it ends at ``top``."""
        count = len(self.rows)
        if count:
            tops = np.array([*self.starts[1:count], top])
            taken = zip_longest(*self.rows)
            ends = np.array(self.ends[:count])
            last, stops = _scores(self.data, ends, tops)
            signs = _signs(self.data, np.array(self.starts[:count]), ends, stops)
            yield HeaderBatch(dict(zip(columns, taken, strict=False)), last, signs)
        self.rows, self.starts, self.ends = [], [], []


def _value(headers: bytes, tag: bytes) -> bytes | None:
    """Give what a header says; None where there is none."""
    start = headers.find(tag)
    if start < 0:
        return None
    start += len(tag)
    end = headers.find(b'"', start)
    while end > 0 and headers[end - 1] == 92:  # a quotation mark behind a backslash belongs to the text
        end = headers.find(b'"', end + 1)
    return headers[start:end]


def mixed(words: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.uint64]:
    """Mix columns of whole numbers into one number a row; rows with one number are the same in all columns."""
    mix = np.zeros(len(words[0]), np.uint64)
    for word in words:
        mix = (mix ^ word.astype(np.uint64)) * PRIME
        mix ^= mix >> np.uint64(29)
    return mix


def _signs(
    data: bytearray, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]:
    """Give a sign of each game: how long its headers and its moves are, and the last of the moves."""
    eights = np.ndarray(len(data) - 7, "<u8", data, strides=(1,))
    last = [eights[np.maximum(stops - back, 0)] for back in range(8, LAST_MOVES + 1, 8)]
    signs = mixed([ends - starts, stops - ends, *last])
    return np.where(stops - ends > LAST_MOVES, signs, np.uint64(0))


def _scores(
    data: bytearray, ends: npt.NDArray[np.int64], tops: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Give the score that each last word between ``ends`` and ``tops`` says (NaN: no result), and where it stops."""
    signs = np.frombuffer(data, np.uint8)
    at = tops - 1
    for _ in range(TAIL):
        back = (at > ends) & SPACE[signs[at]]
        if not back.any():
            break
        at = at - back
    scores = np.full(len(at), np.nan)
    eights = np.ndarray(len(data) - 7, "<u8", data, strides=(1,))[np.maximum(at - 7, 0)]  # the last eight bytes
    for word, score in ENDS.items():
        aside = np.uint64(8 * (8 - len(word)))
        alone = SPACE[(eights >> (aside - np.uint64(8))) & np.uint64(255)] & (at - len(word) >= ends)
        scores[((eights >> aside) == int.from_bytes(word, "little")) & alone] = score
    return scores, at + 1
