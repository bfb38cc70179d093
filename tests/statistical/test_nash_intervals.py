"""Bootstrap intervals of Nash averages: they cover where the equilibrium is regular, and are wide where it jumps."""

import numpy as np

import equipoise as eq

REGULAR = np.array([[0.5, 0.7, 0.35, 0.8], [0.3, 0.5, 0.72, 0.75], [0.65, 0.28, 0.5, 0.7], [0.2, 0.25, 0.3, 0.5]])
"""A ring of three whose equilibrium mixes them all, well inside, and a fourth that all of them beat."""
I, J = np.triu_indices(4, 1)


def drawn(rng, win, games):
    wins = rng.binomial(games, win[I, J]).astype(float)
    return eq.PairTable.from_columns(tuple("abcd"), I, J, wins, games - wins)


def test_masses_and_averages_are_covered_where_the_equilibrium_is_regular():
    rng = np.random.default_rng(21)
    truth = eq.nash_average(eq.PairTable.from_matrix(REGULAR), payoff="win-rate")
    masses, averages = [], []
    for run in range(100):
        found = eq.nash_average(drawn(rng, REGULAR, 400), payoff="win-rate", resamples=100, rng=run)
        masses.append((found.p_low[:3] <= truth.p[:3]) & (truth.p[:3] <= found.p_high[:3]))
        averages.append(found.average_low[3] <= truth.average[3] <= found.average_high[3])
    # 100 tables: a standard error of about 2%; intervals half as wide would hold two times in three.
    assert 0.88 <= np.mean(masses) <= 0.99, np.mean(masses)
    assert 0.88 <= np.mean(averages) <= 0.99, np.mean(averages)


def test_where_the_equilibrium_jumps_the_band_reaches_across_the_jump():
    # C + eps T of the paper at eps = 1/2: on one side all the mass is on the first agent, on the other half of it.
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    ladder = np.array([[0, 1, 2], [-1, 0, 1], [-2, -1, 0]])
    win = 1 / (1 + np.exp(-0.5 * (cycle + 0.5 * ladder)))
    i, j = np.triu_indices(3, 1)
    rng = np.random.default_rng(22)
    wide = []
    for run in range(40):
        wins = rng.binomial(400, win[i, j]).astype(float)
        table = eq.PairTable.from_columns(tuple("abc"), i, j, wins, 400 - wins)
        found = eq.nash_average(table, resamples=60, rng=run)
        wide.append(found.p_high[0] - found.p_low[0])
    assert np.mean(np.array(wide) > 0.4) > 0.8, wide


def test_skills_against_tasks_are_covered_over_trials():
    rng = np.random.default_rng(23)
    mean = np.array([[0.9, 0.2, 0.3], [0.2, 0.8, 0.3], [0.3, 0.2, 0.9]])
    truth = eq.nash_average(eq.Scores.from_matrix(mean), units="none")
    inside = []
    for run in range(50):
        runs = mean[:, :, None] + rng.normal(scale=0.2, size=(3, 3, 12))
        found = eq.nash_average(eq.Scores.from_matrix(runs), units="none", unit="trial", resamples=100, rng=run)
        inside.append((found.skill_low <= truth.skill) & (truth.skill <= found.skill_high))
    # Percentile intervals from a dozen trials a cell are a little narrow; an interval for one trial would hold 30%.
    assert 0.85 <= np.mean(inside) <= 0.99, np.mean(inside)
