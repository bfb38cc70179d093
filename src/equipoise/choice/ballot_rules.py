"""Rules that look at whole ballots or at mean places: Borda, plurality, approval, instant runoff.

A group that is tied shares what it would get: two that are tied for a first place have half of a first vote each.
"""

from dataclasses import dataclass

import numpy as np

from equipoise.choice.tally import DuelTally
from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray, IntArray
from equipoise.data.types.orders import Ballots

MOST_SETS = 5_000
"""Sets of agents still in the race that are looked at, where ties for the last place leave several ways to go on."""


def borda(tally: DuelTally) -> FloatArray:
    """Count the votes over all others; where pairs have unequally many, the mean share of votes over those met."""
    points = tally.above + tally.tied / 2
    if tally.even:
        return np.asarray(points.sum(axis=1))
    compared = tally.compared
    met = compared > 0
    share = np.where(met, points / np.where(met, compared, 1.0), 0.0)
    opponents = met.sum(axis=1)
    return np.asarray(np.where(opponents > 0, share.sum(axis=1) / np.maximum(opponents, 1), np.nan))


def approval(ballots: Ballots, places: int) -> FloatArray:
    """Give each ballot's vote to its first places; a group across the border shares what is left."""
    level = ballots.levels()
    votes = np.zeros(len(ballots.agents))
    left = np.full(len(ballots), float(places))
    for place in range(int(np.nanmax(level)) + 1):
        at = level == place
        size = at.sum(axis=1)
        share = np.clip(left / np.maximum(size, 1), 0.0, 1.0)
        votes += (ballots.weight * share) @ at
        left = np.maximum(left - size, 0.0)
        if not left.any():
            break
    return votes


@dataclass(frozen=True, slots=True)
class Runoff:
    """Who wins an instant runoff under some way of breaking ties, and the order in which agents stayed longest.

    Attributes
    ----------
    winners
        Everybody who wins under some way of breaking ties for the last place.
    order
        Best first: the winner, then who was dropped last; None where ties leave several.
    """

    winners: tuple[int, ...]
    order: tuple[int, ...] | None


def instant_runoff(ballots: Ballots) -> Runoff:
    """Drop who has the fewest first votes until one is left; every way of breaking ties is followed.

    Fails when
        ties leave more ways than can be followed.
    """
    level = ballots.levels()
    level = np.where(np.isnan(level), np.inf, level)
    everybody = (1 << len(ballots.agents)) - 1
    seen, todo, winners, dropped = {everybody}, [everybody], set[int](), []
    straight = True
    while todo:
        alive = todo.pop()
        members = np.array([i for i in range(len(ballots.agents)) if alive >> i & 1])
        if len(members) == 1:
            winners.add(int(members[0]))
            continue
        votes = first_votes(level[:, members], ballots.weight)
        last = members[votes <= votes.min() + 1e-9 * ballots.weight.sum()]
        straight &= len(last) == 1
        dropped.append(int(last[0]))
        for one in last:
            rest = alive & ~(1 << int(one))
            if rest not in seen:
                seen.add(rest)
                todo.append(rest)
        if len(seen) > MOST_SETS:
            raise DataError(
                "an instant runoff of these ballots meets too many ties for the last place: its winner hangs on"
                " how they are broken"
            )
    order = (*winners, *dropped[::-1]) if straight else None
    return Runoff(tuple(sorted(winners)), order)


def first_votes(level: FloatArray, weight: FloatArray) -> FloatArray:
    """Count first places among these columns; ballots that name none of them have no vote."""
    best = level.min(axis=1, keepdims=True)
    first = (level == best) & np.isfinite(best)
    return np.asarray((weight / np.maximum(first.sum(axis=1), 1)) @ first)


def usable_ballots(tally: DuelTally, rule: str) -> Ballots:
    """Give the ballots behind a tally.

    Fails when
        there are only games of two: such rules would count wins against whoever came along.
    """
    if tally.ballots is None or int(tally.ballots.sizes.max()) < 3:
        raise DataError(f"{rule} needs ballots, tasks or races that put three or more agents in order; these are pairs")
    return tally.ballots


def tie_breaking_order(tally: DuelTally) -> IntArray:
    """Give agents by Borda score, the highest first, then by name: the stated order for ties."""
    score = np.nan_to_num(borda(tally), nan=-1.0)
    return np.array(sorted(range(len(score)), key=lambda i: (-round(float(score[i]), 9), tally.agents[i])))
