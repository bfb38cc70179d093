"""The distinct values of a column, and codes that say where each stands: a million rows are looked at once, in bulk.

What follows (trimming a name, reading a word) is then done once for each distinct value.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.core.lazy import pl
from equipoise.data.encode.arrays import as_list

BITS = 20
"""Bits of a hash that are looked up first: two of 200 values share them once in fifty times."""
PIECE = 8192
"""Rows of fixed width that are compared together, in the processor's cache."""


def codes_of_text(column: npt.NDArray[np.generic]) -> "Distinct | None":
    """Find the distinct values of NumPy's text, whose rows are so many numbers of the same width, by their hashes.

    The first bits of a hash are looked up in a small table, and mostly tell all values apart; all of it is tried where
    they do not. None where two values share a hash, which a look at every row finds.
    """
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
    for numbers in (hashes >> np.uint64(64 - BITS), hashes):
        found = _of_whole(numbers)
        firsts = found.places()
        known = rows[firsts]
        if all(bool((known.take(found.codes[piece], axis=0) == rows[piece]).all()) for piece in pieces):
            return Distinct(column[firsts].tolist(), found.codes, firsts)
    return None


MANY, LONG = 5000, 50_000
"""Rows from which on a bulk library is worth waking, and a table of hashes worth making."""


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """The values of a column without their repeats, in order of first appearance; ``codes`` points into them.

    ``firsts`` are their first rows, where they are known already.
    """

    values: Sequence[object]
    codes: npt.NDArray[np.int32]
    firsts: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def places(self) -> npt.NDArray[np.int64]:
        """Give the first row of each value."""
        if self.firsts is not None:
            return self.firsts
        first = np.empty(len(self.values), dtype=np.int64)
        first[self.codes[::-1]] = np.arange(len(self.codes) - 1, -1, -1)  # of several rows the last one written stays
        return first


def distinct(column: Iterable[object], what: str) -> Distinct:
    """Find the distinct values of what a user gives as a column; refuse what is none.

    Text and whole numbers are found in bulk. Other things may be equal and yet be written differently, as 1 and True
    are: those are taken apart one by one, by type and text.

    >>> found = distinct(["x", "y", "x"], "a")
    >>> found.values, found.codes.tolist()
    (['x', 'y'], [0, 1, 0])
    """
    found = _of_array(column) if isinstance(column, np.ndarray) else _of_series(column)
    if found is not None:
        return found
    listed = column if isinstance(column, list) else as_list(column, what)
    return (_of_list(listed) if len(listed) >= MANY else None) or _one_by_one(listed)


def _of_array(column: "npt.NDArray[np.generic]") -> Distinct | None:
    if column.ndim != 1 or len(column) < MANY:
        return None
    if column.dtype.kind == "U":
        quick = codes_of_text(column) if len(column) >= LONG else None
        return _of_text(column.tolist()) if quick is None else quick
    return _of_whole(column) if column.dtype.kind in "iu" else None


def series_of(column: object) -> "pl.Series | None":
    """Give a series of Polars as what it is, and None for anything else, without waking Polars."""
    if type(column).__module__.partition(".")[0] != "polars":
        return None
    return column if isinstance(column, pl.Series) else None


def holds_text(series: "pl.Series") -> bool:
    """Tell whether a series of Polars holds text, in one way or another."""
    return series.dtype in (pl.String, pl.Categorical, pl.Enum)


def _of_series(column: object) -> Distinct | None:
    series = series_of(column)
    if series is None:
        return None
    if holds_text(series):
        return _of_strings(series)
    whole = len(series) and series.dtype.is_integer() and not series.null_count()
    return _of_whole(series.to_numpy()) if whole else None


def _of_list(values: list[object]) -> Distinct | None:
    if values[0] is None or type(values[0]) is str:
        found = _of_text(values)
        # A kind of text of the user's own may be written differently.
        plain = found is not None and {type(values[row]) for row in found.places()} <= {str, type(None)}
        return found if plain else None
    if set(map(type, values)) != {int}:
        return None
    try:
        return _of_whole(np.array(values, dtype=np.int64))
    except OverflowError:
        return None


def _of_text(values: list[object]) -> Distinct | None:
    try:
        return _of_strings(pl.Series(values, dtype=pl.String))
    # Text that is no Unicode, and values that are no text.
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        return None


def _of_strings(column: "pl.Series") -> Distinct:
    coded = column.cast(pl.Categorical)
    values = coded.unique(maintain_order=True)
    # Categories are numbered for the whole process: these are a few of them, and a missing value comes after all.
    none = int(values.to_physical().max() or 0) + 1  # type: ignore[arg-type]  # a column of whole numbers has one
    number = np.empty(none + 1, dtype=np.int32)
    number[values.to_physical().fill_null(none).to_numpy()] = np.arange(len(values), dtype=np.int32)
    return Distinct(values.cast(pl.String).to_list(), number[coded.to_physical().fill_null(none).to_numpy()])


def _of_whole(column: "npt.NDArray[np.generic]") -> Distinct:
    numbers = column.astype(np.uint64 if column.dtype == np.uint64 else np.int64)
    values = pl.Series(numbers).unique(maintain_order=True)
    known = values.to_numpy()
    low, high = int(numbers.min()), int(numbers.max())
    if high - low <= 4 * len(numbers):
        number = np.empty(high - low + 1, dtype=np.int32)
        number[known - numbers.dtype.type(low)] = np.arange(len(known), dtype=np.int32)
        return Distinct(values.to_list(), number[numbers - numbers.dtype.type(low)])
    order = np.argsort(known)
    return Distinct(values.to_list(), order[np.searchsorted(known[order], numbers)].astype(np.int32))


def _one_by_one(values: list[object]) -> Distinct:
    number: dict[Hashable, int] = {}
    kept: list[object] = []
    codes = np.empty(len(values), dtype=np.int32)
    for row, value in enumerate(values):
        key = value if type(value) is str else (type(value), str(value))
        code = number.setdefault(key, len(kept))
        if code == len(kept):
            kept.append(value)
        codes[row] = code
    return Distinct(kept, codes)
