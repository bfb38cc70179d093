"""Chances that a run of one agent beats a run of another on the same task, with their errors."""

from itertools import combinations

import numpy as np

from equipoise.aggregates.precision import share_ends, summed
from equipoise.aggregates.runs import Runs
from equipoise.results import FloatArray, frozen

__all__ = ["improvements"]


def improvements(runs: Runs, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the chances of all pairs, a tie counting half, with intervals one by one; 1/2 on the diagonal."""
    agents = len(runs.agents)
    chance, low, high = np.full((3, agents, agents), 0.5)
    first, second = np.triu_indices(agents, 1)
    share, variance, degrees, count, most = (
        np.array(column) for column in zip(*(_pair(runs, i, j) for i, j in combinations(range(agents), 2)), strict=True)
    )
    down, up = share_ends(share, variance, degrees, count, most, level)
    chance[first, second], chance[second, first] = share, 1.0 - share
    low[first, second], low[second, first] = down, 1.0 - up
    high[first, second], high[second, first] = up, 1.0 - down
    return frozen(chance), frozen(low), frozen(high)


def _pair(runs: Runs, i: int, j: int) -> tuple[float, float, float, float, float]:
    """Chance and variance of one pair, its degrees of freedom, and the numbers of runs that would be as sure."""
    won, lost = _placements(runs.values[i], runs.values[j]), _placements(runs.values[j], runs.values[i])
    chances = np.nanmean(won, axis=1)
    tasks = len(chances)
    share = float(chances.mean())
    if runs.unit == "task":
        if tasks == 1:
            return share, np.nan, np.nan, np.nan, np.nan
        return share, float(chances.var(ddof=1)) / tasks, tasks - 1.0, float(tasks), float(tasks * tasks)
    counts = np.concatenate([runs.counts[i], runs.counts[j]])
    spread = np.concatenate([_variance(won), _variance(lost)]) / counts / tasks**2
    variance, degrees = summed(spread, counts - 1.0)
    fewer = np.minimum(runs.counts[i], runs.counts[j])
    # Two samples of k are as sure of a chance near one end as k single runs; of one in the middle as half more.
    return share, float(variance), float(degrees), float(fewer.sum()), float(fewer.sum() * fewer.mean())


def _placements(one: FloatArray, other: FloatArray) -> FloatArray:
    """Share of the other's runs that each run beats, a tie counting half: tasks x runs, NaN where there is no run."""
    count = (~np.isnan(other)).sum(axis=1)
    beaten = np.zeros(one.shape)
    for k in range(other.shape[1]):  # one run at a time: all pairs at once would not fit where there are many runs
        single = other[:, k, None]
        beaten += (one > single) + 0.5 * (one == single)
    return np.where(np.isnan(one), np.nan, beaten / count[:, None])


def _variance(values: FloatArray) -> FloatArray:
    """Of the runs of each task, with n - 1."""
    there = ~np.isnan(values)
    count = there.sum(axis=1)
    mean = np.where(there, values, 0.0).sum(axis=1) / count
    squares = np.where(there, (values - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return np.asarray(squares / np.maximum(count - 1.0, 1.0))
