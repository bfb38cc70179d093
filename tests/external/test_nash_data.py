"""Nash averages of published tables."""

import numpy as np
import polars as pl
import pytest

import equipoise as eq


@pytest.fixture(scope="module")
def soccer(equipoise_data):
    table = pl.read_csv(equipoise_data / "metagames" / "soccer_winprob_10x10.csv")
    return table.to_numpy()[:, -10:].astype(float)


def test_soccer_puts_its_mass_on_three_agents(soccer):
    # OpenSpiel's MuJoCo soccer meta-game; masses from METHODS figures, payoffs 2p - 1.
    found = eq.nash_average(eq.PairTable.from_matrix(soccer), payoff="win-rate")
    expected = np.zeros(10)
    expected[[1, 8, 9]] = 0.5218, 0.3308, 0.1474
    np.testing.assert_allclose(found.p, expected, atol=5e-5)
    assert found.exploitability <= 1e-12


def atari(folder):
    scores = eq.read_scores(folder / "atari" / "endtoend_noop_starts_agents_x_games.csv")
    return scores.take(agents=scores.missing.sum(axis=1) <= 3)


def test_on_atari_the_human_ties_for_first_with_six_agents(equipoise_data):
    found = eq.nash_average(atari(equipoise_data), missing="drop-tasks")
    assert (len(found.agents), len(found.tasks)) == (22, 54)
    assert found.value == pytest.approx(0.23005, abs=5e-6)
    top = {found.agents[i] for i in np.flatnonzero(found.skill > found.value - 1e-9)}
    assert len(top) == 7
    assert any(name.startswith("Human") for name in top)
    assert found.exploitability <= 1e-12
    assert found.fit.converged


def test_the_atari_optimum_is_unique(equipoise_data):
    from equipoise.nash.kernels import maxent_zero_sum

    found = eq.nash_average(atari(equipoise_data), missing="drop-tasks")
    assert maxent_zero_sum(found.scores).equilibrium.dimension == 0


def test_atari_with_gaps_is_refused_naming_them(equipoise_data):
    with pytest.raises(eq.DataError, match=r"cells have no score: .* on .*; drop tasks with missing="):
        eq.nash_average(atari(equipoise_data))


def test_alphago_by_log_odds_is_won_by_the_full_program():
    found = eq.nash_average(eq.load("alphago"))
    assert found.p[found.agents.index("rvp")] == pytest.approx(1.0)
