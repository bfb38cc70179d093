"""The tie models against the definitions of their probabilities and against finite differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.ratings.paired.ties import PairCounts, curvature, log_likelihood, outcome_scores

MODELS = ["half", "davidson", "rao-kupper"]
each_model = pytest.mark.parametrize("model", MODELS)


def probabilities(d, t, model):
    """Win, loss and tie, straight from the papers' definitions with strengths e^d and 1."""
    p, q = np.exp(d), 1.0
    if model == "davidson":
        nu = np.exp(t)
        norm = p + q + nu * np.sqrt(p * q)
        return p / norm, q / norm, nu * np.sqrt(p * q) / norm
    theta = np.exp(t)
    win, loss = p / (p + theta * q), q / (q + theta * p)
    return win, loss, 1 - win - loss


@pytest.mark.parametrize("model", MODELS[1:])
@given(d=st.floats(-4, 4), t=st.floats(0.05, 2))
def test_the_likelihood_is_that_of_the_definition(model, d, t):
    win, loss, tie = probabilities(d, t, model)
    cells = PairCounts(np.array([3.0]), np.array([2.0]), np.array([4.0]))
    expected = 3 * np.log(win) + 2 * np.log(loss) + 4 * np.log(tie)
    assert log_likelihood(np.array([d]), t, cells, model) == pytest.approx(expected, rel=1e-9)


@each_model
@given(d=st.floats(-4, 4), t=st.floats(0.1, 2), counts=st.tuples(*[st.integers(0, 9)] * 3))
def test_derivatives_agree_with_finite_differences(model, d, t, counts):
    cells = PairCounts(*(np.array([float(c)]) for c in counts))
    h = 1e-5

    def value(dd, tt):
        return log_likelihood(np.array([d + dd]), t + tt, cells, model)

    slope = curvature(np.array([d]), t, cells, model)
    assert slope.d[0] == pytest.approx((value(h, 0) - value(-h, 0)) / (2 * h), abs=1e-5)

    def slope_at(dd, tt):
        return curvature(np.array([d + dd]), t + tt, cells, model)

    assert slope.dd[0] == pytest.approx(-(slope_at(h, 0).d[0] - slope_at(-h, 0).d[0]) / (2 * h), abs=1e-5)
    if model != "half":
        assert slope.t == pytest.approx((value(0, h) - value(0, -h)) / (2 * h), abs=1e-5)
        assert slope.dt[0] == pytest.approx(-(slope_at(0, h).d[0] - slope_at(0, -h).d[0]) / (2 * h), abs=1e-5)
        assert slope.tt == pytest.approx(-(slope_at(0, h).t - slope_at(0, -h).t) / (2 * h), abs=1e-4)


@each_model
@given(d=st.floats(-4, 4), t=st.floats(0.1, 2), counts=st.tuples(*[st.integers(0, 9)] * 3))
def test_scores_of_single_matches_add_up_to_the_gradient(model, d, t, counts):
    cells = PairCounts(*(np.array([float(c)]) for c in counts))
    slope = curvature(np.array([d]), t, cells, model)
    scores = outcome_scores(np.array([d]), t, model)
    assert sum(c * s[0][0] for c, s in zip(counts, scores, strict=True)) == pytest.approx(slope.d[0], abs=1e-9)
    assert sum(c * s[1][0] for c, s in zip(counts, scores, strict=True)) == pytest.approx(slope.t, abs=1e-9)


@given(d=st.lists(st.floats(-800, 800), min_size=1, max_size=5))
def test_scores_of_half_win_matches_are_the_gradients_of_single_games(d):
    one, none = np.ones(len(d)), np.zeros(len(d))
    singles = [PairCounts(one, none, none), PairCounts(none, one, none), PairCounts(none, none, one)]
    for (by_d, by_t), single in zip(outcome_scores(np.array(d), 0.0, "half"), singles, strict=True):
        np.testing.assert_array_equal(by_d, curvature(np.array(d), 0.0, single, "half").d)
        assert not by_t.any()
