"""Codes of long columns with few distinct values: a table of hashes, and a look at every row that they told the truth.

Hashing a value and looking up a small table takes a third of the time of a dictionary. Where two values meet in one
place of the table, which the look at every row finds, other bits of the hashes are tried.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equipoise.core.results import IntArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["codes_of_strings", "codes_of_text"]

BITS = 20
"""Bits of a hash that are its place in the table: two of 200 values meet once in fifty times."""
SHIFTS = (44, 24, 4)
"""Which bits are tried, one after the other: the highest are the best mixed."""
FIRST = 20_000
"""Rows in which nearly all values are expected to appear."""
MOST_VALUES = 1500
"""With more values than this some meet nearly always."""
PIECE = 8192
"""Rows of fixed width that are compared together, in the processor's cache."""
HASHES, STRINGS = 2**15, 2**18
"""Hashes that are looked up together, and strings that are compared together: in memory that is used again."""

Codes = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]


def codes_of_strings(column: "pl.Series") -> tuple[list[str], Codes, IntArray] | None:
    """Give the distinct values of a Polars column of text in order of first appearance, codes and first rows.

    None where there are too many of them, or missing ones.
    """
    import polars as pl

    def agree(codes: Codes, firsts: IntArray) -> bool:
        known, places = column.gather(firsts), pl.Series(codes.view(np.uint32))
        starts = range(0, len(column), STRINGS)
        return all((known.gather(places.slice(row, STRINGS)) == column.slice(row, STRINGS)).all() for row in starts)

    found = None if column.null_count() else _coded(column.hash().to_numpy(), agree)
    return None if found is None else (column.gather(found[1]).to_list(), *found)


def codes_of_text(column: npt.NDArray[np.generic]) -> tuple[list[str], Codes, IntArray] | None:
    """Do the same for NumPy's text, whose rows are so many numbers of the same width."""
    width = column.dtype.itemsize
    if not width:
        return None
    parts: npt.NDArray[np.unsignedinteger] = np.ascontiguousarray(column).view(np.uint32 if width % 8 else np.uint64)
    rows = parts.reshape(len(column), -1)
    odd = np.random.default_rng(0).integers(2**63, size=rows.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    pieces = [slice(start, start + PIECE) for start in range(0, len(rows), PIECE)]
    hashes = np.empty(len(rows), dtype=np.uint64)
    for piece in pieces:
        np.matmul(rows[piece], odd, out=hashes[piece])

    def agree(codes: Codes, firsts: IntArray) -> bool:
        known = rows[firsts]
        return all(bool((known.take(codes[piece], axis=0) == rows[piece]).all()) for piece in pieces)

    found = _coded(hashes, agree)
    return None if found is None else (column[found[1]].tolist(), *found)


def _coded(hashes: Hashes, agree: Callable[[Codes, IntArray], bool]) -> tuple[Codes, IntArray] | None:
    """Give codes in order of first appearance and the first row of each; None where no bits tell values apart."""
    for shift in SHIFTS:
        found = _by_place(hashes, shift)
        if found is None or agree(*found):
            return found
    return None


def _by_place(hashes: Hashes, shift: int) -> tuple[Codes, IntArray] | None:
    """Number places in order of first appearance; None where they are too many.

    Most are found in the first rows, and the others in what those leave unknown.
    """
    table = np.zeros(2**BITS, dtype=np.int32)  # codes from 1 on: memory of zeros costs nothing where nobody writes
    firsts: list[IntArray] = []

    def learn(rows: IntArray) -> Codes:
        place = _places(hashes[rows], shift)
        table[place[::-1]] = rows[::-1]  # of several rows the last one written stays
        new = np.unique(table[place]).astype(np.int64)
        known = sum(map(len, firsts))
        table[_places(hashes[new], shift)] = np.arange(known + 1, known + 1 + len(new))
        firsts.append(new)
        return table[place] - 1

    learn(np.arange(min(FIRST, len(hashes))))
    if len(firsts[0]) > MOST_VALUES:
        return None
    codes = np.empty(len(hashes), dtype=np.int32)
    for start in range(0, len(hashes), HASHES):
        piece = slice(start, start + HASHES)
        table.take(_places(hashes[piece], shift), out=codes[piece], mode="clip")  # clipping nothing, and unbuffered
        codes[piece] -= 1
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        codes[unknown] = learn(unknown)
    rows = np.concatenate(firsts)
    return None if len(rows) > MOST_VALUES else (codes, rows)


def _places(hashes: Hashes, shift: int) -> IntArray:
    place = hashes >> np.uint64(shift)
    place &= np.uint64(2**BITS - 1)
    return place.view(np.int64)
