"""Regularity, generality and its slope from tasks drawn again, and the ends of their intervals."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from equipoise.core.results import FloatArray, IntArray, frozen
from equipoise.inference.executors import BLOCK, blocks, in_order
from equipoise.inference.progress import counted
from equipoise.items.generality.agent_curves import (
    curves_of_tasks,
    even_bins,
    even_sums,
    generality_of,
    is_binary,
    is_new,
    regularity_of_tasks,
    slope_at_half,
)

Draw = tuple[IntArray, IntArray, FloatArray]
"""Tasks drawn from all, tasks drawn from those that are binned, and the difficulties of these."""
#: Answers of draws that are looked at together: more would not fit into the processor's caches.
_CELLS = 200_000


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

    def drawn() -> Iterator[Draw]:
        for _ in range(n):
            everything: IntArray = rng.integers(tasks, size=(tasks,))
            picked: IntArray = rng.choice(inside, size=len(inside))
            places: FloatArray = difficulty[picked]
            yield everything, picked, places + errors[picked] * rng.normal(size=len(picked)) if errors.any() else places

    left, by_task = drawn(), np.ascontiguousarray(results.T)
    sizes = blocks(n, min(BLOCK, max(1, _CELLS // (len(inside) * len(results)))))
    batches = ((list(islice(left, size)),) for size in sizes)
    redraw = partial(_redrawn_answers if is_binary(results) else _redrawn_each, by_task, bins)
    again = in_order(redraw, batches, executor)
    return np.concatenate([np.empty((0, 3, len(results))), *counted(again, "resamples", sizes)])


def _redrawn_each(by_task: FloatArray, bins: int, draws: Sequence[Draw], *, binary: bool = False) -> FloatArray:
    return np.array([_redrawn(by_task, binary, bins, *draw) for draw in draws])


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


def _redrawn_answers(by_task: FloatArray, bins: int, draws: Sequence[Draw]) -> FloatArray:
    """Do the same for answers, right or wrong, of several draws at once; one by one where bins share tasks."""
    places = np.array([draw[2] for draw in draws])
    order = np.argsort(places, axis=1, kind="stable")
    ranked = np.take_along_axis(places, order, axis=1)
    begin, end, _ = even_bins(places.shape[1], bins)
    if not is_new(ranked)[:, begin[1:] - 1].all() or len(begin) < bins:
        return _redrawn_each(by_task, bins, draws, binary=True)
    tasks = np.take_along_axis(np.array([draw[1] for draw in draws]), order, axis=1)
    count = (end - begin).astype(np.float64)
    # Whole numbers are the same in half the memory.
    right = even_sums(by_task.astype(np.float32).take(tasks, axis=0), bins).transpose(0, 2, 1)
    mean = np.ascontiguousarray(right) / count
    variance = (right - count * mean**2) / np.maximum(count - 1.0, 1.0)
    times = np.array([np.bincount(draw[0], minlength=len(by_task)) for draw in draws], dtype=np.float64)
    return np.stack(
        [
            np.array([regularity_of_tasks(by_task, each, ddof=1, binary=True) for each in times]),
            generality_of(variance),
            slope_at_half((even_sums(ranked, bins) / count)[:, None], mean),
        ],
        axis=1,
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
