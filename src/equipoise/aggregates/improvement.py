"""Chances that a run of one agent beats a run of another on the same task, with their errors."""

import numpy as np

from equipoise.aggregates.precision import share_ends, summed
from equipoise.aggregates.runs import Runs
from equipoise.core.results import FloatArray, frozen

__all__ = ["improvements"]


def improvements(runs: Runs, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the chances of all pairs, a tie counting half, with intervals one by one; 1/2 on the diagonal."""
    agents = len(runs.agents)
    chance, low, high = np.full((3, agents, agents), 0.5)
    first, second = np.triu_indices(agents, 1)
    share, variance, degrees, count, most = (
        np.concatenate(column) for column in zip(*(_against(runs, i) for i in range(agents - 1)), strict=True)
    )
    down, up = share_ends(share, variance, degrees, count, most, level)
    chance[first, second], chance[second, first] = share, 1.0 - share
    low[first, second], low[second, first] = down, 1.0 - up
    high[first, second], high[second, first] = up, 1.0 - down
    return frozen(chance), frozen(low), frozen(high)


def _against(runs: Runs, i: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Chances and variances of an agent against all behind it, and how sure they are.

    These are the degrees of freedom, and the numbers of runs that would be as sure.
    """
    own, others = runs.values[i], runs.values[i + 1 :]
    won, lost = _placements(np.broadcast_to(own, others.shape), others), _placements(others, own)
    chances = np.nanmean(won, axis=-1)
    share, tasks = chances.mean(axis=-1), chances.shape[-1]
    if runs.unit == "task":
        if tasks == 1:
            nothing = np.full(len(share), np.nan)
            return share, nothing, nothing, nothing, nothing
        size = np.full(len(share), float(tasks))
        return share, chances.var(axis=-1, ddof=1) / tasks, size - 1.0, size, size * tasks
    behind = runs.counts[i + 1 :]
    counts = np.concatenate([np.broadcast_to(runs.counts[i], behind.shape), behind], axis=-1)
    spread = np.concatenate([_variance(won), _variance(lost)], axis=-1) / counts / tasks**2
    variance, degrees = summed(spread, counts - 1.0)
    fewer = np.minimum(runs.counts[i], behind)
    # Two samples of k are as sure of a chance near one end as k single runs; of one in the middle as half more.
    return share, variance, degrees, fewer.sum(axis=-1) * 1.0, fewer.sum(axis=-1) * fewer.mean(axis=-1)


def _placements(one: FloatArray, other: FloatArray) -> FloatArray:
    """Share of the other's runs that each run beats, a tie counting half, in the shape of ``one``: tasks x runs last.

    NaN where there is no run.
    """
    count = (~np.isnan(other)).sum(axis=-1, keepdims=True)
    beaten = np.zeros(one.shape)
    for k in range(other.shape[-1]):  # one run at a time: all pairs at once would not fit where there are many runs
        single = other[..., k, None]
        beaten += (one > single) + 0.5 * (one == single)
    return np.where(np.isnan(one), np.nan, beaten / count)


def _variance(values: FloatArray) -> FloatArray:
    """Of the runs of each task, with n - 1."""
    there = ~np.isnan(values)
    count = there.sum(axis=-1)
    mean = np.where(there, values, 0.0).sum(axis=-1) / count
    squares = np.where(there, (values - mean[..., None]) ** 2, 0.0).sum(axis=-1)
    return np.asarray(squares / np.maximum(count - 1.0, 1.0))
