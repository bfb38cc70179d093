"""A sweep over the strength of selection: how alpha-Rank settles on its limit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.alpharank.deviations import deviations
from equipoise.alpharank.games import Complete, game_of
from equipoise.alpharank.limit import markov_conley_chains
from equipoise.alpharank.masses import Kind, masses
from equipoise.core.declaration import method
from equipoise.core.errors import ParameterError
from equipoise.core.lazy import pl
from equipoise.core.options import whole
from equipoise.core.results import FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable


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
    main: ClassVar[str] = "limit"

    agents: tuple[str, ...]
    alphas: FloatArray
    pi: FloatArray
    limit: FloatArray
    distance: FloatArray
    kind: Kind

    def frame(self) -> "pl.DataFrame":
        """Give one row for each alpha and profile, as a plot wants it."""
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

    @property
    def answer(self) -> tuple[str, ...]:
        """How close to the limit the strongest selection of the sweep comes."""
        last = int(self.alphas.argmax())
        leader = self.agents[int(self.limit.argmax())]
        return (
            f"In the limit {leader} has the largest mass, {self.limit.max():.3f}.",
            f"At alpha {self.alphas[last]:g} the masses are within {self.distance[last]:.2g} of the limit.",
        )


@method(
    takes=("matches", "pairs", "metagame"),
    answers="How does the ranking of alpha-Rank settle as selection grows?",
    reference="Omidshafiei et al. (2019)",
    checks={"m": whole(2)},
    resampled="a sweep shows what a setting does to the answer; bootstrap alpha_rank",
)
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
    data
        A meta-game, or matches or a pair table whose win rates are the payoffs of one population.
    alphas
        Finite selection strengths; 25 of them from 1e-4 to 100 if not given.
    m
        Population size.
    complete
        Fill pairs that never met from ``bradley-terry`` or ``melo``, and say so.

    Returns
    -------
    AlphaSweep
        Masses at every alpha, their limit, and how far each row is from it.

    Fails when
        an alpha is negative or not finite, a pair never met (unless ``complete`` fills it), or a population has a
        single strategy.

    References
    ----------
    Omidshafiei et al. (2019), alpha-Rank: multi-agent evaluation by evolution.

    Examples
    --------
    >>> import equipoise as eq
    >>> sweep = eq.methods.alpha_sweep(eq.load("alphago"), alphas=[0.1, 1, 10])
    >>> bool(sweep.distance[0] > sweep.distance[-1])
    True
    """
    strengths = _strengths(alphas)
    game = game_of(data, complete)
    game.check_complete(Advice("fill them in with ", Option("complete", "bradley-terry")))
    moves = deviations(game.payoffs)
    chains = markov_conley_chains(moves)
    rows = np.array([masses(moves, chains, float(alpha), m)[0] for alpha in strengths])
    limit, kind = masses(moves, chains, math.inf, m)
    return AlphaSweep(
        agents=game.profiles,
        alphas=frozen(strengths),
        pi=frozen(rows),
        limit=frozen(limit),
        distance=frozen(np.abs(rows - limit).max(axis=1)),
        kind=kind,
        params=frozen_params(m=m, complete=complete),
        diagnostics=game.diagnostics,
    )


def _strengths(alphas: Sequence[float] | None) -> FloatArray:
    if alphas is None:
        return np.logspace(-4, 2, 25)
    try:
        strengths = np.asarray(alphas, dtype=float)
    except (TypeError, ValueError):
        strengths = np.array([])
    if strengths.ndim != 1 or strengths.size == 0 or not (np.isfinite(strengths) & (strengths >= 0.0)).all():
        raise ParameterError(
            Option("alphas"), " is a list of finite numbers of at least 0; the sweep ends in the exact limit by itself"
        )
    return strengths
