"""Tables laid out for a width: columns go by their priority, then names wrap; a number is never cut.

Widths are those of a terminal's cells: a Chinese character or an emoji takes two.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len

from equipoise.report.render.safe_text import JOINER, harmless
from equipoise.report.views.view import Row, TableView

LONGEST_NAME, PROSE = 200, 2000
"""Names are cut to the first length in tables, sentences to the second; JSON and CSV keep them whole."""
GAP = "  "
NAME, SHARED = 40, 24
"""So many cells a column of names is worth before others go: alone, and beside other columns of names or prose."""
NARROWEST, WIDEST = 10, 60
"""No column of names gets narrower than the first while there is another way, nor wider than the second."""
ENDS = re.compile(r"([+−-]?[\d.,∞%]+) to ([+−-]?[\d.,∞%]+)")
ALONE = re.compile(r"[+−-]?[\d.,∞%]+|–")
MARKS = " -/_.:|,@"
"""Where a name may be broken."""


@dataclass(frozen=True, slots=True)
class Laid:
    """Lines of a table: those of its heading, those of its rows, and the columns that did not fit."""

    heading: list[str]
    rows: list[str]
    dropped: list[str]


@dataclass(slots=True)
class _Shown:
    """A column as it will be printed."""

    heading: str
    cells: list[str]
    right: bool
    prose: bool
    drop: int
    elastic: bool
    least: int = field(init=False)
    """Cells below which something of it would break: its longest number, or the longest word of its heading."""
    most: int = field(init=False)
    width: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        body = max(map(cell_len, self.cells), default=0)
        head = max((cell_len(word) for word in self.heading.split()), default=0)
        self.most = max(body, cell_len(self.heading))
        if self.elastic and not self.prose:
            self.most = min(self.most, WIDEST)
        # A heading may be an agent's name, which wraps like one.
        self.least = min(NARROWEST, self.most) if self.elastic else max(body, min(head, NARROWEST))


def lay_out(table: TableView, rows: Sequence[Row], width: int) -> Laid:
    """Lay the rows out in so many cells.

    Columns that may go do, those with the greatest ``drop`` first; then names and prose wrap. Where even the columns
    that stay are too wide, everything wraps.
    """
    columns = [_shown(table, rows, k) for k in range(len(table.columns))]
    dropped = []
    while _wanted(columns) > width and any(column.drop for column in columns):
        last = max(range(len(columns)), key=lambda k: (columns[k].drop, k))
        dropped.append(_told(columns, last))
        columns.pop(last)
    _widen(columns, width)
    heading = _lines([_cell(column, column.heading) for column in columns], columns, from_below=True)
    body = []
    for k in range(len(rows)):
        body += _lines([_cell(column, column.cells[k]) for column in columns], columns)
    return Laid(heading, body, dropped[::-1])


def _told(columns: Sequence[_Shown], k: int) -> str:
    """Say which column is meant: an interval belongs to what stands before it."""
    heading = columns[k].heading
    again = sum(column.heading == heading for column in columns) > 1
    return f"{heading} of {columns[k - 1].heading}" if again and k else heading


def _shown(table: TableView, rows: Sequence[Row], k: int) -> _Shown:
    column = table.columns[k]
    longest = PROSE if column.prose else LONGEST_NAME
    cells = [harmless(column.cell(row), longest) for row in rows]
    numbers = all(ALONE.fullmatch(cell) or ENDS.fullmatch(cell) for cell in cells)
    if numbers and any(ENDS.fullmatch(cell) for cell in cells):
        cells = _aligned(cells)
    elastic = not column.right and not numbers
    return _Shown(harmless(column.heading, LONGEST_NAME), cells, column.right, column.prose, column.drop, elastic)


def _aligned(cells: Sequence[str]) -> list[str]:
    """Set the ends of intervals below one another.

    >>> _aligned(["+3 to +12", "−14 to +3", "2"])
    [' +3 to +12', '−14 to  +3', '  2       ']
    """
    parts = [match.groups() if (match := ENDS.fullmatch(cell)) else (cell, "") for cell in cells]
    low, high = (max(len(part[side]) for part in parts) for side in (0, 1))
    return [f"{a:>{low}} to {b:>{high}}" if b else f"{a:>{low}}".ljust(low + 4 + high) for a, b in parts]


def _wanted(columns: Sequence[_Shown]) -> int:
    """Cells that the columns are worth: numbers whole, names up to what a name is worth."""
    worth = NAME if sum(column.elastic for column in columns) == 1 else SHARED
    return sum(max(c.least, min(c.most, worth)) if c.elastic else c.least for c in columns) + _gaps(columns)


def _gaps(columns: Sequence[_Shown]) -> int:
    return len(GAP) * max(len(columns) - 1, 0)


def _widen(columns: Sequence[_Shown], width: int) -> None:
    """Give every column its least, then what is left to the one that is furthest from its most."""
    for column in columns:
        column.width = column.least
    left = width - _gaps(columns) - sum(column.width for column in columns)
    while left > 0 and (short := [column for column in columns if column.width < column.most]):
        # Names first, so that each stands on a line of its own; then headings of numbers, then prose.
        neediest = min(short, key=lambda column: (column.prose, not column.elastic, column.width))
        neediest.width += 1
        left -= 1
    while left < 0 and any(column.width > 1 for column in columns):
        widest = max(columns, key=lambda column: column.width)
        widest.width -= 1
        left += 1


def _cell(column: _Shown, text: str) -> list[str]:
    return wrapped(text, column.width, "" if column.prose or column.right else "  ", " " if column.prose else MARKS)


def wrapped(text: str, width: int, indent: str = "", marks: str = " ") -> list[str]:
    """Break a text into lines of so many cells, after one of the marks where there is one; later lines are indented.

    >>> wrapped("meta-llama/Llama-3.1-70B-Instruct", 16, "  ", MARKS)
    ['meta-llama/', '  Llama-3.1-70B-', '  Instruct']
    """
    lines: list[str] = []
    indent = indent if width >= NARROWEST else ""
    while cell_len(text) > width - (len(indent) if lines else 0):
        room = width - (len(indent) if lines else 0)
        head = _head(text, room)
        best = max((head.rfind(mark) + 1 for mark in marks), default=0)
        if text[len(head) : len(head) + 1] == " ":
            best = len(head)
        # A break that leaves most of the line empty makes more lines than it saves.
        head = head[:best] if 3 * best >= len(head) else head
        lines.append((indent if lines else "") + head.rstrip())
        text = text[len(head) :].lstrip()
    if text or not lines:
        lines.append((indent if lines else "") + text)
    return lines


def _head(text: str, room: int) -> str:
    """As much of a text as fits, at least one character; never half of what is drawn as one.

    >>> _head("ab\N{COMBINING ACUTE ACCENT}c", 2)
    'ab\u0301'
    """
    end = 0
    for stop in range(1, len(text) + 1):
        if stop < len(text) and (text[stop - 1] == JOINER or _clings(text[stop])):
            continue
        if end and cell_len(text[:stop]) > room:
            break
        end = stop
    return text[:end]


def _clings(char: str) -> bool:
    """Say whether a character is drawn on the one before it: accents, joiners, tints of emoji."""
    return char == JOINER or unicodedata.category(char)[0] == "M" or "\U0001f3fb" <= char <= "\U0001f3ff"


def _lines(cells: list[list[str]], columns: Sequence[_Shown], *, from_below: bool = False) -> list[str]:
    """Put wrapped cells beside one another."""
    height = max(map(len, cells), default=0)
    lines = []
    for k in range(height):
        parts = [
            _set(_at(cell, k - (height - len(cell) if from_below else 0)), column)
            for cell, column in zip(cells, columns, strict=True)
        ]
        lines.append(GAP.join(parts).rstrip())
    return lines


def _at(cell: Sequence[str], k: int) -> str:
    return cell[k] if 0 <= k < len(cell) else ""


def _set(text: str, column: _Shown) -> str:
    space = " " * (column.width - cell_len(text))
    return space + text if column.right else text + space
