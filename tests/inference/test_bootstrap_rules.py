"""Two rules of a bootstrap that nothing else would notice: who is drawn, and which replicates bound the interval."""

from types import SimpleNamespace

import numpy as np
import pytest

import equipoise as eq


def means(data):
    """Give each agent's mean over the tasks."""
    return SimpleNamespace(agents=data.agents, rating=data.values.mean(axis=1))


def drawn_counts(tasks, n):
    """How often each task was drawn in each replicate: agent k scores on task k alone."""
    b = eq.bootstrap(means, eq.Scores.from_matrix(np.eye(tasks)), n=n, over="tasks", statistic="rating", rng=11)
    return np.rint(b.replicates * tasks)


def test_every_task_is_drawn_as_often_as_any_other():
    counts = drawn_counts(tasks=5, n=2000)
    assert (counts.sum(axis=1) == 5).all()
    # A task's count in a replicate has variance 5 * (1/5) * (4/5); five standard errors of a mean over 2000.
    np.testing.assert_allclose(counts.mean(axis=0), 1.0, atol=5 * np.sqrt(0.8 / 2000))


def test_a_task_may_be_left_out_or_drawn_more_than_once():
    counts = drawn_counts(tasks=3, n=500)
    assert (counts.min(axis=0) == 0).all()
    assert (counts.max(axis=0) == 3).all()
    np.testing.assert_allclose((counts == 0).mean(axis=0), (2 / 3) ** 3, atol=0.1)


@pytest.mark.parametrize(("n", "level", "first", "last"), [(99, 0.9, 5, 95), (199, 0.95, 5, 195), (39, 0.5, 10, 30)])
def test_the_kth_of_n_replicates_stands_for_a_share_of_k_over_n_plus_1(n, level, first, last):
    scores = eq.Scores.from_matrix(np.random.default_rng(4).normal(size=(3, 30)))
    b = eq.bootstrap(means, scores, n=n, over="tasks", statistic="rating", level=level, rng=5)
    ordered = np.sort(b.replicates, axis=0)
    assert (np.diff(ordered, axis=0) > 0).all(), "neighbours differ, so that another rule would show"
    np.testing.assert_allclose(b.low, ordered[first - 1], rtol=1e-12)
    np.testing.assert_allclose(b.high, ordered[last - 1], rtol=1e-12)


def test_the_spread_divides_by_one_less_than_the_replicates():
    scores = eq.Scores.from_matrix(np.random.default_rng(4).normal(size=(2, 10)))
    b = eq.bootstrap(means, scores, n=4, over="tasks", statistic="rating", rng=5)
    deviations = b.replicates - b.replicates.mean(axis=0)
    np.testing.assert_allclose(b.stderr, np.sqrt((deviations**2).sum(axis=0) / 3))
