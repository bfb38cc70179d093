"""Fitting multidimensional Elo: starts, divergence, choice of k, bootstrap, predictions and their losses."""

from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.inference.executors import in_batches
from equipoise.inference.progress import counted
from equipoise.inference.threads import one_thread
from equipoise.ratings.online.melo_likelihood import (
    Likelihood,
    Pairs,
    Point,
    climb,
    log_odds,
    point,
    start_points,
)
from equipoise.ratings.paired.ill_posed import WEAK_PRIOR

__all__ = [
    "RUNAWAY",
    "WEAK",
    "MeloFit",
    "bootstrap_points",
    "fewest_discs",
    "held_out_losses",
    "losses_of_fit",
    "melo_maximum_likelihood",
    "predicted_chances",
    "refitted",
]

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
    again = (fit.point.rating, fit.point.vectors, fit.prior or WEAK, orthogonal)
    drawn = (resampled(wins, losses, ties, rng) for _ in range(n))
    pieces = ((pairs._replace(wins=won, games=games), *again) for won, games in drawn)
    return list(counted(in_batches(refitted, pieces, executor), "resamples", [1] * n))


def refitted(pairs: Pairs, rating: FloatArray, vectors: FloatArray, prior: float, orthogonal: bool) -> Point:
    """Fit other counts of the same pairs, starting from a known fit."""
    with one_thread(pairs.n):
        objective = Likelihood(_played(pairs), vectors.shape[1] // 2, prior, orthogonal=orthogonal)
        return point(objective, *climb(objective, np.concatenate([rating, vectors.ravel()]), tol=COARSE))


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
