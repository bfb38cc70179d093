"""Games that one rating for each agent decides, and something else besides that is no cycle.

Other links, draw rates, lapses and drifts than those on which the sequence of explanations was chosen: strengths from a
uniform distribution, a Cauchy-like link, draws that depend on how strong both sides are, votes at random by some of the
voters only, agents that improve at one moment, an advantage of the first position that only some games have.
"""

import numpy as np
import polars as pl

LINKS = {
    "logit": lambda d: 1 / (1 + np.exp(-d)),
    "heavy": lambda d: 0.5 + np.arctan(1.2 * d) / np.pi,
}


def games(rng, *, agents=6, each=120, link="logit", draws=0.0, lapse=0.0, rise=0.0, first=0.0, above=0.5, circle=0.0):
    """Draw games of everybody against everybody, in random order; the stronger has white in ``above`` of them."""
    strength = np.sort(rng.uniform(-1.2, 1.2, size=agents))
    i, j = (np.repeat(side, each) for side in np.triu_indices(agents, 1))
    swap = rng.random(len(i)) < above
    a, b = np.where(swap, j, i), np.where(swap, i, j)
    time = rng.permutation(len(a))
    late = time > 0.5 * len(a)
    better = strength + rise * rng.choice([-1.0, 1.0], size=agents) * late[:, None]
    rows = np.arange(len(a))
    beats = np.where((a - b) % 3 == 1, 1.0, np.where((b - a) % 3 == 1, -1.0, 0.0))
    gap = better[rows, a] - better[rows, b] + first * (rng.random(len(a)) < 0.8) + circle * beats
    chance = LINKS[link](gap)
    careless = rng.random(len(a)) < lapse
    chance = np.where(careless, 0.5, chance)
    drawn = rng.random(len(a)) < draws * LINKS["logit"](1.5 * (strength[a] + strength[b]))
    word = np.where(drawn, "1/2-1/2", np.where(rng.random(len(a)) < chance, "1-0", "0-1"))
    order = np.argsort(time)
    columns = {"white": a, "black": b, "result": word, "date": time}
    table = {name: values[order] for name, values in columns.items()}
    return pl.DataFrame(table).with_columns(pl.format("p{}", pl.col("white")).alias("white"),
                                            pl.format("p{}", pl.col("black")).alias("black"))  # fmt: skip


EXPLAINED = {
    "ratings alone": {},
    "a heavy link": {"link": "heavy", "each": 400},
    "draws of the strong": {"draws": 0.7, "each": 300},
    "careless votes": {"lapse": 0.12, "each": 400},
    "a position advantage": {"first": 0.5},
    "a position advantage, the stronger mostly first": {"first": 0.7, "above": 0.9},
    "agents that changed once": {"rise": 0.5},
}
"""Worlds without a cycle."""
CIRCLES = {"a clear circle": {"agents": 3, "each": 200, "circle": 2.5}, "six in a circle": {"circle": 1.2}}
"""Worlds with one."""
