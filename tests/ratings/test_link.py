"""The curves of expected scores, against the three tie models and finite differences."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import bradley_terry_newton
from equipoise.ratings.paired.ties import PairCounts
from equipoise.ratings.transitivity import rating_fit as link_fit
from equipoise.ratings.transitivity.rating_fit import null_with_link
from equipoise.ratings.transitivity.test_statistics import LEAST_SHAPE, MOST_SHAPE, null_solver, score_curve

FAR = st.floats(-50, 50)
EVEN = st.floats(0.011, 0.94)


@given(FAR, EVEN)
def test_davidson_is_one_of_the_curves(d, even):
    nu = 2 * even / (1 - even)
    score = (np.exp(d / 2) + nu / 2) / (np.exp(d / 2) + nu + np.exp(-d / 2))
    link_shape = 1 - 2 * even
    assert score_curve(np.array([d / 2 * (1 + link_shape)]), link_shape).chance[0] == pytest.approx(score, abs=1e-12)


@given(FAR, EVEN)
def test_rao_and_kupper_is_one_of_the_curves(d, even):
    eta = 2 * np.arctanh(even)
    score = (scipy.special.expit(d - eta) + scipy.special.expit(d + eta)) / 2
    link_shape = -(even**2)
    assert score_curve(np.array([d * (1 + link_shape)]), link_shape).chance[0] == pytest.approx(score, abs=1e-12)


@given(st.floats(-500, 500))
def test_without_a_bend_it_is_the_logistic_curve(d):
    assert score_curve(np.array([d]), 0.0).chance[0] == pytest.approx(scipy.special.expit(d), rel=1e-9, abs=1e-300)


@given(st.floats(-12, 12), st.floats(LEAST_SHAPE + 0.01, MOST_SHAPE - 0.01))
def test_slopes_are_those_of_the_curve_and_it_always_rises(d, link_shape):
    step, at = 1e-5, np.array([d])
    curve = score_curve(at, link_shape)
    by_d = (score_curve(at + step, link_shape).chance - score_curve(at - step, link_shape).chance) / (2 * step)
    by_shape = (score_curve(at, link_shape + step).chance - score_curve(at, link_shape - step).chance) / (2 * step)
    assert curve.slope[0] == pytest.approx(by_d[0], rel=1e-5, abs=1e-8)
    assert curve.by_shape[0] == pytest.approx(by_shape[0], rel=1e-3, abs=1e-6)
    assert curve.slope[0] > 0
    assert curve.chance[0] + score_curve(-at, link_shape).chance[0] == pytest.approx(1)


def test_a_link_shape_that_ratings_can_make_up_for_is_found():
    """Ties at random: a step of Gauss and Newton in the shape is then many times too long, whichever way it goes."""
    rng = np.random.default_rng(0)
    strength = rng.normal(size=40)
    first, second = np.triu_indices(40, 1)
    games = rng.integers(100, 300, size=len(first))
    ties = rng.binomial(games, 0.1)
    wins = rng.binomial(games - ties, 1 / (1 + np.exp(strength[second] - strength[first])))
    cells = PairCounts(wins.astype(float), (games - ties - wins).astype(float), ties.astype(float))
    model = PairedModel(40, first, second, "half", False, np.zeros(40, dtype=np.int64), 0.0)
    null = null_with_link(model, cells, bradley_terry_newton(model, cells).x)
    assert null.shape_fitted
    gradient = link_fit._gradient(null, cells)
    assert gradient @ null_solver(null)(gradient) < 1e-5
