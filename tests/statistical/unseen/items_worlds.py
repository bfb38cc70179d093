"""Tables of answers with a known truth, written before the remedies that they judge were made.

None is of the family that the fit assumes: curves are normal ogives or Cauchy, abilities have heavy tails or two
humps, floors differ between items, and groups of items have unequal sizes and heavy-tailed effects in common.
"""

from typing import NamedTuple

import numpy as np
import scipy

import equipoise as eq


class World(NamedTuple):
    """Answers (agents by items, 0 or 1), the abilities behind them, and the group of each item where there are any."""

    values: np.ndarray
    ability: np.ndarray
    groups: np.ndarray | None = None

    @property
    def relative(self) -> np.ndarray:
        """Abilities relative to these agents."""
        return (self.ability - self.ability.mean()) / self.ability.std()

    def scores(self, rows=slice(None)) -> eq.Scores:
        """Give the answers of some agents."""
        return eq.Scores.from_matrix(self.values[rows])


def _two_humps(rng, agents):
    return rng.normal(scale=0.5, size=agents) + np.where(rng.random(agents) < 0.4, 1.2, -0.8)


def _heavy(rng, agents):
    return rng.standard_t(5, size=agents) / np.sqrt(5 / 3)


def _drawn(rng, chance):
    return (rng.random(chance.shape) < chance).astype(float)


def frontier(rng, *, reference, others, items):
    """Give a benchmark of which the reference agents solve some items all, and many not at all; others are abler.

    Normal ogives; difficulties in two clumps, one of them out of the reference agents' reach. The last ``others`` rows
    are the agents to be predicted.
    """
    ability = np.concatenate([_heavy(rng, reference) * 0.6, rng.uniform(-0.5, 2.5, others)])
    hard = rng.random(items) < rng.uniform(0.2, 0.6)
    place = np.where(hard, rng.normal(2.6, 0.8, items), rng.normal(-1.0, 1.0, items))
    slope = rng.uniform(0.5, 1.5, items)
    return World(_drawn(rng, scipy.special.ndtr(slope * (ability[:, None] - place))), ability)


def guessed(rng, *, agents, items, options=4):
    """Give multiple choice: a floor of its own for each item, around one over the options; normal ogives."""
    ability = _two_humps(rng, agents)
    floor = rng.beta(12, 12 * (options - 1), items) if options else np.zeros(items)
    slope = rng.gamma(6.0, 1 / 7.0, items)
    curve = scipy.special.ndtr(slope * (ability[:, None] - rng.uniform(-1.6, 1.6, items)))
    return World(_drawn(rng, floor + (1 - floor) * curve), ability)


def passages(rng, *, agents, items, spread):
    """Give questions about passages of unequal length (2 to 14 items); an agent may be at home in a passage.

    What it has in common on a passage has heavy tails (t with 4 degrees of freedom, deviation ``spread``).
    """
    sizes = []
    while sum(sizes) < items:
        sizes.append(min(int(2 + rng.geometric(0.3)), 14, items - sum(sizes)))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    ability = _heavy(rng, agents)
    home = spread * rng.standard_t(4, size=(agents, len(sizes))) / np.sqrt(2.0)
    slope = rng.uniform(0.7, 1.6, items)
    logit = slope * (ability[:, None] - rng.logistic(scale=0.6, size=items) + home[:, groups])
    return World(_drawn(rng, scipy.special.expit(logit)), ability, groups)


def equal_leaders(rng, *, agents, items, leaders):
    """Give a table in which several agents are exactly as able as each other, and abler than all others."""
    ability = np.concatenate([np.full(leaders, 1.0), rng.uniform(-2.0, 0.5, agents - leaders)])
    curve = scipy.special.ndtr(rng.uniform(0.5, 1.2, items) * (ability[:, None] - rng.normal(scale=1.0, size=items)))
    return World(_drawn(rng, curve), ability)
