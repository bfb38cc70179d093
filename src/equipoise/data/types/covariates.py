"""Covariates of matches: what else than strength may have decided, as a difference between the two sides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.results import FloatArray, frozen
from equipoise.core.wording import Option


def side_difference(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Give (a - b) / (a + b + 1): how much more the first side has, between -1 and 1 whatever the unit.

    >>> side_difference([300, 0], [100, 0]).round(3).tolist()
    [0.499, 0.0]
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return np.asarray((x - y) / (x + y + 1))


@dataclass(frozen=True, slots=True, eq=False)
class Covariates:
    """Differences between the two sides of each match, a column for each covariate.

    Attributes
    ----------
    names
        Of the covariates.
    values
        Matches by covariates: positive where the first side has more.
    scaled
        Which columns are measured in their standard deviation when they are fitted. They are never centred: a centred
        difference would say something else about whoever is named first.
    differences
        Likewise, in the unit of the amounts: by how many characters the first side is longer, where ``values`` say by
        what share. None where only shares are known.
    """

    names: tuple[str, ...]
    values: FloatArray
    scaled: tuple[bool, ...]
    differences: FloatArray | None = None

    @classmethod
    def of(cls, given: Mapping[str, object], rows: int) -> "Covariates":
        """Take columns by name: two of them, one for each side, or one that is the difference already.

        Two columns a and b become (a - b) / (a + b + 1), in units of its standard deviation; a difference is taken as
        it is.

        >>> Covariates.of({"length": ([300, 0], [100, 0]), "same maker": [1, 0]}, 2).scaled
        (True, False)
        """
        if not given:
            raise ParameterError(Option("covariates"), " has no columns; leave it out, or give some")
        names = tuple(str(name).strip() for name in given)
        columns = [_column(name, value, rows) for name, value in zip(names, given.values(), strict=True)]
        values, differences = (frozen(np.column_stack([column[k] for column in columns])) for k in (0, 1))
        return cls(names, values, tuple(two for _, _, two in columns), differences)

    def __len__(self) -> int:
        return len(self.names)

    def take(self, rows: npt.NDArray[np.generic] | slice) -> "Covariates":
        """Give the rows at these positions."""
        differences = None if self.differences is None else frozen(self.differences[rows])
        return Covariates(self.names, frozen(self.values[rows]), self.scaled, differences)

    def select(self, names: Sequence[str]) -> "Covariates":
        """Give some of the covariates, in the order asked for."""
        unknown = [name for name in names if name not in self.names]
        if unknown:
            near = did_you_mean(unknown[0], self.names)
            raise ParameterError(f'no covariate "{unknown[0]}"{near}; there are: {some_of(self.names, 12)}')
        at = [self.names.index(name) for name in dict.fromkeys(names)]
        return Covariates(
            tuple(self.names[k] for k in at),
            frozen(self.values[:, at]),
            tuple(self.scaled[k] for k in at),
            None if self.differences is None else frozen(self.differences[:, at]),
        )

    def scales(self, weights: FloatArray) -> FloatArray:
        """Give the unit of each column: its standard deviation over the matches, or 1 where it is taken as it is.

        Fails when
            a covariate is the same in all matches, so that nothing can be learned about it.
        """
        share = weights / weights.sum()
        spread = np.sqrt(np.clip(share @ self.values**2 - (share @ self.values) ** 2, 0, None))
        same = [name for name, sd, column in zip(self.names, spread, self.values.T, strict=True) if not np.ptp(column)]
        if same:
            raise DataError(f"the covariate {some_of(same)} is the same in all matches; leave it out")
        return np.where(self.scaled, spread, 1.0)


def _column(name: str, value: object, rows: int) -> tuple[FloatArray, FloatArray, bool]:
    """Give the difference that a covariate is, as a share and in its own unit, and whether two columns made it."""
    two = isinstance(value, tuple) and len(value) == 2
    sides = [_numbers(name, each, rows) for each in (value if isinstance(value, tuple) and two else (value,))]
    if not two:
        return sides[0], sides[0], False
    below = np.flatnonzero((sides[0] < 0) | (sides[1] < 0)) + 1
    if len(below):
        raise DataError(
            f'the covariate "{name}" is below 0 in rows {some_of(below)}: a relative difference needs amounts such as'
            " lengths; give the difference of the sides instead"
        )
    return side_difference(*sides), sides[0] - sides[1], True


def _numbers(name: str, value: object, rows: int) -> FloatArray:
    try:
        column = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f'the covariate "{name}" is a column of numbers, or two of them (one for each side)') from None
    if column.shape != (rows,):
        raise DataError(f'the covariate "{name}" has {column.size:,} numbers, the matches have {rows:,} rows')
    bad = np.flatnonzero(~np.isfinite(column)) + 1
    if len(bad):
        raise DataError(f'the covariate "{name}" has no finite number in rows {some_of(bad)}')
    return column
