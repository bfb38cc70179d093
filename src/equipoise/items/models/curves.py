"""Curves as data for charts: items against ability, agents against difficulty."""

import numpy as np
import scipy

from equipoise.core.lazy import pl
from equipoise.core.options import check_options, positive, whole
from equipoise.items.result import IRT
from equipoise.items.scoring.calibration import Calibration

_OPTIONS = {"reach": positive(), "points": whole(2)}


def item_curve_frame(source: IRT | Calibration, *, reach: float = 4.0, points: int = 81) -> "pl.DataFrame":
    """Give each item's chance of success against ability: columns ``item``, ``ability``, ``probability``.

    >>> bank = Calibration.from_parameters(["x"], difficulty=[0.0])
    >>> item_curve_frame(bank, reach=1, points=3)["probability"].round(3).to_list()
    [0.269, 0.5, 0.731]
    """
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

    An item of typical sharpness (the median positive discrimination) is moved along the scale. ``low`` and ``high``
    contain what is not known of the ability and, where the fit has it, of that sharpness. The empirical curves beside
    them are in :meth:`Generality.curve_frame`.
    """
    check_options(_OPTIONS, {"reach": reach, "points": points})
    typical, variance = _typical_slope(fit)
    known = [k for k, value in enumerate(fit.ability) if np.isfinite(value)]
    difficulty = np.linspace(-reach, reach, points)
    away = fit.ability[known][:, None] - difficulty
    half = (fit.ability_high - fit.ability_low)[known][:, None] / 2.0
    errors = half / fit.ability_se[known][:, None]  # how many of them an interval reaches
    half = np.hypot(typical * half, errors * np.sqrt(variance) * away)
    table, low, high = (scipy.special.expit(typical * away + side * half).ravel() for side in (0.0, -1.0, 1.0))
    return pl.DataFrame(
        {
            "agent": [fit.agents[k] for k in known for _ in range(points)],
            "difficulty": np.tile(difficulty, len(known)),
            "probability": table,
            "low": low,
            "high": high,
        }
    )


def _typical_slope(fit: IRT) -> tuple[float, float]:
    """Return the median of the positive discriminations, and the variance of their mean: what they share is unknown."""
    used = fit.discrimination[~np.isnan(fit.discrimination)]
    rising = used > 0
    if not rising.any():
        return 1.0, 0.0
    typical = float(np.median(used[rising]))
    if fit.uncertainty is None:
        return typical, 0.0
    average = np.zeros((1, 3, len(used)))
    average[0, 0, rising] = 1.0 / rising.sum()
    return typical, float(fit.uncertainty.variance(average)[0])
