"""Cluster-robust errors from groups of matches, also where groups are few or uneven.

The sum of a group's scores is one draw. With many groups alike, the outer products of these sums are the variance of
the gradient, and groups less one are its degrees of freedom. Where a few groups hold most of what is known about an
agent, both are too hopeful: the fit follows these groups, so that their sums look small, and they are few draws. There
each group's scores are those that a fit without the group would leave (the jackknife, to first order), and the degrees
of freedom are those of the number of equal groups that would tell as much.

Sums over many small groups of rows, compiled where there are many rows.

References
----------
Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples.
MacKinnon, Nielsen and Webb (2023), Cluster-robust inference: a guide to empirical practice.
Cameron, Gelbach and Miller (2011), Robust inference with multiway clustering.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import scipy

from equipoise.core.compiled import compiled
from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import Codes, Factor
from equipoise.ratings.paired.few_games import PRIOR_DEGREES, known_from_few
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import dense_hessian
from equipoise.ratings.paired.ties import PairCounts, curvature, outcome_scores

LONG = 300_000
"""Rows from which these loops are worth the compiler."""


@compiled(least=LONG)
def outer_products(group: Codes, column: Codes, value: FloatArray, size: int) -> FloatArray:
    """Add up the values of each group by column, and then the outer products of these sums with themselves.

    ``group`` is sorted; ``column`` and ``value`` have a row for each row of it, with several entries.
    """
    total, sums = np.zeros((size, size)), np.zeros(size)
    seen, filled = np.zeros(size, dtype=np.bool_), np.empty(size, dtype=np.int64)
    count = 0
    for row in range(len(group)):
        for part in range(column.shape[1]):
            at = column[row, part]
            if not seen[at]:
                seen[at] = True
                filled[count] = at
                count += 1
            sums[at] += value[row, part]
        if row + 1 == len(group) or group[row + 1] != group[row]:
            for i in range(count):
                for j in range(count):
                    total[filled[i], filled[j]] += sums[filled[i]] * sums[filled[j]]
            for i in range(count):
                sums[filled[i]] = 0.0
                seen[filled[i]] = False
            count = 0
    return total


@compiled(least=LONG)
def squared_sums(group: Codes, column: Codes, value: FloatArray, size: int) -> FloatArray:
    """Add up the values of each group by column; give the sum of these sums and that of their squares, in two rows."""
    result, sums = np.zeros((2, size)), np.zeros(size)
    start = 0
    for row in range(len(group)):
        for part in range(column.shape[1]):
            sums[column[row, part]] += value[row, part]
        if row + 1 == len(group) or group[row + 1] != group[row]:
            for member in range(start, row + 1):
                for part in range(column.shape[1]):
                    at = column[member, part]
                    result[0, at] += sums[at]
                    result[1, at] += sums[at] * sums[at]
                    sums[at] = 0.0
            start = row + 1
    return result


EVEN_SHARE, MANY_GROUPS = 0.85, 20.0
"""Groups count as they are where the equal groups that tell as much about an agent are this share, or this many."""
FEWEST_DEGREES = 0.5
"""Where one group tells nearly all: an interval 200 times as wide as the error."""
MOST_WORK = 2e10
"""Multiplications that leaving out each group may take; above, groups count as they are."""
ALONE = 1e-6
"""How near to 1 the share of one group in a direction must be for nothing else to say anything about it."""
_Part = tuple[Codes, FloatArray]
"""An unknown and a value for each row."""


@dataclass(frozen=True, slots=True, eq=False)
class MatchClusters:
    """The cells of a model, those of each cluster apart: ``group`` says whose each of them is.

    Where clusters are of several columns (voters and prompts), ``crossed`` are the further ones. What a cluster does to
    agents may be of one size for all of them, and independent between them (a run's seed is each agent's own): a column
    of which that is said in ``alike`` has its variance from all agents together, as few runs hardly show it.
    """

    model: PairedModel
    cells: PairCounts
    group: Factor
    crossed: tuple[Factor, ...] = ()
    alike: tuple[bool, ...] = ()
    _alone: "list[MatchClusters]" = field(default_factory=list, init=False)
    _known: dict[bytes, FloatArray] = field(default_factory=dict, init=False)
    """Effective clusters at the ratings that were asked for: errors, degrees of freedom and notes all need them."""

    @property
    def columns(self) -> "tuple[MatchClusters, ...]":
        """The same by each column alone."""
        if not self.crossed:
            return (self,)
        if not self._alone:
            parts = zip(
                (self.group, *self.crossed), (False, *(self.alike or (False,) * len(self.crossed))), strict=True
            )
            self._alone.extend(replace(self, group=factor, crossed=(), alike=(same,)) for factor, same in parts)
        return tuple(self._alone)


def group_scores(clusters: MatchClusters, x: FloatArray) -> "scipy.sparse.csr_array":
    """Give the sum of each group's scores, groups by unknowns."""
    return scipy.sparse.csr_array(_sums_of_groups(clusters.group, clusters.model.size, scores_of_cells(clusters, x)))


