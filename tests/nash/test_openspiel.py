"""The same games in OpenSpiel, where it is installed."""

import numpy as np
import pytest

import equipoise as eq
from tests.nash.games import antisymmetric

openspiel = pytest.importorskip(
    "open_spiel.python.algorithms.nash_averaging",
    reason="OpenSpiel is not installed: a peer for cross-checks, not a dependency",
)


@pytest.mark.parametrize("seed", range(10))
def test_agents_have_the_same_masses(seed):
    payoff = antisymmetric(np.random.default_rng(seed).integers(-2, 3, size=(6, 6)).astype(float))
    theirs = openspiel._max_entropy_symmetric_nash(payoff, eps=0.0).ravel()
    np.testing.assert_allclose(eq.maxent_nash(payoff, merge_clones=False).p, theirs, atol=2e-4)


@pytest.mark.parametrize("seed", range(6))
def test_both_sides_of_a_score_table_have_the_same_masses(seed):
    score = np.random.default_rng(seed).integers(0, 4, size=(5, 4)).astype(float)
    (agents, tasks), (skill, difficulty) = openspiel.nash_averaging_avt_matrix(score)
    found = eq.nash_average(eq.Scores.from_matrix(score), merge_clones=False)
    np.testing.assert_allclose(found.agent_p, agents.ravel(), atol=2e-4)
    np.testing.assert_allclose(found.task_p, tasks.ravel(), atol=2e-4)
    np.testing.assert_allclose(found.skill, skill.ravel(), atol=2e-4)
    np.testing.assert_allclose(found.difficulty, difficulty.ravel(), atol=2e-4)
