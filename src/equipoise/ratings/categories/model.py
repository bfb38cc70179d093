r"""Ratings by agent and category given how far categories move them: fit, evidence and covariance, block by block.

.. math:: \theta_{ac} = r_a + d_{ac}, \qquad d_{ac} \sim N(0, \tau^2)

The curvature has a block for each category, its weighted Laplacian plus :math:`1/\tau^2`, and couples blocks only
through the overall ratings: a Schur complement as large as there are agents stands for the rest. An agent that never
played in a category takes part in no block: there it is :math:`r_a`, give or take :math:`\tau`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from equipoise.core.errors import ConvergenceError
from equipoise.core.results import FloatArray, IntArray
from equipoise.ratings.damped_newton import NewtonPoint, damped_newton
from equipoise.ratings.paired.ties import PairCounts, curvature, log_likelihood

PIN = 1.0
"""Precision of the mean of all ratings, about which the games say nothing; it is 0 whatever this is."""
STEPS, SAFE = 100, 0.1
"""Of a fit; a step with a smaller decrement is taken whole."""
ENOUGH = 1e-7
"""Newton's decrement at which a fit ends: twice by how much the objective can still grow."""


@dataclass(frozen=True, slots=True, eq=False)
class Category:
    """Games of one category: who played in it, and counts by pair, codes pointing into ``agents``."""

    agents: IntArray
    first: IntArray
    second: IntArray
    cells: PairCounts