def degrees_of_agents(clusters: MatchClusters, x: FloatArray) -> FloatArray:
    """Give the degrees of freedom behind each rating's error: groups less one, or fewer where they are uneven.

    The error of an agent known from few groups is shared with the others' (:mod:`few_games`): it has those of the
    share besides its own, and no more than all games together. Of several columns, whose variances are the largest of
    all, those of all games together count, of the column with the fewest.
    """
    few, degrees = known_from_few(effective_clusters(clusters, x)), []
    for column in clusters.columns:
        groups, effective = len(column.group.labels), effective_clusters(column, x)
        counted = np.where(effective >= _evenly(groups), groups, effective)
        shared = np.minimum(PRIOR_DEGREES + effective[:-1], counted[-1])
        together = 1.0 + (len(few) - 1) * (groups - 1) if any(column.alike) else counted[-1]
        own = np.full(len(few), together) if clusters.crossed else counted[:-1]
        degrees.append(np.maximum(np.where(few, shared, own) - 1.0, FEWEST_DEGREES))
    return np.asarray(np.min(degrees, axis=0))


def _evenly(groups: int) -> float:
    return min(EVEN_SHARE * groups, MANY_GROUPS)


def degrees_of_coefficients(clusters: MatchClusters, x: FloatArray) -> float:
    """Give the degrees of freedom behind the errors of covariates' coefficients: of the least sure of them."""
    degrees = [np.inf]
    for column in clusters.columns:
        effective = _effective_of_coefficients(column, x)
        groups = len(column.group.labels)
        counted = np.where(effective >= _evenly(groups), groups, effective)
        degrees.append(float(np.min(counted, initial=np.inf)) - 1.0)
    return max(min(degrees), FEWEST_DEGREES)


def _effective_of_coefficients(clusters: MatchClusters, x: FloatArray) -> FloatArray:
    """Give the number of equal groups that would tell as much about each covariate's coefficient."""
    model, group = clusters.model, clusters.group
    if model.covariates is None:
        return np.empty(0)
    weight = curvature(model.differences(x), model.tie(x), clusters.cells, model.ties).dd
    known = np.stack([np.bincount(group.codes, weight * column**2) for column in model.covariates.T])
    return np.asarray(known.sum(axis=1) ** 2 / np.square(known).sum(axis=1))


def are_uneven(clusters: MatchClusters, x: FloatArray) -> bool:
    """Tell whether a few groups tell most of what is known about some agent, or about a covariate."""
    known = np.append(effective_clusters(clusters, x), _effective_of_coefficients(clusters, x))
    return bool((known < _evenly(len(clusters.group.labels))).any())


def effective_clusters(clusters: MatchClusters, x: FloatArray) -> FloatArray:
    """Give the number of equal groups that would tell as much about each agent, and last about all of them together.

    Of groups with shares w of an agent's information these are 1 / sum w^2. Of several columns that with the most
    counts: who was judged by many voters is known from many clusters, however few the prompts. They are worked out once
    for the same clusters and ratings.
    """
    if clusters.crossed:
        return np.asarray(np.max([effective_clusters(column, x) for column in clusters.columns], axis=0))
    key = x.tobytes()
    if key not in clusters._known:
        clusters._known.clear()
        clusters._known[key] = _effective_clusters(clusters, x)
    return clusters._known[key]


