r"""Ratings of agents drawn from a population: intervals that do not mind how pairs were chosen.

Where pairs follow results (Swiss rounds, the winner stays, a planner), the sampling distribution of a maximum
likelihood estimate depends on the rule, and plain intervals fail. The likelihood does not: whoever chose the pairs by
what was known, each game adds the same factor. So a posterior is right on average over the population it assumes,

.. math:: r_i \sim N(0, \tau^2), \qquad \tau \sim p(\tau),

with the spread :math:`\tau` integrated over a grid, each value a Laplace approximation. No prior on the spread serves
both equal and very different agents when few games tell them apart; so there are two: the half-Cauchy (Gelman 2006),
which allows :math:`\tau = 0`, and one whose density vanishes there (Chung et al. 2013). An interval reaches over the
intervals of both; ratings and ranks are those of the two priors' average.

References
----------
Chung, Rabe-Hesketh, Dorie, Gelman and Liu (2013), A nondegenerate penalized likelihood estimator for variance
parameters in multilevel models. Gelman (2006), Prior distributions for variance parameters in hierarchical models.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.errors import ConvergenceError
from equipoise.core.options import generator
from equipoise.core.results import Fit, FloatArray, IntArray
from equipoise.inference.ranks import MOST_SIMULATED, Ranks, two_sided_quantile
from equipoise.inference.threads import one_thread
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import Solution
from equipoise.ratings.paired.ties import Cells
from equipoise.ratings.population.spread_path import SpreadFit, fits_along, folded

__all__ = [
    "AVERAGE",
    "NEGLIGIBLE",
    "Population",
    "PopulationRatings",
    "mixture_quantiles",
    "population_ratings",
    "rate_population",
    "spread_weights",
    "stretched",
]

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
        Of all unknowns given each spread; ratings are relative to the mean of their island.
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
    """What is printed: of all unknowns (ratings, side advantage, tie parameter), and ranks of the agents."""

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
    cells: Cells,
    level: float,
    rng: int | np.random.Generator,
    apart: IntArray | None = None,
) -> PopulationRatings:
    """Rate agents whose pairs may have been chosen by results.

    The covariance is that of the posterior, stretched to the intervals, which reach over those of both priors. Agents
    of different islands (``apart``) are never surely better or worse than each other.
    """
    with one_thread(model.size):
        found = rate_population(model, cells)
    value, tail = found.mean(), (1 - level) / 2
    low = np.minimum(found.quantile(tail).min(axis=0), value)
    high = np.maximum(found.quantile(1 - tail).max(axis=0), value)
    draws = generator(rng)
    ranks = Ranks(lambda: _ranks(found, level, draws, apart))
    if draws is rng:  # what a generator of the user's draws must be drawn now
        ranks()
    return PopulationRatings(
        value, stretched(found.posterior_covariance(), high - low, level), low, high, ranks, found.best.objective,
        found.best.fit,
    )  # fmt: skip


def _ranks(
    found: Population, level: float, rng: np.random.Generator, apart: IntArray | None
) -> tuple[IntArray, IntArray]:
    with one_thread(found.model.size):
        better = _surely_better(found, level, rng)
    if apart is not None:
        better &= apart[:, None] == apart[None, :]
    return 1 + better.sum(axis=0), found.model.agents - better.sum(axis=1)


def stretched(covariance: FloatArray, width: FloatArray, level: float) -> FloatArray:
    """Give the same correlations with the standard errors behind intervals of these widths."""
    stretch = width / (2 * two_sided_quantile(level)) / np.sqrt(np.diag(covariance))
    return np.asarray(covariance * stretch[:, None] * stretch[None, :])


def rate_population(model: PairedModel, cells: Cells) -> Population:
    """Fit at every spread that matters; ratings are independent given the spread and relative to their island."""
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
    """Mode and covariance of ratings relative to the mean of their island, and of the other unknowns as they are."""
    n, mode = model.agents, point.solution.x.copy()
    covariance = scipy.linalg.cho_solve((point.factor, True), np.eye(model.size), check_finite=False)
    for island in np.unique(model.islands):
        of = np.flatnonzero(model.islands == island) if len(set(model.islands)) > 1 else slice(n)
        mode[of] -= mode[of].mean()
        covariance[of] -= covariance[of].mean(axis=0)
        covariance[:, of] -= covariance[:, of].mean(axis=1, keepdims=True)
    return mode, covariance


def _surely_better(found: Population, level: float, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Say who is better than whom, so that all of it is right with the level's probability.

    In order of the means, the largest shortfall of any difference below its mean, in standard deviations, is drawn;
    a difference that exceeds the level's quantile of it stays positive.
    """
    n = found.model.agents
    mean, cov = found.mean()[:n], found.posterior_covariance()[:n, :n]
    variance = np.diag(cov)
    spread = np.sqrt(np.clip(variance[:, None] + variance[None, :] - 2 * cov, 0, None))
    np.fill_diagonal(spread, 1.0)  # nobody is compared with itself
    order = np.argsort(-mean, kind="stable")
    if n > MOST_SIMULATED:
        critical = two_sided_quantile(level ** (2 / (n * (n - 1))))
    else:
        count = int(np.clip(2 * WORK / max(n * (n - 1), 1), FEWEST_DRAWS, MOST_DRAWS))
        short = mean[order] - found.draws(count, rng)[:, order]
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
