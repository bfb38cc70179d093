r"""The order that contradicts the fewest votes, exactly (Kemeny and Young).

.. math:: \max_{\text{orders}} \sum_{i \text{ before } j} M_{ij}

Strong components of ``M >= 0`` keep their order (Truchon's extended Condorcet criterion), so each is solved by itself:
up to 16 agents by dynamic programming over subsets, which also finds all optima; more by the linear program over

    x_ij in [0, 1], 0 <= x_ij + x_jk - x_ik <= 1,

with rows added where they are violated, and by an integer program only where its solution is no order.
"""

from dataclasses import dataclass
from time import monotonic

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.choice.majority import Layers, components, peeled
from equipoise.core.results import FloatArray, IntArray

BY_SUBSETS = 16
"""Agents up to which all subsets are gone through."""
NEAR = 1e-9
"""Values this close, relative to the largest margin, are equal."""
ROWS_AT_ONCE = 4000
"""Violated rows that are added at a time, the most violated first."""
TRIES = 2000
"""Rounds of adding rows."""


@dataclass(frozen=True, slots=True)
class Kemeny:
    """The best order of all.

    Attributes
    ----------
    order
        One of the optimal orders, best first.
    value
        Its sum of margins.
    bound
        No order has a larger sum.
    layers
        Agents that some optimal order puts the other way round share a layer, where optima were counted.
    optima
        How many orders are optimal; None where that was not counted: in cycles of many agents.
    first
        Who is first in some optimal order, where they were counted.
    """

    order: tuple[int, ...]
    value: float
    bound: float
    layers: Layers
    optima: int | None
    first: tuple[int, ...]

    @property
    def proved(self) -> bool:
        """Whether nothing is better."""
        return self.bound - self.value <= NEAR * max(abs(self.bound), 1.0)


def kemeny(margins: FloatArray, seconds: float) -> Kemeny:
    """Give the order with the largest sum of margins; where time runs out, the best that was seen and a bound."""
    until = monotonic() + seconds
    parts = components(margins)
    solved = [_part(margins[np.ix_(part, part)], max(until - monotonic(), 0.0)) for part in parts]
    rest = list(enumerate(parts, 1))
    between = sum(float(margins[np.ix_(upper, lower)].sum()) for k, upper in rest for lower in parts[k:])
    counted = [one.optima for one in solved]
    optima = 1
    for count in counted:
        optima = 0 if count is None else optima * count
    return Kemeny(
        tuple(int(part[i]) for part, one in zip(parts, solved, strict=True) for i in one.order),
        between + sum(one.value for one in solved),
        between + sum(one.bound for one in solved),
        tuple(
            tuple(int(part[i]) for i in layer) for part, one in zip(parts, solved, strict=True) for layer in one.layers
        ),
        optima or None,
        tuple(int(parts[0][i]) for i in solved[0].first),
    )  # fmt: skip


def _part(margins: FloatArray, seconds: float) -> Kemeny:
    if len(margins) == 1:
        return Kemeny((0,), 0.0, 0.0, ((0,),), 1, (0,))
    return _by_subsets(margins) if len(margins) <= BY_SUBSETS else _by_program(margins, seconds)


def value_of(margins: FloatArray, order: IntArray) -> float:
    """Give the sum of margins of an order."""
    return float(np.triu(margins[np.ix_(order, order)], 1).sum())


