"""Kernels of the agents' side: difficulty bins, empirical curves, regularity, generality, slope, dominance.

All take results as agents x tasks with NaN for a missing cell. Intervals of regularity, generality and its slope come
from tasks drawn again.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.core.progress import counted
from equipoise.core.results import FloatArray, IntArray, frozen
from equipoise.inference.executors import BLOCK, blocks, in_order

ITEMS_PER_BIN = 10
TIE = 1e-6
"""Difficulties nearer to each other than this are one."""
LEAST_BINS = 4
_ROUNDING = 1e-12
Division = int | tuple[float, ...]
"""How difficulties are divided into bins: so many of equal count, or the edges between given bins, ends included."""
Draw = tuple[IntArray, IntArray, FloatArray]
"""Tasks drawn from all, tasks drawn from those that are binned, and the difficulties of these."""
#: Answers of draws that are looked at together: more would not fit into the processor's caches.
_CELLS = 200_000


class AgentCurves(NamedTuple):
    """Empirical agent curves: mean difficulty of each bin; mean and variance of each agent's results in it."""

    difficulty: FloatArray
    mean: FloatArray
    variance: FloatArray


def bin_count(items: int) -> int:
    """Return about ten items a bin, and at least four bins.

    >>> bin_count(37), bin_count(200)
    (4, 20)
    """
    return max(LEAST_BINS, items // ITEMS_PER_BIN)


@lru_cache(maxsize=8)  # bootstrap samples are as large as the data
def even_bins(items: int, bins: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return where bins of equal count begin and end, without empty ones, and the bin of each item in order."""
    edge = np.arange(bins + 1) * (items // bins) + np.minimum(np.arange(bins + 1), items % bins)
    begin, end = edge[:-1][edge[1:] > edge[:-1]], edge[1:][edge[1:] > edge[:-1]]
    return begin, end, np.repeat(np.arange(len(begin)), end - begin)


def even_sums(values: NDArray[np.floating[Any]], bins: int) -> FloatArray:
    """Sum items (first axis) by bins of equal count: some have one item more than the others, and stand first."""
    items, *rest = values.shape
    size, larger = divmod(items, bins)
    cut = larger * (size + 1)
    out = np.empty((bins, *rest))
    np.sum(values[:cut].reshape(larger, size + 1, *rest), axis=1, out=out[:larger])
    np.sum(values[cut:].reshape(bins - larger, size, *rest), axis=1, out=out[larger:])
    return out


def is_new(ranked: FloatArray) -> NDArray[np.bool_]:
    """Tell of each difficulty but the first, in order (last axis), whether it is another than the one before."""
    new: NDArray[np.bool_] = ranked[..., 1:] - ranked[..., :-1] > TIE * (1.0 + np.abs(ranked[..., 1:]))
    return new


def bin_between(difficulty: FloatArray, edges: tuple[float, ...]) -> NDArray[np.intp]:
    """Give the bin of each difficulty: above one edge, up to the next; beyond the ends is in the first or the last.

    >>> bin_between(np.array([-3.0, 0.0, 0.5, 9.0]), (-1.0, 0.0, 1.0)).tolist()
    [0, 0, 1, 1]
    """
    return np.searchsorted(edges[1:-1], difficulty, side="left")


class Bins(NamedTuple):
    """Which items are in which bin: those of the first bin, then those of the next, with their shares.

    An item is in one bin, but items of one difficulty share their bins equally: the order of the items in a file would
    decide otherwise. ``share`` is None where no bin ends among such items. ``start`` says where a bin begins, for the
    bins that are not empty.
    """

    item: NDArray[np.intp]
    share: FloatArray | None
    start: NDArray[np.intp]
    bin_of: NDArray[np.intp]

    @classmethod
    def of(cls, difficulty: FloatArray, bins: Division) -> "Bins":
        """Make bins of equal count as nearly as possible, easiest first; or those between given edges."""
        order = np.argsort(difficulty, kind="stable")
        ranked, count = difficulty[order], len(order)
        if not isinstance(bins, int):
            inside = bin_between(ranked, bins)
            start = np.flatnonzero(np.diff(inside, prepend=-1))
            return cls(order, np.ones(count), start, np.cumsum(np.diff(inside, prepend=inside[:1]) > 0))
        begin, end, whole = even_bins(count, bins)
        new = np.ones(count, dtype=bool)
        new[1:] = is_new(ranked)
        if new[begin].all():
            return cls(order, None, begin, whole)
        tie = np.cumsum(new) - 1
        first = np.flatnonzero(new)
        last = np.append(first[1:], count)
        low, high = first[tie[begin]], last[tie[end - 1]]
        size = high - low
        start, bin_of = np.cumsum(size) - size, np.repeat(np.arange(len(begin)), size)
        place = np.arange(size.sum()) - (start - low)[bin_of]
        here = tie[place]
        inside = np.minimum(last[here], end[bin_of]) - np.maximum(first[here], begin[bin_of])
        return cls(order[place], inside / (last[here] - first[here]), start, bin_of)

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum values of the items (first axis, in the order of ``item``) by bin."""
        if self.share is None:
            return even_sums(values, len(self.start))
        out: FloatArray = np.add.reduceat(values * self.share.reshape(-1, *[1] * (values.ndim - 1)), self.start, axis=0)
        return out


def agent_curves(results: FloatArray, difficulty: FloatArray, bins: Division, ddof: int = 0) -> AgentCurves:
    """Return mean and variance (divided by the count less ``ddof``) of every agent's results in each difficulty bin."""
    return curves_of_tasks(np.ascontiguousarray(results.T), np.arange(results.shape[1]), difficulty, bins, ddof)


def curves_of_tasks(
    by_task: FloatArray,
    tasks: NDArray[np.integer[Any]],
    difficulty: FloatArray,
    bins: Division,
    ddof: int,
    *,
    binary: bool = False,
) -> AgentCurves:
    """Return the curves from some of the tasks of a table with tasks in rows; a task may come more than once.

    ``binary`` says that every result is 0 or 1: squares are then sums, and variances of equal results exactly 0.
    """
    inside = Bins.of(difficulty, bins)
    results = by_task.take(tasks[inside.item], axis=0)
    known = np.ones((1, 1), dtype=bool) if binary else ~np.isnan(results)
    complete = bool(known.all())
    count = inside.sums(np.ones(len(results)))
    weight = count[:, None] if complete else inside.sums(known.astype(np.float64))
    with np.errstate(invalid="ignore", divide="ignore"):
        total = inside.sums(results if complete else np.where(known, results, 0.0))
        mean = total / weight
    if binary:
        squares = total - weight * mean**2
    else:
        results -= mean.take(inside.bin_of, axis=0)
        results *= results
        squares = inside.sums(results if complete else np.where(known, results, 0.0))
    variance = np.where(weight > 0, squares / np.maximum(weight - ddof, 1.0), np.nan)
    centre = inside.sums(difficulty[inside.item]) / count
    whole = bins if isinstance(bins, int) else len(bins) - 1
    return AgentCurves(*(_spread(part, whole) for part in (centre, mean, variance)))


def _spread(by_bin: FloatArray, bins: int) -> FloatArray:
    """Return agents by bins, NaN in bins without items, which stand at the end."""
    if len(by_bin) == bins:
        return np.ascontiguousarray(by_bin.T)
    out = np.full((bins, *by_bin.shape[1:]), np.nan)
    out[: len(by_bin)] = by_bin
    return out.T


def inverse_variance(variance: FloatArray) -> FloatArray:
    """Return 1 / variance, infinite at zero; NaN stays NaN.

    Rounding leaves crumbs of variance where all results are equal; they count as zero.
    """
    out = np.full(variance.shape, np.inf)
    np.divide(1.0, variance, out=out, where=~(variance < 1e-24))
    return out


def regularity_of(results: FloatArray, ddof: int = 0) -> FloatArray:
    """Return 1 / variance (divided by the count less ``ddof``) of each agent's results."""
    return regularity_of_tasks(results.T, np.ones(results.shape[1]), ddof)


def is_binary(results: FloatArray) -> bool:
    """Tell whether every result is 0 or 1, and none is missing."""
    return bool(((results == 0) | (results == 1)).all())


def regularity_of_tasks(by_task: FloatArray, times: FloatArray, ddof: int, *, binary: bool = False) -> FloatArray:
    """Return the same from a table with tasks in rows, each of which counts so many times.

    ``binary`` as for :func:`curves_of_tasks`.
    """
    if binary:
        # A product of whole numbers is exact in any order.
        total, size = times @ by_task, float(times.sum())
        return inverse_variance((total - size * (total / size) ** 2) / max(size - ddof, 1.0))
    known = ~np.isnan(by_task)
    whole = bool(known.all())
    count = np.full(by_task.shape[1], times.sum()) if whole else np.einsum("t,ta->a", times, known.astype(np.float64))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.einsum("t,ta->a", times, by_task if whole else np.where(known, by_task, 0.0)) / count
        away = by_task - mean
        away *= away
        squares = np.einsum("t,ta->a", times, away if whole else np.where(known, away, 0.0))
        variance = squares / np.maximum(count - ddof, 1)
    return inverse_variance(np.where(count > 0, variance, np.nan))


def generality_of(variance: FloatArray) -> FloatArray:
    """Return equation 3: one over the summed within-bin variances."""
    return inverse_variance(variance.sum(axis=-1))


def slope_at_half(difficulty: FloatArray, mean: FloatArray) -> FloatArray:
    """Return how steeply each empirical curve falls where it crosses one half; NaN where it never does.

    Straight lines join the bins. Among several downward crossings the steepest counts, as the slope of a
    curve that went back up in between says little.
    """
    with np.errstate(invalid="ignore", divide="ignore"):  # bins of a resample may be of one difficulty
        fall = (mean[..., :-1] - mean[..., 1:]) / (difficulty[..., 1:] - difficulty[..., :-1])
    # What is a half but for rounding is a half.
    crosses = (mean[..., :-1] >= 0.5 - _ROUNDING) & (mean[..., 1:] <= 0.5 + _ROUNDING) & (fall > 0)
    best = np.where(crosses, fall, -np.inf).max(axis=-1)
    return np.where(np.isfinite(best), best, np.nan)


def dominance_of(results: FloatArray) -> NDArray[np.bool_]:
    """Return whether agent i did at least as well as j wherever both have results, and better somewhere."""
    agents = len(results)
    out = np.zeros((agents, agents), dtype=bool)
    for i in range(agents):
        with np.errstate(invalid="ignore"):
            gap = results[i] - results
        both = ~np.isnan(gap)
        out[i] = (np.all((gap >= 0) | ~both, axis=1)) & np.any(gap > 0, axis=1)
    return out


def redrawn_indicators(
    results: FloatArray,
    use: NDArray[np.bool_],
    difficulties: tuple[FloatArray, FloatArray],
    bins: Division,
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
            located: FloatArray = difficulty[picked]
            yield (
                everything,
                picked,
                located + errors[picked] * rng.normal(size=len(picked)) if errors.any() else located,
            )

    left, by_task = drawn(), np.ascontiguousarray(results.T)
    sizes = blocks(n, min(BLOCK, max(1, _CELLS // (len(inside) * len(results)))))
    batches = ((list(islice(left, size)),) for size in sizes)
    again = in_order(partial(_redrawn_each, by_task, bins, is_binary(results)), batches, executor)
    return np.concatenate([np.empty((0, 3, len(results))), *counted(again, "bootstrap samples", sizes)])


def _redrawn_each(by_task: FloatArray, bins: Division, binary: bool, draws: Sequence[Draw]) -> FloatArray:
    return np.array([_redrawn(by_task, binary, bins, *draw) for draw in draws])


def _redrawn(
    by_task: FloatArray, binary: bool, bins: Division, everything: IntArray, picked: IntArray, located: FloatArray
) -> FloatArray:
    # Ties of a task drawn twice are broken by position, so a bin may share it with its neighbour. Drawing n out of n
    # shrinks a variance by (n - 1)/n, a tenth in bins of ten: ddof takes that back, else no interval would fit.
    curves = curves_of_tasks(by_task, picked, located, bins, ddof=1, binary=binary)
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
    for cell in np.ndindex(*shape):
        values = np.sort(draws[(slice(None), *cell)])
        values = values[~np.isnan(values)]
        if len(values) >= 2:
            # Order statistics, not interpolation: between a number and infinity there is nothing.
            low[cell] = values[int(np.floor((1 - level) / 2 * (len(values) - 1)))]
            high[cell] = values[int(np.ceil((1 + level) / 2 * (len(values) - 1)))]
    low, high = np.where(point < low, point, low), np.where(point > high, point, high)
    return [frozen(part) for part in low], [frozen(part) for part in high]
