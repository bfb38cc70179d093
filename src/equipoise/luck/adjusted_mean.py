r"""The arithmetic of control variates: a mean over clusters, adjusted by controls with a known mean.

Everything here works on cluster totals: a cluster is a deal, and its hands are not independent. With ``m`` the number
of hands of a cluster, ``x`` its total utility and ``y`` the totals of its controls (each hand's control minus its
expectation), the estimate with coefficients ``c`` is ``sum(x + y c) / sum(m)``. Leading axes are batches, so that all
samples of a small game, or all replicates of a simulation, go through in one call.

Where games are still being played, the coefficient of a control variate is estimated from what came before,

.. math:: c = \frac{\operatorname{Cov}(X, Y)}{\operatorname{Var}(Y)}

over all earlier observations. What is adjusted next by :math:`x - c (y - \mathrm E[Y])` has the mean of x whatever c
is, because c was fixed before: unlike a coefficient fitted on the same observations, it costs no bias.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from equipoise.core.results import FloatArray

NEGLIGIBLE = 1e-10
"""A control that varies less than this share of its size does not vary."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Cluster totals: hands ``m`` (..., G), utility ``x`` (..., G), controls ``y`` (..., G, k), control size (..., k).

    ``scale`` is the root mean square of each control over the hands, against which its variation is judged.
    """

    m: FloatArray
    x: FloatArray
    y: FloatArray
    scale: FloatArray

    def part(self, keep: np.ndarray) -> "Totals":
        """Some of the clusters."""
        return Totals(self.m[..., keep], self.x[..., keep], self.y[..., keep, :], self.scale)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """An adjusted mean: estimate, variance, degrees of freedom, coefficients (..., k).

    ``skewness`` is that of the clusters' influence on the estimate: what a t interval does not know about. ``reach`` is
    how many times as far as Student's the ends of the interval lie; None where they are his. ``curved`` where controls
    explain the clusters along a curve.
    """

    estimate: FloatArray
    variance: FloatArray
    dof: float
    coefficient: FloatArray
    skewness: FloatArray
    reach: tuple[float, float] | None = None
    curved: bool = False


def totals(x: FloatArray, y: FloatArray, cluster: np.ndarray | None = None) -> Totals:
    """Add up rows by cluster; ``x`` is (n,), ``y`` is (n, k), ``cluster`` holds codes from 0 (or is None)."""
    scale = np.sqrt(np.mean(y * y, axis=-2)) if y.shape[-2] else np.zeros(y.shape[-1])
    if cluster is None:
        return Totals(np.ones_like(x), x, y, scale)
    times = np.bincount(cluster)
    used = np.flatnonzero(times) if np.count_nonzero(times) < len(times) else slice(None)
    m = times[used].astype(float)
    by_cluster = np.empty((m.size, y.shape[-1]))
    for control, column in enumerate(y.T):
        by_cluster[:, control] = np.bincount(cluster, weights=column)[used]
    return Totals(m, np.bincount(cluster, weights=x)[used].astype(float), by_cluster, scale)


def coefficients(data: Totals) -> FloatArray:
    """The coefficients with the least variance in the sample: ``c = -(V'V)^+ V'U``.

    ``U`` and ``V`` are the cluster totals of utility and controls, centred at their means. Controls that do not vary,
    and directions in which several controls are one, get no weight.
    """
    u, v, scale = _centred(data)
    c: FloatArray = -(_inverse(v) @ (np.swapaxes(v, -1, -2) @ u[..., None]))[..., 0] / scale
    return c


def rank(data: Totals) -> int:
    """How many independent directions the controls of one sample span."""
    _, v, _ = _centred(data)
    values: FloatArray = np.linalg.eigvalsh(np.swapaxes(v, -1, -2) @ v).astype(float)
    return int((values > _cut(v, values)).sum())


def fixed(data: Totals, c: FloatArray) -> Adjusted:
    """The estimate with coefficients chosen beforehand: unbiased, whatever they are."""
    z = data.x + (data.y @ c[..., None])[..., 0]
    hands = data.m.sum(axis=-1)
    estimate = z.sum(axis=-1) / hands
    influence = (z - estimate[..., None] * data.m) / hands[..., None]
    each = np.broadcast_to(c, (*estimate.shape, c.shape[-1]))
    return Adjusted(estimate, _spread(influence, 1), _dof(data, 0), each, _skewness(influence))


def fitted(data: Totals) -> Adjusted:
    """The estimate with coefficients from the same sample: consistent, biased by O(1/n).

    The variance is that of the regression's constant, from each cluster's influence on it, with ``k`` degrees of
    freedom less: an estimated coefficient is not free.
    """
    hands = data.m.sum(axis=-1)
    c = coefficients(data)
    total = data.x.sum(axis=-1) + (data.y.sum(axis=-2) * c).sum(axis=-1)
    influence = influences(data)
    dof = _dof(data, data.y.shape[-1])
    return Adjusted(total / hands, _spread(influence, 0), dof, c, _skewness(influence))


def influences(data: Totals, power: float = 0.5) -> FloatArray:
    """What each cluster adds to a fitted mean; at ``power`` 1, by how much leaving it out moves the mean."""
    hands = data.m.sum(axis=-1)
    u, v, _ = _centred(data)
    inverse = _inverse(v)
    e = u - (v @ (inverse @ (np.swapaxes(v, -1, -2) @ u[..., None])))[..., 0]
    gap = data.y.sum(axis=-2) / hands[..., None] / np.where(data.scale > 0.0, data.scale, 1.0)
    weight = 1.0 / hands[..., None] - (v @ (inverse @ gap[..., None]))[..., 0]
    return np.asarray(weight * e / (1.0 - _leverage(data, v, inverse)) ** power)


def cross_fitted(data: Totals, folds: int) -> Adjusted:
    """The estimate in which each cluster's coefficients come from the other folds: unbiased.

    Clusters are put into folds in turn, in the order in which they are given.
    """
    size = data.x.shape[-1]
    fold = np.arange(size) % folds
    z = np.array(data.x)
    used = []
    for f in range(folds):
        held_out = fold == f
        c = coefficients(data.part(~held_out))
        used.append(c)
        z[..., held_out] += (data.y[..., held_out, :] @ c[..., None])[..., 0]
    hands = data.m.sum(axis=-1)
    estimate = z.sum(axis=-1) / hands
    influence = (z - estimate[..., None] * data.m) / hands[..., None]
    dof = _dof(data, data.y.shape[-1])
    return Adjusted(estimate, _spread(influence, 1), dof, np.mean(used, axis=0), _skewness(influence))


def _centred(data: Totals) -> tuple[FloatArray, FloatArray, FloatArray]:
    """U, V in units of the controls' size, and those units."""
    hands = data.m.sum(axis=-1)
    x_mean = data.x.sum(axis=-1) / hands
    y_mean = data.y.sum(axis=-2) / hands[..., None]
    scale = np.where(data.scale > 0.0, data.scale, 1.0)
    u = data.x - x_mean[..., None] * data.m
    return u, (data.y - y_mean[..., None, :] * data.m[..., None]) / scale[..., None, :], scale


def _inverse(v: FloatArray) -> FloatArray:
    """(V'V)^+, without the directions in which the controls do not vary."""
    gram = np.swapaxes(v, -1, -2) @ v
    if v.shape[-1] == 1:
        single: FloatArray = np.divide(1.0, gram, out=np.zeros_like(gram), where=gram > _cut(v, gram))
        return single
    values, vectors = np.linalg.eigh(gram)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=values > _cut(v, values))
    pseudo: FloatArray = (vectors * inverse[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return pseudo


def _cut(v: FloatArray, values: FloatArray) -> FloatArray:
    """Below this an eigenvalue of V'V is rounding: of a control, or of the difference of two."""
    largest = values.max(axis=-1, keepdims=True, initial=0.0)
    return np.asarray(np.maximum(NEGLIGIBLE**2 * max(1, v.shape[-2]), 1e-12 * largest))


def _leverage(data: Totals, v: FloatArray, inverse: FloatArray) -> FloatArray:
    """How far each cluster pulls the fit to itself."""
    own = data.m**2 / (data.m**2).sum(axis=-1, keepdims=True)
    pull = ((v @ inverse) * v).sum(axis=-1) if v.shape[-1] != 1 else v[..., 0] ** 2 * inverse[..., 0]
    return np.asarray(np.minimum(own + pull, 1.0 - 1e-9))


def _spread(influence: FloatArray, used: int) -> FloatArray:
    size = influence.shape[-1]
    factor = size / (size - used) if size > used else np.nan
    return np.asarray(factor * (influence**2).sum(axis=-1))


def _skewness(influence: FloatArray) -> FloatArray:
    square = influence * influence
    size = np.sqrt(square.mean(axis=-1))
    known = size > 0.0
    # In units of the size, so that no cube underflows.
    unit = influence / np.where(known, size, 1.0)[..., None]
    square = unit * unit
    return np.asarray(np.where(known, (square * unit).mean(axis=-1), 0.0))


def _dof(data: Totals, used: int) -> float:
    return float(data.x.shape[-1] - 1 - used)


class RunningControl:
    """Sums behind the coefficient, kept by Welford's updates.

    >>> running = RunningControl()
    >>> running.add([1.0, 3.0, 2.0], [0.0, 1.0, 0.5])
    >>> running.coefficient
    2.0
    """

    def __init__(self) -> None:
        self._n, self._mean_x, self._mean_y, self._xy, self._yy = 0, 0.0, 0.0, 0.0, 0.0

    def add(self, values: Sequence[float], controls: Sequence[float] | None) -> None:
        """Take observations with their controls; None where there is none."""
        if controls is None:
            return
        for x, y in zip(values, controls, strict=True):
            self._n += 1
            ahead_x, ahead_y = x - self._mean_x, y - self._mean_y
            self._mean_x += ahead_x / self._n
            self._mean_y += ahead_y / self._n
            self._xy += ahead_y * (x - self._mean_x)
            self._yy += ahead_y * (y - self._mean_y)

    @property
    def coefficient(self) -> float:
        """What a unit of control is worth; 0 while nothing is known."""
        return self._xy / self._yy if self._yy > 0.0 else 0.0

    def state(self) -> list[float]:
        """Give the sums as JSON."""
        return [self._n, self._mean_x, self._mean_y, self._xy, self._yy]

    @classmethod
    def from_state(cls, saved: Sequence[Any]) -> Self:
        """Read what :meth:`state` wrote."""
        new = cls()
        new._n, new._mean_x, new._mean_y, new._xy, new._yy = saved
        return new
