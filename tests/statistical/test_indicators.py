"""Generality, the four indicators side by side, and equating: what would other tasks or other agents have shown?"""

import numpy as np
import pytest
import scipy

import equipoise as eq
from tests.statistical.honesty import Coverage, check_guarantee, check_unbiased

TASKS = 120
DIFFICULTY = np.linspace(-2, 2, TASKS)
CHANCE = np.stack(
    [np.full(TASKS, 0.8), scipy.special.expit(1.2 - 1.5 * DIFFICULTY), scipy.special.expit(2 - DIFFICULTY)]
)


def results(rng):
    return eq.Scores.from_matrix((rng.random(CHANCE.shape) < CHANCE).astype(float))


def measured(rng, n, seed=0):
    return eq.generality(results(rng), DIFFICULTY, units="none", n=n, rng=seed)


@pytest.fixture(scope="module")
def usual():
    """What as many tasks of the same kind give: the middle over many sets of results."""
    rng = np.random.default_rng(60)
    many = [measured(rng, 0) for _ in range(2000)]
    return {name: np.nanmedian([getattr(one, name) for one in many], axis=0) for name in ("generality", "slope")}


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(46)
    return [measured(rng, 200, run) for run in range(150)]


def covered(found, name, truth):
    intervals = Coverage(what=name)
    for one in found:
        intervals.add(*(getattr(one, f"{name}{end}") for end in ("_low", "_high")), truth, getattr(one, name))
    return intervals


def test_intervals_of_regularity_and_generality_cover(found, usual):
    whole = CHANCE.mean(axis=1)
    covered(found, "regularity", 1 / (whole * (1 - whole))).check(slack=0.01)
    # Curves that are flat across several bins have a variance that hardly moves; there the interval is too wide.
    covered(found, "generality", usual["generality"]).check(slack=0.01, over=None)


def test_the_slope_has_a_band_that_is_only_too_wide(found, usual):
    """The steepest of several crossings jumps from one to another: a band, wider than an interval must be."""
    held = covered(found, "slope", usual["slope"]).held()
    # Only the second agent's curve always falls through one half; the others cross it by chance, or at the edge.
    check_guarantee(~held[:, 1], 0.05, what="slope")


def test_the_four_indicators_cover():
    rng = np.random.default_rng(48)
    a, b = rng.uniform(0.8, 1.8, 30), rng.uniform(-1.5, 1.5, 30)
    intervals = {name: Coverage(what=f"duality: {name}") for name in ("ability", "difficulty", "discrimination")}
    for run in range(20):
        theta = rng.normal(size=300)
        answers = rng.random((300, 30)) < scipy.special.expit(a * (theta[:, None] - b))
        scores = eq.Scores.from_matrix(answers.astype(float))
        found = eq.methods.duality(scores, eq.irt(scores, starts=1), n=100, rng=run)
        for (name, part), truth in zip(intervals.items(), (theta, b, a), strict=True):
            low, high, value = (getattr(found, f"{name}{end}") for end in ("_low", "_high", ""))
            part.add(low, high, truth, value)
    intervals["ability"].check(slack=0.02)  # abilities take the items as known, and drawn tasks are few
    intervals["difficulty"].check(slack=0.01)
    intervals["discrimination"].check(slack=0.01)


@pytest.mark.parametrize("method", ["haebara", "mean-sigma"])
def test_two_editions_are_equated_without_bias(method):
    """The new edition met agents that are better by half and spread more; ten of its items are old."""
    rng = np.random.default_rng(49)
    a, b = rng.uniform(0.8, 1.8, 20), rng.uniform(-1.5, 1.5, 20)
    names = [f"item {k}" for k in range(20)]
    found = []
    for _ in range(120):
        editions = []
        for tasks, mean, spread in ((slice(0, 15), 0.0, 1.0), (slice(5, 20), 0.5, 1.2)):
            theta = mean + spread * rng.normal(size=(500, 1))
            answers = rng.random((500, 15)) < scipy.special.expit(a[tasks] * (theta - b[tasks]))
            editions.append(eq.irt(eq.Scores.from_matrix(answers.astype(float), tasks=names[tasks]), starts=1))
        line = eq.equate(*(fit.calibration() for fit in editions), method=method)
        found.append([line.scale, line.shift])
    check_unbiased(found, [1.2, 0.5], allowed=0.15, what=f"equating, {method}")
