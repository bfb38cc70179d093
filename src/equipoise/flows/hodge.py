"""Hodge decomposition: how much of the games a rating explains, and how the cyclic rest splits.

Weighted Hodge decomposition of an edge flow into gradient, curl and harmonic parts.

With weights ``w`` on the edges, the inner product of two edge flows is ``sum_e w_e X_e Y_e`` and

``A = grad(r) + curl*(Phi) + H``

where ``r`` minimises ``sum_e w_e (A_ij - (r_i - r_j))^2``, ``curl*(Phi)`` is a combination of
flows around the triangles of the graph, and the harmonic ``H`` is neither: cycles that no triangle
fills. The three parts are orthogonal in that inner product.

The harmonic part lives in a space whose dimension depends on the graph alone (its first Betti
number, triangles filled in). So the graph is reduced first: along a spanning tree every flow can be
made zero by a rating; an edge that closes a triangle with two settled edges is settled too; an edge
whose triangle has one settled edge is tied to the third. On most real tables this settles everything
and the harmonic part is zero without looking at a single triangle again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.lazy import pl
from equipoise.core.results import Fit, FloatArray, IntArray, Result, frozen, frozen_params
from equipoise.core.units import POINTS, in_declared_units, in_points
from equipoise.flows.flow_data import EPSILON, FlowData, ObservedFlow, observed_flow
from equipoise.flows.laplacian import Solver, components, laplacian_solver
from equipoise.flows.triangles import Holes, curl_matrix, find_holes
from equipoise.inference.threads import one_thread

BASIS_LIMIT = 2_000
BASIS_ENTRIES = 20_000_000
"""Relations between holes are solved, and bases built explicitly, up to these sizes; iterations serve beyond."""


class FlowSplit(NamedTuple):
    """Parts of an edge flow, one entry per edge."""

    rating: FloatArray
    gradient: FloatArray
    curl: FloatArray
    harmonic: FloatArray
    holes: int | None
    """Dimension of the harmonic space (None where it was not counted)."""
    iterations: int
    residual: float
    """Largest divergence left outside the gradient part, relative to the flow through a vertex."""


def weighted_split(first: IntArray, second: IntArray, flow: FloatArray, weight: FloatArray, n: int) -> FlowSplit:
    """Split ``flow`` on the edges ``(first, second)``, ``first < second``, each pair once.

    Weights are positive. Ratings sum to zero on every connected component.
    """
    if len(first) == 0:
        return FlowSplit(np.zeros(n), flow, flow, flow, 0, 0, 0.0)
    solve = laplacian_solver(first, second, weight, n)
    rating = potential(first, second, flow, weight, n, solve)
    gradient = rating[first] - rating[second]
    cyclic = flow - gradient
    harmonic, holes, iterations = _harmonic(first, second, cyclic, weight, n, solve)
    through = _source(first, second, np.abs(flow) * weight, n, sign=1.0).max(initial=0.0)
    divergence = np.abs(_source(first, second, cyclic * weight, n)).max(initial=0.0)
    residual = float(divergence / through) if through > 0 else 0.0
    return FlowSplit(rating, gradient, cyclic - harmonic, harmonic, holes, iterations, residual)


def potential(
    first: IntArray, second: IntArray, flow: FloatArray, weight: FloatArray, n: int, solve: Solver
) -> FloatArray:
    """Ratings whose differences are nearest to ``flow`` (one or several columns)."""
    columns = (flow.T * weight).T.reshape(len(first), -1)
    source = np.stack([_source(first, second, c, n) for c in columns.T], axis=1)
    return solve(source).reshape((n, *flow.shape[1:]))


def _source(first: IntArray, second: IntArray, flow: FloatArray, n: int, sign: float = -1.0) -> FloatArray:
    """Sum of the flow out of each vertex (``sign=1``: of its size through each vertex)."""
    return np.bincount(first, flow, n) + sign * np.bincount(second, flow, n)


def _harmonic(
    first: IntArray, second: IntArray, cyclic: FloatArray, weight: FloatArray, n: int, solve: Solver
) -> tuple[FloatArray, int | None, int]:
    """Harmonic part of a flow without divergence, number of holes, iterations."""
    holes = find_holes(first, second, n)
    if holes.groups == 0:
        return np.zeros_like(cyclic), 0, 0
    if holes.groups == len(first) - holes.tree_edges and holes.relations.shape[0] == 0:
        return cyclic.copy(), holes.groups, 0  # no triangle anywhere
    if holes.relations.shape[0] and holes.groups > BASIS_LIMIT:
        return _off_triangles(first, second, cyclic, weight, n)
    free = None if holes.relations.shape[0] == 0 else _free_values(holes)
    count = holes.groups if free is None else free.shape[1]
    if count * len(first) > BASIS_ENTRIES:
        found = _around_holes(first, second, cyclic, weight, n, holes, free)
        return _off_triangles(first, second, cyclic, weight, n) if found is None else (found[0], count, found[1])
    free = np.eye(count) if free is None else free
    basis = np.where(holes.group < 0, 0.0, holes.ratio)[:, None] * free[holes.group]
    basis = basis - _gradients(first, second, basis, weight, n, solve)
    return _projected(cyclic, basis, weight), count, 0


def _around_holes(
    first: IntArray,
    second: IntArray,
    cyclic: FloatArray,
    weight: FloatArray,
    n: int,
    holes: Holes,
    free: FloatArray | None,
) -> tuple[FloatArray, int] | None:
    """Harmonic part without an explicit basis, and iterations; None where they did not arrive.

    It is the least-squares fit by a rating and a value for each hole together (conjugate gradients on the normal
    equations, scaled by their diagonal): ``cyclic`` has no divergence, so the rating only makes the holes' flows so.
    """
    around = np.flatnonzero(holes.group >= 0)
    columns = (holes.ratio[around], (around, holes.group[around]))
    flows = scipy.sparse.coo_array(columns, shape=(len(first), holes.groups)).tocsr()
    edge = np.arange(len(first))
    ends = (np.repeat([1.0, -1.0], len(first)), (np.tile(edge, 2), np.concatenate([first, second])))
    design = scipy.sparse.hstack([scipy.sparse.coo_array(ends, shape=(len(first), n)), flows], format="csr")
    normal = (design.T @ scipy.sparse.diags_array(weight) @ design).tocsr()

    def spread(z: FloatArray) -> FloatArray:
        return z if free is None else np.concatenate([z[:n], free @ z[n:]])

    def gathered(v: FloatArray) -> FloatArray:
        return v if free is None else np.concatenate([v[:n], free.T @ v[n:]])

    diagonal = normal.diagonal()
    scale = np.maximum(diagonal if free is None else np.concatenate([diagonal[:n], diagonal[n:] @ free**2]), 1e-300)
    right = gathered(design.T @ (weight * cyclic))
    solved = _conjugate_gradients(lambda z: gathered(normal @ spread(z)), scale, right)
    return None if solved is None else (np.asarray(design @ spread(solved[0])), solved[1])


def _free_values(holes: Holes) -> FloatArray:
    """Orthonormal basis of the values y with ``relations @ y = 0``."""
    return np.asarray(scipy.linalg.null_space(np.unique(holes.relations.toarray(), axis=0)))


def _gradients(
    first: IntArray, second: IntArray, flows: FloatArray, weight: FloatArray, n: int, solve: Solver
) -> FloatArray:
    if flows.shape[1] == 0:
        return np.zeros_like(flows)
    rating = potential(first, second, flows, weight, n, solve)
    return np.asarray(rating[first] - rating[second])


def _projected(flow: FloatArray, basis: FloatArray, weight: FloatArray) -> FloatArray:
    """Weighted least-squares projection of ``flow`` on the columns of ``basis``."""
    root = np.sqrt(weight)
    solution = scipy.linalg.lstsq(basis * root[:, None], flow * root)[0]
    return np.asarray(basis @ solution)


def _off_triangles(
    first: IntArray, second: IntArray, cyclic: FloatArray, weight: FloatArray, n: int
) -> tuple[FloatArray, None, int]:
    """What no combination of triangle flows explains, by iterative least squares.

    Conjugate gradients on the normal equations ``C W^-1 C' Phi = C cyclic``, scaled by their diagonal: five times as
    quick as LSMR, which takes over where they do not arrive.
    """
    curl = curl_matrix(first, second, n)
    around = curl.T  # by columns: adding up what triangles give their edges is quicker than looking it up
    solved = _conjugate_gradients(lambda z: curl @ ((around @ z) / weight), abs(curl) @ (1 / weight), curl @ cyclic)
    if solved is not None:
        solution, iterations = solved
        return cyclic - (around @ solution) / weight, None, iterations
    root = np.sqrt(weight)
    spread = (curl / root).T.tocsr()
    solution, _, iterations, *_ = scipy.sparse.linalg.lsmr(
        spread, cyclic * root, atol=1e-13, btol=1e-13, maxiter=20_000
    )
    return cyclic - (spread @ solution) / root, None, int(iterations)


def _conjugate_gradients(
    product: Callable[[FloatArray], FloatArray], diagonal: FloatArray, right: FloatArray
) -> tuple[FloatArray, int] | None:
    """Solve normal equations, scaled by their diagonal, and count iterations; None where they did not arrive."""
    size = len(right)
    steps: list[None] = []
    matrix = scipy.sparse.linalg.LinearOperator((size, size), matvec=product, dtype=float)
    scaled = scipy.sparse.linalg.LinearOperator((size, size), matvec=lambda z: z / diagonal, dtype=float)
    with one_thread():  # products of two vectors are too short for threads to meet
        solution, failed = scipy.sparse.linalg.cg(
            matrix, right, rtol=1e-12, maxiter=2_000, M=scaled, callback=lambda _: steps.append(None)
        )
    return None if failed else (solution, len(steps))


EXACT = 1e-8
"""Largest divergence outside of the gradient part that counts as none."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Hodge(Result):
    """A flow in three parts that are orthogonal in the weighted inner product.

    Attributes
    ----------
    rating
        Of each agent, in the flow's units (log-odds where games were given); sums to zero (in every connected
        component).
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
    in_summary: ClassVar[tuple[str, ...]] = ("cyclic_share", "harmonic_share", "holes")
    agents: tuple[str, ...]
    rating: FloatArray
    cyclic_share: float
    harmonic_share: float
    holes: int | None
    observed: ObservedFlow
    parts: FlowSplit

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]  # of an object here: it depends on the data
        """Elo points where games were given, payoffs otherwise."""
        return {"rating": POINTS if self.observed.log_odds else "payoff"}

    @property
    def points(self) -> FloatArray | None:
        """Ratings in Elo points; None where the flow is not log-odds."""
        return in_points(self.rating) if self.observed.log_odds else None

    @property
    def answer(self) -> tuple[str, ...]:
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
        """Give the ratings, best first; in Elo points where games were given."""
        table = pl.DataFrame({"agent": list(self.agents), "rating": self.rating})
        return in_declared_units(table, self.units).sort("rating", descending=True, maintain_order=True)


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
        there are no two agents, or a matrix is not antisymmetric. Connected components get ratings of
        their own (``components``).

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
        diagnostics=(*observed.diagnostics, *_component_notes(observed)),
    )  # fmt: skip


def _component_notes(observed: ObservedFlow) -> tuple[Diagnostic, ...]:
    labels = components(observed.first, observed.second, len(observed.agents))
    count = int(labels.max()) + 1
    if count == 1:
        return ()
    message = f"{count} groups of agents never met: ratings compare only within a group, where they sum to zero."
    return (warning("not-connected", message, observed.agents),)
