r"""Krippendorff's alpha from votes as codes, and how sure it is.

.. math:: \alpha = 1 - \frac{D_o}{D_e}

with :math:`D_o` the mean disagreement of two votes on the same item and :math:`D_e` that of any two votes. Ordinal
disagreement is the squared difference of mid-ranks, so that it is the interval one of these; both follow from sums and
sums of squares, in one pass over the votes. Items with the same votes are one pattern, which makes leaving out each
item in turn (the jackknife) a matter of leaving out each pattern once.

References
----------
Krippendorff (2019), Content Analysis, chapter 12. Efron (1982), The Jackknife.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from equipoise.core.results import FloatArray, IntArray

Distance = Literal["nominal", "ordinal", "interval"]
MOST_EXACT = 64
"""Distinct values up to which mid-ranks follow every item that is left out; with more they stay."""


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Votes as codes: by whom, on what, and which of the sorted values; only items with two votes or more."""

    rater: IntArray
    item: IntArray
    value: IntArray
    values: FloatArray
    items: int

    @classmethod
    def of(cls, rater: IntArray, item: IntArray, value: FloatArray) -> "Votes":
        """Leave out items with one vote, which nobody can agree or disagree with."""
        several = np.bincount(item)[item] > 1
        values, codes = np.unique(value[several], return_inverse=True)
        items, at = np.unique(item[several], return_inverse=True)
        return cls(rater[several], at, codes, values, len(items))


@dataclass(frozen=True, slots=True, eq=False)
class Disagreement:
    """Observed and expected disagreement, and that of each vote with the others on its item."""

    observed: float
    expected: float
    of_votes: FloatArray

    @property
    def alpha(self) -> float:
        """Give 1 less their ratio; NaN where all votes are the same."""
        return 1 - self.observed / self.expected if self.expected > 0 else float("nan")


def disagreement(votes: Votes, distance: Distance) -> Disagreement:
    """Give the disagreement observed, expected, and of each vote with the others on its item (on average over them)."""
    others = np.bincount(votes.item, minlength=votes.items)[votes.item] - 1.0
    n, counts = len(votes.value), np.bincount(votes.value, minlength=len(votes.values)).astype(float)
    if distance == "nominal":
        cell = votes.item * len(votes.values) + votes.value
        _, at, together = np.unique(cell, return_inverse=True, return_counts=True)
        of_votes = 1 - (together[at] - 1) / others
        expected = (n**2 - counts @ counts) / (n * (n - 1.0))
    else:
        x = _positions(counts, votes.values, distance)[votes.value]
        one, two = (np.bincount(votes.item, part, votes.items)[votes.item] for part in (x, x * x))
        of_votes = (two + (others + 1) * x * x - 2 * x * one) / others
        expected = 2 * (n * (x @ x) - x.sum() ** 2) / (n * (n - 1.0))
    return Disagreement(float(of_votes.mean()), float(expected), np.clip(of_votes, 0, None))


def _positions(counts: FloatArray, values: FloatArray, distance: Distance) -> FloatArray:
    """Where each value stands: at itself, or at its mid-rank; moved and scaled, which changes nothing."""
    at = values if distance == "interval" else np.cumsum(counts) - counts / 2
    spread = float(np.ptp(at)) if len(at) else 0.0
    return np.asarray((at - at.min()) / spread) if spread > 0 else np.zeros(len(at))


def jackknife(votes: Votes, distance: Distance) -> FloatArray:
    """Give alpha without each item in turn; NaN where nothing would be left to compare."""
    n_items, n_values = votes.items, len(votes.values)
    size = np.bincount(votes.item, minlength=n_items).astype(float)
    if distance == "ordinal" and n_values <= MOST_EXACT:
        return _without_patterns(votes)
    n = len(votes.value)
    left = n - size
    per_vote = disagreement(votes, distance).of_votes
    observed = (per_vote.sum() - np.bincount(votes.item, per_vote, n_items)) / np.maximum(left, 1)
    counts = np.bincount(votes.value, minlength=n_values).astype(float)
    if distance == "nominal":
        cells, times = np.unique(votes.item * n_values + votes.value, return_counts=True)
        item, value = cells // n_values, cells % n_values
        squares = counts @ counts + np.bincount(item, times**2 - 2.0 * times * counts[value], n_items)
        expected = (left**2 - squares) / np.maximum(left * (left - 1), 1)
    else:
        x = _positions(counts, votes.values, distance)[votes.value]
        one, two = (float(part.sum()) - np.bincount(votes.item, part, n_items) for part in (x, x * x))
        expected = 2 * (left * two - one**2) / np.maximum(left * (left - 1), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > 1e-12, 1 - observed / expected, np.nan))


def _without_patterns(votes: Votes) -> FloatArray:
    """Leave out each pattern of votes once: coincidences and mid-ranks are those of the other items."""
    q = len(votes.values)
    table = np.bincount(votes.item * q + votes.value, minlength=votes.items * q).reshape(-1, q)
    patterns, at = np.unique(table, axis=0, return_inverse=True)
    p = patterns.astype(float)
    m = p.sum(axis=1)
    pairs = (p[:, :, None] * p[:, None, :] - np.eye(q) * p[:, :, None]) / (m - 1)[:, None, None]
    met = np.bincount(np.ravel(at), minlength=len(p)).astype(float)
    together, counts = np.tensordot(met, pairs, 1), met @ p
    out = np.empty(len(p))
    for k in range(len(p)):
        left, seen = counts - p[k], together - pairs[k]
        x = _positions(left, votes.values, "ordinal")
        apart = (x[:, None] - x[None, :]) ** 2
        n, expected = left.sum(), left @ apart @ left
        out[k] = 1 - (n - 1) * (seen * apart).sum() / expected if expected > 1e-12 else np.nan
    return np.asarray(out[np.ravel(at)])
