"""Items: two-parameter fits, and adaptive tests."""

from typing import Any

import numpy as np

from benchmarks.job import Agreement, Answer, Job, Side

__all__ = ["JOBS"]

PEOPLE, LENGTH = 20, 20


def answers(items: int) -> Any:
    """Give ten times as many agents as items, right or wrong."""
    rng = np.random.default_rng(items)
    a, b = rng.lognormal(0.0, 0.3, size=items), rng.normal(size=items)
    theta = rng.normal(size=(10 * items, 1))
    return (rng.random((10 * items, items)) < 1 / (1 + np.exp(-a * (theta - b)))).astype(int)


def ours_fit(values: Any) -> Answer:
    import equipoise as eq

    found = eq.irt(eq.Scores.from_matrix(values), starts=1)
    return {"a": found.discrimination, "b": found.difficulty, "se": found.difficulty_se}


def girth_fit(values: Any) -> Answer:
    import girth

    found = girth.twopl_mml(np.ascontiguousarray(values.T))
    return {"a": found["Discrimination"], "b": found["Difficulty"]}


def mirt_fit(values: Any) -> Answer:
    import mirt

    parameters = mirt.fit_mirt(values, model="2PL").model.parameters
    return {"a": np.ravel(parameters["discrimination"]), "b": np.ravel(parameters["difficulty"])}


def same_items(ours: Answer, theirs: Answer) -> Agreement:
    """Compare difficulties in units of our standard errors: coarse grids move them by a part of one."""
    gap = np.abs(ours["b"] - np.asarray(theirs["b"])) / ours["se"]
    return float(np.median(gap)) <= 0.5, f"difficulties differ by {np.median(gap):.2f} standard errors (median)"


def bank(items: int) -> Any:
    rng = np.random.default_rng(items)
    a, b = rng.lognormal(0.2, 0.3, size=items), rng.normal(size=items)
    return a, b, np.random.default_rng(1).normal(size=PEOPLE)


def ours_adaptive(data: Any) -> Answer:
    import equipoise as eq

    a, b, abilities = data
    names = [str(k) for k in range(len(a))]
    items = eq.Calibration.from_parameters(names, difficulty=b, discrimination=a)
    rng = np.random.default_rng(2)
    found = []
    for theta in abilities:
        test = eq.AdaptiveTest(items, stop=eq.StopRule(length=LENGTH))
        while not test.done:
            item = test.ask().item
            k = int(item)
            test.tell(item, float(rng.random() < 1 / (1 + np.exp(-a[k] * (theta - b[k])))))
        found.append(test.ability)
    return {"error": float(np.sqrt(np.mean((np.array(found) - abilities) ** 2)))}


def catsim_adaptive(data: Any) -> Answer:
    from catsim.estimation import NumericalSearchEstimator
    from catsim.initialization import FixedPointInitializer
    from catsim.selection import MaxInfoSelector
    from catsim.simulation import Simulator
    from catsim.stopping import TestLengthStopper

    a, b, abilities = data
    items = np.column_stack([a, b, np.zeros(len(a)), np.ones(len(a))])
    run = Simulator(items, abilities, seed=2)
    run.simulate(FixedPointInitializer(0.0), MaxInfoSelector(), NumericalSearchEstimator(), TestLengthStopper(LENGTH))
    found = np.array([path[-1] for path in run.estimations])
    return {"error": float(np.sqrt(np.mean((found - abilities) ** 2)))}


def same_error(ours: Answer, theirs: Answer) -> Agreement:
    # Each side draws answers of its own, of twenty agents: their errors differ by a fifth or so by chance alone.
    words = f"root mean squared error of abilities {ours['error']:.2f} and {theirs['error']:.2f}"
    return ours["error"] <= 1.5 * theirs["error"], words


JOBS = (
    Job(
        "two-parameter item response model",
        answers,
        (
            Side("equipoise", ours_fit, note="with standard errors and item fit"),
            Side("girth", girth_fit, note="no standard errors"),
            Side("mirt", mirt_fit, note="Rust, with standard errors"),
        ),
        (100, 200, 500),
        (25, 50, 100),
        lambda items: f"{10 * items:,} agents, {items} items",
        same_items,
    ),
    Job(
        "adaptive tests",
        bank,
        (Side("equipoise", ours_adaptive), Side("catsim", catsim_adaptive)),
        (100, 1_000, 10_000),
        (100, 300, 1_000),
        lambda items: f"{PEOPLE} agents, {LENGTH} of {items:,} items",
        same_error,
    ),
)
