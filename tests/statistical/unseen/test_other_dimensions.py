"""One ability in worlds of another kind: guessing, slopes that differ much, two groups of agents, gaps."""

import numpy as np
from scipy.special import expit

import equipoise as eq
from equipoise.methods import second_dimension
from tests.statistical.honesty import record


def test_one_ability_is_seldom_called_too_few_in_other_worlds():
    alarms = []
    for seed in range(40):
        rng = np.random.default_rng([611, seed])
        agents, items = ((30, 60), (80, 40))[seed % 2]
        ability = rng.normal(rng.choice([-1.2, 0.9], agents), 0.5)[:, None]
        guess = 0.25 if seed % 4 < 2 else 0.0
        chance = guess + (1 - guess) * expit(rng.gamma(2.0, 0.6, items) * (ability - rng.uniform(-2, 2, items)))
        values = (rng.random((agents, items)) < chance).astype(float)
        values[rng.random(values.shape) < 0.1] = np.nan
        try:
            alarms.append(second_dimension(eq.Scores.from_matrix(values), n=39, rng=seed).p_value <= 0.05)
        except eq.DataError:  # an agent or item without two answers
            continue
    record("false alarms", 0.05, round(float(np.mean(alarms)), 4))
    assert len(alarms) >= 35
    assert np.mean(alarms) <= 0.06 + 2 * np.sqrt(0.06 * 0.94 / len(alarms))
