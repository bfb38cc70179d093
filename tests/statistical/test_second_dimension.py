"""Is one ability seldom called too few, and are two skills found? Seeded simulations."""

import numpy as np
import pytest
from scipy.special import expit

import equipoise as eq
from equipoise.methods import second_dimension
from tests.statistical.honesty import record

RUNS = 40


def answers(rng, agents, items, *, skills=1, slopes=0.3):
    ability = rng.normal(size=(agents, skills))[:, np.arange(items) % skills]
    chance = expit(np.exp(rng.normal(0, slopes, items)) * (ability - rng.normal(size=items)))
    return eq.Scores.from_matrix((rng.random((agents, items)) < chance).astype(float))


@pytest.mark.parametrize(("agents", "items"), [(20, 100), (150, 20)])
def test_one_ability_is_seldom_called_too_few(agents, items):
    found = [
        second_dimension(answers(np.random.default_rng([61, seed]), agents, items), n=39, rng=seed).p_value <= 0.05
        for seed in range(RUNS)
    ]  # fmt: skip
    record("false alarms", 0.05, round(float(np.mean(found)), 4))
    assert np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / RUNS)


def test_two_skills_are_found():
    found = [
        second_dimension(answers(np.random.default_rng([62, seed]), agents, items, skills=2), n=39, rng=seed).p_value
        <= 0.05
        for seed in range(RUNS // 2) for agents, items in ((20, 100), (150, 20))
    ]  # fmt: skip
    record("two skills found", 0.8, round(float(np.mean(found)), 4))
    assert np.mean(found) > 0.8
