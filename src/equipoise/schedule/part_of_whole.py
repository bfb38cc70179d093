r"""What a random part of a finite whole says of its mean, valid however often one looks.

Scores in [0, 1] are drawn without replacement from N. If the mean of all is mu, the next one has the conditional mean

.. math:: m_i = \frac{N \mu - \sum_{j < i} x_j}{N - i + 1},

so that :math:`\prod_i (1 + c (x_i / m_i - 1))` is a non-negative martingale for every share c of the capital, and their
mean over fixed shares ever reaches 1/a with probability at most a (Ville). As the part grows the interval shrinks to
the mean itself.

Reference: Waudby-Smith and Ramdas (2020), Confidence sequences for sampling without replacement.
"""

import math

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.schedule.stopping import SHARES

STEPS = 40
"""Halvings that find an end."""


def whole_mean(scores: FloatArray, size: int, level: float) -> tuple[float, float]:
    """Give the confidence sequence of the mean of all ``size`` scores, from some of them in random order.

    Examples
    --------
    >>> low, high = whole_mean(np.array([1.0, 0.0, 1.0, 1.0] * 50), 1000, 0.95)
    >>> bool(low < 0.75 < high), whole_mean(np.array([1.0, 0.0]), 2, 0.95)
    (True, (0.5, 0.5))
    """
    needed = -math.log((1.0 - level) / 2.0)
    total, rest = float(scores.sum()), size - scores.size
    low = _lower_end(scores, size, needed)
    high = 1.0 - _lower_end(1.0 - scores, size, needed)
    return max(low, total / size), min(high, (total + rest) / size)


def _lower_end(scores: FloatArray, size: int, needed: float) -> float:
    """The smallest mean of all that the bets have never refuted: it lies between what is known and all that can be."""
    low = float(scores.sum()) / size
    high = (float(scores.sum()) + size - scores.size) / size
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _most_capital(scores, size, middle) >= needed else (low, middle)
    return low


def _most_capital(scores: FloatArray, size: int, mean: float) -> float:
    """The logarithm of the largest capital so far that bets against a mean this small have made."""
    if not scores.size:
        return 0.0
    before = np.concatenate([[0.0], np.cumsum(scores)[:-1]])
    expected = (size * mean - before) / (size - np.arange(scores.size))
    if np.any((expected <= 0.0) & (scores > 0.0)):
        return math.inf
    gain = np.where(expected > 0.0, scores / np.where(expected > 0.0, expected, 1.0) - 1.0, 0.0)
    growth = np.cumsum(np.log1p(SHARES[:, None] * gain), axis=1)
    return float(np.logaddexp.reduce(growth, axis=0).max() - math.log(SHARES.size))
