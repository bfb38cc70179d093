"""Does an equilibrium hold beside every payoff, or only beside the largest?"""

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray
from equipoise.nash.reduction import BLOCK, magnitude

__all__ = ["balanced", "even_units"]

OWN_SCALE = 1e-6
"""Of the payoffs that an agent meets: an average this near to zero is zero."""
ROUNDING = 2 * float(np.finfo(float).eps)
"""Of the largest payoff: differences below this are those of the numbers as they were given."""


def balanced(payoff: npt.NDArray[np.floating[Any]], mass: FloatArray) -> bool:
    """Whether agents in play win as much as they lose, and others no more, each by the size of its own payoffs."""
    played = np.flatnonzero(mass)
    noise = ROUNDING * float(magnitude(payoff))
    for start in range(0, len(payoff), BLOCK):
        rows = payoff[start : start + BLOCK][:, played].astype(np.float64)
        average, size = rows @ mass[played], np.abs(rows) @ mass[played]
        off = np.where(mass[start : start + BLOCK] > 0, np.abs(average), average)
        if (off > np.maximum(OWN_SCALE * size, noise)).any():
            return False
    return True


def even_units(payoff: npt.NDArray[np.floating[Any]]) -> FloatArray:
    """Units of the agents in which payoffs have sizes as equal as can be: least squares of their logarithms."""
    size = np.abs(payoff.astype(np.float64))
    known = size > 0
    logs = np.log(np.where(known, size, 1.0))
    system = np.diag(known.sum(axis=1).astype(float)) + known
    unit = np.linalg.lstsq(system, -logs.sum(axis=1), rcond=None)[0]
    return np.asarray(np.exp(np.clip(unit, -300.0, 300.0)))
