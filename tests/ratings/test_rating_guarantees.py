"""Small, fast representatives of what ratings promise about their uncertainty; ``tests/statistical`` holds the rest.

The bounds are those of the simulations: three standard errors, and a check that wrong numbers would leave them. Broken
errors, quantiles or thresholds are noticed by ``make test`` already.
"""

import numpy as np
import pytest
import scipy

import equipoise as eq
from tests.statistical.honesty import Coverage, check_guarantee, check_uniform
from tests.statistical.test_ratings import STRENGTH, held_at_once
from tests.statistical.test_ratings import draw as games


def covered(what, level, runs, one_run):
    """Coverage of intervals over seeded runs; a run gives low, high, truth and estimate."""
    intervals = Coverage(level, what)
    for seed in range(runs):
        intervals.add(*one_run(np.random.default_rng(seed)))
    return intervals


@pytest.mark.parametrize("errors", ["sandwich", "information"])
def test_ratings_are_covered(errors):
    def one_run(rng):
        fit = eq.bradley_terry(games(rng, STRENGTH, 800), errors=errors)
        return fit.low, fit.high, STRENGTH, fit.rating

    covered("rating", 0.95, 100, one_run).check()


def test_ranks_of_equal_agents_hold_together():
    equal = np.zeros(len(STRENGTH))
    fits = [eq.bradley_terry(games(np.random.default_rng(seed), equal, 800)) for seed in range(100)]
    apart = [(np.abs(fit.rating / fit.stderr) > 1.96).any() for fit in fits]
    check_guarantee([not held_at_once(fit, equal) for fit in fits], 0.05, naive=apart, what="ranks")


def test_p_values_of_transitivity_are_uniform_on_a_ladder():
    rng = np.random.default_rng(0)
    ladder = np.linspace(1, -1, 6)
    i, j = np.triu_indices(6, 1)
    p_values = []
    for _ in range(100):
        won = rng.binomial(40, scipy.special.expit(ladder[i] - ladder[j]))
        table = eq.PairTable.from_counts(tuple("abcdef"), i, j, won, 40 - won)
        p_values.append(eq.transitivity(table, n=99, rng=rng).p_value)
    check_uniform(p_values, "transitivity")


def test_a_bootstrap_over_matches_covers():
    def one_run(rng):
        boot = eq.bootstrap(eq.bradley_terry, games(rng, STRENGTH, 600), n=99, rng=rng)
        return boot.low, boot.high, STRENGTH, boot.estimate

    covered("bootstrap", 0.95, 40, one_run).check(slack=0.015)  # maximum likelihood stretches in each resample