def _effective_clusters(clusters: MatchClusters, x: FloatArray) -> FloatArray:
    model, group = clusters.model, clusters.group
    groups, n = len(group.labels), model.agents + 1
    weight = curvature(model.differences(x), model.tie(x), clusters.cells, model.ties).dd
    parts = [(model.first, weight), (model.second, weight), (np.full_like(model.first, model.agents), weight)]
    if _many_small(group, n, parts):
        total, squares = np.sum([squared_sums(*piece, n) for piece in _by_group(group, parts)], axis=0)
    else:
        known = _sums_of_groups(group, n, parts)
        total, squares = np.asarray(known.sum(axis=0)).ravel(), np.asarray((known * known).sum(axis=0)).ravel()
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(squares > 0, total**2 / squares, groups))


def crossed_covariances(clusters: MatchClusters, x: FloatArray, bread: FloatArray) -> list[FloatArray]:
    """Give the covariance for clusters of several columns, and those that no contrast may fall below.

    The first is the inclusion and exclusion of the columns' covariances J_c and of those of their combinations V
    (Cameron, Gelbach and Miller 2011), J_1 + J_2 - V_12 for two, without its negative eigenvalues. Its subtraction is
    noisy: the variance of a contrast is the largest that it, any J_c or V of the finest combination gives.
    """
    columns = clusters.columns
    alone = [clustered_covariance(column, x, bread, uneven=are_uneven(column, x)) for column in columns]
    pairs = zip(alone, columns, strict=True)
    alone = [_of_one_size(each, column) if any(column.alike) else each for each, column in pairs]
    together, finest = over_combinations(
        [column.group for column in columns],
        lambda both: clustered_covariance(replace(clusters, group=both, crossed=()), x, bread, uneven=False),
    )
    return [without_negatives(np.sum(alone, axis=0) + together), *alone, finest]


def _of_one_size(covariance: FloatArray, clusters: MatchClusters) -> FloatArray:
    """Give agents' ratings the mean variance of theirs, about their own mean."""
    agents = clusters.model.agents
    ratings = covariance[:agents, :agents]
    size = (np.trace(ratings) - ratings.sum() / agents) / (agents - 1)
    alike = covariance.copy()
    alike[:agents, :agents] = size * (np.eye(agents) - 1.0 / agents)
    return np.asarray(alike)


