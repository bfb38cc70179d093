"""Rank intervals rest on the errors of differences: on covariances, degrees of freedom and the number of pairs."""

import numpy as np
import pytest
from scipy.stats import norm, studentized_range, t

from equipoise.inference.ranks import (
    rank_intervals,
    rank_intervals_from_variances,
    simultaneous_quantile,
    two_sided_quantile,
    two_sided_quantiles,
)


def ranks_of(rating, covariance, **options):
    low, high = rank_intervals(
        np.array(rating),
        np.array(covariance),
        0.95,
        options.pop("components", None),
        np.random.default_rng(0),
        **options,
    )
    return low.tolist(), high.tolist()


def test_ratings_that_move_together_are_told_apart_by_a_small_gap():
    assert ranks_of([0.5, 0.0], [[1.0, 0.99], [0.99, 1.0]]) == ([1, 2], [1, 2])


def test_ratings_that_move_apart_are_not_told_apart_by_a_larger_one():
    assert ranks_of([3.0, 0.0], [[1.0, -0.9], [-0.9, 1.0]]) == ([1, 1], [2, 2])


def test_a_gap_counts_from_the_quantile_of_the_difference_on():
    se = np.sqrt(0.5 + 0.3 - 2 * 0.1)
    covariance = [[0.5, 0.1], [0.1, 0.3]]
    assert ranks_of([1.85 * se, 0.0], covariance)[1] == [2, 2]
    assert ranks_of([2.07 * se, 0.0], covariance)[1] == [1, 2]


def test_each_pair_is_judged_by_its_own_error():
    """Two well-known agents a little apart, and one that nobody knows well far behind."""
    assert ranks_of([0.45, 0.0, -4.0], np.diag([0.01, 0.01, 4.0])) == ([1, 2, 1], [2, 3, 3])


def test_few_degrees_of_freedom_ask_for_a_larger_gap():
    q = simultaneous_quantile(np.eye(2), np.full((2, 2), np.sqrt(2)), 0.9, np.random.default_rng(1), degrees=3)
    assert q == pytest.approx(t(3).ppf(0.95), abs=0.12)
    assert ranks_of([2.2 * np.sqrt(2), 0.0], np.eye(2)) == ([1, 2], [1, 2])
    assert ranks_of([2.2 * np.sqrt(2), 0.0], np.eye(2), degrees=3) == ([1, 1], [2, 2])


def test_a_covariance_from_few_draws_does_not_say_how_differences_move_together():
    """Two draws leave one direction: all differences look like one, but three pairs are tested."""
    one = np.outer([1.0, 0.2, -1.2], [1.0, 0.2, -1.2])
    spread = np.abs(np.subtract.outer([1.0, 0.2, -1.2], [1.0, 0.2, -1.2]))
    q = simultaneous_quantile(one, spread, 0.95, np.random.default_rng(0), degrees=1)
    np.testing.assert_allclose(q, t(1).ppf(1 - 0.05 / 6))


def test_each_pair_has_the_fewer_degrees_of_its_agents():
    degrees = np.array([3.0, 9.0, np.inf])
    q = simultaneous_quantile(np.eye(3), np.full((3, 3), np.sqrt(2)), 0.9, np.random.default_rng(0), degrees)
    np.testing.assert_allclose(q[0], t(3).ppf(1 - 0.1 / 6))
    assert q[1, 2] == pytest.approx(t(9).ppf(1 - 0.1 / 6))
    np.testing.assert_allclose(two_sided_quantiles(0.9, degrees), [*t([3, 9]).ppf(0.95), norm.ppf(0.95)])


@pytest.mark.parametrize(("agents", "degrees"), [(2, 40), (10, 40), (20, 60)])
def test_a_covariance_from_some_draws_asks_for_the_studentised_range(agents, degrees):
    spread = np.full((agents, agents), np.sqrt(2))
    # A quantile of 4000 draws has a standard error of 0.03 here: the mean of twenty is taken.
    q = [simultaneous_quantile(np.eye(agents), spread, 0.95, np.random.default_rng(k), degrees) for k in range(20)]
    expected = studentized_range(agents, degrees).ppf(0.95) / np.sqrt(2)
    assert np.mean(q) == pytest.approx(expected, abs=0.03)
    assert studentized_range(agents, np.inf).ppf(0.95) / np.sqrt(2) < expected - 0.06


def test_ranks_are_within_a_component_and_count_its_pairs_alone():
    covariance = np.eye(3) * 1e-6
    assert ranks_of([3.0, 2.0, 1.0], covariance, components=np.array([0, 1, 0])) == ([1, 1, 2], [1, 1, 2])
    # One pair of two agents asks for 1.96 standard errors, not for what three pairs would.
    assert ranks_of([2.1, 0.0, 0.0], np.eye(3) / 2, components=np.array([0, 1, 0])) == ([1, 1, 2], [1, 1, 2])
    assert ranks_of([2.1, 0.0, 0.0], np.eye(3) / 2) == ([1, 1, 1], [3, 3, 3])


def test_agents_without_any_error_and_agents_of_their_own_component_have_sure_ranks():
    assert ranks_of([3.0, 1.0, 2.0], np.zeros((3, 3))) == ([1, 3, 2], [1, 3, 2])
    assert ranks_of([3.0, 1.0, 2.0], np.eye(3), components=np.arange(3)) == ([1, 1, 1], [1, 1, 1])


def test_ranks_from_variances_are_within_a_component_too():
    rating, components = np.array([3.0, 9.0, 1.0, 7.0, 2.0]), np.array([0, 1, 0, 1, 0])
    low, high = rank_intervals_from_variances(rating, np.full(5, 1e-6), 0.95, components)
    assert (low.tolist(), high.tolist()) == ([1, 1, 3, 2, 2], [1, 1, 3, 2, 2])


def test_above_400_agents_all_pairs_share_the_level_as_if_they_were_independent():
    n = 401
    q = simultaneous_quantile(np.eye(n), np.full((n, n), np.sqrt(2)), 0.95, np.random.default_rng(0))
    assert q == pytest.approx(norm.ppf(0.5 + 0.95 ** (1 / (401 * 200)) / 2), rel=1e-9)


def test_agents_known_for_sure_leave_the_root_to_the_eigenvectors():
    """Two agents with variance 1, two without any, and what rounding leaves below zero."""
    covariance = np.diag([1.0, 1.0, 0.0, -1e-13])
    variance = np.diag(covariance).clip(0)
    spread = np.sqrt(variance[:, None] + variance[None, :])
    # A quantile of 4000 draws has a standard error of 0.03 here: the mean of ten is taken.
    q = np.mean([simultaneous_quantile(covariance, spread, 0.95, np.random.default_rng(k)) for k in range(10)])
    x, y = np.random.default_rng(1).standard_normal((2, 200_000))
    expected = np.quantile(np.max([np.abs(x - y) / np.sqrt(2), np.abs(x), np.abs(y)], axis=0), 0.95)
    assert q == pytest.approx(expected, abs=0.04)


def test_the_two_sided_quantile_leaves_half_of_the_rest_on_each_side():
    assert two_sided_quantile(0.9) == pytest.approx(norm.ppf(0.95))
    assert two_sided_quantile(0.9, 7) == pytest.approx(t(7).ppf(0.95))
