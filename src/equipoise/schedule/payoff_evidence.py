"""What is observed of each unknown payoff, and whether the confidence intervals of two of them are apart.

Counts, totals and what follows from them for one cell are stored in plain lists and renewed when that cell is
observed: a game touches one or two cells, and reading a number from a list costs a tenth of reading it from an array.
The last place of every list belongs to payoffs that are known (cell -1): no games, a mean of 0, no width.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
import scipy

from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.wording import Option
from equipoise.schedule.payoff_cells import CellEdge, CellView

# Options of ResponseGraphUCB: its strategies, and everything else in one frozen value.

Sampling = Literal["uniform", "uniform-exhaustive", "valence-weighted", "count-weighted"]
UcbConfidence = Literal["hoeffding", "clopper-pearson"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UcbOptions:
    """What :class:`~equipoise.ResponseGraphUCB` was made with; single options were checked by its declaration."""

    delta: float = 0.1
    sampling: Sampling = "uniform-exhaustive"
    confidence: UcbConfidence = "hoeffding"
    relaxation: float = 0.0
    union_bound: bool = False
    time_dependent: bool = False
    exploration: float = 0.0
    payoff_range: tuple[float, float] = (0.0, 1.0)
    symmetric: bool = False
    constant_sum: float | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "payoff_range", _ends(self.payoff_range))
        for name, value in (("relaxation", self.relaxation), ("exploration", self.exploration)):
            if math.isinf(value):
                raise ParameterError(Option(name), f" is a finite number, not {value}")
        if self.constant_sum is not None and math.isinf(self.constant_sum):
            raise ParameterError(Option("constant_sum"), f" is a finite number, not {self.constant_sum}")
        if self.confidence == "clopper-pearson" and self.exploration:
            raise ParameterError(Option("exploration"), " goes with ", Option("confidence", "hoeffding"), " only")

    @property
    def guarantee(self) -> str:
        """What may be claimed for resolved edges."""
        if self.union_bound and self.time_dependent and not self.relaxation:
            return f"all resolved edges are right with probability at least {1 - self.delta:g}"
        return "none: a guarantee needs union_bound and time_dependent, and no relaxation"

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return asdict(self) | {"payoff_range": list(self.payoff_range)}


def _ends(payoff_range: object) -> tuple[float, float]:
    ends = tuple(payoff_range) if isinstance(payoff_range, Iterable) else ()
    if len(ends) == 2 and all(isinstance(end, Real) and math.isfinite(end) for end in ends) and ends[0] < ends[1]:
        return float(ends[0]), float(ends[1])
    raise ParameterError(Option("payoff_range"), f" is a least and a greatest payoff, not {payoff_range!r}")


def strategy_names(strategies: Any) -> tuple[tuple[str, ...], ...]:
    """Read strategies given as sizes, as one list of names, or as a list for each population."""
    names = _names(strategies)
    if not names:
        raise ParameterError(
            Option("strategies"),
            f" are numbers of strategies, a list of names, or a list for each population, not {strategies!r}",
        )
    for number, group in enumerate(names, start=1):
        if len(group) < 2:
            raise ParameterError(f"population {number} needs at least two strategies, got {len(group)}")
        if len(set(group)) < len(group):
            raise ParameterError(f"population {number} names a strategy twice")
    return names


def _names(strategies: Any) -> tuple[tuple[str, ...], ...]:
    """Give the names of each population; nothing where the strategies are in none of the three forms."""
    if _is_size(strategies):
        strategies = (strategies,)
    if not isinstance(strategies, Iterable) or isinstance(strategies, Mapping):
        return ()
    groups = list(strategies)
    if all(_is_size(group) for group in groups):
        return tuple(tuple(str(i) for i in range(int(size))) for size in groups)
    if all(isinstance(group, str) for group in groups):
        return (tuple(groups),)
    if all(isinstance(group, Iterable) and not isinstance(group, str) for group in groups):
        return tuple(tuple(str(name) for name in group) for group in groups)
    return ()


def _is_size(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def strategy_index(item: object, names: tuple[str, ...]) -> int:
    """Find a strategy by index or name."""
    if isinstance(item, int | np.integer) and 0 <= int(item) < len(names):
        return int(item)
    if str(item) in names:
        return names.index(str(item))
    raise DataError(f'no strategy "{item}"{did_you_mean(str(item), names)}')


def evidence(cells: int, shape: Sequence[int], options: UcbOptions) -> "PayoffEvidence":
    """Give evidence without games for the confidence method asked for."""
    kind = HoeffdingEvidence if options.confidence == "hoeffding" else ClopperPearsonEvidence
    return kind(cells, shape, options)


class PayoffEvidence(ABC):
    """Games and total payoff of every cell, and the intervals they give.

    Attributes
    ----------
    count, total
        One entry a cell, and a last one for payoffs that are known.
    """

    def __init__(self, cells: int, shape: Sequence[int], options: UcbOptions) -> None:
        self._low, self._high = options.payoff_range
        self._delta = float(options.delta)
        if options.union_bound:
            self._delta /= math.prod(shape) * sum(n - 1 for n in shape)
        self._time_dependent = options.time_dependent
        self.count, self.total = [0.0] * (cells + 1), [0.0] * (cells + 1)
        self._mean = [math.nan] * cells + [0.0]

    def add(self, cell: int, value: float, games: float) -> None:
        """Count games of mean payoff ``value`` for a cell."""
        self.count[cell] += games
        self.total[cell] += value * games
        self._renew(cell)

    def restore(self, count: Sequence[float], total: Sequence[float]) -> None:
        """Go on from saved counts and totals of the cells."""
        self.count, self.total = [*map(float, count), 0.0], [*map(float, total), 0.0]
        for cell, games in enumerate(self.count[:-1]):
            if games:
                self._renew(cell)

    def _renew(self, cell: int) -> None:
        self._mean[cell] = self.total[cell] / self.count[cell]

    def games(self, edge: CellEdge) -> float:
        """Games behind the two payoffs of an edge."""
        before, after = edge.before.cell, edge.after.cell
        return self.count[before] if before == after else self.count[before] + self.count[after]

    def delta(self, games: float) -> float:
        """Confidence parameter of an edge with so many games behind it."""
        if not self._time_dependent:
            return self._delta
        return self._delta * 6.0 / (math.pi**2 * max(games, 1.0) ** 3)

    def gap(self, edge: CellEdge) -> float:
        """Estimated gain of moving from source to target; NaN before both were played."""
        before, after = edge.before, edge.after
        mean = self._mean
        return (after.offset + after.sign * mean[after.cell]) - (before.offset + before.sign * mean[before.cell])

    @abstractmethod
    def overlap(self, edge: CellEdge) -> tuple[float, float]:
        """How far one interval must move to clear the other (below 0 once they are apart), and the estimated gap.

        For intervals that overlap in part this is the length of the overlap; a known payoff is an interval of length 0.
        """


class HoeffdingEvidence(PayoffEvidence):
    r"""Intervals :math:`\bar x \pm (b - a) \sqrt{\tfrac12 (1 + c \log(1 + t)) \log(2 / \delta) / n}`.

    The width of a cell is its :math:`1 / \sqrt n` times a factor that both ends of an edge share, so two intervals
    overlap by the factor times the sum of the two roots, less the gap.
    """

    def __init__(self, cells: int, shape: Sequence[int], options: UcbOptions) -> None:
        super().__init__(cells, shape, options)
        self._exploration = float(options.exploration)
        self._root = [math.inf] * cells + [0.0]
        fixed = not (self._time_dependent or self._exploration)
        self._fixed = self._factor(0.0) if fixed else None

    def _renew(self, cell: int) -> None:
        super()._renew(cell)
        self._root[cell] = 1.0 / math.sqrt(self.count[cell])

    def _factor(self, games: float) -> float:
        bonus = 0.5 * (1.0 + self._exploration * math.log1p(games))
        return float((self._high - self._low) * math.sqrt(bonus * math.log(2.0 / self.delta(games))))

    def overlap(self, edge: CellEdge) -> tuple[float, float]:
        """Give how far the intervals are from separating, and the gap."""
        root = self._root[edge.before.cell] + self._root[edge.after.cell]
        gap = self.gap(edge)
        if root == math.inf:  # one of them was never played
            return root, gap
        factor = self._factor(self.games(edge)) if self._fixed is None else self._fixed
        return factor * root - abs(gap), gap


class ClopperPearsonEvidence(PayoffEvidence):
    """Exact intervals for payoffs that only take the two ends of the range."""

    def __init__(self, cells: int, shape: Sequence[int], options: UcbOptions) -> None:
        super().__init__(cells, shape, options)
        self._ends = [(-math.inf, math.inf)] * cells + [(0.0, 0.0)]

    def _renew(self, cell: int) -> None:
        super()._renew(cell)
        if not self._time_dependent:
            self._ends[cell] = self._exact(cell, self._delta)

    def _exact(self, cell: int, delta: float) -> tuple[float, float]:
        n, width = self.count[cell], self._high - self._low
        wins = n * (self._mean[cell] - self._low) / width
        low = scipy.special.betaincinv(wins, n - wins + 1.0, delta / 2.0) if wins > 1e-9 else 0.0
        high = scipy.special.betaincinv(wins + 1.0, n - wins, 1.0 - delta / 2.0) if n - wins > 1e-9 else 1.0
        return self._low + width * float(low), self._low + width * float(high)

    def _interval(self, view: CellView, delta: float) -> tuple[float, float]:
        known = view.cell < 0 or not self._time_dependent or not self.count[view.cell]
        low, high = self._ends[view.cell] if known else self._exact(view.cell, delta)
        ends = view.offset + view.sign * low, view.offset + view.sign * high
        return ends if view.sign >= 0.0 else (ends[1], ends[0])

    def overlap(self, edge: CellEdge) -> tuple[float, float]:
        """Give how far the intervals are from separating, and the gap."""
        delta = self.delta(self.games(edge))
        low1, high1 = self._interval(edge.before, delta)
        low2, high2 = self._interval(edge.after, delta)
        return min(high1 - low2, high2 - low1), self.gap(edge)
