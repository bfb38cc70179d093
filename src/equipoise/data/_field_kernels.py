"""The loops that count fields, over the bytes of a delimited text; compiled by numba for long texts, and cached.

Both give, from ``start`` on: rows with the wanted number of separators, blank lines, line ends passed, and where they
stopped: at a row with another number of separators (its first byte, the byte after it, its separators), or with a last
row that does not end here (its first byte, -1, 0). The functions are plain Python: short texts need no compiler.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Loop", "loops"]

NEWLINE, RETURN, SPACE, QUOTE = 10, 13, 32, 34
LONG = 300_000
"""Bytes from which loading the compiled loops is worth its time."""

Bytes = npt.NDArray[np.uint8]
Loop = Callable[[Bytes, int, int, int, int], tuple[int, int, int, int, int, int]]


def loops(size: int) -> tuple[Loop, Loop]:
    """Give the loop for texts without quotes and the one for texts with them."""
    return _compiled() if size > LONG else (_unquoted, _quoted)


@cache
def _compiled() -> tuple[Loop, Loop]:
    import numba

    compiled: Any = numba.njit(cache=True, nogil=True)
    return compiled(_unquoted), compiled(_quoted)


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


def _quoted(data: Bytes, start: int, end: int, separator: int, wanted: int) -> tuple[int, int, int, int, int, int]:
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
