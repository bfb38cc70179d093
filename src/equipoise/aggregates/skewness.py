r"""How skewed an aggregate may be, as far as few runs tell, and how much further an interval reaches for that.

Student's t takes runs for symmetric. The mean of few waiting times lies too low more often than too high, and its
spread is then small as well: 95% intervals hold in 88%. The skewness of a sum of independent cells adds up as the third
cumulants do,

.. math:: G = \sum_m s_m^3 \frac{g_m}{\sqrt{n_m}}, \qquad s_m^2 = V_m / V,

with the unbiased :math:`g_m` of each cell (k-statistics). An end of an interval reaches :math:`1 + 2 G` times as far as
Student's, G half a standard error more than is seen and no more than runs as skewed as waiting times would have. Two
runs show no skewness; a quarter of that one is taken for granted.
"""

import numpy as np

from equipoise.core.results import FloatArray

__all__ = ["REACH", "skewness_bounds"]

REACH = 2.0
"""How many times its skewness an interval reaches further."""
MORE = 0.5
"""Standard errors by which the skewness is taken for larger than it looks."""
MOST, UNSEEN = 2.0, 0.5
"""Skewness of single runs: the most that is taken into account, and what is assumed of two runs."""


def skewness_bounds(values: FloatArray, variances: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bound the skewness of weighted sums of the cells' means, upwards and downwards, one pair for each agent.

    Runs are agents x tasks x runs, NaN-padded; ``variances`` are those of the cells' means.
    """
    there = ~np.isnan(values)
    count = there.sum(axis=2)
    mean = np.where(there, values, 0.0).sum(axis=2) / count
    spread = np.sqrt(variances * count)
    away = np.where(there, values - mean[:, :, None], 0.0) / np.where(spread > 0, spread, 1.0)[:, :, None]
    alike = (away == 0).all(axis=2) & (spread > 0)
    shown = (count > 2) & ~alike
    known = np.where(shown, count, 3)
    factor = known / ((known - 1.0) * (known - 2.0))
    error = np.abs(weight) * np.sqrt(variances)
    largest = error.max(axis=1, keepdims=True)
    scaled = error / np.where(largest > 0, largest, 1.0)
    total = np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    # What a skewness of 1 of a cell's single runs adds to that of the sum.
    part = (scaled / np.where(total > 0, total, 1.0)) ** 3 / np.sqrt(count)
    seen = np.where(shown, np.sign(weight) * part * factor * (away**3).sum(axis=2), 0.0).sum(axis=1)
    unsure = np.sqrt(np.where(shown, part**2 * 6.0 * factor, 0.0).sum(axis=1))
    most = MOST * np.where(shown, part, 0.0).sum(axis=1)
    unseen = UNSEEN * np.where(shown | alike, 0.0, part).sum(axis=1)
    # Runs that all succeed, or all reach the goal, though others would not: what is rare is skewed.
    unseen += MOST * np.sqrt(np.where(alike, part**2, 0.0).sum(axis=1))
    up, down = (np.clip(sign * seen + MORE * unsure, 0.0, most) + unseen for sign in (1.0, -1.0))
    return up, down
