"""Antithetic variates: samples in groups whose errors pull against each other."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Interval, Result, frozen_params
from equipoise.luck.arrays import column, matrix, same_length
from equipoise.luck.control_variates import ARRAYS
from equipoise.luck.luck_table import interval_of, rounded

SAME_MEAN_P_VALUE = 1e-3


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Antithetic(Result):
    """The mean over antithetic groups.

    Attributes
    ----------
    estimate, stderr, low, high
        The mean and its interval, from the spread between groups.
    correlation
        The mean correlation between samples of a group; below zero it helps.
    reduction, multiplier
        Against as many independent samples: percent of the standard error, and what one sample is worth.
    """

    rows_name: ClassVar[str] = "estimates"
    in_summary: ClassVar[tuple[str, ...]] = ("interval",)
    main: ClassVar[str] = "estimate"

    estimate: float
    stderr: float
    low: float
    high: float
    correlation: float
    reduction: float
    multiplier: float
    groups: int
    samples: int
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give one row."""
        names = ("groups", "samples", "estimate", "stderr", "low", "high", "correlation", "reduction", "multiplier")
        return pl.DataFrame({name: [getattr(self, name)] for name in names})

    @property
    def answer(self) -> tuple[str, ...]:
        """The estimate with its interval, and what the samples are worth."""
        first = f"The mean is {self.estimate:.3g}, {self.interval} {self.low:.3g} to {self.high:.3g}."
        if not self.multiplier > 0.0:
            return (first,)
        worth = rounded(self.multiplier * self.samples)
        return first, f"These {self.samples:,} samples in {self.groups:,} groups are worth {worth} independent samples."


@method(
    takes="array",
    answers="What is the mean, from samples whose errors pull against each other?",
    reference="Davidson, Archibald and Bowling (2013)",
    resampled=ARRAYS,
)
def antithetic(x: npt.ArrayLike, y: npt.ArrayLike, *, level: float = 0.95) -> Antithetic:
    """Estimate E[X] from samples and their antitheses.

    With ``m`` antitheses of each sample the estimate is the mean of ``W = (X + Y1 + ... + Ym) / (m + 1)``, and its
    variance that of W over the number of groups: the smaller, the more negatively the members of a group are
    correlated.

    Parameters
    ----------
    x
        Samples.
    y
        Their antitheses, one column or several, each distributed as ``x`` is.
    level
        Level of the t interval.

    Fails when
        shapes disagree, a value is missing or infinite, or there are fewer than two groups.

    References
    ----------
    J. Davidson, C. Archibald and M. Bowling (2013), section 3.1.3.

    Examples
    --------
    >>> u = np.linspace(0.05, 0.95, 10)
    >>> result = antithetic(np.exp(u), np.exp(1 - u))
    >>> result.correlation < -0.9, result.multiplier > 10
    (True, True)
    """
    groups = _groups(x, y)
    count, size = groups.shape
    w = groups.mean(axis=1)
    stderr = float(w.std(ddof=1) / np.sqrt(count))
    alone = float(np.sqrt(groups.var(axis=0, ddof=1).mean() / groups.size))
    estimate = float(w.mean())
    low, high = interval_of(estimate, stderr, count - 1.0, level)
    correlation = _correlation(groups)
    ratio = stderr / alone if alone > 0.0 else np.nan
    return Antithetic(
        estimate=estimate,
        stderr=stderr,
        low=low,
        high=high,
        correlation=correlation,
        reduction=100.0 * (1.0 - ratio),
        multiplier=1.0 / ratio**2 if ratio > 0.0 else np.inf if ratio == 0.0 else np.nan,
        groups=count,
        samples=count * size,
        interval=Interval("t between groups", level),
        params=frozen_params(level=level),
        diagnostics=(*_unequal(groups), *_unhelpful(correlation)),
    )


def _groups(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    samples, others = column(x, "x"), matrix(y, "y")
    same_length(samples, others, "antitheses")
    groups = np.column_stack([samples, others])
    if len(groups) < 2:
        raise DataError("antithetic: at least two groups are needed for an interval")
    return groups


def _correlation(groups: FloatArray) -> float:
    """The mean correlation within groups, from the variance of their sums."""
    size = groups.shape[1]
    own = groups.var(axis=0, ddof=1).mean()
    if own == 0.0:
        return float("nan")
    return float((groups.sum(axis=1).var(ddof=1) / (size * own) - 1.0) / (size - 1))


def _unequal(groups: FloatArray) -> list[Diagnostic]:
    """Antitheses whose mean is clearly not that of the samples do not estimate the same thing."""
    import scipy

    gaps = groups[:, 1:] - groups[:, :1]
    error = gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
    t = np.divide(np.abs(gaps.mean(axis=0)), error, out=np.zeros(gaps.shape[1]), where=error > 0.0)
    p = 2.0 * scipy.special.stdtr(len(gaps) - 1, -t) * gaps.shape[1]
    if p.min() >= SAME_MEAN_P_VALUE:
        return []
    worst = int(p.argmin()) + 1
    text = (
        f"antithesis {worst} has another mean than the samples (p = {p.min():.1g}): if it is not distributed as "
        "they are, the estimate is biased."
    )
    return [warning("antithetic-mean", text)]


def _unhelpful(correlation: float) -> list[Diagnostic]:
    if not correlation > 0.0:
        return []
    text = (
        f"samples and antitheses go the same way (correlation {correlation:.2f}), so they are worth less than "
        "independent samples."
    )
    return [warning("antithetic-correlation", text)]
