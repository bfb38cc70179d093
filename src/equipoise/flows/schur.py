"""Schur decomposition: the discs on which agents chase each other."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.results import FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.flows.flow_data import EPSILON, FlowData, ObservedFlow, observed_flow
from equipoise.flows.operators import rot
from equipoise.flows.schur_form import from_discs, schur_discs

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Schur", "schur"]


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

    agents: tuple[str, ...]
    values: FloatArray
    vectors: FloatArray
    share: FloatArray

    @property
    def words(self) -> tuple[str, ...]:
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
        import polars as pl

        x, y = self._axis(0), self._axis(1)
        table = pl.DataFrame({"agent": list(self.agents), "x": x, "y": y, "radius": np.hypot(x, y)})
        return table.sort("radius", descending=True, maintain_order=True)

    def _axis(self, column: int) -> FloatArray:
        return self.vectors[:, column] if self.vectors.shape[1] else np.zeros(len(self.agents))

    def summary(self) -> dict[str, object]:
        """Give the discs' strengths and shares."""
        return {"values": self.values, "share": self.share}


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
