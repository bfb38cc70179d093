"""Do intervals of weighted raters and of true classes cover what they promise? Seeded simulations."""

import numpy as np

from equipoise.methods import dawid_skene, rater_weighted
from tests.statistical.honesty import Coverage, record
from tests.statistical.rater_worlds import code, even_tables, grades_of, votes_of

RUNS, GRADED = 20, 50


def test_ratings_by_weighted_raters_are_covered():
    """Every third rater guesses: how far apart agents are is less sure than the rest, so that too many are covered."""
    strength = np.linspace(1.2, -1.2, 10)
    found = Coverage(what="ratings, raters weighted")
    plain = []
    for seed in range(RUNS):
        rng = np.random.default_rng([37, seed])
        weight = np.where(rng.random(40) < 0.3, 0.15, 0.85)
        result = rater_weighted(
            votes_of(rng, strength, weight, rng.beta(4, 4, 40), 50, 200), rater="group", item="task"
        )  # fmt: skip
        truth = strength[code(result.agents)]
        found.add(result.low, result.high, truth, result.rating)
        plain.append(np.polyfit(truth, result.plain, 1)[0])
    held = float(found.held().mean())
    record(found.what, found.level, round(held, 4))
    assert held >= 0.94
    assert found.held(0.4).mean() < 0.9
    assert np.mean(plain) < 0.8  # all raters alike: shrunk


def test_accuracies_and_shares_of_true_classes_are_covered():
    right, share = Coverage(what="accuracies"), Coverage(what="shares of classes")
    truth = np.array([0.5, 0.3, 0.2])
    for seed in range(GRADED):
        rng = np.random.default_rng([38, seed])
        accuracy = rng.uniform(0.5, 0.9, 8)
        found = dawid_skene(grades_of(rng, truth, even_tables(accuracy, 3), 150, 0.9))
        right.add(found.low, found.high, accuracy, found.accuracy)
        share.add(found.share_low, found.share_high, truth, found.share)
    right.check(slack=0.02)  # few votes on the rare class, whose chances are pulled to the middle
    share.check(slack=0.02, over=None)  # few of them to tell twice the width
