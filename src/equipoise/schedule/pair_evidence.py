r"""Betting evidence about many pairs at once, kept game by game.

For each pair there are four one-sided claims about the first's mean score m, in this order:

==  =======================  =================  ====================================
    claim                    what it bets on    null hypothesis
==  =======================  =================  ====================================
0   the first is better      x                  m <= 1/2
1   the second is better     1 - x              m >= 1/2
2   not above 1/2 + margin   1 - x              m >= 1/2 + margin
3   not below 1/2 - margin   x                  m <= 1/2 - margin
==  =======================  =================  ====================================

The last two are there only with a margin. The capital of a claim is a mean over fixed stakes
(:mod:`~equipoise.schedule.stopping`), so that all that has to be kept is the log growth of each stake:

.. math:: g_\lambda \leftarrow g_\lambda + \log(1 + \lambda (y - \mu)),
    \qquad \log E = \log \frac1L \sum_\lambda e^{g_\lambda}

with y the score that a claim bets on and :math:`\mu` its null mean. A game that is void counts as y = 0 for every
claim, the worst score there is. Whatever the true score was, no capital is above what it would have been with that
score, so that games may be made void for any reason, their result included, and Ville's bound still holds.

Kernels take and return arrays; the slow version is :func:`~equipoise.schedule.stopping.log_capital`.
"""

import base64
import math
from typing import Any, NamedTuple, Self

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.schedule.stopping import SHARES

UNDECIDED, FIRST, SECOND, EQUAL = 0, 1, 2, 3
"""What :func:`decided` says of a pair."""
REMEMBERED, ROUNDING = 256, 1e-9
"""Scores whose growth is kept; how far a mean may come out above its largest part."""
_LOSING = np.log1p(-SHARES)
"""Log growth of each stake when its score is 0: the null mean cancels."""


def log_growth(score: FloatArray, margin: float | None) -> FloatArray:
    """Log growth of each stake by one game: scores by claims by stakes."""
    x = np.asarray(score, dtype=np.float64)
    centred = (x - 0.5) / 0.5
    if margin is None:
        bets = np.stack([centred, -centred], axis=-1)
    else:
        null = 0.5 - margin
        bets = np.stack([centred, -centred, (1.0 - x - null) / null, (x - null) / null], axis=-1)
    return np.asarray(np.log1p(bets[..., None] * SHARES))


def void_growth(margin: float | None) -> FloatArray:
    """Log growth of each stake by a void game, which counts as the worst score for each claim."""
    return np.tile(_LOSING, (2 if margin is None else 4, 1))


def log_mixture(growth: FloatArray) -> FloatArray:
    """Log capital from the log growth of each stake (the last axis)."""
    top = growth.max(axis=-1)
    total = np.exp(growth - top[..., None]).sum(axis=-1)
    return np.asarray(top + np.log(total) - math.log(growth.shape[-1]))


def decided(log_evidence: FloatArray, threshold: FloatArray | float) -> IntArray:
    """What the claims (last axis) that reached the threshold say: 0 nothing, 1 first, 2 second, 3 equal.

    At 2 c / alpha in each claim, a pair is wrongly decided with probability at most alpha / c, whatever the truth:
    of two equal players two claims are false, of two players outside the margin "worse" and one side of "equal".
    """
    reached = log_evidence >= np.asarray(threshold)[..., None]
    verdict = np.where(reached[..., 0], FIRST, np.where(reached[..., 1], SECOND, UNDECIDED))
    if log_evidence.shape[-1] == 4:
        equal = reached[..., 2] & reached[..., 3] & (verdict == UNDECIDED)
        verdict = np.where(equal, EQUAL, verdict)
    return np.asarray(verdict, dtype=np.int64)


