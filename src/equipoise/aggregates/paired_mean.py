r"""A mean of differences whose interval is wrong on either side no more often than it says, with few and skewed ones.

Student's t takes differences for normal. Those of pass/fail tasks are mostly 0: of sixty tasks on which a twentieth got
worse, none shows it in 5% of samples, and t then knows the mean exactly. Three things are added:

* a pair of differences that were not seen, one the largest in either direction (Bonett and Price 2012 add one to both
  counts of tasks that changed);
* each end is :math:`1 + 2 G` times as far away, G the skewness that the mean may have to that side
  (:func:`~equipoise.aggregates.precision.skewness_bounds`);
* tasks that got worse are a share of all tasks, and the exact upper limit of that share (Clopper and Pearson 1934)
  times the mean size of a loss (all that there is to lose, where none was seen) is a change that the interval
  contains; likewise for those that got better;
* tasks that are broken as a whole, but too rare to be among so many, lose what a task has to lose: of fifteen tasks a
  fifth may be so. No interval can be both narrower than that and right for scores that are only known to be bounded.

References: Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial proportions based on
paired data; Clopper and Pearson (1934), The use of confidence or fiducial limits.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.aggregates.precision import PER_SKEWNESS, skewness_bounds, summed
from equipoise.core.results import FloatArray


@dataclass(frozen=True, slots=True)
class PairedMean:
    """A mean difference, its interval, its standard error, and how far each end is away from it."""

    estimate: float
    low: float
    high: float
    stderr: float

    @property
    def down(self) -> float:
        """How far the lower end is away."""
        return self.estimate - self.low

    @property
    def up(self) -> float:
        """How far the upper end is away."""
        return self.high - self.estimate


def paired_mean(
    differences: FloatArray,
    level: float,
    *,
    scale: float = 1.0,
    rare: tuple[float, float] = (0.0, 0.0),
    clusters: np.ndarray | None = None,
    further: tuple[float, float] = (0.0, 1.0),
) -> PairedMean:
    """Give the mean of differences with an interval that holds for other tasks like these.

    Parameters
    ----------
    differences
        One a task, at least two.
    scale
        The largest difference that could have been seen, for where none was.
    rare
        What a task has to lose, and to gain, on average: of so many tasks, some that lose it may be too few to be seen.
    clusters
        Codes of groups of tasks that rise and fall together; None where each task stands for itself.
    further
        A variance that tasks do not show (of runs behind all of them), and its degrees of freedom.

    Examples
    --------
    >>> kept = paired_mean(np.zeros(60), 0.95)
    >>> kept.estimate, bool(kept.low < -0.05)
    (0.0, True)
    """
    estimate = float(differences.mean())
    parts = differences if clusters is None else _by_cluster(differences, clusters)
    size, tail = parts.size, (1.0 - level) / 2.0
    largest = float(np.abs(parts).max()) or scale
    spread = np.append(parts, [largest, -largest])
    variance = float(spread.var()) / (size + 2.0)
    total, degrees = summed(np.array([variance, further[0]]), np.array([size - 1.0, further[1]]))
    half = -float(scipy.special.stdtrit(degrees, tail)) * float(np.sqrt(total))
    up, down = _skewness(parts)
    middle = estimate * size / (size + 2.0)
    low, high = middle - (1.0 + PER_SKEWNESS * down) * half, middle + (1.0 + PER_SKEWNESS * up) * half
    low = min(low, estimate - _unseen_losses(parts, scale, rare[0], tail))
    high = max(high, estimate + _unseen_losses(-parts, scale, rare[1], tail))
    return PairedMean(estimate, low, high, float(np.sqrt(total)))


def _by_cluster(differences: FloatArray, clusters: np.ndarray) -> FloatArray:
    """One value for each group of tasks, whose mean is that of all tasks and whose spread is that of the groups."""
    names, codes = np.unique(clusters, return_inverse=True)
    mean = differences.mean()
    away = np.bincount(codes, differences - mean, minlength=len(names))
    return np.asarray(mean + away * len(names) / differences.size)


def _skewness(parts: FloatArray) -> tuple[float, float]:
    """How skewed the mean may be, upwards and downwards: the tasks are the runs of one cell."""
    if parts.size < 3 or np.ptp(parts) == 0.0:
        return 0.0, 0.0
    variance = np.array([[parts.var(ddof=1) / parts.size]])
    up, down = skewness_bounds(parts[None, None, :], variance, np.ones((1, 1)))
    return float(up[0]), float(down[0])


def _unseen_losses(parts: FloatArray, scale: float, rare: float, tail: float) -> float:
    """What more tasks may have got worse than were seen to, times what a task loses that does (all, if none did).

    At least what tasks too rare to be seen lose, if they lose what a task has to lose.
    """
    lost = parts < 0.0
    count, size = int(lost.sum()), parts.size
    most = 1.0 if count == size else float(scipy.special.betaincinv(count + 1.0, size - count, 1.0 - tail))
    known = (most - count / size) * (float(-parts[lost].mean()) if count else scale)
    return float(max(known, (1.0 - tail ** (1.0 / size)) * rare))
