"""Runs whose seed matters on every task, in families that no constant was chosen on.

Noise is logistic, Laplace or a contaminated normal; a run's effect is uniform, logistic or a mixture of good and bad
seeds, and tasks feel it unequally. Everything is symmetric, so that the truth of every statistic is that of the tasks'
means.
"""

import numpy as np

NOISE = {
    "logistic": lambda rng, size: rng.logistic(size=size) / (np.pi / np.sqrt(3)),
    "Laplace": lambda rng, size: rng.laplace(size=size) / np.sqrt(2),
    "contaminated": lambda rng, size: rng.normal(size=size) * np.where(rng.random(size) < 0.1, 3.0, 1.0) / 1.342,
}
EFFECTS = {
    "uniform": lambda rng, size: rng.uniform(-np.sqrt(3), np.sqrt(3), size=size),
    "logistic": NOISE["logistic"],
    "good and bad seeds": lambda rng, size: rng.choice([-0.96, 0.96], size=size) + rng.normal(0.0, 0.28, size=size),
}
FAMILIES = tuple(zip(NOISE, EFFECTS, strict=True))
"""Each noise with one kind of run effect."""


def table(rng, agents, tasks, runs, effect, family, repeats=1):
    """Give scores, repeats x agents x tasks x runs, of equal agents, and the tasks' means.

    ``effect`` is the standard deviation of a run's effect in those of the noise; tasks feel 0.4 to 1.6 times as much.
    """
    noise, shape = NOISE[family[0]], EFFECTS[family[1]]
    means = 0.2 * np.linspace(-1.0, 1.0, tasks)
    spread = 0.2 * np.exp(0.3 * rng.normal(size=tasks))
    felt = rng.uniform(0.4, 1.6, size=tasks) * 0.2 * effect
    own = shape(rng, (repeats, agents, 1, runs))
    return means[:, None] + felt[:, None] * own + spread[:, None] * noise(rng, (repeats, agents, tasks, runs)), means
