"""Loops that cannot be vectorised, compiled where they are long: online updates and a likelihood.

The logistic function is spelt out here, where the compiler does not know SciPy's; everywhere else it is SciPy's.
"""

import math
from math import exp
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.core.compiled import compiled
from equipoise.core.results import FloatArray, IntArray
from equipoise.data.encode.labels import Codes

_Entry = TypeVar("_Entry", bound=np.generic)

LONG = 20_000
"""Rows from which a sweep is worth the compiler."""


def elo_sweep(
    a: Codes, b: Codes, outcome: FloatArray, weight: FloatArray | None, rating: FloatArray, step: float
) -> None:
    """Update ``rating`` in place, match after match: r_a += step (s - sigma(r_a - r_b)), r_b the opposite.

    A row of weight w is w matches one after the other, the last one fractional; without weights it is one. Short logs
    are gone through as lists, whose entries Python reads five times as fast as those of arrays.
    """
    weights = np.empty(0) if weight is None else weight
    if len(a) >= LONG:
        _elo_sweep(_read_only(a), _read_only(b), _read_only(outcome), _read_only(weights), rating, step)
        return
    at = rating.tolist()
    _elo_sweep(a.tolist(), b.tolist(), outcome.tolist(), weights.tolist(), at, step)
    rating[:] = at


def _read_only(array: npt.NDArray[_Entry]) -> npt.NDArray[_Entry]:
    """Show an array as one that nobody may change: loops are compiled once for such arrays and once for others."""
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view


@compiled(least=LONG)
def _elo_sweep(a: Codes, b: Codes, outcome: FloatArray, weight: FloatArray, rating: FloatArray, step: float) -> None:
    weighted = len(weight) > 0
    for row in range(len(a)):
        i, j = a[row], b[row]
        left = weight[row] if weighted else 1.0
        while left > 0:
            lead = rating[i] - rating[j]
            expected = 1 / (1 + exp(-lead)) if lead >= 0 else 1 - 1 / (1 + exp(lead))
            move = step * (outcome[row] - expected)
            if left < 1:
                move *= left
            rating[i] += move
            rating[j] -= move
            left -= 1


@compiled(least=0)  # called hundreds of times
def loss_and_gradient(
    first: IntArray,
    second: IntArray,
    wins: FloatArray,
    games: FloatArray,
    rating: FloatArray,
    vectors: FloatArray,
    by_rating: FloatArray,
    by_vector: FloatArray,
) -> float:
    """Add the gradient of the negative log-likelihood to the last two arguments; return its value."""
    value = 0.0
    for e in range(len(first)):
        i, j = first[e], second[e]
        eta = rating[i] - rating[j]
        for d in range(0, vectors.shape[1], 2):
            eta += vectors[i, d] * vectors[j, d + 1] - vectors[i, d + 1] * vectors[j, d]
        small = math.exp(-abs(eta))
        value += games[e] * (max(eta, 0.0) + math.log1p(small)) - wins[e] * eta
        p = 1.0 / (1.0 + small) if eta >= 0 else small / (1.0 + small)
        excess = games[e] * p - wins[e]
        by_rating[i] += excess
        by_rating[j] -= excess
        for d in range(0, vectors.shape[1], 2):
            by_vector[i, d] += excess * vectors[j, d + 1]
            by_vector[i, d + 1] -= excess * vectors[j, d]
            by_vector[j, d] -= excess * vectors[i, d + 1]
            by_vector[j, d + 1] += excess * vectors[i, d]
    return value


@compiled(least=LONG // 4)
def melo_sweep(
    first: IntArray,
    second: IntArray,
    outcome: FloatArray,
    weight: FloatArray,
    rating: FloatArray,
    vectors: FloatArray,
    rating_rate: float,
    vector_rate: float,
) -> float:
    """Update ``rating`` and ``vectors`` in place, match by match; return the summed log-loss.

    A row of weight w is w matches one after the other, the last one fractional.
    """
    loss = 0.0
    for t in range(len(first)):
        i, j = first[t], second[t]
        left = weight[t]
        while left > 0:
            part = min(left, 1.0)
            eta = rating[i] - rating[j]
            for d in range(0, vectors.shape[1], 2):
                eta += vectors[i, d] * vectors[j, d + 1] - vectors[i, d + 1] * vectors[j, d]
            small = math.exp(-abs(eta))
            loss += part * (max(eta, 0.0) + math.log1p(small) - outcome[t] * eta)
            p = 1.0 / (1.0 + small) if eta >= 0 else small / (1.0 + small)
            delta = part * (outcome[t] - p)
            rating[i] += rating_rate * delta
            rating[j] -= rating_rate * delta
            step = vector_rate * delta
            for d in range(0, vectors.shape[1], 2):
                xi, yi = vectors[i, d], vectors[i, d + 1]
                xj, yj = vectors[j, d], vectors[j, d + 1]
                vectors[i, d] += step * yj
                vectors[i, d + 1] -= step * xj
                vectors[j, d] -= step * yi
                vectors[j, d + 1] += step * xi
            left -= 1
    return loss
