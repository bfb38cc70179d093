r"""How many games guarantee a given accuracy: the sample complexity results of Rowland et al. (2019).

Each function returns the games needed *for each* profile (or pair). The finite-alpha bound is astronomically large
even for small games, so answers give their logarithm: ``games`` is infinite where it does not fit a double.

In the formulas S is the number of profiles, K of populations, n_k of strategies of population k; payoffs lie in
[-M, M]. A shape of length one is a single population: its profiles are the strategies, and it has n (n - 1) payoffs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import numpy as np
import scipy

from equipoise.core.errors import ParameterError
from equipoise.core.lazy import pl
from equipoise.core.options import checked, number, positive, whole
from equipoise.core.results import FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Option

CHANCE = number(0, 1, strictly=True)
"""A probability of failure."""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """Games for each profile or pair: strictly more than ``exp(log_games)``.

    Attributes
    ----------
    log_games : float
        Natural logarithm of the bound.
    games : float
        Smallest whole number above the bound; infinite where it is beyond a double.
    theorem : str
        Which result it is.
    """

    log_games: float
    games: float
    theorem: str

    @property
    def log10_games(self) -> float:
        """Order of magnitude."""
        return self.log_games / math.log(10.0)


GAPS = (0.02, 0.05, 0.1, 0.2, 0.5)
DELTAS = (0.01, 0.05, 0.1, 0.2)
"""Gaps and probabilities of failure that are usual."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SampleSizes(Result):
    """Games for each profile, for several gaps between payoffs and probabilities of failure.

    Attributes
    ----------
    shape
        Number of strategies of each population.
    gaps, deltas
        Smallest difference between payoffs that a deviation compares, and allowed probabilities of failure.
    games
        Games for each profile, gaps x deltas.
    """

    rows_name: ClassVar[str] = "sizes"
    main: ClassVar[str] = "games"

    shape: tuple[int, ...]
    gaps: tuple[float, ...]
    deltas: tuple[float, ...]
    games: FloatArray

    def frame(self) -> "pl.DataFrame":
        """Give a row for each gap and each probability of failure."""
        gap, delta = (grid.ravel() for grid in np.meshgrid(self.gaps, self.deltas, indexing="ij"))
        return pl.DataFrame({"gap": gap, "delta": delta, "games": self.games.ravel()})

    @property
    def answer(self) -> tuple[str, ...]:
        """The range of the games."""
        least, most = float(self.games.min()), float(self.games.max())
        return (f"{least:,.0f} to {most:,.0f} games of each profile recover the whole response graph.",)


def response_graph_sample_sizes(
    shape: Sequence[int],
    *,
    gaps: Sequence[float] = GAPS,
    deltas: Sequence[float] = DELTAS,
    payoff_bound: float = 1.0,
) -> SampleSizes:
    """Give :func:`response_graph_samples` for each of several gaps and probabilities of failure.

    Examples
    --------
    >>> response_graph_sample_sizes((3,), gaps=[0.1, 0.2], deltas=[0.1]).games.ravel().tolist()
    [3830.0, 958.0]
    """
    games = [
        [response_graph_samples(shape, gap=gap, delta=delta, payoff_bound=payoff_bound).games for delta in deltas]
        for gap in gaps
    ]
    return SampleSizes(
        shape=tuple(shape), gaps=tuple(gaps), deltas=tuple(deltas), games=frozen(games),
        params=frozen_params(payoff_bound=payoff_bound),
    )  # fmt: skip


@checked(gap=positive(), delta=CHANCE, payoff_bound=positive())
def response_graph_samples(
    shape: Sequence[int], *, gap: float, delta: float = 0.05, payoff_bound: float = 1.0
) -> SampleSize:
    r"""Theorem 3.2: :math:`N > 8 \Delta^{-2} M^2 \log(2 S K / \delta)` recovers the whole response graph.

    Every pair of payoffs that a deviation compares differs by at least ``gap``; with probability 1 - delta every edge
    points the right way, so the infinite-alpha ranking is exact.

    Examples
    --------
    >>> response_graph_samples((2, 2), gap=0.35, delta=0.1, payoff_bound=0.5).games
    83.0
    """
    _check_gap(gap, payoff_bound)
    bound = 8.0 * (payoff_bound / gap) ** 2 * math.log(2.0 * _payoffs(shape) / delta)
    return _sample_size(math.log(bound), "3.2")


