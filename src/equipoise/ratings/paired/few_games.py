"""Agents of whom little is known: their errors are shared with the others', and they stand outside the others' ranks.

A clustered variance of an agent known from few clusters is hardly an estimate. Design effects (clustered variance over
that of independent games) are alike, so that of such an agent is drawn towards the others' mean D, as moderated
variances are (Smyth 2004): with d effective clusters less one

    V_i = (10 D Vinfo_i + d_i V_i) / (10 + d_i).

References
----------
Smyth (2004), Linear models and empirical Bayes methods for assessing differential expression.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import some_of
from equipoise.core.results import FloatArray

PROVISIONAL = "provisional"
"""Code of the diagnostic that names such agents."""
PRIOR_DEGREES = 10.0
"""Degrees of freedom that the shared design effect counts for."""
SETTLED = 10.0
"""Effective clusters, or games where there are no clusters, from which on an agent is not provisional."""


def known_from_few(effective: FloatArray) -> npt.NDArray[np.bool_]:
    """Tell which agents are known from few effective clusters, while all of them together (the last) are not."""
    return np.asarray((effective[:-1] < SETTLED) & (effective[:-1] < effective[-1] / 2))


def shared_scale(robust: FloatArray, plain: FloatArray, effective: FloatArray, most: float = np.inf) -> FloatArray:
    """Give the factor that shares design effects with the errors of agents known from few clusters; 1 of all others.

    ``robust`` and ``plain`` are the clustered variances and those of independent games, ``most`` that of a prior.
    """
    few, degrees = known_from_few(effective), np.maximum(effective[:-1] - 1.0, 0.0)
    known = (plain > 0) & (robust > 0) & ~few
    if not few.any() or not known.any():
        return np.ones(len(robust))
    design = max(1.0, float(np.average(robust[known] / plain[known], weights=degrees[known])))
    moderated = (PRIOR_DEGREES * design * plain + degrees * robust) / (PRIOR_DEGREES + degrees)
    shared = np.minimum(moderated, most)
    return np.sqrt(np.divide(shared, robust, out=np.ones(len(robust)), where=few & (robust > 0)))


def provisional_note(agents: Sequence[str], aside: npt.NDArray[np.bool_], clustered: bool) -> tuple[Diagnostic, ...]:
    """Name the agents that are provisional, and say what that means."""
    who = [agents[k] for k in np.flatnonzero(aside).tolist()]
    if not who:
        return ()
    few = f"fewer than {SETTLED:g} {'effective clusters' if clustered else 'games'} tell of each"
    message = f"Provisional: {some_of(who)} ({few}). They stand last, with their intervals, and count in nobody's rank."
    return (info(PROVISIONAL, message, who),)


def provisional_agents(effective: FloatArray) -> npt.NDArray[np.bool_]:
    """Tell which agents are provisional: known from too little, unless that is true of more than half of all."""
    few = known_from_few(effective)
    return few if 2 * int(few.sum()) <= len(few) else np.zeros(len(few), dtype=bool)
