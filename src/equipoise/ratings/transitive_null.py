"""Test statistics of "ratings explain every pair", and what they are when ratings do.

The null is Bradley-Terry with a tie now and then: p = sigma(r_i - r_j) is the expected score of a game, and
a game is tied with probability ``theta * 2 * min(p, 1 - p)``, theta fitted to the share of ties. Ties make a score
less variable than a coin, v = p (1 - p) - tie / 4, and the Pearson statistic uses that variance.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.flows.laplacian import Solver, laplacian_solver
from equipoise.ratings.bradley_terry_model import PairedModel
from equipoise.ratings.bradley_terry_newton import DENSE, dense_hessian, pinned
from equipoise.ratings.tie_models import Cells, curvature
from equipoise.results import FloatArray

__all__ = ["Noise", "Null", "Statistics", "null_solver", "pearson", "share_interval", "statistics"]


class Statistics(NamedTuple):
    """What the games show of cycles and of ratings, in units of their noise."""

    pearson: float
    """X2 of the pair table against the Bradley-Terry fit."""
    df: float
    """Pairs minus fitted parameters: what X2 would be on average by chance. A side advantage uses up a part of 1."""
    rating_signal: float
    """The part that ratings explain, in the same units."""
    rating_df: int

    def share(self, noise: float) -> float:
        """Noise-corrected cyclic share, given what X2 is by chance; NaN where there is no signal of either kind."""
        cyclic = max(0.0, self.pearson - noise)
        total = cyclic + max(0.0, self.rating_signal - self.rating_df)
        return cyclic / total if total > 0 else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Null:
    """Fitted null: the model, its parameters, and what they imply for each cell."""

    model: PairedModel
    x: FloatArray
    games: FloatArray
    chance: FloatArray
    tie: FloatArray
    theta: float
    pairs: "scipy.sparse.csr_array"
    """Adds up the two sides of each pair: pairs by cells, -1 where a cell tells its pair the other way round."""

    @classmethod
    def of(cls, model: PairedModel, x: FloatArray, cells: Cells) -> "Null":
        """Describe the null at fitted parameters ``x``."""
        games = cells.wins + cells.losses + cells.ties
        chance = scipy.special.expit(model.differences(x))
        room = 2 * np.minimum(chance, 1 - chance)
        theta = min(1.0, float(cells.ties.sum()) / float(games @ room))
        return cls(model, x, games, chance, theta * room, theta, _pairs_of_cells(model))

    @property
    def variance(self) -> FloatArray:
        """Variance of the score of each pair."""
        return np.asarray(abs(self.pairs) @ (self.games * score_variance(self.chance, self.theta)))


def _pairs_of_cells(model: PairedModel) -> "scipy.sparse.csr_array":
    """Sides differ by the side advantage alone, so the two cells of a pair are compared with its rating together."""
    low, high = np.minimum(model.first, model.second), np.maximum(model.first, model.second)
    _, pair = np.unique(low.astype(np.int64) * model.agents + high, return_inverse=True)
    sign = np.where(model.first < model.second, 1.0, -1.0)
    entries = (sign, (pair, np.arange(len(sign))))
    return scipy.sparse.coo_array(entries, shape=(int(pair.max()) + 1, len(sign))).tocsr()


def score_variance(chance: FloatArray, theta: float) -> FloatArray:
    """P (1 - p) - tie / 4, never below a hundredth of p (1 - p)."""
    spread = np.maximum(chance * (1 - chance), 1e-15)  # a certain game that went the certain way adds nothing
    return np.asarray(np.maximum(spread - theta * np.minimum(chance, 1 - chance) / 2, spread / 100))


def statistics(null: Null, cells: Cells) -> Statistics:
    """Pearson statistic and rating signal of the data at their own fit."""
    score = cells.wins + cells.ties / 2
    rating = null.x[: null.model.agents]
    spread = null.games * null.chance * (1 - null.chance)
    # Squared signal per squared log-odds is (n p (1 - p))^2 / (n v): n p (1 - p) without ties. Summed as moments, for
    # the two cells of a pair have the same gap up to its sign.
    moved = null.pairs @ (spread * (rating[null.model.first] - rating[null.model.second]))
    islands = int(null.model.islands.max()) + 1
    rating_df = null.model.agents - islands
    return Statistics(
        float(pearson(null, score[:, None], null.chance[:, None])[0]),
        null.pairs.shape[0] - rating_df - _side_df(null, rating_df),
        float(np.sum(moved**2 / null.variance)),
        rating_df,
    )


def _side_df(null: Null, rating_df: int) -> float:
    """Degrees of freedom of pairs that the side advantage uses up: 0 where all pairs swap sides evenly, 1 at most.

    The trace of the fit's projection, seen on whole pairs, minus what the ratings alone use.
    """
    if not null.model.side:
        return 0.0
    solve = null_solver(null)
    if solve is None:
        return 1.0
    spread = null.games * null.chance * (1 - null.chance)
    moved = null.pairs @ (scipy.sparse.diags_array(spread) @ null.model.incidence())
    inner = (moved.T @ (moved / (abs(null.pairs) @ spread)[:, None])).toarray()
    used = float(np.trace(solve(inner)))
    return float(np.clip(used - rating_df, 0.0, 1.0))


def pearson(null: Null, score: FloatArray, chance: FloatArray) -> FloatArray:
    """Sum over pairs of (score - n p)^2 / (n v); cells by rows, replicates by columns."""
    games = null.games[:, None]
    excess = null.pairs @ (score - games * chance)
    variance = abs(null.pairs) @ (games * score_variance(chance, null.theta))
    return np.asarray(np.sum(excess**2 / variance, axis=0))


def null_solver(null: Null) -> Solver | None:
    """Solve with the Hessian of the null; None where replicates are fitted one by one (many agents with a side)."""
    model = null.model
    cells = Cells(null.games * null.chance, null.games * (1 - null.chance), np.zeros(len(null.games)))
    slope = curvature(model.differences(null.x), 0.0, cells, "half")
    if model.agents <= DENSE:
        factor = scipy.linalg.cho_factor(pinned(model, dense_hessian(model, slope))[0], check_finite=False)
        return lambda b: np.asarray(scipy.linalg.cho_solve(factor, b, check_finite=False))
    if model.side:
        return None
    first, second = model.first.astype(np.int64), model.second.astype(np.int64)
    return laplacian_solver(first, second, slope.dd, model.agents, ridge=model.precision, tol=1e-4)


class Noise(NamedTuple):
    """What the Pearson statistic is like when ratings explain everything."""

    mean: float
    variance: float
    p_value: float
    """Chance of a value at least as large as the observed one."""


def share_interval(observed: Statistics, noise: Noise, level: float, points: int = 199) -> tuple[float, float] | None:
    """Interval of the cyclic share, None where there is no signal; from the confidence distributions of both signals.

    Both statistics are noncentral chi-squared, and independent to first order. For each, the noncentralities that
    put the observed value at its u-quantile come from a grid of u; the share's quantiles are taken over all
    combinations. X2 is scaled to the mean and variance that it has by chance.
    """
    # Two or three groups of matches can leave the simulated X2 with a single value: then the plain chi-squared serves.
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
