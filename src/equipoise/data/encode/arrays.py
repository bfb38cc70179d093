"""Plain numbers out of what users bring: whatever is no array of numbers gets one clear error.

So does what is no table of win probabilities, or of the games behind them.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray


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


COMPLEMENT_TOLERANCE = 1e-6
"""How far P + P^T may be from 1: published tables are rounded in binary, not in decimals."""


def check_probabilities(chance: FloatArray, names: tuple[str, ...]) -> None:
    """Refuse what is no table of win probabilities, and name the pairs."""
    off = ~np.eye(len(chance), dtype=bool)
    missing = np.isnan(chance)
    own = np.diag(chance)
    strange = ~(np.isnan(own) | (own == 0) | (np.abs(own - 0.5) <= COMPLEMENT_TOLERANCE))
    if strange.any():
        who = some_of(names[i] for i in np.flatnonzero(strange))
        raise DataError(f"the diagonal of a table of win probabilities is 1/2, 0 or empty, but not for {who}")
    outside = off & ~missing & ~((chance >= 0) & (chance <= 1))
    if outside.any():
        raise DataError(f"probabilities outside [0, 1] for {_pairs_at(outside, names)}")
    crooked = off & ((missing != missing.T) | (np.abs(chance + chance.T - 1) > COMPLEMENT_TOLERANCE))
    if crooked.any():
        raise DataError(
            f"P + P^T is not 1 for {_pairs_at(np.triu(crooked | crooked.T), names)}; p[i, j] is how often i beats j"
        )


def games_behind(games: npt.ArrayLike | None, chance: FloatArray) -> FloatArray:
    """Give the games of each pair of a table of probabilities: as stated, or one."""
    played = ~np.isnan(chance)
    given = as_numbers(1.0 if games is None else games, "games")
    if given.shape not in ((), chance.shape):
        raise DataError(f"games must be one number or of shape {chance.shape}, not of shape {given.shape}")
    counts = np.array(np.broadcast_to(given, chance.shape))
    np.fill_diagonal(counts, 0)
    if not np.isfinite(counts[played]).all() or (counts[played] < 0).any() or not np.array_equal(counts, counts.T):
        raise DataError("games must be finite, at least 0 and the same for (i, j) and (j, i)")
    return np.where(played, counts, 0.0)


def _pairs_at(where: npt.NDArray[np.bool_], names: tuple[str, ...]) -> str:
    return some_of(f"{names[i]} vs {names[j]}" for i, j in np.argwhere(where))
