"""Test statistics of "ratings explain every pair", and what they are when ratings do.

The null is a rating for each agent: the expected score of a game is a curve of r_i - r_j. Without ties the curve is
Bradley-Terry's, sigma(r_i - r_j). With ties it may be that of any of the usual tie models, for which
one more number is fitted: transitive players with ties need not have half-point scores on the logistic curve. How often
a pair ties is left free. Ties make a score less variable than a coin, v = p (1 - p) - tie / 4, and the Pearson
statistic uses that variance.

Expected scores of transitive players whose games may be tied are one family of curves, the *link*, for all tie models.

With ties as half points, the expected score of Davidson's model (nu = 2 k, d halved) and of Rao and Kupper's
(k = cosh eta) is the same function of the strength difference, and ties as half wins are its case k = 1:

    score = (x^2 + k x) / (x^2 + 2 k x + 1),    x = e^delta

In log-odds it is the straight line of Bradley-Terry, bent: logit(score) = delta + 2 artanh(m tanh(delta / 2)) with the
*shape* m = (1 - k) / (1 + k), and delta = d / (1 + m) so that the slope at even strength is the logistic curve's for
any shape. Even players who tie a share t of their games have m = 1 - 2 t in Davidson's model, -t^2 in Rao and Kupper's.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.flows.laplacian import Solver, laplacian_solver
from equipoise.inference.threads import one_thread
from equipoise.ratings.paired.model import (
    Matrix,
    PairedModel,
    incidence,
    laplacian,
    pairs_of_cells,
    scaled_rows,
    whole,
    with_column,
)
from equipoise.ratings.paired.newton import DENSE, too_far_apart
from equipoise.ratings.paired.ties import PairCounts

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


TYPICAL = 20.0
"""Games that the share of ties of all pairs counts for beside a pair's own."""
SHAPE_PRECISION = 1.0
"""Of a weak prior on the link's shape, which lies between -1 and 1: decides where all agents are about equal."""


class Statistics(NamedTuple):
    """What the games show of cycles and of ratings, in units of their noise."""

    pearson: float
    """Chi-square of the pair table against the fit."""
    df: float
    """Pairs minus fitted parameters: what chi-square is on average by chance. Side and shape use up parts of 1."""
    rating_signal: float
    """The part that ratings explain, in the same units."""
    rating_df: int

    def share(self, noise: float) -> float:
        """Noise-corrected intransitive share, given what chi-square is by chance; NaN where there is no signal."""
        cyclic = max(0.0, self.pearson - noise)
        total = cyclic + max(0.0, self.rating_signal - self.rating_df)
        return cyclic / total if total > 0 else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Null:
    """Fitted null: the model, its parameters, and what they imply for each cell."""

    model: PairedModel
    x: FloatArray
    """Ratings, then the first-position advantage if there is one."""
    link_shape: float
    shape_fitted: bool
    """Whether the link's shape is fitted (there are ties) and could move."""
    games: FloatArray
    chance: FloatArray
    tie: FloatArray
    """How likely a game of each cell is tied."""
    pairs: Matrix
    """Adds up the two sides of each pair: pairs by cells, -1 where a cell tells its pair the other way round."""

    @classmethod
    def of(
        cls,
        model: PairedModel,
        x: FloatArray,
        cells: PairCounts,
        link_shape: float = 0.0,
        *,
        shape_fitted: bool = False,
        pairs: Matrix | None = None,
    ) -> "Null":
        """Describe the null at fitted parameters; ``pairs`` are those of another null of the same model."""
        games = cells.wins + cells.losses + cells.ties
        chance = score_curve(model.differences(x), link_shape).chance
        tie = tie_rates(games, cells.ties, chance)
        both = pairs_of_cells(model) if pairs is None else pairs
        return cls(model, x, link_shape, shape_fitted, games, chance, tie, both)

    @property
    def tied(self) -> bool:
        """Whether there are ties."""
        return bool(self.tie.any())

    @property
    def spread(self) -> FloatArray:
        """Variance of the score of one game of each cell."""
        return score_variance(self.chance, self.tie)

    @property
    def variance(self) -> FloatArray:
        """Variance of the score of each pair."""
        return np.asarray(abs(self.pairs) @ (self.games * self.spread))

    def derivatives(self) -> Matrix:
        """Derivative of each cell's expected score by each unknown: ratings, side, link shape."""
        curve = score_curve(self.model.differences(self.x), self.link_shape)
        by_rating = scaled_rows(curve.slope, incidence(self.model))
        return with_column(by_rating, curve.by_shape) if self.shape_fitted else by_rating


