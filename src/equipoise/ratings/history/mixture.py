"""The variance of the walk, marginalised: a mixture of posteriors, each with its weight.

Plugging in the likeliest variance fails: it is often 0 where there are few games, and intervals of changes are then
much too narrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.core.units import ELO_POINT
from equipoise.ratings.history.walk import Posterior, Walks

VALUES = 8
"""Values of the walk's standard deviation on one grid."""
ENDS = (1.0, 192.0)
"""The smallest and the largest, in Elo points per root of a period."""
HALF_CAUCHY = 30.0
"""Scale of its prior, likewise."""
SHARP = 0.55
"""Weight of one value from which a finer grid is laid around it."""
LEAST = 1e-5
"""Weight below which a value is left out."""


@dataclass(frozen=True)
class Mixture:
    """Posteriors at several variances of the walk, with their weights."""

    parts: tuple[Posterior, ...]
    weights: FloatArray
    iterations: int
    residual: float

    @classmethod
    def of(cls, walks: Walks, walk: float | None) -> "Mixture":
        """Climb to the mode at each value of a grid, or at the one that is given."""
        climbing = _Climb(walks)
        if walk is not None:
            return climbing.mixed(np.array([walk]), np.ones(1))
        values = np.geomspace(*ENDS, VALUES) * ELO_POINT
        found = climbing.mixed(values, values)
        if found.weights.max() <= SHARP:
            return found
        best = int(np.argmin(np.abs(values - found.spreads[np.argmax(found.weights)])))
        values = np.geomspace(values[max(best - 1, 0)], values[min(best + 1, VALUES - 1)], VALUES)
        return climbing.mixed(values, values)

    @property
    def spreads(self) -> FloatArray:
        """Standard deviation of the walk over one period, of each part, in log-odds."""
        return np.sqrt([part.variance for part in self.parts])

    def ratings_and_changes(
        self, zero: FloatArray | None, first: IntArray, second: IntArray, level: float
    ) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
        """Give mean, error, low and high end of all unknowns, less their mean with weights ``zero``; and differences.

        Each part is factored once, and let go.
        """
        own, apart = [], []
        for part in self.parts:
            here = part.fresh()
            own.append(here.variances(zero))
            apart.append(here.variance_of_differences(first, second))
        shift = [0.0 if zero is None else float(part.x @ zero) for part in self.parts]
        centres = np.stack([part.x - by for part, by in zip(self.parts, shift, strict=True)])
        return self._summary(centres, np.stack(own), level), self._differences(first, second, np.stack(apart), level)

    def differences(self, first: IntArray, second: IntArray, level: float) -> tuple[FloatArray, ...]:
        """Give mean, error, low and high end of the first less the second, and the probability that it is above 0."""
        apart = [part.fresh().variance_of_differences(first, second) for part in self.parts]
        return self._differences(first, second, np.stack(apart), level)

    def _differences(
        self, first: IntArray, second: IntArray, variances: FloatArray, level: float
    ) -> tuple[FloatArray, ...]:
        ratings = [np.append(part.x, 0.0) for part in self.parts]  # unknown -1: held at 0
        centres = np.stack([x[first] - x[second] for x in ratings])
        above = self.weights @ scipy.special.ndtr(centres / np.sqrt(np.maximum(variances, 1e-300)))
        return (*self._summary(centres, variances, level), above)

    def _summary(self, centres: FloatArray, variances: FloatArray, level: float) -> tuple[FloatArray, ...]:
        mean = self.weights @ centres
        variance = self.weights @ (variances + (centres - mean) ** 2)
        ends = (self._quantile(centres, np.sqrt(variances), (1 + sign * level) / 2) for sign in (-1, 1))
        return mean, np.sqrt(variance), *ends

    def _quantile(self, centres: FloatArray, errors: FloatArray, share: float) -> FloatArray:
        """Find quantiles of mixtures of normal distributions by halving."""
        errors = np.maximum(errors, 1e-150)
        reach = scipy.special.ndtri(share)
        ends = centres + reach * errors
        low, high = ends.min(axis=0), ends.max(axis=0)
        if len(self.parts) == 1:
            return np.asarray(low)
        for _ in range(60):
            middle = (low + high) / 2
            below = self.weights @ scipy.special.ndtr((middle - centres) / errors) < share
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray((low + high) / 2)


class _Climb:
    """Climbs from one mode to the next."""

    def __init__(self, walks: Walks) -> None:
        self.walks = walks
        self.x: FloatArray = np.zeros(walks.width)

    def mixed(self, values: FloatArray, widths: FloatArray) -> Mixture:
        """Find the mode at each value, and its weight by prior and evidence; ``widths`` are of the grid's cells."""
        modes: list[Posterior] = []
        logs: list[float] = []
        steps, left = 0, 0.0
        for value in values:
            mode, taken, residual = Posterior(self.walks, float(value) ** 2, self.x).mode()
            self.x = mode.x
            logs.append(mode.evidence())
            modes.append(mode.fresh())
            steps, left = steps + taken, max(left, residual)
        prior = -np.log1p((values / (HALF_CAUCHY * ELO_POINT)) ** 2)
        weights = np.array(logs) + prior + np.log(widths)
        weights = np.exp(weights - weights.max())
        weights /= weights.sum()
        return _without_small(modes, weights, steps, left)


def _without_small(modes: Sequence[Posterior], weights: FloatArray, steps: int, left: float) -> Mixture:
    kept = weights >= LEAST
    parts = tuple(mode for mode, keep in zip(modes, kept, strict=True) if keep)
    return Mixture(parts, weights[kept] / weights[kept].sum(), steps, left)
