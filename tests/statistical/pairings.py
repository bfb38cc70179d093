"""Games whose pairs are chosen by the results so far, many tournaments at once.

Strengths are runs x agents; a log is runs x games. Nothing here is Equipoise's own: the policies of its planner are
written again for many runs at once, and a test holds them to the planner's.
"""

from dataclasses import dataclass, field

import numpy as np
import scipy

PRIOR = 3.0
"""Of the planner's belief."""


@dataclass
class Log:
    """Who met whom and how it ended (the score of ``a``), round by round; each entry is an array over runs."""

    strength: np.ndarray
    rng: np.random.Generator
    nu: float = 0.0
    share: float = 0.0
    a: list = field(default_factory=list)
    b: list = field(default_factory=list)
    outcome: list = field(default_factory=list)
    round: list = field(default_factory=list)

    def play(self, a, b, at: int) -> np.ndarray:
        """Play one game in every run.

        Ties are Davidson's with parameter ``nu``; or a ``share`` of them among equals, such that strengths are the
        log-odds of expected scores: those that half-win ties estimate.
        """
        runs = np.arange(len(self.strength))
        d = self.strength[runs, a] - self.strength[runs, b]
        if self.share:
            p = scipy.special.expit(d)
            tie = 4 * self.share * p * (1 - p)
            win, loss = p - tie / 2, 1 - p - tie / 2
        else:
            win, tie, loss = np.exp(d / 2), self.nu, np.exp(-d / 2)
        u = self.rng.random(len(runs)) * (win + tie + loss)
        score = np.where(u < win, 1.0, np.where(u < win + loss, 0.0, 0.5))
        for column, value in zip((self.a, self.b, self.outcome, self.round), (a, b, score, at), strict=True):
            column.append(value)
        return score

    def wins(self) -> tuple[np.ndarray, np.ndarray]:
        """Count wins of the row over the column, and ties (symmetric); runs x agents x agents."""
        runs, agents = self.strength.shape
        wins, ties = np.zeros((2, runs, agents, agents))
        at = np.arange(runs)
        for a, b, score in zip(self.a, self.b, self.outcome, strict=True):
            add(wins, ties, at, a, b, score)
        return wins, ties


def add(wins, ties, at, a, b, score) -> None:
    wins[at, a, b] += score == 1
    wins[at, b, a] += score == 0
    ties[at, a, b] += score == 0.5
    ties[at, b, a] += score == 0.5


def strengths(rng, runs: int, agents: int, spread: float) -> np.ndarray:
    drawn = rng.normal(size=(runs, agents)) * spread
    return drawn - drawn.mean(axis=1, keepdims=True)


def swiss(strength, rng, *, rounds: int, **ties: float) -> Log:
    """Neighbours of the standings meet in every round; equal points in random order."""
    runs, agents = strength.shape
    log, points, at = Log(strength, rng, **ties), np.zeros((runs, agents)), np.arange(runs)
    for number in range(rounds):
        order = np.argsort(-points + rng.random((runs, agents)) * 1e-3, axis=1)
        for k in range(0, agents - 1, 2):
            score = log.play(order[:, k], order[:, k + 1], number)
            points[at, order[:, k]] += score
            points[at, order[:, k + 1]] += 1 - score
    return log


def king_of_the_hill(strength, rng, *, games: int, **ties: float) -> Log:
    """The winner stays (the king also after a tie); the loser goes to the end of the queue."""
    runs, agents = strength.shape
    log = Log(strength, rng, **ties)
    king, queue = np.zeros(runs, dtype=int), np.tile(np.arange(1, agents), (runs, 1))
    for number in range(games):
        challenger = queue[:, 0].copy()
        lost = log.play(king, challenger, number) == 0
        queue = np.column_stack([queue[:, 1:], np.where(lost, king, challenger)])
        king = np.where(lost, challenger, king)
    return log


def fixed(strength, rng, *, games: int, **ties: float) -> Log:
    """All pairs in turn, in random order: nothing depends on results."""
    runs, agents = strength.shape
    log, pairs = Log(strength, rng, **ties), np.column_stack(np.triu_indices(agents, 1))
    for number in range(games):
        if number % len(pairs) == 0:
            order = rng.permuted(np.tile(np.arange(len(pairs)), (runs, 1)), axis=1)
        a, b = pairs[order[:, number % len(pairs)]].T
        log.play(a, b, number)
    return log


def planned(policy: str, strength, rng, *, games: int, **ties: float) -> Log:
    """A policy of the planner, asked for one game at a time."""
    runs, agents = strength.shape
    log, at = Log(strength, rng, **ties), np.arange(runs)
    wins, tied = np.zeros((2, runs, agents, agents))
    rating = np.zeros((runs, agents))
    upper = np.triu(np.ones((agents, agents), dtype=bool), 1).ravel()
    for number in range(games):
        if policy == "uniform":
            worth = -(wins + wins.transpose(0, 2, 1) + tied)
        else:
            rating, covariance = beliefs(wins, tied, rating)
            worth = worths(policy, rating, covariance)
        flat = worth.reshape(runs, -1)[:, upper]
        if policy == "uncertainty":
            chance = np.cumsum(flat, axis=1)
            pick = (chance < rng.random((runs, 1)) * chance[:, -1:]).sum(axis=1)
        else:
            best = flat >= flat.max(axis=1, keepdims=True) - 1e-9 * np.abs(flat).max(axis=1, keepdims=True)
            pick = np.where(best, rng.random(flat.shape), -1.0).argmax(axis=1)
        a, b = np.divmod(np.flatnonzero(upper)[pick], agents)
        add(wins, tied, at, a, b, log.play(a, b, number))
    return log


def beliefs(wins, ties, start):
    """Ratings under the planner's weak prior, and their covariance."""
    rating, agents = start, wins.shape[1]
    games, score = wins + wins.transpose(0, 2, 1) + ties, wins + ties / 2
    diagonal = np.arange(agents)
    for _ in range(30):
        p = scipy.special.expit(rating[:, :, None] - rating[:, None, :])
        hessian = -games * p * (1 - p)
        hessian[:, diagonal, diagonal] = -hessian.sum(axis=2) + PRIOR**-2
        inverse = np.linalg.inv(hessian)
        step = (inverse @ ((score - games * p).sum(axis=2) - rating / PRIOR**2)[..., None])[..., 0]
        rating = rating + np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-3:
            break
    return rating, inverse


def worths(policy: str, rating, covariance):
    """What one more game of each pair is worth to the planner."""
    variance = np.einsum("rii->ri", covariance)
    variance = variance[:, :, None] + variance[:, None, :] - 2 * covariance
    off = ~np.eye(rating.shape[1], dtype=bool)
    if policy == "uncertainty":
        return np.where(off, variance, 0.0)
    gap = rating[:, :, None] - rating[:, None, :]
    p = scipy.special.expit(gap)
    z = np.where(off, gap / np.sqrt(np.where(off, variance, 1.0)), 0.0)
    still_open = np.where(off, 4 * scipy.special.ndtr(z) * scipy.special.ndtr(-z) / np.where(off, variance, 1.0), 0.0)
    laplacian = -still_open
    diagonal = np.arange(rating.shape[1])
    laplacian[:, diagonal, diagonal] += still_open.sum(axis=2)
    reach = covariance @ laplacian @ covariance
    own = np.einsum("rii->ri", reach)
    return np.where(
        off, p * (1 - p) / (1 + p * (1 - p) * variance) * (own[:, :, None] + own[:, None, :] - 2 * reach), 0
    )
