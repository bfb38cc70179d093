"""Agents, tasks and resamples with numbers of runs of their own, against plain loops over lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.aggregates.kernels import STATISTICS, beaten, profile
from equipoise.aggregates.runs import resampled, runs_of

UNEVEN = [[[0.1, 0.2, 0.3, 0.4], [0.9, 1, 1.4, 0.2]], [[0.5, 0.5, 0.6, np.nan], [0.8, 0.8, 0.9, np.nan]]]


def lists(runs):
    """The runs of one agent as one plain list a task."""
    return [[float(x) for x in task if not np.isnan(x)] for task in runs]


def plain(tasks):
    """The four aggregates of one agent, and the share of its runs above a half, from lists."""
    together = sorted(x for task in tasks for x in task)
    cut = len(together) // 4
    middle = together[cut : len(together) - cut]
    means = [sum(task) / len(task) for task in tasks]
    short = [sum(max(0.0, 1.0 - x) for x in task) / len(task) for task in tasks]
    above = [sum(x > 0.5 for x in task) / len(task) for task in tasks]
    return {
        "iqm": sum(middle) / len(middle),
        "mean": sum(means) / len(means),
        "median": float(np.median(means)),
        "optimality_gap": sum(short) / len(short),
        "profile": sum(above) / len(above),
    }


def plain_chance(one, other):
    won = [np.mean([(x > y) + 0.5 * (x == y) for x in a for y in b]) for a, b in zip(one, other, strict=True)]
    return float(np.mean(won))


@st.composite
def uneven(draw, fewest=1):
    """Agents x tasks x runs; every cell has a number of runs of its own, in places of its own."""
    agents, tasks, most = draw(st.integers(2, 4)), draw(st.integers(1, 5)), draw(st.integers(fewest, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = np.round(rng.normal(0.5, 0.5, size=(agents, tasks, most)), 1)
    kept = rng.integers(fewest, most + 1, size=(agents, tasks, 1))
    values[rng.permuted(np.broadcast_to(np.arange(most), values.shape), axis=2) >= kept] = np.nan
    return values


def test_the_number_of_runs_of_one_agent_is_not_that_of_another():
    result = eq.aggregate(eq.Scores.from_matrix(UNEVEN), n=50)
    assert result.iqm.tolist() == pytest.approx([0.45, 0.675])
    swapped = eq.aggregate(eq.Scores.from_matrix(UNEVEN[::-1]), n=50)
    assert swapped.iqm.tolist() == pytest.approx([0.675, 0.45])


@given(uneven())
@settings(max_examples=150, deadline=None)
def test_statistics_of_uneven_runs_are_those_of_plain_lists(values):
    expected = [plain(lists(agent)) for agent in values]
    for name, statistic in STATISTICS.items():
        np.testing.assert_allclose(statistic(values), [agent[name] for agent in expected], atol=1e-12)
    np.testing.assert_allclose(profile(values, np.array([0.5]))[:, 0], [agent["profile"] for agent in expected])
    assert beaten(values[0], values[1]) == pytest.approx(plain_chance(lists(values[0]), lists(values[1])))


@given(uneven(fewest=2), st.sampled_from(["run", "task"]), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_statistics_of_every_resample_are_those_of_plain_lists(values, unit, seed):
    runs = runs_of(eq.Scores.from_matrix(values), "none", None, unit)
    (chunk,) = resampled(runs, 4, np.random.default_rng(seed))
    for name, statistic in STATISTICS.items():
        expected = [[plain(lists(agent))[name] for agent in sample] for sample in chunk]
        np.testing.assert_allclose(statistic(chunk), expected, atol=1e-12)


@given(
    uneven(fewest=2), st.randoms(use_true_random=False), st.sampled_from([eq.aggregate, eq.probability_of_improvement])
)
@settings(max_examples=40, deadline=None)
def test_the_order_of_agents_changes_nothing_but_the_order(values, random, method):
    order = random.sample(range(len(values)), len(values))
    one = method(eq.Scores.from_matrix(values), n=20)
    other = method(eq.Scores.from_matrix(values[order]), n=20)
    np.testing.assert_allclose(getattr(one, one.main)[order], getattr(other, other.main), atol=1e-12)


def test_profiles_of_runs_too_uneven_for_whole_weights_are_the_same():
    rng = np.random.default_rng(4)
    runs = rng.normal(size=(2, 40, 43))
    for task in range(40):
        runs[:, task, task + 3 :] = np.nan  # 3 to 42 runs: their least common multiple has 18 digits
    thresholds = np.array([0.5, -9.0, 0.0])
    above = np.array([np.nansum(runs > t, axis=2) / (~np.isnan(runs)).sum(axis=2) for t in thresholds])
    np.testing.assert_allclose(profile(runs, thresholds), above.mean(axis=2).T)
    assert (profile(runs, thresholds)[:, 1] == 1).all()
