"""The logistic model behind length-controlled win rates: its fit for one model, and what each match adds to the answer.

``logit y = phi tanh(D / s) + psi d + theta``: D is by how much the baseline's answer is longer, s its standard
deviation, d the question's difficulty. The controlled rate is the mean of ``sigma(psi d + theta)``: what the model
would have won, had both answers always been equally long.

Questions are a sample, so everything moves with them: the coefficients, the standard deviation s in which lengths are
measured, and the mean over difficulties. The influence of a match is the sum of the three (the coefficients' part is
the sandwich of a quasi-likelihood, which is right for probabilities as for hard choices).

References
----------
Dubois, Galambosi, Liang and Hashimoto (2024), Length-controlled AlpacaEval.
Newey and McFadden (1994), Large sample estimation and hypothesis testing (estimates in steps).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray
from equipoise.ratings.damped_newton import NewtonPoint, damped_newton

__all__ = ["Judged", "LengthFit", "fit_length", "lengths_in_units"]

STEPS = 100
TOLERANCE, ROUGH = 1e-11, 1e-6
"""Largest last step of a fit that has converged, and of one that rounding stopped close enough."""
FAR = 20.0
"""Log-odds beyond which a fit may be on its way to infinity: whether it is gets checked."""
SEPARATED = "no finite fit exists: it won or lost everything, or did so wherever its answers were longer"
ALIKE = 1e-9
"""Share of a column's spread that the others leave, below which nothing can be told about its coefficient."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The matches of one model against the baseline: its score, how much longer the baseline's answer is, how often.

    ``difficulty`` is None where questions count alike.
    """

    score: FloatArray
    longer: FloatArray
    weight: FloatArray
    difficulty: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LengthFit:
    """Coefficients (phi, psi, theta; psi is NaN without difficulties), rates, and the influence of each match on them.

    Influences are of a match that happened once: an estimate less the truth is their weighted mean.
    """

    coefficients: FloatArray
    rate: float
    plain: float
    rate_influence: FloatArray
    phi_influence: FloatArray
    spread: float
    steps: int


def lengths_in_units(longer: FloatArray, weight: FloatArray) -> tuple[FloatArray, float, FloatArray]:
    """Give differences of length in their standard deviation, that deviation, and each match's influence on it.

    Fails when
        all differences are the same.
    """
    total = float(weight.sum())
    if total <= 1 or not np.ptp(longer[weight > 0]):
        raise DataError("the difference of length is the same in all its matches")
    centred = longer - weight @ longer / total
    variance = float(weight @ centred**2 / (total - 1))
    spread = float(np.sqrt(variance))
    return longer / spread, spread, (centred**2 - variance) / (2 * spread) * total / (total - 1)


def fit_length(judged: Judged) -> LengthFit:
    """Fit one model and find the influence of each match.

    Fails when
        no finite coefficients exist, or they cannot be told apart; the error says why, without the model's name.
    """
    units, spread, by_spread = lengths_in_units(judged.longer, judged.weight)
    bent = np.tanh(units)
    columns = [bent, *([] if judged.difficulty is None else [judged.difficulty]), np.ones_like(bent)]
    x, y = np.column_stack(columns), judged.score
    share = judged.weight / judged.weight.sum()
    _refuse_alike(x, share)
    beta, steps = _newton(x, y, share)
    p, equal = scipy.special.expit(x @ beta), scipy.special.expit(x[:, 1:] @ beta[1:])
    bread = np.linalg.inv((x * (share * p * (1 - p))[:, None]).T @ x)
    # How the equations of the fit move with the unit of lengths: through the column, and through what it predicts.
    moved = -(1 - bent**2) * units / spread
    by_unit = -x.T @ (share * p * (1 - p) * beta[0] * moved)
    by_unit[0] += (share * (y - p)) @ moved
    scores = (y - p)[:, None] * x + by_spread[:, None] * by_unit
    influence = scores @ bread
    rate = float(share @ equal)
    slope = x[:, 1:].T @ (share * equal * (1 - equal))
    psi = np.nan if judged.difficulty is None else beta[1]
    return LengthFit(
        coefficients=np.array([beta[0], psi, beta[-1]]),
        rate=rate,
        plain=float(share @ y),
        rate_influence=equal - rate + influence[:, 1:] @ slope,
        phi_influence=influence[:, 0],
        spread=spread,
        steps=steps,
    )


def _refuse_alike(x: FloatArray, share: FloatArray) -> None:
    """Refuse columns of which one is a sum of the others."""
    rows = x * np.sqrt(share)[:, None]
    size = np.sqrt((rows**2).sum(axis=0))
    if not size.all() or np.linalg.svd(rows / size, compute_uv=False)[-1] ** 2 < ALIKE:
        raise DataError("length, difficulty and strength cannot be told apart in its matches")


@dataclass(frozen=True, eq=False)
class _Point(NewtonPoint):
    """Coefficients of a logistic quasi-likelihood: its columns, scores, and shares of the matches."""

    columns: FloatArray
    score: FloatArray
    share: FloatArray
    x: FloatArray

    @cached_property
    def log_odds(self) -> FloatArray:
        return np.asarray(self.columns @ self.x)

    @cached_property
    def value(self) -> float:
        return float(self.share @ (self.score * self.log_odds - np.logaddexp(0.0, self.log_odds)))

    def newton_step(self) -> tuple[FloatArray, float]:
        p = scipy.special.expit(self.log_odds)
        gradient = self.columns.T @ (self.share * (self.score - p))
        curvature = (self.columns * (self.share * p * (1 - p))[:, None]).T @ self.columns
        step = np.asarray(np.linalg.solve(curvature, gradient), dtype=np.float64)
        return step, float(gradient @ step)

    def rises(self, end: "_Point", slope: float, scale: float) -> bool:
        if np.abs(end.log_odds).max() > FAR and _separated(self.columns, self.score, self.share):
            raise DataError(SEPARATED)
        return super().rises(end, slope, scale)


def _newton(x: FloatArray, y: FloatArray, share: FloatArray) -> tuple[FloatArray, int]:
    """Maximise the logistic quasi-likelihood."""
    try:
        reached = damped_newton(_Point(x, y, share, np.zeros(x.shape[1])), range(STEPS), TOLERANCE)
    except np.linalg.LinAlgError:
        reached = None
    if reached is None or not (reached.converged or (reached.stalled and reached.residual < ROUGH)):
        raise DataError(SEPARATED if _separated(x, y, share) else "the fit does not converge")
    return reached.point.x, reached.steps + 1


def _separated(x: FloatArray, y: FloatArray, share: FloatArray) -> bool:
    """Whether some direction makes no match less likely and some more: then no finite optimum exists.

    Wins may only move up, losses down, probabilities between must stay (Albert and Anderson, 1984).
    """
    counts = share > 0
    x, sign = x[counts], np.where(y == 1, 1.0, np.where(y == 0, -1.0, 0.0))[counts]
    decided = sign != 0
    if not decided.any():
        return False
    toward = x[decided] * sign[decided, None]
    found = scipy.optimize.linprog(
        -toward.sum(axis=0) / len(toward),
        A_ub=-toward, b_ub=np.zeros(len(toward)),
        A_eq=None if decided.all() else x[~decided], b_eq=None if decided.all() else np.zeros(int((~decided).sum())),
        bounds=(-1, 1),
    )  # fmt: skip
    return bool(found.success and -found.fun > 1e-9)
