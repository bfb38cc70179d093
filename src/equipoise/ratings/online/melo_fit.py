"""Fitting multidimensional Elo: starts, divergence, choice of k, bootstrap, predictions and their losses.

Maximum likelihood of multidimensional Elo on pair counts.

``p_ij = sigma(eta_ij)``, ``eta_ij = r_i - r_j + sum_d (C_i,2d C_j,2d+1 - C_i,2d+1 C_j,2d)``.

``C = 0`` is a saddle of the likelihood, so the search starts away from it: once from the strongest
discs of what a rating leaves over, and from several random points. The optimum is given in one
normal form whatever path led there: ratings sum to zero and hold all of the divergence, the columns
of ``C`` are orthogonal to the constant and to each other, discs come strongest first.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.progress import counted
from equipoise.core.results import FloatArray, IntArray
from equipoise.flows.schur import leading_discs, low_rank_discs
from equipoise.inference.executors import in_batches
from equipoise.inference.threads import one_thread
from equipoise.ratings.paired.ill_posed import WEAK_PRIOR

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


WEAK = 1 / WEAK_PRIOR**2
"""Precision of the prior that is used, and reported, where no finite optimum exists."""
RUNAWAY = 16.0
"""Log-odds beyond which a prediction is on its way to certainty (1 in 10 million)."""

COARSE = 1e-9
"""Relative change of the loss at which a climb is good enough to be compared with others."""

ROUGH = 1e-7
"""The same where only held-out losses are compared."""


class MeloFit(NamedTuple):
    """Best of several climbs."""

    point: Point
    plain: Point
    """The best rating alone (k = 0), under the same prior."""
    prior: float
    """Precision of the normal prior on every rating and vector entry (0: none)."""
    runaway: FloatArray | None
    """Log-odds at which the climb without a prior was stopped, where it ran to certainty; else None."""
    agreeing_starts: int
    """Starts whose first climb gained at least 98% of what the best one gained over a rating."""


def melo_maximum_likelihood(
    pairs: Pairs,
    k: int,
    *,
    prior: float | None,
    orthogonal: bool,
    starts: int,
    rng: np.random.Generator,
) -> MeloFit:
    """Best point over ``starts`` climbs; with ``prior=None`` maximum likelihood if it exists."""
    fit = _climb_all(pairs, k, prior or 0.0, orthogonal, starts, rng)
    eta = log_odds(pairs, fit.point.rating, fit.point.vectors)
    if prior is not None or np.abs(eta).max(initial=0.0) <= RUNAWAY:
        return fit
    return _climb_all(pairs, k, WEAK, orthogonal, starts, rng)._replace(runaway=eta)


def _climb_all(
    pairs: Pairs,
    k: int,
    prior: float,
    orthogonal: bool,
    starts: int,
    rng: np.random.Generator,
    tol: float = 1e-15,
) -> MeloFit:
    """Every start climbs most of the way; the best of them goes on to the top."""
    with one_thread(pairs.n):
        return _climbed(pairs, k, prior, orthogonal, starts, rng, tol)


def _climbed(
    pairs: Pairs, k: int, prior: float, orthogonal: bool, starts: int, rng: np.random.Generator, tol: float
) -> MeloFit:
    alone = Likelihood(pairs, 0, prior)
    theta, iterations = climb(alone, np.zeros(pairs.n), tol=tol)
    plain = point(alone, theta, iterations)
    if k == 0:
        return MeloFit(plain, plain, prior, None, 1)
    objective = Likelihood(pairs, k, prior, orthogonal=orthogonal)
    origins = start_points(pairs, k, plain.rating, starts, rng)
    ends = [climb(objective, origin, limit=300, tol=max(tol, COARSE)) for origin in origins]
    losses = np.array([objective(theta)[0] for theta, _ in ends]) * objective.total
    best = int(np.argmin(losses))
    near = losses <= losses[best] + 0.02 * (plain.loss - losses[best]) + 1e-9 * abs(losses[best])
    theta, iterations = climb(objective, ends[best][0], tol=tol)
    return MeloFit(point(objective, theta, iterations + ends[best][1]), plain, prior, None, int(near.sum()))


def held_out_losses(
    wins: FloatArray,
    losses: FloatArray,
    ties: FloatArray,
    pairs: Pairs,
    candidates: range,
    *,
    prior: float,
    folds: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Held-out log-loss per game of each candidate k (columns) on each fold (rows), games split at random.

    Every game is held out once. Whole games are split, so counts are rounded to whole numbers. Candidates are tried
    in turn until one is worse than the one before.
    """
    parts = [_split(counts, folds, rng) for counts in (wins, losses, ties)]
    sets = [_fold(parts, pairs, fold) for fold in range(folds)]
    loss = np.empty((folds, 0))
    for k in counted(candidates, "discs tried"):
        column = [_held_out_loss(train, out, k, prior, rng) for train, out in sets]
        loss = np.column_stack([loss, column])
        if k and loss[:, -1].mean() > loss[:, -2].mean():
            break
    return loss * folds / float(pairs.games.sum())


