"""Boards by category: each category's own games, partially pooled with what agents do elsewhere."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import ColumnError, DataError, DisconnectedError, did_you_mean, some_of
from equipoise.core.options import generator, number, positive
from equipoise.core.results import Estimate, Fit, FloatArray, Interval, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.inference.ranks import Ranks, rank_intervals
from equipoise.inference.threads import one_thread
from equipoise.ratings.categories.between_sd import (
    FEWEST_DEGREES,
    CategoryPosterior,
    Stretch,
    given_spread,
    group_stretches,
    over_spreads,
)
from equipoise.ratings.categories.model import Category, CategoryModel
from equipoise.ratings.categories.result import CategoryBoards
from equipoise.ratings.paired.existence import connections
from equipoise.ratings.paired.ill_posed import refuse_bad_side, refuse_components, usable_prior
from equipoise.ratings.paired.ties import PairCounts
from equipoise.ratings.population.population import AVERAGE, stretched

MOST_CATEGORIES, MOST_AGENTS = 200, 1000
"""Above these nobody reads the boards, and blocks take too long."""
NO_SPREAD = 1e-4
"""What stands for no spread at all: a fiftieth of an Elo point."""
MOST_SPREAD = 1e3
TRIAL = 0.3
"""Spread of the fit from which it is seen how much scores vary."""
LEAST_DISPERSION = 0.2
LITTLE, FEW_GAMES = 0.1, 5.0
"""A slice says nothing where it takes away less than this share of what is unknown, or has so few games an agent."""


@method(
    takes="matches",
    answers="Who is better in each category, and who is special where?",
    reference="Bradley and Terry (1952); partial pooling as in Gelman (2006)",
    checks={"prior": positive(none=True), "tau": number(0.0, MOST_SPREAD, none=True)},
    resampled="its ratings are a table of agents by categories",
)
def categories(
    data: Matches,
    *,
    by: str = "task",
    side: bool = False,
    prior: float | None = None,
    tau: float | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> CategoryBoards:
    r"""Who is better in each category, and who is special where? A board a category, with partial pooling.

    .. math:: P(a \text{ beats } b \text{ in } c) = \sigma(r_{ac} - r_{bc} + g), \qquad r_{ac} = r_a + d_{ac}, \qquad
        d_{ac} \sim N(0, \tau^2)

    A category with many games speaks for itself; one with few leans on what the agents do elsewhere, as far as
    categories were found to differ (:math:`\tau`). With :math:`\tau = 0` all boards are one, with :math:`\tau \to
    \infty` each category is rated apart. A tie is half a win.

    Parameters
    ----------
    data
        Matches with the categories as a label (``read_matches(..., labels=["language"])``) or as their task.
    by
        Name of the label; ``task`` for the matches' tasks.
    side
        Estimate the advantage g of the first-named side, the same in all categories.
    prior
        Standard deviation, in log-odds, of an independent normal prior on each overall rating; None for none.
    tau
        Standard deviation of the categories' effects, in log-odds, where it is to be taken for known; None estimates
        it by its marginal likelihood (Laplace) and averages over what remains unknown of it.
    level
        Of the intervals.
    rng
        Seed or generator for the simulated quantiles of the simultaneous rank intervals.

    Returns
    -------
    CategoryBoards
        Ratings by category and overall, what categories add, who is special where, diagnostics.

    Notes
    -----
    Intervals are posterior ones: right on average over categories whose effects spread like these. The overall rating
    is the mean over these very categories, not over others that might come. Rank intervals are simultaneous within a
    board; who is special where holds for all agents and categories together (Bonferroni). Where matches have a group,
    intervals are stretched to the spread between groups, never narrowed; tau itself takes games for independent, so
    that what groups within a category have in common counts as the category's: tau is then rather too large.

    Fails when
        there is no such label, fewer than two categories, more than 200, or nearly every match has its own; groups of
        agents never met in any category (:class:`DisconnectedError`). An agent that is undefeated or winless overall
        gets a weak prior, which is said (``no-finite-mle``).

    References
    ----------
    Bradley and Terry (1952), Rank analysis of incomplete block designs; Gelman (2006), Prior distributions for variance
    parameters in hierarchical models; Chung et al. (2013) on estimates of a spread that may be 0.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns(
    ...     "xxyxxy" * 9, "yyxyyx" * 9, [1, 1, 0, 0, 1, 1] * 9, task=["sums"] * 27 + ["maps"] * 27
    ... )
    >>> boards = eq.categories(m)
    >>> boards.categories, boards.rating.shape
    (('sums', 'maps'), (2, 2))
    """
    category, matches, notes = _categories(data, by)
    table = _by_category(matches, category, side)
    pooled = table.pooled()
    cells = PairCounts(pooled.wins, pooled.losses, pooled.ties, pooled.shared)
    met = connections(len(table.agents), pooled.first, pooled.second, cells)
    try:
        notes += refuse_components(pooled, met, prior, "refuse")
    except DisconnectedError as error:
        raise DisconnectedError(*error.words, advice=[Advice("give a ", Option("prior"))]) from None
    if side:
        refuse_bad_side(pooled, cells, "half", prior)
    sd, prior_notes = usable_prior(pooled, cells, met, ties="half", side=side, prior=prior)
    notes += prior_notes
    model = CategoryModel(len(table.agents), _blocks(table, len(category.labels)), side, 0.0 if sd is None else sd**-2)
    with one_thread(len(table.agents)):
        dispersion = _dispersion(model, table)
        model = replace(model, categories=[_counting(each, dispersion) for each in model.categories])
        posterior = over_spreads(model, level) if tau is None else given_spread(model, max(tau, NO_SPREAD), tau)
        stretch: Stretch = (np.ones(1), np.ones(1))
        if matches.group is not None:
            stretch, degrees = group_stretches(matches, category, model, posterior.best, dispersion, level)
            notes += _group_notes(category, degrees, tau)
        params = frozen_params(by=by, side=side, prior=sd, tau=tau, level=level)
        boards = _result(matches, category, by, posterior, stretch, tau, level, rng)
    notes += _slice_notes(boards)
    return replace(boards, params=params, dispersion=dispersion, diagnostics=(*data.diagnostics, *notes))


def _categories(data: Matches, by: str) -> tuple[Factor, Matches, tuple[Diagnostic, ...]]:
    """Find the categories; matches without one are left out and counted."""
    there = ({} if data.task is None else {"task": data.task}) | dict(data.labels)
    if by not in there:
        known = f"; there are {some_of(there)}" if there else ""
        raise ColumnError(
            Option("by"), f': these matches have no label "{by}"{did_you_mean(by, list(there))}{known}',
            advice=[] if there else [Advice("keep one with read_matches(..., labels=[...])")],
        )  # fmt: skip
    kept = there[by]
    notes: tuple[Diagnostic, ...] = ()
    if "" in kept.labels:
        rows = np.flatnonzero(kept.codes != kept.labels.index(""))
        lost = len(data) - len(rows)
        if lost:
            words = f"{lost:,} of {len(data):,} matches have no {by} and were left out."
            notes = (warning("no-category", words),)
            data, kept = data.take(rows), Factor(kept.labels, kept.codes[rows])
    used, codes = np.unique(kept.codes, return_inverse=True)
    names = np.array(kept.labels, dtype=object)[used]
    if len(names) < 2:
        what = "only one category" if len(names) else "no category"
        raise DataError(f"{what} of {by}: there is nothing to compare; rate the matches with bradley_terry")
    if len(names) > MOST_CATEGORIES or (len(names) > 20 and 2 * len(names) > len(data)):
        raise DataError(
            f"{by} has {len(names):,} different values in {len(data):,} matches: put them into at most"
            f" {MOST_CATEGORIES} categories first (months of dates, ranges of numbers)"
        )
    if len(data.agents) > MOST_AGENTS:
        raise DataError(f"boards by category are for up to {MOST_AGENTS:,} agents, these are {len(data.agents):,}")
    return Factor(tuple(names), codes.astype(np.int32)), data, notes


def _by_category(matches: Matches, category: Factor, side: bool) -> PairTable:
    """Count results of each pair in each category, which is all that is needed of the games."""
    first, second, score = matches.a, matches.b, matches.outcome
    if not side:
        swap = first > second
        first, second = np.where(swap, second, first), np.where(swap, first, second)
        score = np.where(swap, 1 - score, score)
    return PairTable.from_outcomes(matches.agents, first, second, score, matches.weight, group=category)


def _blocks(table: PairTable, count: int) -> list[Category]:
    assert table.group is not None
    blocks = []
    for c in range(count):
        rows = np.flatnonzero(table.group.codes == c)
        who, place = np.unique(np.concatenate([table.first[rows], table.second[rows]]), return_inverse=True)
        first, second = np.split(place, 2)
        cells = PairCounts(table.wins[rows], table.losses[rows], table.ties[rows])
        blocks.append(Category(who.astype(np.int64), first, second, cells))
    return blocks


def _counting(category: Category, dispersion: float) -> Category:
    """Count games by as much as they tell."""
    if dispersion == 1:
        return category
    cells = category.cells
    return replace(
        category, cells=PairCounts(cells.wins / dispersion, cells.losses / dispersion, cells.ties / dispersion)
    )


def _dispersion(model: CategoryModel, table: PairTable) -> float:
    """Give the variance of scores beside that of games won and lost: a tie, or a score of 0.7, varies less."""
    less = float(table.ties.sum()) / 4 + (0.0 if table.shared is None else float(table.shared.sum()))
    if less == 0:
        return 1.0
    fit = model.fit(TRIAL)
    whole = 0.0
    for c, category in enumerate(model.categories):
        chance = scipy.special.expit(model.differences(fit.theta, fit.overall, c))
        games = category.cells.wins + category.cells.losses + category.cells.ties
        whole += float(games @ (chance * (1 - chance)))
    return float(np.clip(1 - less / whole, LEAST_DISPERSION, 1.0))


def _result(
    matches: Matches,
    category: Factor,
    by: str,
    posterior: CategoryPosterior,
    stretch: Stretch,
    tau: float | None,
    level: float,
    rng: int | np.random.Generator,
) -> CategoryBoards:
    mean, difference = posterior.mean("mean"), posterior.mean("difference")
    low, high = posterior.interval("mean", "variance", level, stretch[0])
    games = _games(matches, category)
    cells = int(np.count_nonzero(games))
    ends = posterior.interval("difference", "difference_variance", level, stretch[1])
    surely = posterior.interval("difference", "difference_variance", 1 - (1 - level) / cells, stretch[1])
    special = np.where(surely[0] > 0, 1, np.where(surely[1] < 0, -1, 0))
    told = _told(posterior, stretch[1])
    if tau == 0:
        difference, ends, told = (0 * difference, (0 * difference, 0 * difference), 0 * told)
    if tau == 0 or len(matches.agents) == 1:
        special = 0 * special
    draws = generator(rng)
    ranks = [_ranks(row, posterior.covariance[k], low[k], high[k], level, draws) for k, row in enumerate(mean)]
    grouped = " (stretched to groups)" if matches.group is not None else ""
    best = posterior.best
    return CategoryBoards(
        agents=matches.agents, by=by, categories=category.labels, rating=frozen(mean[:-1].T),
        low=frozen(low[:-1].T), high=frozen(high[:-1].T), difference=frozen(difference.T),
        difference_low=frozen(ends[0].T), difference_high=frozen(ends[1].T), special=frozen(special.T),
        told=frozen(told.T),
        overall=frozen(mean[-1]), overall_low=frozen(low[-1]), overall_high=frozen(high[-1]),
        games=frozen(games), tau=posterior.tau, shown=posterior.shown, dispersion=1.0,
        interval=Interval(f"posterior{grouped}", level), ranks=tuple(ranks[:-1]), overall_ranks=ranks[-1],
        log_likelihood=best.log_likelihood, fit=Fit(True, best.steps, float(np.sqrt(max(best.decrement, 0.0)))),
        side=_side(posterior, level),
    )  # fmt: skip


def _games(matches: Matches, category: Factor) -> FloatArray:
    n, count = len(matches.agents), len(category.labels)
    return np.asarray(
        sum(
            np.bincount(side.astype(np.int64) * count + category.codes, matches.weights, n * count)
            for side in (matches.a, matches.b)
        )
    ).reshape(n, count)


def _told(posterior: CategoryPosterior, stretch: FloatArray) -> FloatArray:
    """Give the share of a difference's variance before the games that they took away."""
    categories, agents = posterior.mean("difference").shape
    before = posterior.weight[AVERAGE] @ posterior.spread**2 * (1 - 1 / categories) * (1 - 1 / agents)
    after = posterior.variance("difference", "difference_variance") * np.square(stretch)
    return np.asarray(np.clip(1 - after / max(before, 1e-300), 0, 1))


