r"""Stopping rules that stay valid however often one looks.

A bettor who starts with one unit and stakes on "the mean score is above mu" has, after n games with scores x_i,

.. math:: E_n = \sum_\lambda w_\lambda \prod_i (1 + \lambda (x_i - \mu)).

If the mean is mu or less, this capital is a non-negative supermartingale: it *ever* reaches 1/a with probability at
most a (Ville), so one may look after every game. The stakes are a fixed mixture, so the capital depends on the games
only through how many had each score, not on their order. Scores may be any numbers in [0, 1]: a win, a draw and a loss,
the mean of two games with sides swapped, or a share of points. :mod:`~equipoise.schedule.pair_evidence` keeps the same
capital for many pairs, game by game.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.core.errors import ParameterError
from equipoise.core.options import check, number, positive, whole

Verdict = Literal["first", "second", "equal", "undecided"]
MARGIN = number(0.0, 0.5, strictly=True, none=True)
_PROBABILITY = number(0.0, 1.0, strictly=True)
_SCORES = np.array([1.0, 0.5, 0.0])
"""What a win, a draw and a loss score; the other player's scores are the same from right to left."""
# Shares of the largest allowed stake: an even spread for clear favourites, then down to edges of a percent or less.
SHARES = np.concatenate([np.arange(1, 19) / 20.0, 2.0 ** -np.arange(5.0, 8.0)])


def log_capital(scores: NDArray[np.float64], games: NDArray[np.float64], mean: float) -> float:
    """Log of the capital won against "the mean score is at most ``mean``" by betting upwards.

    Parameters
    ----------
    scores, games : arrays
        Distinct scores in [0, 1] and how many games had each.
    mean : float
        The null mean, strictly between 0 and 1.
    """
    stakes = SHARES / mean
    growth = np.log1p(stakes[:, None] * (scores[None, :] - mean)) @ games
    return float(np.logaddexp.reduce(growth) - math.log(stakes.size))


def evalue(wins: float, draws: float, losses: float, *, null: float = 0.5) -> float:
    """Evidence that the first player's mean score exceeds ``null``: it may be read after any game.

    Reject at level a once it reaches 1/a. A score is 1, 1/2 or 0.

    Examples
    --------
    >>> round(evalue(0, 0, 0), 12)
    1.0
    >>> evalue(30, 20, 10) > 20
    True
    """
    check(_PROBABILITY, "null", null)
    return math.exp(min(log_capital(_SCORES, _counts(wins, draws, losses), null), 700.0))


def score_evalue(scores: Sequence[float], games: Sequence[float] | None = None, *, null: float = 0.5) -> float:
    """Evidence that the mean of scores in [0, 1] exceeds ``null``: :func:`evalue` for any scores.

    Parameters
    ----------
    scores
        Of the first player.
    games
        How many games had each of them; one each if nothing is said.
    null
        The mean that it must exceed.

    Examples
    --------
    >>> score_evalue([1.0, 0.5, 0.0], [30, 20, 10]) == evalue(30, 20, 10)
    True
    >>> score_evalue([0.75] * 60) > 1000
    True
    """
    check(_PROBABILITY, "null", null)
    return math.exp(min(log_capital(*scores_and_games(scores, games), null), 700.0))


