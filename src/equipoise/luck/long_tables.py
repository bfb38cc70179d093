"""Means of every agent in a long table: all at once, in a few passes over the rows as they stand.

The arithmetic is that of :mod:`equipoise.luck.adjusted_mean`, for one control or none.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray
from equipoise.data.types.episodes import Episodes
from equipoise.luck.adjusted_mean import NEGLIGIBLE, Adjusted, Totals
from equipoise.luck.seating import Units

NOBODY = np.zeros(0)


@dataclass(frozen=True, slots=True)
class HandClusters:
    """Clusters of hands: whose each is, its hands (a single 1 for all), utility and control (or none).

    ``shift`` is taken off every control value; ``uneven`` says how many deals of a unit saw the seats unequally often.
    """

    whose: npt.NDArray[np.int32]
    m: FloatArray
    x: FloatArray
    y: FloatArray
    shift: float
    units: int
    uneven: npt.NDArray[np.int64]

    def totals(self, unit: int, scale: float) -> Totals:
        """The clusters of one unit, with their control of this size."""
        own = self.whose == unit
        m = np.ones(int(own.sum())) if self.m.size == 1 else self.m[own]
        return Totals(m, self.x[own], (self.y[own] - self.shift)[:, None], np.array([scale]))

    def sums(self) -> FloatArray:
        """For each unit: clusters, sums of m, x, y, m^2 and y^2, and the least and largest y."""
        from equipoise.luck._unit_kernels import sums_of_units

        return np.asarray(sums_of_units(self.whose, self.m, self.x, self.y, self.shift, self.units))


@dataclass(frozen=True, slots=True)
class Means:
    """The plain and the adjusted mean of a unit, its hands and clusters, and whether its control varies.

    ``spread`` is the sum of the squared deviations of the clusters' utilities from the mean.
    """

    hands: float
    clusters: int
    spread: float
    plain: Adjusted
    adjusted: Adjusted
    varies: bool


def rows_of(data: Episodes, grouped: Units, y: FloatArray = NOBODY, shift: float = 0.0) -> HandClusters:
    """Every hand on its own."""
    luck = grouped.entries(y) if len(y) else y
    none = np.zeros(len(grouped), dtype=np.int64)
    return HandClusters(grouped.whose, np.ones(1), grouped.entries(data.utility), luck, shift, len(grouped), none)


def clusters_of(
    data: Episodes, grouped: Units, *, seats: bool, y: FloatArray = NOBODY, shift: float = 0.0
) -> HandClusters:
    """The hands of a unit on one deal are a cluster; with ``seats`` uneven ones are counted.

    The ``shift`` is taken off each hand while they are summed, so that nothing is left to take off a cluster.
    """
    from equipoise.luck._unit_kernels import clusters_of_units

    size, deal = len(grouped.whose), grouped.entries(data.deal.codes)
    places = len(data.seat.labels) if seats and data.seat is not None else 1
    seat = grouped.entries(data.seat.codes) if seats and data.seat is not None else deal
    # Memory from NumPy comes in large pages, which is where half of the time went.
    head, chain = np.full(len(data.deal.labels), -1, dtype=np.int32), np.empty((size, 2), dtype=np.int32)
    times, sums = np.zeros((size, places), dtype=np.int32), np.zeros((size, 3 if len(y) else 2))
    uneven, luck = np.zeros(len(grouped), dtype=np.int64), grouped.entries(y) if len(y) else y
    columns = (grouped.whose, deal, seat, grouped.entries(data.utility), luck, shift)
    count = clusters_of_units(*columns, head, chain, times, sums, uneven)
    sums = sums[:count]
    return HandClusters(
        chain[:count, 0], sums[:, 0], sums[:, 1], sums[:, 2] if len(y) else sums[:0, 1], 0.0, len(grouped), uneven
    )


def spreads_of(data: Episodes, grouped: Units) -> FloatArray:
    """Sum of the squared deviations of each unit's utilities from their mean."""
    from equipoise.luck._unit_kernels import squares_of_units

    return np.asarray(squares_of_units(grouped.whose, grouped.entries(data.utility), len(grouped)))


def means_of(clusters: HandClusters, sums: FloatArray, scale: FloatArray, coefficient: float | None) -> list[Means]:
    """Means of every unit, adjusted with a fitted coefficient (None) or a fixed one; ``scale`` is the control's."""
    from equipoise.luck._unit_kernels import moments_of_units, products_of_units

    columns = (clusters.whose, clusters.m, clusters.x, clusters.y, clusters.shift)
    size, hands, won, luck, squares = sums[:, :5].T
    scale = np.where(scale > 0.0, scale, 1.0)
    mean = np.stack([won / hands, luck / hands, 1.0 / scale], axis=1)
    uu, vv, uv = products_of_units(*columns, mean).T
    varies = vv > NEGLIGIBLE**2 * size
    inverse = np.divide(1.0, vv, out=np.zeros(len(vv)), where=varies)
    c = -inverse * uv if coefficient is None else coefficient * scale
    unit = np.sqrt((uu + c * c * vv) / size)
    unit = np.where(unit > 0.0, unit, 1.0)
    correction = inverse if coefficient is None else np.full(len(c), -1.0)
    fit = np.stack([c, correction, correction * luck / scale, 1.0 / squares, 1.0 / unit], axis=1)
    second, third = moments_of_units(*columns, mean, fit).T
    skewness = np.divide(third / size, (second / size) ** 1.5, out=np.zeros(len(c)), where=second > 0.0)
    free = size / np.maximum(size - 1.0, 1.0)
    variance = second * (unit / hands) ** 2 * (1.0 if coefficient is None else free)
    used = 1 if coefficient is None else 0
    width = 1 if len(clusters.y) else 0
    each = np.stack([c / scale if coefficient is None else np.full(len(c), coefficient)], axis=1)[:, :width]
    return [
        Means(
            float(hands[k]),
            int(size[k]),
            float(uu[k]),
            _adjusted(won[k] / hands[k], free[k] * uu[k] / hands[k] ** 2, size[k] - 1, np.zeros(width), 0.0),
            _adjusted(
                (won[k] + luck[k] * c[k] / scale[k]) / hands[k], variance[k], size[k] - 1 - used, each[k], skewness[k]
            ),
            bool(varies[k]),
        )
        for k in range(len(c))
    ]


def _adjusted(estimate: float, variance: float, dof: float, coefficient: FloatArray, skewness: float) -> Adjusted:
    return Adjusted(np.asarray(estimate), np.asarray(variance), float(dof), coefficient, np.asarray(skewness))
