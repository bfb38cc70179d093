"""One floor for all items in the pooled fit: its integrals against plain ones, its error, and what is said of it."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.core.diagnostics import has_code
from equipoise.items.models.responses import from_counts
from equipoise.items.pooled.floor import LEAST_FLOOR, fit_with_floor
from equipoise.items.pooled.item_integrals import integrate, item_moments, item_scores
from equipoise.items.pooled.item_population import Answers, item_peaks, log_density
from equipoise.items.pooled.pooled import curvature_slopes, pooled_fit, trace_slopes
from tests.items.test_pooled import POPULATION, answers_of, differences, laid

SHAPES = st.sampled_from([(None, 0.0), (None, 0.3), (3, 0.2)])
CLOSE = {"atol": 1e-6, "rtol": 1e-5}


def guessed(seed, agents, items, c):
    rng = np.random.default_rng(seed)
    theta, a, b = rng.normal(size=(agents, 1)), np.exp(0.3 * rng.normal(size=items)), rng.normal(size=items)
    chance = c + (1 - c) * scipy.special.expit(a * (theta - b))
    return (rng.random(chance.shape) < chance).astype(float)


@pytest.mark.parametrize(("trials", "missing"), [(None, 0.0), (None, 0.3), (4, 0.2)])
def test_the_integral_above_a_floor_against_a_fine_grid(trials, missing):
    answers, ability, c = replace(answers_of(3, trials, missing), floor=0.2), np.linspace(-1.2, 1.4, 5), 0.2
    a, d = np.meshgrid(np.linspace(-3, 5, 401), np.linspace(-9, 9, 401))
    whole = 0.0
    for j in range(6):
        log = log_density(POPULATION, a, d) - np.log(2 * np.pi)
        for theta, won, tried in zip(ability, answers.successes[:, j], answers.trials[:, j], strict=True):
            p = c + (1 - c) * scipy.special.expit(theta * a + d)
            log = log + won * np.log(p) + (tried - won) * np.log1p(-p)
        whole += np.log(np.sum(np.exp(log)) * (8 / 400) * (18 / 400))
    assert integrate(answers, laid(answers, ability), ability, POPULATION).value == pytest.approx(whole, abs=1e-3)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 200), SHAPES, st.sampled_from([0.05, 0.3]))
def test_derivatives_above_a_floor_are_those_of_the_integral(seed, shape, c):
    answers = replace(answers_of(seed, *shape), floor=c)
    rng = np.random.default_rng(seed)
    ability, follow, weigh = rng.normal(size=5), rng.normal(size=(5, 5)), np.eye(5) + 0.1
    nodes = laid(answers, ability, 5)
    at = integrate(answers, nodes, ability, POPULATION)
    rise = differences(lambda t: integrate(answers, nodes, t, POPULATION).value, ability)
    np.testing.assert_allclose(at.slope, rise, **CLOSE)
    by_ability = differences(lambda t: integrate(answers, nodes, t, POPULATION).slope, ability)
    np.testing.assert_allclose(at.curvature, -by_ability, **CLOSE)
    moved = differences(
        lambda h: integrate(answers, nodes, ability - follow @ (h - POPULATION), h).curvature, POPULATION
    )
    moves = curvature_slopes(answers, nodes, (ability, POPULATION), follow)
    np.testing.assert_allclose(moves, moved, atol=1e-5, rtol=1e-4)
    traces = trace_slopes(answers, nodes, (ability, POPULATION), follow, weigh)
    np.testing.assert_allclose(traces, np.einsum("ij,hji->h", weigh, moved), atol=1e-5, rtol=1e-4)
    scores = item_scores(answers, nodes, ability, POPULATION).sum(axis=1)
    np.testing.assert_allclose(scores, np.concatenate([at.slope, at.population_slope]), **CLOSE)

    def means(one):
        return item_moments(replace(answers, floor=one), nodes, ability, POPULATION).mean

    by_floor = (means(c + 1e-5) - means(c - 1e-5)) / 2e-5
    np.testing.assert_allclose(item_moments(answers, nodes, ability, POPULATION).by_floor, by_floor, **CLOSE)


def test_the_slope_of_an_item_rises_to_its_peak_above_a_floor():
    answers, ability = replace(answers_of(4, agents=12), floor=0.25), np.linspace(-2, 2, 12)
    start = np.repeat([[1.0], [0.0]], 6, axis=1)
    peaks, _ = item_peaks(answers, ability, POPULATION, start)

    def height(at):
        p = 0.25 + 0.75 * scipy.special.expit(np.multiply.outer(ability, at[0]) + at[1])
        likelihood = (answers.successes * np.log(p) + (1 - answers.successes) * np.log1p(-p)).sum(axis=0)
        return likelihood + log_density(POPULATION, at[0], at[1])

    for move in ([[0.05], [0]], [[-0.05], [0]], [[0], [0.05]], [[0], [-0.05]]):
        assert (height(peaks) > height(peaks + move) - 1e-6).all()


def test_a_floor_is_found_with_its_error_and_widens_what_depends_on_it():
    answers = Answers.of(from_counts(guessed(2, 25, 150, 0.25)))
    state = fit_with_floor(answers)
    assert state.floor is not None
    assert abs(state.floor.value - 0.25) < 3 * state.floor.stderr < 0.3
    given_floor = pooled_fit(replace(answers, floor=state.floor.value))
    np.testing.assert_allclose(given_floor.ability, state.ability, atol=0.02)
    assert (np.diag(state.covariance) >= np.diag(given_floor.covariance) * 0.99).all()
    near = [pooled_fit(replace(answers, floor=state.floor.value + step)).ability for step in (-0.03, 0.03)]
    np.testing.assert_allclose(state.floor.move[:25], (near[1] - near[0]) / 0.06, atol=0.4)


def test_no_floor_is_no_floor():
    answers = Answers.of(from_counts(guessed(1, 20, 60, 0.0)))
    state, plain = fit_with_floor(answers), pooled_fit(answers)
    assert state.floor is None or state.floor.value < 0.15
    if state.floor is None:
        np.testing.assert_array_equal(state.ability, plain.ability)


def test_guessing_is_said_and_the_items_keep_it():
    fit = eq.irt(eq.Scores.from_matrix(guessed(3, 40, 120, 0.3)))
    (note,) = [note for note in fit.diagnostics if note.code == "guessing"]
    assert "allow for it" in note.message
    c = fit.guessing[~np.isnan(fit.guessing)]
    assert np.ptp(c) == 0.0
    assert c[0] > LEAST_FLOOR
    assert fit.calibration().guessing[0] == c[0]
    assert (fit.guessing_se[~np.isnan(fit.guessing_se)] > 0).all()
    plain = eq.irt(eq.Scores.from_matrix(guessed(1, 20, 60, 0.0)))
    assert not has_code(plain.diagnostics, "guessing")
