"""Loops that add up long tables of hands for all agents at once, without sorting them; compiled on first use.

``unit`` says whose a row (or cluster) is. ``m`` holds the hands of each cluster, or a single 1 where every row stands
for itself; ``shift`` is what is taken off every control value.
"""

import numba
import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import Codes


@numba.njit(cache=True)
def sums_of_units(unit: Codes, m: FloatArray, x: FloatArray, y: FloatArray, shift: float, units: int) -> FloatArray:
    """For each unit: clusters, sums of m, x, y, m^2 and y^2, and the least and largest y; no y if that has length 0."""
    step, lucky = 1 if len(m) == len(unit) else 0, len(y) > 0
    sums = np.zeros((units, 8))
    sums[:, 6], sums[:, 7] = np.inf, -np.inf
    for k in range(len(unit)):
        of, hands, v = sums[unit[k]], m[k * step], y[k] - shift if lucky else 0.0
        of[0] += 1.0
        of[1] += hands
        of[2] += x[k]
        of[3] += v
        of[4] += hands * hands
        of[5] += v * v
        of[6] = min(of[6], v)
        of[7] = max(of[7], v)
    return sums


@numba.njit(cache=True)
def squares_of_units(unit: Codes, x: FloatArray, units: int) -> FloatArray:
    """Sum of the squared deviations of x from its mean in each unit."""
    count, mean, squares = np.zeros(units), np.zeros(units), np.zeros(units)
    for row in range(len(unit)):
        count[unit[row]] += 1.0
        mean[unit[row]] += x[row]
    for of in range(units):
        mean[of] /= max(count[of], 1.0)
    for row in range(len(unit)):
        off = x[row] - mean[unit[row]]
        squares[unit[row]] += off * off
    return squares


@numba.njit(cache=True)
def sums_of_deals(
    values: FloatArray, deal: Codes, seat: Codes, count: npt.NDArray[np.int32], total: FloatArray
) -> None:
    """Add to each deal and seat how many known values it has, and their sum."""
    for row in range(len(values)):
        if np.isfinite(values[row]):
            count[deal[row], seat[row]] += 1
            total[deal[row], seat[row]] += values[row]


@numba.njit(cache=True)
def deals_off_balance(
    count: npt.NDArray[np.int32], total: FloatArray, share: float, m: FloatArray, x: FloatArray
) -> tuple[int, int, int, int]:
    """How many deals have a value in every seat, in how many of them the means do not add up to zero, and the first.

    Sums up to this share of the largest mean of such a deal are rounding. ``m`` and ``x`` are filled with the number
    and the sum of each deal's values, for as many deals with any as comes last.
    """
    deals, seats = count.shape
    full, used, largest, worst = 0, 0, 1e-300 / share, 0.0
    for deal in range(deals):
        least, rows, total_of, added, size = count[deal, 0], 0, 0.0, 0.0, 0.0
        for seat in range(seats):
            times, value = count[deal, seat], total[deal, seat]
            least, rows, total_of = min(least, times), rows + times, total_of + value
            mean = value if times <= 1 else value / times
            added += mean
            size = max(size, abs(mean))
        if rows:
            m[used], x[used] = rows, total_of
            used += 1
        if least > 0:
            full += 1
            largest, worst = max(largest, size), max(worst, abs(added))
    off, first = 0, -1
    if worst > share * largest:
        for deal in range(deals):
            added = 0.0
            for seat in range(seats):
                times = count[deal, seat]
                added += total[deal, seat] / times if times else np.nan
            if abs(added) > share * largest:
                off += 1
                first = deal if first < 0 else first
    return full, off, first, used


@numba.njit(cache=True)
def clusters_of_units(
    unit: Codes,
    deal: Codes,
    seat: Codes,
    x: FloatArray,
    y: FloatArray,
    shift: float,
    head: npt.NDArray[np.int32],
    chain: npt.NDArray[np.int32],
    times: npt.NDArray[np.int32],
    sums: FloatArray,
    uneven: npt.NDArray[np.int64],
) -> int:
    """Find the deals of each unit; give how many there are in all.

    Filled are ``sums`` with hands and sums of x and of y, ``times`` with the rows of each seat, ``chain`` with the unit
    and the next of those who played the same deal, of whom ``head`` is the first, and ``uneven`` with how many deals of
    a unit saw the seats unequally often. Without y (of length 0) its sums are none. With one column of ``times`` seats
    do not matter.
    """
    found, lucky, seated = 0, sums.shape[1] > 2, times.shape[1] > 1
    for row in range(len(unit)):
        of, at = unit[row], head[deal[row]]
        while at >= 0 and chain[at, 0] != of:
            at = chain[at, 1]
        if at < 0:
            at = found
            found += 1
            chain[at, 0], chain[at, 1] = of, head[deal[row]]
            head[deal[row]] = at
        times[at, seat[row] if seated else 0] += 1
        sums[at, 1] += x[row]
        if lucky:
            sums[at, 2] += y[row] - shift
    for at in range(found):
        hands, even = 0, True
        for place in range(times.shape[1]):
            hands += times[at, place]
            even &= times[at, place] == times[at, 0]
        sums[at, 0] = hands
        uneven[chain[at, 0]] += not even
    return found


