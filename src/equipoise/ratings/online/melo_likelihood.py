"""Maximum likelihood of multidimensional Elo on pair counts.

``p_ij = sigma(eta_ij)``, ``eta_ij = r_i - r_j + sum_d (C_i,2d C_j,2d+1 - C_i,2d+1 C_j,2d)``.

``C = 0`` is a saddle of the likelihood, so the search starts away from it: once from the strongest
discs of what a rating leaves over, and from several random points. The optimum is given in one
normal form whatever path led there: ratings sum to zero and hold all of the divergence, the columns
of ``C`` are orthogonal to the constant and to each other, discs come strongest first.
"""

from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.flows.schur_form import leading_discs, low_rank_discs
from equipoise.inference.threads import one_thread

__all__ = ["Likelihood", "Pairs", "Point", "climb", "log_odds", "normal_form", "point", "start_points"]

FAR = 24.0
"""Log-odds (one in 26 billion) at which a climb is stopped: it would go on for ever."""


class Pairs(NamedTuple):
    """Counts of each unordered pair, ``first < second``; ties are half a win."""

    first: IntArray
    second: IntArray
    wins: FloatArray
    games: FloatArray
    n: int


class Point(NamedTuple):
    """Parameters in normal form and how the climb to them ended."""

    rating: FloatArray
    vectors: FloatArray
    loss: float
    """Negative log-likelihood (penalty included)."""
    gradient: float
    """Largest entry of the gradient, per game."""
    iterations: int


def log_odds(pairs: Pairs, rating: FloatArray, vectors: FloatArray) -> FloatArray:
    """``eta`` of each pair."""
    x, y = vectors[:, 0::2], vectors[:, 1::2]
    turn = np.einsum("ij,ij->i", x[pairs.first], y[pairs.second])
    turn -= np.einsum("ij,ij->i", y[pairs.first], x[pairs.second])
    return np.asarray(rating[pairs.first] - rating[pairs.second] + turn)


