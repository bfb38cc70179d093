"""Ratings in log-odds, and the same in Elo points."""

import numpy as np

from equipoise.core.results import FloatArray, frozen

ELO_POINT = float(np.log(10) / 400)
"""One Elo point in log-odds."""

LOG_ODDS = "log-odds"
"""Unit of columns that hold ratings: shown in Elo points, from whatever zero a board has."""
DIFFERENCE = "log-odds difference"
"""Unit of columns that hold differences of ratings, or their errors: shown in Elo points, without a zero."""
UNITS = {"rating": LOG_ODDS, "stderr": DIFFERENCE, "low": LOG_ODDS, "high": LOG_ODDS, "points": "Elo points"}
"""Units of the columns in which methods that rate agents by games agree."""


def in_points(rating: FloatArray) -> FloatArray:
    """Bring log-odds to Elo points.

    >>> in_points(np.array([np.log(10), 0.0])).round(6).tolist()
    [400.0, 0.0]
    """
    return frozen(rating / ELO_POINT)
