"""What is not known of the items, and what that does to an ability measured with them.

Parameters of different items are known together: the scale itself is estimated, and moves them all. The covariance of
(a, d, c) of all items is kept as a block for each item and a few directions that they share,

    Sigma = diag(own_1, ..., own_I) + sum_r f_r f_r'

which is exact for few items, and otherwise exact within items and in the largest directions. An ability's error gets
``g' Sigma g`` in addition (the delta method), with ``g = V d^2 log L / d theta d(a, d, c)`` how the estimate follows
the items, and V its own variance.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.results import FloatArray, frozen
from equipoise.items.models.models import Items
from equipoise.items.models.responses import Responses

#: Directions kept where there are too many parameters to keep all.
_DIRECTIONS = 8
_EXACT_PARAMETERS = 24
#: Numbers kept for each cell: agents are taken in parts that stay in the processor's cache.
_NUMBERS = 20


@dataclass(frozen=True, slots=True, eq=False)
class ItemUncertainty:
    """Covariance of the items' (a, d, c): ``own`` (3, 3, items) within each item, ``shared`` (directions, 3, items)."""

    own: FloatArray
    shared: FloatArray

    @classmethod
    def of(cls, covariance: FloatArray) -> "ItemUncertainty":
        """Compress a covariance of all a, then all d, then all c."""
        size = len(covariance)
        items = size // 3
        scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        used = np.flatnonzero(scale > 0)
        inner = covariance[np.ix_(used, used)] / np.multiply.outer(scale[used], scale[used])
        values, vectors = _largest(inner)
        shared = np.zeros((len(values), size))
        shared[:, used] = (vectors * np.sqrt(np.maximum(values, 0.0))).T * scale[used]
        return cls.less(np.stack([[_block(covariance, j, k, items) for k in range(3)] for j in range(3)]), shared)

    @classmethod
    def less(cls, blocks: FloatArray, shared: FloatArray) -> "ItemUncertainty":
        """Make it from each item's whole block and the directions that are part of it."""
        factor = shared.reshape(len(shared), 3, -1)
        return cls(frozen(blocks - np.einsum("rpj,rqj->pqj", factor, factor)), frozen(factor))

    @classmethod
    def with_directions(cls, own: FloatArray, shared: FloatArray) -> "ItemUncertainty":
        """Make it from blocks and directions (any number, 3, items), of which the largest are kept as such."""
        if len(shared) <= _DIRECTIONS:
            return cls(frozen(own), frozen(shared))
        whole = own + np.einsum("rpj,rqj->pqj", shared, shared)
        flat = shared.reshape(len(shared), -1)
        scale = np.sqrt(np.maximum(np.stack([whole[k, k] for k in range(3)]).ravel(), 1e-300))
        values, vectors = np.linalg.eigh((flat / scale) @ (flat / scale).T)
        largest = vectors[:, np.argsort(values)[-_DIRECTIONS:]].T @ flat
        return cls.less(whole, largest)

    @property
    def blocks(self) -> FloatArray:
        """Each item's whole covariance, (3, 3, items)."""
        out: FloatArray = self.own + np.einsum("rpj,rqj->pqj", self.shared, self.shared)
        return out

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> "ItemUncertainty":
        """Return what belongs to some items."""
        return ItemUncertainty(frozen(self.own[:, :, index]), frozen(self.shared[:, :, index]))

    def carried(self, scale: float, shift: float) -> "ItemUncertainty":
        """Move to the scale of ``scale`` times ability plus ``shift``: a / scale and d - a shift / scale."""
        turn = np.array([[1.0 / scale, 0.0, 0.0], [-shift / scale, 1.0, 0.0], [0.0, 0.0, 1.0]])
        own = np.einsum("ps,stj,qt->pqj", turn, self.own, turn)
        return ItemUncertainty(frozen(own), frozen(np.einsum("ps,rsj->rpj", turn, self.shared)))

    def variance(self, gradient: FloatArray) -> FloatArray:
        """Return g' Sigma g for gradients (agents, 3, items)."""
        own = np.einsum("npj,pqj,nqj->n", gradient, self.own, gradient, optimize=True)
        along = np.einsum("npj,rpj->nr", gradient, self.shared, optimize=True)
        out: FloatArray = np.maximum(own, 0.0) + (along**2).sum(axis=1)
        return out


def _block(covariance: FloatArray, j: int, k: int, items: int) -> FloatArray:
    return np.diagonal(covariance[j * items : (j + 1) * items, k * items : (k + 1) * items])


def _largest(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues with their vectors: all of a small matrix, a few of a large one."""
    size = len(matrix)
    if size <= _EXACT_PARAMETERS:
        values, vectors = np.linalg.eigh(matrix)
    elif size <= 200:
        values, vectors = scipy.linalg.eigh(matrix, subset_by_index=[size - _DIRECTIONS, size - 1])
    else:
        values, vectors = scipy.sparse.linalg.eigsh(matrix, k=_DIRECTIONS, v0=np.ones(size))
    return values, vectors


def variance_from_items(
    responses: Responses, items: Items, ability: FloatArray, variance: FloatArray, uncertainty: ItemUncertainty
) -> FloatArray:
    """Return what the items' uncertainty adds to the variance of each ability; 0 where that is not finite."""
    out = np.zeros(len(ability))
    finite = np.isfinite(ability) & np.isfinite(variance)
    theta, spread = np.where(finite, ability, 0.0), np.where(finite, variance, 0.0)
    for part, successes, trials in responses.chunks(_NUMBERS * responses.shape[1]):
        gradient = spread[part, None, None] * _mixed_derivatives(theta[part], successes, trials, items)
        out[part] = uncertainty.variance(gradient)
    return np.where(finite, out, 0.0)


def _mixed_derivatives(theta: FloatArray, successes: FloatArray, trials: FloatArray | None, items: Items) -> FloatArray:
    """Return d^2 log L / d theta d(a, d, c) of every agent and item, (agents, 3, items).

    The score is ``a sigma (r / P - n)``; each part of it moves with the parameter.
    """
    a, c = items.slope, items.guessing
    sigma = scipy.special.expit(theta[:, None] * a + items.intercept)
    p = np.maximum(c + (1.0 - c) * sigma, 1e-150)
    n = 1.0 if trials is None else trials
    gap = successes / p - n
    bend = sigma * (1.0 - sigma)
    fall = successes / p**2 * a * sigma  # how the score falls with P
    by_d = a * bend * gap - fall * (1.0 - c) * bend
    return np.stack([sigma * gap + theta[:, None] * by_d, by_d, -fall * (1.0 - sigma)], axis=1)
