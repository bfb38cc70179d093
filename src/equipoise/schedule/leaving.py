"""Voters who leave a pair open: how much of that a decision bears, and whether leaving goes with what was shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.core.wording import counted
from equipoise.inference.confidence import holm
from equipoise.schedule.pair_evidence import EQUAL, FIRST, log_growth, log_mixture


@dataclass(frozen=True, slots=True)
class BearableLeaving:
    """What a decision bears.

    Attributes
    ----------
    left
        Voters who left a pair open before it was decided.
    bearable
        How many of them may have been about to vote the other way.
    """

    left: int
    bearable: int

    @property
    def words(self) -> str:
        """The same in words."""
        if not self.left:
            return "nobody left a pair open"
        if self.bearable >= self.left:
            return f"stands whatever the {self.left:,} who left would have voted"
        if not self.bearable:
            return f"stands only if none of the {self.left:,} who left would have voted the other way"
        share = self.bearable / self.left
        return f"stands unless more than {share:.0%} of the {self.left:,} who left would have voted the other way"


def bearable_leaving(
    growth: FloatArray, claim: int, threshold: float, left: int, margin: float | None
) -> BearableLeaving:
    """Count how many votes against a claim, added to its evidence, leave it decided.

    Parameters
    ----------
    growth
        Log growth of each stake of each claim when it was decided.
    claim
        What was decided, as :func:`~equipoise.schedule.pair_evidence.decided` says it.
    threshold
        What evidence had to reach.
    left
        Voters who left this pair open until then.
    margin
        Of equality.
    """
    if claim == EQUAL:  # either side speaks against it
        each = [_most(growth, (2, 3), threshold, left, log_growth(np.asarray(score), margin)) for score in (0.0, 1.0)]
        return BearableLeaving(left, min(each))
    against = log_growth(np.asarray(0.0 if claim == FIRST else 1.0), margin)
    return BearableLeaving(left, _most(growth, (claim - 1,), threshold, left, against))


def _most(growth: FloatArray, claims: Sequence[int], threshold: float, left: int, step: FloatArray) -> int:
    for k in range(1, left + 1):
        if log_mixture(growth + k * step)[list(claims)].min() < threshold:
            return k - 1
    return left


def leaving_tests(shown: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Test whether leaving goes with what was shown: Fisher's exact test of each name against the rest, Holm-adjusted.

    ``shown`` is how often each was shown, and how often it was left.
    """
    total, left = (sum(one[k] for one in shown.values()) for k in (0, 1))
    names = [name for name, (n, _) in shown.items() if 0 < n < total]
    if not names or not left:
        return {}
    p = []
    for name in names:
        n, k = shown[name]
        table = [[k, n - k], [left - k, total - n - left + k]]
        p.append(float(scipy.stats.fisher_exact(table).pvalue))
    return dict(zip(names, holm(np.array(p)).tolist(), strict=True))


def leaving_words(shown: Mapping[str, tuple[int, int]], alpha: float = 0.05) -> str:
    """Say who is left more or less often than others, if that is more than chance."""
    odd = [name for name, p in leaving_tests(shown).items() if p < alpha]
    left = sum(k for _, k in shown.values())
    if not odd:
        return f"Leaving does not go with what was shown ({counted(left, 'time')} left)." if left else "Nobody left."
    said = ", ".join(f"{name} ({shown[name][1] / shown[name][0]:.0%})" for name in odd)
    return f"Pairs are left more or less often than others, Holm-adjusted, with {said}."
