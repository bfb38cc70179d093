"""Passes over a large pair table laid out by agent, compiled by numba on first use and cached.

The opponents of agent i are ``opponent[start[i]:start[i + 1]]``; every game stands there twice, once for each of its
players, so that a pass reads from all over memory but never writes there. A pass goes over blocks of agents, which
are the same whatever the number of threads that share them: so are its answers.
"""

import math

import numba
import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.encode.labels import Codes
from equipoise.inference.threads import in_blocks

Numbers = npt.NDArray[np.floating]
Weights = npt.NDArray[np.float32]
_TOGETHER = 16


@numba.njit(cache=True, nogil=True)
def laid_out(first: Codes, second: Codes, games: Numbers, agents: int) -> tuple[IntArray, Codes, Numbers]:
    """Give start, opponents and games of each agent."""
    start = np.zeros(agents + 1, dtype=np.int64)
    for e in range(len(first)):
        start[first[e] + 1] += 1
        start[second[e] + 1] += 1
    for i in range(agents):
        start[i + 1] += start[i]
    free = start[:-1].copy()
    opponent = np.empty(2 * len(first), dtype=np.int32)
    played = np.empty(2 * len(first), dtype=games.dtype)
    for e in range(len(first)):
        i, j = first[e], second[e]
        opponent[free[i]], played[free[i]] = j, games[e]
        free[i] += 1
        opponent[free[j]], played[free[j]] = i, games[e]
        free[j] += 1
    return start, opponent, played


def expected_wins(
    start: IntArray, opponent: Codes, games: Numbers, strength: FloatArray, weight: Weights
) -> tuple[FloatArray, FloatArray]:
    """Expected wins and information of each agent; P(win) = u / (u + v) of strengths u, v needs no exponential.

    Fills in the weight games u v / (u + v)^2 of each entry.
    """
    expected, information = np.empty(len(strength)), np.empty(len(strength))
    in_blocks(len(strength), _expected_wins, start, opponent, games, strength, weight, expected, information)
    return expected, information


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _expected_wins(
    begin: int,
    end: int,
    start: IntArray,
    opponent: Codes,
    games: Numbers,
    strength: FloatArray,
    weight: Weights,
    expected: FloatArray,
    information: FloatArray,
) -> None:
    for i in range(begin, end):
        u = strength[i]
        wins, known = 0.0, 0.0
        for k in range(start[i], start[i + 1]):
            v = strength[opponent[k]]
            inverse = 1.0 / (u + v)
            p = games[k] * u * inverse
            h = p * v * inverse
            weight[k] = h
            wins += p
            known += h
        expected[i], information[i] = wins, known


def log_totals(start: IntArray, opponent: Codes, games: Numbers, strength: FloatArray) -> float:
    """Sum of games log(u + v) over all pairs: where games are single, one logarithm for a product of several.

    Strengths must be so moderate that products of ``_TOGETHER`` sums of two of them do not leave the range of doubles.
    """
    return float(sum(in_blocks(len(strength), _log_totals, start, opponent, games, strength))) / 2


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _log_totals(begin: int, end: int, start: IntArray, opponent: Codes, games: Numbers, strength: FloatArray) -> float:
    value = 0.0
    for i in range(begin, end):
        u = strength[i]
        for low in range(start[i], start[i + 1], _TOGETHER):
            high = min(low + _TOGETHER, start[i + 1])
            product, single = 1.0, True
            for k in range(low, high):
                product *= u + strength[opponent[k]]
                single = single and games[k] == 1.0
            if single:
                value += math.log(product)
            else:
                for k in range(low, high):
                    value += games[k] * math.log(u + strength[opponent[k]])
    return value


def laplacian_product(
    start: IntArray, opponent: Codes, weight: Weights, diagonal: FloatArray, x: Numbers
) -> FloatArray:
    """Product of diagonal(D) - W with x."""
    product = np.empty(len(x))
    in_blocks(len(x), _laplacian_product, start, opponent, weight, diagonal, x, product)
    return product


@numba.njit(cache=True, nogil=True)
def _laplacian_product(
    begin: int,
    end: int,
    start: IntArray,
    opponent: Codes,
    weight: Weights,
    diagonal: FloatArray,
    x: Numbers,
    product: FloatArray,
) -> None:
    for i in range(begin, end):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += weight[k] * x[opponent[k]]
        product[i] = diagonal[i] * x[i] - total


def squared_weights(start: IntArray, opponent: Codes, weight: Weights, divisor: FloatArray) -> FloatArray:
    """Sum over the opponents j of each agent of w_ij^2 / divisor_j, the weights of one pair added up first."""
    summed = np.empty(len(divisor))
    in_blocks(len(divisor), _squared_weights, start, opponent, weight, divisor, summed)
    return summed


@numba.njit(cache=True, nogil=True)
def _squared_weights(
    begin: int, end: int, start: IntArray, opponent: Codes, weight: Weights, divisor: FloatArray, summed: FloatArray
) -> None:
    pair = np.zeros(len(divisor))
    for i in range(begin, end):
        for k in range(start[i], start[i + 1]):
            pair[opponent[k]] += weight[k]
        total = 0.0
        for k in range(start[i], start[i + 1]):
            j = opponent[k]
            total += pair[j] * pair[j] / divisor[j]
            pair[j] = 0.0
        summed[i] = total


@numba.njit(cache=True, error_model="numpy")
def score_squares(
    first: Codes,
    second: Codes,
    wins: FloatArray,
    losses: FloatArray,
    ties: FloatArray,
    shared: FloatArray,
    strength: FloatArray,
) -> FloatArray:
    """Sum of the squared scores of each agent's games, from cells; ``shared`` of fractional games may be empty."""
    summed = np.zeros(len(strength))
    for e in range(len(first)):
        i, j = first[e], second[e]
        p = strength[i] / (strength[i] + strength[j])
        q = strength[j] / (strength[i] + strength[j])
        square = wins[e] * q * q + losses[e] * p * p + ties[e] * (0.5 - p) * (0.5 - p)
        if len(shared):
            square -= shared[e]
        summed[i] += square
        summed[j] += square
    return summed
