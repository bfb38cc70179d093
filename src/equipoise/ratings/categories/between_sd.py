"""How far categories move ratings: the spread integrated over a grid, as for populations of agents.

See :mod:`equipoise.ratings.population.population`.

Each spread has its Laplace approximation; there are two priors on it, and an interval reaches over those of both.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.progress import counted
from equipoise.core.results import Estimate, FloatArray, IntArray
from equipoise.ratings.categories.model import CategoryFit, CategoryModel, Moments
from equipoise.ratings.population.population import AVERAGE, NEGLIGIBLE, mixture_quantiles, spread_weights

__all__ = ["CategoryPosterior", "given_spread", "over_spreads"]

SPREADS = np.geomspace(0.003, 6.0, 8)
"""Standard deviations in log-odds (half a point to 1,040 Elo points), looked at first."""
FINE, ENOUGH, ROUNDS = 9, 5, 6
"""Values that cover the part of them that matters; how many must matter; how often that part is narrowed at most."""
SHOWN = 1.35
"""By how much the log of the evidence must grow from no spread to the best for the games to show one: half the 95%
quantile of the likelihood ratio at the edge (Self and Liang 1987)."""
WORK = "spreads of categories"


@dataclass(frozen=True, slots=True, eq=False)
class CategoryPosterior:
    """The posterior over a grid of spreads, or at the one spread given.

    Attributes
    ----------
    spread, weight
        The grid, and probabilities of the spreads (columns) under each prior and under their average (rows).
    moments
        Given each spread.
    covariance
        Of ratings by category and overall (the last one), the priors averaged.
    best
        The fit at the spread with the largest weight.
    tau
        The spread with its interval.
    shown
        Whether the games show that there is one.
    """

    spread: FloatArray
    weight: FloatArray
    moments: Sequence[Moments]
    covariance: FloatArray
    best: CategoryFit
    tau: Estimate
    shown: bool

    def mean(self, name: str) -> FloatArray:
        """Posterior mean, the priors averaged."""
        return np.asarray(np.tensordot(self.weight[AVERAGE], _all(self.moments, name), axes=1))

    def variance(self, name: str, of: str) -> FloatArray:
        """Posterior variance, the priors averaged: within spreads and between them."""
        between = (_all(self.moments, name) - self.mean(name)) ** 2
        return np.asarray(np.tensordot(self.weight[AVERAGE], _all(self.moments, of) + between, axes=1))

    def interval(self, name: str, of: str, level: float, stretch: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give both ends, over those of both priors, stretched away from the mean."""
        mode, mean = _all(self.moments, name), self.mean(name)
        flat = mode.reshape(len(mode), -1)
        sd = np.sqrt(_all(self.moments, of)).reshape(flat.shape) + 1e-300
        tail = (1 - level) / 2
        low = mixture_quantiles(self.weight[:AVERAGE], flat, sd, tail).min(axis=0).reshape(mean.shape)
        high = mixture_quantiles(self.weight[:AVERAGE], flat, sd, 1 - tail).max(axis=0).reshape(mean.shape)
        return mean - stretch * np.maximum(mean - low, 0), mean + stretch * np.maximum(high - mean, 0)


def over_spreads(model: CategoryModel, level: float) -> CategoryPosterior:
    """Fit at every spread that matters, coarsely first, then between those ends where the weight lies."""
    fits = _fits(model, SPREADS)
    evidence = np.array([fit.evidence for fit in fits])
    shown = bool(evidence.max() - evidence[0] > SHOWN)
    spreads = SPREADS
    for _ in range(ROUNDS):
        matter = _matter(spread_weights(spreads, evidence))
        if spreads is not SPREADS and len(matter) >= ENOUGH:
            break
        first, last = max(matter[0] - 1, 0), min(matter[-1] + 1, len(spreads) - 1)
        spreads, near = np.geomspace(spreads[first], spreads[last], FINE), fits[first]
        fits = _fits(model, spreads, near)
        evidence = np.array([fit.evidence for fit in fits])
    weight = spread_weights(spreads, evidence)
    matter = _matter(weight)
    weight = weight[:, matter] / weight[:, matter].sum(axis=1, keepdims=True)
    tau = _estimate(spreads, evidence, level)
    return _posterior(model, weight, [fits[k] for k in matter], tau, shown)


def _matter(weight: FloatArray) -> IntArray:
    return np.flatnonzero((weight > NEGLIGIBLE * weight.max(axis=1, keepdims=True)).any(axis=0))


def given_spread(model: CategoryModel, spread: float, shown: float) -> CategoryPosterior:
    """Take the spread for known; ``shown`` is how it is said."""
    estimate = Estimate(shown, 0.0, shown, shown)
    return _posterior(model, np.ones((AVERAGE + 1, 1)), [model.fit(spread)], estimate, shown > 0)


def _posterior(
    model: CategoryModel, weight: FloatArray, fits: Sequence[CategoryFit], tau: Estimate, shown: bool
) -> CategoryPosterior:
    moments: list[Moments] = []
    covariance = np.zeros((len(model.categories) + 1, model.agents, model.agents))
    for share, fit in zip(weight[AVERAGE], counted(fits, WORK, [1] * len(fits)), strict=True):
        here = model.moments(fit)
        covariance += share * here.covariance
        moments.append(here.without_covariance())
    mean = np.tensordot(weight[AVERAGE], _all(moments, "mean"), axes=1)
    for share, here in zip(weight[AVERAGE], moments, strict=True):
        off = here.mean - mean
        covariance += share * off[:, :, None] * off[:, None, :]
    best = fits[int(np.argmax(weight[AVERAGE]))]
    spread = np.array([fit.spread for fit in fits])
    return CategoryPosterior(spread, weight, moments, covariance, best, tau, shown)


def _fits(model: CategoryModel, spreads: Iterable[float], start: CategoryFit | None = None) -> list[CategoryFit]:
    """Go up the spreads, each fit starting from the one before."""
    fits: list[CategoryFit] = []
    for spread in counted(list(spreads), WORK):
        fits.append(model.fit(float(spread), fits[-1] if fits else start))
    return fits


def _estimate(spreads: FloatArray, evidence: FloatArray, level: float) -> Estimate:
    """Mean and interval of the spread, on a finer grid over which the evidence is interpolated."""
    fine = np.geomspace(spreads[0], spreads[-1], 2000)
    smooth = scipy.interpolate.CubicSpline(np.log(spreads), evidence)(np.log(fine))
    weight = spread_weights(fine, smooth)
    below = np.cumsum(weight[:AVERAGE], axis=1)
    tail = (1 - level) / 2
    low, high = (fine[np.minimum((below < chance).sum(axis=1), len(fine) - 1)] for chance in (tail, 1 - tail))
    mean = float(weight[AVERAGE] @ fine)
    return Estimate(mean, float(np.sqrt(weight[AVERAGE] @ (fine - mean) ** 2)), float(low.min()), float(high.max()))


def _all(moments: Sequence[Moments], name: str) -> FloatArray:
    return np.array([getattr(each, name) for each in moments])
