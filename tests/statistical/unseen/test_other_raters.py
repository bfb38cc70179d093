"""Raters in worlds of another kind: popular agents, uneven work, lopsided guesses, classes confused one way."""

import numpy as np

import equipoise as eq
from equipoise.methods import dawid_skene, rater_weighted
from tests.statistical.honesty import record
from tests.statistical.rater_worlds import code, grades_of, votes_of


def test_ratings_and_weights_are_covered_where_work_is_uneven():
    held, weights = [], []
    for seed in range(20):
        rng = np.random.default_rng([371, seed])
        strength = rng.normal(0, 0.8, 7)
        weight, lean = rng.beta(5, 2, 30), rng.beta(7, 2, 30)
        votes = 20 + rng.geometric(1 / 40, 30)
        data = votes_of(rng, strength, weight, lean, votes, 150, rng.dirichlet(np.full(7, 4.0)))
        try:
            found = rater_weighted(data, rater="group", item="task")
        except eq.DataError:  # somebody always won
            continue
        truth = strength[code(found.agents)]
        held.append(np.mean((found.low <= truth - truth.mean()) & (truth - truth.mean() <= found.high)))
        looks = weight[code(found.raters)]
        weights.append(np.mean((found.weight_low <= looks) & (looks <= found.weight_high)))
    record("ratings, raters weighted", 0.95, round(float(np.mean(held)), 4))
    record("weights", 0.95, round(float(np.mean(weights)), 4))
    assert len(held) >= 15
    assert np.mean(held) >= 0.93
    assert np.mean(weights) >= 0.9


def test_accuracies_are_covered_where_one_class_is_taken_for_the_other():
    held = []
    for seed in range(40):
        rng = np.random.default_rng([372, seed])
        one, other = rng.beta(8, 2, 15), rng.beta(5, 3, 15)
        tables = np.stack([np.column_stack([one, 1 - one]), np.column_stack([1 - other, other])], axis=1)
        share = np.array([0.4, 0.6])
        found = dawid_skene(grades_of(rng, share, tables, 250, 0.4))
        right = share[0] * one + share[1] * other
        held.append(np.mean((found.low <= right) & (right <= found.high)))
    record("accuracies", 0.95, round(float(np.mean(held)), 4))
    assert np.mean(held) >= 0.93
