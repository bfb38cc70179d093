"""From the population's scale to the agents' own: abilities with mean 0 and deviation 1 among those who were there.

With few agents nobody knows where their mean and spread lie in a wider population; where each stands among the others
is what the answers tell. With C the covariance of the abilities theta, and everything by the delta method,

    z = (theta - mean) / S,      S^2 = (|theta - mean|^2 + tr V) / N

where V is C without the directions that only shift or stretch all abilities: estimates are pulled together, the
agents are not, and S is the spread that the agents are expected to have. Items follow: a S and d + a mean.
"""

from typing import NamedTuple

import numpy as np

from equipoise.items.item_population import ItemMoments
from equipoise.items.uncertainty import ItemUncertainty
from equipoise.results import FloatArray

#: The deviation of fewer agents is no unit to measure them in: then they are only centred.
LEAST_FOR_SPREAD = 5


class Relative(NamedTuple):
    """Abilities with their errors, items (a, d) with what is not known of them, all relative to the agents."""

    ability: FloatArray
    stderr: FloatArray
    items: FloatArray
    uncertainty: ItemUncertainty


def relative_scale(ability: FloatArray, covariance: FloatArray, items: ItemMoments) -> Relative:
    """Standardise abilities and items to the agents; ``covariance`` is that of (abilities, population)."""
    agents = len(ability)
    mean = float(ability.mean())
    away = ability - mean
    spread = expected_spread(away, covariance[:agents, :agents])
    standard = away / spread
    unit = agents >= LEAST_FOR_SPREAD
    centring = np.eye(agents) - 1.0 / agents
    follow = (centring - unit * np.outer(standard, standard) / agents) / spread
    stderr = np.sqrt(np.diag(follow @ covariance[:agents, :agents] @ follow.T))
    moved = np.stack([spread * items.mean[0], items.mean[1] + mean * items.mean[0]])
    by = np.concatenate([items.by_ability, items.by_population], axis=2)  # (2, items, agents + population)
    by = np.stack([spread * by[0], by[1] + mean * by[0]])
    by[0, :, :agents] += unit * np.multiply.outer(items.mean[0], standard) / agents
    by[1, :, :agents] += items.mean[0][:, None] / agents
    turn = np.array([[spread, 0.0], [mean, 1.0]])
    own = np.zeros((3, 3, moved.shape[1]))
    own[:2, :2] = np.einsum("ps,stj,qt->pqj", turn, items.covariance, turn)
    factor = by @ np.linalg.cholesky(covariance + 1e-12 * np.eye(len(covariance)))
    shared = np.zeros((factor.shape[2], 3, moved.shape[1]))
    shared[:, :2] = np.moveaxis(factor, 2, 0)
    return Relative(standard, stderr, moved, ItemUncertainty.with_directions(own, shared))


def spread_of_others(agents: int) -> float:
    """Return the deviation of other agents' abilities on the scale of these, if all come from one normal population.

    A further value, standardised by mean and deviation (divisor N) of N others, is sqrt((N + 1) / (N - 1)) times a t of
    N - 1 degrees of freedom, whose variance is (N - 1) / (N - 3). Where agents are only centred, it is 1 + 1 / N.

    >>> round(spread_of_others(8), 3), round(spread_of_others(50), 3)
    (1.342, 1.042)
    """
    if agents < LEAST_FOR_SPREAD:
        return float(np.sqrt(1.0 + 1.0 / agents))
    return float(np.sqrt((agents + 1.0) / (agents - 3.0)))


def expected_spread(away: FloatArray, covariance: FloatArray) -> float:
    """Return the deviation that the agents are expected to have, 1 where they are too few to have one."""
    agents = len(away)
    size = float(np.linalg.norm(away))
    if agents < LEAST_FOR_SPREAD or size == 0.0:
        return 1.0
    along = away / size
    rest = np.eye(agents) - 1.0 / agents - np.outer(along, along)
    return float(np.sqrt((size**2 + np.trace(rest @ covariance @ rest)) / agents))
