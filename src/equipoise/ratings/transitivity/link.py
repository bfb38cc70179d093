"""Expected scores of transitive players whose games may be tied: one family of curves for all tie models.

With ties as half points, the expected score of Davidson's model (nu = 2 k, d halved) and of Rao and Kupper's
(k = cosh eta) is the same function of the strength difference, and ties as half wins are its case k = 1:

    score = (x^2 + k x) / (x^2 + 2 k x + 1),    x = e^delta

In log-odds it is the straight line of Bradley-Terry, bent: logit(score) = delta + 2 artanh(m tanh(delta / 2)) with the
*shape* m = (1 - k) / (1 + k), and delta = d / (1 + m) so that the slope at even strength is the logistic curve's for
any shape. Even players who tie a share t of their games have m = 1 - 2 t in Davidson's model, -t^2 in Rao and Kupper's.
"""

from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray

__all__ = ["LEAST_SHAPE", "MOST_SHAPE", "ScoreCurve", "expected_score", "score_curve"]

LEAST_SHAPE, MOST_SHAPE = -0.9, 0.98
"""From Rao and Kupper's curve where even players tie 95% of their games to Davidson's where they tie 1%."""
FAR = 600.0
"""Differences beyond this are certain games."""


class ScoreCurve(NamedTuple):
    """Expected scores and their derivatives by the difference of strength and by the link's shape."""

    chance: FloatArray
    slope: FloatArray
    by_shape: FloatArray


def score_curve(d: FloatArray, link_shape: float | FloatArray) -> ScoreCurve:
    """Give the expected score at differences ``d``; ``link_shape`` may be one number or one for each column."""
    delta = np.clip(d / (1 + link_shape), -FAR, FAR)
    k = (1 - link_shape) / (1 + link_shape)
    far = np.exp(-np.abs(delta))
    log_odds = delta + np.sign(delta) * (np.log1p(k * far) - np.log(k + far))
    chance = scipy.special.expit(log_odds)
    spread = chance * scipy.special.expit(-log_odds)
    steep = 1 + (1 - k**2) * far / ((1 + k * far) * (k + far))
    turn = np.tanh(delta / 2)
    return ScoreCurve(
        np.asarray(chance),
        np.asarray(spread * steep / (1 + link_shape)),
        np.asarray(spread * (2 * turn / (1 - (link_shape * turn) ** 2) - steep * delta / (1 + link_shape))),
    )


def expected_score(d: FloatArray, link_shape: float) -> FloatArray:
    """Give the expected score alone, which at shape 0 is the logistic curve."""
    return np.asarray(scipy.special.expit(d) if link_shape == 0 else score_curve(d, link_shape).chance)
