"""How far intervals of pooled abilities, slopes and difficulties span, against slow and obvious ways."""

import numpy as np
import pytest
import scipy

from equipoise.items.intervals import LEAST_FREEDOM, ErrorQuantiles, degrees_of_freedom, difficulty_ends
from equipoise.items.models.models import Items


def test_a_sample_variance_is_worth_its_degrees_of_freedom():
    """The variance of a sample variance s^2 of n values is 2 s^4 / (n - 1)."""
    variance = np.array([0.5, 2.0])
    moves = np.sqrt(2.0 * variance**2 / 9.0)[:, None]
    np.testing.assert_allclose(degrees_of_freedom(variance, moves, np.eye(1)), 9.0)
    assert degrees_of_freedom(variance, 100.0 * moves, np.eye(1)).tolist() == [LEAST_FREEDOM] * 2
    np.testing.assert_allclose(ErrorQuantiles(np.array([9.0, 1e12])).quantiles(0.95), [2.2622, 1.96], atol=1e-4)


@pytest.mark.parametrize(("weight", "critical"), [(0.9, 2.08), (0.5, 3.26), (0.2, 7.22)])
def test_pulled_estimates_hold_for_the_worst_population(weight, critical):
    """The worst of populations of two points, by brute force; a normal one has 1.96 / sqrt(w)."""
    quantile = ErrorQuantiles(np.full(1, 1e9), np.full(1, weight), np.ones(1)).quantiles(0.95)[0] / np.sqrt(weight)
    assert quantile == pytest.approx(critical, abs=0.02)
    square = (1.0 - weight) / weight
    share = np.linspace(1e-3, 1.0, 5000)
    pull = np.sqrt(square / share)
    beyond = scipy.stats.norm.sf(quantile - pull) + scipy.stats.norm.cdf(-quantile - pull)
    worst = np.max(share * beyond + (1.0 - share) * 2.0 * scipy.stats.norm.sf(quantile))
    assert worst == pytest.approx(0.05, abs=1e-3)


@pytest.mark.parametrize("slope", [2.0, 0.6, -0.3])
def test_ends_of_difficulties_against_many_draws(slope):
    covariance = np.zeros((3, 3, 1))
    covariance[:2, :2, 0] = [[0.09, 0.03], [0.03, 0.16]]
    items = Items(np.array([slope]), np.array([0.7]), np.zeros(1))
    low, high = difficulty_ends(items, covariance, 0.9)
    a, d = np.random.default_rng(0).multivariate_normal([slope, 0.7], covariance[:2, :2, 0], 400_000).T
    share = np.mean(-d / a <= low[0]), np.mean(-d / a <= high[0])
    np.testing.assert_allclose(share, [0.05, 0.95], atol=0.005)
    assert low[0] <= -0.7 / slope <= high[0]
