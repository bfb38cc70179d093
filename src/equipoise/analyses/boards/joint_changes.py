"""How far the largest of several changes goes by chance: changes are drawn from their joint normal distribution.

Changes against the median agent share the error of that median, and ratings that sum to zero go against each other.
With three or four agents both matter: intervals made as if changes were independent (Sidak) are left by 7% to 10%.
"""

from collections.abc import Iterator

import numpy as np
import scipy

from equipoise.core.results import FloatArray

DRAWS = 4000
"""Draws of all changes: the level of the quantile of the largest is known within 0.35% (a standard error)."""
FEW_AGENTS = 10
"""Up to so many agents, one that truly changed moves the median of the others beyond what chance does."""
HALF = (0.5 - 1e-9, 0.5 + 1e-9)


def independent_variances(variance: FloatArray, share: FloatArray) -> FloatArray:
    r"""Give the variances q of independent errors that leave these ones of ratings less their mean.

    The mean has the shares w, so that :math:`v_i = (1 - 2 w_i) q_i + \sum_j w_j^2 q_j` (quasi-variances, Firth and
    de Menezes 2004). Where no q gives these v, they are not below them. Unknown variances stay unknown.
    """
    known = np.isfinite(variance)
    v, w = variance[known], share[known] / max(float(share[known].sum()), 1e-300)
    found = np.full(len(variance), np.nan)
    if len(v) < 2:
        found[known] = v
        return found
    table = np.diag(1.0 - 2.0 * w) + w**2
    q = scipy.optimize.nnls(table, v)[0]
    found[known] = q + np.maximum(0.0, v - table @ q) / np.maximum(1.0 - w, 0.5) ** 2
    return found


def medians(values: FloatArray, weight: FloatArray) -> FloatArray:
    """Weighted median of each row; the middle of two values that halve the weight."""
    order = np.argsort(values, axis=1, kind="stable")
    passed = np.cumsum(weight[order], axis=1) / weight.sum()
    ends = [np.take_along_axis(order, np.argmax(passed >= half, axis=1)[:, None], axis=1) for half in HALF]
    lower, upper = (np.take_along_axis(values, at, axis=1)[:, 0] for at in ends)
    return np.asarray(np.where(lower == upper, lower, (lower + upper) / 2.0))


def joint_reach(
    covariance: FloatArray, level: float, degrees: float, *, weight: FloatArray | None = None,
    share: FloatArray | None = None,
) -> FloatArray:  # fmt: skip
    """Give how far intervals of all changes reach together, against their weighted median or a mean with shares.

    Of few agents one may have changed truly, up or down: what holds for the others in each of these cases is taken.
    """
    values, vectors = np.linalg.eigh(covariance)
    rng = np.random.default_rng(0)
    drawn = rng.standard_normal((DRAWS, len(values))) @ (vectors * np.sqrt(np.clip(values, 0.0, None))).T
    scale = np.sqrt(degrees / rng.chisquare(degrees, DRAWS)) if np.isfinite(degrees) else np.ones(DRAWS)
    zero = drawn @ share if share is not None else medians(drawn, weight) if weight is not None else 0.0 * drawn[:, 0]
    spread = np.sqrt(np.mean((drawn - zero[:, None]) ** 2, axis=0))
    spread[spread <= 1e-9 * spread.max()] = 0.0
    sizes = np.where(spread > 0.0, spread, np.inf)
    reached = [_largest(drawn - zero[:, None], sizes)]
    if share is None and weight is not None and 3 <= len(weight) <= FEW_AGENTS:
        reached += [_largest(part, np.delete(sizes, agent)) for agent, part in _beside(drawn, weight)]
    return np.asarray(max(np.quantile(one * scale, level) for one in reached) * spread)


def _largest(drawn: FloatArray, sizes: FloatArray) -> FloatArray:
    return np.asarray(np.max(np.abs(drawn) / sizes, axis=1))


def _beside(drawn: FloatArray, weight: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    """Give the changes of the others against the median where one agent rose or fell a lot."""
    for agent in map(int, np.flatnonzero(weight < weight.sum() / 2.0 * (1.0 - 1e-6))):
        for far in (-np.inf, np.inf):
            moved = drawn.copy()
            moved[:, agent] = far
            yield agent, np.delete(drawn, agent, axis=1) - medians(moved, weight)[:, None]
