"""Hodge decomposition: how much of the games a rating explains, and how the cyclic rest splits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.results import Fit, FloatArray, Result, frozen, frozen_params
from equipoise.flows.flow_data import EPSILON, FlowData, ObservedFlow, observed_flow
from equipoise.flows.hodge_split import FlowSplit, weighted_split
from equipoise.flows.laplacian import components
from equipoise.flows.points import in_points

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Hodge", "hodge"]

EXACT = 1e-8
"""Largest divergence outside of the gradient part that counts as none."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Hodge(Result):
    """A flow in three parts that are orthogonal in the weighted inner product.

    Attributes
    ----------
    rating
        Of each agent, in the flow's units (log-odds where games were given); sums to zero (on every island).
    points
        The same in Elo points; None where the flow is not log-odds.
    cyclic_share
        Share of the squared flow that no rating explains (curl and harmonic together). Noise counts as cyclic
        here; :func:`transitivity` corrects for it.
    harmonic_share
        Share that runs around holes: cycles longer than three with nobody across to compare.
    holes
        Number of such independent holes in who met whom; None where it was not counted.
    """

    main: ClassVar[str] = "rating"
    agents: tuple[str, ...]
    rating: FloatArray
    cyclic_share: float
    harmonic_share: float
    holes: int | None
    observed: ObservedFlow
    parts: FlowSplit

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]  # of an object here: it depends on the data
        """Log-odds and Elo points where games were given, payoffs otherwise."""
        return {"rating": "log-odds", "points": "Elo points"} if self.observed.log_odds else {"rating": "payoff"}

    @property
    def points(self) -> FloatArray | None:
        """Ratings in Elo points; None where the flow is not log-odds."""
        return in_points(self.rating) if self.observed.log_odds else None

    @property
    def words(self) -> tuple[str, ...]:
        """How much a rating explains."""
        if np.isnan(self.cyclic_share):
            return ("Every pair is even: there is nothing for a rating to explain.",)
        what = "log-odds" if self.observed.log_odds else "flow"
        holes = f", {self.harmonic_share:.0%} of it around holes" if self.harmonic_share >= 0.005 else ""
        return (
            f"A rating explains {1 - self.cyclic_share:.0%} of the squared {what}; the rest is cyclic{holes}."
            " Noise counts as cyclic here.",
        )

    @property
    def flow(self) -> FloatArray:
        """What was observed: a dense antisymmetric matrix, NaN where a pair never met (as in all parts)."""
        return frozen(self.observed.matrix(self.observed.flow))

    @property
    def transitive(self) -> FloatArray:
        """The gradient part, r_i - r_j."""
        return frozen(self.observed.matrix(self.parts.gradient))

    @property
    def cyclic(self) -> FloatArray:
        """The part around triangles; on complete tables all that the rating leaves over."""
        return frozen(self.observed.matrix(self.parts.curl))

    @property
    def harmonic(self) -> FloatArray:
        """The part around holes."""
        return frozen(self.observed.matrix(self.parts.harmonic))

    def curl(self, i: str | int, j: str | int, k: str | int) -> float:
        """Give the flow around a triangle of agents (names or positions), A_ij + A_jk - A_ik.

        Fails when
            two of the agents never met.
        """
        a, b, c = (self._place(agent) for agent in (i, j, k))
        return self._between(a, b) + self._between(b, c) - self._between(a, c)

    def _place(self, agent: str | int) -> int:
        if isinstance(agent, int):
            if not -len(self.agents) <= agent < len(self.agents):
                raise ParameterError(f"no agent at position {agent}; there are {len(self.agents)}")
            return agent % len(self.agents)
        if agent not in self.agents:
            raise ParameterError(f'no agent "{agent}"{did_you_mean(agent, self.agents)}')
        return self.agents.index(agent)

    def _between(self, a: int, b: int) -> float:
        low, high = min(a, b), max(a, b)
        at = np.flatnonzero((self.observed.first == low) & (self.observed.second == high))
        if a == b:
            return 0.0
        if len(at) == 0:
            raise DataError(f"{self.agents[a]} and {self.agents[b]} never met, so this triangle has no curl")
        return float(self.observed.flow[at[0]]) * (1.0 if a < b else -1.0)

    def frame(self) -> "pl.DataFrame":
        """Give the ratings, best first."""
        import polars as pl

        points = {} if self.points is None else {"points": self.points}
        table = pl.DataFrame({"agent": list(self.agents), "rating": self.rating, **points})
        return table.sort("rating", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the shares of the parts."""
        return {"cyclic_share": self.cyclic_share, "harmonic_share": self.harmonic_share, "holes": self.holes}


@method(
    takes=("matches", "pairs", "metagame", "array"),
    answers="How much of the games does a rating explain, and what goes round in cycles?",
    reference="Jiang et al. (2011); Balduzzi et al. (2018)",
    checks={"epsilon": EPSILON},
)
def hodge(data: FlowData, *, weights: Literal["games", "equal"] = "games", epsilon: float = 0.001) -> Hodge:
    r"""How much of the games does a rating explain, and what goes round in cycles?

    .. math:: A = \operatorname{grad}(r) + \text{curl part} + \text{harmonic part}

    On a complete table with equal weights :math:`r = \operatorname{div}(A)` and the rest is
    :math:`\operatorname{rot}(A)`. Otherwise r minimises :math:`\sum w_{ij} (A_{ij} - r_i + r_j)^2`, and the rest splits
    into flows around triangles and flows around holes.

    Parameters
    ----------
    data
        Games (their log-odds are the flow, counts smoothed by (w + 1/2)/(n + 1)), payoffs M of a single population
        (the flow is M - M^T), or an antisymmetric matrix.
    weights
        ``games`` behind each pair, or all pairs ``equal``.
    epsilon
        How near to 0 and 1 the probabilities of a table without counts may come.

    Returns
    -------
    Hodge
        Ratings, the three parts, their shares.

    Fails when
        there are no two agents, or a matrix is not antisymmetric. Islands of agents that never met get ratings of
        their own (``islands``).

    References
    ----------
    Jiang, Lim, Yao, Ye (2011), Statistical ranking and combinatorial Hodge theory. Balduzzi, Tuyls, Perolat, Graepel
    (2018), Re-evaluating Evaluation, section 2.2.

    Examples
    --------
    >>> import equipoise as eq
    >>> rps = eq.PairTable.from_matrix([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    >>> eq.hodge(rps).cyclic_share
    1.0
    """
    observed = observed_flow(data, epsilon)
    weight = observed.games if weights == "games" else np.ones(len(observed.flow))
    # Squares of very large or small flows are no numbers: shares are taken in the flow's own unit.
    unit = float(np.ldexp(1.0, np.frexp(np.abs(observed.flow).max(initial=0.0))[1])) or 1.0
    flow = observed.flow / unit
    scaled = weighted_split(observed.first, observed.second, flow, weight, len(observed.agents))
    total = float(weight @ flow**2)
    gradient, harmonic = float(weight @ scaled.gradient**2), float(weight @ scaled.harmonic**2)
    parts = scaled._replace(
        rating=scaled.rating * unit, gradient=scaled.gradient * unit,
        curl=scaled.curl * unit, harmonic=scaled.harmonic * unit,
    )  # fmt: skip
    return Hodge(
        agents=observed.agents, rating=frozen(parts.rating),
        cyclic_share=max(0.0, 1 - gradient / total) if total > 0 else float("nan"),
        harmonic_share=harmonic / total if total > 0 else float("nan"),
        holes=parts.holes, observed=observed, parts=parts,
        params=frozen_params(weights=weights, epsilon=epsilon),
        fit=Fit(parts.residual <= EXACT, parts.iterations, parts.residual),
        diagnostics=(*observed.diagnostics, *_island_notes(observed)),
    )  # fmt: skip


def _island_notes(observed: ObservedFlow) -> tuple[Diagnostic, ...]:
    labels = components(observed.first, observed.second, len(observed.agents))
    count = int(labels.max()) + 1
    if count == 1:
        return ()
    message = f"{count} groups of agents never met: ratings compare only within a group, where they sum to zero."
    return (warning("islands", message, observed.agents),)