def _ranks(
    rating: FloatArray,
    covariance: FloatArray,
    low: FloatArray,
    high: FloatArray,
    level: float,
    draws: np.random.Generator,
) -> Ranks:
    """Give rank intervals from the posterior, stretched to the intervals, when they are first asked for."""
    seed = int(draws.integers(2**63))
    return Ranks(
        lambda: rank_intervals(
            rating, stretched(covariance, high - low, level), level, None, np.random.default_rng(seed)
        )
    )


def _side(posterior: CategoryPosterior, level: float) -> Estimate | None:
    parts = [each.side for each in posterior.moments]
    if not len(parts[0]):
        return None
    mean, variance = (float(posterior.weight[AVERAGE] @ [part[k] for part in parts]) for k in (0, 1))
    reach = float(scipy.special.ndtri(0.5 + level / 2)) * np.sqrt(variance)
    return Estimate(mean, np.sqrt(variance), mean - reach, mean + reach)


def _group_notes(category: Factor, degrees: FloatArray, tau: float | None) -> tuple[Diagnostic, ...]:
    few = [name for name, row in zip(category.labels, degrees, strict=False) if np.median(row) <= FEWEST_DEGREES]
    notes: list[Diagnostic] = []
    if tau is None:
        message = (
            "Intervals are as wide as groups differ; tau takes games for independent: what groups of one category have"
            " in common counts as the category's, and boards are then pooled too little rather than too much."
        )
        notes.append(info("tau-and-groups", message))
    if few:
        message = f"Fewer than five groups tell of most agents in {some_of(few)}: intervals there are rough."
        notes.append(warning("few-groups", message, few))
    return tuple(notes)


