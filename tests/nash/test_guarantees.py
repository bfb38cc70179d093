"""Small seeded checks of what intervals of Nash averages promise; tests/statistical has the long ones."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.diagnostics import has_code

REGULAR = np.array([[0.5, 0.7, 0.35, 0.8], [0.3, 0.5, 0.72, 0.75], [0.65, 0.28, 0.5, 0.7], [0.2, 0.25, 0.3, 0.5]])
"""A ring of three whose equilibrium mixes them all, well inside, and a fourth that all of them beat."""
I, J = np.triu_indices(4, 1)
MEAN = np.array([[0.9, 0.2, 0.3], [0.2, 0.8, 0.3], [0.3, 0.2, 0.9]])
"""Every agent has a task of its own: the equilibrium mixes all three on either side."""


def check_widths(intervals, estimates, truth):
    """Assert that intervals are as wide as the spread of the estimates asks for, and in the right place.

    A coverage of 95% is a half-width of 1.96 standard deviations about an estimate without bias; a fifth too narrow,
    or too wide, fails.
    """
    low, high = np.mean(intervals, axis=0)
    spread = np.std(estimates, axis=0, ddof=1)
    half = (high - low) / 2
    assert 0.85 < np.mean(half / (1.96 * spread)) < 1.15, half / (1.96 * spread)
    assert (np.abs((low + high) / 2 - truth) < 1.0 * spread).all()
    assert (np.abs(np.mean(estimates, axis=0) - truth) < 0.2 * spread).all()


def league(rng):
    wins = rng.binomial(400, REGULAR[I, J]).astype(float)
    return eq.PairTable.from_counts(tuple("abcd"), I, J, wins, 400 - wins)


def test_intervals_over_matches_are_as_wide_as_masses_and_averages_spread():
    rng = np.random.default_rng(1)

    def numbers(result, end=""):
        return np.array([*getattr(result, f"p{end}")[:3], getattr(result, f"average{end}")[3]])

    truth = numbers(eq.nash_average(eq.PairTable.from_matrix(REGULAR), payoff="win-rate"))
    estimates = [numbers(eq.nash_average(league(rng), payoff="win-rate")) for _ in range(300)]
    results = [eq.nash_average(league(rng), payoff="win-rate", n=100, rng=run) for run in range(15)]
    check_widths([(numbers(result, "_low"), numbers(result, "_high")) for result in results], estimates, truth)


def test_intervals_over_trials_are_as_wide_as_skills_and_difficulties_spread():
    rng = np.random.default_rng(2)

    def suite():  # with many trials: of n out of n a bootstrap sees a share (n - 1)/n of the variance
        return eq.Scores.from_matrix(MEAN[:, :, None] + rng.normal(scale=0.35, size=(3, 3, 40)))

    def numbers(result, end=""):
        return np.concatenate([getattr(result, f"{name}{end}") for name in ("skill", "difficulty", "task_p")])

    truth = numbers(eq.nash_average(eq.Scores.from_matrix(MEAN), units="none"))
    estimates = [numbers(eq.nash_average(suite(), units="none")) for _ in range(300)]
    results = [eq.nash_average(suite(), units="none", over="runs", n=100, rng=run) for run in range(10)]
    check_widths([(numbers(result, "_low"), numbers(result, "_high")) for result in results], estimates, truth)


def test_a_band_that_reaches_across_a_jump_says_that_it_is_one():
    # C + eps T of the paper at eps = 1/2: on one side all the mass is on the first agent, on the other half of it.
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    ladder = np.array([[0, 1, 2], [-1, 0, 1], [-2, -1, 0]])
    win = 1 / (1 + np.exp(-0.5 * (cycle + 0.5 * ladder)))
    i, j = np.triu_indices(3, 1)
    wins = np.random.default_rng(3).binomial(400, win[i, j]).astype(float)
    result = eq.nash_average(eq.PairTable.from_counts(tuple("abc"), i, j, wins, 400 - wins), n=60)
    assert result.p_high[0] - result.p_low[0] > 0.4
    assert has_code(result.diagnostics, "equilibrium-jumps")


def test_an_equilibrium_far_from_a_jump_is_not_called_one():
    wins = np.round(4000 * REGULAR[I, J])
    table = eq.PairTable.from_counts(tuple("abcd"), I, J, wins, 4000 - wins)
    assert not has_code(eq.nash_average(table, payoff="win-rate", n=60).diagnostics, "equilibrium-jumps")


@pytest.mark.parametrize("unit", ["tasks", "runs"])
def test_only_intervals_over_tasks_are_called_a_stability_band(unit):
    runs = MEAN[:, :, None] + np.random.default_rng(4).normal(scale=0.05, size=(3, 3, 8))
    result = eq.nash_average(eq.Scores.from_matrix(runs), units="none", over=unit, n=20)
    assert has_code(result.diagnostics, "stability-band") == (unit == "tasks")


def test_a_bootstrap_over_tasks_draws_every_task():
    """One task alone tells the agents apart the other way round: a resample without it, or of it only, must occur."""
    values = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    result = eq.nash_average(eq.Scores.from_matrix(values), units="none", n=200)
    assert (result.skill_low < 0.01).all()
    assert (result.skill_high > 0.99).all()
