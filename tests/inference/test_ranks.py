import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.inference.ranks import rank_intervals, rank_intervals_from_variances, simultaneous_quantile


def test_well_separated_agents_have_sure_ranks():
    low, high = rank_intervals(np.array([3.0, 1.0, 2.0]), np.eye(3) * 1e-6, 0.95, None, np.random.default_rng(0))
    assert low.tolist() == high.tolist() == [1, 3, 2]


def test_equal_agents_may_have_any_rank():
    low, high = rank_intervals(np.zeros(4), np.eye(4), 0.95, None, np.random.default_rng(0))
    assert low.tolist() == [1] * 4
    assert high.tolist() == [4] * 4


def test_two_agents_need_the_ordinary_quantile():
    q = simultaneous_quantile(np.eye(2), np.full((2, 2), np.sqrt(2)), 0.95, np.random.default_rng(0))
    assert q == pytest.approx(1.96, abs=0.06)


def test_many_equal_agents_need_the_studentised_range():
    """Tukey's q(0.95; 10, inf) = 4.474, in units of a difference's standard error: 4.474/sqrt(2)."""
    n = 10
    spread = np.full((n, n), np.sqrt(2))
    q = simultaneous_quantile(np.eye(n), spread, 0.95, np.random.default_rng(0))
    assert q == pytest.approx(4.474 / np.sqrt(2), abs=0.06)


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0.01, 1)), min_size=2, max_size=8))
def test_intervals_from_variances_are_counted_like_the_definition(agents):
    from scipy.stats import norm

    rating, variance = (np.array(column) for column in zip(*agents, strict=True))
    low, high = rank_intervals_from_variances(rating, variance, 0.9)
    reach = norm.ppf(0.5 + 0.5 * 0.9 ** (1 / len(rating))) * np.sqrt(variance)
    for i in range(len(rating)):
        assert low[i] == 1 + np.sum(rating - reach > rating[i] + reach[i])
        assert high[i] == len(rating) - np.sum(rating + reach < rating[i] - reach[i])
