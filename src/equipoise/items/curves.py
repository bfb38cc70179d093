"""Curves as data for charts: items against ability, agents against difficulty."""

from typing import TYPE_CHECKING

import numpy as np
import scipy

from equipoise.items.calibration import Calibration
from equipoise.items.fit import IRT
from equipoise.options import check_options, positive, whole

if TYPE_CHECKING:
    import polars as pl

__all__ = ["agent_curve_frame", "item_curve_frame"]

_OPTIONS = {"reach": positive(), "points": whole(2)}


def item_curve_frame(source: IRT | Calibration, *, reach: float = 4.0, points: int = 81) -> "pl.DataFrame":
    """Give each item's chance of success against ability: columns ``item``, ``ability``, ``probability``.

    >>> bank = Calibration.from_parameters(["x"], difficulty=[0.0])
    >>> item_curve_frame(bank, reach=1, points=3)["probability"].round(3).to_list()
    [0.269, 0.5, 0.731]
    """
    import polars as pl

    check_options(_OPTIONS, {"reach": reach, "points": points})
    bank = source.calibration() if isinstance(source, IRT) else source
    ability = np.linspace(-reach, reach, points)
    table = bank.probability(ability).T
    return pl.DataFrame(
        {
            "item": [item for item in bank.items for _ in range(points)],
            "ability": np.tile(ability, len(bank.items)),
            "probability": table.ravel(),
        }
    )


def agent_curve_frame(fit: IRT, *, reach: float = 4.0, points: int = 81) -> "pl.DataFrame":
    """Give each agent's theoretical curve against difficulty: ``agent``, ``difficulty``, ``probability``.

    ``low`` and ``high`` are the curves at the ends of the ability's interval. An item of typical sharpness (the median
    positive discrimination) is moved along the scale. The empirical curves beside them are in
    :meth:`Generality.curve_frame`.
    """
    import polars as pl

    check_options(_OPTIONS, {"reach": reach, "points": points})
    rising = fit.discrimination[fit.discrimination > 0]
    typical = float(np.median(rising)) if len(rising) else 1.0
    known = [k for k, value in enumerate(fit.ability) if np.isfinite(value)]
    difficulty = np.linspace(-reach, reach, points)
    places = (fit.ability, fit.ability_low, fit.ability_high)
    table, low, high = (scipy.special.expit(typical * (at[known][:, None] - difficulty)).ravel() for at in places)
    return pl.DataFrame(
        {
            "agent": [fit.agents[k] for k in known for _ in range(points)],
            "difficulty": np.tile(difficulty, len(known)),
            "probability": table,
            "low": low,
            "high": high,
        }
    )
