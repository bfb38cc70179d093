r"""Ratings of agents drawn from a population: intervals that do not mind how pairs were chosen.

Where pairing is adaptive (Swiss rounds, the winner stays, a planner), the sampling distribution of a maximum
likelihood estimate depends on the rule, and plain intervals fail. The likelihood does not: whoever chose the pairs by
what was known, each game adds the same factor. So a posterior is right on average over the population it assumes,

.. math:: r_i \sim N(0, \tau^2), \qquad \tau \sim p(\tau),

with the spread :math:`\tau` integrated over a grid, each value a Laplace approximation. No prior on the spread serves
both equal and very different agents when few games separate them; so there are two: the half-Cauchy (Gelman 2006),
which allows :math:`\tau = 0`, and one whose density vanishes there (Chung et al. 2013). An interval reaches over the
intervals of both; ratings and ranks are those of the two priors' average.

Fits of one model under priors of growing spread, each started where the one before points to.

Under a normal prior of precision :math:`\lambda = \tau^{-2}` the mode :math:`x(\lambda)` moves as

.. math:: \frac{dx}{d \log \lambda} = -\lambda H^{-1} P x,

where H is the curvature there, whose factor every fit leaves behind, and P leaves out what has no such prior. From the
point that this line gives for the next spread, Newton's method needs two or three steps. The slow version, a fit from
nothing at each spread, is :func:`~equipoise.ratings.paired.newton.bradley_terry_newton`.

References
----------
Chung, Rabe-Hesketh, Dorie, Gelman and Liu (2013), A nondegenerate penalized likelihood estimator for variance
parameters in multilevel models. Gelman (2006), Prior distributions for variance parameters in hierarchical models.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.errors import ConvergenceError
from equipoise.core.options import generator
from equipoise.core.results import Fit, FloatArray, IntArray
from equipoise.inference.ranks import MOST_SIMULATED, Ranks, two_sided_quantile
from equipoise.inference.threads import one_thread
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import Solution, bradley_terry_newton, dense_hessian
from equipoise.ratings.paired.ties import PairCounts, curvature

LAST = 1e-6
"""A step after which the next is below rounding: steps shrink as their squares."""


@dataclass(frozen=True, slots=True, eq=False)
class SpreadFit:
    """The posterior's mode at one spread, the factor of its curvature, and the log of how well it fits the games."""

    solution: Solution
    factor: FloatArray
    evidence: float


def folded(model: PairedModel, cells: PairCounts) -> tuple[PairedModel, PairCounts]:
    """Count both orders of a pair in one cell, where no side has an advantage and nothing else tells cells apart."""
    if model.side or model.covariates is not None:
        return model, cells
    n, turned = model.agents, model.first > model.second
    low, high = np.minimum(model.first, model.second), np.maximum(model.first, model.second)
    pairs, at = np.unique(low.astype(np.int64) * n + high, return_inverse=True)
    wins, losses = np.where(turned, cells.losses, cells.wins), np.where(turned, cells.wins, cells.losses)
    sums = [np.bincount(at, part, len(pairs)).astype(np.float64) for part in (wins, losses, cells.ties)]
    first, second = (part.astype(model.first.dtype) for part in np.divmod(pairs, n))
    return replace(model, first=first, second=second), PairCounts(*sums)


def fits_along(
    model: PairedModel, cells: PairCounts, spreads: FloatArray, start: SpreadFit | None = None, before: float = 0.0
) -> list[SpreadFit]:
    """Fit at each spread in turn, beginning at a fit at the spread ``before`` if there is one."""
    fits = []
    for spread in spreads:
        at = replace(model, precision=float(spread) ** -2)
        if start is None:
            fitted = bradley_terry_newton(at, cells)
        else:
            fitted = bradley_terry_newton(at, cells, _predicted(at, start, before), tolerance=LAST)
            # What the next step would be.
            fitted = replace(fitted, fit=replace(fitted.fit, residual=fitted.fit.residual**2))
        start, before = _fit(at, cells, fitted, float(spread)), float(spread)
        fits.append(start)
    return fits


