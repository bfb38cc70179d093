"""From what users bring to a flow on the pairs that met."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.options import number
from equipoise.core.results import FloatArray, IntArray
from equipoise.data.encode.labels import agent_names
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable

FlowData = Matches | PairTable | MetaGame | npt.NDArray[np.floating]
"""Games, whose log-odds are the flow; or payoffs M of one population (M - M^T); or an antisymmetric matrix."""

EPSILON = number(0, 0.5, strictly=True)
"""How near to 0 and 1 probabilities without counts may come."""
LARGEST = 1e300
"""Flows of many pairs are added up; beyond this a sum may be no finite number."""


@dataclass(frozen=True, slots=True, eq=False)
class ObservedFlow:
    """A flow on the pairs that met, ``first < second``, with the games behind each.

    ``log_odds`` tells whether the flow has that unit: it has where games were given.
    """

    agents: tuple[str, ...]
    first: IntArray
    second: IntArray
    flow: FloatArray
    games: FloatArray
    log_odds: bool
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
    if isinstance(data, Matches):
        return pair_flow(data.pairs().unordered(), epsilon)
    if isinstance(data, PairTable):
        return pair_flow(data.unordered(), epsilon)
    if isinstance(data, MetaGame):
        if not data.single:
            raise DataError("a flow needs one population playing against itself; use MetaGame.symmetric")
        payoff = data.payoffs[0]
        with np.errstate(over="ignore"):  # what is too large is refused below
            difference = payoff - payoff.T
        return _matrix_flow(difference, data.strategies[0], data.diagnostics)
    matrix = _matrix(data)
    _refuse_asymmetry(matrix)
    return _matrix_flow((matrix - matrix.T) / 2, agent_names(None, len(matrix)), ())


def pair_flow(table: PairTable, epsilon: float) -> ObservedFlow:
    """Log-odds of a table that is one row a pair (``PairTable.unordered``)."""
    notes = list(table.diagnostics)
    smooth = 0.5 if table.counted else 0.0
    rate = (table.score + smooth) / (table.games + 2 * smooth)
    if not table.counted:
        clipped = np.clip(rate, epsilon, 1 - epsilon)
        changed = np.flatnonzero(clipped != rate)
        if len(changed):
            names = [f"{table.agents[table.first[e]]} vs {table.agents[table.second[e]]}" for e in changed]
            which = some_of(names)
            moved = f"1 pair ({which}) was" if len(changed) == 1 else f"{len(changed):,} pairs ({which}) were"
            notes.append(
                warning(
                    "clipped-probabilities",
                    f"Log-odds of 0 and 1 are infinite: {moved} moved to {epsilon:g} from certainty, and the answer"
                    " depends on that number.",
                    names,
                )
            )
        rate = clipped
    flow = np.log(rate) - np.log1p(-rate)
    first, second = table.first.astype(np.int64), table.second.astype(np.int64)
    return ObservedFlow(table.agents, first, second, flow, table.games.copy(), True, tuple(notes))


def _matrix_flow(flow: FloatArray, agents: tuple[str, ...], notes: tuple[Diagnostic, ...]) -> ObservedFlow:
    first, second = (index.astype(np.int64) for index in np.triu_indices(len(flow), 1))
    if len(first) == 0:
        raise DataError("a flow needs at least two agents")
    if not np.abs(flow).max() <= LARGEST:
        raise DataError(f"a flow must stay below {LARGEST:g} in size; scale it down")
    return ObservedFlow(agents, first, second, flow[first, second], np.ones(len(first)), False, notes)


def _matrix(data: object) -> FloatArray:
    try:
        numbers = np.asarray(data)
        if np.iscomplexobj(numbers):
            raise TypeError
        return np.asarray(numbers, dtype=float)
    except (TypeError, ValueError):
        raise DataError(
            f"a flow comes from matches, pair counts, payoffs or a matrix of real numbers; this {type(data).__name__}"
            " is none of them"
        ) from None


def _refuse_asymmetry(matrix: FloatArray) -> None:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"a flow must be a square matrix, not of shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise DataError("a flow must be finite; give games as a PairTable where some pairs never met")
    size = float(np.abs(matrix).max(initial=0.0))
    if size > LARGEST:
        raise DataError(f"a flow must stay below {LARGEST:g} in size; scale it down")
    if matrix.size and np.abs(matrix + matrix.T).max() > 1e-8 * max(1.0, size):
        i, j = np.unravel_index(int(np.argmax(np.abs(matrix + matrix.T))), matrix.shape)
        raise DataError(
            f"a flow must be antisymmetric, but A[{i}, {j}] + A[{j}, {i}] = {matrix[i, j] + matrix[j, i]:g};"
            " give win probabilities as PairTable.from_matrix, payoffs as MetaGame.symmetric"
        )
