"""Options of ResponseGraphUCB, checked once."""

import math
from typing import Any, Literal

import numpy as np

from equipoise.errors import DataError, ParameterError, did_you_mean

__all__ = ["Sampling", "UcbConfidence", "check_options", "strategy_index", "strategy_names"]

Sampling = Literal["uniform", "uniform-exhaustive", "valence-weighted", "count-weighted"]
UcbConfidence = Literal["hoeffding", "clopper-pearson"]
SAMPLING = ("uniform", "uniform-exhaustive", "valence-weighted", "count-weighted")


def strategy_names(strategies: Any) -> tuple[tuple[str, ...], ...]:
    """Read strategies given as sizes, as one list of names, or as a list for each population."""
    if isinstance(strategies, int | np.integer):
        strategies = (strategies,)
    groups = list(strategies)
    if not groups:
        raise ParameterError("no strategies given")
    if all(isinstance(g, int | np.integer) for g in groups):
        names = tuple(tuple(str(i) for i in range(int(n))) for n in groups)
    elif all(isinstance(g, str) for g in groups):
        names = (tuple(groups),)
    else:
        names = tuple(tuple(str(name) for name in group) for group in groups)
    for number, group in enumerate(names, start=1):
        if len(group) < 2:
            raise ParameterError(f"population {number} needs at least two strategies, got {len(group)}")
        if len(set(group)) < len(group):
            raise ParameterError(f"population {number} names a strategy twice")
    return names


def strategy_index(item: object, names: tuple[str, ...]) -> int:
    """Find a strategy by index or name."""
    if isinstance(item, int | np.integer) and 0 <= int(item) < len(names):
        return int(item)
    if str(item) in names:
        return names.index(str(item))
    raise DataError(f'no strategy "{item}"{did_you_mean(str(item), names)}')


def check_options(o: dict[str, Any]) -> None:
    """Refuse options that make no sense."""
    if not 0.0 < o["delta"] < 1.0:
        raise ParameterError(f"delta must lie strictly between 0 and 1, got {o['delta']}")
    for name, known in (("sampling", SAMPLING), ("confidence", ("hoeffding", "clopper-pearson"))):
        if o[name] not in known:
            raise ParameterError(f'{name} is one of {", ".join(known)}, not "{o[name]}"{did_you_mean(o[name], known)}')
    for name in ("relaxation", "exploration"):
        if not (math.isfinite(o[name]) and o[name] >= 0.0):
            raise ParameterError(f"{name} must be at least 0, got {o[name]}")
    low, high = o["payoff_range"]
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ParameterError(f"payoff_range is a least and a greatest payoff, not {o['payoff_range']}")
    if o["confidence"] == "clopper-pearson" and o["exploration"]:
        raise ParameterError("exploration widens hoeffding intervals only")
    if o["budget"] is not None and o["budget"] < 1:
        raise ParameterError(f"budget is at least one game, got {o['budget']}")
