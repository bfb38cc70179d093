"""Loops over the rows of long tables of hands, compiled by numba on first use and cached."""

import numba
import numpy as np
import numpy.typing as npt

from equipoise.data.labels import Codes
from equipoise.results import FloatArray

__all__ = ["alone_at_table", "deals_of_rows", "occurrence"]


@numba.njit(cache=True)
def occurrence(cell: npt.NDArray[np.int64], cells: int) -> npt.NDArray[np.int64]:
    """How many earlier rows have the same value."""
    seen = np.zeros(cells, dtype=np.int32)
    found = np.empty(len(cell), dtype=np.int64)
    for row in range(len(cell)):
        found[row] = seen[cell[row]]
        seen[cell[row]] += 1
    return found


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
def deals_of_rows(
    rows: npt.NDArray[np.int64],
    deal: Codes,
    seat: Codes,
    utility: FloatArray,
    seats: int,
    place: npt.NDArray[np.int32],
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """Rows and utility of each deal of some rows, and whether it saw every seat equally often; in order of appearance.

    ``place`` holds -1 for every deal, before and after.
    """
    count = 0
    for row in rows:
        if place[deal[row]] < 0:
            place[deal[row]] = count
            count += 1
    times, total = np.zeros((count, seats)), np.zeros(count)
    for row in rows:
        at = place[deal[row]]
        times[at, seat[row]] += 1.0
        total[at] += utility[row]
    hands, balanced = np.zeros(count), np.ones(count, dtype=np.bool_)
    for at in range(count):
        for k in range(seats):
            hands[at] += times[at, k]
            balanced[at] &= times[at, k] == times[at, 0]
    for row in rows:
        place[deal[row]] = -1
    return hands, total, balanced
