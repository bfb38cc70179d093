"""The logistic response curves and their derivatives.

One curve for every model, in slope-intercept form so that nothing breaks when a slope passes zero::

    P(theta) = c + (1 - c) sigma(a theta + d),        b = -d / a

=======  =======================  ==================
model    free per item            shared
=======  =======================  ==================
rasch    d                        a = 1
1pl      d                        one a for all items
2pl      a, d
3pl      a, d, c
=======  =======================  ==================

The slope keeps its sign: weaker agents may well do better on an item, and a benchmark designer wants to know.

Reference: Lord & Novick (1968), chapters 17-20; Birnbaum's part.
"""

from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.results import FloatArray

Model = Literal["rasch", "1pl", "2pl", "3pl"]
MODELS: tuple[Model, ...] = ("rasch", "1pl", "2pl", "3pl")
#: Free parameters of each item; ``1pl`` has one more, shared by all.
FREE_PER_ITEM: dict[Model, int] = {"rasch": 1, "1pl": 1, "2pl": 2, "3pl": 3}

_TINY = 1e-300
#: Items times abilities handled at a time: more would not fit into the processor's caches.
_CACHED_CELLS = 100_000
#: Slopes below this are flat: -d / a would be a number without meaning.
FLAT = 1e-9


class Items(NamedTuple):
    """Item parameters in slope-intercept form, one entry per item."""

    slope: FloatArray
    intercept: FloatArray
    guessing: FloatArray

    @property
    def difficulty(self) -> FloatArray:
        """Location b = -d / a; NaN where the curve is flat and has no location."""
        flat = np.abs(self.slope) < FLAT
        return np.where(flat, np.nan, -self.intercept / np.where(flat, 1.0, self.slope))

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_] | slice) -> "Items":
        """Return the parameters of some items."""
        return Items(self.slope[index], self.intercept[index], self.guessing[index])


def n_free(model: Model, n_items: int) -> int:
    """Count the free parameters of a model on so many items."""
    return FREE_PER_ITEM[model] * n_items + (model == "1pl")


def logits(theta: FloatArray, items: Items) -> FloatArray:
    """Return a theta + d, items in rows and abilities in columns."""
    return items.slope[:, None] * theta[None, :] + items.intercept[:, None]


def log_failure(z: FloatArray) -> FloatArray:
    """Return log(1 - sigma(z)).

    Absolute error is a rounding error; SciPy's ``log_expit`` is also relatively exact but ten times slower.
    """
    e = np.abs(z)
    np.negative(e, out=e)
    np.exp(e, out=e)
    e += 1.0
    np.log(e, out=e)
    e += np.maximum(z, 0.0)
    return np.negative(e, out=e)


def log_failures(theta: FloatArray, items: Items) -> FloatArray:
    """Return log(1 - P) of items without guessing, items in rows and abilities in columns."""
    return log_failure(logits(theta, items))


def summed_log_failure(theta: FloatArray, items: Items) -> FloatArray:
    """Return the sum of log(1 - P) over items without guessing, some items at a time.

    >>> two = Items(np.array([2.0, 300.0]), np.array([-6.0, 0.0]), np.zeros(2))
    >>> summed_log_failure(np.array([0.0, 3.0]), two).round(4).tolist()
    [-0.6956, -900.6931]
    """
    total, step = np.zeros(len(theta)), max(1, _CACHED_CELLS // len(theta))
    for start in range(0, len(items.slope), step):
        total += log_failures(theta, items.take(slice(start, start + step))).sum(axis=0)
    return total


def chance_and_variance(theta: FloatArray, items: Items) -> tuple[FloatArray, FloatArray]:
    """Return P and P (1 - P) of items without guessing, items in rows and abilities in columns.

    Both are relatively exact: where hardly any agent is between 0 and 1, P (1 - P) is all that moves an item.
    """
    z = logits(theta, items)
    upper = z > 0.0
    e = np.exp(-np.abs(z, out=z), out=z)
    larger = 1.0 / (1.0 + e)
    smaller = np.multiply(e, larger, out=e)
    return np.where(upper, larger, smaller), smaller * larger


def probability(theta: FloatArray, items: Items) -> FloatArray:
    """Return the chance of success, items in rows and abilities in columns.

    >>> one = Items(np.array([2.0]), np.array([-6.0]), np.array([0.1]))
    >>> probability(np.array([3.0]), one).round(3).tolist()  # at its location, halfway above c
    [[0.55]]
    """
    c = items.guessing[:, None]
    out: FloatArray = c + (1.0 - c) * scipy.special.expit(logits(theta, items))
    return out


def log_probabilities(theta: FloatArray, items: Items) -> tuple[FloatArray, FloatArray]:
    """Return log P and log(1 - P) without cancellation, items in rows."""
    z = logits(theta, items)
    log_fail = log_failure(z)
    log_success = log_fail + z
    if items.guessing.any():
        c = items.guessing[:, None]
        with np.errstate(divide="ignore"):  # log 0 = -inf is the right limit where c = 0
            log_success = np.logaddexp(np.log(c), np.log1p(-c) + log_success)
        log_fail = log_fail + np.log1p(-c)
    return log_success, log_fail


class CurveParts(NamedTuple):
    """P, 1 - P, sigma and sigma / P, items in rows and abilities in columns.

    With u = sigma / P every derivative stays finite in both tails:
    dP/dz / (P Q) = u, dP/dc / (P Q) = 1 / (P (1 - c)), where z = a theta + d.
    """

    p: FloatArray
    q: FloatArray
    sigma: FloatArray
    pull: FloatArray


def curve(theta: FloatArray, items: Items) -> CurveParts:
    """Return the pieces from which scores and information are built."""
    z = logits(theta, items)
    sigma = scipy.special.expit(z)
    c = items.guessing[:, None]
    p = c + (1.0 - c) * sigma
    q = (1.0 - c) * scipy.special.expit(-z)
    pull = np.where(p > _TINY, sigma / np.maximum(p, _TINY), 1.0)
    return CurveParts(p, q, sigma, pull)


def information(theta: FloatArray, items: Items) -> FloatArray:
    """Return Fisher's information about ability, items in rows and abilities in columns.

    I(theta) = P'^2 / (P (1 - P)), which is a^2 P (1 - P) when c = 0.
    """
    part = curve(theta, items)
    out: FloatArray = items.slope[:, None] ** 2 * part.pull**2 * part.p * part.q
    return out
