"""Two editions of a benchmark on one scale, through the items they share."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import Fit, FloatArray, Result, frozen, frozen_params
from equipoise.items.marginal.quadrature import uniform_grid
from equipoise.items.models.models import Items, probability
from equipoise.items.scoring.calibration import Calibration

#: Largest difference of two curves, after equating, above which a common item is said to have drifted.
DRIFT = 0.15


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Equating(Result):
    """The line that takes the new edition's scale to the base's, and the new items on it.

    Attributes
    ----------
    scale, shift
        Ability on the base scale = scale x ability on the new scale + shift.
    calibration
        The new edition's items on the base scale.
    common
        Names of the shared items.
    drift
        Largest gap between each shared item's two curves after equating.
    """

    rows_name: ClassVar[str] = "items"
    in_summary: ClassVar[tuple[str, ...]] = ("scale", "shift")
    main: ClassVar[str] = "drift"

    scale: float
    shift: float
    calibration: Calibration
    common: tuple[str, ...]
    drift: FloatArray

    def frame(self) -> "pl.DataFrame":
        """Give the common items, least drifted first."""
        return pl.DataFrame({"item": list(self.common), "drift": self.drift}).sort("drift", maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """The line, and how many shared items it rests on."""
        drifted = [name for name, gap in zip(self.common, self.drift, strict=True) if gap > DRIFT]
        alike = f"{some_of(drifted)} drifted" if drifted else "none of them drifted"
        shift = f"{'minus' if self.shift < 0 else 'plus'} {abs(self.shift):.2f}"
        return (
            f"Ability on the base scale is {self.scale:.2f} times ability on the new scale {shift}.",
            f"The line rests on {len(self.common)} shared items; {alike}.",
        )

    def ability(self, ability: FloatArray) -> FloatArray:
        """Convert abilities from the new scale to the base's."""
        return self.scale * np.asarray(ability, dtype=np.float64) + self.shift


@method(
    takes="calibration",
    answers="How do two editions of a benchmark compare, through the items they share?",
    reference="Haebara (1980); Kolen and Brennan (2014)",
    resampled="it compares two calibrations, which hold no data to draw from",
)
def equate(base: Calibration, new: Calibration, *, method: Literal["haebara", "mean-sigma"] = "haebara") -> Equating:
    r"""Put a new edition's items on an older edition's scale.

    Each edition is calibrated on its own agents, with ability N(0, 1) among them; only the items that both
    contain can say how the two populations differ: :math:`\theta_{base} = A\,\theta_{new} + B`.

    Parameters
    ----------
    base, new
        Calibrations that share at least two items, by name.
    method
        ``haebara``: the line that brings the shared items' curves closest, squared gaps averaged over abilities.
        ``mean-sigma``: mean and deviation of the shared difficulties; simple, and easily led by one odd item.

    Fails when
        fewer than two items are shared.

    Notes
    -----
    Standard errors of the items are converted with the scale; the error of the line itself is not in them, and no
    interval is given for it.

    References
    ----------
    Haebara (1980); Kolen and Brennan (2014), Test Equating, Scaling, and Linking.

    Examples
    --------
    >>> old = Calibration.from_parameters(["a", "b", "c"], difficulty=[-1.0, 0.0, 1.0])
    >>> new = Calibration.from_parameters(["a", "b", "c"], difficulty=[-1.5, -0.5, 0.5])
    >>> line = equate(old, new)
    >>> round(line.scale, 4), round(line.shift, 4)
    (1.0, 0.5)
    """
    if not isinstance(new, Calibration):
        raise DataError(f"equate takes two calibrations, not {type(base).__name__} and {type(new).__name__}")
    there = set(new.items)
    common = [item for item in base.items if item in there]
    if len(common) < 2:
        raise DataError(f"the two calibrations share {len(common)} items by name; equating needs at least 2")
    old_items, new_items = base.take(common).parameters, new.take(common).parameters
    scale, shift = _mean_sigma(old_items, new_items)
    fit = Fit(True, 1, 0.0)
    if method == "haebara":
        scale, shift, fit = _haebara(old_items, new_items, scale, shift)
    drift = _gaps(old_items, new_items, scale, shift).max(axis=1)
    return Equating(
        scale=scale, shift=shift, common=tuple(common), drift=frozen(drift), fit=fit,
        calibration=replace(_carried(new, scale, shift), ability_sd=base.ability_sd),
        diagnostics=_drift_notes(common, drift),
        params=frozen_params(method=method),
    )  # fmt: skip


def _mean_sigma(old: Items, new: Items) -> tuple[float, float]:
    b_old, b_new = old.difficulty, new.difficulty
    spread = float(np.std(b_new))
    scale = float(np.std(b_old)) / spread if spread > 0 else 1.0
    return scale, float(np.mean(b_old) - scale * np.mean(b_new))


def _gaps(old: Items, new: Items, scale: float, shift: float) -> FloatArray:
    """Return absolute differences of the shared curves over base abilities."""
    nodes = uniform_grid(4.0, 41).nodes
    return np.abs(probability(nodes, old) - probability((nodes - shift) / scale, new))


def _haebara(old: Items, new: Items, scale: float, shift: float) -> tuple[float, float, Fit]:
    weight = np.exp(uniform_grid(4.0, 41).log_weights)

    def loss(line: FloatArray) -> float:
        return float(np.sum(_gaps(old, new, float(np.exp(line[0])), float(line[1])) ** 2 @ weight))

    start = np.array([np.log(scale) if scale > 0 else 0.0, shift])
    tight = {"xatol": 1e-9, "fatol": 1e-14, "maxiter": 4000}
    solution = scipy.optimize.minimize(loss, start, method="Nelder-Mead", options=tight)
    fit = Fit(bool(solution.success), int(solution.nit), float(solution.fun))
    return float(np.exp(solution.x[0])), float(solution.x[1]), fit


def _carried(new: Calibration, scale: float, shift: float) -> Calibration:
    return replace(
        new,
        difficulty=frozen(scale * new.difficulty + shift),
        discrimination=frozen(new.discrimination / scale),
        difficulty_se=frozen(scale * new.difficulty_se),
        discrimination_se=frozen(new.discrimination_se / scale),
        uncertainty=None if new.uncertainty is None else new.uncertainty.carried(scale, shift),
        constant=None if new.constant is None else _carried(new.constant, scale, shift),
    )


def _drift_notes(common: list[str], drift: FloatArray) -> tuple[Diagnostic, ...]:
    moved = [common[k] for k in np.flatnonzero(drift > DRIFT)]
    if not moved:
        return ()
    text = f"{some_of(moved)}: the item behaves differently in the two editions (curves differ by more than {DRIFT:g})"
    return (warning("item-drift", f"{text}; consider equating without it.", moved),)
