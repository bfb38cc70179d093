"""Before playing: what a control will be worth, how many hands are needed, and how to spend a budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.declaration import method
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import DataError, ParameterError
from equipoise.luck.outcome import check_level
from equipoise.luck.samples import column, matrix, same_length
from equipoise.results import FloatArray, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BudgetSplit", "LuckPlan", "plan_hands", "split_budget"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LuckPlan(Result):
    """What a pilot says about hands still to be played.

    Attributes
    ----------
    reduction, reduction_low, reduction_high
        The predicted reduction of the standard error in percent, with a bootstrap interval.
    multiplier
        How many plain hands one adjusted hand will be worth.
    half_width
        The interval's half width that is asked for, or that ``hands`` will give.
    hands, plain_hands
        Hands needed for that half width with the control, and without it.
    hands_high
        Hands that suffice at the upper end of what the pilot allows.
    """

    rows_name: ClassVar[str] = "plan"
    main: ClassVar[str] = "hands"

    reduction: float
    reduction_low: float
    reduction_high: float
    multiplier: float
    half_width: float
    hands: int
    hands_high: int
    plain_hands: int
    pilot: int

    def frame(self) -> "pl.DataFrame":
        """Give one row."""
        import polars as pl

        names = (
            "pilot",
            "reduction",
            "reduction_low",
            "reduction_high",
            "multiplier",
            "half_width",
            "hands",
            "hands_high",
            "plain_hands",
        )
        return pl.DataFrame({name: [getattr(self, name)] for name in names})


@method(
    takes="array",
    answers="How much will a control save, and how many hands does an interval of a given width take?",
    reference="Lavenberg and Welch (1981)",
)
def plan_hands(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    half_width: float | None = None,
    hands: int | None = None,
    level: float = 0.95,
    resamples: int = 500,
    rng: int | np.random.Generator = 0,
) -> LuckPlan:
    """Predict from a pilot what controls will save, and how many hands an interval of a given width takes.

    The residual variance comes from the regression of the pilot's utilities on its controls; a fitted coefficient costs
    ``(n - 2) / (n - k - 2)`` of the variance at n hands and k degrees of freedom of the t interval, and both are
    counted.

    Parameters
    ----------
    x
        Utilities of the pilot's hands (independent: one for each deal).
    y
        Controls on the same hands, one column or several.
    half_width
        The half width of the interval wanted; or give ``hands``.
    hands
        The number of hands planned, to predict the half width they give.
    level
        Level of that interval.
    resamples
        Bootstrap resamples of the pilot behind the interval of the prediction.
    rng
        Seed or generator of the resamples.

    Fails when
        neither or both of ``half_width`` and ``hands`` are given, or the pilot is too small or without variance.

    References
    ----------
    S. S. Lavenberg and P. D. Welch (1981), A perspective on the use of control variables (the loss factor).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> y = rng.normal(size=100)
    >>> plan = plan_hands(y + 0.5 * rng.normal(size=100), y, half_width=0.05)
    >>> plan.hands < plan.plain_hands / 3
    True
    """
    check_level(level)
    samples, controls = _pilot(x, y)
    if (half_width is None) == (hands is None):
        raise ParameterError("plan_hands: give either half_width= or hands=")
    n, k = controls.shape
    plain, left = _variances(samples[None], controls[None])
    generator = np.random.default_rng(rng)
    pick = generator.integers(0, n, (resamples, n))
    plain_many, left_many = _variances(samples[pick], controls[pick])
    reductions = 100.0 * (1.0 - np.sqrt(left_many / plain_many))
    low, high = np.quantile(reductions[np.isfinite(reductions)], [0.5 - level / 2, 0.5 + level / 2], method="weibull")
    width = (
        _positive(half_width, "half_width")
        if half_width is not None
        else _half_width(left[0], _count(hands, k), k, level)
    )
    upper = float(np.quantile(left_many, 0.5 + level / 2, method="weibull"))
    return LuckPlan(
        reduction=float(100.0 * (1.0 - np.sqrt(left[0] / plain[0]))),
        reduction_low=float(low),
        reduction_high=float(high),
        multiplier=float(plain[0] / left[0]) if left[0] > 0.0 else np.inf,
        half_width=width,
        hands=_hands_for(float(left[0]), width, k, level),
        hands_high=_hands_for(upper, width, k, level),
        plain_hands=_hands_for(float(plain[0]), width, 0, level),
        pilot=n,
        params=frozen_params(half_width=half_width, hands=hands, level=level, resamples=resamples),
        diagnostics=_small_pilot(n, k),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class BudgetSplit(Result):
    """The best number of control self-plays for each real hand.

    Attributes
    ----------
    repeats
        The best number of self-play repeats (0: play without a control).
    hands
        Real hands that the budget then pays for.
    stderr
        The predicted standard error for each number of repeats 0, 1, 2, ...
    """

    rows_name: ClassVar[str] = "splits"
    main: ClassVar[str] = "stderr"

    repeats: int
    hands: int
    stderr: FloatArray
    hands_by_repeats: FloatArray

    def frame(self) -> "pl.DataFrame":
        """Give one row for each number of repeats, the smallest standard error first."""
        import polars as pl

        table = {"repeats": np.arange(len(self.stderr)), "hands": self.hands_by_repeats, "stderr": self.stderr}
        return pl.DataFrame(table).sort("stderr", maintain_order=True)


@method(
    takes="array",
    answers="How many self-plays of a control should each real hand get?",
    reference="Davidson, Archibald and Bowling (2013), eq. 14",
)
def split_budget(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    hand_cost: float,
    control_cost: float,
    budget: float,
    most: int = 100,
) -> BudgetSplit:
    """Split a budget between real hands and self-play of a stochastic control.

    A control averaged over r repeats has variance ``tau^2 + nu^2 / r``: between deals, and between repeats of one deal.
    With it the variance of a hand is ``sigma^2 - C^2 / (tau^2 + nu^2 / r)``, and a budget B pays for ``B / (a + r b)``
    hands. The pilot gives the four quantities; r is searched from 0 up.

    Parameters
    ----------
    x
        Utilities of the pilot's hands.
    y
        The control's self-play utilities on each of them (hands x repeats, at least two repeats).
    hand_cost, control_cost
        What a real hand and one self-play cost, in any unit.
    budget
        What there is to spend, in the same unit.
    most
        The largest number of repeats to consider.

    Fails when
        the pilot has fewer than two repeats or four hands, or a cost is not positive.

    References
    ----------
    J. Davidson, C. Archibald and M. Bowling (2013), equation 14 (repeats of a stochastic control); the split is ours.

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> deal = rng.normal(size=400)
    >>> y = deal[:, None] + 2.0 * rng.normal(size=(400, 3))
    >>> split = split_budget(deal + 0.2 * rng.normal(size=400), y, hand_cost=100.0, control_cost=1.0, budget=1e5)
    >>> split.repeats > 5
    True
    """
    samples, repeats = _pilot(x, y)
    n, r = repeats.shape
    if r < 2:
        raise DataError(
            "split_budget: the pilot needs at least two self-plays of the control on each hand, to see how much it "
            "varies"
        )
    a, b, total = (
        _positive(hand_cost, "hand_cost"),
        _positive(control_cost, "control_cost"),
        _positive(budget, "budget"),
    )
    within = float(repeats.var(axis=1, ddof=1).mean())
    mean = repeats.mean(axis=1)
    between = float(mean.var(ddof=1)) - within / r
    cov = float(np.cov(samples, mean)[0, 1])
    sigma2 = float(samples.var(ddof=1))
    if sigma2 == 0.0:
        raise DataError("split_budget: the pilot's utilities are all equal; there is no variance to reduce")
    counts = np.arange(1, most + 1)
    control = np.maximum(between, 0.0) + within / counts
    # Cauchy-Schwarz holds for the true moments, not always for a pilot's: the rest is cut at zero.
    left = np.concatenate(
        [[sigma2], np.maximum(0.0, sigma2 - np.divide(cov**2, control, out=np.zeros_like(control), where=control > 0))]
    )
    hands = total / (a + b * np.arange(most + 1))
    stderr = np.sqrt(left / hands)
    best = int(np.argmin(stderr))
    return BudgetSplit(
        repeats=best,
        hands=int(hands[best]),
        stderr=frozen(stderr),
        hands_by_repeats=frozen(np.floor(hands)),
        params=frozen_params(hand_cost=hand_cost, control_cost=control_cost, budget=budget, most=most),
        diagnostics=_split_notes(between, best, most, n),
    )


def _pilot(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    samples, controls = column(x, "x"), matrix(y, "y")
    same_length(samples, controls, "controls")
    if len(samples) < controls.shape[1] + 3:
        raise DataError(f"pilot: {len(samples)} hands are too few; at least {controls.shape[1] + 3} are needed")
    if np.ptp(samples) == 0.0 or (np.ptp(controls, axis=0) == 0.0).any():
        raise DataError("pilot: the utilities or a control have no variance; a longer or more varied pilot is needed")
    return samples, controls


def _variances(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variance of x, and what the controls leave of it, for each pilot of a batch."""
    n, k = y.shape[-2:]
    u, v = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-2, keepdims=True)
    gram = np.swapaxes(v, -1, -2) @ v
    c = (np.linalg.pinv(gram, hermitian=True) @ (np.swapaxes(v, -1, -2) @ u[..., None]))[..., 0]
    e = u - (v @ c[..., None])[..., 0]
    return (u**2).sum(axis=-1) / (n - 1), (e**2).sum(axis=-1) / (n - 1 - k)


