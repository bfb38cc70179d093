"""Which pair to play next: policies over a view of what was played, as pure functions.

A view holds counts; a policy gives each pair a worth. Nothing is drawn and nothing is remembered here.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from equipoise.core.results import FloatArray

Policy = Literal["uniform", "uncertainty", "ranking"]
POLICIES = ("uniform", "uncertainty", "ranking")
_NEWTON_STEPS, _CLOSE = 60, 1e-7
"""Newton's error is squared by the step that was this small."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """Bradley-Terry ratings under a weak normal prior, and their covariance."""

    rating: FloatArray
    covariance: FloatArray


def rating_of_points(points: FloatArray, games: FloatArray, prior: float, start: FloatArray) -> FloatArray:
    """Bradley-Terry ratings from points of the row against the column and games of each pair, by Newton from a start.

    Ties are half wins, and any score in [0, 1] counts as that much of a win. From the ratings before one
    more game two steps are enough.
    """
    x, precision = start, 1.0 / prior**2
    diagonal = np.arange(x.size)
    for _ in range(_NEWTON_STEPS):
        chance = scipy.special.expit(x[:, None] - x[None, :])
        slope = (points - games * chance).sum(axis=1) - precision * x
        hessian = -games * chance * (1.0 - chance)
        hessian[diagonal, diagonal] = precision - hessian.sum(axis=1)
        step = np.linalg.solve(hessian, slope)
        size = float(np.abs(step).max())
        x = x + step / max(size, 1.0)
        if size < _CLOSE:
            break
    return x


def rating_covariance(rating: FloatArray, games: FloatArray, prior: float) -> FloatArray:
    """Covariance of ratings given how many games each pair has (Laplace's approximation)."""
    information = games * _information(rating)
    hessian = -information
    diagonal = np.arange(rating.size)
    hessian[diagonal, diagonal] = 1.0 / prior**2 + information.sum(axis=1) - information[diagonal, diagonal]
    return np.asarray(np.linalg.inv(hessian), dtype=np.float64)


def pair_worth(policy: Policy, now: Belief, top: int | None = None) -> FloatArray:
    r"""Worth of one more game of each pair, as a symmetric matrix with an empty diagonal.

    ``uniform``: 1. ``uncertainty``: the variance of the pair's rating difference. ``ranking``: how much of the
    uncertainty about the *order* of all agents one game is expected to remove,

    .. math:: \frac{w_{ij}}{1 + w_{ij} v_{ij}} \sum_{k<l} c_{kl} \big(a_{kl}^T \Sigma a_{ij}\big)^2 / v_{kl},
        \quad c_{kl} = 4 \Phi(z_{kl}) \Phi(-z_{kl})

    where v is the variance of a rating difference, z the difference in its standard deviations, w = p(1 - p) the
    information of one game: pairs whose order is open count, by the share of their variance that the game removes.
    With ``top`` only the order of pairs across the border counts: one among the ``top`` highest ratings, the other not.
    """
    n = now.rating.size
    off = ~np.eye(n, dtype=bool)
    if policy == "uniform":
        return off.astype(float)
    variance = _difference_variance(now.covariance)
    if policy == "uncertainty":
        return np.where(off, variance, 0.0)
    information = _information(now.rating)
    reach = order_reach(now, top)
    spread = np.diag(reach)[:, None] + np.diag(reach)[None, :] - 2.0 * reach
    return np.where(off, information / (1.0 + information * variance) * spread, 0.0)


def order_reach(now: Belief, top: int | None = None) -> FloatArray:
    r"""What knowing the ratings better says about the order: :math:`\Sigma L \Sigma`.

    L is the Laplacian of how open the order of each two is, by the variance of their difference; with ``top`` only of
    pairs across the border.
    """
    off = ~np.eye(now.rating.size, dtype=bool)
    variance = _difference_variance(now.covariance)
    open_order = _order_open(now.rating, variance) / np.where(off, variance, 1.0)
    if top is not None:
        after, last = np.sort(now.rating)[[-top - 1, -top]]  # those that are equal at the border are on both sides
        across = np.outer(now.rating >= last, now.rating <= after)
        open_order = np.where(across | across.T, open_order, 0.0)
    laplacian = np.diag(open_order.sum(axis=1)) - open_order
    return np.asarray(now.covariance @ laplacian @ now.covariance)


def with_one_more_game(now: Belief, i: int, j: int) -> Belief:
    """What the covariance will be after one more game of a pair, whatever its result; ratings stay."""
    direction = now.covariance[i] - now.covariance[j]
    variance = direction[i] - direction[j]
    weight = float(_information(now.rating)[i, j])
    shrink = weight / (1.0 + weight * variance)
    return Belief(now.rating, now.covariance - shrink * np.outer(direction, direction))


def _difference_variance(covariance: FloatArray) -> FloatArray:
    variance = np.diag(covariance)
    return np.asarray(np.maximum(variance[:, None] + variance[None, :] - 2.0 * covariance, 0.0))


def _information(rating: FloatArray) -> FloatArray:
    chance = scipy.special.expit(rating[:, None] - rating[None, :])
    return np.asarray(chance * (1.0 - chance))


def _order_open(rating: FloatArray, variance: FloatArray) -> FloatArray:
    """Four times the chance of each order: 1 where nothing is known, 0 where the order is settled."""
    off = ~np.eye(rating.size, dtype=bool)
    z = np.where(off, (rating[:, None] - rating[None, :]) / np.sqrt(np.where(off, variance, 1.0)), 0.0)
    below = scipy.special.ndtr(z)  # its mirror image is the chance of the other order
    return np.where(off, 4.0 * below * below.T, 0.0)
