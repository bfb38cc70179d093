r"""Judgments on the same pair of answers in both orders: do they agree, and what does averaging them buy?

With e and e' what is left of the two judgments on one pair of answers (both as the score of the same agent) once
strengths are accounted for, and rho their correlation, a rating from one order has 2 / (1 + rho) times the variance of
one from both orders, and a rating from both has (1 + rho) times the variance of one from as many judgments on other
pairs of answers. Judgments that go with the position pull rho down, below zero where they are most.

References
----------
Zheng et al. (2023), Judging LLM-as-a-judge with MT-bench and chatbot arena, section 3.3.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.results import Estimate, FloatArray, IntArray
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.inference.ranks import two_sided_quantile

FEWEST = 2
"""Pairs of answers in both orders from which anything is said."""


@dataclass(frozen=True, slots=True, eq=False)
class BothOrders:
    """What two judgments on the same answers say, one in each order.

    Attributes
    ----------
    pairs
        Pairs of answers with a judgment in each order (by the same judge, where judges are known).
    consistent
        Share with the same judgment twice, with its interval.
    first_twice, second_twice
        Shares in which the first, or the second, place won twice: the judgment went with the position.
    with_position
        Both together, with an interval.
    undecided
        Share with a tie in one order only.
    correlation
        Of what strengths leave of the two judgments.
    variance_ratio
        Variance of a rating from one order over that of a rating from both.
    same_effort_ratio
        Variance of a rating from as many judgments on other answers over that of one from both orders: above 1
        averaging is the better use of judgments.
    """

    pairs: int
    consistent: Estimate
    first_twice: float
    second_twice: float
    with_position: Estimate
    undecided: float
    correlation: Estimate
    variance_ratio: Estimate
    same_effort_ratio: Estimate

    def to_dict(self) -> dict[str, object]:
        """Give the JSON form."""
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def words(self) -> tuple[str, ...]:
        """How often the judgment stays when the answers change places, and what averaging buys."""
        same, place, gain = self.consistent, self.with_position, self.variance_ratio
        lean = "first" if self.first_twice >= self.second_twice else "second"
        more = max(self.first_twice, self.second_twice)
        return (
            f"Of {self.pairs:,} pairs of answers judged in both orders {same:.0%} got the same judgment twice"
            f" ({same.low:.0%} to {same.high:.0%}); in {place:.0%} ({place.low:.0%} to {place.high:.0%}) the judgment"
            f" went with the position, in {more:.0%} with the {lean}.",
            f"A rating from one order has {gain:.2f} times the variance of one from both orders ({gain.low:.2f} to"
            f" {gain.high:.2f}); as many judgments on other answers would have {self.same_effort_ratio:.2f} times it.",
        )


def both_orders(
    matches: Matches, item: Factor, judge: Factor | None, rating: FloatArray, level: float
) -> BothOrders | None:
    """Pair the judgments on each item in its two orders; None where fewer than two were judged in both.

    Where an item was judged several times in an order, the first judgment of one goes with the first of the other.
    """
    first, second = _paired(matches, item, judge)
    if len(first) < FEWEST:
        return None
    one, other = matches.outcome[first], 1 - matches.outcome[second]
    same = np.sign(one - 0.5) == np.sign(other - 0.5)
    up, down = (one > 0.5) & (other < 0.5), (one < 0.5) & (other > 0.5)
    expected = scipy.special.expit(rating[matches.a[first]] - rating[matches.b[first]])
    clusters = (item if matches.group is None else matches.group).codes[first].astype(np.int64)
    rho = _correlation(one - expected, other - expected, clusters, level)
    return BothOrders(
        len(first),
        _share(same, clusters, level),
        float(up.mean()),
        float(down.mean()),
        _share(up | down, clusters, level),
        float(1 - same.mean() - up.mean() - down.mean()),
        rho,
        _of_correlation(rho, 2.0),
        _of_correlation(rho, 1.0),
    )


def _paired(matches: Matches, item: Factor, judge: Factor | None) -> tuple[IntArray, IntArray]:
    """Rows in which the agent with the lower code comes first, and the rows with the same answers the other way."""
    n = len(matches.agents)
    low, high = np.minimum(matches.a, matches.b).astype(np.int64), np.maximum(matches.a, matches.b)
    key = (item.codes.astype(np.int64) * n + low) * n + high
    if judge is not None:
        key = np.unique(key, return_inverse=True)[1] * len(judge.labels) + judge.codes
    forward, backward = np.flatnonzero(matches.a < matches.b), np.flatnonzero(matches.a > matches.b)
    one, other = (_joined(*_with_turn(key[rows])) for rows in (forward, backward))
    _, at, there = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    return forward[at], backward[there]


def _with_turn(key: IntArray) -> tuple[IntArray, IntArray]:
    """Number the rows of each key in their order."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(key) else np.zeros(0, dtype=np.int64)
    turn = np.empty(len(key), dtype=np.int64)
    turn[order] = np.arange(len(key)) - np.repeat(starts, np.diff(np.append(starts, len(key))))
    return key, turn