def _slice_notes(boards: CategoryBoards) -> tuple[Diagnostic, ...]:
    """Name categories that say nothing of their own, and those in which agents never played."""
    played = boards.games > 0
    notes: list[Diagnostic] = []
    each = boards.games.sum(axis=0) / np.maximum(played.sum(axis=0), 1)
    little = [_mean(boards.told[played[:, c], c]) < LITTLE for c in range(len(boards.categories))]
    small = [
        name
        for name, games, nothing in zip(boards.categories, each, little, strict=True)
        if games < FEW_GAMES or (nothing and boards.shown)
    ]
    if small and boards.params.get("tau") != 0:
        message = (
            f"Too few games to say anything of their own: {some_of(small)}."
            " These boards are the overall one, less sure."
        )
        notes.append(warning("small-slices", message, small))
    absent = [name for name, there in zip(boards.categories, played.T, strict=True) if not there.all()]
    if absent:
        missing = int((~played).sum())
        message = (
            f"{missing:,} ratings are of agents in categories where they never played ({some_of(absent)}): they are the"
            " overall ratings, give or take what categories do."
        )
        notes.append(info("absent-agents", message, absent))
    return tuple(notes)


def _mean(values: Sequence[float] | FloatArray) -> float:
    return float(np.mean(values)) if len(values) else 0.0
