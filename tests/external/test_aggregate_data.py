"""Aggregates of Dopamine's five-seed Atari runs."""

import numpy as np
import polars as pl
import pytest
import scipy

import equipoise as eq


@pytest.fixture(scope="module")
def dopamine(equipoise_data):
    """The agents with Dopamine's own network, on the games where all have five runs."""
    rows = pl.read_csv(equipoise_data / "atari" / "dopamine_final_runs.csv")
    rows = rows.filter(pl.col("network") == "nature_default")
    full = rows.group_by("agent", "game").len().filter(pl.col("len") == 5).group_by("game").len()
    games = full.filter(pl.col("len") == rows["agent"].n_unique())["game"]
    return eq.read_scores(rows.filter(pl.col("game").is_in(games.to_list())))


def test_the_runs_are_read_as_trials(dopamine):
    assert dopamine.repeats is not None
    assert dopamine.repeats.shape[2] == 5
    assert not dopamine.missing.any()


def test_the_interquartile_mean_is_the_trimmed_mean_of_the_normalised_runs(dopamine):
    found = eq.aggregate(dopamine, units="min-max", n=200)
    low, high = dopamine.values.min(axis=0), dopamine.values.max(axis=0)
    runs = (dopamine.repeats - low[:, None]) / (high - low)[:, None]
    expected = [scipy.stats.trim_mean(agent.ravel(), 0.25) for agent in runs]
    np.testing.assert_allclose(found.iqm, expected, rtol=1e-12)


def test_dqn_is_surely_last_and_the_others_are_compared(dopamine):
    found = eq.probability_of_improvement(dopamine, units="min-max", n=500)
    last = found.agents.index("DQN")
    assert found.rank_low[last] == len(found.agents)
    assert (found.improvement[last] < 0.5 + 1e-12).all()
