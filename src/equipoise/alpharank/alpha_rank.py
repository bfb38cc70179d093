"""alpha-Rank: the long-run share of time that evolution spends at each profile."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.alpharank.bounds import Confidence, alpha_rank_bounds, payoff_bounds
from equipoise.alpharank.deviations import Deviations, deviations
from equipoise.alpharank.games import Complete, Game, game_of
from equipoise.alpharank.limit import (
    LARGEST_DENSE,
    chain_mass,
    iterated_mass,
    limit_mass,
    markov_conley_chains,
    perturbation_limit,
)
from equipoise.alpharank.response_graph import ResponseGraph, graph_result, named_chains
from equipoise.alpharank.stationary import stationary_wide
from equipoise.alpharank.transition import log_fixation, log_fixation_global, perturbed_rates
from equipoise.data.matches import Matches
from equipoise.data.metagame import MetaGame
from equipoise.data.pairs import PairTable
from equipoise.declaration import method
from equipoise.diagnostics import Diagnostic, info
from equipoise.errors import ParameterError
from equipoise.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["AlphaRank", "AlphaSweep", "alpha_rank", "alpha_sweep"]

Selection = Literal["local", "global"]
Kind = Literal["finite alpha", "single chain", "perturbation limit", "perturbed", "undefined"]
MOST_BOUNDED = 100
"""Most agents for which an interval on every mass is found unasked (a few seconds)."""
LARGEST_EXPONENT = 1e14
"""Largest alpha m d; sums of 12,000 such exponents fit 64 bits."""
ITERATE_FIRST = 300
"""Above this many profiles, rates beyond doubles are iterated first: eliminating wide numbers takes seconds there."""
SAME_MASS = 1e-9
"""Masses closer than this share a rank."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class AlphaRank(Result):
    """Stationary masses, which profiles they concentrate on, and how sure that is.

    Attributes
    ----------
    pi
        Mass of each profile: a vector for one population, a tensor of the game's shape for several. NaN where
        pairs never met.
    kind
        What ``pi`` is: of the chain at ``finite alpha``; of the ``single chain`` at infinite alpha; the ``perturbation
        limit`` that weighs several chains; ``perturbed`` by a given mistake probability; or ``undefined``.
    mccs
        Markov-Conley chains, as tuples of profile names, largest first.
    deviations
        The gain of every deviation, as arrays; ``response_graph`` names them.
    low, high
        Bounds on each mass from the counts of a pair table at infinite alpha, or None; described by ``interval``.
    """

    main: ClassVar[str] = "pi"

    agents: tuple[str, ...]
    shape: tuple[int, ...]
    pi: FloatArray
    kind: Kind
    mccs: tuple[tuple[str, ...], ...]
    deviations: Deviations | None = None
    low: FloatArray | None = None
    high: FloatArray | None = None
    interval: Interval | None = None

    @property
    def response_graph(self) -> ResponseGraph | None:
        """Which deviations pay, made when asked for (large games have millions); None where payoffs are unknown."""
        if self.deviations is None:
            return None
        return graph_result(self.agents, self.shape, self.deviations, self.mccs, self.diagnostics)

    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """Give the profiles best first; those of the same mass stand together."""
        ranks = self.ranks()
        order = np.lexsort((np.arange(ranks.size), ranks))
        groups: dict[int, list[str]] = {}
        for i in order:
            groups.setdefault(int(ranks[i]), []).append(self.agents[i])
        return tuple(tuple(group) for group in groups.values())

    def ranks(self) -> IntArray:
        """Give the rank of each profile, 1 for the best; equal masses share the better rank."""
        mass = self.pi.ravel()
        if np.isnan(mass).any():
            raise ParameterError("there is no ranking: alpha-Rank is not defined on a table with holes")
        order = np.argsort(-mass, kind="stable")
        fresh = np.concatenate([[True], np.diff(-mass[order]) > SAME_MASS])
        ranks = np.empty(mass.size, dtype=np.int64)
        ranks[order] = (np.flatnonzero(fresh) + 1)[np.cumsum(fresh) - 1]
        return ranks

    def frame(self) -> "pl.DataFrame":
        """Give the masses, largest first."""
        import polars as pl

        columns: dict[str, object] = {"agent": list(self.agents), "pi": self.pi.ravel()}
        if self.low is not None and self.high is not None:
            columns |= {"low": self.low, "high": self.high}
        members = {name for chain in self.mccs for name in chain}
        columns["in_mcc"] = [name in members for name in self.agents]
        return pl.DataFrame(columns).sort("pi", descending=True, nulls_last=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give what the masses are and the Markov-Conley chains."""
        return {"kind": self.kind, "mccs": self.mccs, "interval": self.interval}


@method(
    takes=("matches", "pairs", "metagame"),
    answers="Which strategies survive evolution, cycles included, and how sure is that?",
    reference="Omidshafiei et al. (2019); Rowland et al. (2019)",
)
def alpha_rank(
    data: MetaGame | PairTable | Matches,
    *,
    alpha: float = math.inf,
    m: int = 50,
    perturbation: float | Literal["auto", "limit"] = "auto",
    selection: Selection = "local",
    confidence: Confidence | None = "auto",
    level: float = 0.95,
    complete: Complete | None = None,
) -> AlphaRank:
    r"""Which profiles survive evolution, cycles included?

    The chain tries every single deviation equally often; a mutant that gains d takes a population of m over with
    probability :math:`(1 - e^{-\alpha d}) / (1 - e^{-\alpha m d})`, or 1/m at d = 0. The answer is its stationary
    distribution.

    Parameters
    ----------
    data
        A meta-game, or matches or a pair table whose win rates are the payoffs of one population.
    alpha
        Selection strength; infinite for the exact limit, where only the signs of gains count.
    m
        Population size.
    perturbation
        At infinite alpha. ``auto``: the stationary distribution of the single Markov-Conley chain, or with several
        chains the limit of vanishing mistakes (ties then move at rate 1/2 instead of 1/m). ``limit``: that limit
        always. A number e: the chain with mistakes of probability e, as it is.
    confidence, level
        Interval for the payoffs of a pair table with counts, all pairs together, from which bounds on the masses follow
        (infinite alpha only); None for no bounds.
    complete
        Fill pairs that never met from ``bradley-terry`` or ``melo``, and say so.

    Fails when
        an option makes no sense, or a population has a single strategy. Where pairs never met, the masses are NaN
        (``incomplete-table``), while bounds from counts still hold.

    References
    ----------
    Omidshafiei et al. (2019), alpha-Rank: multi-agent evaluation by evolution; Rowland et al. (2019), Multiagent
    Evaluation under Incomplete Information.

    Examples
    --------
    >>> import equipoise as eq
    >>> rps = eq.MetaGame.symmetric([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], ["rock", "paper", "scissors"])
    >>> eq.alpha_rank(rps).pi.round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    _check_options(alpha, m, perturbation)
    game = game_of(data, complete)
    _check_selection(selection, alpha, game)
    low, high, interval, notes = _bounds(game, alpha, m, confidence, level)
    params = frozen_params(
        alpha=alpha, m=m, perturbation=perturbation, selection=selection, confidence=confidence, level=level
    )
    pi = np.full(len(game.profiles), np.nan)
    kind: Kind = "undefined"
    moves: Deviations | None = None
    mccs: tuple[tuple[str, ...], ...] = ()
    if not game.incomplete:
        moves = deviations(game.payoffs)
        chains = markov_conley_chains(moves)
        mccs = named_chains(game.profiles, chains)
        if selection == "global":
            pi, kind = _global(moves, game.payoffs[0], alpha, m), "finite alpha"
        else:
            pi, kind = _masses(moves, chains, alpha, m, perturbation)
    return AlphaRank(
        agents=game.profiles,
        shape=game.shape,
        pi=frozen(pi.reshape(game.shape)),
        kind=kind,
        mccs=mccs,
        deviations=moves,
        low=low,
        high=high,
        interval=interval,
        params=params,
        diagnostics=game.diagnostics + notes,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class AlphaSweep(Result):
    """Masses for a range of selection strengths, and their exact limit.

    Attributes
    ----------
    alphas
        The finite selection strengths.
    pi
        One row of masses for each of them, profiles in C order.
    limit
        The masses at infinite alpha.
    distance
        Largest difference of each row to the limit.
    """

    rows_name: ClassVar[str] = "alphas"

    agents: tuple[str, ...]
    alphas: FloatArray
    pi: FloatArray
    limit: FloatArray
    distance: FloatArray
    kind: Kind

    def frame(self) -> "pl.DataFrame":
        """Give one row for each alpha and profile, as a plot wants it."""
        import polars as pl

        count = len(self.agents)
        return pl.DataFrame(
            {
                "alpha": np.repeat(self.alphas, count),
                "agent": list(self.agents) * len(self.alphas),
                "pi": self.pi.ravel(),
                "limit": np.tile(self.limit, len(self.alphas)),
            }
        )

    def summary(self) -> dict[str, object]:
        """Give the distances to the limit and what the limit is."""
        return {"distance": self.distance, "limit_kind": self.kind}


def alpha_sweep(
    data: MetaGame | PairTable | Matches,
    *,
    alphas: Sequence[float] | None = None,
    m: int = 50,
    complete: Complete | None = None,
) -> AlphaSweep:
    """How does the ranking settle as selection grows? Masses from alpha near 0 to the exact limit.

    Parameters
    ----------
    alphas
        Finite selection strengths; 25 of them from 1e-4 to 100 if not given.

    Examples
    --------
    >>> import equipoise as eq
    >>> sweep = eq.alpha_sweep(eq.load("alphago"), alphas=[0.1, 1, 10])
    >>> bool(sweep.distance[0] > sweep.distance[-1])
    True
    """
    chosen = np.logspace(-4, 2, 25) if alphas is None else np.asarray(alphas, dtype=float)
    for alpha in chosen:
        _check_options(float(alpha), m, "auto")
    if np.isinf(chosen).any():
        raise ParameterError("the sweep ends in the exact limit by itself; give finite alphas")
    game = game_of(data, complete)
    if game.incomplete:
        raise ParameterError(game.diagnostics[-1].message)
    moves = deviations(game.payoffs)
    chains = markov_conley_chains(moves)
    rows = np.array([_masses(moves, chains, float(alpha), m, "auto")[0] for alpha in chosen])
    limit, kind = _masses(moves, chains, math.inf, m, "auto")
    return AlphaSweep(
        agents=game.profiles,
        alphas=frozen(chosen),
        pi=frozen(rows),
        limit=frozen(limit),
        distance=frozen(np.abs(rows - limit).max(axis=1)),
        kind=kind,
        params=frozen_params(m=m),
        diagnostics=game.diagnostics,
    )


def _masses(
    moves: Deviations,
    chains: list[NDArray[np.intp]],
    alpha: float,
    m: int,
    perturbation: float | Literal["auto", "limit"],
) -> tuple[FloatArray, Kind]:
    if math.isfinite(alpha):
        return _finite(moves, alpha, m), "finite alpha"
    everything = np.arange(moves.profiles)
    if not isinstance(perturbation, str):
        return chain_mass(moves, perturbed_rates(moves.gaps, perturbation), everything), "perturbed"
    if len(chains) == 1 and perturbation == "auto":
        return limit_mass(moves, m, chains), "single chain"
    return perturbation_limit(moves, chains), "perturbation limit"


def _finite(moves: Deviations, alpha: float, m: int) -> FloatArray:
    alpha = _within_exponents(alpha, m, float(np.abs(moves.gaps).max()))
    return _from_log_rates(moves, log_fixation(moves.gaps, alpha, m), alpha)


def _global(moves: Deviations, payoffs: FloatArray, alpha: float, m: int) -> FloatArray:
    rates = log_fixation_global(payoffs, _within_exponents(alpha, m, 4.0 * float(np.abs(payoffs).max())), m)
    return _from_log_rates(moves, np.take_along_axis(rates, moves.neighbours.astype(np.intp), axis=1), alpha)


def _within_exponents(alpha: float, m: int, largest_gap: float) -> float:
    """Hold alpha where the largest exponent is still a sure 64-bit number.

    There, gains down to a 10^12th of the largest decide as surely as they would at any larger alpha.
    """
    return alpha if largest_gap == 0.0 else min(alpha, LARGEST_EXPONENT / m / largest_gap)


def _from_log_rates(moves: Deviations, log_rates: FloatArray, alpha: float) -> FloatArray:
    """Doubles suffice while products of the smallest rates along a path of deviations stay in their range."""
    single = moves.degree == moves.profiles - 1
    if log_rates.min() >= (-600.0 if single else -60.0):
        return chain_mass(moves, np.exp(log_rates), np.arange(moves.profiles))
    if moves.profiles > ITERATE_FIRST:
        # Rates that underflow are too slow to matter where far-apart starts agree.
        mass = iterated_mass(moves, np.exp(np.maximum(log_rates, -5000.0)))
        if mass is not None:
            return mass
    if moves.profiles > LARGEST_DENSE:
        raise ParameterError(
            f"{moves.profiles} profiles are too many at alpha {alpha:g}; use a smaller or infinite alpha"
        )
    return stationary_wide(moves.dense(log_rates / math.log(2.0), fill=-np.inf))


def _bounds(
    game: Game, alpha: float, m: int, confidence: Confidence | None, level: float
) -> tuple[FloatArray | None, FloatArray | None, Interval | None, tuple[Diagnostic, ...]]:
    table = game.table
    if confidence is None or table is None or not table.counted or math.isfinite(alpha):
        return None, None, None, ()
    if len(table.agents) > MOST_BOUNDED and confidence == "auto":
        message = f"No bounds on the masses of more than {MOST_BOUNDED} agents unless confidence= asks for them."
        return None, None, None, (info("no-bounds", message),)
    low, high, interval = payoff_bounds(table, level=level, confidence=confidence)
    found = alpha_rank_bounds(low, high, m=m, strategies=table.agents)
    kind = Interval(f"from {interval.kind} payoff bounds, all masses together,", level)
    return found.pi_low, found.pi_high, kind, ()


def _check_selection(selection: str, alpha: float, game: Game) -> None:
    if selection not in ("local", "global"):
        raise ParameterError(f'selection is "local" or "global", not "{selection}"')
    if selection == "global" and (len(game.payoffs) > 1 or not math.isfinite(alpha)):
        raise ParameterError("global selection is for one population at finite alpha")


def _check_options(alpha: float, m: int, perturbation: float | str) -> None:
    if not alpha >= 0.0:
        raise ParameterError(f"alpha must be at least 0 (or infinite), got {alpha}")
    if m < 2 or m != int(m):
        raise ParameterError(f"the population size m must be a whole number of at least 2, got {m}")
    if isinstance(perturbation, str):
        if perturbation not in ("auto", "limit"):
            raise ParameterError(f'perturbation is "auto", "limit" or a number, not "{perturbation}"')
    elif not 0.0 < perturbation < 0.5:
        raise ParameterError(f"perturbation must lie strictly between 0 and 0.5, got {perturbation}")
