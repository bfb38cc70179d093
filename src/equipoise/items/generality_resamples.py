"""Regularity, generality and its slope from tasks drawn again, and the ends of their intervals."""

from collections.abc import Iterator
from concurrent.futures import Executor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from equipoise.inference.executors import in_batches
from equipoise.inference.progress import counted
from equipoise.items.agent_curves import (
    curves_of_tasks,
    generality_of,
    is_binary,
    regularity_of_tasks,
    slope_at_half,
)
from equipoise.results import FloatArray, IntArray, frozen


def redrawn_indicators(
    results: FloatArray,
    use: NDArray[np.bool_],
    difficulties: tuple[FloatArray, FloatArray],
    bins: int,
    n: int,
    rng: np.random.Generator,
    executor: Executor | None,
) -> FloatArray:
    """Return (resample, indicator, agent); tasks are drawn with replacement and binned afresh.

    Difficulties that are estimates are drawn too: bins made of the estimates themselves gather tasks that look alike
    rather than tasks that are, and vary less within.
    """
    difficulty, errors = difficulties
    tasks = results.shape[1]
    inside = np.flatnonzero(use)

    def drawn() -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        for _ in range(n):
            everything: IntArray = rng.integers(tasks, size=(tasks,))
            picked: IntArray = rng.choice(inside, size=len(inside))
            places: FloatArray = difficulty[picked]
            yield everything, picked, places + errors[picked] * rng.normal(size=len(picked)) if errors.any() else places

    draws = np.full((n, 3, len(results)), np.nan)
    redraw = partial(_redrawn, np.ascontiguousarray(results.T), is_binary(results), bins)
    again = in_batches(redraw, drawn(), executor)
    for k, indicators in enumerate(counted(again, "resamples", [1] * n)):
        draws[k] = indicators
    return draws


def _redrawn(
    by_task: FloatArray, binary: bool, bins: int, everything: IntArray, picked: IntArray, places: FloatArray
) -> FloatArray:
    # Ties of a task drawn twice are broken by position, so a bin may share it with its neighbour. Drawing n out of n
    # shrinks a variance by (n - 1)/n, a tenth in bins of ten: ddof takes that back, else no interval would fit.
    curves = curves_of_tasks(by_task, picked, places, bins, ddof=1, binary=binary)
    times = np.bincount(everything, minlength=len(by_task)).astype(np.float64)
    return np.stack(
        [
            regularity_of_tasks(by_task, times, ddof=1, binary=binary),
            generality_of(curves.variance),
            slope_at_half(curves.difficulty, curves.mean),
        ]
    )


def percentile_ends(
    draws: FloatArray, level: float, point: FloatArray
) -> tuple[list[FloatArray | None], list[FloatArray | None]]:
    """Return percentile bounds of each indicator; infinite draws are legal, undefined ones are left out.

    An estimate is always inside its bounds: they are moved out to it where need be.
    """
    if not len(draws):
        return [None] * 3, [None] * 3
    shape = draws.shape[1:]
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    for place in np.ndindex(*shape):
        values = np.sort(draws[(slice(None), *place)])
        values = values[~np.isnan(values)]
        if len(values) >= 2:
            # Order statistics, not interpolation: between a number and infinity there is nothing.
            low[place] = values[int(np.floor((1 - level) / 2 * (len(values) - 1)))]
            high[place] = values[int(np.ceil((1 + level) / 2 * (len(values) - 1)))]
    low, high = np.where(point < low, point, low), np.where(point > high, point, high)
    return [frozen(part) for part in low], [frozen(part) for part in high]
