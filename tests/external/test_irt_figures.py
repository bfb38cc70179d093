"""Figures on public data: short questionnaires, and the Arcade Learning Environment of the key-indicators paper."""

import csv

import numpy as np
import pytest

import equipoise as eq
from equipoise.items.marginal.em import Problem, maximise, start_items
from equipoise.items.marginal.item_step import Bounds, ItemPrior
from equipoise.items.marginal.quadrature import Grid, marginal_log_likelihood, uniform_grid
from equipoise.items.models.models import Items
from equipoise.items.models.responses import from_counts

COPIES = {
    "Schaul_DQN.baseline",
    "vanHasselt.Humanstarts_DQN",
    "vanHasselt.Humanstarts_Double.DQN..tuned.",
    "Wang.Humanstarts_DUEL",
    "Wang.Humanstarts_PRIOR.",
}


@pytest.mark.parametrize(
    ("file", "log_likelihood", "digits"),
    [("ltm_LSAT.csv", -2466.65338, 5e-6), ("ltm_WIRS.csv", -3420.064, 5e-4), ("ltm_Abortion.csv", -707.0866, 5e-5)],
)
def test_two_parameter_log_likelihoods(equipoise_data, file, log_likelihood, digits):
    """R packages ltm and mirt on the same data; Abortion on a converged grid."""
    values = np.loadtxt(equipoise_data / "irt" / file, delimiter=",", skiprows=1)
    fit = eq.irt(eq.Scores.from_matrix(values))
    assert fit.log_likelihood == pytest.approx(log_likelihood, abs=digits)


def test_lsat7_from_patterns_with_frequencies(equipoise_data):
    """R package mirt, -2658.805."""
    table = np.loadtxt(equipoise_data / "irt" / "mirt_LSAT7.csv", delimiter=",", skiprows=1)
    responses = from_counts(table[:, :5], None, table[:, 5])
    state = maximise(Problem(responses, "2pl", ItemPrior(), Bounds()), start_items(responses, "2pl"))
    assert state.log_likelihood == pytest.approx(-2658.805, abs=5e-4)
    rows = np.repeat(table[:, :5], table[:, 5].astype(int), axis=0)
    assert eq.irt(eq.Scores.from_matrix(rows)).log_likelihood == pytest.approx(-2658.805, abs=5e-4)


@pytest.fixture(scope="module")
def ale(equipoise_data):
    binary = eq.read_scores(equipoise_data / "ale" / "ale_binary_techniques_x_games.csv")
    kept = [agent not in COPIES for agent in binary.agents]
    scores = binary.take(agents=kept)
    raw = eq.read_scores(equipoise_data / "ale" / "ale_scores_games_x_techniques.csv", transpose=True)
    return scores, eq.irt(scores, model="2pl"), raw, np.array(kept)


def reference(equipoise_data, file, key, column):
    with (equipoise_data / "ale" / file).open(encoding="utf-8") as rows:
        return {row[key]: float(row[column]) for row in csv.DictReader(rows)}


def test_atari_fit(ale, equipoise_data):
    scores, fit, _, _ = ale
    assert len(scores.agents) == 40
    assert int((~np.isnan(fit.difficulty)).sum()) == 41
    assert fit.log_likelihood == pytest.approx(-487.9, abs=0.1)
    negative = {fit.items[k] for k in np.flatnonzero(fit.discrimination < 0)}
    assert negative == {"Centipede", "Tennis", "Venture", "Video Pinball"}
    assert sum("quasi-separated" in flags for flags in fit.flags.values()) >= 3
    assert sum(flags == ("constant",) for flags in fit.flags.values()) == 8
    assert max(fit.starts) - min(fit.starts) < 0.1
    known = reference(equipoise_data, "ale_ability_regularity_reference_from_plots.csv", "system", "ability_from_plot")
    assert np.corrcoef(fit.ability, [known[agent] for agent in fit.agents])[0, 1] == pytest.approx(0.99, abs=0.01)


def test_the_published_atari_fit_owes_its_likelihood_to_a_coarse_grid(ale, equipoise_data):
    """-490.399 with 21 Gauss-Hermite points is -503.3 on a converged grid: our optimum is far better."""
    scores, fit, _, _ = ale
    file = "ale_irt2pl_params_reference.csv"
    a = reference(equipoise_data, file, "item", "discrimination")
    b = reference(equipoise_data, file, "item", "difficulty")
    assert set(a) <= set(scores.tasks)
    names = [task for task in scores.tasks if task in a]
    slope = np.array([a[name] for name in names])
    items = Items(slope, -slope * [b[name] for name in names], np.zeros(len(names)))
    responses = from_counts(scores.take(tasks=[task in a for task in scores.tasks]).values)
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    coarse = marginal_log_likelihood(responses, items, Grid(nodes, np.log(weights / weights.sum())))
    fine = marginal_log_likelihood(responses, items, uniform_grid(8.0, 3201))
    assert coarse == pytest.approx(-490.399, abs=0.01)
    assert fine == pytest.approx(-503.3, abs=0.05)
    assert fit.log_likelihood > fine + 15


def test_atari_regularity_and_the_two_readings_of_generality(ale):
    """Regularity falls with ability (-.68); generality does on continuous results only; the slope does not (-.16)."""
    _, fit, raw, kept = ale
    regular = eq.generality(raw, np.arange(len(raw.tasks)), n=0).regularity[kept]
    assert np.corrcoef(regular, fit.ability)[0, 1] == pytest.approx(-0.68, abs=0.03)

    few = eq.Scores.from_matrix(raw.values[kept], agents=fit.agents, tasks=raw.tasks)
    continuous = eq.generality(raw.take(agents=kept), fit, n=0)
    binary = eq.generality(few, fit, threshold=100, n=0)
    assert np.corrcoef(continuous.generality, fit.ability)[0, 1] == pytest.approx(-0.68, abs=0.05)
    assert np.corrcoef(binary.generality, fit.ability)[0, 1] == pytest.approx(0, abs=0.1)
    crossing = ~np.isnan(binary.slope)
    assert np.corrcoef(binary.slope[crossing], fit.ability[crossing])[0, 1] == pytest.approx(-0.16, abs=0.05)


def test_items_that_almost_nobody_solves_are_integrated_finely_enough_to_find_the_top(equipoise_data):
    """With 23 agents on 245 levels of GVGAI the search stalled, and its errors left 10 of 154 items discriminating."""
    fit = eq.irt(eq.read_scores(equipoise_data / "gvgai" / "gvgai_binary_agents_x_levels.csv"))
    assert fit.fit.converged
    assert np.median(fit.ability_se) < 0.3
