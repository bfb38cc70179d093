r"""How far categories move ratings: the spread integrated over a grid, as for populations of agents.

See :mod:`equipoise.ratings.population.population`.

Each spread has its Laplace approximation; there are two priors on it, and an interval reaches over those of both.

Errors of ratings by category where games of a group (a voter, a prompt) are clustered.

What an estimate misses has two parts: what the spread of the categories leaves unknown, and what chance did to the
games. The model takes games for independent; here the second part is that of sums over groups where it is larger, with
the quantile of t where few groups tell of an agent in a category, and intervals are stretched to the sum of both. They
are never narrowed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.progress import counted
from equipoise.core.results import Estimate, FloatArray, IntArray
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.inference.ranks import two_sided_quantile, two_sided_quantiles
from equipoise.ratings.categories.model import CategoryFit, CategoryModel, Moments, centred
from equipoise.ratings.covariates.covariates import row_cells
from equipoise.ratings.paired.clustered_errors import MatchClusters, degrees_of_agents, over_combinations
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.population.population import AVERAGE, NEGLIGIBLE, mixture_quantiles, spread_weights

FEWEST_DEGREES = 3.0
"""A category with fewer groups borrows from the others: what two groups alone would say has no bound."""
MOST_SHARE = 0.5
"""Of a group in what is known about an agent in a category: above, its scores say nothing of what they would be."""
MOST_BUNDLES, ROOM = 2000, 2e7
"""Groups are joined into at most so many bundles, fewer where a table of bundles would be larger than this."""

Stretch = tuple[FloatArray, FloatArray]
"""How much wider intervals are than the model's: of ratings by category and overall, and of differences."""


def group_stretches(
    matches: Matches, category: Factor, model: CategoryModel, fit: CategoryFit, dispersion: float, level: float
) -> tuple[Stretch, FloatArray]:
    """Give how much wider intervals are, and the degrees of freedom behind each agent in each category."""
    assert matches.group is not None  # callers look
    moments = model.moments(fit)
    from_spread = _from_spread(model, fit)
    noise = [np.clip(a - b, 0, None) for a, b in zip(_variances(moments), from_spread, strict=True)]
    by_group = _between_clusters(matches, category, model, fit, dispersion)
    degrees = _degrees(matches, category, model, fit)
    wider = (two_sided_quantiles(level, degrees) / two_sided_quantile(level)) ** 2
    widths = (wider, wider[:-1])
    total = [
        np.sqrt((kept + np.maximum(own, groups) * times) / np.maximum(kept + own, 1e-300))
        for kept, own, groups, times in zip(from_spread, noise, by_group, widths, strict=True)
    ]
    return (total[0], total[1]), degrees


def _variances(moments: Moments) -> tuple[FloatArray, FloatArray]:
    return moments.variance, moments.difference_variance


def _degrees(matches: Matches, category: Factor, model: CategoryModel, fit: CategoryFit) -> FloatArray:
    """Degrees of freedom of each agent in each category, and overall in the last row."""
    assert matches.group is not None
    n, cells = model.agents, row_cells(matches)
    extra = fit.overall[n:]
    degrees = []
    for theta, start in ((fit.theta, category.codes.astype(np.int64) * n), (fit.theta.mean(axis=0)[None], 0)):
        first, second = (start + side for side in (matches.a, matches.b))
        component = np.zeros(theta.size, dtype=np.int64)
        apart = PairedModel(
            theta.size, first.astype(np.int32), second.astype(np.int32), "half", model.side, component
        )  # fmt: skip
        x = np.concatenate([theta.ravel(), extra])
        clusters = MatchClusters(apart, cells, matches.group, tuple(matches.crossed.values()))
        degrees.append(degrees_of_agents(clusters, x).reshape(theta.shape))
    return np.asarray(np.maximum(np.vstack(degrees), FEWEST_DEGREES))


def _from_spread(model: CategoryModel, fit: CategoryFit) -> tuple[FloatArray, FloatArray]:
    """Variance of what is missed for want of knowing the categories' effects, of each output."""
    n, count, kappa = model.agents, len(model.categories), fit.spread**-2
    whole, follow, overall = model.inverses(fit)
    unlike = [like - np.eye(n, model.size) for like in follow]
    middle = overall @ sum(each.T @ each for each in unlike) @ overall
    crossed = [block @ each @ overall for block, each in zip(whole, unlike, strict=True)]
    squares = [block @ block for block in whole]
    like, all_crossed, all_squares = np.mean(follow, axis=0), np.sum(crossed, axis=0), np.sum(squares, axis=0)

    def variance(route: FloatArray, cross: FloatArray, square: FloatArray) -> FloatArray:
        route, cross = route - route.mean(axis=0), cross - cross.mean(axis=0)
        both = np.sum((route @ middle) * route, axis=1) + 2 * np.sum(cross * route, axis=1)
        return np.asarray(kappa * (both + np.diag(centred(square))))

    ratings = [variance(follow[c], crossed[c], squares[c]) for c in range(count)]
    ratings.append(variance(like, all_crossed / count, all_squares / count**2))
    differences = [
        variance(
            follow[c] - like, crossed[c] - all_crossed / count, (1 - 2 / count) * squares[c] + all_squares / count**2
        )
        for c in range(count)
    ]
    return np.clip(ratings, 0, None), np.clip(differences, 0, None)


