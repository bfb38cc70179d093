"""Bootstrap intervals of Nash averages: they cover where the equilibrium is regular, and are wide where it jumps."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.diagnostics import has_code
from equipoise.data.encode.labels import Factor
from tests.statistical.honesty import Coverage, record

REGULAR = np.array([[0.5, 0.7, 0.35, 0.8], [0.3, 0.5, 0.72, 0.75], [0.65, 0.28, 0.5, 0.7], [0.2, 0.25, 0.3, 0.5]])
"""A ring of three whose equilibrium mixes them all, well inside, and a fourth that all of them beat."""
I, J = np.triu_indices(4, 1)


def drawn(rng, win, games):
    wins = rng.binomial(games, win[I, J]).astype(float)
    return eq.PairTable.from_counts(tuple("abcd"), I, J, wins, games - wins)


def add(covered, found, truth, where, names):
    for name in names:
        low, high, value, right = (
            getattr(*pair)[where[name]]
            for pair in ((found, f"{name}_low"), (found, f"{name}_high"), (found, name), (truth, name))
        )
        covered[name].add(low, high, right, value)


def test_masses_and_averages_are_covered_where_the_equilibrium_is_regular():
    rng = np.random.default_rng(21)
    truth = eq.nash_average(eq.PairTable.from_matrix(REGULAR), payoff="win-rate")
    where = {"p": slice(0, 3), "average": slice(3, 4)}
    covered, jumps = {name: Coverage(what=f"Nash {name} over matches") for name in where}, []
    for run in range(200):
        found = eq.nash_average(drawn(rng, REGULAR, 400), payoff="win-rate", n=60, rng=run)
        jumps.append(has_code(found.diagnostics, "equilibrium-jumps"))
        add(covered, found, truth, where, where)
    covered["p"].check(slack=0.015)  # percentiles of 60 resamples are rough
    covered["average"].check(slack=0.015)
    assert np.mean(jumps) < 0.1


def voted(rng, voters=80):
    """Every voter sees 24 games and leans its own way in each pair."""
    pair = rng.integers(len(I), size=(voters, 24))
    lean = rng.normal(scale=0.8, size=(voters, len(I)))
    odds = np.log(REGULAR[I, J] / (1 - REGULAR[I, J]))[pair] + np.take_along_axis(lean, pair, axis=1)
    won = rng.random(pair.shape) < 1 / (1 + np.exp(-odds))
    group = np.repeat(np.arange(voters), 24)
    a, b = (side[pair].ravel().astype(np.int32) for side in (I, J))
    return eq.Matches.from_codes(tuple("abcd"), a, b, won.astype(float).ravel(), group=Factor.of(group))


def test_masses_are_covered_over_groups():
    rng = np.random.default_rng(24)
    many = voted(np.random.default_rng(0), 60_000)
    truth = eq.nash_average(many, payoff="win-rate")
    places, covered = slice(0, 3), {"p": Coverage(what="Nash p over groups")}
    for run in range(60):
        found = eq.nash_average(voted(rng), payoff="win-rate", over="clusters", n=100, rng=run)
        add(covered, found, truth, {"p": places}, ["p"])
    covered["p"].check(slack=0.02, over=None)  # as above, from 80 voters


def test_where_the_equilibrium_jumps_the_band_reaches_across_the_jump():
    # C + eps T of the paper at eps = 1/2: on one side all the mass is on the first agent, on the other half of it.
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    ladder = np.array([[0, 1, 2], [-1, 0, 1], [-2, -1, 0]])
    win = 1 / (1 + np.exp(-0.5 * (cycle + 0.5 * ladder)))
    i, j = np.triu_indices(3, 1)
    rng = np.random.default_rng(22)
    wide, said = [], []
    for run in range(40):
        wins = rng.binomial(400, win[i, j]).astype(float)
        table = eq.PairTable.from_counts(tuple("abc"), i, j, wins, 400 - wins)
        found = eq.nash_average(table, n=60, rng=run)
        wide.append(found.p_high[0] - found.p_low[0])
        said.append(has_code(found.diagnostics, "equilibrium-jumps"))
    assert np.mean(np.array(wide) > 0.4) > 0.8, wide
    assert all(told for told, width in zip(said, wide, strict=True) if width > 0.4)


MEAN = np.array([[0.9, 0.2, 0.3], [0.2, 0.8, 0.3], [0.3, 0.2, 0.9]])
"""Every agent has a task of its own: the equilibrium mixes all three on either side."""
EVERYTHING = {"skill": slice(None), "difficulty": slice(None), "agent_p": slice(None), "task_p": slice(None)}


def test_skills_difficulties_and_masses_are_covered_over_trials():
    rng = np.random.default_rng(23)
    truth = eq.nash_average(eq.Scores.from_matrix(MEAN), units="none")
    covered = {name: Coverage(what=f"Nash {name} over trials") for name in EVERYTHING}
    for run in range(250):
        runs = MEAN[:, :, None] + rng.normal(scale=0.2, size=(3, 3, 12))
        found = eq.nash_average(eq.Scores.from_matrix(runs), units="none", over="runs", n=60, rng=run)
        add(covered, found, truth, EVERYTHING, EVERYTHING)
    for name in EVERYTHING:
        covered[name].check(over=None)  # cells borrow spread from each other: rather too wide than too narrow


def table(rng, kind, size):
    """Mean scores: agents each with a task of their own, one agent ahead of all by little, or anything."""
    if kind == "apart":
        values, core = 0.3 + 0.05 * rng.normal(size=(size, size)), size // 2
        values[:core, :core] += 0.5 * np.eye(core)
        values[:, core:] += 0.6
        values[core:, :core] -= 0.2
        return values
    if kind == "ladder":
        return np.linspace(0.9, 0.3, size)[:, None] + np.linspace(0, 0.6, size) + 0.02 * rng.normal(size=(size, size))
    return rng.uniform(size=(size, size))


@pytest.mark.parametrize("size", [6, 10, 18])
def test_skills_difficulties_and_masses_of_few_trials_are_covered(size):
    rng = np.random.default_rng(26)
    for trials in (2, 3, 4, 8):
        covered = {name: Coverage(what=f"Nash {name}, {trials} trials, {size} agents") for name in EVERYTHING}
        for kind in ("apart", "ladder", "any"):
            for world in range({6: 6, 10: 2, 18: 1}[size]):
                mean = table(rng, kind, size)
                spread = 0.1 * np.exp(0.5 * (world % 2) * rng.normal(size=(size, size, 1)))
                truth = eq.nash_average(eq.Scores.from_matrix(mean), units="none")
                for run in range({6: 6, 10: 5, 18: 2}[size]):
                    runs = mean[:, :, None] + spread * rng.normal(size=(size, size, trials))
                    found = eq.nash_average(eq.Scores.from_matrix(runs), units="none", over="runs", n=60, rng=run)
                    add(covered, found, truth, EVERYTHING, EVERYTHING)
        for part in covered.values():
            share = part.held().mean()
            record(part.what, "95%, at least 93%", round(float(share), 3))
            assert share >= 0.93, (part.what, share)
        assert size > 6 or trials > 2 or covered["skill"].held(0.5).mean() < 0.93, "half as wide would do"


def test_intervals_over_tasks_are_called_a_stability_band():
    """The value hangs on the hardest tasks of the suite: a bootstrap of extremes does not cover, and is said not to."""
    rng = np.random.default_rng(25)

    def suite():
        kind = rng.integers(3, size=90)
        return eq.Scores.from_matrix(MEAN[:, kind] + rng.normal(scale=0.05, size=(1, 90)))

    truth = np.mean([eq.nash_average(suite(), units="none").value for _ in range(100)])
    found = [eq.nash_average(suite(), units="none", over="tasks", n=40, rng=run) for run in range(25)]
    held = [(one.skill_low <= truth) & (truth <= one.skill_high) for one in found]
    assert np.mean(held) < 0.9
    assert all(has_code(one.diagnostics, "stability-band") for one in found)
