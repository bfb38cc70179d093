"""Arrays that users bring: numbers, of the right shape, none missing; and labels that group their rows."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Option

Labels = Sequence[object] | npt.NDArray[np.generic]
"""One label for each row; rows with the same label belong together."""


def numbers(values: npt.ArrayLike, name: str) -> FloatArray:
    """Give an array of finite numbers, or say what is wrong with it."""
    array = _floats(values)
    if array is None:
        raise DataError(f"{name} must hold numbers in rows of equal length, not {_short(values)}")
    missing = ~np.isfinite(array)
    if array.ndim == 0 and missing:
        raise DataError(f"{name} must hold numbers, not {_short(values)}")
    rows = np.flatnonzero(missing if array.ndim == 1 else missing.any(axis=tuple(range(1, array.ndim))))
    if len(rows):
        raise DataError(
            f"{name} is missing or infinite in rows {some_of(rows + 1)}; leave these rows out or repair them"
        )
    return array


def column(values: npt.ArrayLike, name: str) -> FloatArray:
    """Give one column of finite numbers, or say what is wrong with it."""
    array = numbers(values, name)
    if array.ndim != 1:
        raise DataError(f"{name} must be one column of numbers, not of shape {array.shape}")
    return array


def matrix(values: npt.ArrayLike, name: str) -> FloatArray:
    """Give a matrix with a column for each control; one column may come flat."""
    array = numbers(values, name)
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] == 0):
        raise DataError(f"{name} must be one column or a matrix with a column for each control, not {array.shape}")
    return array.reshape(len(array), 1 if array.ndim == 1 else array.shape[1])


def pilot(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Give a pilot's utilities and controls; refuse one that is too small or does not vary."""
    samples, controls = column(x, "x"), matrix(y, "y")
    same_length(samples, controls, "controls")
    if len(samples) < controls.shape[1] + 3:
        raise DataError(f"pilot: {len(samples)} hands are too few; at least {controls.shape[1] + 3} are needed")
    if np.ptp(samples) == 0.0 or (np.ptp(controls, axis=0) == 0.0).any():
        raise DataError("pilot: the utilities or a control have no variance; a longer or more varied pilot is needed")
    return samples, controls


def same_length(x: FloatArray, y: FloatArray, what: str) -> None:
    """Refuse columns of different length."""
    if len(x) != len(y):
        raise DataError(f"{len(x):,} samples but {len(y):,} {what}; give one for each sample")


def one_each(value: object, k: int, name: str, least: float = -np.inf) -> FloatArray:
    """Read an option that is one number, or one for each of ``k`` controls."""
    values = _floats(value)
    if values is None or values.ndim > 1 or (values.ndim == 1 and len(values) != k):
        raise ParameterError(Option(name), f" is a number or one for each of the {k} controls, not {_short(value)}")
    if not (np.isfinite(values).all() and (values >= least).all()):
        wanted = "a finite number" if np.isinf(least) else f"a finite number of at least {least:g}"
        raise ParameterError(Option(name), f" is {wanted}, not {_short(value)}")
    return np.broadcast_to(values, (k,)).astype(float)


def group_codes(labels: Labels | None, rows: int, name: str) -> npt.NDArray[np.intp] | None:
    """Give codes from 0 in order of first appearance; None without labels, when each row stands for itself."""
    if labels is None:
        return None
    values = _labels(labels, name)
    if values.shape != (rows,):
        raise DataError(Option(name), f" has shape {values.shape}, but there are {rows:,} samples; give one label each")
    _, first, codes = np.unique(values, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.intp)
    order[np.argsort(first)] = np.arange(len(first))
    ordered: npt.NDArray[np.intp] = order[codes]
    return ordered


def _labels(labels: Labels, name: str) -> npt.NDArray[np.generic]:
    try:
        values = np.asarray(labels)
        if values.dtype == object:
            np.sort(values, axis=None)  # np.unique needs labels that have an order
    except (TypeError, ValueError):
        raise DataError(Option(name), " holds labels of different kinds; give one text or number each") from None
    return values


def _floats(values: object) -> FloatArray | None:
    """Turn values into numbers; None where they are no numbers. Text is none, even if it could be read as one."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO" or (array.dtype == object and any(isinstance(x, str) for x in array.flat)):
            return None
        return array.astype(float)
    except (TypeError, ValueError):
        return None


def _short(value: object) -> str:
    """Show a value on one line, or only its shape where it is an array."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape}"
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 60 else f"{shown[:59]}\N{HORIZONTAL ELLIPSIS}"