def _by_subsets(margins: FloatArray) -> Kemeny:
    """Go through all subsets: the best order of a set puts some agent first and the others in their best order."""
    n = len(margins)
    masks = np.arange(1 << n)
    size = np.bitwise_count(masks)
    wins = np.zeros((n, 1 << n))  # of j over the members of a set
    for k in range(n):
        wins[:, 1 << k : 2 << k] = wins[:, : 1 << k] + margins[:, k, None]
    near = NEAR * float(np.abs(margins).max())
    best, ways = np.full(1 << n, -np.inf), np.zeros(1 << n)
    best[0], ways[0] = 0.0, 1.0
    by_size = [masks[size == k] for k in range(n + 1)]
    for sets in by_size[1:]:
        for j in range(n):
            having = sets[sets >> j & 1 == 1]
            best[having] = np.maximum(best[having], wins[j, having] + best[having ^ (1 << j)])
        for j in range(n):
            having = sets[sets >> j & 1 == 1]
            top = wins[j, having] + best[having ^ (1 << j)] >= best[having] - near
            ways[having] += np.where(top, ways[having ^ (1 << j)], 0.0)
    before = _before(wins, best, near, by_size)
    order, mask = [], (1 << n) - 1
    first = tuple(j for j in range(n) if wins[j, mask] + best[mask ^ (1 << j)] >= best[mask] - near)
    while mask:
        gains = {j: wins[j, mask] + best[mask ^ (1 << j)] for j in range(n) if mask >> j & 1}
        order.append(next(j for j, gain in gains.items() if gain >= best[mask] - near))
        mask ^= 1 << order[-1]
    value = value_of(margins, np.array(order))
    return Kemeny(tuple(order), value, value, tied_layers(before & ~before.T), int(ways[-1]), first)


def _before(
    wins: FloatArray, best: FloatArray, near: float, by_size: list[npt.NDArray[np.int64]]
) -> npt.NDArray[np.bool_]:
    """Tell which agent stands before which in some optimal order: sets are followed from the whole down."""
    n = len(wins)
    reached = np.zeros(len(best), dtype=bool)
    reached[-1] = True
    before = np.zeros((n, n), dtype=bool)
    for sets in by_size[:0:-1]:
        here = sets[reached[sets]]
        for j in range(n):
            having = here[here >> j & 1 == 1]
            rest = having ^ (1 << j)
            rest = rest[wins[j, having] + best[rest] >= best[having] - near]
            reached[rest] = True
            below = int(np.bitwise_or.reduce(rest)) if len(rest) else 0
            before[j] |= [bool(below >> k & 1) for k in range(n)]
    return before


def tied_layers(surely: npt.NDArray[np.bool_]) -> Layers:
    """Group agents whose order is open, from which of them surely stand before which."""
    open_pairs = ~(surely | surely.T)
    count, group = scipy.sparse.csgraph.connected_components(open_pairs, directed=False)
    members = [np.flatnonzero(group == k) for k in range(count)]
    above = np.array([[bool(surely[np.ix_(a, b)].any()) and a is not b for b in members] for a in members])
    return tuple(
        tuple(int(i) for k in layer for i in members[k]) for layer in peeled(above)
    )  # fmt: skip


def _by_program(margins: FloatArray, seconds: float) -> Kemeny:
    """Solve the linear program, adding the rows that are violated; then, where it is no order, the integer program."""
    n, until = len(margins), monotonic() + seconds
    first, second = np.triu_indices(n, 1)
    gain = 2.0 * margins[first, second]
    scale = float(np.abs(gain).max())
    fixed = -float(gain.sum()) / 2.0
    place = np.full((n, n), -1)
    place[first, second] = np.arange(len(first))
    rows = _TriangleRows(n, place)
    x, bound = np.zeros(len(first)), np.inf
    for _ in range(TRIES):
        left = until - monotonic()
        if left <= 0:
            break
        solved = scipy.optimize.linprog(
            -gain / scale, bounds=(0, 1), method="highs-ds", options={"time_limit": left},
            **({"A_ub": rows.table(), "b_ub": rows.limits()} if len(rows) else {}),
        )  # fmt: skip
        if solved.status != 0:
            break
        x, bound = solved.x, -solved.fun * scale + fixed
        if not rows.add_violated(x):
            break
    whole = bool((np.abs(x - np.rint(x)) < 1e-6).all()) and not rows.violated(np.rint(x))
    order = _rounded(x, place, margins)
    value = value_of(margins, np.array(order))
    if not whole and until - monotonic() > 0:
        order, value, bound = _by_integers(
            gain / scale, rows, place, margins, (order, value, bound), until, fixed, scale
        )
    return Kemeny(order, value, bound, tuple((i,) for i in order), None, order[:1])