def tie_rates(games: FloatArray, ties: FloatArray, chance: FloatArray) -> FloatArray:
    """How likely a game is tied: a cell's own share, drawn to what is usual at its expected score.

    Usual is a fixed share of the most ties that an expected score p leaves room for, 2 min(p, 1 - p). Cells by rows;
    there may be a column for each of several replicates.
    """
    room = 2 * np.minimum(chance, 1 - chance)
    most = np.maximum((games * room).sum(axis=0), 1e-300)
    usual = np.minimum(1.0, ties.sum(axis=0) / most) * room
    return np.asarray(np.minimum((ties + TYPICAL * usual) / (games + TYPICAL), room))


def score_variance(chance: FloatArray, tie: FloatArray) -> FloatArray:
    """P (1 - p) - tie / 4, never below a hundredth of p (1 - p)."""
    spread = _coin_variance(chance)
    return np.asarray(np.maximum(spread - tie / 4, spread / 100))


def _coin_variance(chance: FloatArray) -> FloatArray:
    return np.maximum(chance * (1 - chance), 1e-15)  # a certain game that went the certain way adds nothing


def statistics(null: Null, cells: PairCounts) -> Statistics:
    """Pearson statistic and rating signal of the data at their own fit."""
    rating = null.x[: null.model.agents]
    slope = score_curve(null.model.differences(null.x), null.link_shape).slope
    # Squared signal per squared log-odds is (n p (1 - p))^2 / (n v): n p (1 - p) without ties. Summed as moments, for
    # the two cells of a pair have the same gap up to its sign.
    moved = null.pairs @ (null.games * slope * (rating[null.model.first] - rating[null.model.second]))
    components = int(null.model.components.max()) + 1
    rating_df = null.model.agents - components
    loops = null.pairs.shape[0] - rating_df
    return Statistics(
        float(pearson(null, cells.wins[:, None], cells.ties[:, None], null.chance[:, None])[0]),
        loops - _extra_df(null, rating_df),
        float(np.sum(moved**2 / null.variance)),
        rating_df,
    )


def _extra_df(null: Null, rating_df: int) -> float:
    """Degrees of freedom of pairs that first-position advantage and link shape use up.

    The trace of the fit's projection, seen on whole pairs, minus what the ratings alone use. A side costs nothing where
    all pairs swap sides evenly, a shape costs nothing among equals; each costs 1 at most.
    """
    extras = null.model.side + null.shape_fitted
    if not extras or null.model.agents > DENSE:
        return float(extras)
    moved = null.pairs @ scaled_rows(null.games, null.derivatives())
    inner = whole(moved.T @ scaled_rows(1 / null.variance, moved))
    with one_thread(len(inner)):
        used = float(np.trace(null_solver(null)(inner)))
    return float(np.clip(used - rating_df, 0.0, extras))


def pearson(
    null: Null, wins: FloatArray, ties: FloatArray, chance: FloatArray, shift: FloatArray | float = 0.0
) -> FloatArray:
    """Sum over pairs of (score - n p)^2 / (n v); cells by rows, replicates by columns.

    ``shift`` is added to the expected scores, not to the variances.
    """
    games = null.games[:, None]
    excess = null.pairs @ (wins + ties / 2 - games * (chance + shift))
    spread = score_variance(chance, tie_rates(games, ties, chance)) if null.tied else _coin_variance(chance)
    variance = abs(null.pairs) @ (games * spread)
    return np.asarray(np.sum(excess**2 / variance, axis=0))


def null_solver(null: Null, dense_limit: int = DENSE, tol: float = 1e-4) -> Solver:
    """Solve with the information matrix of the null; side and link shape are eliminated by their Schur complement."""
    model, n = null.model, null.model.agents
    by_unknown = null.derivatives()
    weighted = scaled_rows(null.games / null.spread, by_unknown)
    slope = score_curve(model.differences(null.x), null.link_shape).slope
    first, second = model.first.astype(np.int64), model.second.astype(np.int64)
    edges = null.games * slope**2 / null.spread
    base = _ratings_solver(model, edges) if n <= dense_limit else laplacian_solver(
        first, second, edges, n, dense_limit=0, ridge=model.precision, tol=tol
    )  # fmt: skip
    extras = by_unknown.shape[1] - n
    if not extras:
        return base
    border = whole(by_unknown[:, :n].T @ weighted[:, n:])
    spread = base(border)
    corner = whole(by_unknown[:, n:].T @ weighted[:, n:]) - border.T @ spread
    corner[extras - 1, extras - 1] += SHAPE_PRECISION * null.shape_fitted

    def solve(b: FloatArray) -> FloatArray:
        ratings = base(b[:n])
        last = np.linalg.solve(corner, b[n:] - border.T @ ratings)
        return np.concatenate([ratings - spread @ last, last])

    return solve