def _fold(parts: list[FloatArray], pairs: Pairs, fold: int) -> tuple[Pairs, Pairs]:
    """Games to fit, and games held out."""
    wins = parts[0][fold] + parts[2][fold] / 2
    games = parts[0][fold] + parts[1][fold] + parts[2][fold]
    train = pairs._replace(wins=pairs.wins - wins, games=pairs.games - games)
    return _played(train), pairs._replace(wins=wins, games=games)


def _held_out_loss(train: Pairs, out: Pairs, k: int, prior: float, rng: np.random.Generator) -> float:
    fit = _climb_all(train, k, prior, False, 2, rng, ROUGH)
    eta = log_odds(out, fit.point.rating, fit.point.vectors)
    return float(np.sum(out.games * np.logaddexp(0.0, eta) - out.wins * eta))


def fewest_discs(losses: FloatArray) -> int:
    """Smallest k whose held-out loss is not clearly above the least: by one standard error over the folds."""
    best = int(np.argmin(losses.mean(axis=0)))
    above = losses - losses[:, best : best + 1]
    error = above.std(axis=0, ddof=1) / np.sqrt(len(losses))
    return int(np.argmax(above.mean(axis=0) <= error))


def _played(pairs: Pairs) -> Pairs:
    met = pairs.games > 0
    return Pairs(pairs.first[met], pairs.second[met], pairs.wins[met], pairs.games[met], pairs.n)


def _split(counts: FloatArray, folds: int, rng: np.random.Generator) -> FloatArray:
    """Random split of each count over the folds, shape (folds, pairs)."""
    whole = np.rint(counts).astype(np.int64)
    return np.asarray(rng.multinomial(whole, np.full(folds, 1 / folds)).T, dtype=float)


def resampled(
    wins: FloatArray, losses: FloatArray, ties: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Wins (ties half) and games of each pair after drawing its games again with replacement."""
    counts = np.stack([wins, losses, ties], axis=1)
    games = counts.sum(axis=1)
    share = counts / np.where(games > 0, games, 1.0)[:, None]
    drawn = rng.multinomial(np.rint(games).astype(np.int64), share)
    return drawn[:, 0] + drawn[:, 2] / 2.0, drawn.sum(axis=1).astype(float)


def bootstrap_points(
    wins: FloatArray,
    losses: FloatArray,
    ties: FloatArray,
    pairs: Pairs,
    fit: MeloFit,
    *,
    orthogonal: bool,
    n: int,
    rng: np.random.Generator,
    executor: Executor | None = None,
) -> list[Point]:
    """Refit ``n`` resampled tables, each from the fitted point and with a weak prior at least."""

    def drawn(size: int) -> list[Pairs]:
        samples = [resampled(wins, losses, ties, rng) for _ in range(size)]
        return [pairs._replace(wins=won, games=games) for won, games in samples]

    again = partial(
        refitted, rating=fit.point.rating, vectors=fit.point.vectors, prior=fit.prior or WEAK, orthogonal=orthogonal
    )
    return in_batches(again, drawn, n, "bootstrap samples", executor)


def refitted(
    samples: Sequence[Pairs], rating: FloatArray, vectors: FloatArray, prior: float, orthogonal: bool
) -> list[Point]:
    """Fit other counts of the same pairs, each starting from a known fit."""
    at, discs = np.concatenate([rating, vectors.ravel()]), vectors.shape[1] // 2
    with one_thread(len(rating)):
        objectives = [Likelihood(_played(pairs), discs, prior, orthogonal=orthogonal) for pairs in samples]
        return [point(objective, *climb(objective, at, tol=COARSE)) for objective in objectives]


def predicted_chances(rating: FloatArray, vectors: FloatArray, rows: list[int] | None = None) -> FloatArray:
    """Give the matrix of predicted win probabilities, or some of its rows."""
    at = slice(None) if rows is None else rows
    x, y = vectors[:, 0::2], vectors[:, 1::2]
    return np.asarray(scipy.special.expit(rating[at][:, None] - rating[None, :] + x[at] @ y.T - y[at] @ x.T))


def losses_of_fit(pairs: Pairs, fit: MeloFit) -> dict[str, float]:
    """Give the losses of a fit, and of the best rating alone, under the names of a result's fields."""
    rate = pairs.wins / pairs.games

    def measured(point: Point) -> tuple[float, float, float]:
        eta = log_odds(pairs, point.rating, point.vectors)
        cell = np.logaddexp(0.0, eta) - rate * eta
        error = 2 * float(np.sum((scipy.special.expit(eta) - rate) ** 2))
        return 2 * float(cell.sum()), error**0.5, float(pairs.games @ cell / pairs.games.sum())

    loss, error, per_game = measured(fit.point)
    plain_loss, plain_error, _ = measured(fit.plain)
    return {
        "log_loss": loss,
        "frobenius": error,
        "loss_per_game": per_game,
        "rating_log_loss": plain_loss,
        "rating_frobenius": plain_error,
    }