def normal_form(rating: FloatArray, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Same predictions, with centred orthogonal vectors and the divergence in the rating."""
    n, width = vectors.shape
    centre = vectors.mean(axis=0)
    turn = vectors[:, 0::2] @ centre[1::2] - vectors[:, 1::2] @ centre[0::2]
    rating = rating - rating.mean() + turn
    discs = low_rank_discs(vectors - centre)
    turned = np.zeros((n, width))
    turned[:, : discs.vectors.shape[1]] = discs.vectors * np.sqrt(np.repeat(discs.values, 2))
    return rating, turned


class Likelihood:
    """Penalised negative log-likelihood per game and its gradient, on flat parameters.

    The penalty is ``prior / 2`` times the sum of squares of all ratings and vector entries: a
    normal prior with precision ``prior``. With ``orthogonal=True`` the vectors are projected off the
    rating (and the constant) before they are used.
    """

    def __init__(self, pairs: Pairs, k: int, prior: float, *, orthogonal: bool = False) -> None:
        self.pairs, self.k, self.prior, self.orthogonal = pairs, k, prior, orthogonal
        self.total = float(pairs.games.sum())

    def unpack(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rating and vectors of flat parameters, with the projection applied."""
        n = self.pairs.n
        rating, free = theta[:n], theta[n:].reshape(n, 2 * self.k)
        if not self.orthogonal:
            return rating, free
        rating, free = rating - rating.mean(), free - free.mean(axis=0)
        return rating, free - np.outer(rating, rating @ free) / self._square(rating)

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient per game."""
        from equipoise.ratings.online import _kernels

        rating, vectors = self.unpack(theta)
        by_rating, by_vector = self.prior * rating, self.prior * vectors
        value = _kernels.loss_and_gradient(*self.pairs[:4], rating, vectors, by_rating, by_vector)
        value += self.prior / 2 * float(np.sum(rating**2) + np.sum(vectors**2))
        if self.orthogonal:
            by_rating, by_vector = self._through_projection(theta, by_rating, by_vector)
        return value / self.total, np.concatenate([by_rating, by_vector.ravel()]) / self.total

    def largest_log_odds(self, theta: FloatArray) -> float:
        """Largest fitted log-odds of a pair that met."""
        return float(np.abs(log_odds(self.pairs, *self.unpack(theta))).max(initial=0.0))

    def _through_projection(
        self, theta: FloatArray, by_rating: FloatArray, by_vector: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        n = self.pairs.n
        rating = theta[:n] - theta[:n].mean()
        free = theta[n:].reshape(n, 2 * self.k)
        free = free - free.mean(axis=0)
        square = self._square(rating)
        along, pull = rating @ free, rating @ by_vector
        by_rating = by_rating - (by_vector @ along + free @ pull) / square
        by_rating += 2 * rating * float(pull @ along) / square**2
        by_free = by_vector - np.outer(rating, pull) / square
        return by_rating - by_rating.mean(), by_free - by_free.mean(axis=0)

    @staticmethod
    def _square(rating: FloatArray) -> float:
        return max(float(rating @ rating), 1e-300)


def climb(
    objective: Likelihood, start: FloatArray, *, limit: int = 20_000, tol: float = 1e-15
) -> tuple[FloatArray, int]:
    """L-BFGS from ``start`` until the loss stands still to ``tol`` or a prediction runs to certainty.

    Gives the parameters and the number of iterations.
    """

    def stop_runaway(theta: FloatArray) -> None:
        # Small parameters cannot make large log-odds, so most steps need no look at the pairs.
        if np.abs(theta).max(initial=0.0) > 2 and objective.largest_log_odds(theta) > FAR:
            raise StopIteration

    options = {"maxiter": limit, "maxfun": 2 * limit, "ftol": tol, "gtol": 1e-9, "maxcor": 20}
    with one_thread():  # L-BFGS multiplies matrices of twenty columns, many times a millisecond
        optimum = scipy.optimize.minimize(
            objective, start, jac=True, method="L-BFGS-B", options=options, callback=stop_runaway
        )
    return np.asarray(optimum.x), int(optimum.nit)


def point(objective: Likelihood, theta: FloatArray, iterations: int) -> Point:
    """Parameters in normal form with their loss and gradient."""
    value, gradient = objective(theta)
    rating, vectors = normal_form(*objective.unpack(theta))
    largest = float(np.abs(gradient).max(initial=0.0))
    return Point(rating, vectors, value * objective.total, largest, iterations)


def start_points(pairs: Pairs, k: int, rating: FloatArray, starts: int, rng: np.random.Generator) -> list[FloatArray]:
    """Informed start (discs of what the rating leaves over), then random ones around the rating."""
    points = [np.concatenate([rating, _leftover_vectors(pairs, k, rating).ravel()])]
    for _ in range(starts - 1):
        noise = rng.normal(size=2 * k * pairs.n)
        points.append(np.concatenate([rating, noise]))
    return points


def _leftover_vectors(pairs: Pairs, k: int, rating: FloatArray) -> FloatArray:
    """Strongest discs of the residual log-odds, missing pairs taken as zero."""
    n = pairs.n
    observed = np.log((pairs.wins + 0.5) / (pairs.games - pairs.wins + 0.5))
    rest = observed - (rating[pairs.first] - rating[pairs.second])
    rows = np.concatenate([pairs.first, pairs.second])
    columns = np.concatenate([pairs.second, pairs.first])
    flow = scipy.sparse.coo_array((np.concatenate([rest, -rest]), (rows, columns)), shape=(n, n))
    discs = leading_discs(flow.tocsr(), k)
    vectors = np.full((n, 2 * k), 1e-3)
    vectors[:, : discs.vectors.shape[1]] = discs.vectors * np.sqrt(np.repeat(discs.values, 2))
    return vectors