def over_combinations(
    columns: Sequence[Factor], variance: Callable[[Factor], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Add up, with their signs, the variances of clusters of two columns and more; and give that of the finest."""
    total, finest = np.zeros(()), np.zeros(())
    for size in range(2, len(columns) + 1):
        for some in combinations(columns, size):
            finest = variance(Factor.crossed(some))
            total = total + (-1) ** (size + 1) * finest
    return total, finest


def without_negatives(covariance: FloatArray) -> FloatArray:
    """Set the negative eigenvalues to zero, which a difference of covariances may have."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.asarray(vectors * np.clip(values, 0.0, None) @ vectors.T)


def clustered_covariance(clusters: MatchClusters, x: FloatArray, bread: FloatArray, *, uneven: bool) -> FloatArray:
    """Give the sandwich of all unknowns from sums over groups; leave groups out one by one where they are uneven."""
    model, group = clusters.model, clusters.group
    groups, scores = len(group.labels), scores_of_cells(clusters, x)
    if not (uneven and can_be_left_out(clusters)):
        meat = products_of_groups(group, model.size, scores) * groups / max(groups - 1, 1)
        return bread @ _with_prior(model, meat) @ bread
    root, meat = root_of(bread), np.zeros_like(bread)
    for left, alone in scores_left_out(clusters, x, root):
        meat += (groups - 1) / groups * np.outer(left, left) + alone @ alone.T
    return np.asarray(root @ (meat + root @ _with_prior(model, np.zeros_like(bread)) @ root) @ root)


def root_of(covariance: FloatArray) -> FloatArray:
    """Give the symmetric square root."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.clip(values, 0, None)) @ vectors.T)


def can_be_left_out(clusters: MatchClusters) -> bool:
    """Whether a fit without each group in turn is within reach."""
    return len(clusters.group.labels) * float(clusters.model.size) ** 3 <= MOST_WORK


def scores_left_out(
    clusters: MatchClusters, x: FloatArray, root: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Give, group by group, the scores that a fit without it would leave in it, in units of the errors.

    ``root`` is the square root of the inverse information. What only one group says anything about has no such score:
    these directions come second, and their variance is that of independent games.
    """
    model, cells, group = clusters.model, clusters.cells, clusters.group
    sums = _sums_of_groups(group, model.size, scores_of_cells(clusters, x))
    order = np.argsort(group.codes, kind="stable")
    ends = np.cumsum(np.bincount(group.codes, minlength=len(group.labels)))[:-1]
    for k, rows in enumerate(np.split(order, ends)):
        if not len(rows):
            continue
        some = PairCounts(cells.wins[rows], cells.losses[rows], cells.ties[rows])
        part = model.take(rows)
        own = dense_hessian(part, curvature(part.differences(x), part.tie(x), some, part.ties))
        share, directions = np.linalg.eigh(root @ own @ root)
        alone = share > 1 - ALONE
        score = directions.T @ (root @ _dense(sums[[k]]).ravel())
        yield directions @ np.where(alone, 0.0, score / np.where(alone, 1.0, 1 - share)), directions[:, alone]


def _with_prior(model: PairedModel, meat: FloatArray) -> FloatArray:
    meat[np.arange(model.size), np.arange(model.size)] += model.penalties
    return meat


def scores_of_cells(clusters: MatchClusters, x: FloatArray) -> Sequence[_Part]:
    """Scores of the cells, and the unknowns that they are scores of."""
    model, cells = clusters.model, clusters.cells
    d, t = model.differences(x), model.tie(x)
    by_d = curvature(d, t, cells, model.ties).d
    parts = [(model.first, by_d), (model.second, -by_d)]
    if model.side:
        parts.append((np.full_like(model.first, model.agents), by_d))
    if model.covariates is not None:
        columns = zip(range(model.coefficients.start, model.coefficients.stop), model.covariates.T, strict=True)
        parts += [(np.full_like(model.first, unknown), by_d * column) for unknown, column in columns]
    if model.ties != "half":
        win, loss, tie = (score for _, score in outcome_scores(d, t, model.ties))
        by_t = cells.wins * win + cells.losses * loss + cells.ties * tie
        parts.append((np.full_like(model.first, model.size - 1), by_t))
    return parts


def products_of_groups(group: Factor, columns: int, parts: Sequence[_Part]) -> FloatArray:
    """Add up the outer products of the sums of each group."""
    if _many_small(group, columns, parts):
        return np.asarray(sum(outer_products(*piece, columns) for piece in _by_group(group, parts)))
    sums = _sums_of_groups(group, columns, parts)
    return _dense(sums.T @ sums)


def _many_small(group: Factor, columns: int, parts: Sequence[_Part]) -> bool:
    """Whether a table of groups by columns would be long and mostly empty."""
    return len(group.codes) >= LONG and len(group.labels) * columns > len(parts) * len(group.codes)


def _by_group(group: Factor, parts: Sequence[_Part]) -> Iterator[tuple[Codes, Codes, FloatArray]]:
    """Give groups in their order, some whole groups at a time, with the columns and values of each row."""
    codes, order = group.codes, None
    if (codes[1:] < codes[:-1]).any():
        order = np.argsort(codes, kind="stable")
        codes = codes[order]
    ends = np.append(np.flatnonzero(codes[1:] != codes[:-1]) + 1, len(codes))
    start = 0
    while start < len(codes):
        end = int(ends[np.searchsorted(ends, min(start + max(LONG, 1), len(codes)))])
        end = end if len(codes) - end >= LONG else len(codes)  # the compiler is for many rows, also at the end
        rows = slice(start, end) if order is None else order[start:end]
        column = np.stack([part[rows] for part, _ in parts], axis=1)
        yield codes[start:end], column, np.stack([part[rows] for _, part in parts], axis=1)
        start = end


def _sums_of_groups(group: Factor, columns: int, parts: Sequence[_Part]) -> "FloatArray | scipy.sparse.csr_array":
    """Sum values by group and column; as a plain table where it is no larger than the rows summed, else sparse."""
    shape = (len(group.labels), columns)
    if shape[0] * columns <= len(parts) * len(group.codes):
        start, table = group.codes.astype(np.int64) * columns, np.zeros(shape[0] * columns)
        for column, values in parts:
            table += np.bincount(start + column, values, len(table))
        return table.reshape(shape)
    entries = (
        np.concatenate([values for _, values in parts]),
        (np.tile(group.codes, len(parts)), np.concatenate([column for column, _ in parts])),
    )
    return scipy.sparse.coo_array(entries, shape=shape).tocsr()


def _dense(matrix: "FloatArray | scipy.sparse.csr_array") -> FloatArray:
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())
