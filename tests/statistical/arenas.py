"""Whole arenas with workers, delays, ties, retries and void blocks, played to the end by the real contests.

Time passes: a block ends after a delay that may depend on who plays and on how it goes, so that blocks close in another
order than they opened in. A worker that fails plays its block again; the players' luck is then drawn anew.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.special import ndtri

from equipoise.arena.contests.contest import Contest

ELO = np.log(10) / 400
TIES = 0.25
"""Share of ties between equals."""


def ladder(players: int, gap: float) -> np.ndarray:
    """Strengths in log-odds, the first the best, a gap in Elo apart."""
    return -np.arange(players) * gap * ELO


def drawn_score(difference: float, rng: np.random.Generator) -> float:
    """Score of the first: strengths are the log-odds of expected scores, and near equals tie more often."""
    p = 1.0 / (1.0 + np.exp(-difference))
    tie = 4 * TIES * p * (1 - p)
    u = rng.random()
    return 1.0 if u < p - tie / 2 else 0.5 if u < p + tie / 2 else 0.0


@dataclass
class World:
    """Who is how strong, how long blocks take, what becomes void, and how often a worker fails."""

    strength: dict[str, float]
    rng: np.random.Generator
    delay: Callable[[str, str, float], float]
    void: Callable[[str, str, float], float] | None = None
    workers: int = 5
    retry: float = 0.1

    def block(self, players: tuple[str, ...]) -> tuple[float, dict[str, float] | None]:
        """Play a block: how long it takes, and its scores; None if it is void."""
        a, b = players
        spent = 0.0
        while self.rng.random() < self.retry:
            spent += self.rng.exponential()
        score = drawn_score(self.strength[a] - self.strength[b], self.rng)
        spent += self.rng.exponential() * self.delay(a, b, score)
        gone = self.void is not None and self.rng.random() < self.void(a, b, score)
        return spent, None if gone else {a: score, b: 1.0 - score}


@dataclass
class Peeking:
    """A rule without a guarantee: a plain interval for each pair, looked at after each game that arrives."""

    comparisons: int
    alpha: float = 0.05
    sums: dict[tuple[str, ...], np.ndarray] = field(default_factory=dict)
    decided: dict[tuple[str, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.z = float(ndtri(1 - self.alpha / (2 * self.comparisons)))

    def tell(self, scores: dict[str, float]) -> None:
        """Take a game, and decide its pair if the interval leaves 1/2."""
        pair = tuple(sorted(scores))
        x = scores[pair[0]]
        sums = self.sums.setdefault(pair, np.zeros(3))
        sums += (1.0, x, x * x)
        n, total, square = sums.tolist()
        if n >= 10 and pair not in self.decided:
            mean = total / n
            if abs(mean - 0.5) > self.z * max(square / n - mean**2, 1e-4) ** 0.5 / n**0.5:
                self.decided[pair] = pair[0] if mean > 0.5 else pair[1]

    def wrong(self, strength: dict[str, float]) -> bool:
        """Whether a decision is wrong."""
        return any(strength[winner] <= min(strength[p] for p in pair) for pair, winner in self.decided.items())


def run(contest: Contest, world: World, *, most: int, peeking: Peeking | None = None, start: int = 0) -> int:
    """Play until there is nothing to ask or so many blocks were opened, and let what is open drain; how many were."""
    clock, number, playing = 0.0, start, []
    while True:
        while len(playing) < world.workers and number < start + most and (proposal := contest.propose(number)):
            contest.opened(number, proposal.players, proposal.task)
            spent, scores = world.block(proposal.players)
            heapq.heappush(playing, (clock + spent, number, scores))
            number += 1
        if not playing:
            return number
        clock, block, scores = heapq.heappop(playing)
        contest.closed(block, scores)
        if peeking is not None and scores is not None:
            peeking.tell(scores)


def wrong_decisions(contest: Contest, strength: dict[str, float], margin: float | None) -> bool:
    """Whether any decision about a pair is false."""
    for d in contest.decisions:
        if d.kind == "better" and strength[d.first] <= strength[d.second]:
            return True
        if d.kind == "equal":
            off = abs(1 / (1 + np.exp(strength[d.second] - strength[d.first])) - 0.5)
            if off > margin:
                return True
    return False


def wrong_answer(contest: Contest, strength: dict[str, float]) -> bool:
    """Whether a goal that is answered is answered wrongly: an order out of order, or a cycle that is none."""
    progress = contest.progress()
    if progress.ending == "cyclic":
        return True
    if progress.ending != "decided":
        return False
    groups = progress.answer
    if len(groups) == 1:  # the best of them, in no order
        inside = min(strength[name] for name in groups[0])
        return inside <= max(s for name, s in strength.items() if name not in groups[0])
    order = [strength[name] for group in groups for name in group]
    return any(a <= b for a, b in pairwise(order))