def _ratings_solver(model: PairedModel, edges: FloatArray) -> Solver:
    """Solve for ratings alone, with one factorisation a component: components know nothing of each other."""
    order = np.argsort(model.components, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(model.components))])
    between, factors = laplacian(model, edges)[order][:, order], []
    for start, end in pairwise(ends.tolist()):
        own = whole(between[start:end, start:end]) + model.precision * np.eye(end - start)
        if not model.precision:
            own += np.trace(own) / (end - start) ** 2  # holds the sum, as firmly as a typical agent is held
        factor, failed = scipy.linalg.lapack.dpotrf(own)
        if failed:
            raise too_far_apart(edges)
        factors.append((start, end, factor))

    def solve(b: FloatArray) -> FloatArray:
        columns = b[order].reshape(len(order), -1)
        for start, end, factor in factors:
            columns[start:end] = scipy.linalg.lapack.dpotrs(factor, columns[start:end])[0]
        x = np.empty_like(columns)
        x[order] = columns
        return x.reshape(b.shape)

    return solve


class Noise(NamedTuple):
    """What the Pearson statistic is like when ratings explain everything."""

    mean: float
    variance: float
    p_value: float
    """Chance of a value at least as large as the observed one."""
    as_small: float = 1.0
    """Chance of a value at most as large as the observed one."""
    stopped: bool = False
    """Whether fewer tables were simulated than asked for, because the answer was clear."""
    drawn: int = 0
    """Tables that were simulated."""

    @property
    def p_error(self) -> float:
        """Standard error that the p-value has because only so many tables were simulated."""
        return float(np.sqrt(self.p_value * (1 - self.p_value) / self.drawn)) if self.drawn else float("nan")


def share_interval(observed: Statistics, noise: Noise, level: float, points: int = 199) -> tuple[float, float] | None:
    """Interval of the intransitive share, None where there is no signal; from confidence distributions of both signals.

    Both statistics are noncentral chi-squared, and independent to first order. For each, the noncentralities that
    put the observed value at its u-quantile come from a grid of u; the share's quantiles are taken over all
    combinations. Chi-square is scaled to the mean and variance that it has by chance.
    """
    # Two or three groups of matches can leave the simulated chi-square with a single value: then the plain chi-squared
    # serves.
    varied = noise.mean > 0 and noise.variance > 1e-6 * noise.mean**2
    mean, wide = (noise.mean, noise.variance / (2 * noise.mean)) if varied else (observed.df, 1.0)
    u = (np.arange(points) + 0.5) / points
    cyclic = wide * noncentrality(observed.pearson / wide, mean / wide, u)
    transitive = noncentrality(observed.rating_signal, observed.rating_df, u)
    total = cyclic[:, None] + transitive[None, :]
    if not (total > 0).any():
        return None
    share = (cyclic[:, None] / np.where(total > 0, total, 1.0))[total > 0]
    low, high = np.quantile(share, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def noncentrality(value: float, df: float, u: FloatArray) -> FloatArray:
    """Solve P(chi2(df, nc) > value) = u for nc, 0 where even nc = 0 exceeds it."""
    low = np.zeros_like(u)
    high = np.full_like(u, value + 12 * np.sqrt(2 * df + 4 * value) + 150)
    for _ in range(60):
        middle = (low + high) / 2
        below = _exceeds(value, df, middle) < u
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(_exceeds(value, df, np.zeros_like(u)) >= u, 0.0, (low + high) / 2)


def _exceeds(value: float, df: float, nc: FloatArray) -> FloatArray:
    """P(chi2(df, nc) > value): exact where that is quick, Sankaran's cube-root-like form for large values."""
    if value + df < 2000:
        return np.asarray(1 - scipy.special.chndtr(value, df, nc))
    mean, second, third = df + nc, df + 2 * nc, df + 3 * nc
    h = 1 - 2 * mean * third / (3 * second**2)
    p = second / mean**2
    m = (h - 1) * (1 - 3 * h)
    centre = 1 + h * p * (h - 1 - (2 - h) * m * p / 2)
    spread = h * np.sqrt(2 * p) * (1 + m * p / 2)
    return np.asarray(1 - scipy.special.ndtr(((value / mean) ** h - centre) / spread))