@dataclass(frozen=True, slots=True, eq=False)
class CategoryFit:
    """The mode given one spread.

    Attributes
    ----------
    spread
        Standard deviation of the categories' effects.
    theta
        Rating of each agent in each category, a row a category.
    overall
        Overall ratings, then the first-position advantage where there is one.
    inverse
        Of each category's block, agents that are absent left out.
    side
        Derivative of each block by side and rating.
    factor
        Cholesky factor of what is left for the overall ratings.
    evidence
        Log of how well the spread fits the games, up to a constant.
    """

    spread: float
    theta: FloatArray
    overall: FloatArray
    inverse: Sequence[FloatArray]
    side: Sequence[FloatArray]
    factor: FloatArray
    evidence: float
    log_likelihood: float
    steps: int
    decrement: float


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Means and variances of what is reported: ratings by category, overall ratings, their differences; all centred.

    Rows are categories; of ``mean`` and ``variance`` the last row is the overall rating, the mean over the categories.
    ``covariance`` has that of the ratings of each row, while it is there.
    """

    mean: FloatArray
    difference: FloatArray
    variance: FloatArray
    difference_variance: FloatArray
    covariance: FloatArray
    side: FloatArray

    def without_covariance(self) -> "Moments":
        """Forget what takes the most room."""
        return replace(self, covariance=np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class CategoryModel:
    """Categories, how many agents there are in all, whether sides matter, the precision of a prior on ``r``."""

    agents: int
    categories: Sequence[Category]
    side: bool
    precision: float = 0.0

    @property
    def size(self) -> int:
        """Overall ratings, and the first-position advantage."""
        return self.agents + self.side

    def fit(self, spread: float, start: CategoryFit | None = None) -> CategoryFit:
        """Newton's steps, each halved until the objective grows, from the fit at another spread."""
        theta = np.zeros((len(self.categories), self.agents)) if start is None else start.theta
        overall = np.zeros(self.size) if start is None else start.overall
        begin = _CategoryPoint(self, spread, np.concatenate([theta.ravel(), overall]))
        reached = damped_newton(begin, range(STEPS), 0.0, decrement=ENOUGH)
        if not reached.converged:
            raise ConvergenceError(f"ratings by category did not settle in {STEPS} steps")
        there = reached.solved.solved
        return self._finished(reached.point.theta, reached.point.overall, spread, there, reached.steps + 1)

    def _finished(
        self, theta: FloatArray, overall: FloatArray, spread: float, there: "_Step", steps: int
    ) -> CategoryFit:
        cells = sum(len(category.agents) for category in self.categories)
        likelihood = self._likelihood(theta, overall)
        evidence = likelihood - self._penalty(theta, overall, spread) - cells * np.log(spread) - there.half_logdet
        return CategoryFit(
            spread, theta, overall, there.inverse, there.side, there.factor, float(evidence), likelihood, steps,
            there.decrement,
        )  # fmt: skip

    def differences(self, theta: FloatArray, overall: FloatArray, place: int) -> FloatArray:
        """Strength differences of the cells of one category."""
        category = self.categories[place]
        own = theta[place, category.agents]
        return np.asarray(own[category.first] - own[category.second] + (overall[self.agents] if self.side else 0.0))

    def _likelihood(self, theta: FloatArray, overall: FloatArray) -> float:
        of = (
            log_likelihood(self.differences(theta, overall, c), 0.0, category.cells, "half")
            for c, category in enumerate(self.categories)
        )
        return float(sum(of))

    def _penalty(self, theta: FloatArray, overall: FloatArray, spread: float) -> float:
        r = overall[: self.agents]
        away = sum(
            float(np.sum((theta[c, category.agents] - r[category.agents]) ** 2))
            for c, category in enumerate(self.categories)
        )
        held = self.precision * float(r @ r) + PIN * float(r.sum()) ** 2 / self.agents
        return float(away / spread**2 + held) / 2

    def _solved(self, theta: FloatArray, overall: FloatArray, spread: float) -> "_Step":
        """Newton's step, and the factors behind it."""
        n, kappa, r = self.agents, spread**-2, overall[: self.agents]
        left = np.zeros((self.size, self.size))
        left[:n, :n] = PIN / n
        left[np.arange(n), np.arange(n)] += self.precision
        slope = np.zeros(self.size)
        slope[:n] = -self.precision * r - PIN * r.mean()
        inverses: list[FloatArray] = []
        sides: list[FloatArray] = []
        slopes: list[FloatArray] = []
        half_logdet = 0.0
        for c, category in enumerate(self.categories):
            who, m = category.agents, len(category.agents)
            curve = curvature(self.differences(theta, overall, c), 0.0, category.cells, "half")
            block = _laplacian(category, curve.dd)
            block[np.arange(m), np.arange(m)] += kappa
            inverse, log_root = _inverted(block)
            half_logdet += log_root
            away = theta[c, who] - r[who]
            by_theta = np.bincount(category.first, curve.d, m) - np.bincount(category.second, curve.d, m) - kappa * away
            side = np.asarray(np.bincount(category.first, curve.dd, m) - np.bincount(category.second, curve.dd, m))
            side = side.astype(np.float64)
            here = (slice(n), slice(n)) if m == n else np.ix_(who, who)
            left[here] -= kappa**2 * inverse
            left[who, who] += kappa
            slope[who] += kappa * away + kappa * (inverse @ by_theta)
            if self.side:
                across = inverse @ side
                left[who, n] += kappa * across
                left[n, who] += kappa * across
                left[n, n] += curve.dd.sum() - side @ across
                slope[n] += curve.d.sum() - across @ by_theta
            inverses.append(inverse)
            sides.append(side)
            slopes.append(by_theta)
        factor = np.asarray(np.linalg.cholesky(left), dtype=np.float64)
        half_logdet += float(np.log(np.diag(factor)).sum())
        move = scipy.linalg.cho_solve((factor, True), slope, check_finite=False)
        steps, decrement = np.tile(move[:n], (len(self.categories), 1)), float(slope @ move)
        for c, category in enumerate(self.categories):
            who = category.agents
            pull = slopes[c] + kappa * move[who] - (sides[c] * move[n] if self.side else 0.0)
            steps[c, who] = inverses[c] @ pull
            decrement += float(slopes[c] @ (inverses[c] @ slopes[c]))
        # Agents that are absent from a category are where they are overall, whatever the step.
        return _Step(steps, move, inverses, sides, factor, half_logdet, decrement)

    def inverses(self, fit: CategoryFit) -> tuple[list[FloatArray], list[FloatArray], FloatArray]:
        """Give each block's inverse and how its ratings follow the overall ones, for all agents, and these' covariance.

        The covariance of ratings in categories c and e is (c == e) inverse_c + follow_c V follow_e'.
        """
        n, kappa = self.agents, fit.spread**-2
        whole, follow = [], []
        for category, inverse, side in zip(self.categories, fit.inverse, fit.side, strict=True):
            who = category.agents
            full, like = np.zeros((n, n)), np.zeros((n, self.size))
            absent = np.setdiff1d(np.arange(n), who)
            full[absent, absent] = fit.spread**2
            like[absent, absent] = 1.0
            full[np.ix_(who, who)] = inverse
            like[np.ix_(who, who)] = kappa * inverse
            if self.side:
                like[who, n] = -inverse @ side
            whole.append(full)
            follow.append(like)
        overall = scipy.linalg.cho_solve((fit.factor, True), np.eye(self.size), check_finite=False)
        return whole, follow, overall

    def moments(self, fit: CategoryFit) -> Moments:
        """Give means and variances, all relative to the mean of the agents."""
        n, count = self.agents, len(self.categories)
        whole, follow, overall = self.inverses(fit)
        blocks, like = np.sum(whole, axis=0), np.mean(follow, axis=0)
        root = np.linalg.cholesky(overall)
        covariance = np.empty((count + 1, n, n))
        variance = np.empty((count, n))
        for c in range(count):
            covariance[c] = centred(whole[c] + _squared(follow[c] @ root))
            off = centred(whole[c] * (1 - 2 / count) + blocks / count**2)
            variance[c] = np.diag(off) + ((_less_mean(follow[c] - like) @ root) ** 2).sum(axis=1)
        covariance[count] = centred(blocks / count**2 + _squared(like @ root))
        theta = fit.theta - fit.theta.mean(axis=1, keepdims=True)
        mean = np.vstack([theta, theta.mean(axis=0)])
        side = np.array([fit.overall[n], overall[n, n]]) if self.side else np.empty(0)
        return Moments(
            mean, theta - theta.mean(axis=0), np.einsum("cii->ci", covariance), np.clip(variance, 0, None), covariance,
            side,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _CategoryPoint(NewtonPoint):
    """All unknowns in a row: ratings by category, then the overall ones and the first-position advantage."""

    model: CategoryModel
    spread: float
    x: FloatArray

    @property
    def theta(self) -> FloatArray:
        """Ratings by category."""
        return self.x[: -self.model.size].reshape(-1, self.model.agents)

    @property
    def overall(self) -> FloatArray:
        """Overall ratings, and the first-position advantage."""
        return self.x[-self.model.size :]

    @cached_property
    def solved(self) -> "_Step":
        return self.model._solved(self.theta, self.overall, self.spread)

    @cached_property
    def value(self) -> float:
        penalty = self.model._penalty(self.theta, self.overall, self.spread)
        return self.model._likelihood(self.theta, self.overall) - penalty

    def newton_step(self) -> tuple[FloatArray, float]:
        there = self.solved
        return np.concatenate([there.theta.ravel(), there.overall]), there.decrement

    def rises(self, end: "_CategoryPoint", slope: float, scale: float) -> bool:
        return slope < SAFE or super().rises(end, slope, scale)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """A step of all unknowns, and the factors that it was solved with."""

    theta: FloatArray
    overall: FloatArray
    inverse: list[FloatArray]
    side: list[FloatArray]
    factor: FloatArray
    half_logdet: float
    decrement: float


def centred(matrix: FloatArray) -> FloatArray:
    """Give the covariance of ratings relative to their mean."""
    rows = matrix.mean(axis=0)
    return np.asarray(matrix - rows[None, :] - rows[:, None] + rows.mean())


def _less_mean(rows: FloatArray) -> FloatArray:
    return np.asarray(rows - rows.mean(axis=0))


def _squared(root: FloatArray) -> FloatArray:
    return np.asarray(root @ root.T)


def _laplacian(category: Category, weight: FloatArray) -> FloatArray:
    m = len(category.agents)
    met = np.bincount(category.first * m + category.second, weight, m * m).reshape(m, m)
    met = met + met.T
    block = -met
    block[np.arange(m), np.arange(m)] = met.sum(axis=1)
    return np.asarray(block)


def _inverted(block: FloatArray) -> tuple[FloatArray, float]:
    """Give the inverse of a positive matrix, and half the log of its determinant."""
    root, failed = scipy.linalg.lapack.dpotrf(block, lower=1)
    if failed:
        raise ConvergenceError("ratings by category: the curvature of a category is not positive")
    inverse, _ = scipy.linalg.lapack.dpotri(root, lower=1)
    lower = np.tri(len(block), dtype=bool)
    return np.where(lower, inverse, inverse.T), float(np.log(np.diag(root)).sum())
