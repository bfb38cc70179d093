"""Intervals and p-values not tested elsewhere: differences of ratings, ties, profiles, comparisons, item fit."""

import numpy as np
import scipy

import equipoise as eq
from tests.statistical.test_ratings import AGENTS, GAMES, STRENGTH, draw


def test_differences_to_an_anchor_are_covered():
    rng = np.random.default_rng(41)
    inside = []
    for _ in range(400):
        found = eq.bradley_terry(draw(rng, STRENGTH, GAMES)).relative_to("d")
        gap = STRENGTH - STRENGTH[3]
        inside.append(np.delete((found.low <= gap) & (gap <= found.high), 3))
    assert 0.93 <= np.mean(inside) <= 0.97


def test_rao_kupper_covers_its_own_data():
    rng = np.random.default_rng(42)
    theta, inside = 1.5, []
    for _ in range(250):
        a = rng.integers(AGENTS, size=GAMES).astype(np.int32)
        b = ((a + rng.integers(1, AGENTS, size=GAMES)) % AGENTS).astype(np.int32)
        gap = STRENGTH[a] - STRENGTH[b]
        won, lost = (scipy.special.expit(sign * gap - np.log(theta)) for sign in (1, -1))
        u = rng.random(GAMES)
        outcome = np.where(u < won, 1.0, np.where(u > 1 - lost, 0.0, 0.5))
        found = eq.bradley_terry(eq.Matches.from_codes(tuple("abcdefgh"), a, b, outcome), ties="rao-kupper")
        inside.append((found.low <= STRENGTH) & (found.high >= STRENGTH))
    assert 0.925 <= np.mean(inside) <= 0.975


def runs_of(rng):
    mean = np.linspace(0.2, 0.9, 15)
    shift = np.array([0.0, 0.1, 0.25])
    return eq.Scores.from_matrix(rng.normal(mean[None, :, None] + shift[:, None, None], 0.3, size=(3, 15, 6)))


def test_performance_profiles_cover_pointwise():
    rng = np.random.default_rng(43)
    thresholds = np.array([0.3, 0.6, 0.9])
    mean, shift = np.linspace(0.2, 0.9, 15), np.array([0.0, 0.1, 0.25])
    above = scipy.special.ndtr((mean[None, :, None] + shift[:, None, None] - thresholds) / 0.3).mean(axis=1)
    inside = []
    for run in range(120):
        found = eq.performance_profile(runs_of(rng), thresholds=thresholds, resamples=300, rng=run)
        inside.append((found.low <= above) & (above <= found.high))
    assert 0.91 <= np.mean(inside) <= 0.99, np.mean(inside)


def test_simultaneous_differences_and_ranks_of_a_comparison_hold_together():
    rng = np.random.default_rng(44)
    truth = np.array([0.0, 0.1, 0.25])
    gap, held = truth[:, None] - truth[None, :], []
    for run in range(120):
        found = eq.compare(runs_of(rng), statistic="mean", resamples=300, rng=run)
        inside = (found.difference_low <= gap + 1e-12) & (gap <= found.difference_high + 1e-12)
        ranks = (found.rank_low <= [3, 2, 1]) & (found.rank_high >= [3, 2, 1])
        held.append(inside.all() and ranks.all())
    # All differences at once at a nominal 95%; separate intervals would hold together about 90% of the time.
    assert np.mean(held) >= 0.91, np.mean(held)


def test_p_values_of_item_fit_are_uniform_if_the_model_holds():
    values = []
    for seed in range(40):
        rng = np.random.default_rng(4500 + seed)
        a, b = rng.uniform(0.8, 1.8, size=12), rng.normal(scale=0.8, size=12)
        chance = scipy.special.expit(a * (rng.normal(size=(500, 1)) - b))
        fit = eq.irt(eq.Scores.from_matrix((rng.random(chance.shape) < chance).astype(float)), starts=1)
        values.append(fit.item_fit.p_value)
    p = np.concatenate(values)
    # 480 p-values: a share of 5% has a standard error of 1%; a broken statistic is far off at one of the levels.
    for level in (0.05, 0.2, 0.5):
        share = np.mean(p <= level)
        assert abs(share - level) <= 4.5 * np.sqrt(level * (1 - level) / p.size), (level, share)


def test_intervals_of_generality_and_regularity_cover():
    # Agents with known chances on many tasks: results are independent, so the population values are known.
    rng = np.random.default_rng(46)
    difficulty = np.linspace(-2, 2, 120)
    chance = np.stack([np.full(120, 0.6), scipy.special.expit(-1.5 * difficulty), scipy.special.expit(1 - difficulty)])
    whole = chance.mean(axis=1)
    truth = 1 / (whole * (1 - whole))
    inside = []
    for run in range(100):
        results = eq.Scores.from_matrix((rng.random(chance.shape) < chance).astype(float))
        found = eq.generality(results, difficulty, units="none", n=200, rng=run)
        inside.append((found.regularity_low <= truth) & (truth <= found.regularity_high))
    assert 0.88 <= np.mean(inside) <= 0.99, np.mean(inside)
