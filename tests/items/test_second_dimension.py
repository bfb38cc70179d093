"""Whether answers need a second dimension: what is taken out of residuals, two skills, and refusals."""

import numpy as np
import pytest
from scipy.special import expit

import equipoise as eq
from equipoise.items.second_dimension import _cleaned
from equipoise.methods import second_dimension


def skilled(seed=0, agents=60, items=24):
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=(agents, 2))
    chance = expit(skills[:, np.arange(items) % 2] - rng.normal(size=items))
    return eq.Scores.from_matrix((rng.random((agents, items)) < chance).astype(float))


def test_two_skills_are_named_by_their_items():
    found = second_dimension(skilled(), n=99)
    assert found.p_value == pytest.approx(0.01)
    sides = found.loading > 0
    assert abs(sides[::2].mean() - sides[1::2].mean()) > 0.8
    assert "does not explain" in found.answer[0]


def test_one_ability_is_enough_for_answers_that_only_it_decides():
    found = second_dimension(eq.load("lsat"), n=99)
    assert found.p_value > 0.05
    assert found.strength < 1.2 * found.expected


def test_errors_of_abilities_and_of_curves_leave_nothing():
    rng = np.random.default_rng(2)
    theta, slope, place = rng.normal(size=(30, 1)), rng.uniform(0.5, 2, 12), rng.normal(size=12)

    def curve(theta, slope, place):
        return expit(slope * theta - place)

    p = curve(theta, slope, place)
    turn = slope * p * (1 - p)
    exact = [
        turn * rng.normal(size=(30, 1)), p * (1 - p) * rng.normal(size=12), p * (1 - p) * theta * rng.normal(size=12)
    ]  # fmt: skip
    for direction in exact:
        assert np.abs(_cleaned(direction, turn, theta)).max() < 0.12 * np.abs(direction).max()
    other = rng.normal(size=(30, 12))
    assert np.linalg.norm(_cleaned(other, turn, theta)) > 0.7 * np.linalg.norm(other)


def test_counts_and_runs_are_refused():
    values = np.random.default_rng(3).integers(0, 2, (12, 8, 2)).astype(float)
    with pytest.raises(eq.DataError, match="single answers"):
        second_dimension(eq.Scores.from_matrix(values))
    with pytest.raises(eq.DataError, match="threshold"):
        second_dimension(eq.Scores.from_matrix(values.mean(axis=2)))