def _between_clusters(
    matches: Matches, category: Factor, model: CategoryModel, fit: CategoryFit, dispersion: float
) -> tuple[FloatArray, FloatArray]:
    """Variance of each output from sums of scores over groups; of several columns of them the largest of all.

    These are each column's, their inclusion and exclusion, and that of the finest combination.
    """
    assert matches.group is not None

    def variances(group: Factor) -> FloatArray:
        return np.vstack(_between_groups(group, matches, category, model, fit, dispersion))

    columns = (matches.group, *matches.crossed.values())
    alone = [variances(column) for column in columns]
    together, finest = over_combinations(columns, variances)
    largest = np.max([*alone, np.sum(alone, axis=0) + together, finest + np.zeros_like(alone[0])], axis=0)
    return largest[: len(model.categories) + 1], largest[len(model.categories) + 1 :]


def _between_groups(
    group: Factor, matches: Matches, category: Factor, model: CategoryModel, fit: CategoryFit, dispersion: float
) -> tuple[FloatArray, FloatArray]:
    """Variance of each output from sums of scores over groups of one column, each taken through the fit."""
    n, count = model.agents, len(model.categories)
    bundle, bundles = _bundles(group, n * count)
    start = category.codes.astype(np.int64) * n
    theta = fit.theta.ravel()
    strength = theta[start + matches.a] - theta[start + matches.b] + (fit.overall[n] if model.side else 0.0)
    chance = scipy.special.expit(strength)
    score, known = (matches.weights * of / dispersion for of in (matches.outcome - chance, chance * (1 - chance)))
    size = (count, n, bundles)
    first, second = ((start + of) * bundles + bundle for of in (matches.a, matches.b))
    length = count * n * bundles
    sums, share = (
        (np.bincount(first, of, length) + sign * np.bincount(second, of, length)).reshape(size)
        for of, sign in ((score, -1), (known, 1))
    )
    # The fit follows a group that tells much about an agent: without it the scores would be so much larger.
    share = share / (share.sum(axis=2, keepdims=True) + fit.spread**-2)
    sums = sums / (1 - np.minimum(share, MOST_SHARE))
    whole, follow, overall = model.inverses(fit)
    pulled = np.sum([like.T @ of for like, of in zip(follow, sums, strict=True)], axis=0)
    if model.side:
        pulled[n] += np.bincount(bundle, score, bundles)
    moved = overall @ pulled
    ratings = np.array([block @ of + like @ moved for block, like, of in zip(whole, follow, sums, strict=True)])
    ratings -= ratings.mean(axis=1, keepdims=True)
    mean = ratings.mean(axis=0)
    scale = bundles / max(bundles - 1, 1)
    of_ratings = np.vstack([(ratings**2).sum(axis=2), (mean**2).sum(axis=1)]) * scale
    return of_ratings, ((ratings - mean) ** 2).sum(axis=2) * scale


def _bundles(group: Factor, width: int) -> tuple[IntArray, int]:
    """Join groups into bundles by their names' order: bundles are independent where groups are, and rows may move."""
    most = int(np.clip(ROOM / width, 100, MOST_BUNDLES))
    if len(group.labels) <= most:
        return group.codes.astype(np.int64), len(group.labels)
    place = np.empty(len(group.labels), dtype=np.int64)
    place[np.argsort(np.array(group.labels))] = np.arange(len(group.labels)) % most
    return place[group.codes], most


SPREADS = np.geomspace(0.003, 6.0, 8)
"""Standard deviations in log-odds (half a point to 1,040 Elo points), looked at first."""
FINE, ENOUGH, ROUNDS = 9, 5, 6
"""Values that cover the part of them that matters; how many must matter; how often that part is narrowed at most."""
SHOWN = 1.35
"""By how much the log of the evidence must grow from no spread to the best for the games to show one: half the 95%
quantile of the likelihood ratio at the edge (Self and Liang 1987)."""
WORK = "spreads of categories"


