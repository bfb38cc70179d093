"""How many games are left: at the estimated score, and where it is a standard error off either way."""

from math import exp, sqrt

import numpy as np
import pytest

from equipoise.schedule.pair_evidence import games_left


def needed(distance, missing, games, variance):
    """What is missing over what a game adds; one unit more as long as nobody knows the best stake."""
    gain = distance**2 / (2 * (variance + distance**2))
    return (missing + exp(-games * gain)) / gain


@pytest.mark.parametrize(("total", "games", "near"), [(70.0, 100.0, 0.7), (22.0, 60.0, 0.4), (31.0, 60.0, 0.5)])
def test_games_left_are_those_at_the_score_and_a_standard_error_off(total, games, near):
    evidence, threshold, variance = np.array([[1.2, 0.7]]), np.array([5.0]), 0.2
    left = games_left(
        evidence, threshold, np.array([total]), np.array([games]), np.array([near]), np.array([variance]), None
    )
    score = (total + 4 * near) / (games + 4)  # what is known otherwise counts for four games
    error = sqrt(variance / (games + 4))
    missing = 5.0 - (1.2 if score > 0.5 else 0.7)
    middle = max(abs(score - 0.5), error / 2)
    assert left.expected[0] == pytest.approx(needed(middle, missing, games, variance))
    assert left.low[0] == pytest.approx(needed(middle + error, missing, games, variance))
    assert left.high[0] == pytest.approx(needed(max(middle - error, error / 4), missing, games, variance))


def test_a_pair_near_even_is_the_sooner_said_to_be_equal_the_nearer_it_is():
    evidence, margin = np.array([[0.1, 0.2, 2.0, 1.5]]), 0.2
    arguments = (np.array([5.0]), np.array([50.5]), np.array([100.0]), np.array([0.5]), np.array([0.25]))
    left = games_left(evidence, *arguments, margin)
    error = sqrt(0.25 / 104)
    middle = max(52.5 / 104 - 0.5, error / 2)
    # Both claims of equality must reach the threshold: the one that is further off counts.
    each = [needed(margin - d, 5.0 - 1.5, 100, 0.25) for d in (middle, middle + error, error / 4)]
    assert left.expected[0] == pytest.approx(each[0])
    assert (left.low[0], left.high[0]) == (pytest.approx(min(each)), pytest.approx(max(each)))