class PairEvidence:
    """Log growth of every stake of every claim of every pair, as arrays.

    Parameters
    ----------
    pairs
        How many pairs there are; more can be added at the end.
    margin
        Scores within 1/2 +- margin count as equal; None leaves the two claims of equality out.

    Attributes
    ----------
    growth
        Pairs by claims by stakes.
    games, void
        How many games of each pair count, void ones included; and how many of them are void.

    Examples
    --------
    >>> evidence = PairEvidence(2, margin=None)
    >>> for _ in range(12):
    ...     evidence.add(np.array([0, 1]), np.array([1.0, 0.5]))
    >>> evidence.log_evidence(np.array([0, 1]))[:, 0].round(2).tolist()
    [5.9, 0.0]
    """

    def __init__(self, pairs: int, margin: float | None) -> None:
        self.margin = margin
        claims = 2 if margin is None else 4
        self.growth: FloatArray = np.zeros((pairs, claims, SHARES.size))
        self.games: IntArray = np.zeros(pairs, dtype=np.int64)
        self.void: IntArray = np.zeros(pairs, dtype=np.int64)
        self._void_growth = void_growth(margin)
        self._known: dict[float, FloatArray] = {}

    def more(self, pairs: int) -> None:
        """Add pairs at the end."""
        self.growth = np.concatenate([self.growth, np.zeros((pairs, *self.growth.shape[1:]))])
        self.games = np.concatenate([self.games, np.zeros(pairs, dtype=np.int64)])
        self.void = np.concatenate([self.void, np.zeros(pairs, dtype=np.int64)])

    def add(self, pair: IntArray | int, score: FloatArray | float) -> None:
        """Count one game of a pair, or one of each of several different pairs."""
        self.growth[pair] += self._growth_by(score) if isinstance(score, float) else log_growth(score, self.margin)
        self.games[pair] += 1

    def _growth_by(self, score: float) -> FloatArray:
        """Log growth by one game; most games have one of few scores, whose growth is remembered."""
        found = self._known.get(score)
        if found is None:
            found = log_growth(np.asarray(score), self.margin)
            if len(self._known) < REMEMBERED:
                self._known[score] = found
        return found

    def add_void(self, pair: IntArray | int) -> None:
        """Count a void game of a pair, or of each of several different pairs."""
        self.growth[pair] += self._void_growth
        self.games[pair] += 1
        self.void[pair] += 1

    def make_void(self, pair: int, score: float) -> None:
        """Turn a game that was counted into a void one."""
        self.growth[pair] += self._void_growth - self._growth_by(score)
        self.void[pair] += 1

    def make_counted(self, pair: int, score: float) -> None:
        """Turn a void game into one that counts."""
        self.growth[pair] += self._growth_by(score) - self._void_growth
        self.void[pair] -= 1

    def reaches(self, pair: int, threshold: float) -> bool:
        """Whether a claim about a pair may have reached a threshold: no mean is above its largest part."""
        return bool(self.growth[pair].max() >= threshold - ROUNDING)

    def log_evidence(self, pair: IntArray | int) -> FloatArray:
        """Log capital of each claim about a pair, or about several."""
        return log_mixture(self.growth[pair])

    def state(self) -> dict[str, Any]:
        """Give everything as strict JSON: only pairs that played, and their growth as the bytes of its numbers."""
        played = np.flatnonzero(self.games)
        return {
            "margin": self.margin, "pairs": int(self.games.size), "played": played.tolist(),
            "games": self.games[played].tolist(), "void": self.void[played].tolist(),
            "growth": packed(self.growth[played]),
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Go on from :meth:`state`, bit for bit."""
        new = cls(state["pairs"], state["margin"])
        played = np.array(state["played"], dtype=np.int64)
        new.games[played], new.void[played] = state["games"], state["void"]
        new.growth[played] = unpacked(state["growth"]).reshape(-1, *new.growth.shape[1:])
        return new


def packed(values: FloatArray) -> str:
    """Write numbers as text that keeps every bit: base 64 of little-endian doubles."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode("ascii")


def unpacked(text: str) -> FloatArray:
    """Read what :func:`packed` wrote."""
    return np.frombuffer(base64.b64decode(text), dtype="<f8").astype(np.float64)


# How many more games a pair needs, and how many a design of fixed length would: arrays, one entry a pair.
#
# A game adds on average :math:`g = \delta^2 / (2 (v + \delta^2))` to the log capital of a good bettor, with
# :math:`\delta` the distance of the mean score from the null mean and v the variance of a score. The games left are
# what is missing to the threshold over g; as long as few games were played, one unit more, for not knowing the best
# stake.

_MOST = 1e9
_GAMES_OF_PRIOR = 4.0
"""Games that the expected score counts for beside those of the pair itself."""


class GamesLeft(NamedTuple):
    """Games until a pair is decided: if its score is as estimated, and if it is a standard error off either way."""

    expected: FloatArray
    low: FloatArray
    high: FloatArray


def games_left(
    log_evidence: FloatArray,
    threshold: FloatArray,
    total: FloatArray,
    games: FloatArray,
    expected_score: FloatArray,
    variance: FloatArray,
    margin: float | None,
) -> GamesLeft:
    """Games until each pair is decided, either way, or equal within the margin.

    Parameters
    ----------
    log_evidence
        Pairs by claims, as :class:`~equipoise.schedule.pair_evidence.PairEvidence` gives it.
    threshold
        What claims must reach.
    total, games
        Sum of the first's scores, and how many.
    expected_score
        Of the first, from everything else that is known (a rating).
    variance
        Of a single score.
    """
    weight = games + _GAMES_OF_PRIOR
    offset = (total + _GAMES_OF_PRIOR * expected_score) / weight - 0.5
    error = np.sqrt(variance / weight)
    missing = np.maximum(threshold - np.where(offset > 0, log_evidence[:, 0], log_evidence[:, 1]), 0.0)
    equal = (
        np.full_like(missing, np.inf) if margin is None else np.maximum(threshold - log_evidence[:, 2:].min(axis=1), 0)
    )

    def left(distance: FloatArray) -> FloatArray:
        apart = _over_growth(missing, distance, games, variance)
        if margin is None:
            return apart
        return np.minimum(apart, _over_growth(equal, np.maximum(margin - distance, 0.0), games, variance))

    middle = np.maximum(np.abs(offset), 0.5 * error)
    three = np.stack([left(middle), left(middle + error), left(np.maximum(middle - error, 0.25 * error))])
    return GamesLeft(three[0], three.min(axis=0), three.max(axis=0))


def _over_growth(missing: FloatArray, distance: FloatArray, games: FloatArray, variance: FloatArray) -> FloatArray:
    growth = distance**2 / (2.0 * (variance + distance**2))
    growth = np.maximum(growth, 1e-12)
    return np.asarray(np.minimum((missing + np.exp(-games * growth)) / growth, _MOST))


def fixed_games(
    offset: FloatArray, variance: FloatArray, alpha: float, comparisons: int, margin: float | None
) -> FloatArray:
    r"""Games after which a test made once, at alpha over the comparisons, decides a pair in nine cases of ten.

    :math:`n = (z + 1.28)^2 v / \delta^2` tells two players apart whose mean score is 1/2 + delta; where delta is less
    than half the margin m, equality within it takes :math:`(z + 1.64)^2 v / m^2`.
    """
    z = float(scipy.special.ndtri(1.0 - alpha / (2.0 * comparisons)))
    apart = (z + 1.282) ** 2 * variance / np.maximum(offset**2, 1e-12)
    if margin is not None:
        apart = np.where(np.abs(offset) < margin / 2.0, (z + 1.645) ** 2 * variance / margin**2, apart)
    return np.asarray(np.minimum(np.ceil(apart), _MOST))
