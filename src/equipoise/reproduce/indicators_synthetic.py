"""Martinez-Plumed and Hernandez-Orallo (2018): the curves and synthetic models that explain the indicators."""

import math
from functools import partial
from pathlib import Path

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.data.types.scores import Scores
from equipoise.items.generality.generality import Generality, generality
from equipoise.items.models.models import Items, probability
from equipoise.reproduce.published import PublishedResult

PATTERNS = {
    "constant 0.25": ([0.25], [1.0]),
    "0.3 or 0.4": ([0.3, 0.4], [0.5, 0.5]),
    "0.7 or 0.8": ([0.7, 0.8], [0.5, 0.5]),
    "0.6 or 0.9": ([0.6, 0.9], [0.5, 0.5]),
    "0 or 1": ([0.0, 1.0], [0.3, 0.7]),
    "0.25 or 1": ([0.25, 1.0], [0.3, 0.7]),
    "0.5 or 1": ([0.5, 1.0], [0.3, 0.7]),
    "0.75 or 1": ([0.75, 1.0], [0.3, 0.7]),
}
"""Scores and their shares in the models of Table I without chance."""
UNIFORM = (0.66, 1 / 11.06)
"""Mean and variance that Table I prints for its uniform model on 0.3 to 1."""
DRAWS = 4000


def _scores() -> FloatArray:
    """A hundred scores in the proportions of each model."""
    rows = [np.repeat(values, np.rint(100 * np.array(shares)).astype(int)) for values, shares in PATTERNS.values()]
    return np.array(rows)


def synthetic() -> Generality:
    """Give the models of Table I without chance as agents."""
    scores = Scores.from_matrix(_scores(), agents=tuple(PATTERNS))
    return generality(scores, np.arange(100.0), units="none", n=0)


def example_curve(abilities: FloatArray) -> FloatArray:
    """Give the chance of success of the curve with a 2, b 3, c 0.1."""
    return np.asarray(probability(abilities, Items(np.array([2.0]), np.array([-6.0]), np.array([0.1])))[0])


def _drawn(_: Path, low: float, high: float) -> tuple[float, ...]:
    """Regularity of a hundred uniform scores: mean over draws, and the middle 90% of them."""
    regularity = 1 / np.random.default_rng(0).uniform(low, high, (DRAWS, 100)).var(axis=1)
    return (float(regularity.mean()), *(float(x) for x in np.quantile(regularity, [0.05, 0.95])))


def _mixed(_: Path, mean: float, variance: float) -> tuple[float, ...]:
    """Regularity of one half of such scores and one half of the uniform model's, whose mean is rounded: range of it."""
    means = (UNIFORM[0], UNIFORM[0] - 0.005, UNIFORM[0] + 0.005)
    regularity = [1 / ((variance + UNIFORM[1]) / 2 + (mean - other) ** 2 / 4) for other in means]
    return (regularity[0], min(regularity), max(regularity))


def _example(_: Path) -> tuple[float, ...]:
    """Chance of success at the location of the curve with a 2, b 3, c 0.1, and the slope there."""
    before, at, after = example_curve(np.array([3.0 - 1e-4, 3.0, 3.0 + 1e-4]))
    return (float(at), float(after - before) / 2e-4)


table = partial(PublishedResult, where="Table I, drawn in figure 3")
derived = partial(table, within=True)
HALF = "follows from the rows of its two halves; their mean 0.66 is rounded, so ours is a range"

RESULTS = (
    PublishedResult(
        "a 3PL curve with a 2, b 3, c 0.1: chance of success and slope at b",
        (0.55, 0.45),
        _example,
        where="figure 1, by (1 + c)/2 and a(1 - c)/4",
    ),
    table(
        "means of " + "; ".join(PATTERNS),
        (0.25, 0.35, 0.75, 0.75, 0.70, 0.78, 0.85, 0.92),
        lambda _: tuple(_scores().mean(axis=1)),
        because="0.775 and 0.925 lie on the edge: one is printed rounded up, the other down",
    ),
    table("their variances", (0.0, 0.0, 0.0, 0.02, 0.21, 0.12, 0.05, 0.01), lambda _: tuple(_scores().var(axis=1))),
    table(
        "their regularities",
        (math.inf, 400.0, 400.0, 44.44, 4.76, 8.47, 19.05, 76.19),
        lambda _: tuple(synthetic().regularity),
    ),
    derived("half constant 0.75, half uniform on 0.3 to 1", (21.18,), partial(_mixed, mean=0.75, variance=0.0),
            because=HALF),
    derived("half 0 or 1, half uniform on 0.3 to 1", (6.64,), partial(_mixed, mean=0.7, variance=0.21), because=HALF),
    derived("random scores on 0 to 1", (11.78,), partial(_drawn, low=0.0, high=1.0),
            because=f"one draw of a hundred; ours is the mean over {DRAWS:,} draws with the middle 90% of them"),
    derived(
        "uniform on 0.3 to 1",
        (11.06,),
        partial(_drawn, low=0.3, high=1.0),
        because="its printed variance of 0.09 is not that of any uniform draw between 0.3 and 1 (0.041): the row must "
        "come from other scores, the same that its two mixtures were made from",
    ),
    PublishedResult("agents' curves of three abilities", "", None, where="figure 2",
           because="drawn for abilities that are not given; success is 0.5 where difficulty equals ability"),
)  # fmt: skip