@dataclass(frozen=True, slots=True, eq=False)
class CategoryPosterior:
    """The posterior over a grid of spreads, or at the one spread given.

    Attributes
    ----------
    spread, weight
        The grid, and probabilities of the spreads (columns) under each prior and under their average (rows).
    moments
        Given each spread.
    covariance
        Of ratings by category and overall (the last one), the priors averaged.
    best
        The fit at the spread with the largest weight.
    tau
        The spread with its interval.
    shown
        Whether the games show that there is one.
    """

    spread: FloatArray
    weight: FloatArray
    moments: Sequence[Moments]
    covariance: FloatArray
    best: CategoryFit
    tau: Estimate
    shown: bool

    def mean(self, name: str) -> FloatArray:
        """Posterior mean, the priors averaged."""
        return np.asarray(np.tensordot(self.weight[AVERAGE], _all(self.moments, name), axes=1))

    def variance(self, name: str, of: str) -> FloatArray:
        """Posterior variance, the priors averaged: within spreads and between them."""
        between = (_all(self.moments, name) - self.mean(name)) ** 2
        return np.asarray(np.tensordot(self.weight[AVERAGE], _all(self.moments, of) + between, axes=1))

    def interval(self, name: str, of: str, level: float, stretch: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give both ends, over those of both priors, stretched away from the mean."""
        mode, mean = _all(self.moments, name), self.mean(name)
        flat = mode.reshape(len(mode), -1)
        sd = np.sqrt(_all(self.moments, of)).reshape(flat.shape) + 1e-300
        tail = (1 - level) / 2
        low = mixture_quantiles(self.weight[:AVERAGE], flat, sd, tail).min(axis=0).reshape(mean.shape)
        high = mixture_quantiles(self.weight[:AVERAGE], flat, sd, 1 - tail).max(axis=0).reshape(mean.shape)
        return mean - stretch * np.maximum(mean - low, 0), mean + stretch * np.maximum(high - mean, 0)


def over_spreads(model: CategoryModel, level: float) -> CategoryPosterior:
    """Fit at every spread that matters, coarsely first, then between those ends where the weight lies."""
    fits = _fits(model, SPREADS)
    evidence = np.array([fit.evidence for fit in fits])
    shown = bool(evidence.max() - evidence[0] > SHOWN)
    spreads = SPREADS
    for _ in range(ROUNDS):
        matter = _matter(spread_weights(spreads, evidence))
        if spreads is not SPREADS and len(matter) >= ENOUGH:
            break
        first, last = max(matter[0] - 1, 0), min(matter[-1] + 1, len(spreads) - 1)
        spreads, near = np.geomspace(spreads[first], spreads[last], FINE), fits[first]
        fits = _fits(model, spreads, near)
        evidence = np.array([fit.evidence for fit in fits])
    weight = spread_weights(spreads, evidence)
    matter = _matter(weight)
    weight = weight[:, matter] / weight[:, matter].sum(axis=1, keepdims=True)
    tau = _estimate(spreads, evidence, level)
    return _posterior(model, weight, [fits[k] for k in matter], tau, shown)


def _matter(weight: FloatArray) -> IntArray:
    return np.flatnonzero((weight > NEGLIGIBLE * weight.max(axis=1, keepdims=True)).any(axis=0))


def given_spread(model: CategoryModel, spread: float, shown: float) -> CategoryPosterior:
    """Take the spread for known; ``shown`` is how it is said."""
    estimate = Estimate(shown, 0.0, shown, shown)
    return _posterior(model, np.ones((AVERAGE + 1, 1)), [model.fit(spread)], estimate, shown > 0)


def _posterior(
    model: CategoryModel, weight: FloatArray, fits: Sequence[CategoryFit], tau: Estimate, shown: bool
) -> CategoryPosterior:
    moments: list[Moments] = []
    covariance = np.zeros((len(model.categories) + 1, model.agents, model.agents))
    for share, fit in zip(weight[AVERAGE], counted(fits, WORK, [1] * len(fits)), strict=True):
        here = model.moments(fit)
        covariance += share * here.covariance
        moments.append(here.without_covariance())
    mean = np.tensordot(weight[AVERAGE], _all(moments, "mean"), axes=1)
    for share, here in zip(weight[AVERAGE], moments, strict=True):
        off = here.mean - mean
        covariance += share * off[:, :, None] * off[:, None, :]
    best = fits[int(np.argmax(weight[AVERAGE]))]
    spread = np.array([fit.spread for fit in fits])
    return CategoryPosterior(spread, weight, moments, covariance, best, tau, shown)


def _fits(model: CategoryModel, spreads: Iterable[float], start: CategoryFit | None = None) -> list[CategoryFit]:
    """Go up the spreads, each fit starting from the one before."""
    fits: list[CategoryFit] = []
    for spread in counted(list(spreads), WORK):
        fits.append(model.fit(float(spread), fits[-1] if fits else start))
    return fits


def _estimate(spreads: FloatArray, evidence: FloatArray, level: float) -> Estimate:
    """Mean and interval of the spread, on a finer grid over which the evidence is interpolated."""
    fine = np.geomspace(spreads[0], spreads[-1], 2000)
    smooth = scipy.interpolate.CubicSpline(np.log(spreads), evidence)(np.log(fine))
    weight = spread_weights(fine, smooth)
    below = np.cumsum(weight[:AVERAGE], axis=1)
    tail = (1 - level) / 2
    low, high = (fine[np.minimum((below < chance).sum(axis=1), len(fine) - 1)] for chance in (tail, 1 - tail))
    mean = float(weight[AVERAGE] @ fine)
    return Estimate(mean, float(np.sqrt(weight[AVERAGE] @ (fine - mean) ** 2)), float(low.min()), float(high.max()))


def _all(moments: Sequence[Moments], name: str) -> FloatArray:
    return np.array([getattr(each, name) for each in moments])
