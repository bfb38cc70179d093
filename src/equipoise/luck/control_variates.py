"""Control variates: a mean with less noise, from quantities whose expectation is known.

Whether the mean of a control is what was stated, its own values say.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import check, number, whole
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option, counted
from equipoise.luck.adjusted_mean import Adjusted, Totals, cross_fitted, fitted, fixed, rank, totals
from equipoise.luck.arrays import Labels, column, group_codes, matrix, one_each, same_length
from equipoise.luck.curvature import allowing_for_curves
from equipoise.luck.luck_table import check_clusters, curved, deviation, estimate_of, rounded, skewed
from equipoise.luck.seating import MEAN

FAR_OFF = 4.0
"""Standard errors from the stated mean at which a control's own values refute it (once in 16,000 true means)."""
ENOUGH_DEALS = 60
"""Deals below which a far-off mean is only doubted."""
STRAIGHT = 100.0
"""Deals must also be so many times their squared skewness: far tails need more of them than intervals do."""
BEYOND_DOUBT = 10.0
"""Standard errors at which skewness is no excuse."""
WAYS = (
    MEAN,
    Advice("or let the control play itself on spare deals, with ", Option("mean", "estimate")),
    Advice("or subtract each table's mean first with ", Option("zero_sum")),
)
"""What to do about a control whose mean is not what was stated."""
Coefficient = Literal["fitted", "cross-fitted"] | float | Sequence[float]
COEFFICIENT = number(words=("fitted", "cross-fitted"))
FOLDS = whole(2)
ARRAYS = "its samples are arrays, and its interval comes from their own spread"
"""Why a bootstrap does not collect the methods on arrays."""


@dataclass(frozen=True, slots=True)
class Offset:
    """How far the values of a control are from their stated mean, in standard errors between deals."""

    gap: float
    errors: float
    deals: int
    far: bool
    reliable: bool

    @classmethod
    def of(
        cls,
        gap: FloatArray,
        deal: npt.NDArray[np.signedinteger] | None,
        *,
        extra_variance: float = 0.0,
        tests: int = 1,
    ) -> "Offset":
        """Measure it; for few deals the bound is that of a t distribution, as rare as four standard errors.

        Skewed deals put t statistics far out on one side: what is far must be so after Hall's (1992) correction too.
        """
        largest = max(float(gap.max(initial=0.0)), -float(gap.min(initial=0.0)))
        sums = totals(gap, np.zeros((len(gap), 0)), deal)
        return cls.of_deals(sums, largest, extra_variance=extra_variance, tests=tests)

    @classmethod
    def of_deals(cls, sums: Totals, largest: float, *, extra_variance: float = 0.0, tests: int = 1) -> "Offset":
        """Measure it from the sums of each deal and the largest single value."""
        mean = fixed(sums, np.zeros(0))
        deals = len(sums.x)
        size = float(np.sqrt(float(mean.variance) + extra_variance)) if deals > 1 else np.inf
        # Rounding is no offset: values that cancel within every deal vary by nothing.
        size = max(size, 1e-9 * largest, 1e-300)
        errors, skewness = float(mean.estimate) / size, float(mean.skewness)
        straight = _straightened(errors, skewness, deals)
        distance = min(abs(errors), abs(straight)) if errors * straight > 0 else 0.0
        bound = float(scipy.special.stdtrit(max(1, deals - 1), 1 - scipy.special.ndtr(-FAR_OFF) / tests))
        enough = deals >= STRAIGHT * skewness**2 or distance > BEYOND_DOUBT
        return cls(float(mean.estimate), errors, deals, distance > bound, deals >= ENOUGH_DEALS and enough)

    def judged(
        self, who: str, where: str, average: float, *, what: str = "deal", ways: Sequence[Advice] = WAYS
    ) -> list[Diagnostic]:
        """Nothing, a warning, or an error."""
        if not self.far:
            return []
        text = (
            f"{who} averages {average:.4g}{where} over {counted(self.deals, what)}, {abs(self.errors):.0f} standard "
            f"errors from its stated mean {average - self.gap:.4g}"
        )
        if self.reliable:
            raise DataError(f"{text}: that mean cannot be right, and the estimate would be off by as much", advice=ways)
        return [warning("control-mean", f"{text}; they are too few or too skewed to be sure.", advice=ways)]


