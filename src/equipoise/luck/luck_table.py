"""The result of the methods on dealt hands: a table of estimates with intervals, and what the reduction was worth."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, IntArray, Interval, Result, frozen
from equipoise.core.wording import Advice, digits_for
from equipoise.luck.adjusted_mean import Adjusted, Totals, fixed


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LuckTable(Result):
    """Estimates of several agents (or pairs, or teams) with less luck in them.

    Attributes
    ----------
    agents
        Names of the rows; a pair is "x vs y" and stands for what x wins.
    hands, deals
        Rows used, and how many different deals they came from.
    mean, mean_stderr
        The unadjusted mean, with its standard error (hands of a deal are one cluster).
    estimate, stderr, low, high
        The adjusted mean and its interval.
    coefficient
        Weights of the controls (rows x controls); no columns where the method has none.
    reduction
        By how many percent the standard error is smaller than that of the unadjusted mean of as many independent
        hands. Negative: it grew.
    multiplier
        How many independent plain hands one of these hands is worth.
    """

    main: ClassVar[str] = "estimate"

    agents: tuple[str, ...]
    hands: IntArray
    deals: IntArray
    mean: FloatArray
    mean_stderr: FloatArray
    estimate: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    coefficient: FloatArray
    reduction: FloatArray
    multiplier: FloatArray
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give one row for each agent, the highest estimate first."""
        names = (
            "hands",
            "deals",
            "mean",
            "mean_stderr",
            "estimate",
            "stderr",
            "low",
            "high",
            "reduction",
            "multiplier",
        )
        columns = {"agent": list(self.agents)} | {name: getattr(self, name) for name in names}
        return pl.DataFrame(columns).sort("estimate", descending=True, nulls_last=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the kind of interval and the coefficients by row."""
        by_name = {agent: list(row) for agent, row in zip(self.agents, self.coefficient, strict=True)}
        return {"interval": self.interval, "coefficient": by_name}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who wins most, with the interval and whom it does not rule out, then how many times the hands it is worth."""
        return (self._best(), *(() if self.params.get("method") == "plain" else self._worth()))

    def _worth(self) -> tuple[str, ...]:
        rows = [row for row in range(len(self.agents)) if self.multiplier[row] > 0.0]
        order = sorted(rows, key=lambda row: (self.multiplier[row], -self.estimate[row]))
        if not order:
            return ()
        least, most = (float(self.multiplier[order[end]]) for end in (0, -1))
        if most <= 1.0:
            return ("The adjustment does not reduce the error here; quote the unadjusted mean.",)
        if math.isinf(most):
            return ("Removing luck leaves no error in some rows: their hands are worth any number without adjustment.",)
        times = f"{most:.2g}" if len(order) == 1 else f"{least:.2g} to {most:.2g}"
        return (f"Removing luck is worth {times} times the hands.",)

    def _best(self) -> str:
        """Who wins most on average, and who cannot be ruled out as best: those whose intervals overlap with its own."""
        best, digits = int(np.nanargmax(self.estimate)), digits_for(self.stderr)
        ends = f"{100 * self.interval.level:g}% interval {self.low[best]:+.{digits}f} to {self.high[best]:+.{digits}f}"
        if len(self.agents) == 1:
            return f"{self.agents[best]} wins {self.estimate[best]:+.{digits}f} per hand ({ends})."
        said = f"{self.agents[best]} wins most: {self.estimate[best]:+.{digits}f} per hand ({ends})"
        near = [name for k, name in enumerate(self.agents) if k != best and self.high[k] >= self.low[best]]
        if not near:
            second = max((k for k in range(len(self.agents)) if k != best), key=lambda k: self.estimate[k])
            return f"{said}, significantly more than {self.agents[second]} ({self.estimate[second]:+.{digits}f})."
        return f"{said}, but {some_of(near)} cannot be ruled out as best."


FEW_DEALS = 100
"""Deals from which a curved control is no reason for a warning."""


@dataclass(frozen=True, slots=True)
class LuckRow:
    """One row on its way into a result."""

    hands: int
    deals: int
    mean: float
    mean_stderr: float
    estimate: float
    stderr: float
    low: float
    high: float
    coefficient: FloatArray
    reduction: float
    multiplier: float
    skewness: float
    curved: bool


def estimate_of(
    data: Totals, spread: float, adjusted: Adjusted, level: float, *, extra_variance: float = 0.0
) -> LuckRow:
    """Describe an adjusted mean beside the plain one.

    ``spread`` is the sum of squared deviations of the utilities over the hands: it gives the standard error that as
    many independent hands would have had. ``extra_variance`` comes from an estimated expectation of the controls.
    """
    k = data.y.shape[-1]
    plain = fixed(data, np.zeros(k)) if k else adjusted
    return row_of(float(data.m.sum()), data.x.shape[-1], spread, plain, adjusted, level, extra_variance)


def row_of(
    hands: float,
    deals: int,
    spread: float,
    plain: Adjusted,
    adjusted: Adjusted,
    level: float,
    extra_variance: float = 0.0,
) -> LuckRow:
    """Do what :func:`estimate_of` does, from the unadjusted mean and sums over the hands."""
    mean = float(plain.estimate)
    alone = np.sqrt(spread / (hands * max(1.0, hands - 1.0)))
    stderr = float(np.sqrt(float(adjusted.variance) + extra_variance))
    centre = float(adjusted.estimate)
    low, high = interval_of(centre, stderr, adjusted.dof, level, adjusted.reach or (1.0, 1.0))
    ratio = stderr / alone if alone > 0.0 else np.nan
    return LuckRow(
        hands=round(hands),
        deals=deals,
        mean=mean,
        mean_stderr=float(np.sqrt(plain.variance)),
        estimate=centre,
        stderr=stderr,
        low=low,
        high=high,
        coefficient=np.asarray(adjusted.coefficient, dtype=float),
        reduction=float(100.0 * (1.0 - ratio)),
        multiplier=float(1.0 / ratio**2) if ratio > 0.0 else np.inf if ratio == 0.0 else np.nan,
        skewness=float(adjusted.skewness),
        curved=adjusted.curved,
    )


def deviation(values: FloatArray) -> float:
    """The sum of squared deviations from the mean."""
    centred = values - values.mean() if len(values) else values
    return float(centred @ centred)


def interval_of(
    centre: float, stderr: float, dof: float, level: float, reach: tuple[float, float] = (1.0, 1.0)
) -> tuple[float, float]:
    """A t interval, whose ends lie ``reach`` times as far away."""
    import scipy

    half = float(scipy.special.stdtrit(dof, 0.5 + level / 2.0)) * stderr
    return centre - reach[0] * half, centre + reach[1] * half


def columns_of(rows: Sequence[LuckRow]) -> dict[str, Any]:
    """Turn rows into the read-only columns of a :class:`LuckTable`."""
    floats = ("mean", "mean_stderr", "estimate", "stderr", "low", "high", "reduction", "multiplier")
    columns: dict[str, Any] = {name: frozen([getattr(row, name) for row in rows], float) for name in floats}
    columns |= {name: frozen([getattr(row, name) for row in rows], np.int64) for name in ("hands", "deals")}
    return columns | {"coefficient": frozen(np.stack([row.coefficient for row in rows]))}


def without_variance(labels: Sequence[str], rows: Sequence[LuckRow]) -> list[Diagnostic]:
    """Name those in whose estimates no variance is left, so that the multiplier is not a finite number."""
    flat = [label for label, row in zip(labels, rows, strict=True) if not np.isfinite(row.multiplier)]
    if not flat:
        return []
    text = "every deal gave the same after adjustment: no variance is left to compare, and no finite multiplier exists."
    return [info("no-variance-left", f"{some_of(flat)}: {text}", flat)]


def skewed(labels: Sequence[str], rows: Sequence[LuckRow]) -> list[Diagnostic]:
    """Name those of whose deals a few decide: t intervals of so few skewed deals cover less than they say.

    The rule is Cochran's: at least 25 times the squared skewness; and the skewness must be more than normal deals would
    show once in a hundred times. It says that intervals of such deals hold too seldom, not that this one fails: samples
    without the rare large deal look best and miss most. A single unnamed row has the label "".
    """
    few = [label for label, row in zip(labels, rows, strict=True) if too_skewed(row.skewness, row.deals)]
    if not few:
        return []
    text = (
        "a few of the deals decide (their results are skewed), so the interval may cover less often than it says; "
        "more deals help."
    )
    return [warning("skewed", f"{some_of(few)}: {text}" if few != [""] else text, few if few != [""] else ())]


def too_skewed(skewness: float, n: int) -> bool:
    """Tell whether n samples are skewed beyond chance (D'Agostino 1970, at 1%), and too much for a t interval."""
    if n < 8 or n >= 25.0 * skewness**2:
        return False
    unit = skewness * np.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    kurtosis = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    square = np.sqrt(2.0 * (kurtosis - 1.0)) - 1.0
    normal = np.arcsinh(unit / np.sqrt(2.0 / (square - 1.0))) / np.sqrt(0.5 * np.log(square))
    return bool(abs(normal) > 2.576)


def curved(labels: Sequence[str], rows: Sequence[LuckRow]) -> list[Diagnostic]:
    """Name those whose controls explain their deals along a curve; a single unnamed row has the label ""."""
    bent = [label for label, row in zip(labels, rows, strict=True) if row.curved and row.deals < FEW_DEALS]
    if not bent:
        return []
    text = (
        "the control explains the results along a curve, not a line: the interval allows for it, and of few deals may"
        " still cover less often than it says."
    )
    advice = [Advice("add the control's square as a second control if its mean is known")]
    who = bent if bent != [""] else ()
    return [warning("curved-control", f"{some_of(bent)}: {text}" if who else text, who, advice=advice)]


def rounded(value: float) -> str:
    """Write a count with three digits, which are enough for people.

    >>> rounded(12345.6), rounded(float("inf"))
    ('12,300', 'any number')
    """
    if value == float("inf"):
        return "any number"
    size = max(0, len(str(int(value))) - 3)
    return f"{round(value, -size):,.0f}"


def check_clusters(clusters: int, used: int, who: str) -> None:
    """Refuse a sample too small for an interval."""
    if clusters < used + 2:
        raise DataError(f"{who}: an interval needs at least {used + 2} independent deals or samples, not {clusters}")
