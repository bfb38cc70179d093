"""Kernels of the agents' side: difficulty bins, empirical curves, regularity, generality, slope, dominance.

All take results as agents x tasks with NaN for a missing cell.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.results import FloatArray

ITEMS_PER_BIN = 10
TIE = 1e-6
"""Difficulties nearer to each other than this are one."""
LEAST_BINS = 4


class AgentCurves(NamedTuple):
    """Empirical agent curves: mean difficulty of each bin; mean and variance of each agent's results in it."""

    difficulty: FloatArray
    mean: FloatArray
    variance: FloatArray


def bin_count(items: int) -> int:
    """Return about ten items a bin, and at least four bins.

    >>> bin_count(37), bin_count(200)
    (4, 20)
    """
    return max(LEAST_BINS, items // ITEMS_PER_BIN)


def difficulty_bins(difficulty: FloatArray, bins: int) -> NDArray[np.intp]:
    """Return each item's bin, easiest first, bins of equal count as nearly as possible."""
    order = np.argsort(difficulty, kind="stable")
    out = np.empty(len(difficulty), dtype=np.intp)
    for k, part in enumerate(np.array_split(order, bins)):
        out[part] = k
    return out


def bin_shares(difficulty: FloatArray, bins: int) -> FloatArray:
    """Return the share of each item (rows) in each bin (columns): items of one difficulty share their bins equally.

    Without ties an item is in one bin. With ties the order of the items in a file would decide otherwise.

    >>> bin_shares(np.array([1.0, 2.0, 2.0, 3.0]), 2).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [0.0, 1.0]]
    """
    order = np.argsort(difficulty, kind="stable")
    new = np.diff(difficulty[order], prepend=-np.inf) > TIE * (1.0 + np.abs(difficulty[order]))
    tie = np.empty(len(order), dtype=np.intp)
    tie[order] = np.cumsum(new) - 1
    place = np.zeros((tie.max() + 1, bins))
    np.add.at(place, (tie, difficulty_bins(difficulty, bins)), 1.0)
    return np.asarray((place / place.sum(axis=1, keepdims=True))[tie])


def agent_curves(results: FloatArray, difficulty: FloatArray, bins: int, ddof: int = 0) -> AgentCurves:
    """Return mean and variance (divided by the count less ``ddof``) of every agent's results in each difficulty bin."""
    member = bin_shares(difficulty, bins)
    known = ~np.isnan(results)
    filled = np.where(known, results, 0.0)
    count = known @ member
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, (filled @ member) / count, np.nan)
        variance = np.where(count > 0, _squares(results, mean, member) / np.maximum(count - ddof, 1.0), np.nan)
    return AgentCurves((difficulty @ member) / member.sum(axis=0), mean, variance)


def _squares(results: FloatArray, mean: FloatArray, member: FloatArray) -> FloatArray:
    """Return the sums of squared deviations from the mean of each bin: a bin holds few of the items, side by side."""
    bin_of, item = np.nonzero(member.T)
    there, first = np.unique(bin_of, return_index=True)
    apart = results.take(item, axis=1)
    apart -= mean.take(bin_of, axis=1)
    apart *= apart
    apart *= member[item, bin_of]
    squares = np.zeros_like(mean)
    squares[:, there] = np.add.reduceat(np.where(np.isnan(apart), 0.0, apart), first, axis=1)
    return squares


def inverse_variance(variance: FloatArray) -> FloatArray:
    """Return 1 / variance, infinite at zero; NaN stays NaN.

    Rounding leaves crumbs of variance where all results are equal; they count as zero.
    """
    out = np.full(variance.shape, np.inf)
    np.divide(1.0, variance, out=out, where=~(variance < 1e-24))
    return out


def regularity_of(results: FloatArray, ddof: int = 0) -> FloatArray:
    """Return 1 / variance (divided by the count less ``ddof``) of each agent's results."""
    known = ~np.isnan(results)
    count = known.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, results, 0.0).sum(axis=1) / count
        variance = np.where(known, (results - mean[:, None]) ** 2, 0.0).sum(axis=1) / np.maximum(count - ddof, 1)
    return inverse_variance(np.where(count > 0, variance, np.nan))


def generality_of(variance: FloatArray) -> FloatArray:
    """Return equation 3: one over the summed within-bin variances."""
    return inverse_variance(variance.sum(axis=1))


def slope_at_half(difficulty: FloatArray, mean: FloatArray) -> FloatArray:
    """Return how steeply each empirical curve falls where it crosses one half; NaN where it never does.

    Straight lines join the bins. Among several downward crossings the steepest counts, as the slope of a
    curve that went back up in between says little.
    """
    with np.errstate(invalid="ignore", divide="ignore"):  # bins of a resample may be of one difficulty
        fall = -np.diff(mean, axis=1) / np.diff(difficulty)
    crosses = (mean[:, :-1] >= 0.5) & (mean[:, 1:] <= 0.5) & (fall > 0)
    best = np.where(crosses, fall, -np.inf).max(axis=1)
    return np.where(np.isfinite(best), best, np.nan)


def dominance_of(results: FloatArray) -> NDArray[np.bool_]:
    """Return whether agent i did at least as well as j wherever both have results, and better somewhere."""
    agents = len(results)
    out = np.zeros((agents, agents), dtype=bool)
    for i in range(agents):
        with np.errstate(invalid="ignore"):
            gap = results[i] - results
        both = ~np.isnan(gap)
        out[i] = (np.all((gap >= 0) | ~both, axis=1)) & np.any(gap > 0, axis=1)
    return out
