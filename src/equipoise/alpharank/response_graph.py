"""Who improves by moving where: the response graph and its Markov-Conley chains."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.alpharank.deviations import Deviations, deviations
from equipoise.alpharank.games import game_of
from equipoise.alpharank.limit import markov_conley_chains
from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, IntArray, Result, frozen
from equipoise.core.wording import Advice
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable


class Edge(NamedTuple):
    """A deviation that pays: from the worse profile to the better one; a gap of 0 is a tie, open both ways."""

    source: str
    target: str
    gap: float


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ResponseGraph(Result):
    """Edges from worse to better profiles, with what the deviating player gains.

    Attributes
    ----------
    profiles
        Names of the profiles: strategies of one population, or ``(a, x)`` for several.
    shape
        Number of strategies of each population.
    source, target, gap
        Of each edge, as indices into ``profiles`` and the gain (0 for a tie).
    mccs
        The Markov-Conley chains (sink strongly connected components), as tuples of profile names, largest first.
    """

    rows_name: ClassVar[str] = "edges"
    in_summary: ClassVar[tuple[str, ...]] = ("mccs",)
    main: ClassVar[str] = "gap"

    profiles: tuple[str, ...]
    shape: tuple[int, ...]
    source: IntArray
    target: IntArray
    gap: FloatArray
    mccs: tuple[tuple[str, ...], ...]

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges by name."""
        names = self.profiles
        return tuple(
            Edge(names[u], names[v], float(d)) for u, v, d in zip(self.source, self.target, self.gap, strict=True)
        )

    def frame(self) -> "pl.DataFrame":
        """Give the edges, largest gain first."""
        names = np.array(self.profiles, dtype=object)
        table = pl.DataFrame({"from": names[self.source].tolist(), "to": names[self.target].tolist(), "gap": self.gap})
        return table.sort("gap", descending=True, maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """alpha-Rank's limit."""
        return chain_words(self.mccs)


@method(
    takes=("matches", "pairs", "metagame"),
    answers="Which single deviations pay, and where do they lead?",
    reference="Omidshafiei et al. (2019); Rowland et al. (2019)",
    resampled="a graph has no number for each agent; bootstrap alpha_rank",
)
def response_graph(data: MetaGame | PairTable | Matches) -> ResponseGraph:
    """Which single deviations pay, and where do they lead?

    Parameters
    ----------
    data
        A meta-game, or matches or a pair table whose win rates are the payoffs of one population.

    Fails when
        a pair never met, or a population has a single strategy (:class:`DataError`).

    References
    ----------
    Omidshafiei et al. (2019), alpha-Rank: multi-agent evaluation by evolution; Rowland et al. (2019), appendix B.

    Examples
    --------
    >>> import equipoise as eq
    >>> rps = eq.MetaGame.symmetric([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], ["rock", "paper", "scissors"])
    >>> eq.response_graph(rps).mccs
    (('rock', 'paper', 'scissors'),)
    """
    game = game_of(data)
    game.check_complete(Advice("play them, or complete the table first"))
    graph = deviations(game.payoffs)
    mccs = named_chains(game.profiles, markov_conley_chains(graph))
    return graph_result(game.profiles, game.shape, graph, mccs, game.diagnostics)


def graph_result(
    profiles: tuple[str, ...],
    shape: tuple[int, ...],
    graph: Deviations,
    mccs: tuple[tuple[str, ...], ...],
    diagnostics: tuple[Diagnostic, ...] = (),
) -> ResponseGraph:
    """Keep each edge once, in the direction that pays; ties go from the earlier profile to the later."""
    own = np.arange(graph.profiles)[:, None]
    source, column = np.nonzero((graph.gaps > 0.0) | ((graph.gaps == 0.0) & (own < graph.neighbours)))
    return ResponseGraph(
        profiles=profiles,
        shape=shape,
        source=frozen(source, np.int64),
        target=frozen(graph.neighbours[source, column], np.int64),
        gap=frozen(graph.gaps[source, column]),
        mccs=mccs,
        diagnostics=diagnostics,
    )


def named_chains(profiles: tuple[str, ...], chains: list[NDArray[np.intp]]) -> tuple[tuple[str, ...], ...]:
    """Chains by the names of their profiles."""
    return tuple(tuple(profiles[i] for i in members) for members in chains)


def chain_words(mccs: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Say what alpha-Rank's limit is; nothing where there are no chains."""
    if not mccs:
        return ()
    if len(mccs) == 1 and len(mccs[0]) == 1:
        return (f"alpha-Rank's limit is {mccs[0][0]}.",)
    if len(mccs) == 1:
        return (f"alpha-Rank's limit is one sink component of {len(mccs[0])}: {some_of(mccs[0], 6)}.",)
    listed = "; ".join(some_of(chain, 3) for chain in mccs[:4])
    more = f"; and {len(mccs) - 4:,} more" if len(mccs) > 4 else ""
    return (f"alpha-Rank's limit is one of {len(mccs)} sink components: {listed}{more}.",)
