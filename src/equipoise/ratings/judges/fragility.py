r"""How fragile is the lead: about how many votes, removed or added, change the leader?

The influence of a vote on the lead :math:`r_A - r_B` is :math:`c^T H^{-1} x (o - p) / (1 - h)`. The most favourable
votes go first until the sum passes the gap, then the fit is made anew and the number stepped to where the leader
changes. It is exact for this order of removal, and an *upper bound* for the best one (Broderick, Giordano and Meager
2020).
"""

from dataclasses import dataclass

import numpy as np

from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import counted
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.tastes import WEAK, laplacian, strengths

RIVALS = 3
"""Agents behind the leader that are looked at."""


@dataclass(frozen=True, slots=True)
class LeadFragility:
    """Votes that change the leader.

    Attributes
    ----------
    leader, rival
        Who leads, and whom fewest votes would put before them.
    votes
        How many votes there are.
    removed, added
        At most so many removed votes, or added votes for the rival over the leader, change the leader.
    """

    leader: str
    rival: str
    votes: int
    removed: int
    added: int

    @property
    def answer(self) -> tuple[str, ...]:
        """The same in words."""
        removed, added = counted(self.removed, "vote"), counted(self.added, "vote")
        return (
            f"{self.rival} would lead instead of {self.leader} without {removed} of {self.votes:,} "
            f"({self.removed / self.votes:.1%}), or with {added} more for {self.rival} against {self.leader}; "
            "fewer may be enough, since these are upper bounds.",
        )


def lead_fragility(matches: Matches) -> LeadFragility:
    """Say how many votes, removed or added, change the leader.

    Fails when
        there are fewer than two agents.
    """
    agents = len(matches.agents)
    if agents < 2:
        raise DataError("a lead needs two agents")
    a, b = np.asarray(matches.a, dtype=np.int64), np.asarray(matches.b, dtype=np.int64)
    weight = np.asarray(matches.weights, dtype=np.float64)
    rating = strengths(a, b, matches.outcome, weight, agents)
    leader, *others = np.argsort(-rating, kind="stable").tolist()
    found = []
    for rival in others[:RIVALS]:
        lead = _Lead(a, b, matches.outcome, weight, rating, leader, rival)
        found.append((lead.removed(), lead.added(), rival))
    removed, _, rival = min(found)
    added = min(one[1] for one in found)
    return LeadFragility(matches.agents[leader], matches.agents[rival], round(float(weight.sum())), removed, added)


@dataclass(frozen=True, slots=True, eq=False)
class _Lead:
    """The lead of one agent over another."""

    a: IntArray
    b: IntArray
    score: FloatArray
    weight: FloatArray
    rating: FloatArray
    leader: int
    rival: int

    def _stands(self, weight: FloatArray, more: int = 0) -> bool:
        a, b = np.append(self.a, self.rival), np.append(self.b, self.leader)
        rating = strengths(a, b, np.append(self.score, 1.0), np.append(weight, float(more)), len(self.rating))
        return bool(rating[self.leader] > rating[self.rival])

    def removed(self) -> int:
        """Count the votes that must go, the most favourable first."""
        order = np.argsort(-self._influence(), kind="stable")
        order = np.repeat(order, self.weight[order].astype(np.int64))

        def holds(k: int) -> bool:
            kept = self.weight - np.bincount(order[:k], minlength=len(self.weight))
            return self._stands(kept)

        return _first_failure(holds, len(order))

    def added(self) -> int:
        """Count the votes for the rival that change the lead."""
        return _first_failure(lambda k: self._stands(self.weight, k), 10 * int(self.weight.sum()) + 10)

    def _influence(self) -> FloatArray:
        agents = len(self.rating)
        p = 1.0 / (1.0 + np.exp(self.rating[self.b] - self.rating[self.a]))
        q = np.zeros((agents, agents))
        np.add.at(q, (self.a, self.b), self.weight * p * (1.0 - p))
        inverse = np.linalg.inv(laplacian(q + q.T) + WEAK * np.eye(agents))
        pull = inverse[self.leader] - inverse[self.rival]
        leverage = p * (1.0 - p) * (
            inverse[self.a, self.a] + inverse[self.b, self.b] - 2.0 * inverse[self.a, self.b]
        )  # fmt: skip
        return np.asarray((pull[self.a] - pull[self.b]) * (self.score - p) / np.maximum(1.0 - leverage, 0.1))


def _first_failure(holds: "object", most: int) -> int:
    """Find the least number at which something no longer holds, by doubling and halving."""
    assert callable(holds)
    high = 1
    while high < most and holds(high):
        high *= 2
    low = high // 2
    high = min(high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high
