r"""Intervals for a mean payoff from its average over independent games.

Hoeffding's interval needs only a known range; Clopper and Pearson's is exact for wins and losses and much tighter near
0 and 1, but says nothing when there are draws or other payoffs in between.

Several tests at once: p-values that hold for all of them together.
"""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from equipoise.core.results import FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Give p-values adjusted so that the chance of any false alarm stays below what they are compared with.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    scaled = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    out = np.empty(len(p))
    out[order] = np.minimum(scaled, 1.0)
    return out


def hoeffding_interval(
    mean: ArrayLike, games: ArrayLike, delta: ArrayLike, *, low: float = 0.0, high: float = 1.0, bonus: ArrayLike = 0.5
) -> tuple[FloatArray, FloatArray]:
    r"""Interval for a mean payoff in a known range; all of the range where nothing was played.

    .. math:: \bar x \pm (b - a) \sqrt{f \log(2/\delta) / n}, \text{ cut to } [a, b]

    The plain inequality has ``bonus`` f = 1/2; a larger one explores more (Rowland et al. 2019, appendix F).

    Examples
    --------
    >>> low, high = hoeffding_interval(0.5, 200, 0.05)
    >>> round(float(low), 3), round(float(high), 3)
    (0.404, 0.596)
    """
    x, n = np.asarray(mean, dtype=float), np.asarray(games, dtype=float)
    half = (high - low) * np.sqrt(np.asarray(bonus) * np.log(2.0 / np.asarray(delta)) / np.maximum(n, 1e-300))
    played = n > 0
    centre = np.where(played, x, low)
    return (
        np.where(played, np.maximum(centre - half, low), low),
        np.where(played, np.minimum(centre + half, high), high),
    )


def clopper_pearson_interval(wins: ArrayLike, games: ArrayLike, delta: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Exact interval for a win probability: each end is missed with probability at most delta/2.

    Examples
    --------
    >>> low, high = clopper_pearson_interval(0, 10, 0.05)
    >>> float(low), round(float(high), 4)
    (0.0, 0.3085)
    """
    w, n = np.asarray(wins, dtype=float), np.asarray(games, dtype=float)
    d = np.asarray(delta, dtype=float)
    lost = n - w
    lower = scipy.special.betaincinv(np.maximum(w, 1e-9), lost + 1.0, d / 2.0)
    upper = scipy.special.betaincinv(w + 1.0, np.maximum(lost, 1e-9), 1.0 - d / 2.0)
    return np.where(w > 0, lower, 0.0), np.where(lost > 0, upper, 1.0)
