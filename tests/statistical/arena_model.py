"""A model of the arena for many runs at once: the policy ``ranking``, the goal ``order``, games that are won or lost.

The real contest plays one block at a time and would take hours for long ladders. The model takes the same decisions
from the same counts, but chooses a pair for a share of the games so far instead of for one game, as an arena with many
workers does; a test holds it to the real contest where that is quick. Ratings and worths are those of
:mod:`tests.statistical.pairings`.
"""

import math

import numpy as np

from equipoise.arena.contests.pair_standing import extend_chains
from equipoise.schedule.stopping import SHARES
from tests.statistical.pairings import beliefs, worths

WIN, LOSS = np.log1p(SHARES), np.log1p(-SHARES)
CHECK = 20


def chances(players: int, gap: float) -> np.ndarray:
    """Chances to win on a ladder with gaps in Elo, the best first."""
    rating = -np.arange(players) * gap * math.log(10) / 400
    return 1.0 / (1.0 + np.exp(rating[None, :] - rating[:, None]))


def log_capital(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Log capital against "the mean score is at most 1/2" after wins and losses."""
    growth = wins[..., None] * WIN + losses[..., None] * LOSS
    top = growth.max(axis=-1)
    return top + np.log(np.exp(growth - top[..., None]).mean(axis=-1))


class OrderModel:
    """Arenas that look for an order.

    Attributes
    ----------
    games
        Games of each run until it was answered, or until it was stopped.
    answered, wrong
        Whether each run has an order, and whether any of its decisions is wrong.
    """

    def __init__(self, chance: np.ndarray, runs: int, rng: np.random.Generator, alpha: float = 0.05) -> None:
        n = len(chance)
        self.chance, self.rng = chance, rng
        self.threshold = math.log(n * (n - 1) / alpha)
        self.wins = np.zeros((runs, n, n))
        self.above = np.zeros((runs, n, n), dtype=bool)
        self.decided = np.zeros((runs, n, n), dtype=bool)
        self.rating = np.zeros((runs, n))
        self.games = np.zeros(runs)
        self.answered = np.zeros(runs, dtype=bool)
        self.wrong = np.zeros(runs, dtype=bool)

    def play(self, most: float, share: int = 400) -> "OrderModel":
        """Play until every run is answered or has played so many games; ``share`` games so far give one game more."""
        while (active := np.flatnonzero(~self.answered & (self.games < most))).size:
            i, j = self._choose(active)
            more = np.minimum(1 + self.games[active] // share, most - self.games[active]).astype(int)
            won = self.rng.binomial(more, self.chance[i, j])
            self.wins[active, i, j] += won
            self.wins[active, j, i] += more - won
            self.games[active] += more
            self._decide(active, i, j)
        return self

    def _choose(self, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        wins = self.wins[active]
        rating, covariance = beliefs(wins, np.zeros_like(wins), self.rating[active])
        self.rating[active] = rating
        worth = worths("ranking", rating, covariance)
        above = self.above[active]
        n = rating.shape[1]
        cap = np.where(above, rating[:, :, None], np.inf).min(axis=1)
        order = np.argsort(-np.minimum(rating, cap) + 1e-9 * above.sum(axis=1), axis=1, kind="stable")
        place = np.argsort(order, axis=1)
        needed = ~(above | above.transpose(0, 2, 1)) & np.triu(np.ones((n, n), dtype=bool), 1)
        apart = np.where(needed, np.abs(place[:, :, None] - place[:, None, :]), n)
        focus = needed & (apart == apart.min(axis=(1, 2), keepdims=True))
        ranked = np.where(focus, worth * (1 + 1e-9 * self.rng.random(worth.shape)), -1.0).reshape(len(active), -1)
        return np.divmod(ranked.argmax(axis=1), n)

    def _decide(self, active: np.ndarray, i: np.ndarray, j: np.ndarray) -> None:
        won, lost = self.wins[active, i, j], self.wins[active, j, i]
        for winners, losers, up, down in ((i, j, won, lost), (j, i, lost, won)):
            reached = log_capital(up, down) >= self.threshold
            for k in np.flatnonzero(reached & ~self.decided[active, winners, losers]).tolist():
                self._mark(int(active[k]), int(winners[k]), int(losers[k]))

    def _mark(self, run: int, winner: int, loser: int) -> None:
        self.decided[run, winner, loser] = self.decided[run, loser, winner] = True
        self.wrong[run] |= self.chance[winner, loser] <= 0.5
        self.above[run] = extend_chains(self.above[run], winner, loser)
        either = self.above[run] | self.above[run].T | np.eye(len(self.chance), dtype=bool)
        if either.all():
            self.answered[run] = True
            self.games[run] += self._checks(run)

    def _checks(self, run: int) -> float:
        """Games of pairs two apart that are still missing."""
        order = np.argsort(self.above[run].sum(axis=0))
        played = (self.wins[run] + self.wins[run].T)[order[:-2], order[2:]]
        return float(np.maximum(CHECK - played, 0).sum())


def decisions_against(
    chance: float, threshold: float, runs: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Games until a pair is decided, and whether for the first; in steps of a hundredth of the games so far."""
    wins, games = np.zeros(runs), np.zeros(runs)
    first = np.zeros(runs, dtype=bool)
    going = np.ones(runs, dtype=bool)
    while going.any():
        at = np.flatnonzero(going)
        more = (1 + games[at] // 100).astype(int)
        wins[at] += rng.binomial(more, chance)
        games[at] += more
        up = log_capital(wins[at], games[at] - wins[at]) >= threshold
        down = log_capital(games[at] - wins[at], wins[at]) >= threshold
        first[at[up]] = True
        going[at[up | down]] = False
    return games, first


def place_games(
    players: int, gap: float, runs: int, rng: np.random.Generator, alpha: float = 0.05
) -> tuple[np.ndarray, np.ndarray]:
    """Games of each run until a newcomer is placed among players of a ladder, and whether the place is wrong."""
    threshold = math.log(2 * math.ceil(math.log2(players + 1)) / alpha)
    true = rng.integers(0, players + 1, size=runs)
    low, high = np.zeros(runs, dtype=int), np.full(runs, players)
    games = np.zeros(runs)
    while (low < high).any():
        middle = (low + high) // 2
        # Stronger players stand before the newcomer's place; neighbours are one gap away on either side.
        apart = np.where(middle < true, middle - true, middle - true + 1)
        for steps in np.unique(apart[low < high]):
            at = np.flatnonzero((apart == steps) & (low < high))
            chance = 1 / (1 + 10 ** (-steps * gap / 400))
            spent, better = decisions_against(chance, threshold, at.size, rng)
            games[at] += spent
            high[at] = np.where(better, middle[at], high[at])
            low[at] = np.where(better, low[at], middle[at] + 1)
    return games, low != true
