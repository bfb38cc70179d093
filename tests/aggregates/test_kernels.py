"""Aggregates against the definitions, run by run."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.aggregates.kernels import beaten, iqm, mean, median, optimality_gap, profile


@st.composite
def ragged_runs(draw):
    """Tasks x runs with a few runs missing, never all of a task."""
    tasks, runs = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = np.round(rng.normal(size=(tasks, runs)), 1)
    gone = rng.random((tasks, runs)) < 0.3
    gone[:, rng.integers(runs)] = False
    return np.where(gone, np.nan, values)


def known(row):
    return row[~np.isnan(row)]


@given(ragged_runs())
@settings(max_examples=80, deadline=None)
def test_means_medians_and_gaps_take_every_task_once(runs):
    per_task = [known(row).mean() for row in runs]
    assert mean(runs) == pytest.approx(np.mean(per_task))
    assert median(runs) == pytest.approx(np.median(per_task))
    short = [np.mean([max(0.0, 1.0 - x) for x in known(row)]) for row in runs]
    assert optimality_gap(runs) == pytest.approx(np.mean(short))


@given(ragged_runs())
@settings(max_examples=80, deadline=None)
def test_the_interquartile_mean_is_the_trimmed_mean_of_all_runs(runs):
    assert iqm(runs) == pytest.approx(scipy.stats.trim_mean(known(runs.ravel()), 0.25))


@given(ragged_runs(), st.floats(-2, 2))
@settings(max_examples=80, deadline=None)
def test_a_profile_counts_the_runs_above(runs, threshold):
    expected = np.mean([np.mean(known(row) > threshold) for row in runs])
    assert profile(runs, np.array([threshold]))[0] == pytest.approx(expected)


@given(ragged_runs(), st.integers(0, 2**32 - 1))
@settings(max_examples=80, deadline=None)
def test_the_chance_of_improvement_is_mann_whitneys_u_over_its_largest_value(runs, seed):
    other = np.round(np.random.default_rng(seed).normal(size=(len(runs), 3)), 1)
    expected = [
        scipy.stats.mannwhitneyu(known(x), y).statistic / (len(known(x)) * len(y))
        for x, y in zip(runs, other, strict=True)
    ]
    assert beaten(runs, other) == pytest.approx(np.mean(expected))
    assert beaten(runs, other) + beaten(other, runs) == pytest.approx(1.0)


def test_statistics_work_on_stacks_as_on_single_tables():
    stack = np.random.default_rng(0).normal(size=(4, 3, 5, 2))
    for statistic in (mean, median, iqm, optimality_gap):
        assert statistic(stack).shape == (4, 3)
        assert statistic(stack)[2, 1] == pytest.approx(float(statistic(stack[2, 1])))
