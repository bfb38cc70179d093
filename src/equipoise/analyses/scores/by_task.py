"""Where two agents differ: their scores task by task, each difference with its own interval where runs are repeated.

Runs of two agents on one task vary by different amounts, so the interval is Welch's: with variances v_i of n_i runs the
difference of means has variance v_1/n_1 + v_2/n_2 and the degrees of freedom of Satterthwaite. Nothing is said of the
spread of runs that are all alike, nor of passes and fails, of which a handful has no such interval.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray
from equipoise.inference.pass_fail import is_pass_fail


@dataclass(frozen=True, slots=True, eq=False)
class ByTask:
    """How far one agent is ahead of another on each task.

    Attributes
    ----------
    first, other
        The two.
    tasks
        All tasks.
    mean, other_mean
        Their mean scores on each.
    low, high
        Interval of the difference, of one task by itself; NaN where there is none.
    level
        Of the intervals.
    """

    first: str
    other: str
    tasks: tuple[str, ...]
    mean: FloatArray
    other_mean: FloatArray
    low: FloatArray
    high: FloatArray
    level: float

    @property
    def tested(self) -> int:
        """On how many tasks there is an interval."""
        return int((~np.isnan(self.low)).sum())

    @property
    def answer(self) -> tuple[str, ...]:
        """On how many tasks each is better, and how many would be so by chance."""
        difference, n = self.mean - self.other_mean, len(self.tasks)
        if not self.tested:
            higher, lower = int((difference > 0).sum()), int((difference < 0).sum())
            return (f"{self.first} scores higher on {higher:,} of {n:,} tasks, {self.other} on {lower:,}.",)
        ahead, behind = int((self.low > 0).sum()), int((self.high < 0).sum())
        chance = (1.0 - self.level) * self.tested
        each = f"intervals are of one task at a time, so about {chance:.1g} of them would exclude 0 by chance"
        better = f"{self.first} is significantly better on {ahead:,} of {n:,} tasks, {self.other} on {behind:,}"
        return (f"{better}; {each}.",)

    def frame(self) -> "pl.DataFrame":
        """Give the tasks, the largest difference either way first."""
        difference = self.mean - self.other_mean
        columns = {
            "task": self.tasks, "difference": difference, "low": self.low, "high": self.high,
            "mean": self.mean, "other_mean": self.other_mean,
        }  # fmt: skip
        order = np.argsort(-np.abs(difference), kind="stable")
        return pl.DataFrame(columns)[order].with_columns(pl.col("low", "high").fill_nan(None))


def by_task(
    agents: tuple[str, ...], tasks: tuple[str, ...], values: FloatArray, first: int, other: int, level: float
) -> ByTask:
    """Compare two agents task by task; ``values`` are agents x tasks x runs, padded with NaN."""
    parts = [_cells(values[i]) for i in (first, other)]
    (one, variance, count), (two, other_variance, other_count) = parts
    known = (variance > 0) & (other_variance > 0) & (count > 1) & (other_count > 1)
    known &= not is_pass_fail(values)
    of_means, of_others = np.where(known, variance / count, 1.0), np.where(known, other_variance / other_count, 1.0)
    both = of_means + of_others
    freedom = both**2 / (of_means**2 / np.maximum(count - 1, 1) + of_others**2 / np.maximum(other_count - 1, 1))
    reach = scipy.stats.t.ppf(0.5 + level / 2.0, freedom) * np.sqrt(both)
    difference = one - two
    return ByTask(
        agents[first], agents[other], tasks, one, two, np.where(known, difference - reach, np.nan),
        np.where(known, difference + reach, np.nan), level,
    )  # fmt: skip


def _cells(runs: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the mean, the variance and the number of runs of each cell; runs that are all alike vary by nothing."""
    there = ~np.isnan(runs)
    count = there.sum(axis=1).astype(float)
    mean = np.where(there, runs, 0.0).sum(axis=1) / np.maximum(count, 1.0)
    squares = np.where(there, (runs - mean[:, None]) ** 2, 0.0).sum(axis=1)
    alike = np.nanmax(runs, axis=1) == np.nanmin(runs, axis=1)
    return mean, np.where(alike, 0.0, squares / np.maximum(count - 1.0, 1.0)), count
