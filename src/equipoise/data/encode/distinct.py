"""The distinct values of a column, and codes that say where each stands: a million rows are looked at once, in bulk.

What follows (trimming a name, reading a word) is then done once for each distinct value.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equipoise.data.encode.arrays import as_list
from equipoise.data.encode.hashed import codes_of_strings, codes_of_text

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Distinct", "distinct", "holds_text", "series_of"]

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
        return _of_text(column.tolist()) if quick is None else Distinct(*quick)
    return _of_whole(column) if column.dtype.kind in "iu" else None


def series_of(column: object) -> "pl.Series | None":
    """Give a series of Polars as what it is, and None for anything else, without waking Polars."""
    if type(column).__module__.partition(".")[0] != "polars":
        return None
    import polars as pl

    return column if isinstance(column, pl.Series) else None


def holds_text(series: "pl.Series") -> bool:
    """Tell whether a series of Polars holds text, in one way or another."""
    import polars as pl

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
    import polars as pl

    try:
        return _of_strings(pl.Series(values, dtype=pl.String))
    # Text that is no Unicode, and values that are no text.
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        return None


def _of_strings(column: "pl.Series") -> Distinct:
    import polars as pl

    quick = codes_of_strings(column) if len(column) >= LONG and column.dtype == pl.String else None
    if quick is not None:
        return Distinct(*quick)
    coded = column.cast(pl.Categorical)
    values = coded.unique(maintain_order=True)
    # Categories are numbered for the whole process: these are a few of them, and a missing value comes after all.
    none = int(values.to_physical().max() or 0) + 1  # type: ignore[arg-type]  # a column of whole numbers has one
    number = np.empty(none + 1, dtype=np.int32)
    number[values.to_physical().fill_null(none).to_numpy()] = np.arange(len(values), dtype=np.int32)
    return Distinct(values.cast(pl.String).to_list(), number[coded.to_physical().fill_null(none).to_numpy()])


def _of_whole(column: "npt.NDArray[np.generic]") -> Distinct:
    import polars as pl

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
