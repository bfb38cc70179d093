r"""How many more games would separate two agents?

A fit knows the difference d of two ratings with variance v. Each further game between the two adds the information w,
so after m games the variance is :math:`V = 1 / (1/v + m w)`. If the difference is what it seems to be, the new
estimate is normal about d with variance :math:`V^2 m w`, and it exceeds a critical value c with probability

.. math:: \Phi\left(\frac{|d| - c \sqrt V}{V \sqrt{m w}}\right).

The games asked for are the least that bring it to the power.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.units import ELO_POINT
from equipoise.data.types.pairs import PairTable
from equipoise.inference.ranks import two_sided_quantile
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.paired.ties import PairCounts, TieModel, log_likelihood, outcome_scores

POWER = 0.8
MOST = 100_000
"""Games above which a number says no more than "very many"."""


@dataclass(frozen=True, slots=True)
class MoreGames:
    """Further games between two agents that would separate them, by themselves or adjusted for all comparisons.

    ``games`` is infinite where more than 100,000 would be needed; ``difference`` is in log-odds.
    """

    first: str
    second: str
    games: float
    difference: float
    level: float
    together: bool = True
    power: float = POWER

    @property
    def words(self) -> str:
        """The number with its meaning."""
        points = self.difference / ELO_POINT
        seem = f"if they differ by as much as they seem to ({points:.{0 if points >= 10 else 1}f} Elo points)"
        together = ", adjusted for all comparisons" if self.together else ""
        sure = f"(at {100 * self.level:g}%{together}, with a power of {self.power:.0%})"
        if math.isinf(self.games):
            very = f"More than {MOST:,} more games between {self.first} and {self.second}"
            return f"{very} would be needed to separate these two {sure}, {seem}."
        count = f"{rounded(self.games):,} more game{'' if self.games == 1 else 's'}"
        return f"About {count} between {self.first} and {self.second} would separate these two {sure}, {seem}."


def more_games(fit: BradleyTerry, table: PairTable) -> MoreGames | None:
    """Say how many games between the two that lead would separate them; None where that is known or cannot be said.

    It cannot where nobody counted games, errors are clustered (one more game is no more group), or agents never met.
    """
    open_top = fit.rank_low == 1
    known = fit.interval is not None and fit.covariance is not None and bool(np.all(np.isinf(fit.degrees)))
    if not known or fit.component.any() or open_top.sum() < 2 or table.group is not None:
        return None
    assert fit.interval is not None  # looked at just now
    assert fit.covariance is not None
    order = [int(i) for i in np.argsort(-fit.rating, kind="stable")]
    first = order[0]
    second = next(i for i in order[1:] if open_top[i])
    d = float(fit.rating[first] - fit.rating[second])
    v = float(fit.covariance[first, first] + fit.covariance[second, second] - 2 * fit.covariance[first, second])
    ties = fit.params["ties"]
    model: TieModel = "davidson" if ties == "davidson" else "rao-kupper" if ties == "rao-kupper" else "half"
    tied = float(table.ties.sum() / table.games.sum())
    w = information_of_a_game(d, model, tied, 0.0 if fit.tie is None else float(fit.tie))
    pairs = len(fit.agents) * (len(fit.agents) - 1) / 2
    critical = two_sided_quantile(fit.interval.level ** (1 / pairs))
    games = games_to_tell_apart(d, v, w, critical, POWER)
    return MoreGames(fit.agents[first], fit.agents[second], games if games <= MOST else math.inf, d, fit.interval.level)


def games_to_tell_apart(d: float, v: float, w: float, critical: float, power: float) -> float:
    """Give the least number of games; infinite where there is no difference.

    >>> games_to_tell_apart(0.5, 0.1, 0.25, 1.96, 0.8)
    71.0
    """

    def short(log_games: float) -> float:
        m = math.exp(log_games)
        variance = 1 / (1 / v + m * w)
        z = (abs(d) - critical * math.sqrt(variance)) / (variance * math.sqrt(m * w))
        return power - float(scipy.special.ndtr(z))

    low, high = 0.0, 40.0
    if short(low) <= 0:
        return 1.0
    if short(high) > 0:
        return math.inf
    while high - low > 1e-10:  # by halves: SciPy's root finders take longer to load than all of this
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) > 0 else (low, middle)
    return float(math.ceil(math.exp(low) - 1e-6))


def information_of_a_game(d: float, model: TieModel, tied: float, tie: float) -> float:
    """Give what one game between agents with this difference tells about it.

    With half-win ties that is the sandwich's: a share ``tied`` of ties makes scores less noisy than wins and losses.
    """
    at = np.array([d])
    if model == "half":
        chance = float(scipy.special.expit(d))
        coin_variance = chance * (1 - chance)
        return coin_variance**2 / max(coin_variance - tied / 4, coin_variance / 100)
    one, none = np.ones(1), np.zeros(1)
    singles = (PairCounts(one, none, none), PairCounts(none, one, none), PairCounts(none, none, one))
    chances = [math.exp(log_likelihood(at, tie, single, model)) for single in singles]
    return sum(p * float(by_d[0]) ** 2 for p, (by_d, _) in zip(chances, outcome_scores(at, tie, model), strict=True))


def rounded(games: float) -> int:
    """Round to two digits: more would say more than is known.

    >>> rounded(337.0), rounded(8.0), rounded(12345.0)
    (340, 8, 12000)
    """
    digits = max(0, math.floor(math.log10(games)) - 1)
    return int(round(games / 10**digits) * 10**digits)