def _half_width(variance: float, hands: int, k: int, level: float) -> float:
    import scipy

    loss = (hands - 2) / (hands - k - 2) if k else 1.0
    return float(scipy.special.stdtrit(hands - 1 - k, 0.5 + level / 2) * np.sqrt(variance * loss / hands))


def _hands_for(variance: float, half_width: float, k: int, level: float) -> int:
    """The smallest number of hands with an interval no wider than wanted."""
    low = high = k + 3
    while _half_width(variance, high, k, level) > half_width:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        if _half_width(variance, middle, k, level) > half_width:
            low = middle + 1
        else:
            high = middle
    return high


def _positive(value: float, name: str) -> float:
    if not (np.isfinite(value) and value > 0.0):
        raise ParameterError(f"{name} must be positive, not {value!r}")
    return float(value)


def _count(hands: int | None, k: int) -> int:
    if hands is None or hands < k + 3:
        raise ParameterError(f"hands must be at least {k + 3}, not {hands!r}")
    return int(hands)


def _small_pilot(n: int, k: int) -> tuple[Diagnostic, ...]:
    if n >= 30 * (k + 1):
        return ()
    return (
        warning(
            "small-pilot", f"{n} hands are a small pilot for {k} controls: the prediction is rough, see its interval."
        ),
    )


def _split_notes(between: float, best: int, most: int, n: int) -> tuple[Diagnostic, ...]:
    notes: Sequence[Diagnostic] = ()
    if between <= 0.0:
        notes = (
            warning(
                "control-all-noise",
                f"in {n} hands the control varies no more between deals than between repeats of one deal.",
            ),
        )
    elif best == most:
        notes = (
            info(
                "repeats-at-limit",
                f"the best number of repeats is the largest considered ({most}); raise most= to look further.",
            ),
        )
    return tuple(notes)
