r"""How many more games a pair needs, and how many a design of fixed length would: arrays, one entry a pair.

A game adds on average :math:`g = \delta^2 / (2 (v + \delta^2))` to the log capital of a good bettor, with
:math:`\delta` the distance of the mean score from the null mean and v the variance of a score. The games left are
what is missing to the threshold over g; as long as few games were played, one unit more, for not knowing the best
stake.
"""

from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray

__all__ = ["GamesLeft", "fixed_games", "games_left"]

_MOST = 1e9
_GAMES_OF_PRIOR = 4.0
"""Games that the expected score counts for beside those of the pair itself."""


class GamesLeft(NamedTuple):
    """Games until a pair is decided: if its score is as estimated, and if it is a standard error off either way."""

    expected: FloatArray
    low: FloatArray
    high: FloatArray


def games_left(
    log_evidence: FloatArray,
    threshold: FloatArray,
    total: FloatArray,
    games: FloatArray,
    expected_score: FloatArray,
    variance: FloatArray,
    margin: float | None,
) -> GamesLeft:
    """Games until each pair is decided, either way, or equal within the margin.

    Parameters
    ----------
    log_evidence
        Pairs by claims, as :class:`~equipoise.schedule.pair_evidence.PairEvidence` gives it.
    threshold
        What claims must reach.
    total, games
        Sum of the first's scores, and how many.
    expected_score
        Of the first, from everything else that is known (a rating).
    variance
        Of a single score.
    """
    weight = games + _GAMES_OF_PRIOR
    offset = (total + _GAMES_OF_PRIOR * expected_score) / weight - 0.5
    error = np.sqrt(variance / weight)
    missing = np.maximum(threshold - np.where(offset > 0, log_evidence[:, 0], log_evidence[:, 1]), 0.0)
    equal = (
        np.full_like(missing, np.inf) if margin is None else np.maximum(threshold - log_evidence[:, 2:].min(axis=1), 0)
    )

    def left(distance: FloatArray) -> FloatArray:
        apart = _over_growth(missing, distance, games, variance)
        if margin is None:
            return apart
        return np.minimum(apart, _over_growth(equal, np.maximum(margin - distance, 0.0), games, variance))

    middle = np.maximum(np.abs(offset), 0.5 * error)
    three = np.stack([left(middle), left(middle + error), left(np.maximum(middle - error, 0.25 * error))])
    return GamesLeft(three[0], three.min(axis=0), three.max(axis=0))


def _over_growth(missing: FloatArray, distance: FloatArray, games: FloatArray, variance: FloatArray) -> FloatArray:
    growth = distance**2 / (2.0 * (variance + distance**2))
    growth = np.maximum(growth, 1e-12)
    return np.asarray(np.minimum((missing + np.exp(-games * growth)) / growth, _MOST))


def fixed_games(
    offset: FloatArray, variance: FloatArray, alpha: float, comparisons: int, margin: float | None
) -> FloatArray:
    r"""Games after which a test made once, at alpha over the comparisons, decides a pair in half of the cases.

    :math:`n = z^2 v / \delta^2` tells two players apart whose mean score is 1/2 + delta; where delta is less than half
    the margin m, equality within it takes :math:`(z + 0.67)^2 v / m^2`.
    """
    z = float(scipy.special.ndtri(1.0 - alpha / (2.0 * comparisons)))
    apart = z**2 * variance / np.maximum(offset**2, 1e-12)
    if margin is not None:
        apart = np.where(np.abs(offset) < margin / 2.0, (z + 0.674) ** 2 * variance / margin**2, apart)
    return np.asarray(np.minimum(np.ceil(apart), _MOST))
