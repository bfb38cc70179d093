"""How sure is the change that control for covariates makes? Two fits to the same matches err together.

A match moves the ratings of both fits by its scores (to first order): the change moves by the difference of the two,
much less than either. The covariance of changes is the sum of outer products of these differences over matches, or
over groups of matches, as in a sandwich. Groups of several columns (voters and prompts) and few or uneven groups are
treated as they are in the errors of ratings (:mod:`equipoise.ratings.paired.clustered_errors`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from equipoise.core.results import Estimate, FloatArray
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.inference.threads import one_thread
from equipoise.ratings.covariates.covariates import row_cells
from equipoise.ratings.paired.clustered_errors import (
    MatchClusters,
    are_uneven,
    can_be_left_out,
    over_combinations,
    products_of_groups,
    root_of,
    scores_left_out,
    scores_of_cells,
    without_negatives,
)
from equipoise.ratings.paired.errors import inverse_information
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.paired.ties import PairCounts, TieModel, curvature, outcome_scores

DRAWS = 10_000
"""Of changes, for the quantile of the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class _RowFit:
    """A fit to single matches: its model, its cells and its optimum."""

    model: PairedModel
    cells: PairCounts
    x: FloatArray

    def scores(self, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Scores of one match of each row, by its strength difference and by the tie parameter."""
        model, cells = self.model, self.cells
        d, t = model.differences(self.x), model.tie(self.x)
        each = np.where(weight > 0, weight, 1.0)
        by_d = curvature(d, t, cells, model.ties).d / each
        if model.ties == "half":
            return by_d, np.zeros_like(by_d)
        win, loss, tie = (score for _, score in outcome_scores(d, t, model.ties))
        return by_d, (cells.wins * win + cells.losses * loss + cells.ties * tie) / each


def change_covariances(matches: Matches, plain: BradleyTerry, controlled: BradleyTerry) -> tuple[FloatArray, ...]:
    """Covariance of controlled less plain ratings, where both were fitted to these matches; then its floors.

    The variance of an agent's change is the largest that any of them gives: that of groups of all columns, of each
    column alone, of their finest combination, of matches. A prior on ratings is the same in both fits: what it does not
    know about the ratings is one draw for both.
    """
    fits = _row_fit(matches, controlled), _row_fit(matches, plain)
    columns = () if matches.group is None else (matches.group, *matches.crossed.values())
    with one_thread(fits[0].model.size):
        breads = [inverse_information(fit.model, fit.cells, fit.x) for fit in fits]
        independent = _moved(breads, _meat_of_matches(matches.weights, *fits), fits)
        alone = [_by_group(group, fits, breads) for group in columns]
        together, finest = over_combinations(columns, lambda both: _by_sums(both, fits, breads))
    if len(columns) < 2:
        return (*alone, independent)
    return without_negatives(np.sum(alone, axis=0) + together), *alone, finest, independent


_Fits = tuple[_RowFit, _RowFit]


def _by_group(group: Factor, fits: _Fits, breads: Sequence[FloatArray]) -> FloatArray:
    """Covariance of changes by one column of groups, each left out in turn where a few tell most."""
    clusters = [MatchClusters(fit.model, fit.cells, group) for fit in fits]
    if not (are_uneven(clusters[0], fits[0].x) and can_be_left_out(clusters[0])):
        return _by_sums(group, fits, breads)
    n, roots = fits[0].model.agents, [root_of(bread) for bread in breads]
    ways = zip(clusters, fits, roots, strict=True)
    moves = [np.array([(root @ left)[:n] for left, _ in scores_left_out(of, fit.x, root)]) for of, fit, root in ways]
    moved = moves[0] - moves[1]
    prior = _moved(breads, np.zeros((sum(map(len, breads)),) * 2), fits)
    groups = len(group.labels)
    return np.asarray((groups - 1) / groups * (moved.T @ moved) + prior)


def _by_sums(group: Factor, fits: _Fits, breads: Sequence[FloatArray]) -> FloatArray:
    """Covariance of changes from the sums of the scores of both fits, one after the other, over groups."""
    size, parts = fits[0].model.size, []
    for fit, shift in zip(fits, (0, size), strict=True):
        scores = scores_of_cells(MatchClusters(fit.model, fit.cells, group), fit.x)
        parts += [(at + np.int32(shift), value) for at, value in scores]
    groups = len(group.labels)
    meat = products_of_groups(group, size + fits[1].model.size, parts) * groups / max(groups - 1, 1)
    return _moved(breads, meat, fits)


def _moved(breads: Sequence[FloatArray], meat: FloatArray, fits: _Fits) -> FloatArray:
    """Covariance of changes from that of the scores of both fits, to which their priors come."""
    with_covariates, without = (fit.model for fit in fits)
    n, size = with_covariates.agents, with_covariates.size
    meat[np.arange(size), np.arange(size)] += with_covariates.penalties
    meat[np.arange(size, len(meat)), np.arange(size, len(meat))] += without.penalties
    shared = np.arange(n)
    meat[shared, size + shared] += without.precision
    meat[size + shared, shared] += without.precision
    moves = np.hstack([breads[0][:n], -breads[1][:n]])
    cov = moves @ meat @ moves.T
    if not without.precision:
        return np.asarray(cov)
    centred = cov - without.component_means(cov)
    return np.asarray(centred - without.component_means(centred.T).T)


def _row_fit(matches: Matches, fit: BradleyTerry) -> _RowFit:
    """Lay out what was fitted, match by match."""
    named, prior = fit.params["ties"], fit.params["prior"]
    ties: TieModel = "davidson" if named == "davidson" else "rao-kupper" if named == "rao-kupper" else "half"
    precision = 1 / prior**2 if isinstance(prior, float) else 0.0
    model = PairedModel(
        len(matches.agents), matches.a, matches.b, ties, fit.side is not None, np.asarray(fit.component), precision
    )
    x = [fit.rating, _if_there(fit.side)]
    if fit.coefficients is not None and matches.covariates is not None:
        held = fit.params.get("covariate_prior")
        model = replace(
            model,
            covariates=matches.covariates.values / fit.coefficients.scale,
            coefficient_precision=1 / held**2 if isinstance(held, float) else 0.0,
        )
        x.append(fit.coefficients.value)
    x.append(_if_there(fit.tie))
    return _RowFit(model, row_cells(matches), np.concatenate(x))


def _if_there(estimate: Estimate | None) -> FloatArray:
    return np.array([] if estimate is None else [float(estimate)])


def _meat_of_matches(weight: FloatArray, one: _RowFit, other: _RowFit) -> FloatArray:
    """Products over single matches: those of the larger model, of which the smaller has some of the unknowns."""
    big, here = one.model, one.model.coefficients
    kept = np.delete(np.arange(big.size), here)
    scores = (one.scores(weight), other.scores(weight))
    size = big.size + len(kept)
    joint = np.zeros((size, size))
    rows = (np.arange(big.size), np.arange(big.size, size))
    for i, (d1, t1) in enumerate(scores):
        for j, (d2, t2) in enumerate(scores):
            block = big.products(weight * d1 * d2)
            if big.ties != "half":
                both = float(weight @ (t1 * t2))
                block[-1, :], block[:, -1] = big.gather(weight * t1 * d2, both), big.gather(weight * d1 * t2, both)
            joint[np.ix_(rows[i], rows[j])] = (
                block if i == j == 0 else block[kept if i else slice(None)][:, kept if j else slice(None)]
            )
    games = float(weight.sum())
    return joint * games / max(games - 1, 1.0)


def mean_advantage(matches: Matches, fit: BradleyTerry) -> tuple[FloatArray, FloatArray]:
    """What covariates gave each agent in its matches, on average, in log-odds; and its standard error.

    The matches are taken as they are: only the coefficients are uncertain.
    """
    of, columns = fit.coefficients, matches.covariates
    if of is None or columns is None or of.covariance is None:
        raise AssertionError("no covariates were fitted")  # callers fit some
    n, weight = len(matches.agents), matches.weights
    games = np.bincount(matches.a, weight, n) + np.bincount(matches.b, weight, n)
    mean = np.empty((n, len(of.names)))
    for k, column in enumerate(columns.values.T):
        own = weight * column
        mean[:, k] = np.bincount(matches.a, own, n) - np.bincount(matches.b, own, n)
    mean /= np.where(games > 0, games, 1.0)[:, None] * of.scale
    variance = np.einsum("ik,kl,il->i", mean, of.covariance, mean)
    return mean @ of.value, np.sqrt(np.clip(variance, 0, None))


def together_quantile(cov: FloatArray, level: float, degrees: float, rng: np.random.Generator) -> float:
    """Quantile of the largest of |t| over all agents, so that the intervals are simultaneous.

    Changes of many agents follow from few coefficients, so that they go together far more than ratings do.
    """
    stderr = np.sqrt(np.clip(np.diag(cov), 0, None))
    moves = np.flatnonzero(stderr > 1e-9 * max(float(stderr.max()), 1e-300))
    if not len(moves):
        return 0.0
    shape = cov[np.ix_(moves, moves)] / np.outer(stderr[moves], stderr[moves])
    values, vectors = np.linalg.eigh(shape)
    some = values > 1e-10 * values[-1]
    draws = rng.standard_normal((DRAWS, int(some.sum()))) @ (vectors[:, some] * np.sqrt(values[some])).T
    largest = np.abs(draws).max(axis=1)
    if np.isfinite(degrees):
        largest *= np.sqrt(degrees / rng.chisquare(degrees, DRAWS))
    return float(np.quantile(largest, level))
