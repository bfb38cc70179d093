"""The policies that the statistical suite plays many times at once are those of the planner."""

import numpy as np
import pytest

from equipoise.schedule.policies import pair_worth
from tests.schedule.penalised_fit import PairView, belief
from tests.statistical.pairings import PRIOR, beliefs, worths


@pytest.mark.parametrize("policy", ["uncertainty", "ranking"])
def test_beliefs_and_worths_are_the_planners(policy):
    rng = np.random.default_rng(5)
    wins = rng.integers(0, 6, size=(3, 6, 6)).astype(float)
    ties = rng.integers(0, 3, size=(3, 6, 6)).astype(float)
    ties = np.triu(ties, 1) + np.triu(ties, 1).transpose(0, 2, 1)
    wins[:, np.arange(6), np.arange(6)] = 0
    rating, covariance = beliefs(wins, ties, np.zeros((3, 6)))
    worth = worths(policy, rating, covariance)
    for run in range(3):
        now = belief(PairView(wins[run], ties[run]), PRIOR)
        np.testing.assert_allclose(rating[run], now.rating, atol=1e-3)
        np.testing.assert_allclose(worth[run], pair_worth(policy, now), rtol=2e-2, atol=1e-6)
