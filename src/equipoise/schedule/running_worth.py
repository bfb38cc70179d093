r"""Worth of pairs under the policy ``ranking``, brought forward game by game instead of worked out anew.

With n agents a covariance, ratings and the worth of all pairs (:func:`~equipoise.schedule.policies.pair_worth`) take
n^3 steps. Between two of them a game of i and j that is to be played changes the covariance by one direction,

.. math:: \Sigma' = \Sigma - s\, d d^T, \quad d = \Sigma a_{ij}, \quad s = \frac{w_{ij}}{1 + w_{ij} a_{ij}^T d},

and hence what a game says about the order, :math:`R = \Sigma L \Sigma`, by :math:`-s (h d^T + d h^T)` with
:math:`h = q - \tfrac{s}{2} (a_{ij}^T q)\, d` and :math:`q = R a_{ij}`. Only the few directions since the last time are
kept, so that the worth of a pair takes as many steps as there are directions. How open the order of each two is (L) and
the information of other pairs' games stay as they were at the last time; a score moves ratings by one step along d.
"""

import numpy as np

from equipoise.core.results import FloatArray, IntArray
from equipoise.schedule.policies import Belief, order_reach, rating_covariance

PER_AGENT = 8
"""A new look is due after one game for so many agents, on average: few agents are looked at after each game."""


class RunningWorth:
    """Ratings and what one more game of each pair is worth, since a look at all of them.

    Parameters
    ----------
    rating
        Ratings at the look.
    games
        Games of each pair, those that are being played included.
    prior
        Standard deviation of the ratings before anything is known.

    Attributes
    ----------
    rating
        Ratings now.
    """

    def __init__(self, rating: FloatArray, games: FloatArray, prior: float) -> None:
        self.rating = rating.copy()
        self._covariance = rating_covariance(rating, games, prior)
        self._reach = order_reach(Belief(rating, self._covariance))
        most = max(1, rating.size // PER_AGENT)
        self._directions, self._turned = np.empty((most, rating.size)), np.empty((most, rating.size))
        self._weights = np.empty(most)
        self._since = 0

    @property
    def is_old(self) -> bool:
        """Whether a new look is due."""
        return self._since >= self._weights.size

    def opened(self, i: int, j: int) -> None:
        """Take in that a game of a pair will be played, whatever its result."""
        if self.is_old:
            return
        direction, reach = self._moved(i, j)
        information = self._information(self.rating[i] - self.rating[j])
        weight = information / (1.0 + information * (direction[i] - direction[j]))
        at, self._since = self._since, self._since + 1
        self._directions[at], self._weights[at] = direction, weight
        self._turned[at] = reach - weight / 2.0 * (reach[i] - reach[j]) * direction

    def scored(self, i: int, j: int, score: float) -> None:
        """Take in the first's score in [0, 1] in a game that was opened."""
        direction, _ = self._moved(i, j)
        self.rating = self.rating + direction * (score - 1.0 / (1.0 + np.exp(self.rating[j] - self.rating[i])))

    def _moved(self, i: int, j: int) -> tuple[FloatArray, FloatArray]:
        """Give what a game of a pair moves: ratings, and what is known of the order."""
        d, h, s = self._directions[: self._since], self._turned[: self._since], self._weights[: self._since]
        along, turned = s * (d[:, i] - d[:, j]), s * (h[:, i] - h[:, j])
        direction = self._covariance[i] - self._covariance[j] - along @ d
        return direction, self._reach[i] - self._reach[j] - along @ h - turned @ d

    def of(self, low: IntArray, high: IntArray) -> FloatArray:
        """Give the worth of one more game of each of some pairs."""
        d, h, s = self._directions[: self._since], self._turned[: self._since], self._weights[: self._since]
        along = d[:, low] - d[:, high]
        variance = _of_difference(self._covariance, low, high) - s @ along**2
        spread = _of_difference(self._reach, low, high) - 2.0 * (s @ (along * (h[:, low] - h[:, high])))
        information = self._information(self.rating[low] - self.rating[high])
        return np.asarray(information / (1.0 + information * variance) * spread)

    def table(self) -> FloatArray:
        """Give the worth of all pairs, as a symmetric matrix with an empty diagonal."""
        low, high = np.triu_indices(self.rating.size, 1)
        cells = np.zeros(self._covariance.shape)
        cells[low, high] = cells[high, low] = self.of(low, high)
        return cells

    @staticmethod
    def _information(difference: FloatArray | float) -> FloatArray:
        chance = 1.0 / (1.0 + np.exp(-np.abs(difference)))
        return np.asarray(chance * (1.0 - chance))


def _of_difference(form: FloatArray, low: IntArray, high: IntArray) -> FloatArray:
    """Give a quadratic form at differences of two unit vectors."""
    own = form.diagonal()
    return np.asarray(own[low] + own[high] - 2.0 * form[low, high])
