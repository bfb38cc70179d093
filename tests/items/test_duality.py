"""The four indicators and the curves."""

import json

import numpy as np
import pytest

import equipoise as eq


def sample(seed=0, agents=80, items=24):
    rng = np.random.default_rng(seed)
    theta, b = rng.normal(size=(agents, 1)), np.linspace(-2, 2, items)
    values = (rng.random((agents, items)) < 1 / (1 + np.exp(-1.5 * (theta - b)))).astype(float)
    return eq.Scores.from_matrix(values), theta[:, 0], b


def test_bootstrap_intervals_resemble_the_models_own():
    scores, _, _ = sample(agents=300)
    fit = eq.irt(scores, starts=1)
    both = eq.methods.duality(scores, fit, n=120)
    widths = (both.difficulty_high - both.difficulty_low) / (fit.difficulty_high - fit.difficulty_low)
    assert np.median(widths) == pytest.approx(1, abs=0.2)
    wide = (both.discrimination_high - both.discrimination_low) / (fit.discrimination_high - fit.discrimination_low)
    assert np.median(wide) == pytest.approx(1, abs=0.25)
    np.testing.assert_array_equal(both.ability, fit.ability)


def test_the_table_is_json_and_the_same_every_time():
    scores, _, _ = sample()
    fit = eq.irt(scores, starts=1)
    one, other = (json.dumps(eq.methods.duality(scores, fit, n=10).to_dict(), allow_nan=False) for _ in range(2))
    assert one == other
    assert set(json.loads(one)["items"][0]) >= {"item", "difficulty", "difficulty_low", "discrimination"}


def test_the_fit_must_be_of_these_scores():
    scores, _, _ = sample()
    fit = eq.irt(scores, starts=1)
    with pytest.raises(eq.ParameterError, match="these very scores"):
        eq.methods.duality(scores.take(agents=range(50)), fit)
    with pytest.raises(eq.ParameterError, match="duality: fit is an IRT"):
        eq.methods.duality(scores, "fit")
    with pytest.raises(eq.ParameterError, match="n is a whole number of at least 2"):
        eq.methods.duality(scores, fit, n=1)


def test_curves_pass_through_one_half_at_the_difficulty_and_the_ability():
    scores, _, _ = sample()
    fit = eq.irt(scores, model="rasch")
    items = eq.methods.item_curve_frame(fit, reach=5, points=2001).filter(item="task 5")
    at = items.sort((items["probability"] - 0.5).abs())["ability"][0]
    assert at == pytest.approx(fit.difficulty[4], abs=0.01)
    agents = eq.methods.agent_curve_frame(fit, reach=5, points=2001).filter(agent="agent 3")
    at = agents.sort((agents["probability"] - 0.5).abs())["difficulty"][0]
    assert at == pytest.approx(fit.ability[2], abs=0.01)
    with pytest.raises(eq.ParameterError, match="reach is a number above 0"):
        eq.methods.item_curve_frame(fit, reach=-1)
