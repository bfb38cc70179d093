"""alpha-Rank: the long-run share of time that evolution spends at each profile."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from equipoise.alpharank.bounds import Confidence, alpha_rank_bounds, payoff_bounds
from equipoise.alpharank.copies import Classes, Folding, copy_notes, exact_classes, has_copies, merged, near_classes
from equipoise.alpharank.deviations import Deviations, deviations
from equipoise.alpharank.games import Complete, PayoffTables, game_of
from equipoise.alpharank.limit import markov_conley_chains
from equipoise.alpharank.masses import Kind, global_masses, masses
from equipoise.alpharank.response_graph import ResponseGraph, chain_words, graph_result, named_chains
from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ParameterError
from equipoise.core.lazy import pl
from equipoise.core.options import number, whole
from equipoise.core.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable

Selection = Literal["local", "global"]
MOST_BOUNDED = 100
"""Most agents for which every mass gets an interval unasked (a few seconds)."""
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
        What ``pi`` is: of the chain at ``finite alpha``; of the ``one sink component`` at infinite alpha; the
        ``perturbation limit`` over several chains; ``perturbed`` by a given mistake probability; or
        ``undefined``.
    mccs
        Markov-Conley chains, as tuples of profile names, largest first.
    deviations
        The gain of every deviation, as arrays; ``response_graph`` names them.
    low, high
        Bounds on each mass from the counts of a pair table at infinite alpha, or None; described by ``interval``.
    """

    main: ClassVar[str] = "pi"
    in_summary: ClassVar[tuple[str, ...]] = ("kind", "mccs", "interval")

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
            raise ParameterError("there is no ranking: alpha-Rank is not defined where pairs never met")
        order = np.argsort(-mass, kind="stable")
        fresh = np.concatenate([[True], np.diff(-mass[order]) > SAME_MASS])
        ranks = np.empty(mass.size, dtype=np.int64)
        ranks[order] = (np.flatnonzero(fresh) + 1)[np.cumsum(fresh) - 1]
        return ranks

    def frame(self) -> "pl.DataFrame":
        """Give the masses, largest first."""
        columns: dict[str, object] = {"agent": list(self.agents), "pi": self.pi.ravel()}
        if self.low is not None and self.high is not None:
            columns |= {"low": self.low, "high": self.high}
        members = {name for chain in self.mccs for name in chain}
        columns["in_mcc"] = [name in members for name in self.agents]
        return pl.DataFrame(columns).sort("pi", descending=True, nulls_last=True, maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """alpha-Rank's limit; nothing where payoffs are unknown."""
        return chain_words(self.mccs)


@method(
    takes=("matches", "pairs", "metagame"),
    answers="Which strategies survive evolution, cycles included, and how sure is that?",
    reference="Omidshafiei et al. (2019); Rowland et al. (2019)",
    checks={
        "alpha": number(0.0),
        "m": whole(2),
        "perturbation": number(0.0, 0.5, strictly=True, words=("auto", "limit")),
    },
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
    merge_clones: bool = False,
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
    selection
        ``local``: fitness is the payoff of the two strategies that meet; ``global``: it counts encounters within the
        mixed population (one population, finite alpha).
    confidence, level
        Interval for the payoffs of a pair table with counts, all pairs together, from which bounds on the masses follow
        (infinite alpha only); None for no bounds.
    complete
        Fill pairs that never met from ``bradley-terry`` or ``melo``, and say so.
    merge_clones
        Take strategies with the same payoffs throughout for one, and share its mass among them: further copies then
        change nothing for the others, nor for them together. Bounds are not given then.

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
    game = game_of(data, complete)
    if selection == "global" and (len(game.payoffs) > 1 or not math.isfinite(alpha)):
        raise ParameterError(Option("selection", "global"), " is for one population at a finite ", Option("alpha"))
    low, high, interval, notes = _bounds(game, alpha, m, confidence, level)
    params = frozen_params(
        alpha=alpha, m=m, perturbation=perturbation, selection=selection, confidence=confidence, level=level,
        complete=complete, merge_clones=merge_clones,
    )  # fmt: skip
    moves = None if game.incomplete else deviations(game.payoffs)
    found = _Solved(np.full(len(game.profiles), np.nan), "undefined", ())
    if not game.incomplete:
        solve = partial(_solved, alpha=alpha, m=m, perturbation=perturbation, selection=selection)
        found, more = _copies(game, data, solve(game.payoffs, game.profiles), merge_clones, solve)
        if any(note.code == "merged-clones" for note in more):
            low = high = interval = None  # bounds are of the game as it was entered
        notes += more
    return AlphaRank(
        agents=game.profiles,
        shape=game.shape,
        pi=frozen(found.pi.reshape(game.shape)),
        kind=found.kind,
        mccs=found.mccs,
        deviations=moves,
        low=low,
        high=high,
        interval=interval,
        params=params,
        diagnostics=game.diagnostics + notes,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """Masses of the profiles of a table of payoffs, with the chains they concentrate on."""

    pi: FloatArray
    kind: Kind
    mccs: tuple[tuple[str, ...], ...]


def _solved(
    payoffs: tuple[FloatArray, ...], names: tuple[str, ...], alpha: float, m: int,
    perturbation: float | Literal["auto", "limit"], selection: Selection,
) -> _Solved:  # fmt: skip
    moves = deviations(payoffs)
    chains = markov_conley_chains(moves)
    kind: Kind
    if selection == "global":
        pi, kind = global_masses(moves, payoffs[0], alpha, m), "finite alpha"
    else:
        pi, kind = masses(moves, chains, alpha, m, perturbation)
    return _Solved(pi, kind, named_chains(names, chains))


def _merged(
    payoffs: tuple[FloatArray, ...], names: tuple[str, ...], classes: Classes, kind: Kind,
    solve: Callable[..., _Solved],
) -> _Solved:  # fmt: skip
    """Solve the game in which copies are one strategy, and share the masses."""
    small = merged(payoffs, classes)
    folding = Folding.by(classes)
    firsts = tuple(names[k] for k in np.unique(folding.of, return_index=True)[1])
    found = solve(_without_choices(small), firsts) if small[0].size > 1 else _Solved(np.ones(1), kind, (firsts,))
    chains = tuple(folding.members(chain, firsts, names) for chain in found.mccs)
    return _Solved(folding.shared(found.pi), found.kind, chains)


def _without_choices(payoffs: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """Leave out players who have one strategy left: they never deviate."""
    if len(payoffs) == 1:
        return payoffs
    deciding = [table for table, count in zip(payoffs, payoffs[0].shape, strict=True) if count > 1]
    if len(deciding) > 1:
        return tuple(table.squeeze() for table in deciding)
    alone = deciding[0].ravel()  # what one gains does not depend on what one leaves
    return (np.repeat(alone[:, None], len(alone), axis=1),)


def _copies(
    game: PayoffTables, data: Matches | PairTable | MetaGame, found: _Solved, merge: bool, solve: Callable[..., _Solved]
) -> tuple[_Solved, tuple[Diagnostic, ...]]:
    """Merge exact copies if asked, else say what they change; copies within noise are only named."""
    names = data.strategies if isinstance(data, MetaGame) and len(game.payoffs) > 1 else (game.profiles,)
    classes: Classes | None = exact_classes(game)
    if classes is not None and not has_copies(classes):
        classes = None if merge else near_classes(game)
    if classes is None:
        return found, ()
    other = _merged(game.payoffs, game.profiles, classes, found.kind, solve)
    if merge:
        return other, copy_notes(names, classes, None)
    folding = Folding.by(classes)
    change = float(np.abs(folding.folded(found.pi) - folding.folded(other.pi)).max())
    return found, copy_notes(names, classes, change)


def _bounds(
    game: PayoffTables, alpha: float, m: int, confidence: Confidence | None, level: float
) -> tuple[FloatArray | None, FloatArray | None, Interval | None, tuple[Diagnostic, ...]]:
    table = game.table
    if confidence is None or table is None or not table.counted or math.isfinite(alpha):
        return None, None, None, ()
    if len(table.agents) > MOST_BOUNDED and confidence == "auto":
        message = f"No bounds on the masses of more than {MOST_BOUNDED} agents unless asked for."
        advice = [Advice("ask for them with ", Option("confidence", "hoeffding"))]
        return None, None, None, (info("no-bounds", message, advice=advice),)
    low, high, interval = payoff_bounds(table, level=level, confidence=confidence)
    bounds = alpha_rank_bounds(low, high, m=m, strategies=table.agents)
    kind = Interval(f"from {interval.kind} payoff bounds, all masses together,", level)
    return bounds.pi_low, bounds.pi_high, kind, ()
