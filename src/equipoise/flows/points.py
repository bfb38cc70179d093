"""Ratings in log-odds, and the same in Elo points."""

import numpy as np

from equipoise.core.results import FloatArray, frozen

__all__ = ["ELO_POINT", "UNITS", "in_points"]

ELO_POINT = float(np.log(10) / 400)
"""One Elo point in log-odds."""

UNITS = {
    "rating": "log-odds",
    "stderr": "log-odds",
    "low": "log-odds",
    "high": "log-odds",
    "points": "Elo points",
}
"""Units of the columns in which methods that rate agents by games agree."""


def in_points(rating: FloatArray) -> FloatArray:
    """Bring log-odds to Elo points.

    >>> in_points(np.array([np.log(10), 0.0])).round(6).tolist()
    [400.0, 0.0]
    """
    return frozen(rating / ELO_POINT)
