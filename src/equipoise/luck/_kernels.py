"""Loops over the rows of long tables of hands, compiled by numba on first use and cached."""

import numba
import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import Codes


@numba.njit(cache=True)
def hands_of_rows(hand: npt.NDArray[np.signedinteger], hands: int, seat: Codes, seats: int) -> npt.NDArray[np.int64]:
    """One code for each play of a hand: the first rows of its seats make the first, the second rows the second."""
    seen = np.zeros(hands * seats, dtype=np.int32)
    play = np.empty(len(hand), dtype=np.int64)
    for row in range(len(hand)):
        cell = hand[row] * np.int64(seats) + seat[row]
        play[row] = seen[cell]
        seen[cell] += 1
    start, plays = np.empty(hands, dtype=np.int64), 0
    for at in range(hands):
        start[at] = plays
        most = 0
        for k in range(seats):
            most = max(most, seen[at * seats + k])
        plays += most
    for row in range(len(hand)):
        play[row] += start[hand[row]]
    return play


@numba.njit(cache=True)
def sums_of_hands(
    hand: npt.NDArray[np.int64], agent: Codes, utility: FloatArray, hands: int
) -> tuple[npt.NDArray[np.int32], FloatArray, npt.NDArray[np.bool_]]:
    """Rows and utility of each hand, and whether its several rows are all of one agent."""
    first = np.empty(hands, dtype=np.int32)
    count, total = np.zeros(hands, dtype=np.int32), np.zeros(hands)
    alone = np.zeros(hands, dtype=np.bool_)
    for row in range(len(hand)):
        at = hand[row]
        count[at] += 1
        total[at] += utility[row]
        if count[at] == 1:
            first[at] = agent[row]
        else:
            alone[at] = (count[at] == 2 or alone[at]) and first[at] == agent[row]
    return count, total, alone


@numba.njit(cache=True)
def alone_at_table(hand: npt.NDArray[np.int64], agent: Codes, hands: int) -> npt.NDArray[np.bool_]:
    """Which hands have several rows, all of one agent."""
    first = np.full(hands, -1, dtype=np.int32)
    several = np.zeros(hands, dtype=np.bool_)
    mixed = np.zeros(hands, dtype=np.bool_)
    for row in range(len(hand)):
        at = hand[row]
        if first[at] < 0:
            first[at] = agent[row]
        else:
            several[at] = True
            mixed[at] |= first[at] != agent[row]
    for at in range(hands):
        several[at] &= not mixed[at]
    return several


@numba.njit(cache=True)
def centred_products(
    m: FloatArray, x: FloatArray, y: FloatArray, scale: float
) -> tuple[float, float, float, float, float, float, float]:
    """Sums of m, x, y and m^2, and of u^2, v^2 and u v: x and y without their means, y in units of ``scale``."""
    hands, won, luck, squares = 0.0, 0.0, 0.0, 0.0
    for k in range(len(x)):
        hands += m[k]
        won += x[k]
        luck += y[k]
        squares += m[k] * m[k]
    uu, vv, uv = 0.0, 0.0, 0.0
    x_mean, y_mean = won / hands, luck / hands
    for k in range(len(x)):
        u, v = x[k] - x_mean * m[k], (y[k] - y_mean * m[k]) / scale
        uu += u * u
        vv += v * v
        uv += u * v
    return hands, won, luck, squares, uu, vv, uv


@numba.njit(cache=True)
def fitted_moments(
    m: FloatArray,
    x: FloatArray,
    y: FloatArray,
    sums: tuple[float, float, float, float],
    scale: float,
    inverse: float,
    c: float,
    unit: float,
) -> tuple[float, float]:
    """Sums of squares and cubes of the clusters' influence on a fitted mean, in units of ``unit`` a hand.

    ``sums`` are the first four of :func:`centred_products`; ``c`` is the coefficient of y in units of ``scale``.
    """
    hands, won, luck, squares = sums
    x_mean, y_mean, gap = won / hands, luck / hands, luck / hands / scale
    second, third = 0.0, 0.0
    for k in range(len(x)):
        u, v = x[k] - x_mean * m[k], (y[k] - y_mean * m[k]) / scale
        pull = min(m[k] * m[k] / squares + v * v * inverse, 1.0 - 1e-9)
        influence = (1.0 - v * inverse * gap * hands) * (u + v * c) / np.sqrt(1.0 - pull) / unit
        second += influence * influence
        third += influence * influence * influence
    return second, third


@numba.njit(cache=True)
def fixed_moments(m: FloatArray, x: FloatArray, y: FloatArray, c: float) -> tuple[float, float, float, float, float]:
    """Hands, sum and size of z = x + c y, and sums of squares and cubes of its influence in units of that size."""
    hands, total, squares = 0.0, 0.0, 0.0
    for k in range(len(x)):
        z = x[k] + c * y[k]
        hands += m[k]
        total += z
        squares += z * z
    unit, mean = np.sqrt(squares / len(x)), total / hands
    second, third = 0.0, 0.0
    if unit > 0.0:
        for k in range(len(x)):
            influence = (x[k] + c * y[k] - mean * m[k]) / unit
            second += influence * influence
            third += influence * influence * influence
    return hands, total, unit, second, third
