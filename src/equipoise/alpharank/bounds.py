"""How sure is the ranking? Bounds on every mass when payoffs are known only up to intervals."""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from equipoise.alpharank.deviations import TIE_ULPS, Deviations, gap_bounds
from equipoise.alpharank.games import game_of
from equipoise.alpharank.shortest_path import RateBounds, can_leave_for_good, greatest_mass, least_mass, rate_bounds
from equipoise.core.declaration import method
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import LEVEL, check_options, choice, number, switch, whole
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable
from equipoise.inference.cluster_scores import ClusterScores
from equipoise.inference.confidence import clopper_pearson_interval, hoeffding_interval

Confidence = Literal["auto", "hoeffding", "clopper-pearson"]
InMcc = Literal["certainly", "possibly", "never"]
_BOUND_OPTIONS = {
    "level": LEVEL,
    "confidence": choice("auto", "hoeffding", "clopper-pearson"),
    "simultaneous": switch(),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class AlphaRankBounds(Result):
    """Least and greatest infinite-alpha mass of every profile over all payoffs within the bounds.

    Attributes
    ----------
    pi_low, pi_high
        Shaped like the game: a vector for one population, a tensor for several; NaN for profiles not asked for.
    in_mcc
        ``certainly``, ``possibly`` or ``never`` in a Markov-Conley chain, for each profile in order.
    uncertain_edges
        How many edges of the response graph have no certain direction, of how many.
    measure
        What the bounds are on: the mass itself, or the mass within the profile's own chain.
    """

    rows_name: ClassVar[str] = "profiles"
    main: ClassVar[str] = "pi_high"

    agents: tuple[str, ...]
    pi_low: FloatArray
    pi_high: FloatArray
    in_mcc: tuple[InMcc, ...]
    uncertain_edges: tuple[int, int]
    measure: str

    def frame(self) -> "pl.DataFrame":
        """Give the bounds, largest upper bound first."""
        table = pl.DataFrame(
            {
                "profile": list(self.agents),
                "pi_low": self.pi_low.ravel(),
                "pi_high": self.pi_high.ravel(),
                "in_mcc": list(self.in_mcc),
            }
        )
        return table.sort(["pi_high", "pi_low"], descending=True, nulls_last=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give what is bounded and how many edges are open."""
        return {"measure": self.measure, "uncertain_edges": self.uncertain_edges[0], "edges": self.uncertain_edges[1]}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who certainly survives, and how much of the response graph is open."""
        certainly = [name for name, word in zip(self.agents, self.in_mcc, strict=True) if word == "certainly"]
        certain = (f"Certainly in a sink component: {some_of(certainly, 6)}.",) if certainly else ()
        unsure, edges = self.uncertain_edges
        return (*certain, f"{unsure} of {edges} edges {'has' if unsure == 1 else 'have'} no certain direction.")


@method(
    takes="array",
    answers="How large and how small can each mass be when payoffs are only known up to intervals?",
    reference="Rowland et al. (2019), section 5",
    checks={"m": whole(2), "perturbation": number(0.0, 0.5, strictly=True, none=True)},
    resampled="bounds come from intervals of payoffs, which hold no games to draw anew",
)
def alpha_rank_bounds(
    low: npt.ArrayLike | Sequence[npt.ArrayLike],
    high: npt.ArrayLike | Sequence[npt.ArrayLike],
    *,
    m: int = 50,
    perturbation: float | None = None,
    profiles: Sequence[int] | None = None,
    strategies: Sequence[object] | None = None,
) -> AlphaRankBounds:
    r"""How large and how small can each mass be when each payoff lies between ``low`` and ``high``?

    The mass of a profile is one over its mean return time; over all response graphs that the bounds allow this time is
    minimised and maximised as a stochastic shortest path problem, exactly. Combinations of edges that no single payoff
    table explains are allowed too, so the bounds hold and may be wider than the truth.

    Parameters
    ----------
    low, high
        One square matrix each (one population), or K tensors each (K populations); the ``low`` and ``high`` of a
        :class:`MetaGame` fit.
    m
        Population size; it sets the rate of certain ties.
    perturbation
        None bounds the exact infinite-alpha mass *within the profile's own Markov-Conley chain* (for one population
        there is only one chain, so this is the mass itself). A value e in (0, 1/2) bounds the mass of the chain with
        mistakes of probability e, which gives each of several chains its weight; repeat it for falling e to see the
        limit.
    profiles
        Indices of the profiles to bound; all of them if not given.
    strategies
        Names for one population, or K sequences of names.

    Fails when
        bounds cross, hold NaN, differ in shape, or a population has a single strategy.

    References
    ----------
    Rowland et al. (2019), Multiagent Evaluation under Incomplete Information, section 5 and appendix G.

    Examples
    --------
    >>> import equipoise as eq
    >>> low, high = (
    ...     [[0.5, 0.4, 0.1], [0.3, 0.5, 0.6], [0.7, 0.2, 0.5]],
    ...     [[0.5, 0.7, 0.3], [0.6, 0.5, 0.8], [0.9, 0.4, 0.5]],
    ... )
    >>> bounds = eq.alpha_rank_bounds(low, high)
    >>> bounds.pi_low.round(3).tolist(), bounds.pi_high.round(3).tolist()
    ([0.0, 0.333, 0.0], [0.333, 1.0, 0.333])
    """
    bounded = _from_arrays(low, high, strategies)
    assert bounded.low is not None
    assert bounded.high is not None
    names = game_of(bounded).profiles
    wanted = _wanted(profiles, len(names))
    rates, edges = _rates(bounded.low, bounded.high, m, perturbation)
    least, greatest = np.full(len(names), np.nan), np.full(len(names), np.nan)
    for s in wanted:
        least[s], greatest[s] = least_mass(rates, s)[0], greatest_mass(rates, s)[0]
    within = "the mass" if bounded.single or perturbation is not None else "the mass within the profile's own chain"
    return AlphaRankBounds(
        agents=names,
        pi_low=frozen(least.reshape(bounded.shape)),
        pi_high=frozen(greatest.reshape(bounded.shape)),
        in_mcc=_membership(bounded, m, range(len(names))),
        uncertain_edges=edges,
        measure=within if perturbation is None else f"{within} with mistakes of probability {perturbation:g}",
        params=frozen_params(m=m, perturbation=perturbation),
        diagnostics=bounded.diagnostics,
    )


def payoff_bounds(
    table: PairTable, *, level: float = 0.95, confidence: Confidence = "auto", simultaneous: bool = True
) -> tuple[FloatArray, FloatArray, Interval]:
    """Bounds on every win rate of a pair table that hold simultaneously with probability ``level``.

    Parameters
    ----------
    table
        Counts; pairs that never met get [0, 1]. With groups bounds are Hoeffding's for the means of clusters, because
        the games of one are not independent.
    level
        Of all intervals together (or of each, with ``simultaneous=False``).
    confidence
        ``hoeffding``, ``clopper-pearson`` (wins and losses only), or the tighter one that is valid.

    Fails when
        the table has no counts, or ties with ``clopper-pearson``.
    """
    given = {"level": level, "confidence": confidence, "simultaneous": simultaneous}
    check_options(_BOUND_OPTIONS, given)
    if not table.counted:
        raise DataError(
            "a table of probabilities without games has no intervals", advice=[Advice("give their ", Option("games"))]
        )
    clustered = ClusterScores.of(table)
    exact_holds = clustered is None and _whole_wins(table)
    if confidence == "clopper-pearson" and not exact_holds:
        raise DataError(
            Option("confidence", "clopper-pearson"), " needs whole wins and losses without ties or clusters",
            advice=[Advice("use ", Option("confidence", "hoeffding"))],
        )  # fmt: skip
    exact = confidence == "clopper-pearson" or (confidence == "auto" and exact_holds)
    games, wins = table.games_matrix(), table.win_matrix()
    pairs = games.shape[0] * (games.shape[0] - 1) // 2
    delta = (1.0 - level) / (pairs if simultaneous else 1)
    if exact:
        low, high = clopper_pearson_interval(wins, games, delta)
    else:
        share = wins / np.maximum(games, 1.0)
        mean, many = (share, games) if clustered is None else clustered.means(len(games))
        low, high = hoeffding_interval(mean, many, delta)
        low, high = np.minimum(low, share), np.maximum(high, share)  # clusters count alike, whatever their games
    low, high = np.where(games > 0, low, 0.0), np.where(games > 0, high, 1.0)
    np.fill_diagonal(low, 0.5)
    np.fill_diagonal(high, 0.5)
    kind = "Clopper-Pearson" if exact else "Hoeffding"
    return low, high, Interval(f"{kind}{' (all pairs together)' if simultaneous else ''}", level)


def _whole_wins(table: PairTable) -> bool:
    counts = np.concatenate([table.wins, table.losses])
    return not table.ties.any() and bool(np.all(np.abs(counts - np.round(counts)) < 1e-6))


def _from_arrays(low: object, high: object, strategies: Sequence[object] | None) -> MetaGame:
    bottom, top = _array(low, "low"), _array(high, "high")
    if strategies is not None and not isinstance(strategies, Iterable):
        raise ParameterError(Option("strategies"), " is a list of names, or one for each population")
    if bottom.shape != top.shape:
        raise DataError(f"low has shape {bottom.shape} and high has shape {top.shape}; give one shape for both")
    if bottom.ndim == 3 and bottom.shape[0] == 1:
        bottom, top = bottom[0], top[0]
    if bottom.ndim == 2:
        return MetaGame.symmetric(bottom, strategies, low=bottom, high=top)
    try:
        names = None if strategies is None else [list(group) for group in strategies]  # type: ignore[call-overload]  # what is no list is refused
    except TypeError as error:
        raise ParameterError(Option("strategies"), " holds a list of names for each population") from error
    return MetaGame.from_payoffs(list(bottom), names, low=list(bottom), high=list(top))


def _array(values: object, name: str) -> FloatArray:
    try:
        given = np.asarray(values)
        if given.dtype.kind in "cmM":
            raise TypeError("complex numbers and dates are no payoffs")
        array = given.astype(float)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be rectangular tables of numbers, all of one shape") from error
    if array.ndim < 2:
        raise DataError(f"{name} is a square matrix or K tensors of numbers, not of shape {array.shape}")
    if not np.isfinite(array).all():
        where = some_of(str(tuple(map(int, at))) for at in np.argwhere(~np.isfinite(array)))
        raise DataError(f"{name} has missing or infinite values at {where}")
    return array


def _wanted(profiles: Sequence[int] | None, count: int) -> list[int]:
    if profiles is None:
        return list(range(count))
    try:
        wanted = [operator.index(s) for s in profiles]
    except TypeError as error:
        raise ParameterError(Option("profiles"), " is a list of positions, whole numbers from 0") from error
    outside = [s for s in wanted if not 0 <= s < count]
    if outside:
        raise ParameterError(Option("profiles"), f" are numbered 0 to {count - 1}; there is no {some_of(outside)}")
    return wanted


def _rates(
    low: Sequence[FloatArray], high: Sequence[FloatArray], m: int, perturbation: float | None
) -> tuple[RateBounds, tuple[int, int]]:
    least, greatest, neighbours = gap_bounds(low, high)
    tolerance = TIE_ULPS * np.finfo(float).eps * max(float(np.abs(table).max()) for table in (*low, *high))
    for gap in (least, greatest):
        gap[np.abs(gap) <= tolerance] = 0.0
    graph = Deviations(neighbours, least)
    spread = graph.dense(least, fill=np.nan), graph.dense(greatest, fill=np.nan)
    worse, tie, better = (0.0, 1.0 / m, 1.0) if perturbation is None else (perturbation, 0.5, 1.0 - perturbation)
    open_edges = int(np.count_nonzero((least <= 0.0) & (greatest >= 0.0) & ((least != 0.0) | (greatest != 0.0))))
    return rate_bounds(*spread, worse, tie, better), (open_edges // 2, least.size // 2)


def _membership(game: MetaGame, m: int, profiles: Sequence[int]) -> tuple[InMcc, ...]:
    assert game.low is not None
    assert game.high is not None
    rates, _ = _rates(game.low, game.high, m, None)
    return tuple(_one_membership(rates, s) for s in profiles)


def _one_membership(rates: RateBounds, s: int) -> InMcc:
    if not can_leave_for_good(rates, s):
        return "certainly"
    return "possibly" if greatest_mass(rates, s)[0] > 0.0 else "never"
