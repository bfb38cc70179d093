r"""Voters' own tastes: how much one voter's strengths of the agents differ from everybody else's, by ordinary liking.

A voter v sees agent a better or worse than others do by :math:`u_{va} \sim N(0, \tau^2)`. With S the sum of a voter's
residuals on an agent, strengths fitted without v to first order, and H the information of all votes,

.. math::
    S'_v = S_v + H_v (H - H_v)^{-1} S_v, \qquad E = \mathrm{diag}\, H_v (H - H_v)^{-1} H_v, \qquad
    \mathrm{Var}\, S'_{va} = I_{va} + E_{va} + \tau^2 Q_{va},

I the information of v's votes on a, :math:`Q = I^2 + \sum_o I_o^2` over opponents o. :math:`\tau^2` solves median
:math:`S'^2 / \mathrm{Var} = 0.455` over voters and agents, since a few fans do not move a median.
"""

from dataclasses import dataclass

import numpy as np

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches

MEDIAN = 0.4549
"""Of the square of a standard normal."""
WEAK = 1.0 / 9.0
"""Precision of the prior on each rating: it keeps agents without wins finite."""
STEPS, CLOSE = 60, 1e-9


def strengths(a: IntArray, b: IntArray, score: FloatArray, weight: FloatArray, agents: int) -> FloatArray:
    """Rate agents with the weak prior, by Newton's method on the counts of pairs."""
    won, games = np.zeros((agents, agents)), np.zeros((agents, agents))
    np.add.at(won, (a, b), weight * score)
    np.add.at(won, (b, a), weight * (1.0 - score))
    np.add.at(games, (a, b), weight)
    games = games + games.T
    rating = np.zeros(agents)
    for _ in range(STEPS):
        p = _sigmoid(rating[:, None] - rating)
        slope = (won - games * p).sum(axis=1) - WEAK * rating
        step = np.linalg.solve(laplacian(games * p * (1.0 - p)) + WEAK * np.eye(agents), slope)
        rating = rating + step / max(1.0, np.abs(step).max() / 3.0)
        if np.abs(step).max() < CLOSE:
            break
    return np.asarray(rating)


def laplacian(weight: FloatArray) -> FloatArray:
    """Give the information of games with a weight for each pair."""
    return np.asarray(np.diag(weight.sum(axis=1)) - weight)


def _sigmoid(x: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -500.0, 500.0))))


@dataclass(frozen=True, slots=True, eq=False)
class VoterVotes:
    """Votes of one voter, and what is known without them.

    Attributes
    ----------
    rows
        Of the matches.
    expected
        Score of the first side by the strengths that the others' votes give.
    rating, spread
        Those strengths, and their covariance.
    excess, information, unsure, taste
        S', I, E and Q of each agent.
    opponents
        How many others each agent met with this voter.
    """

    rows: IntArray
    expected: FloatArray
    rating: FloatArray
    spread: FloatArray
    excess: FloatArray
    information: FloatArray
    unsure: FloatArray
    taste: FloatArray
    opponents: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class VoterTastes:
    r"""All voters beside the others, and the variance of ordinary taste.

    Attributes
    ----------
    voter
        Who voted.
    rating
        Strengths from all votes, in log-odds.
    each
        Voters in the order of their codes.
    variance
        :math:`\tau^2`.
    """

    voter: Factor
    rating: FloatArray
    each: tuple[VoterVotes, ...]
    variance: float


def voter_tastes(matches: Matches, voter: Factor) -> VoterTastes:
    """Set each voter apart from all others."""
    agents = len(matches.agents)
    a, b, score = np.asarray(matches.a, dtype=np.int64), np.asarray(matches.b, dtype=np.int64), matches.outcome
    weight = np.asarray(matches.weights, dtype=np.float64)
    rating = strengths(a, b, score, weight, agents)
    p = _sigmoid(rating[a] - rating[b])
    full = np.zeros((agents, agents))
    np.add.at(full, (a, b), weight * p * (1.0 - p))
    whole = laplacian(full + full.T) + WEAK * np.eye(agents)
    each = []
    for code in range(len(voter.labels)):
        rows = np.flatnonzero(voter.codes == code)
        each.append(_beside(rows, a[rows], b[rows], score[rows], p[rows], rating, whole))
    return VoterTastes(voter, rating, tuple(each), _variance(each))


def _beside(
    rows: IntArray, a: IntArray, b: IntArray, score: FloatArray, p: FloatArray, rating: FloatArray, whole: FloatArray
) -> VoterVotes:
    agents, q = len(rating), p * (1.0 - p)
    own = np.zeros((agents, agents))
    np.add.at(own, (a, b), q)
    own = own + own.T
    h = laplacian(own)
    s = np.bincount(a, score - p, agents) - np.bincount(b, score - p, agents)
    spread = np.linalg.inv(whole - h)
    moved = spread @ s
    others = rating - moved
    information: FloatArray = own.sum(axis=1)
    return VoterVotes(
        rows, _sigmoid(others[a] - others[b]), others, np.asarray(spread, dtype=np.float64), s + h @ moved, information,
        np.maximum(np.einsum("ij,jk,ki->i", h, spread, h), 0.0), information**2 + (own**2).sum(axis=1),
        (own > 0).sum(axis=1),
    )  # fmt: skip


def _variance(each: list[VoterVotes]) -> float:
    """Solve for the variance of taste; 0 where voters differ by no more than chance."""
    keys = ("excess", "information", "unsure", "taste")
    s, i, e, q = (np.concatenate([getattr(one, key) for one in each] or [np.empty(0)]) for key in keys)
    kept = i > 1.0
    if kept.sum() < 2:
        return 0.0
    square, plain, taste = s[kept] ** 2, (i + e)[kept], q[kept]
    low, high = 0.0, 25.0
    if np.median(square / plain) <= MEDIAN:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if np.median(square / (plain + middle * taste)) > MEDIAN else (low, middle)
    return (low + high) / 2.0


def poisson_binomial_tail(p: FloatArray, wins: int) -> FloatArray:
    """Give the chance of at least so many wins in games with chances ``p`` (the last axis), for each row."""
    rows = np.atleast_2d(p)
    chance = np.zeros((rows.shape[0], rows.shape[1] + 1))
    chance[:, 0] = 1.0
    for k in range(rows.shape[1]):
        chance[:, 1:] = chance[:, 1:] * (1.0 - rows[:, [k]]) + chance[:, :-1] * rows[:, [k]]
        chance[:, 0] *= 1.0 - rows[:, k]
    return np.asarray(chance[:, wins:].sum(axis=1))


_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(31)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def averaged_tail(p: FloatArray, wins: int, variance: float) -> float:
    """Average the tail over a taste N(0, variance) that shifts all games alike."""
    share, chances = _shifted_chances(p, variance)
    return float(share @ poisson_binomial_tail(chances, wins))


def all_won(p: FloatArray, variance: float) -> float:
    """Average the chance of winning every game over such a taste."""
    share, chances = _shifted_chances(p, variance)
    return float(share @ np.exp(np.log(chances).sum(axis=1)))


def _shifted_chances(p: FloatArray, variance: float) -> tuple[FloatArray, FloatArray]:
    """Give chances by node of a taste (rows) and game, and the weight of each node."""
    if variance <= 0.0:
        return np.ones(1), p[None, :]
    shift = np.sqrt(variance) * _NODES
    return _WEIGHTS, np.clip(_sigmoid(np.log(p) - np.log1p(-p) + shift[:, None]), 1e-300, 1.0)