def _straightened(t: float, skewness: float, count: int) -> float:
    """Hall's transformation: what a t statistic would be, had its samples not been skewed."""
    s, a = t / np.sqrt(count), skewness
    return float(np.sqrt(count) * (s + a * s**2 / 3 + a**2 * s**3 / 27 + a / (6 * count)))


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ControlVariates(Result):
    """An adjusted mean.

    Attributes
    ----------
    estimate, stderr, low, high
        The adjusted mean and its interval.
    mean, mean_stderr
        The unadjusted mean.
    coefficient
        ``c`` in ``X + c (Y - E[Y])``; a number for one control, an array for several.
    reduction
        By how many percent the standard error fell against the unadjusted mean of as many independent samples.
    multiplier
        How many plain samples one adjusted sample is worth.
    """

    rows_name: ClassVar[str] = "estimates"
    in_summary: ClassVar[tuple[str, ...]] = ("coefficient", "interval")
    main: ClassVar[str] = "estimate"

    estimate: float
    stderr: float
    low: float
    high: float
    mean: float
    mean_stderr: float
    coefficient: "float | FloatArray"
    reduction: float
    multiplier: float
    samples: int
    clusters: int
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give one row."""
        names = (
            "samples",
            "clusters",
            "mean",
            "mean_stderr",
            "estimate",
            "stderr",
            "low",
            "high",
            "reduction",
            "multiplier",
        )
        return pl.DataFrame({name: [getattr(self, name)] for name in names})

    @property
    def answer(self) -> tuple[str, ...]:
        """The estimate with its interval, and what the samples are worth."""
        first = f"The mean is {self.estimate:.3g}, {self.interval} {self.low:.3g} to {self.high:.3g}."
        if not self.multiplier > 0.0:
            return (first,)
        worth = rounded(self.multiplier * self.samples)
        return first, f"These {self.samples:,} samples are worth {worth} without adjustment."


@method(
    takes="array",
    answers="What is the mean, with the noise that known quantities explain taken out?",
    reference="Nelson (1990); Davidson, Archibald and Bowling (2013)",
    checks={"folds": FOLDS},
    resampled=ARRAYS,
)
def control_variates(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    mean: float | Sequence[float] = 0.0,
    mean_stderr: float | Sequence[float] = 0.0,
    coefficient: Coefficient = "fitted",
    folds: int = 10,
    cluster: Labels | None = None,
    level: float = 0.95,
) -> ControlVariates:
    """Estimate E[X] with the help of controls Y whose expectation is known.

    The estimate is the mean of ``X + c (Y - E[Y])``. Any ``c`` chosen beforehand leaves it unbiased; the best one is
    ``c* = -Cov(X, Y) / Var(Y)``, for several controls by least squares, and leaves ``1 - rho^2`` of the variance.

    Parameters
    ----------
    x
        Samples.
    y
        Controls: one value for each sample, or a matrix with one column for each control.
    mean
        E[Y], a number or one for each control.
    mean_stderr
        Its standard error where it was estimated from other, independent data; its variance is added.
    coefficient
        ``"fitted"``: from the same samples; consistent, with a bias that vanishes as 1/n. ``"cross-fitted"``: each
        sample's coefficient comes from the other folds; unbiased. A number (or one for each control): fixed, unbiased.
    folds
        Number of folds for cross-fitting.
    cluster
        Samples with the same value are not independent (hands of one deal, say).
    level
        Level of the t interval, which allows for the fitted coefficients, and where a test notices that a control
        explains the samples along a curve, for what a line misses (:mod:`equipoise.luck.curvature`).

    Fails when
        a value is missing or infinite, shapes disagree, a control does not vary, its values refute the stated mean
        (four standard errors), or there are too few samples.

    References
    ----------
    B. L. Nelson (1990), Control variate remedies. J. Davidson, C. Archibald and M. Bowling (2013), Baseline: practical
    control variates for agent evaluation in zero-sum domains.

    Examples
    --------
    >>> y = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    >>> result = control_variates(3 + 2 * y + [0.1, -0.1, 0.0, -0.1, 0.1], y, mean=0.5)
    >>> round(result.estimate, 3), round(result.coefficient, 3)
    (4.0, -2.0)
    """
    result = unchecked(
        x, y, mean=mean, mean_stderr=mean_stderr, coefficient=coefficient, folds=folds, cluster=cluster, level=level
    )
    return replace(result, diagnostics=(*result.diagnostics, *_doubts(matrix(y, "y"), mean, mean_stderr, cluster)))


def unchecked(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    mean: float | Sequence[float] = 0.0,
    mean_stderr: float | Sequence[float] = 0.0,
    coefficient: Coefficient = "fitted",
    folds: int = 10,
    cluster: Labels | None = None,
    level: float = 0.95,
) -> ControlVariates:
    """Do what :func:`control_variates` does for methods that compare the control's mean with its values themselves."""
    samples, controls = column(x, "x"), matrix(y, "y")
    same_length(samples, controls, "control values")
    k = controls.shape[1]
    expected, expected_stderr = one_each(mean, k, "mean"), one_each(mean_stderr, k, "mean_stderr", least=0.0)
    _check_varies(controls)
    clusters = group_codes(cluster, len(samples), "cluster")
    data = totals(samples, controls - expected, clusters)
    adjusted = adjust(data, coefficient, folds, "control_variates")
    extra = float(np.sum((adjusted.coefficient * expected_stderr) ** 2))
    row = estimate_of(data, deviation(samples), adjusted, level, extra_variance=extra)
    single = np.ndim(y) == 1
    return ControlVariates(
        estimate=row.estimate,
        stderr=row.stderr,
        low=row.low,
        high=row.high,
        mean=row.mean,
        mean_stderr=row.mean_stderr,
        coefficient=float(row.coefficient[0]) if single else frozen(row.coefficient),
        reduction=row.reduction,
        multiplier=row.multiplier,
        samples=len(samples),
        clusters=row.deals,
        interval=Interval("t" if cluster is None else "clustered t", level),
        params=frozen_params(mean=mean, mean_stderr=mean_stderr, coefficient=coefficient, folds=folds, level=level),
        diagnostics=(*_notes(data, coefficient), *curved([""], [row]), *skewed([""], [row])),
    )


