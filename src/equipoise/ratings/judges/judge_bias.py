"""Where a judge that is a model differs from people: longer answers, and categories of prompts.

Both voted on the same pairs of answers. By how much more the judge gives the longer answer than people do is the mean
of judge less people on its side, so that what is truly better about longer answers is no bias. Errors are those of the
coarser of both clusterings, by prompt and by voter.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import counted
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.judge_calibrated import both_voted

FEWEST_CLUSTERS = 5
"""Prompts and voters before there is an interval."""


@dataclass(frozen=True, slots=True)
class JudgeDifference:
    """Something about a judge beside people, as a share of a vote, with its interval; ``votes`` are people's."""

    what: str
    value: float
    low: float
    high: float
    votes: int


@dataclass(frozen=True, slots=True)
class JudgeBias:
    """How a judge differs from people.

    Attributes
    ----------
    length
        What the judge gives the longer answer beyond what people give it; None where too few differ in length.
    categories
        Agreement with people's votes with a winner in each category, where votes are not too few.
    """

    length: JudgeDifference | None
    categories: tuple[JudgeDifference, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The same in sentences."""
        said = []
        if self.length is not None:
            one, sure = self.length, self.length.low > 0 or self.length.high < 0
            more = "more" if one.value > 0 else "less"
            said.append(
                f"On {counted(one.votes, 'vote')} of people it gives the longer answer {100 * abs(one.value):.1f} "
                f"points of 100 {more} than people do ({100 * one.low:+.1f} to {100 * one.high:+.1f}): "
                f"{'a' if sure else 'no significant'} bias by length."
            )
        if len(self.categories) > 1:
            each = ", ".join(f"{one.what} {one.value:.0%} ({one.low:.0%} to {one.high:.0%})" for one in self.categories)
            said.append(f"It agrees with people's votes with a winner by category: {each}.")
        return tuple(said)


def judge_bias(
    people: Matches, judge: Matches, texts: Mapping[tuple[str, str], str],
    categories: Mapping[str, str] | None = None, *, level: float = 0.95,
) -> JudgeBias:  # fmt: skip
    """Say where a judge differs from people.

    Parameters
    ----------
    people, judge
        As :func:`~equipoise.ratings.judges.judge_calibrated.judge_calibrated` takes them.
    texts
        Answers by prompt and agent.
    categories
        What prompts are about, by prompt.
    level
        Of each interval, one by one.

    Fails when
        the judge saw too few of people's votes.
    """
    both = both_voted(people, judge)
    names = [both.prompts[at] for at in both.prompt]
    sides = [(people.agents[both.first[pair]], people.agents[both.second[pair]]) for pair in both.pair]
    longer = np.array([
        np.sign(len(texts.get((name, a), "")) - len(texts.get((name, b), "")))
        for name, (a, b) in zip(names, sides, strict=True)
    ])  # fmt: skip
    clusters = both.prompt, both.voter
    length = _mean("length", longer * (both.seen - both.vote), longer != 0, clusters, level)
    agree = (np.sign(both.seen - 0.5) == np.sign(both.vote - 0.5)).astype(np.float64)
    of = np.array([(categories or {}).get(name, "") for name in names])
    each = (
        _mean(one, agree, (of == one) & (both.vote != 0.5), clusters, level) for one in sorted({*of.tolist()} - {""})
    )
    return JudgeBias(length, tuple(_within(one) for one in each if one is not None))


def _mean(
    what: str, value: FloatArray, kept: FloatArray, clusters: tuple[IntArray, IntArray], level: float
) -> JudgeDifference | None:
    """Give a mean whose error is the larger one of both clusterings; None where clusters are too few."""
    value, codes = value[kept], [np.unique(one[kept], return_inverse=True)[1] for one in clusters]
    counts = [int(one.max(initial=-1)) + 1 for one in codes]
    if min(counts) < FEWEST_CLUSTERS:
        return None
    off = value - value.mean()
    errors = [
        np.sqrt((np.bincount(one, off) ** 2).sum() * n / (n - 1)) / len(value)
        for one, n in zip(codes, counts, strict=True)
    ]
    half = float(scipy.stats.t.ppf(0.5 + level / 2.0, min(counts) - 1) * max(errors))
    mean = float(value.mean())
    return JudgeDifference(what, mean, mean - half, mean + half, len(value))


def _within(share: JudgeDifference) -> JudgeDifference:
    return JudgeDifference(share.what, share.value, max(share.low, 0.0), min(share.high, 1.0), share.votes)
