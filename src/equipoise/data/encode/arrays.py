"""Plain numbers out of what users bring: whatever is no array of numbers gets one clear error."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray

__all__ = ["as_list", "as_numbers", "as_square", "number_column"]


def as_numbers(values: npt.ArrayLike, what: str) -> FloatArray:
    """Give an array of floats, or say of what it should have been one.

    >>> as_numbers([1, "x"], "scores")
    Traceback (most recent call last):
        ...
    equipoise.core.errors.DataError: scores must be numbers in a rectangular array, not a list of other things
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind in "cmMSV":
            raise DataError(f"{what} must be real numbers, not {array.dtype.name}")
        return np.array(array, dtype=np.float64)
    except DataError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        kind = type(values).__name__
        given = f"a {kind} of other things" if isinstance(values, list | tuple | np.ndarray) else f"a {kind}"
        raise DataError(f"{what} must be numbers in a rectangular array, not {given}") from error


def as_list(column: Iterable[object], what: str) -> list[object]:
    """Give a column as a list; refuse what is no column."""
    try:
        return list(column)
    except TypeError as error:
        raise DataError(f"{what} is a column of values, not a {type(column).__name__}") from error


def number_column(column: Iterable[object], what: str, rows: int) -> FloatArray:
    """Give a column of numbers with so many rows; a text among them is named."""
    listed = column if isinstance(column, np.ndarray) else as_list(column, what)
    try:
        numbers = as_numbers(np.asarray(listed), what)
    except (DataError, ValueError) as error:
        strange = next(((row, value) for row, value in enumerate(listed) if not _is_number(value)), None)
        where = f": row {strange[0] + 1} has {str(strange[1])[:40]!r}" if strange else ""
        raise DataError(f"{what} is a column of numbers{where}") from error
    if numbers.ndim != 1:
        raise DataError(f"{what} is one column, not an array of shape {numbers.shape}")
    if len(numbers) != rows:
        raise DataError(f"{what} has {len(numbers):,} rows, the matches have {rows:,}")
    return numbers


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]  # whatever it is: that is the question
    except (TypeError, ValueError):
        return False
    return True


def as_square(values: npt.ArrayLike, what: str) -> FloatArray:
    """Give a square matrix of floats."""
    matrix = as_numbers(values, what)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"{what} must be square, not of shape {matrix.shape}")
    return matrix