@numba.njit(cache=True)
def products_of_units(
    unit: Codes, m: FloatArray, x: FloatArray, y: FloatArray, shift: float, mean: FloatArray
) -> FloatArray:
    """Sums of u^2, v^2 and u v of each unit.

    ``mean`` holds the means of x and of y a hand and 1 over the unit of y; ``u`` and ``v`` are x and y without their
    means, ``v`` in that unit. Without y (of length 0) v is none.
    """
    step, lucky = 1 if len(m) == len(unit) else 0, len(y) > 0
    sums = np.zeros((len(mean), 4))
    for k in range(len(unit)):
        of, by, hands = sums[unit[k]], mean[unit[k]], m[k * step]
        u = x[k] - by[0] * hands
        v = (y[k] - shift - by[1] * hands) * by[2] if lucky else 0.0
        of[0] += u * u
        of[1] += v * v
        of[2] += u * v
    return sums[:, :3]


@numba.njit(cache=True)
def moments_of_units(
    unit: Codes, m: FloatArray, x: FloatArray, y: FloatArray, shift: float, mean: FloatArray, fit: FloatArray
) -> FloatArray:
    """Sums of squares and cubes of the clusters' influence on each unit's mean.

    ``mean`` is that of :func:`products_of_units`. ``fit`` holds for each unit the coefficient c of v; 1 over the sum of
    v^2, or -1 if c was fixed beforehand and needs no correction; that times the sum of y in its unit; 1 over the sum of
    m^2; and 1 over the unit of the influence.
    """
    step, lucky = 1 if len(m) == len(unit) else 0, len(y) > 0
    sums = np.zeros((len(mean), 2))
    for k in range(len(unit)):
        at, hands = unit[k], m[k * step]
        e = x[k] - mean[at, 0] * hands
        if lucky:
            v = (y[k] - shift - mean[at, 1] * hands) * mean[at, 2]
            e += v * fit[at, 0]
            if fit[at, 1] >= 0.0:
                pull = hands * hands * fit[at, 3] + v * v * fit[at, 1]
                e *= 1.0 - v * fit[at, 2]
                # Of many clusters none pulls much: four terms are then exact, and quicker than a root.
                if pull < 1e-4:
                    e *= 1.0 + pull * (0.5 + pull * (0.375 + pull * 0.3125))
                else:
                    e /= np.sqrt(1.0 - min(pull, 1.0 - 1e-9))
        e *= fit[at, 4]
        sums[at, 0] += e * e
        sums[at, 1] += e * e * e
    return sums


@numba.njit(cache=True)
def hands_in_blocks(
    deal: Codes, hand: Codes, seat: Codes, agent: Codes, utility: FloatArray, seats: int, most: float
) -> tuple[int, int, int]:
    """Count hands between agents whose utilities add up to more than ``most``, and all: of tables written in blocks.

    A block is as many rows as there are seats: one hand, each seat once. Gives the row of the first such hand as
    well; all are -1 where the table is not made of blocks. Without ``hand`` (of length 0) deals are hands, and those of
    a single agent do not count.
    """
    rows = len(deal)
    if rows % seats:
        return -1, -1, -1
    seen = np.full(seats, -1)
    off, full, first = 0, 0, -1
    for start in range(0, rows, seats):
        total, alone = 0.0, len(hand) == 0
        for row in range(start, start + seats):
            if deal[row] != deal[start] or seen[seat[row]] == start or (len(hand) and hand[row] != hand[start]):
                return -1, -1, -1
            seen[seat[row]] = start
            alone &= agent[row] == agent[start]
            total += utility[row]
        if not alone:
            full += 1
            if abs(total) > most:
                off += 1
                first = start if first < 0 else first
    return off, full, first
