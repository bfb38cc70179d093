"""Units of ratings: log-odds, and the same in Elo points.

Arrays of results hold ratings in log-odds. Whatever has column headers (frames, tables, JSON, CSV, pages) has them in
Elo points: columns declare that as their unit, and :func:`in_declared_units` brings them there, once.
"""

from collections.abc import Mapping

import numpy as np

from equipoise.core.lazy import pl
from equipoise.core.results import Estimate, FloatArray, Result, frozen

ELO_POINT = float(np.log(10) / 400)
"""One Elo point in log-odds."""

LOG_ODDS = "log-odds"
"""Unit of ratings as arrays hold them; a column that declares it is shown in Elo points."""
DIFFERENCE = "log-odds difference"
"""Unit of differences of ratings, or of their errors, as arrays hold them; shown in Elo points, without a zero."""
POINTS = "Elo points"
"""Unit of columns of frames that hold ratings; arrays of the same name are in log-odds."""
POINTS_DIFFERENCE = "Elo points difference"
"""Unit of columns of frames that hold differences of ratings, or their errors; arrays are in log-odds."""
UNITS: Mapping[str, str] = {"rating": POINTS, "stderr": POINTS_DIFFERENCE, "low": POINTS, "high": POINTS}
"""Units of the columns in which methods that rate agents by games agree."""
RATINGS: Mapping[str, float] = {LOG_ODDS: 1.0, POINTS: ELO_POINT}
"""Units of ratings, with how many log-odds one of them is."""
DIFFERENCES: Mapping[str, float] = {DIFFERENCE: 1.0, POINTS_DIFFERENCE: ELO_POINT}
"""Units of differences of ratings, likewise."""
_IN_FRAMES = {LOG_ODDS: POINTS, DIFFERENCE: POINTS_DIFFERENCE}


def in_points(rating: FloatArray) -> FloatArray:
    """Bring log-odds to Elo points.

    >>> in_points(np.array([np.log(10), 0.0])).round(6).tolist()
    [400.0, 0.0]
    """
    return frozen(rating / ELO_POINT)


def estimate_in_points(estimate: Estimate) -> Estimate:
    """Bring a difference of ratings, with its uncertainty, from log-odds to Elo points."""
    value, stderr, low, high = (x / ELO_POINT for x in (estimate, estimate.stderr, estimate.low, estimate.high))
    return Estimate(value, stderr, low, high)


def estimate_words(estimate: Estimate) -> str:
    """Say a difference of ratings, given in log-odds, in Elo points with its interval where it has one.

    >>> estimate_words(Estimate(0.0921, 0.01, 0.0691, 0.115))
    '+16 Elo points (+12 to +20)'
    """
    size, low, high = (value / ELO_POINT for value in (float(estimate), estimate.low, estimate.high))
    sure = f" ({low:+.0f} to {high:+.0f})" if np.isfinite(low) else ""
    return f"{size:+.0f} Elo points{sure}"


def in_declared_units(table: "pl.DataFrame", units: Mapping[str, str]) -> "pl.DataFrame":
    """Bring columns of a frame that hold log-odds, as arrays do, to the Elo points that they declare."""
    shown = [name for name in table.columns if units.get(name) in (POINTS, POINTS_DIFFERENCE)]
    return table.with_columns(_column_in_points(table[name]) for name in shown)


def _column_in_points(column: "pl.Series") -> "pl.Series":
    """Divide as :func:`in_points` does, to the last bit; null stays null."""
    shown = pl.Series(column.name, column.to_numpy() / ELO_POINT)
    return shown.set(column.is_null(), None) if column.null_count() else shown


def frame_in_points(result: Result) -> "pl.DataFrame":
    """Give the frame of a result, with what a method of another package left in log-odds in Elo points."""
    left = {name: unit_in_frames(unit) for name, unit in result.units.items() if unit in _IN_FRAMES}
    return in_declared_units(result.frame(), left)


def units_in_points(units: Mapping[str, str]) -> dict[str, str]:
    """Give the units of the columns of :func:`frame_in_points`."""
    return {name: unit_in_frames(unit) for name, unit in units.items()}


def units_with_errors(name: str, unit: str) -> dict[str, str]:
    """Give the units of a number in ``unit``, of the ends of its interval and of its standard error."""
    spread = POINTS_DIFFERENCE if unit == POINTS else DIFFERENCE if unit == LOG_ODDS else unit
    return {name: unit, "stderr": spread, "low": unit, "high": unit}


def unit_in_frames(unit: str) -> str:
    """Give the unit in which frames show what an array holds in ``unit``."""
    return _IN_FRAMES.get(unit, unit)


def units_in_words(units: Mapping[str, str]) -> dict[str, str]:
    """Give units as people read them above what is shown: differences of ratings are in the same points as ratings.

    >>> units_in_words({"low": POINTS, "change": DIFFERENCE, "p": "share"})
    {'low': 'Elo points', 'change': 'Elo points', 'p': 'share'}
    """
    return {name: POINTS if unit in RATINGS or unit in DIFFERENCES else unit for name, unit in units.items()}
