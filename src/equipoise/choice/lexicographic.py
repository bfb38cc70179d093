"""The lexicographic minimum of linear functions on a simplex: the largest first, then the next largest, and so on.

It is a nucleolus: the sorted values are unique, and so is each value, since between two minimisers with different
values their midpoint would be better. Each stage is a linear program; what stands still there, because it has a
positive multiplier, is kept. A function that is merely tight at the vertex found may still fall, and is not.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.errors import ConvergenceError
from equipoise.core.results import FloatArray, IntArray

KEPT = 1e-7
"""Multipliers above this keep a function; their sum is 1."""
COLUMNS, PRICED = 200, 1e-11
"""Columns of the linear program that are added at a time, and the reduced cost below which one may be of use."""


@dataclass(frozen=True, slots=True, eq=False)
class LexicographicMinimum:
    """Values of the functions at the minimum, a point where they are reached, and how far it misses them."""

    value: FloatArray
    point: FloatArray
    stages: int
    excess: float


def lexicographic_minimum(functions: FloatArray) -> LexicographicMinimum:
    """Minimise rows ``functions @ s`` over distributions s, the largest first.

    Fails when
        a linear program cannot be solved.
    """
    rows, inverse = np.unique(functions, axis=0, return_inverse=True)
    scale = float(np.abs(rows).max()) or 1.0
    rows = rows / scale
    count, width = rows.shape
    value, free = np.zeros(count), np.ones(count, dtype=bool)
    used = np.unique(np.concatenate([rows.argmin(axis=1), np.linspace(0, width - 1, min(width, COLUMNS)).astype(int)]))
    stages = 0
    while free.any():
        e, point, multiplier, used = _stage(rows, free, value, used)
        kept = free & (multiplier > KEPT)
        if not kept.any():  # rounding: the largest multiplier is meant
            kept = free & (multiplier == multiplier[free].max())
        value[kept] = e
        free &= ~kept
        stages += 1
    reached = rows @ point
    return LexicographicMinimum(
        (value * scale)[inverse.ravel()], point / point.sum(), stages, float((reached - value).max() * scale)
    )


def _stage(
    rows: FloatArray, free: npt.NDArray[np.bool_], value: FloatArray, used: IntArray
) -> tuple[float, FloatArray, FloatArray, IntArray]:
    """Minimise the largest free row; kept ones may not rise, and cannot fall, which follows from their multipliers.

    Only columns that may be of use are in the program; others are added as long as their reduced costs are negative.
    Give the minimum, where it is, the multipliers of the rows, and the columns.
    """
    width = rows.shape[1]
    while True:
        table = np.column_stack([rows[:, used], np.where(free, -1.0, 0.0)])
        solved = scipy.optimize.linprog(
            np.append(np.zeros(len(used)), 1.0), A_ub=table, b_ub=np.where(free, 0.0, value + 1e-10),
            A_eq=np.append(np.ones(len(used)), 0.0)[None, :], b_eq=[1.0],
            bounds=[(0, None)] * len(used) + [(None, None)], method="highs",
        )  # fmt: skip
        if solved.status != 0:
            raise ConvergenceError(f"a linear program of the lexicographic minimum was not solved: {solved.message}")
        multiplier = -solved.ineqlin.marginals
        reduced = multiplier @ rows - float(solved.eqlin.marginals[0])
        reduced[used] = 0.0
        if reduced.min() >= -PRICED:
            point = np.zeros(width)
            point[used] = solved.x[:-1]
            return float(solved.x[-1]), point, multiplier, used
        worst = np.argpartition(reduced, min(COLUMNS, width - 1))[:COLUMNS]
        used = np.union1d(used, worst[reduced[worst] < -PRICED])