def _joined(key: IntArray, turn: IntArray) -> IntArray:
    return np.asarray(key * (1 << 20) + turn)


def _share(hit: "np.ndarray", clusters: IntArray, level: float) -> Estimate:
    """A share with Wilson's interval, the pairs of one group counting as fewer where they go together."""
    share, count = float(hit.mean()), len(hit)
    sums, groups = _sums(hit - share, clusters)
    plain = max(share * (1 - share), 1e-12)
    together = float((sums**2).sum()) * groups / max(groups - 1, 1) / (count * plain)
    few = groups < count
    effective = count / max(together, 1.0) if few and 0 < share < 1 else float(groups)
    z = two_sided_quantile(level, groups - 1 if few and groups > 1 else np.inf)
    middle = (share + z**2 / (2 * effective)) / (1 + z**2 / effective)
    reach = z / (1 + z**2 / effective) * np.sqrt(plain / effective + z**2 / (4 * effective**2))
    low, high = max(middle - reach, 0.0), min(middle + reach, 1.0)
    return Estimate(share, np.sqrt(plain / effective), min(low, share), max(high, share))


def _correlation(e: FloatArray, other: FloatArray, clusters: IntArray, level: float) -> Estimate:
    """Correlation about zero of what is left of two judgments, with the interval of Fisher's transformation."""
    square = float((e**2 + other**2).mean()) / 2
    if square <= 0:
        return Estimate(np.nan, np.nan, np.nan, np.nan)
    rho = float((e * other).mean()) / square
    sums, groups = _sums((e * other - rho * (e**2 + other**2) / 2) / square, clusters)
    stderr = float(np.sqrt((sums**2).sum() * groups / max(groups - 1, 1))) / len(e)
    bounded = float(np.clip(rho, -1 + 1e-9, 1 - 1e-9))
    reach = two_sided_quantile(level, max(groups - 1, 1)) * stderr / (1 - bounded**2)
    return Estimate(rho, stderr, *(float(np.tanh(np.arctanh(bounded) + sign * reach)) for sign in (-1, 1)))


def _sums(values: FloatArray, clusters: IntArray) -> tuple[FloatArray, int]:
    at = np.unique(clusters, return_inverse=True)[1]
    sums = np.bincount(at, values).astype(float, copy=False)
    return sums, len(sums)


def _of_correlation(rho: Estimate, top: float) -> Estimate:
    """Give top / (1 + rho); a larger correlation makes it smaller."""
    with np.errstate(divide="ignore"):
        value, low, high = (float(np.divide(top, 1 + x)) for x in (float(rho), rho.high, rho.low))
        return Estimate(value, float(np.divide(top * rho.stderr, (1 + float(rho)) ** 2)), low, high)
