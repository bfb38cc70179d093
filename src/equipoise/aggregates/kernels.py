"""Arrays in, arrays out: aggregates of runs on tasks.

Every function takes runs of shape (..., tasks, runs), NaN where there is no such run, and aggregates the last two axes.
"""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from equipoise.core.results import FloatArray

EXACT = 2**53
"""Whole numbers up to here have no rounding."""
Statistic = Literal["mean", "median", "iqm", "optimality_gap"]


def task_means(runs: FloatArray) -> FloatArray:
    """Mean over the runs of each task."""
    there = ~np.isnan(runs)
    return np.asarray(np.where(there, runs, 0.0).sum(axis=-1) / there.sum(axis=-1))


def mean(runs: FloatArray) -> FloatArray:
    """Mean over tasks of the mean over runs."""
    return np.asarray(task_means(runs).mean(axis=-1))


def median(runs: FloatArray) -> FloatArray:
    """Median over tasks of the mean over runs."""
    return np.asarray(np.median(task_means(runs), axis=-1))


def iqm(runs: FloatArray) -> FloatArray:
    """Interquartile mean: all runs of all tasks together, without the lowest and the highest quarter.

    A quarter is rounded down to whole runs, as scipy.stats.trim_mean and rliable do.
    """
    pooled = np.sort(runs.reshape(*runs.shape[:-2], -1), axis=-1)  # NaN goes to the end
    count = (~np.isnan(pooled)).sum(
        axis=-1, keepdims=True
    )  # agents, and bootstrap samples, have numbers of runs of their own
    cut, place = count // 4, np.arange(pooled.shape[-1])
    middle = np.where((place >= cut) & (place < count - cut), pooled, 0.0)
    return np.asarray(middle.sum(axis=-1) / (count - 2 * cut)[..., 0])


def optimality_gap(runs: FloatArray, goal: float = 1.0) -> FloatArray:
    """How far runs fall short of ``goal`` on average; what lies above counts as reaching it. Smaller is better."""
    return np.asarray(goal - mean(np.minimum(runs, goal)))


STATISTICS: dict[Statistic, Callable[[FloatArray], FloatArray]] = {
    "mean": mean,
    "median": median,
    "iqm": iqm,
    "optimality_gap": optimality_gap,
}


def profile(runs: FloatArray, thresholds: FloatArray) -> FloatArray:
    """Share of runs above each threshold, mean over tasks; the thresholds are the last axis of the answer."""
    order = np.argsort(thresholds)
    share = share_above(thresholds_passed(runs, thresholds[order]), len(order))
    return share[..., np.argsort(order)]


def thresholds_passed(runs: FloatArray, thresholds: FloatArray) -> FloatArray:
    """How many of the thresholds, in order, each run is above; NaN where there is no run."""
    return np.where(np.isnan(runs), np.nan, np.searchsorted(thresholds, runs))


def share_above(passed: FloatArray, count: int) -> FloatArray:
    """Share of runs above each of ``count`` thresholds, mean over tasks, from how many of them each run is above."""
    there = ~np.isnan(passed)
    size = there.sum(axis=-1, keepdims=True)
    tasks, once = passed.shape[-2], math.lcm(*np.unique(size).tolist())
    if once * tasks * passed.shape[-1] > EXACT:
        return np.stack([((passed > k).sum(axis=-1) / size[..., 0]).mean(axis=-1) for k in range(count)], axis=-1)
    # The weight of a run is a whole number, so that the share of all runs is exactly 1.
    cell = np.where(there, passed, 0.0).astype(np.int64).reshape(-1, tasks * passed.shape[-1])
    cell += (count + 1) * np.arange(len(cell))[:, None]
    weight = np.where(there, once / size, 0.0)
    sums = np.bincount(cell.ravel(), weight.ravel(), (count + 1) * len(cell)).reshape(-1, count + 1)
    share = sums[:, :0:-1].cumsum(axis=1)[:, ::-1] / (once * tasks)
    return np.asarray(share.reshape(*passed.shape[:-2], count))


def beaten(one: FloatArray, other: FloatArray) -> FloatArray:
    """Chance that a run of ``one`` beats a run of ``other`` on the same task, a tie counting half; mean over tasks."""
    won = np.zeros(np.broadcast_shapes(one.shape[:-1], other.shape[:-1]))
    for k in range(one.shape[-1]):  # one run at a time: all pairs at once would not fit where there are many runs
        single = one[..., k, None]
        won += (single > other).sum(axis=-1) + 0.5 * (single == other).sum(axis=-1)
    pairs = (~np.isnan(one)).sum(axis=-1) * (~np.isnan(other)).sum(axis=-1)
    return np.asarray((won / pairs).mean(axis=-1))
