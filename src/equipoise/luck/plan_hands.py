"""Before playing: what a control will be worth, and how many hands an interval of a given width takes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.lazy import pl
from equipoise.core.options import check, generator, positive, whole
from equipoise.core.results import FloatArray, Result, frozen_params
from equipoise.core.wording import Option, counted
from equipoise.luck.arrays import pilot


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

    @property
    def answer(self) -> tuple[str, ...]:
        """What the control will save, and the hands that the interval takes with it and without."""
        saved = (
            f"The control cuts the standard error by {self.reduction:.0f}% "
            f"({self.reduction_low:.0f}% to {self.reduction_high:.0f}%, from a pilot of {counted(self.pilot, 'hand')})."
        )
        needed = (
            f"An interval of plus or minus {self.half_width:.3g} takes {counted(self.hands, 'hand')} with it "
            f"(at most {self.hands_high:,}) and {self.plain_hands:,} without."
        )
        return saved, needed


@method(
    takes="array",
    answers="How much will a control save, and how many hands does an interval of a given width take?",
    reference="Lavenberg and Welch (1981)",
    checks={"half_width": positive(none=True), "n": whole(2)},
    resampled="it bootstraps its pilot itself, and its interval comes from that",
)
def plan_hands(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    half_width: float | None = None,
    hands: int | None = None,
    level: float = 0.95,
    n: int = 500,
    rng: int | np.random.Generator = 0,
) -> LuckPlan:
    """Predict from a pilot what controls will save, and how many hands an interval of a given width takes.

    The residual variance comes from the regression of the pilot's utilities on its controls; a fitted coefficient costs
    ``(m - 2) / (m - k - 2)`` of the variance at m hands and k degrees of freedom of the t interval, and both are
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
    n
        Number of bootstrap samples of the pilot behind the interval of the prediction.
    rng
        Seed or generator of the bootstrap samples.

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
    samples, controls = pilot(x, y)
    size, k = controls.shape
    plain, left = _variances(samples[None], controls[None])
    width = _half_width_wanted(half_width, hands, left[0], k, level)
    if not width > 0.0:
        raise DataError("pilot: the controls explain the utilities completely; there is no noise left to plan for")
    pick = generator(rng).integers(0, size, (n, size))
    plain_drawn, left_drawn = _variances(samples[pick], controls[pick])
    varied = plain_drawn > 0.0
    reductions = 100.0 * (1.0 - np.sqrt(left_drawn[varied] / plain_drawn[varied]))
    low, high = np.quantile(reductions, [0.5 - level / 2, 0.5 + level / 2], method="weibull")
    upper = float(np.quantile(left_drawn, 0.5 + level / 2, method="weibull"))
    return LuckPlan(
        reduction=float(100.0 * (1.0 - np.sqrt(left[0] / plain[0]))),
        reduction_low=float(low),
        reduction_high=float(high),
        multiplier=float(plain[0] / left[0]) if left[0] > 0.0 else np.inf,
        half_width=width,
        hands=_hands_for(float(left[0]), width, k, level),
        hands_high=_hands_for(upper, width, k, level),
        plain_hands=_hands_for(float(plain[0]), width, 0, level),
        pilot=size,
        params=frozen_params(half_width=half_width, hands=hands, level=level, n=n),
        diagnostics=_small_pilot(size, k),
    )


def _half_width_wanted(half_width: float | None, hands: int | None, variance: float, k: int, level: float) -> float:
    """Give the half width asked for, or the one that the hands planned will give."""
    if half_width is not None and hands is None:
        return float(half_width)
    if hands is None or half_width is not None:
        raise ParameterError("give either ", Option("half_width"), " or ", Option("hands"), ", and only one of them")
    check(whole(k + 3), "hands", hands)
    return _half_width(variance, hands, k, level)


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


def _small_pilot(n: int, k: int) -> tuple[Diagnostic, ...]:
    if n >= 30 * (k + 1):
        return ()
    text = f"{n} hands are a small pilot for {counted(k, 'control')}: the prediction is rough, see its interval."
    return (warning("small-pilot", text),)