def adjust(data: Totals, coefficient: Coefficient, folds: int, who: str) -> Adjusted:
    """Apply one of the three ways to choose coefficients."""
    k, clusters = data.y.shape[-1], data.x.shape[-1]
    if not isinstance(coefficient, str):
        check_clusters(clusters, 0, who)
        return fixed(data, one_each(coefficient, k, "coefficient"))
    check(COEFFICIENT, "coefficient", coefficient)
    check_clusters(clusters, k, who)
    if coefficient == "fitted":
        return allowing_for_curves(data, fitted(data))
    return cross_fitted(data, min(folds, clusters))


def _check_varies(controls: FloatArray) -> None:
    flat = np.flatnonzero(np.ptp(controls, axis=0) == 0.0) if len(controls) else np.arange(0)
    if len(flat):
        which = some_of(flat + 1)
        raise DataError(
            f"control {which} has no variance (it is {controls[0, flat[0]]:g} in every row); it cannot explain "
            "luck, leave it out"
        )


def _doubts(
    controls: FloatArray, mean: float | Sequence[float], stderr: float | Sequence[float], cluster: Labels | None
) -> list[Diagnostic]:
    """Hold each stated mean against the control's own values."""
    k = controls.shape[1]
    codes = group_codes(cluster, len(controls), "cluster")
    expected, errors = one_each(mean, k, "mean"), one_each(stderr, k, "mean_stderr", least=0.0)
    notes = []
    for index, values in enumerate(controls.T):
        offset = Offset.of(values - expected[index], codes, extra_variance=float(errors[index]) ** 2, tests=k)
        name = "the control" if k == 1 else f"control {index + 1}"
        notes += offset.judged(name, "", float(values.mean()), what="sample", ways=WAYS[:1])
    return notes


def _notes(data: Totals, coefficient: Coefficient) -> tuple[Diagnostic, ...]:
    if not isinstance(coefficient, str):
        return ()
    k, directions = data.y.shape[-1], rank(data)
    if directions == k:
        return ()
    return (cancelling_controls() if directions == 0 else redundant_controls(k),)


def cancelling_controls(subjects: Sequence[str] = ()) -> Diagnostic:
    """Say that controls add up to the same in every cluster."""
    text = (
        "the controls add up to the same value in every deal (each was played in every seat), so averaging over "
        "the seats has already taken out the luck that they know about; the estimate is the unadjusted mean."
    )
    return info("control-cancels", f"{_prefix(subjects)}{text}", subjects)


def redundant_controls(k: int, subjects: Sequence[str] = ()) -> Diagnostic:
    """Say that controls repeat each other."""
    text = f"some of the {k} controls are combinations of the others; the weight is shared among them."
    return warning("controls-redundant", f"{_prefix(subjects)}{text}", subjects)


def _prefix(subjects: Sequence[str]) -> str:
    return f"{some_of(subjects)}: " if subjects else ""
