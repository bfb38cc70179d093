"""From what users bring to a flow on the pairs that met."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.data.labels import agent_names
from equipoise.data.matches import Matches
from equipoise.data.metagame import MetaGame
from equipoise.data.pairs import PairTable
from equipoise.diagnostics import Diagnostic, warning
from equipoise.errors import DataError, ParameterError, some_of
from equipoise.results import FloatArray, IntArray

__all__ = ["FlowData", "ObservedFlow", "observed_flow"]

FlowData = Matches | PairTable | MetaGame | npt.NDArray[np.floating]
"""Games, whose log-odds are the flow; or payoffs M of one population (M - M^T); or an antisymmetric matrix."""


@dataclass(frozen=True, slots=True, eq=False)
class ObservedFlow:
    """A flow on the pairs that met, ``first < second``, with the games behind each."""

    agents: tuple[str, ...]
    first: IntArray
    second: IntArray
    flow: FloatArray
    games: FloatArray
    diagnostics: tuple[Diagnostic, ...]

    @property
    def complete(self) -> bool:
        """Whether every pair met."""
        n = len(self.agents)
        return len(self.first) == n * (n - 1) // 2

    def matrix(self, values: FloatArray) -> FloatArray:
        """Dense antisymmetric form of one value a pair; NaN where a pair never met."""
        n = len(self.agents)
        dense = np.full((n, n), np.nan)
        dense[self.first, self.second], dense[self.second, self.first] = values, -values
        np.fill_diagonal(dense, 0.0)
        return dense


def observed_flow(data: FlowData, epsilon: float) -> ObservedFlow:
    """Log-odds of each pair that met, (w + 1/2)/(n + 1) smoothed; the flow itself where one was given."""
    if not 0 < epsilon < 0.5:
        raise ParameterError(f"epsilon is between 0 and 0.5, such as 0.001, not {epsilon}")
    if isinstance(data, Matches):
        data = data.pairs()
    if isinstance(data, PairTable):
        return _of_pairs(data.unordered(), epsilon)
    if isinstance(data, MetaGame):
        if not data.single:
            raise DataError("a flow needs one population playing against itself; use MetaGame.symmetric")
        payoff = data.payoffs[0]
        return _of_matrix(payoff - payoff.T, data.strategies[0], data.diagnostics)
    try:
        matrix = np.asarray(data, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            f"a flow comes from matches, pair counts, payoffs or a matrix, not {type(data).__name__}"
        ) from None
    _refuse_asymmetry(matrix)
    return _of_matrix((matrix - matrix.T) / 2, agent_names(None, len(matrix)), ())


def _of_pairs(table: PairTable, epsilon: float) -> ObservedFlow:
    notes = list(table.diagnostics)
    smooth = 0.5 if table.counted else 0.0
    rate = (table.score + smooth) / (table.games + 2 * smooth)
    if not table.counted:
        clipped = np.clip(rate, epsilon, 1 - epsilon)
        changed = np.flatnonzero(clipped != rate)
        if len(changed):
            names = [f"{table.agents[table.first[e]]} vs {table.agents[table.second[e]]}" for e in changed]
            notes.append(
                warning(
                    "clipped-probabilities",
                    f"Log-odds of 0 and 1 are infinite: {len(changed)} pairs ({some_of(names)}) were moved to"
                    f" {epsilon:g} from certainty, and the answer depends on that number.",
                    names,
                )
            )
        rate = clipped
    flow = np.log(rate) - np.log1p(-rate)
    first, second = table.first.astype(np.int64), table.second.astype(np.int64)
    return ObservedFlow(table.agents, first, second, flow, table.games.copy(), tuple(notes))


def _of_matrix(flow: FloatArray, agents: tuple[str, ...], notes: tuple[Diagnostic, ...]) -> ObservedFlow:
    first, second = (index.astype(np.int64) for index in np.triu_indices(len(flow), 1))
    if len(first) == 0:
        raise DataError("a flow needs at least two agents")
    return ObservedFlow(agents, first, second, flow[first, second], np.ones(len(first)), notes)


def _refuse_asymmetry(matrix: FloatArray) -> None:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"a flow must be a square matrix, not of shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise DataError("a flow must be finite; give games as a PairTable where some pairs never met")
    if matrix.size and np.abs(matrix + matrix.T).max() > 1e-8 * max(1.0, float(np.abs(matrix).max())):
        i, j = np.unravel_index(int(np.argmax(np.abs(matrix + matrix.T))), matrix.shape)
        raise DataError(
            f"a flow must be antisymmetric, but A[{i}, {j}] + A[{j}, {i}] = {matrix[i, j] + matrix[j, i]:g};"
            " give win probabilities as PairTable.from_matrix, payoffs as MetaGame.symmetric"
        )
