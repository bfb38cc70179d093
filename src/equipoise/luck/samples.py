"""Arrays that users bring: numbers, of the right shape, none missing."""

import numpy as np
import numpy.typing as npt

from equipoise.errors import DataError, some_of
from equipoise.results import FloatArray

__all__ = ["column", "counted", "matrix", "same_length"]


def column(values: npt.ArrayLike, name: str) -> FloatArray:
    """Give one column of finite numbers, or say what is wrong with it."""
    array = _numbers(values, name)
    if array.ndim != 1:
        raise DataError(f"{name} must be one column of numbers, not of shape {array.shape}")
    return _finite(array, name)


def matrix(values: npt.ArrayLike, name: str) -> FloatArray:
    """Give a matrix with a column for each control; one column may come flat."""
    array = _numbers(values, name)
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] == 0):
        raise DataError(f"{name} must be one column or a matrix with a column for each control, not {array.shape}")
    return _finite(array, name).reshape(len(array), 1 if array.ndim == 1 else array.shape[1])


def same_length(x: FloatArray, y: FloatArray, what: str) -> None:
    """Refuse columns of different length."""
    if len(x) != len(y):
        raise DataError(f"{len(x):,} samples but {len(y):,} {what}; give one for each sample")


def counted(number: int, noun: str) -> str:
    """Count things in words: 1 row, 2 rows.

    >>> counted(1, "row"), counted(1200, "deal")
    ('1 row', '1,200 deals')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _numbers(values: npt.ArrayLike, name: str) -> FloatArray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"{name} must hold numbers in rows of equal length") from None


def _finite(array: FloatArray, name: str) -> FloatArray:
    bad = ~np.isfinite(array)
    rows = np.flatnonzero(bad if array.ndim == 1 else bad.any(axis=1))
    if len(rows):
        raise DataError(
            f"{name} is missing or infinite in rows {some_of(rows + 1)}; leave these rows out or repair them"
        )
    return array
