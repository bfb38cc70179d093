"""Who has the highest ability, and how sure that is: a sentence that says no more than its intervals.

Reliability is the share of the abilities' variance that is not error, ``var / (var + mean squared error)`` of posterior
means. Below 0.7 no leader is named. An agent is ruled out as best where the leader's lead over it is beyond the
two-sided normal quantile of the level, shared among all others (Bonferroni).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray

WELL, FAIRLY = 0.9, 0.7


class Leader(NamedTuple):
    """The agent with the highest ability, the runner-up, its lead with its reach, and how many may be as able.

    ``others`` is how many other agents there are.
    """

    best: int
    second: int
    lead: float
    reach: float
    near: int
    others: int


def reliability(ability: FloatArray, stderr: FloatArray) -> float:
    """Return the share of the variance of abilities that is not error.

    >>> reliability(np.array([-1.0, 0.0, 1.0]), np.full(3, 0.5)).__round__(3)
    0.727
    """
    known = np.isfinite(ability) & np.isfinite(stderr)
    if known.sum() < 2:
        return float("nan")
    spread, error = float(np.var(ability[known])), float(np.mean(stderr[known] ** 2))
    return spread / (spread + error) if spread + error > 0.0 else 0.0


def leader(ability: FloatArray, lead_se: FloatArray, level: float) -> Leader | None:
    """Find the highest ability, and who cannot be ruled out; None where there are not two agents to compare."""
    known = np.flatnonzero(np.isfinite(ability) & np.isfinite(lead_se))
    if len(known) < 2:
        return None
    order = known[np.argsort(-ability[known], kind="stable")]
    best, rest = int(order[0]), order[1:]
    critical = float(-scipy.special.ndtri((1.0 - level) / 2.0 / len(rest)))
    lead, reach = ability[best] - ability[rest], critical * lead_se[rest]
    near = np.flatnonzero(lead <= reach)
    second = int(near[0]) if len(near) else 0
    return Leader(best, int(rest[second]), float(lead[second]), float(reach[second]), len(near), len(rest))


def leader_words(agents: Sequence[str], found: Leader, ability: float, level: float) -> str:
    """Say who has the highest ability, as far as the intervals say so."""
    first, second = agents[found.best], agents[found.second]
    span = f"{100 * level:g}% interval {found.lead - found.reach:.2f} to {found.lead + found.reach:.2f}"
    if not found.near:
        return f"{first} has the highest ability ({ability:+.2f}): {found.lead:.2f} ahead of {second} ({span})."
    if found.near == found.others > 1:
        return f"Nobody can be ruled out as best of these {found.others + 1:,} agents: the items are too few."
    if found.near == 1:
        return f"{first} and {second} are tied for first: the difference of {found.lead:.2f} is within noise ({span})."
    return (
        f"{first} has the highest ability ({ability:+.2f}), but {found.near:,} of the other {found.others:,} agents"
        " cannot be ruled out."
    )


def separation_words(share: float) -> str:
    """Say how well items separate agents."""
    how = "well" if share >= WELL else "fairly well"
    return f"The items separate agents {how} (reliability {share:.2f})."