def _by_integers(
    gain: FloatArray, rows: "_TriangleRows", place: npt.NDArray[np.int64], margins: FloatArray,
    known: tuple[tuple[int, ...], float, float], until: float, fixed: float, scale: float,
) -> tuple[tuple[int, ...], float, float]:  # fmt: skip
    """Solve the integer program, adding rows until its solution is an order."""
    order, value, bound = known
    for _ in range(TRIES):
        left = until - monotonic()
        if left <= 0:
            break
        solved = scipy.optimize.milp(
            -gain, integrality=np.ones(len(gain)), bounds=scipy.optimize.Bounds(0, 1),
            constraints=scipy.optimize.LinearConstraint(rows.table(), -np.inf, rows.limits()),
            options={"time_limit": left, "mip_rel_gap": 0.0},
        )  # fmt: skip
        if solved.mip_dual_bound is not None and np.isfinite(solved.mip_dual_bound):
            bound = min(bound, -float(solved.mip_dual_bound) * scale + fixed)
        if solved.x is None:
            break
        found = _rounded(solved.x, place, margins)
        if value_of(margins, np.array(found)) > value:
            order, value = found, value_of(margins, np.array(found))
        if not rows.add_violated(np.rint(solved.x)) or solved.status != 0:
            break
    return order, value, bound


def _rounded(x: FloatArray, place: npt.NDArray[np.int64], margins: FloatArray) -> tuple[int, ...]:
    """Make an order of a solution: by how many each is before, then by moving agents as long as that gains."""
    n = len(place)
    ahead = np.zeros((n, n))
    upper = np.triu_indices(n, 1)
    ahead[upper] = x[place[upper]]
    ahead[upper[::-1]] = 1.0 - x[place[upper]]
    order = list(np.argsort(-ahead.sum(axis=1), kind="stable"))
    moved = True
    while moved:
        moved = False
        for agent in list(order):
            rest = [i for i in order if i != agent]
            gains = np.concatenate([[0.0], np.cumsum(margins[rest, agent] - margins[agent, rest])])
            best, now = int(np.argmax(gains)), order.index(agent)
            if gains[best] > gains[now] + 1e-12 * float(np.abs(margins).max()):
                rest.insert(best, agent)
                order, moved = rest, True
    return tuple(int(i) for i in order)


class _TriangleRows:
    """Rows of the program: 0 <= x_ij + x_jk - x_ik <= 1 for i < j < k, those that were violated once."""

    def __init__(self, n: int, place: npt.NDArray[np.int64]) -> None:
        self.n, self.place = n, place
        self.cells: list[tuple[int, int, int, int]] = []

    def __len__(self) -> int:
        return len(self.cells)

    def add_violated(self, x: FloatArray) -> int:
        """Add rows that a point violates, and say how many."""
        found = self.violated(x)
        self.cells += found
        return len(found)

    def violated(self, x: FloatArray) -> list[tuple[int, int, int, int]]:
        """Give the most violated rows: three cells, and the sign of the row."""
        found = []
        full = np.zeros((self.n, self.n))
        upper = np.triu_indices(self.n, 1)
        full[upper] = x[self.place[upper]]
        for j in range(1, self.n - 1):
            total = full[:j, j, None] + full[None, j, j + 1 :] - full[:j, j + 1 :]
            for sign, excess in ((1, total - 1.0), (-1, -total)):
                i, k = np.nonzero(excess > 1e-7)
                found += [
                    (float(excess[a, b]), int(self.place[a, j]), int(self.place[j, j + 1 + b]),
                     int(self.place[a, j + 1 + b]), sign)
                    for a, b in zip(i.tolist(), k.tolist(), strict=True)
                ]  # fmt: skip
        found.sort(reverse=True)
        return [row[1:] for row in found[:ROWS_AT_ONCE]]

    def table(self) -> "scipy.sparse.csr_array":
        """Give the left sides."""
        cells = np.array(self.cells)
        sign = cells[:, 3]
        rows = np.repeat(np.arange(len(cells)), 3)
        values = np.column_stack([sign, sign, -sign]).ravel()
        shape = (len(cells), self.n * (self.n - 1) // 2)
        return scipy.sparse.csr_array((values.astype(float), (rows, cells[:, :3].ravel())), shape=shape)

    def limits(self) -> FloatArray:
        """Give the right sides."""
        return np.array([1.0 if sign > 0 else 0.0 for *_, sign in self.cells])
