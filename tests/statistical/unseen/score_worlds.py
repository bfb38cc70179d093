"""Tables of one score a cell, of tasks that could have been others: agents who are equal, or differ, over all tasks."""

import numpy as np

FAMILIES = ("talents with heavy tails", "tasks of uneven difficulty")


def table(rng, family, agents, tasks, effects):
    """Scores of agents with given effects; what an agent does on a task beside its effect has mean zero."""
    if family == "talents with heavy tails":
        own = rng.standard_t(4, size=(agents, tasks)) / np.sqrt(2)
    else:
        scale = rng.gamma(2.0, 0.5, size=tasks)
        own = (rng.exponential(size=(agents, tasks)) - 1.0) * scale
    return effects[:, None] + rng.normal(size=tasks) + 0.5 * own


def truth(effects):
    """Means over all tasks that there could be."""
    return effects
