r"""Boards of one voter or one group: partially pooled with everybody's, so that a dozen votes show something.

A voter's strengths are :math:`r_v = c\, r_{-v} + u_v`, :math:`u \sim N(0, \tau^2)` around what all others' votes say,
where :math:`c = \sqrt{1 + 2 \cdot 0.346\, \tau^2}` takes back how far tastes draw the ratings of a crowd together. How
far people differ is as uncertain as the rest: the evidence of each :math:`\tau` is summed over voters (Laplace), and
the board is the mixture. A voter with few votes has the crowd's board with an interval as wide as taste.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.core.errors import DataError, did_you_mean
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import ELO_POINT
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.tastes import VoterVotes, laplacian, voter_tastes
from equipoise.ratings.judges.vote_columns import JUDGES, found_column
from equipoise.ratings.population.population import mixture_quantiles

TASTES = np.geomspace(0.1, 2.5, 10)
"""Spreads of taste, in log-odds; the least is not zero: that nothing was seen of it is no proof that there is none."""
SHRINKAGE, MOST_VOTERS = 0.346, 300
"""How a normal effect flattens a logistic; voters whose evidence is summed."""


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
    each = voter_tastes(matches, who).each
    code = who.labels.index(name)
    chosen = range(0, len(each), -(-len(each) // MOST_VOTERS))
    sizes = np.array([len(one.rows) for one in each], dtype=np.float64)
    others = float(sizes.sum() ** 2 / (sizes**2).sum())  # as many voters of one size would say as much of the crowd
    evidence = np.zeros(len(TASTES))
    for one in (each[k] for k in chosen):
        evidence += [_mode(matches, one, taste, others)[2] for taste in TASTES]
    weight = np.exp(evidence - evidence.max()) * TASTES
    weight /= weight.sum()
    parts = [_mode(matches, each[code], taste, others)[:2] for taste in TASTES]
    modes, spreads = (np.array(column) for column in zip(*parts, strict=True))
    ends = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    low, high = (mixture_quantiles(weight[None], modes, spreads, chance)[0] for chance in ends)
    return PersonalBoard(
        agents=matches.agents, rating=frozen(weight @ modes), low=frozen(low), high=frozen(high),
        others=frozen(each[code].rating - each[code].rating.mean()), votes=len(each[code].rows),
        taste=float(weight @ TASTES),
        interval=Interval("partially pooled", level), params=frozen_params(voter=voter, level=level),
    )  # fmt: skip


def _mode(matches: Matches, one: VoterVotes, taste: float, voters: float) -> tuple[FloatArray, FloatArray, float]:
    """Give one voter's strengths, relative to their mean, their errors, and the evidence of a spread of taste."""
    a, b, score = matches.a[one.rows], matches.b[one.rows], matches.outcome[one.rows]
    agents, scale = len(one.rating), 1.0 + 2.0 * SHRINKAGE * taste**2
    centre = one.rating * np.sqrt(scale)
    prior = np.linalg.inv(one.spread * scale + taste**2 * (1.0 + 1.0 / voters) * np.eye(agents))
    rating = centre.copy()
    for _ in range(60):
        p = 1.0 / (1.0 + np.exp(rating[b] - rating[a]))
        q = np.zeros((agents, agents))
        np.add.at(q, (a, b), p * (1.0 - p))
        slope = np.bincount(a, score - p, agents) - np.bincount(b, score - p, agents) - prior @ (rating - centre)
        curvature = laplacian(q + q.T) + prior
        step = np.linalg.solve(curvature, slope)
        rating = rating + step / max(1.0, np.abs(step).max() / 3.0)
        if np.abs(step).max() < 1e-9:
            break
    gap, moved = rating[a] - rating[b], rating - centre
    fit = float(score @ -np.logaddexp(0.0, -gap) + (1.0 - score) @ -np.logaddexp(0.0, gap))
    determinants = np.linalg.slogdet(prior)[1] - np.linalg.slogdet(curvature)[1]
    middle = np.eye(agents) - 1.0 / agents
    spread = np.sqrt(np.diag(middle @ np.linalg.inv(curvature) @ middle))
    return rating - rating.mean(), spread, fit - float(moved @ prior @ moved) / 2.0 + determinants / 2.0
