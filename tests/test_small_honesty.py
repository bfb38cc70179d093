"""A small, fast representative of each kind of promise about uncertainty; ``tests/statistical`` holds all of them.

The bounds are those of the simulations: three standard errors, and a check that wrong numbers would leave them. Broken
errors, quantiles or thresholds are noticed by ``make test`` already.
"""

import numpy as np
import pytest
import scipy

import equipoise as eq
from tests.statistical.honesty import Coverage, check_guarantee, check_uniform
from tests.statistical.test_irt_coverage import bank_of, parameters
from tests.statistical.test_irt_coverage import draw as answers
from tests.statistical.test_luck_methods import hands
from tests.statistical.test_ratings import STRENGTH, held_at_once
from tests.statistical.test_ratings import draw as games
from tests.statistical.test_schedule_guarantees import NEAR, decisions, learn, wrong_edges


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
        table = eq.PairTable.from_columns(tuple("abcdef"), i, j, won, 40 - won)
        p_values.append(eq.transitivity(table, n=99, rng=rng).p_value)
    check_uniform(p_values, "transitivity")


def test_a_bootstrap_over_matches_covers():
    def one_run(rng):
        boot = eq.bootstrap(eq.bradley_terry, games(rng, STRENGTH, 600), n=99, rng=rng)
        return boot.low, boot.high, STRENGTH, boot.estimate

    covered("bootstrap", 0.95, 40, one_run).check(slack=0.015)  # maximum likelihood stretches in each resample


def test_items_and_agents_are_covered():
    a, b = parameters(12)
    places = Coverage(0.95, "difficulty")
    slopes = Coverage(0.95, "discrimination")
    for seed in range(40):
        scores, _ = answers(np.random.default_rng(seed), a, b, 400)
        fit = eq.irt(scores, starts=1)
        places.add(fit.difficulty_low, fit.difficulty_high, b, fit.difficulty)
        slopes.add(fit.discrimination_low, fit.discrimination_high, a, fit.discrimination)
    places.check()
    slopes.check()


def test_abilities_with_known_items_are_covered():
    bank = bank_of(np.random.default_rng(8), 60)

    def one_run(rng):
        theta = rng.normal(size=40)
        right = (rng.random((40, 60)) < bank.probability(theta)).astype(float)
        scored = bank.score(eq.Scores.from_matrix(right, tasks=bank.tasks), estimator="eap")
        return scored.ability_low, scored.ability_high, theta, scored.ability

    covered("ability", 0.95, 20, one_run).check(slack=0.01)


def by_control(table):
    return eq.baseline(table, control="bot", mean=0.0)


@pytest.mark.parametrize(("method", "twice"), [(by_control, False), (eq.duplicate, True)])
def test_the_advantage_at_the_table_is_covered_with_few_deals(method, twice):

    def one_run(rng):
        result = method(hands(rng, 8, twice))
        at = result.agents.index("a")
        return result.low[at], result.high[at], 0.2, result.estimate[at]

    covered("luck", 0.95, 400, one_run).check(slack=0.005)


def test_a_fitted_control_is_covered_with_four_hands():
    """With so few, a degree of freedom more costs nearly four points in a hundred."""

    def one_run(rng):
        luck = rng.normal(size=4)
        result = eq.control_variates(1.0 + 2 * luck + rng.normal(size=4), luck)
        return result.low, result.high, 1.0, result.estimate

    covered("control variates", 0.95, 2000, one_run).check(slack=0.005)


def test_equal_players_are_rarely_called_unequal_however_often_one_looks():
    first, _ = decisions(0.5, 0.5, runs=150, games=800, seed=5)
    rng = np.random.default_rng(2)
    score = rng.choice([0.0, 0.5, 1.0], p=[0.25, 0.5, 0.25], size=(150, 800)).cumsum(axis=1)
    n = np.arange(1, 801)
    often = (np.abs(score - n / 2) > 1.96 * np.sqrt(n / 8))[:, 9:].any(axis=1)
    check_guarantee(first <= 800, 0.05, naive=often, what="stopping rule")


def test_a_guaranteed_graph_is_rarely_wrong_where_a_hasty_one_is():
    wrong, hasty = [], []
    for seed in range(30):
        sure = learn(NEAR, 0.1, seed, union_bound=True, time_dependent=True, budget=200)
        wrong.append(wrong_edges(sure, NEAR) > 0)
        hasty.append(wrong_edges(learn(NEAR, 0.9, seed, budget=200), NEAR) > 0)
    check_guarantee(wrong, 0.1, naive=hasty, what="ResponseGraphUCB")