def _fit(model: PairedModel, cells: PairCounts, fitted: Solution, spread: float) -> SpreadFit:
    slope = curvature(model.differences(fitted.x), model.tie(fitted.x), cells, model.ties)
    factor = np.asarray(np.linalg.cholesky(dense_hessian(model, slope)), dtype=np.float64)
    evidence = fitted.objective - model.agents * np.log(spread) - float(np.log(np.diag(factor)).sum())
    return SpreadFit(fitted, factor, evidence)


def _predicted(model: PairedModel, start: SpreadFit, before: float) -> FloatArray:
    """Go from the fit at one spread along its line to the spread of a model."""
    x, change = start.solution.x, -2.0 * np.log(model.precision**-0.5 / before)
    pull = np.zeros(model.size)
    pull[: model.agents] = before**-2 * x[: model.agents]
    return np.asarray(x - change * scipy.linalg.cho_solve((start.factor, True), pull, check_finite=False))


AVERAGE = 2
"""Row of the weights under the average of the two priors."""
SPREADS = np.geomspace(0.03, 6.0, 10)
"""Standard deviations of the population in log-odds (5 to 1,040 Elo points), looked at first."""
FINE = 15
"""Values that cover the part of them that matters."""
NEGLIGIBLE = 1e-4
"""Share of the largest weight below which a spread does not matter."""
MOST_DRAWS, FEWEST_DRAWS, WORK = 4000, 1000, 2.5e7
"""Draws behind ranks: as many as so many comparisons allow, within these limits."""
CLOSE, ROUNDING = 1e-10, 4 * np.finfo(float).eps
"""How near a quantile is found: in standard deviations of the narrowest part, but no nearer than numbers can tell."""
NEWTON_STEPS, HALVINGS = 40, 55
"""Steps to a quantile that may be Newton's, and halvings that make any bracket as narrow as `ROUNDING` of its ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The posterior given each spread of a grid, and how likely each spread is.

    Attributes
    ----------
    weight
        Probabilities of the spreads (columns) under each of the two priors, and under their average (rows).
    mode, covariance
        Of all unknowns given each spread; ratings are relative to the mean of their component.
    model, best
        The model, and the fit at the spread with the largest weight.
    """

    model: PairedModel
    spread: FloatArray
    weight: FloatArray
    mode: FloatArray
    covariance: FloatArray
    best: Solution

    def mean(self) -> FloatArray:
        """Posterior means, the priors averaged."""
        return np.asarray(self.weight[AVERAGE] @ self.mode)

    def posterior_covariance(self) -> FloatArray:
        """Posterior covariance, the priors averaged: within spreads and between them."""
        within = np.tensordot(self.weight[AVERAGE], self.covariance, axes=1)
        off = self.mode - self.mean()
        return np.asarray(within + (off * self.weight[AVERAGE][:, None]).T @ off)

    def quantile(self, chance: float) -> FloatArray:
        """Quantiles of each unknown under each of the two priors, of the mixture's distribution."""
        sd = np.sqrt(np.einsum("tii->ti", self.covariance))
        return mixture_quantiles(self.weight[:AVERAGE], self.mode, sd, chance)

    def draws(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Draw all unknowns together from the posterior, the priors averaged; a row a draw."""
        often = rng.multinomial(count, self.weight[AVERAGE] / self.weight[AVERAGE].sum())
        rows = [
            self.mode[t] + rng.standard_normal((k, len(self.mode[t]))) @ _root(self.covariance[t]).T
            for t, k in enumerate(often)
            if k
        ]
        return np.concatenate(rows)


def mixture_quantiles(weight: FloatArray, mode: FloatArray, sd: FloatArray, chance: float) -> FloatArray:
    """Quantiles of mixtures of normal distributions: ``weight`` has a row for each mixture, ``mode`` for each part.

    A mixture's quantile lies between the smallest and the largest quantile of its parts. Within that bracket the steps
    are Newton's as long as each is at most half the one before, and halve the bracket otherwise: near a narrow part, or
    between parts that stand apart, Newton's method alone goes to and fro. The last steps only halve, which always
    arrives.

    Fails when
        a weight, mode or standard deviation is not a number: ConvergenceError.
    """
    normal = scipy.special.ndtri(chance)
    parts = mode + sd * normal
    low, high = parts.min(axis=0), parts.max(axis=0)
    close = np.maximum(CLOSE * sd.min(axis=0), ROUNDING * np.maximum(np.abs(low), np.abs(high)))
    at = np.minimum(np.maximum(weight @ mode + np.sqrt(weight @ sd**2) * normal, low), high)
    taken, settled, density = high - low, np.zeros(at.shape, dtype=bool), 1 / (np.sqrt(2 * np.pi) * sd)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # far from every part, where halving goes on
        for number in range(NEWTON_STEPS + HALVINGS):
            z = (at[:, None] - mode) / sd
            off = (weight[:, None] @ scipy.special.ndtr(z))[:, 0] - chance
            below = off < 0
            low, high = np.where(below, at, low), np.where(below, high, at)
            following = (low + high) / 2
            if number < NEWTON_STEPS:
                newton = at - off / (weight[:, None] @ (np.exp(-(z**2) / 2) * density))[:, 0]
                shrinks = (low <= newton) & (newton <= high) & (np.abs(newton - at) <= taken / 2)
                following = np.where(shrinks, newton, following)
            taken = np.abs(following - at)
            at = np.where(settled, at, following)
            settled |= taken <= close
            if settled.all():
                return np.asarray(at, dtype=np.float64)
    raise ConvergenceError("quantiles of the posterior: a weight, mean or standard deviation is not a number")


@dataclass(frozen=True, slots=True, eq=False)
class PopulationRatings:
    """What is printed: of all unknowns (ratings, first-position advantage, tie parameter), and ranks of the agents."""

    value: FloatArray
    covariance: FloatArray
    low: FloatArray
    high: FloatArray
    ranks: Ranks
    log_likelihood: float
    fit: Fit

    @property
    def rank_low(self) -> IntArray:
        """The best rank that each agent may have."""
        return self.ranks()[0]

    @property
    def rank_high(self) -> IntArray:
        """The worst rank that each agent may have."""
        return self.ranks()[1]


def population_ratings(
    model: PairedModel,
    cells: PairCounts,
    level: float,
    rng: int | np.random.Generator,
    apart: IntArray | None = None,
) -> PopulationRatings:
    """Rate agents whose pairs may have been chosen by results.

    The covariance is that of the posterior, stretched to the intervals, which reach over those of both priors. Agents
    of different components (``apart``) are never significantly better or worse than each other.
    """
    with one_thread(model.size):
        population = rate_population(model, cells)
    value, tail = population.mean(), (1 - level) / 2
    low = np.minimum(population.quantile(tail).min(axis=0), value)
    high = np.maximum(population.quantile(1 - tail).max(axis=0), value)
    draws = generator(rng)
    ranks = Ranks(lambda: _ranks(population, level, draws, apart))
    if draws is rng:  # what a generator of the user's draws must be drawn now
        ranks()
    return PopulationRatings(
        value, stretched(population.posterior_covariance(), high - low, level), low, high, ranks,
        population.best.objective, population.best.fit,
    )  # fmt: skip


def _ranks(
    population: Population, level: float, rng: np.random.Generator, apart: IntArray | None
) -> tuple[IntArray, IntArray]:
    with one_thread(population.model.size):
        better = _surely_better(population, level, rng)
    if apart is not None:
        better &= apart[:, None] == apart[None, :]
    return 1 + better.sum(axis=0), population.model.agents - better.sum(axis=1)


def stretched(covariance: FloatArray, width: FloatArray, level: float) -> FloatArray:
    """Give the same correlations with the standard errors behind intervals of these widths."""
    stretch = width / (2 * two_sided_quantile(level)) / np.sqrt(np.diag(covariance))
    return np.asarray(covariance * stretch[:, None] * stretch[None, :])


def rate_population(model: PairedModel, cells: PairCounts) -> Population:
    """Fit at every spread that matters; ratings are independent given the spread and relative to their component."""
    model, cells = folded(model, cells)
    points = fits_along(model, cells, SPREADS)
    weight = spread_weights(SPREADS, np.array([point.evidence for point in points]))
    matter = np.flatnonzero((weight > NEGLIGIBLE * weight.max(axis=1, keepdims=True)).any(axis=0))
    first, last = max(matter[0] - 1, 0), min(matter[-1] + 1, len(SPREADS) - 1)
    spreads = np.geomspace(SPREADS[first], SPREADS[last], FINE)
    points = fits_along(model, cells, spreads, points[first], SPREADS[first])
    weight = spread_weights(spreads, np.array([point.evidence for point in points]))
    matter = np.flatnonzero((weight > NEGLIGIBLE * weight.max(axis=1, keepdims=True)).any(axis=0))
    weight = weight[:, matter] / weight[:, matter].sum(axis=1, keepdims=True)
    centred = [_centred(model, points[k]) for k in matter]
    modes, covariances = (np.array(part) for part in zip(*centred, strict=True))
    best = points[matter[int(np.argmax(weight.mean(axis=0)))]].solution
    return Population(model, spreads[matter], weight, modes, covariances, best)


def spread_weights(spreads: FloatArray, evidence: FloatArray) -> FloatArray:
    """Probabilities of the spreads under each prior and under their average.

    A geometric grid gives each spread a width of its own size.
    """
    half_cauchy = 2 / np.pi / (1 + spreads**2)
    away_from_zero = 4 / (9 * np.pi) * spreads / (1 + (spreads / 3) ** 4)
    densities = np.array([half_cauchy, away_from_zero, (half_cauchy + away_from_zero) / 2])
    return np.asarray(scipy.special.softmax(np.log(densities * spreads) + evidence, axis=1))


def _centred(model: PairedModel, point: SpreadFit) -> tuple[FloatArray, FloatArray]:
    """Mode and covariance of ratings relative to the mean of their component, and of the other unknowns as they are."""
    n, mode = model.agents, point.solution.x.copy()
    covariance = scipy.linalg.cho_solve((point.factor, True), np.eye(model.size), check_finite=False)
    for component in np.unique(model.components):
        of = np.flatnonzero(model.components == component) if len(set(model.components)) > 1 else slice(n)
        mode[of] -= mode[of].mean()
        covariance[of] -= covariance[of].mean(axis=0)
        covariance[:, of] -= covariance[:, of].mean(axis=1, keepdims=True)
    return mode, covariance


def _surely_better(population: Population, level: float, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Say who is better than whom, so that all of it is right with the level's probability.

    In order of the means, the largest shortfall of any difference below its mean, in standard deviations, is drawn;
    a difference that exceeds the level's quantile of it stays positive.
    """
    n = population.model.agents
    mean, cov = population.mean()[:n], population.posterior_covariance()[:n, :n]
    variance = np.diag(cov)
    spread = np.sqrt(np.clip(variance[:, None] + variance[None, :] - 2 * cov, 0, None))
    np.fill_diagonal(spread, 1.0)  # nobody is compared with itself
    order = np.argsort(-mean, kind="stable")
    if n > MOST_SIMULATED:
        critical = two_sided_quantile(level ** (2 / (n * (n - 1))))
    else:
        count = int(np.clip(2 * WORK / max(n * (n - 1), 1), FEWEST_DRAWS, MOST_DRAWS))
        short = mean[order] - population.draws(count, rng)[:, order]
        critical = float(np.quantile(_largest_shortfall(short.T, spread[np.ix_(order, order)]), level))
    return np.asarray(mean[:, None] - mean[None, :] > critical * spread)


def _largest_shortfall(short: FloatArray, spread: FloatArray) -> FloatArray:
    """Largest (short_i - short_j) / spread_ij over pairs with i before j, of each column, in single precision."""
    drawn, scale = np.ascontiguousarray(short, dtype=np.float32), (1 / spread).astype(np.float32)
    largest = np.full(drawn.shape[1], -np.inf, dtype=np.float32)
    for i in range(len(drawn) - 1):
        gap = (drawn[i] - drawn[i + 1 :]) * scale[i, i + 1 :, None]
        np.maximum(largest, gap.max(axis=0), out=largest)
    return largest.astype(np.float64)


def _root(covariance: FloatArray) -> FloatArray:
    """A square root of a covariance that is singular where ratings sum to zero."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.clip(values, 0, None)))