@checked(alpha=positive(), m=whole(2), epsilon=positive(), delta=CHANCE, payoff_bound=positive())
def alpha_rank_samples(
    shape: Sequence[int],
    *,
    alpha: float,
    m: int = 50,
    epsilon: float = 0.1,
    delta: float = 0.05,
    payoff_bound: float = 1.0,
) -> SampleSize:
    r"""Theorem 3.1: games for each profile so that every mass of finite-alpha alpha-Rank is within ``epsilon``.

    .. math:: N > \frac{648 M^2 \log(2SK/\delta) L^2 \big(\sum_{n=1}^{S-1} \binom{S}{n} n^S\big)^2}{\varepsilon^2 g^2},
        \quad L = 2\alpha e^{2\alpha M},\; g = \eta \frac{e^{2\alpha M} - 1}{e^{2\alpha m M} - 1}

    Fails when
        ``epsilon`` is outside the theorem's range (it always holds for epsilon <= 1).

    Examples
    --------
    >>> round(alpha_rank_samples((2, 2), alpha=0.1, m=2, epsilon=0.1).log10_games, 1)
    10.9
    """
    states = _states(shape)
    log_sum = _log_forest_sum(states)
    if math.log(epsilon) >= math.log(18.0) - states * math.log(2.0) + log_sum:
        raise ParameterError(
            Option("epsilon"),
            f" {epsilon} is too large for theorem 3.1 on {states} profiles; any error is allowed then",
        )
    log_ratio = _log_lipschitz_ratio(shape, alpha, m, payoff_bound)
    log_games = (
        math.log(648.0)
        + 2.0 * math.log(payoff_bound)
        + math.log(math.log(2.0 * _payoffs(shape) / delta))
        + 2.0 * (log_ratio + log_sum - math.log(epsilon))
    )
    return _sample_size(log_games, "3.1")


@checked(payoff_error=positive(), alpha=positive(), m=whole(2), payoff_bound=positive())
def alpha_rank_error_bound(
    shape: Sequence[int],
    *,
    payoff_error: float,
    alpha: float,
    m: int = 50,
    payoff_bound: float = 1.0,
    log: bool = False,
) -> float:
    r"""Theorem D.1: the largest error of any mass when every payoff is within ``payoff_error``.

    :math:`18 \varepsilon (L / g) \sum_n \binom{S}{n} n^S`, valid while :math:`\varepsilon < g / (2^S L)`.
    A bound above 1 says nothing, since masses are probabilities, and is given as 1. With ``log`` it is the natural
    logarithm of the bound, which may be far above 0.

    Fails when
        ``payoff_error`` is beyond the range in which the theorem holds.

    Examples
    --------
    >>> round(alpha_rank_error_bound((2, 2), payoff_error=1e-6, alpha=0.1, m=2), 4)
    0.0083
    """
    states = _states(shape)
    log_ratio = _log_lipschitz_ratio(shape, alpha, m, payoff_bound)
    limit = -log_ratio - states * math.log(2.0)
    if math.log(payoff_error) >= limit:
        raise ParameterError(
            Option("payoff_error"),
            f" is below 10^{limit / math.log(10.0):.1f} for theorem D.1 on this game, not {payoff_error}",
        )
    bound = math.log(18.0) + math.log(payoff_error) + log_ratio + _log_forest_sum(states)
    return bound if log else math.exp(min(bound, 0.0))


@checked(gap=positive())
def tolerated_payoff_error(gap: float) -> float:
    r"""Theorem D.5: payoffs within :math:`\Delta / 2` (strictly) leave every edge of the response graph as it is."""
    return gap / 2.0


