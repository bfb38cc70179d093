r"""How sure aggregates are, with as few runs as there are: errors, degrees of freedom, and the intervals they make.

A statistic moves with each task as its influence says: a mean with every task alike, an interquartile mean with the
runs between the quartiles, a median with the tasks that may stand in the middle. The variance is the sum over tasks of
their own, each estimated from few runs; how well the sum is known, its degrees of freedom say (Satterthwaite):

.. math:: V = \sum_m V_m, \qquad \nu = V^2 / \sum_m \frac{V_m^2}{n_m - 1}.

A bootstrap of two or three runs knows less of their spread than it shows; Student's t with these degrees makes up.

Student's t takes runs for symmetric. The mean of few waiting times lies too low more often than too high, and its
spread is then small as well: 95% intervals hold in 88%. The skewness of a sum of independent cells adds up as the third
cumulants do,

.. math:: G = \sum_m s_m^3 \frac{g_m}{\sqrt{n_m}}, \qquad s_m^2 = V_m / V,

with the unbiased :math:`g_m` of each cell (k-statistics). An end of an interval is :math:`1 + 2 G` times as far away as
Student's, G half a standard error more than is seen and no more than runs as skewed as waiting times would have. Two
runs show no skewness; a quarter of that one is taken for granted.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import scipy

from equipoise.aggregates.kernels import STATISTICS, Statistic, task_means
from equipoise.aggregates.runs import Runs
from equipoise.aggregates.shared_runs import RunComponent, RunSums, run_component, run_notes
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import some_of
from equipoise.core.results import FloatArray, frozen
from equipoise.inference.ranks import simultaneous_quantile

PER_SKEWNESS = 2.0
"""How many times its skewness an interval is wider on one side."""
MORE = 0.5
"""Standard errors by which the skewness is taken for larger than it looks."""
MOST, UNSEEN = 2.0, 0.5
"""Skewness of single runs: the most that is taken into account, and what is assumed of two runs."""
GOAL = 1.0
"""Of the optimality gap."""
FEW, ENOUGH = 5.0, 13.0
"""Degrees of freedom below which intervals are said to be wide for want of runs, and from which by a third at most."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Precision:
    """Estimates of agents with their joint error.

    Attributes
    ----------
    covariance
        Of the estimates; agents are independent where runs are drawn, and share the tasks where these are.
    degrees, pair_degrees
        Of freedom: of each agent's variance, and of the variance of each difference.
    allowance
        By what an interval is wider on either side, for bias.
    skew_up, skew_down
        How skewed each estimate may be to either side.
    component
        What runs share over tasks, where runs are drawn.
    """

    estimate: FloatArray
    covariance: FloatArray
    degrees: FloatArray
    pair_degrees: FloatArray
    allowance: FloatArray
    skew_up: FloatArray
    skew_down: FloatArray
    component: RunComponent | None = None

    @property
    def variance(self) -> FloatArray:
        """Of each agent's estimate."""
        return np.diag(self.covariance)

    def ends(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Give an interval for each agent, one by one."""
        half = _half_widths(np.sqrt(self.variance), self.degrees, (1 - level) / 2)
        down, up = ((1.0 + PER_SKEWNESS * skew) * half + self.allowance for skew in (self.skew_down, self.skew_up))
        return frozen(self.estimate - down), frozen(self.estimate + up)

    def difference_widths(self, level: float, rng: np.random.Generator) -> FloatArray:
        """How far simultaneous intervals of all differences extend above: [i, j] for i less j, so below it is [j, i].

        The normal distribution says how rare a single difference must be for intervals to be simultaneous; each pair's
        own t distribution says how far that is. Pairs whose errors were estimated apart are thereby too careful.
        """
        variance = self.variance
        if np.isnan(variance).any():
            return self.covariance
        spread = np.sqrt(np.clip(variance[:, None] + variance - 2 * self.covariance, 0.0, None))
        pairs = max(len(variance) * (len(variance) - 1) // 2, 1)
        single = -scipy.special.ndtri((1 - level ** (1 / pairs)) / 2)  # Sidak: as if all pairs were independent
        critical = single if pairs == 1 else min(simultaneous_quantile(self.covariance, spread, level, rng), single)
        half = _half_widths(spread, self.pair_degrees, float(scipy.special.ndtr(-critical)))
        square = np.where(spread > 0, spread, 1.0)
        own = (np.sqrt(variance)[:, None] / square) ** 3
        skew = own * self.skew_up[:, None] + own.T * self.skew_down
        return np.asarray((1.0 + PER_SKEWNESS * skew) * half + self.allowance[:, None] + self.allowance)


def _half_widths(error: FloatArray, degrees: FloatArray, tail: float) -> FloatArray:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(error == 0, 0.0, -scipy.special.stdtrit(degrees, tail) * error))


def precision(runs: Runs, statistic: Statistic, n: int, rng: np.random.Generator) -> Precision:
    """Give a statistic of all agents with its joint error; ``n`` draws where only a simulation knows it (medians)."""
    estimate = STATISTICS[statistic](runs.values)
    if runs.unit == "tasks":
        return _over_tasks(runs, statistic, estimate, n, rng)
    if statistic == "median":
        return _median_over_runs(runs, estimate, n, rng)
    moved, weight, kept = _influence(runs, statistic)
    variances = runs.variance_of(moved.values)
    # Few runs of a cell are often all beyond an end, and then all alike, though more of them would not be.
    variances = np.where(variances > 0, variances, moved.expected_variance(runs))
    parts = weight**2 * variances
    _, degrees = summed(parts, runs.freedom)
    skew = skewness_bounds(moved.values, variances, weight)
    sums = RunSums.of(moved.values, weight, parts, runs.linked)
    # Of a trimmed sample only the part that is kept tells how much it spreads (Yuen 1974).
    component = run_component(sums, np.maximum(degrees * kept, 1.0), runs.shared)
    return _independent(estimate, component, np.zeros(len(estimate)), skew)


def summed(parts: FloatArray, degrees: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sum variances over the last axis, with Satterthwaite's degrees of freedom of the sum."""
    total = parts.sum(axis=-1)
    share = parts / np.where(total > 0, total, 1.0)[..., None]
    with np.errstate(divide="ignore"):
        together = 1.0 / (share**2 / degrees).sum(axis=-1)
    return total, np.where(total > 0, together, np.inf)


@dataclass(frozen=True, slots=True, eq=False)
class _Moved:
    """Runs as far as they move a statistic: those beyond the ends of each agent are pulled in."""

    values: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def within(cls, values: FloatArray, low: FloatArray, high: FloatArray) -> "_Moved":
        with np.errstate(invalid="ignore"):
            return cls(np.clip(values, low[:, None, None], high[:, None, None]), low, high)

    def expected_variance(self, runs: Runs) -> FloatArray:
        """Variance of the mean of normal runs with the mean and spread that a cell has, when these are pulled in."""
        spread = np.sqrt(runs.variance_of(runs.values) * runs.counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b = ((end[:, None] - task_means(runs.values)) / spread for end in (self.low, self.high))
            left, right = np.maximum(a, -40.0), np.minimum(b, 40.0)
            below, above = scipy.special.ndtr(left), scipy.special.ndtr(-right)
            at_left, at_right = (np.exp(-(end**2) / 2) / np.sqrt(2 * np.pi) for end in (left, right))
            mean = left * below + right * above + at_left - at_right
            square = left**2 * below + right**2 * above + 1 - below - above + left * at_left - right * at_right
            variance = spread**2 * np.clip(square - mean**2, 0.0, 1.0) / runs.counts
        return np.asarray(np.where(spread > 0, variance, 0.0))


def _influence(runs: Runs, statistic: Statistic) -> tuple[_Moved, FloatArray, FloatArray]:
    """Runs as far as they move a statistic, the weight of the mean of a cell's then, and the share kept of all."""
    agents, tasks = runs.counts.shape
    if statistic == "iqm":
        pooled = np.sort(runs.values.reshape(agents, -1), axis=1)
        total = runs.counts.sum(axis=1)
        cut = total // 4
        kept = total - 2 * cut
        low, high = (np.take_along_axis(pooled, end[:, None], axis=1)[:, 0] for end in (cut, total - cut - 1))
        # What is cut off is pulled in to the last run that is kept: winsorised, as Tukey and McLaughlin do.
        weight = runs.counts / np.sqrt(kept * np.maximum(kept - 1.0, 1.0))[:, None]
        known = np.maximum(kept - 1.0, 1.0) / np.maximum(total - 1.0, 1.0)
        return _Moved.within(runs.values, low, high), weight, known
    nowhere = np.full(agents, np.inf)
    high, sign = (nowhere, 1.0) if statistic == "mean" else (np.full(agents, GOAL), -1.0)  # better runs, less of a gap
    return _Moved.within(runs.values, -nowhere, high), np.full((agents, tasks), sign / tasks), np.ones(agents)


def _independent(
    estimate: FloatArray,
    component: RunComponent,
    allowance: FloatArray,
    skew: tuple[FloatArray, FloatArray],
) -> Precision:
    """Join agents that were run apart: the variance of a difference is a sum of two (Welch)."""
    agents, variance, degrees = len(estimate), component.variance, component.degrees
    both = np.stack(np.broadcast_arrays(variance[:, None], variance[None, :]), axis=-1)
    of_each = np.stack(np.broadcast_arrays(degrees[:, None], degrees[None, :]), axis=-1)
    _, pair_degrees = summed(both, of_each)
    joint = np.diag(variance).reshape(agents, agents)
    return Precision(estimate, joint, degrees, pair_degrees, allowance, *skew, component)


def _median_over_runs(runs: Runs, estimate: FloatArray, n: int, rng: np.random.Generator) -> Precision:
    """Shake the cells' means by their errors and see how far the median over tasks goes, and which tasks make it.

    Tasks that compete for the middle pull a median to one side, by as much again as the shaken medians are off on
    average. Runs that are skewed do it too: the median of a mean of n runs of skewness g is off by g/(6 sqrt(n)) of
    its error. Both are allowed for, the latter with runs as skewed as waiting times.
    """
    means, errors = task_means(runs.values), np.sqrt(runs.variance_of(runs.values))
    agents, tasks = means.shape
    middle = [(tasks - 1) // 2, tasks // 2]
    weight, total, squares = np.zeros((agents, tasks)), np.zeros(agents), np.zeros(agents)
    some = max(1, 500_000 // means.size)
    for start in range(0, n, some):
        shaken = means + errors * rng.standard_normal((min(some, n - start), agents, tasks))
        order = np.argpartition(shaken, sorted(set(middle)), axis=2)[:, :, middle]
        off = np.take_along_axis(shaken, order, axis=2).mean(axis=2) - estimate
        total, squares = total + off.sum(axis=0), squares + (off**2).sum(axis=0)
        np.add.at(weight, (np.arange(agents)[None, :, None], order), 0.5 / n)
    bias = total / n
    variance = np.where((errors > 0).any(axis=1), (squares - n * bias**2) / (n - 1), 0.0)
    parts = (weight * errors) ** 2
    plain, degrees = summed(parts, runs.freedom)
    component = run_component(RunSums.of(runs.values, weight, parts, runs.linked), degrees, runs.shared)
    # Shaken medians vary more than the weights of tasks say, and by so much more where runs share something.
    variance = np.maximum(variance, 0.0) * component.variance / np.where(plain > 0.0, plain, 1.0)
    skewed = MOST * (weight * errors / (6.0 * np.sqrt(runs.counts))).sum(axis=1)
    skew = skewness_bounds(runs.values, errors**2, weight)
    return _independent(estimate, replace(component, variance=variance), np.abs(bias) + skewed, skew)


def _over_tasks(runs: Runs, statistic: Statistic, estimate: FloatArray, n: int, rng: np.random.Generator) -> Precision:
    """Tasks are the sample: all agents share it, and the spread over so many tasks has one degree of freedom less."""
    agents, tasks = len(runs.agents), len(runs.tasks)
    kept = np.ones(agents)
    if tasks == 1:
        unknown = np.full((agents, agents), np.nan)
        return Precision(estimate, unknown, np.diag(unknown), unknown, *np.zeros((3, agents)))
    if statistic == "median":
        drawn = rng.integers(tasks, size=(n, tasks))
        medians = np.median(task_means(runs.values)[:, drawn], axis=2)
        covariance = np.cov(medians).reshape(agents, agents) * tasks / (tasks - 1.0)
    else:
        moved, weight, kept = _influence(runs, statistic)
        pull = weight * (task_means(moved.values) - np.nanmean(moved.values, axis=(1, 2))[:, None])
        centred = pull - pull.mean(axis=1, keepdims=True)
        covariance = centred @ centred.T * tasks / (tasks - 1.0)
    degrees = np.maximum((tasks - 1.0) * kept, 1.0)
    return Precision(estimate, covariance, degrees, np.minimum(degrees[:, None], degrees), *np.zeros((3, agents)))


def share_ends(
    share: FloatArray, variance: FloatArray, degrees: FloatArray, count: FloatArray, most: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval for shares, at the number of single runs that would be as sure.

    Where the variance says nothing (nothing or everything counted), that number is ``count``, and at ``most`` so large.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        as_sure = np.where(variance > 0, share * (1 - share) / variance, np.inf)
    inside = (share > 0) & (share < 1)
    size = np.where(inside, np.minimum(as_sure, most), count)
    square = scipy.special.stdtrit(np.where(np.isfinite(degrees), degrees, 1e9), (1 + level) / 2) ** 2 / size
    middle = (share + square / 2) / (1 + square)
    half = np.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    return frozen(np.clip(middle - half, 0.0, share)), frozen(np.clip(middle + half, share, 1.0))


def few_runs_notes(runs: Runs, parts: Iterable[Precision]) -> tuple[Diagnostic, ...]:
    """Say what runs share, what few runs or tasks cost in width and how many would do; and whose runs are all alike."""
    parts = tuple(parts)
    degrees = min(float(np.nanmin(part.degrees, initial=np.inf)) for part in parts)
    components = [part.component for part in parts if part.component is not None]
    notes = list(run_notes(runs.agents, runs.labels, runs.values, components)) if components else []
    if degrees < FEW:
        size = int(runs.counts.min()) if runs.unit == "runs" else len(runs.tasks)
        skew = max(float(np.nanmax(np.maximum(part.skew_up, part.skew_down), initial=0.0)) for part in parts)
        times = float(scipy.special.stdtrit(degrees, 0.975) / scipy.special.ndtri(0.975)) * (1.0 + PER_SKEWNESS * skew)
        enough = 1 + int(np.ceil((size - 1) * ENOUGH / degrees))
        what = "runs of an agent on a task" if runs.unit == "runs" else "tasks"
        message = (
            f"{size} {what} hardly show how much scores spread, and to which side: intervals reach up to {times:.1f}"
            f" times as far as the same spread would make them if it were known. From about {enough} on this costs"
            " about a third."
        )
        notes.append(warning("few-runs" if runs.unit == "runs" else "few-tasks", message))
    alike = [runs.agents[i] for i in np.flatnonzero((parts[0].variance == 0.0) & (runs.counts.max(axis=1) > 1))]
    if runs.unit == "runs" and alike:
        message = (
            f"All runs of a task are the same for {some_of(alike)}: intervals without width take that for granted."
        )
        notes.append(info("runs-alike", message, alike))
    return tuple(notes)
