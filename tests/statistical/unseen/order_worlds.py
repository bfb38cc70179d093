"""Players that almost have an order: every neighbour beats the next, and somebody far below beats somebody far above.

Other worlds than those on which the lead of three blocks was chosen: unequal gaps, draws, graded scores, an upset
among the middle of seven, workers whose blocks close in another order. Beside them ladders without an upset, and
pairs whose expected score changes from session to session.
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Almost:
    """A table of expected scores, and how a block's score is drawn about them.

    Attributes
    ----------
    names, mean
        The players, best first, and the expected score of the row against the column.
    noise
        ``games`` are won or lost, ``draws`` are also drawn, ``graded`` are anything from 0 to 1.
    """

    names: tuple[str, ...]
    mean: np.ndarray
    noise: str
    rng: np.random.Generator
    workers: int = 3

    def block(self, players: tuple[str, ...]) -> tuple[float, dict[str, float]]:
        """Play a block: how long it takes, longer where the first of the two wins, and its scores."""
        a, b = players
        score = self.score(self.mean[self.names.index(a), self.names.index(b)])
        return self.rng.exponential() * (1.0 + 2.0 * score), {a: score, b: 1.0 - score}

    def score(self, mean: float) -> float:
        """Draw a score with this mean."""
        if self.noise == "graded":
            return float(self.rng.beta(2.0 * mean, 2.0 * (1.0 - mean)))
        drawn = 1.2 * mean * (1.0 - mean) if self.noise == "draws" else 0.0
        u = self.rng.random()
        return 1.0 if u < mean - drawn / 2 else 0.5 if u < mean + drawn / 2 else 0.0


def almost(seed: int, *, players: int, noise: str, upset: tuple[int, int] | None = None, share: float = 0.73) -> Almost:
    """Draw a ladder with unequal gaps; ``upset`` names who, from far below, scores ``share`` against whom."""
    rng = np.random.default_rng([30, seed])
    strength = -np.concatenate([[0.0], np.cumsum(rng.uniform(0.7, 1.5, size=players - 1))])
    mean = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    if upset is not None:
        low, high = upset
        mean[low, high], mean[high, low] = share, 1.0 - share
    return Almost(tuple("abcdefghijkl"[:players]), mean, noise, rng)


UPSETS = {
    "the last of six beats the first": {"players": 6, "noise": "games", "upset": (5, 0)},
    "the sixth of seven beats the second, with draws": {"players": 7, "noise": "draws", "upset": (5, 1)},
    "the last of five beats the first, graded scores": {"players": 5, "noise": "graded", "upset": (4, 0)},
    "the fourth of five beats the first": {"players": 5, "noise": "games", "upset": (3, 0)},
}
"""Worlds without an order."""
HONEST = {
    "four, games": {"players": 4, "noise": "games"},
    "eight, draws": {"players": 8, "noise": "draws"},
    "seven, graded": {"players": 7, "noise": "graded"},
}
"""Worlds with one."""


def session_shifts(rng: np.random.Generator, sessions: int, blocks: int, sizes: str = "two") -> np.ndarray:
    """Scores of two equal players, sessions by blocks: in every session one of the two has the better conditions.

    ``sizes`` says how much: the same in every session (``two``), or drawn from a triangle (``triangle``).
    """
    shift = rng.choice([-0.3, 0.3], size=sessions) if sizes == "two" else rng.triangular(-0.45, 0.0, 0.45, sessions)
    return (rng.random((sessions, blocks)) < 0.5 + shift[:, None]).astype(float)