@checked(gap=positive(), delta=CHANCE, payoff_bound=positive())
def ucb_samples(shape: Sequence[int], *, gap: float, delta: float = 0.05, payoff_bound: float = 1.0) -> SampleSize:
    r"""Theorem 4.2: games for each profile after which ResponseGraphUCB with Hoeffding bounds has stopped.

    The least u that meets the condition in the theorem's proof,
    :math:`\Delta > 4 \sqrt{4 M^2 \log(8 u^3 \pi^2 S \sum_k (n_k - 1) / (3 \delta)) / u}`, with probability 1 - 2 delta.

    Examples
    --------
    >>> ucb_samples((2, 2), gap=0.35, delta=0.1, payoff_bound=0.5).games
    4276.0
    """
    _check_gap(gap, payoff_bound)
    edges = _states(shape) * sum(n - 1 for n in shape)
    constant = math.log(8.0 * math.pi**2 * edges / (3.0 * delta))
    factor = 64.0 * (payoff_bound / gap) ** 2

    def excess(log_u: float) -> float:
        return log_u - math.log(factor) - math.log(constant + 3.0 * log_u)

    low = high = math.log(factor)  # too few: the logarithm exceeds 1
    while excess(high) <= 0.0:
        high += 2.0
    return _sample_size(float(scipy.optimize.brentq(excess, low, high, xtol=1e-13)), "4.2")


@checked(agents=whole(2), epsilon=positive(), delta=CHANCE)
def elo_samples(agents: int, *, epsilon: float, delta: float = 0.05) -> SampleSize:
    r"""Theorem C.1: games for each pair so that a batch Elo fit predicts every agent's score within ``epsilon``.

    :math:`N > \tfrac12 n^2 \varepsilon^{-2} \log(n^2 / \delta)`.

    With probability 1 - delta every agent's expected score, summed over all opponents, is within ``epsilon``.

    Examples
    --------
    >>> elo_samples(10, epsilon=0.5, delta=0.05).games
    1521.0
    """
    return _sample_size(math.log(0.5 * agents**2 / epsilon**2 * math.log(agents**2 / delta)), "C.1")


def _sample_size(log_games: float, theorem: str) -> SampleSize:
    games = math.floor(math.exp(log_games)) + 1.0 if log_games < 36.0 else _exp(log_games)
    return SampleSize(log_games, games, theorem)


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf


def _log_lipschitz_ratio(shape: Sequence[int], alpha: float, m: int, bound: float) -> float:
    """log(L / g): how strongly the chain reacts to payoffs, against its smallest transition."""
    x = 2.0 * alpha * bound
    log_g = -math.log(sum(n - 1 for n in shape)) + _log_expm1(x) - _log_expm1(m * x)
    return math.log(2.0 * alpha) + x - log_g


def _log_expm1(x: float) -> float:
    return x + math.log(-math.expm1(-x))


def _log_forest_sum(states: int) -> float:
    n = np.arange(1, states, dtype=float)
    log_binomial = (
        scipy.special.gammaln(states + 1.0) - scipy.special.gammaln(n + 1.0) - scipy.special.gammaln(states - n + 1.0)
    )
    return float(scipy.special.logsumexp(log_binomial + states * np.log(n)))


def _states(shape: Sequence[int]) -> int:
    if not isinstance(shape, Sequence) or not all(isinstance(n, Integral) and n >= 1 for n in shape):
        raise ParameterError(Option("shape"), f" is a whole number of strategies for each population, not {shape!r}")
    if math.prod(shape) < 2:
        raise ParameterError(
            Option("shape"), f" {tuple(shape)} has no deviation to compare: some population needs two strategies"
        )
    return math.prod(shape)


def _payoffs(shape: Sequence[int]) -> int:
    states = _states(shape)
    return states * (states - 1) if len(shape) == 1 else states * len(shape)


def _check_gap(gap: float, payoff_bound: float) -> None:
    if gap > 2.0 * payoff_bound:
        raise ParameterError(
            Option("gap"), f" is too large: payoffs in [-M, M] with M = {payoff_bound} cannot differ by {gap}"
        )
