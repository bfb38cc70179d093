"""Is the mean of a control what was stated? Its own values say."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option, counted
from equipoise.luck.adjusted_mean import Totals, fixed, totals
from equipoise.luck.seating import MEAN

__all__ = ["WAYS", "Offset"]

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
