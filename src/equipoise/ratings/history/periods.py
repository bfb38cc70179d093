"""Times of games as periods: days, weeks, months, quarters, years, or whole numbers such as rounds."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.results import IntArray
from equipoise.core.wording import Advice, Option
from equipoise.data.select.times import SECONDS, UNITS

PeriodUnit = Literal["day", "week", "month", "quarter", "year", "number"]
"""Lengths of periods; ``number`` is for times that count something, such as rounds."""
MONDAY = 4
"""Days from the beginning of 1970, a Thursday, to the first Monday."""


@dataclass(frozen=True, slots=True)
class Periods:
    """Periods in which there were games, and which game was played in which.

    Attributes
    ----------
    unit
        How long they are.
    index
        Number of each on a calendar of such periods, increasing.
    at
        Position in ``index`` of each game.
    """

    unit: PeriodUnit
    index: IntArray
    at: IntArray

    @classmethod
    def of(cls, times: npt.NDArray[np.generic], unit: PeriodUnit) -> "Periods":
        """Sort times into periods.

        Fails when
            they are neither dates nor numbers, numbers are asked for by a length that only dates have, or all fall into
            one period.
        """
        numbers = _numbers(times, unit)
        index, at = np.unique(numbers, return_inverse=True)
        where = cls("number" if _plain(times) else unit, index, at.reshape(-1))
        if len(index) < 2:
            one = where.label(0) if len(index) else "none"
            raise DataError(
                f"all games fall into one period ({one}): strength over time needs two or more",
                advice=[Advice("take shorter periods with ", Option("over_time", "day"))],
            )
        return where

    def label(self, place: int) -> str:
        """Give a period in words that sort."""
        number = int(self.index[place])
        if self.unit == "number":
            return str(number)
        if self.unit in ("day", "week"):
            return str(np.datetime64(number * 7 + MONDAY if self.unit == "week" else number, "D"))
        if self.unit == "year":
            return f"{1970 + number}"
        if self.unit == "quarter":
            return f"{1970 + number // 4}-Q{number % 4 + 1}"
        return str(np.datetime64(number, "M"))

    @property
    def labels(self) -> tuple[str, ...]:
        """All periods in words."""
        return tuple(self.label(place) for place in range(len(self.index)))

    def place(self, when: object) -> int:
        """Find a period by its words, or the one that a date lies in.

        Fails when
            there is none with games.
        """
        labels = self.labels
        if str(when) in labels:
            return labels.index(str(when))
        try:
            number = _numbers(np.asarray([when if self.unit == "number" else np.datetime64(str(when))]), self.unit)[0]
            return int(np.flatnonzero(self.index == number)[0])
        except (IndexError, ValueError, TypeError, DataError, ParameterError):
            raise ParameterError(f"no games in {when!s}{did_you_mean(str(when), labels)}") from None


def _plain(times: npt.NDArray[np.generic]) -> bool:
    """Tell numbers that count something from dates, and from seconds since 1970."""
    return times.dtype.kind in "iuf" and _second(times) is None


def _second(times: npt.NDArray[np.generic]) -> float | None:
    """Tell how many make a second, where numbers count time since 1970."""
    middle = float(np.median(np.abs(times.astype(float)))) if len(times) else 0.0
    return next((unit for unit in UNITS.values() if SECONDS[0] * unit <= middle < SECONDS[1] * unit), None)


def _numbers(times: npt.NDArray[np.generic], unit: PeriodUnit) -> IntArray:
    """Number the periods of times."""
    if _plain(times):
        if unit not in ("day", "number"):
            raise ParameterError(
                Option("over_time", unit), ": the times are numbers that are no dates; take each as a period with ",
                Option("over_time", "number"),
            )  # fmt: skip
        whole: IntArray = np.floor(times.astype(float)).astype(np.int64)
        return whole
    if unit == "number":
        given = ", ".join(get_args(PeriodUnit)[:-1])
        raise ParameterError(Option("over_time", unit), f": the times are dates; periods of dates are {given}")
    try:
        moments = _moments(times)
    except (ValueError, TypeError) as error:
        raise DataError("times are neither numbers nor dates such as 2024-12-31") from error
    days = moments.astype("datetime64[D]").astype(np.int64)
    months = moments.astype("datetime64[M]").astype(np.int64)
    if unit == "week":
        return (days - MONDAY) // 7
    found: IntArray = {"day": days, "month": months, "quarter": months // 3, "year": months // 12}[unit]
    return found


def _moments(times: npt.NDArray[np.generic]) -> npt.NDArray[np.datetime64]:
    if times.dtype.kind in "iuf":
        return (times.astype(float) / (_second(times) or 1.0)).astype(np.int64).astype("datetime64[s]")
    moments = times.astype("datetime64[us]")
    if np.isnat(moments).any():
        raise ValueError
    return moments