@dataclass(frozen=True, slots=True)
class StoppingRule:
    r"""When a pair is decided: one is better, or they are equal within a margin.

    The first is declared better when the bet against "its mean score is at most 1/2" reaches 2 c / alpha, with c the
    number of comparisons; the second likewise. With a margin D, "equal" is declared when the bets against "at
    least 1/2 + D" and "at most 1/2 - D" have both reached it. Whatever the truth, a pair is wrongly decided with
    probability at most alpha / c, and any of the c pairs with probability at most alpha.

    Parameters
    ----------
    alpha : float
        Probability of any wrong decision, over all looks and all comparisons.
    comparisons : int
        Number of pairs that share alpha.
    margin : float or None
        Scores within 1/2 +- margin count as equal; None never declares equality.
    """

    alpha: float = 0.05
    comparisons: int = 1
    margin: float | None = None

    def __post_init__(self) -> None:
        check(_PROBABILITY, "alpha", self.alpha)
        check(whole(1), "comparisons", self.comparisons)
        check(MARGIN, "margin", self.margin)

    @property
    def threshold(self) -> float:
        """Log capital at which a one-sided claim is made."""
        return math.log(2.0 * self.comparisons / self.alpha)

    def verdict(self, wins: float, draws: float, losses: float) -> Verdict:
        """What the games so far allow one to say about a pair (wins are of the first)."""
        return self._verdict(_SCORES, _SCORES[::-1], _counts(wins, draws, losses))

    def score_verdict(self, scores: Sequence[float], games: Sequence[float] | None = None) -> Verdict:
        """Give the decision on scores in [0, 1] of the first, and how many games had each (one, if nothing is said).

        Examples
        --------
        >>> StoppingRule(0.05).score_verdict([0.75, 0.5], [40, 10])
        'first'
        """
        x, often = scores_and_games(scores, games)
        return self._verdict(x, 1.0 - x, often)

    def _verdict(self, scores: NDArray[np.float64], others: NDArray[np.float64], games: NDArray[np.float64]) -> Verdict:
        """Decide from scores of the first, those of the second in the same games, and how many games had them."""
        if log_capital(scores, games, 0.5) >= self.threshold:
            return "first"
        if log_capital(others, games, 0.5) >= self.threshold:
            return "second"
        if self.margin is not None:
            null = 0.5 - self.margin
            if min(log_capital(scores, games, null), log_capital(others, games, null)) >= self.threshold:
                return "equal"
        return "undecided"


def mixture_interval(mean: float, games: float, *, alpha: float = 0.05, tuned_to: float = 100.0) -> tuple[float, float]:
    r"""Normal-mixture confidence sequence for a mean score in [0, 1]: all looks at once, at level 1 - alpha.

    :math:`\bar x \pm \sqrt{(n + \rho) \log((n + \rho) / (\rho \alpha^2)) / (4 n^2)}`, narrowest near ``tuned_to`` games
    (Robbins 1970). Wider than betting, but an interval.

    Examples
    --------
    >>> low, high = mixture_interval(0.6, 400)
    >>> round(low, 3), round(high, 3)
    (0.522, 0.678)
    """
    check(number(0.0, 1.0), "mean", mean)
    check(number(0.0), "games", games)
    check(_PROBABILITY, "alpha", alpha)
    check(positive(), "tuned_to", tuned_to)
    if games == 0:
        return 0.0, 1.0
    rho = tuned_to / (-2.0 * math.log(alpha) + math.log(-2.0 * math.log(alpha) + 1.0))
    half = math.sqrt((games + rho) * math.log((games + rho) / (rho * alpha**2)) / 4.0) / games
    return max(0.0, mean - half), min(1.0, mean + half)


def _counts(wins: float, draws: float, losses: float) -> NDArray[np.float64]:
    """Give games by score; refuse what is no count."""
    given = (wins, draws, losses)
    if not all(isinstance(count, Real) and 0.0 <= count < math.inf for count in given):
        raise ParameterError(f"wins, draws and losses are counts, not {', '.join(map(repr, given))}")
    return np.array(given, dtype=float)


def scores_and_games(
    scores: Sequence[float], games: Sequence[float] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give scores and how many games had each as arrays; refuse what is none."""
    x = _numbers(scores, "scores")
    if not ((x >= 0.0) & (x <= 1.0)).all():
        raise ParameterError(f"scores lie between 0 and 1, not {x[~((x >= 0.0) & (x <= 1.0))][0]:g}")
    often = np.ones(x.size) if games is None else _numbers(games, "games")
    if often.shape != x.shape or not ((often >= 0.0) & np.isfinite(often)).all():
        raise ParameterError(f"games are one count for each of {x.size} scores")
    return x, often


def _numbers(values: Sequence[float], what: str) -> NDArray[np.float64]:
    try:
        return np.array(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{what} are a list of numbers, not {values!r}") from error
