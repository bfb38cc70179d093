"""Pass/fail tables that agents' and tasks' levels explain, and some that they do not, in families not tuned on.

Abilities have heavy tails or come in two camps, difficulties come in clumps; sizes are lopsided.
"""

import numpy as np


def _answers(rng, logits):
    return (rng.random(logits.shape) < 1.0 / (1.0 + np.exp(-logits))).astype(float)


def heavy_tails(rng, agents, tasks):
    """Rasch: abilities of Student's t with three degrees of freedom, difficulties in three clumps."""
    ability = rng.standard_t(3, size=(agents, 1))
    return _answers(rng, ability - rng.choice([-1.5, 0.0, 2.0], size=tasks) - 0.2 * rng.normal(size=tasks))


def two_camps(rng, agents, tasks):
    """Rasch: half of the agents weak and half strong, difficulties exponential."""
    ability = np.where(np.arange(agents) % 2, 1.2, -1.2)[:, None]
    return _answers(rng, ability - rng.exponential(size=tasks) + 1.0)


def specialists(rng, agents, tasks):
    """Not Rasch: every other agent is good on the first half of the tasks, the rest on the second."""
    camp = np.where((np.arange(agents) % 2)[:, None] == (np.arange(tasks) >= tasks / 2), 1.2, -1.2)
    return _answers(rng, camp + 0.5 * rng.normal(size=(agents, 1)))


def copied(rng, agents, tasks, copies):
    """Rasch, with the first tasks repeated at the end."""
    table = heavy_tails(rng, agents, tasks - copies)
    return np.concatenate([table, table[:, :copies]], axis=1)


NULL = {"heavy tails": heavy_tails, "two camps": two_camps}
SIZES = ((6, 120), (15, 25), (30, 60))
"""Agents and tasks."""
