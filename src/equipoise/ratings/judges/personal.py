r"""Boards of one voter or one group: partially pooled with everybody's, so that a dozen votes show something.

A voter's strengths are :math:`r_v = r_{-v} + u_v`, :math:`u \sim N(0, \tau^2)` around what all others' votes say, with
:math:`\tau` the spread of ordinary taste; the mode and its curvature give estimate and interval. A voter with few votes
has the crowd's board with an interval as wide as taste.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.stats

from equipoise.core.errors import DataError, did_you_mean
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import ELO_POINT
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.tastes import laplacian, voter_tastes
from equipoise.ratings.judges.vote_columns import JUDGES, found_column

LEAST_TASTE = 0.1
"""Least spread of taste, in log-odds: that nothing was seen of it is no proof that there is none."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PersonalBoard(Result):
    """How one voter, or one group of voters, rates the agents; ratings in log-odds.

    Attributes
    ----------
    agents
        In the order of the matches.
    rating, low, high
        Of this voter.
    others
        Of everybody else.
    votes
        How many votes there are of this voter.
    taste
        Spread of taste between voters.
    """

    rows_name: ClassVar[str] = "agents"
    main: ClassVar[str] = "rating"

    agents: tuple[str, ...]
    rating: FloatArray
    low: FloatArray
    high: FloatArray
    others: FloatArray
    votes: int
    taste: float
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first, in Elo points."""
        columns = {name: getattr(self, name) / ELO_POINT for name in ("rating", "low", "high", "others")}
        return pl.DataFrame({"agent": list(self.agents), **columns}).sort("rating", descending=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is first here, and how much of that is the crowd's."""
        first = self.agents[int(np.argmax(self.rating))]
        return (f"{first} has the highest rating here, from {self.votes:,} votes pooled with all others'.",)


def personal_board(matches: Matches, name: str, *, voter: str | None = None, level: float = 0.95) -> PersonalBoard:
    """Rate agents as one voter does, partially pooled with all others.

    Parameters
    ----------
    matches
        Votes, one row each.
    name
        The voter, or the group.
    voter
        Label that says who voted, or of which group they are; by default the one with a usual name.
    level
        Of the intervals.

    Fails when
        nobody of that name voted.
    """
    who = found_column(matches, "voter", voter, JUDGES)
    if who is None or name not in who.labels:
        there = () if who is None else who.labels
        raise DataError(f'there are no votes of "{name}"{did_you_mean(name, list(there))}')
    tastes = voter_tastes(matches, who)
    one = tastes.each[who.labels.index(name)]
    agents, taste = len(matches.agents), max(float(np.sqrt(tastes.variance)), LEAST_TASTE)
    prior = np.linalg.inv(one.spread + taste**2 * np.eye(agents))
    a, b, score = matches.a[one.rows], matches.b[one.rows], matches.outcome[one.rows]
    rating = one.rating.copy()
    for _ in range(60):
        p = 1.0 / (1.0 + np.exp(rating[b] - rating[a]))
        q = np.zeros((agents, agents))
        np.add.at(q, (a, b), p * (1.0 - p))
        slope = np.bincount(a, score - p, agents) - np.bincount(b, score - p, agents) - prior @ (rating - one.rating)
        curvature = laplacian(q + q.T) + prior
        step = np.linalg.solve(curvature, slope)
        rating = rating + step / max(1.0, np.abs(step).max() / 3.0)
        if np.abs(step).max() < 1e-9:
            break
    centre = np.eye(agents) - 1.0 / agents
    spread = np.sqrt(np.diag(centre @ np.linalg.inv(curvature) @ centre))
    z = float(scipy.stats.norm.ppf(0.5 + level / 2.0))
    rating = rating - rating.mean()
    return PersonalBoard(
        agents=matches.agents, rating=frozen(rating), low=frozen(rating - z * spread), high=frozen(rating + z * spread),
        others=frozen(one.rating - one.rating.mean()), votes=len(one.rows), taste=taste,
        interval=Interval("partially pooled", level), params=frozen_params(voter=voter, level=level),
    )  # fmt: skip
