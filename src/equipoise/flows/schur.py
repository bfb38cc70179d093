"""Schur decomposition: the discs on which agents chase each other.

Canonical real Schur form of antisymmetric matrices.

``A = sum_d s_d (x_d y_d^T - y_d x_d^T)``: each *disc* is a plane with orthonormal axes ``x_d, y_d``
and a strength ``s_d > 0``. The plane is unique where strengths differ, but the axes may be turned
within it. Here they are turned so that the same matrix always gives the same vectors.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.declaration import method
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.flows.flow_data import EPSILON, FlowData, ObservedFlow, observed_flow
from equipoise.flows.operators import rot
from equipoise.inference.threads import one_thread

ComplexArray = NDArray[np.complex128]


class Discs(NamedTuple):
    """Discs of an antisymmetric matrix, strongest first."""

    values: FloatArray
    """Strengths, shape (discs,)."""
    vectors: FloatArray
    """Axes, shape (n, 2 * discs): columns 2d and 2d + 1 span disc d."""


def schur_discs(flow: FloatArray, *, tol: float | None = None) -> Discs:
    """Discs of the antisymmetric matrix ``flow``.

    Strengths at or below ``tol`` (default ``n * eps * largest``) count as zero and are left out.
    Within each disc the axes are turned so that the agent farthest from the origin lies on the
    positive first axis (of several, the one with the largest row sum, then the first). Equal strengths share one larger
    space; it is divided by the same rule, so the answer never depends on the eigensolver.
    """
    n = len(flow)
    # -i A is Hermitian: its eigenvalues are +-s and its eigenvectors (x + i y) / sqrt(2).
    with one_thread(n):
        values, vectors = np.linalg.eigh(-1j * (flow - flow.T) / 2)
    largest = float(values[-1]) if n else 0.0
    cut = n * np.finfo(float).eps * largest if tol is None else tol
    nonzero = values[::-1] > cut
    values, vectors = values[::-1][nonzero], vectors[:, ::-1][:, nonzero]
    return _as_discs(values, _fixed(values, vectors, flow.sum(axis=1)))


def _as_discs(values: FloatArray, vectors: ComplexArray) -> Discs:
    """Real axes of the complex eigenvectors."""
    axes = np.empty((len(vectors), 2 * len(values)))
    axes[:, 0::2], axes[:, 1::2] = vectors.real * np.sqrt(2.0), vectors.imag * np.sqrt(2.0)
    return Discs(values, axes)


def _fixed(values: FloatArray, vectors: ComplexArray, strength: FloatArray) -> ComplexArray:
    """Choose the eigenvectors by the data alone, also where strengths are equal.

    Each group of equal strengths has one projector, whatever basis the eigensolver took. Its
    longest column is the next vector, whose own entry is then real and positive; that vector is
    taken out of the projector and the next one chosen.
    """
    fixed = np.empty_like(vectors)
    new_group = np.diff(values) < -1e-9 * values[:-1]
    for group in np.split(np.arange(len(values)), np.flatnonzero(new_group) + 1):
        basis = vectors[:, group]
        for d in group:
            radius = np.linalg.norm(basis, axis=1)
            longest = radius >= radius.max() * (1 - 1e-9)
            lead = int(np.argmax(np.where(longest, strength, -np.inf)))
            fixed[:, d] = basis @ basis[lead].conj() / radius[lead]
            basis = basis - np.outer(fixed[:, d], fixed[:, d].conj() @ basis)
    return fixed


def leading_discs(flow: Any, k: int) -> Discs:
    """Strongest ``k`` discs of a sparse antisymmetric matrix."""
    n = flow.shape[0]
    if n <= 500:
        discs = schur_discs(flow.toarray())
        return Discs(discs.values[:k], discs.vectors[:, : 2 * k])
    # A fixed first vector: the Lanczos iteration is the same from run to run.
    first = np.exp(1j * np.arange(n))
    values, vectors = scipy.sparse.linalg.eigsh(-1j * flow, k=k, which="LA", v0=first)
    order = np.argsort(-values)
    strength = np.asarray(flow.sum(axis=1))
    return _as_discs(values[order], _fixed(values[order], vectors[:, order], strength))


def low_rank_discs(left: FloatArray) -> Discs:
    """Discs of ``C Omega C^T`` for an ``n`` by ``2k`` matrix ``C``, without forming the product.

    ``Omega`` has blocks ``[[0, 1], [-1, 0]]``, so columns 2d and 2d + 1 of ``C`` belong together.
    """
    q, r = np.linalg.qr(left)
    half = r[:, 0::2] @ r[:, 1::2].T
    small = schur_discs(half - half.T)
    vectors = q @ (small.vectors[:, 0::2] + 1j * small.vectors[:, 1::2]) / np.sqrt(2.0)
    total = left.sum(axis=0)
    row_sums = left[:, 0::2] @ total[1::2] - left[:, 1::2] @ total[0::2]
    return _as_discs(small.values, _fixed(small.values, vectors, row_sums))


def from_discs(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """Antisymmetric matrix with the given discs (fewer discs: a low-rank approximation)."""
    x, y = vectors[:, 0 : 2 * len(values) : 2], vectors[:, 1 : 2 * len(values) : 2]
    half = (x * values) @ y.T
    return np.asarray(half - half.T)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Schur(Result):
    """Discs of an antisymmetric table, strongest first.

    Attributes
    ----------
    values
        Strength of each disc.
    vectors
        Axes, agents by 2 x discs: columns 2d and 2d + 1 place the agents on disc d. The same data give the same
        vectors: the agent farthest from the centre lies on the positive first axis.
    share
        Share of the squared table that each disc holds.
    """

    main: ClassVar[str] = "vectors"
    in_summary: ClassVar[tuple[str, ...]] = ("values", "share")

    agents: tuple[str, ...]
    values: FloatArray
    vectors: FloatArray
    share: FloatArray

    @property
    def answer(self) -> tuple[str, ...]:
        """How many discs there are, and how much the strongest holds."""
        what = "the cyclic part of the table" if self.params["part"] == "cyclic" else "the table"
        if len(self.values) < 2:
            return (f"One disc holds all of {what}." if len(self.values) else f"There is no disc: {what} is even.",)
        return (f"The strongest of {len(self.values)} discs holds {self.share[0]:.0%} of {what}.",)

    def approximation(self, k: int) -> FloatArray:
        """Give the best antisymmetric matrix of rank 2k: the first k discs."""
        if not 0 <= k <= len(self.values):
            raise ParameterError(Option("k"), f" is between 0 and the {len(self.values)} discs there are, not {k}")
        return frozen(from_discs(self.values[:k], self.vectors[:, : 2 * k]))

    def frame(self) -> "pl.DataFrame":
        """Give each agent's place on the first disc (x, y), farthest from the centre first."""
        x, y = self._axis(0), self._axis(1)
        table = pl.DataFrame({"agent": list(self.agents), "x": x, "y": y, "radius": np.hypot(x, y)})
        return table.sort("radius", descending=True, maintain_order=True)

    def _axis(self, column: int) -> FloatArray:
        return self.vectors[:, column] if self.vectors.shape[1] else np.zeros(len(self.agents))


