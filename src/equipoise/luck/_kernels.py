"""Loops over the rows of long tables of hands, compiled by numba on first use and cached."""

import numba
import numpy as np
import numpy.typing as npt

from equipoise.data.labels import Codes

__all__ = ["alone_at_table", "occurrence"]


@numba.njit(cache=True)
def occurrence(cell: Codes, cells: int) -> npt.NDArray[np.int64]:
    """How many earlier rows have the same value."""
    seen = np.zeros(cells, dtype=np.int32)
    found = np.empty(len(cell), dtype=np.int64)
    for row in range(len(cell)):
        found[row] = seen[cell[row]]
        seen[cell[row]] += 1
    return found


@numba.njit(cache=True)
def alone_at_table(hand: Codes, agent: Codes, hands: int) -> npt.NDArray[np.bool_]:
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
    return several & ~mixed
