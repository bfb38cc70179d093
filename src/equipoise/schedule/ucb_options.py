"""Options of ResponseGraphUCB: its strategies, and everything else in one frozen value."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.wording import Option

__all__ = ["Sampling", "UcbConfidence", "UcbOptions", "strategy_index", "strategy_names"]

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
