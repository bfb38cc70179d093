"""Simultaneous rank intervals: they hold for all agents at once."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray, IntArray, Later, frozen
from equipoise.inference.threads import one_thread

MOST_DRAWS, FEWEST_DRAWS, WORK = 4000, 1000, 2.5e7
"""Draws of the simulation: as many as ``WORK`` comparisons allow, within these limits."""
PIECE = 512
"""Draws that are worked on together."""
MOST_SIMULATED = 400
"""Up to this many agents the joint distribution of all differences is simulated; above, Sidak's bound is used."""
MANY_DEGREES = 40
"""From so many degrees of freedom on (and twice as many as agents) the joint distribution of differences is known."""


class Ranks(Later[tuple[IntArray, IntArray]]):
    """Best and worst ranks, read-only, which are worked out when somebody first asks."""

    __slots__ = ()

    def __init__(self, find: Callable[[], tuple[IntArray, IntArray]]) -> None:
        super().__init__(lambda: _both_frozen(*find()))

    @classmethod
    def known(cls, low: IntArray, high: IntArray) -> "Ranks":
        """Take ranks that are there already."""
        ranks = cls(lambda: (low, high))
        ranks()
        return ranks


def _both_frozen(low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    return frozen(low), frozen(high)


def rank_intervals(
    rating: FloatArray,
    covariance: FloatArray,
    level: float,
    components: IntArray | None,
    rng: np.random.Generator,
    degrees: FloatArray | float = np.inf,
    floors: Sequence[FloatArray] = (),
    apart: npt.NDArray[np.bool_] | None = None,
) -> tuple[IntArray, IntArray]:
    """Give rank_low = 1 + the number significantly better and rank_high = n - the number worse, by component.

    All differences r_i - r_j are tested together: i is significantly better than j if (r_i - r_j)/se_ij exceeds the
    level's quantile of the largest |difference|/se over all pairs. Agents of different connected components are not
    compared, and are no pairs. ``degrees`` of freedom are those of the covariance, or of each agent's part of it. No
    difference has a smaller variance than any of the covariances ``floors`` gives it. Agents that stand ``apart`` count
    in nobody's rank; their own are among the others, and are not part of what is simultaneous.
    """
    component = np.zeros(len(rating), dtype=np.int64) if components is None else components
    compared = component[:, None] == component[None, :]
    gap = rating[:, None] - rating[None, :]
    spread = np.where(compared, _standard_errors(covariance), 0.0)
    counts = np.ones(len(rating), dtype=bool) if apart is None else ~apart
    among = np.where(counts & counts[:, None], spread, 0.0)
    critical = simultaneous_quantile(covariance, among, level, rng, degrees)
    spread = np.max([spread, *map(_standard_errors, floors)], axis=0)
    better = compared & (gap > critical * spread + 1e-12)
    others = compared & counts & ~np.eye(len(rating), dtype=bool)
    return 1 + better[counts].sum(axis=0), 1 + others.sum(axis=1) - better[:, counts].sum(axis=1)


def simultaneous_quantile(
    covariance: FloatArray,
    spread: FloatArray,
    level: float,
    rng: np.random.Generator,
    degrees: FloatArray | float = np.inf,
) -> FloatArray | float:
    """Quantile of max over pairs of |Z_i - Z_j|/se_ij for Z normal (or t) with this covariance.

    Pairs whose ``spread`` se_ij is 0 do not count. A covariance from few draws says little about how differences move
    together (from two draws, that all do): then every pair has its share of the level (Bonferroni), with the quantile
    of t with the fewer degrees of freedom of the two agents.
    """
    n = len(covariance)
    pairs = max(int(np.count_nonzero(np.triu(spread, 1))), 1)
    fewest = float(np.min(degrees))
    if fewest < max(MANY_DEGREES, 2 * n):
        each = np.asarray(degrees) + np.zeros(n)
        return two_sided_quantiles(1 - (1 - level) / pairs, np.minimum(each[:, None], each[None, :]))
    if n > MOST_SIMULATED:
        return two_sided_quantile(level ** (1 / pairs), fewest)
    count = int(np.clip(WORK / max(n * (n - 1) / 2, 1), FEWEST_DRAWS, MOST_DRAWS))
    with one_thread(n):
        draws = _root(covariance).astype(np.float32) @ rng.standard_normal((n, count), dtype=np.float32)
    with np.errstate(divide="ignore"):
        scale = np.where(spread > 0, 1 / spread, 0.0)
    largest = _largest_ratios(draws, scale)
    if np.isfinite(fewest):
        largest /= np.sqrt(rng.chisquare(fewest, count) / fewest)
    return float(np.quantile(largest, level))


def _root(covariance: FloatArray) -> FloatArray:
    """Give a square root of the covariance, up to a part that all agents share: only differences matter.

    Ratings that sum to zero have a singular covariance; a shared part makes it regular. Where more than that is
    missing (several components) the eigenvectors give the root.
    """
    try:
        return np.asarray(np.linalg.cholesky(covariance + np.trace(covariance) / len(covariance)))
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        return np.asarray(vectors * np.sqrt(np.clip(values, 0, None)))


def _largest_ratios(draws: npt.NDArray[np.float32], scale: FloatArray) -> FloatArray:
    """Give max over pairs of |Z_i - Z_j| scale_ij of each column Z, in single precision (far finer than the draws).

    All pairs are looked at, a piece of the draws that stays in the cache at a time.
    """
    n, count = draws.shape
    single, largest = scale.astype(np.float32), np.zeros(count)
    for start in range(0, count, PIECE):
        piece = np.ascontiguousarray(draws[:, start : start + PIECE])
        room, best = np.empty_like(piece), np.zeros(piece.shape[1], dtype=np.float32)
        for i in range(n - 1):
            ratio = np.subtract(piece[i + 1 :], piece[i], out=room[i + 1 :])
            ratio *= single[i, i + 1 :, None]
            np.maximum(best, np.abs(ratio, out=ratio).max(axis=0), out=best)
        largest[start : start + PIECE] = best
    return largest


def two_sided_quantile(level: float, degrees: float = np.inf) -> float:
    """Quantile of |t| with so many degrees of freedom; of the normal distribution for infinitely many."""
    if np.isinf(degrees):
        return float(scipy.special.ndtri(0.5 + level / 2))
    return float(scipy.special.stdtrit(degrees, 0.5 + level / 2))


def two_sided_quantiles(level: float, degrees: FloatArray) -> FloatArray:
    """Quantiles of |t|, one for each number of degrees of freedom."""
    finite = np.where(np.isinf(degrees), 1.0, degrees)
    t = scipy.special.stdtrit(finite, 0.5 + level / 2)
    return np.asarray(np.where(np.isinf(degrees), two_sided_quantile(level), t))


def rank_intervals_from_variances(
    rating: FloatArray, variance: FloatArray, level: float, components: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Give rank intervals from single variances only: i is better if its simultaneous interval lies above.

    Conservative, and linear in memory: for tables of many thousand agents. All components together keep the level.
    """
    component = np.zeros(len(rating), dtype=np.int64) if components is None else components
    half = two_sided_quantile(level ** (1 / len(rating))) * np.sqrt(variance)
    low, high = rating - half, rating + half
    best, worst = np.empty(len(rating), dtype=np.int64), np.empty(len(rating), dtype=np.int64)
    order = np.argsort(component, kind="stable")
    for group in np.split(order, np.cumsum(np.bincount(component))[:-1]):
        best[group] = 1 + len(group) - np.searchsorted(np.sort(low[group]), high[group], side="right")
        worst[group] = len(group) - np.searchsorted(np.sort(high[group]), low[group], side="left")
    return best, worst


def _standard_errors(covariance: FloatArray) -> FloatArray:
    variance = np.diag(covariance)
    return np.sqrt(np.clip(variance[:, None] + variance[None, :] - 2 * covariance, 0, None))
