"""Small seeded checks of what intervals of aggregates promise; tests/statistical has the long ones."""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.aggregates.runs import resampled, runs_of
from tests.statistical.honesty import Coverage, check_guarantee

TASKS, RUNS = 12, 5
MEAN = np.linspace(0.1, 0.9, TASKS)
SHIFT = np.array([0.0, 0.1, 0.25])


def tables(repeats, seed, shift=SHIFT):
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        centre = MEAN[None, :, None] + np.asarray(shift)[:, None, None]
        yield eq.Scores.from_matrix(rng.normal(centre, 0.3, size=(len(shift), TASKS, RUNS)))


def test_means_and_gaps_are_covered_over_runs():
    truth = MEAN.mean() + SHIFT
    z = (1 - MEAN - SHIFT[:, None]) / 0.3
    gap = (0.3 * (z * scipy.special.ndtr(z) + np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))).mean(axis=1)
    mean, optimality = Coverage(), Coverage()
    for table in tables(120, 1):
        result = eq.aggregate(table, n=200)
        mean.add(result.mean_low, result.mean_high, truth, result.mean)
        optimality.add(result.optimality_gap_low, result.optimality_gap_high, gap, result.optimality_gap)
    mean.check(slack=0.01)
    optimality.check(slack=0.01)


def test_means_are_covered_over_tasks():
    rng = np.random.default_rng(2)
    covered = Coverage()
    for run in range(150):
        values = np.array([0.4, 0.6])[:, None] + 0.35 * rng.normal(size=(2, 30))
        result = eq.aggregate(eq.Scores.from_matrix(values), over="tasks", n=200, rng=run)
        covered.add(result.mean_low, result.mean_high, [0.4, 0.6], result.mean)
    covered.check(slack=0.01)


def test_intervals_from_two_runs_are_widened_as_much_as_two_runs_need():
    values = np.random.default_rng(3).normal(size=(1, 400, 2))
    result = eq.aggregate(eq.Scores.from_matrix(values), runs="independent", n=2000)
    error = np.sqrt(values.var(axis=2, ddof=1).sum()) / np.sqrt(2) / 400
    assert (result.mean_high - result.mean_low)[0] == pytest.approx(2 * 1.96 * error, rel=0.08)


def test_differences_and_ranks_hold_together_and_improvements_one_by_one():
    i, j = np.triu_indices(3, 1)
    gap = SHIFT[i] - SHIFT[j]
    chance = scipy.special.ndtr(gap / (0.3 * np.sqrt(2)))
    missed, alone, improvement = [], Coverage(), Coverage()
    for run, table in enumerate(tables(100, 4)):
        result = eq.probability_of_improvement(table, statistic="mean", n=400, rng=run)
        low, high, value = (part[i, j] for part in (result.difference_low, result.difference_high, result.difference))
        ranks = (result.rank_low <= [3, 2, 1]) & (result.rank_high >= [3, 2, 1])
        missed.append(not (ranks.all() and (low <= gap).all() and (gap <= high).all()))
        alone.add(low, high, gap, value)
        improvement.add(result.improvement_low[i, j], result.improvement_high[i, j], chance)
    check_guarantee(missed, 0.05, naive=~alone.held(0.7).all(axis=1))
    improvement.check(slack=0.02)


def test_equal_agents_are_rarely_told_apart():
    apart, together = [], Coverage()
    i, j = np.triu_indices(4, 1)
    for run, table in enumerate(tables(80, 5, shift=np.zeros(4))):
        result = eq.probability_of_improvement(table, statistic="mean", n=200, rng=run)
        apart.append(len(set(result.group)) > 1)
        together.add(result.difference_low[i, j], result.difference_high[i, j], 0.0, result.difference[i, j])
    check_guarantee(apart, 0.05, naive=~together.held(0.7).all(axis=1))


def test_profiles_are_covered_pointwise():
    thresholds = np.array([0.3, 0.6, 0.9])
    above = scipy.special.ndtr((MEAN[None, :, None] + SHIFT[:, None, None] - thresholds) / 0.3).mean(axis=1)
    covered = Coverage()
    for run, table in enumerate(tables(100, 6)):
        result = eq.performance_profile(table, thresholds=thresholds, n=150, rng=run)
        covered.add(result.low, result.high, above, result.share)
    covered.check(slack=0.015)


def test_every_task_and_every_run_is_drawn_equally_often():
    runs = runs_of(eq.Scores.from_matrix(np.arange(20.0).reshape(1, 5, 4)), "none", None, "run")
    drawn = np.concatenate(list(resampled(runs, 4000, np.random.default_rng(0))))
    by_run = runs_of(eq.Scores.from_matrix(np.arange(5.0).reshape(1, 5)), "none", None, "task")
    tasks = np.concatenate(list(resampled(by_run, 4000, np.random.default_rng(0))))
    for values, kinds in ((drawn, 20), (tasks, 5)):
        counts = np.bincount(values.astype(int).ravel(), minlength=kinds)
        assert scipy.stats.chisquare(counts).pvalue > 0.001