@method(
    takes=("matches", "pairs", "metagame", "array"),
    answers="On which discs do agents chase each other, and how strongly?",
    reference="Balduzzi et al. (2018)",
    checks={"epsilon": EPSILON},
    resampled="discs turn and change places from one resample to the next, so that their axes have no common spread",
)
def schur(data: FlowData, *, part: Literal["all", "cyclic"] = "all", epsilon: float = 0.001) -> Schur:
    r"""On which discs do agents chase each other, and how strongly?

    .. math:: A = \sum_d s_d (x_d y_d^\top - y_d x_d^\top), \qquad s_1 \ge s_2 \ge \dots > 0

    On one disc, i beats j as strongly as the triangle (0, i, j) is large, seen from i to j anticlockwise. A transitive
    table is a single disc with all agents on one line.

    Parameters
    ----------
    data
        Games of a complete table (log-odds), payoffs M of a single population (M - M^T), or an antisymmetric matrix.
    part
        Of ``all`` of the table, or of the ``cyclic`` rest that a rating leaves over.
    epsilon
        How near to 0 and 1 the probabilities of a table without counts may come.

    Returns
    -------
    Schur
        Strengths, axes, low-rank approximations.

    Fails when
        some pair never met: an antisymmetric matrix has no gaps. Multidimensional Elo (:func:`melo`) works with gaps.

    References
    ----------
    Balduzzi, Tuyls, Perolat, Graepel (2018), Re-evaluating Evaluation, section 2.2 and appendix F.

    Examples
    --------
    >>> import equipoise as eq
    >>> eq.schur(np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])).values.round(4).tolist()
    [1.7321]
    """
    observed = observed_flow(data, epsilon)
    _refuse_gaps(observed)
    flow = observed.matrix(observed.flow)
    discs = schur_discs(rot(flow) if part == "cyclic" else flow)
    squares = (discs.values / discs.values.max(initial=0.0)) ** 2 if len(discs.values) else discs.values
    return Schur(
        agents=observed.agents, values=frozen(discs.values), vectors=frozen(discs.vectors),
        share=frozen(squares / squares.sum() if len(squares) else squares),
        params=frozen_params(part=part, epsilon=epsilon), diagnostics=observed.diagnostics,
    )  # fmt: skip


def _refuse_gaps(observed: ObservedFlow) -> None:
    if observed.complete:
        return
    gaps = np.argwhere(np.triu(np.isnan(observed.matrix(observed.flow))))
    pairs = some_of(f"{observed.agents[i]} vs {observed.agents[j]}" for i, j in gaps)
    count = "1 pair" if len(gaps) == 1 else f"{len(gaps):,} pairs"
    raise DataError(f"{count} never met ({pairs}); the Schur form needs all of them, melo does not")
