"""Before playing: how a budget is best split between real hands and self-play of a control."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError
from equipoise.core.lazy import pl
from equipoise.core.options import positive, whole
from equipoise.core.results import FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option, counted
from equipoise.luck.arrays import pilot


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
        table = {"repeats": np.arange(len(self.stderr)), "hands": self.hands_by_repeats, "stderr": self.stderr}
        return pl.DataFrame(table).sort("stderr", maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """How often the control should repeat each hand, and what that gives."""
        best, alone = float(self.stderr[self.repeats]), float(self.stderr[0])
        hands = counted(self.hands, "hand")
        if not self.repeats:
            return (f"Play without the control: the budget pays for {hands}, with a standard error of {best:.3g}.",)
        repeats = counted(self.repeats, "self-play")
        return (
            f"Give each hand {repeats} of the control: the budget then pays for {hands}, with a standard error of "
            f"{best:.3g} instead of {alone:.3g} without it.",
        )


@method(
    takes="array",
    answers="How many self-plays of a control should each real hand get?",
    reference="Davidson, Archibald and Bowling (2013), eq. 14",
    checks={"hand_cost": positive(), "control_cost": positive(), "budget": positive(), "most": whole(1)},
    resampled="a split of a budget is no estimate",
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
    samples, repeats = pilot(x, y)
    n, r = repeats.shape
    if r < 2:
        raise DataError(
            "split_budget: the pilot needs at least two self-plays of the control on each hand, to see how much it "
            "varies"
        )
    within = float(repeats.var(axis=1, ddof=1).mean())
    mean = repeats.mean(axis=1)
    between = float(mean.var(ddof=1)) - within / r
    left = _variance_left(float(samples.var(ddof=1)), float(np.cov(samples, mean)[0, 1]), between, within, most)
    hands = budget / (hand_cost + control_cost * np.arange(most + 1))
    stderr = np.sqrt(left / hands)
    best = int(np.argmin(stderr))
    return BudgetSplit(
        repeats=best,
        hands=int(hands[best]),
        stderr=frozen(stderr),
        hands_by_repeats=frozen(np.floor(hands)),
        params=frozen_params(hand_cost=hand_cost, control_cost=control_cost, budget=budget, most=most),
        diagnostics=_notes(between, best, most, n),
    )


def _variance_left(sigma2: float, cov: float, between: float, within: float, most: int) -> FloatArray:
    """Variance of a hand with 0, 1, 2, ... repeats of the control."""
    control = np.maximum(between, 0.0) + within / np.arange(1, most + 1)
    explained = np.divide(cov**2, control, out=np.zeros_like(control), where=control > 0)
    # Cauchy-Schwarz holds for the true moments, not always for a pilot's: the rest is cut at zero.
    return np.concatenate([[sigma2], np.maximum(0.0, sigma2 - explained)])


def _notes(between: float, best: int, most: int, n: int) -> tuple[Diagnostic, ...]:
    if between <= 0.0:
        text = f"in {n} hands the control varies no more between deals than between repeats of one deal."
        return (warning("control-all-noise", text),)
    if best == most:
        text = f"the best number of repeats is the largest considered ({most})."
        return (info("repeats-at-limit", text, advice=[Advice("raise ", Option("most"), " to look further")]),)
    return ()
