"""Bradley-Terry ratings: batch Elo, with intervals."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import ParameterError
from equipoise.core.options import generator, positive
from equipoise.core.results import Estimate, Fit, FloatArray, Interval, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.data.types.matches import RUNS, Matches
from equipoise.data.types.pairs import PairTable
from equipoise.inference.ranks import (
    Ranks,
    rank_intervals,
    rank_intervals_from_variances,
    two_sided_quantiles,
)
from equipoise.ratings.covariates.covariates import (
    Asked,
    Coefficients,
    Controlled,
    asked_covariates,
    fit_with_covariates,
)
from equipoise.ratings.paired.clustered_errors import (
    MatchClusters,
    degrees_of_agents,
    degrees_of_coefficients,
    effective_clusters,
)
from equipoise.ratings.paired.errors import ErrorKind, approximate_variances, covariance
from equipoise.ratings.paired.existence import connections
from equipoise.ratings.paired.few_games import provisional_agents, provisional_note
from equipoise.ratings.paired.ill_posed import (
    adaptive_notes,
    refuse_bad_side,
    refuse_components,
    uneven_groups,
    usable_errors,
    usable_prior,
    usable_ties,
    without_found_clusters,
)
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import DENSE, Solution, bradley_terry_newton
from equipoise.ratings.paired.result import RANDOM_EFFECTS, BradleyTerry
from equipoise.ratings.paired.ties import PairCounts, TieModel

Pairing = Literal["fixed", "adaptive"]
"""Whether who met whom may have depended on results."""


@method(
    takes=("matches", "pairs"),
    answers="Who is better, how sure are we, and how large is the first-position advantage?",
    reference="Bradley and Terry (1952); Davidson (1970); Rao and Kupper (1967)",
    checks={"prior": positive(none=True), "covariate_prior": positive(none=True)},
    rates=True,
    by_match=("covariates",),
    renamed={"islands": "components"},
    synonyms={"position": "side"},
)
def bradley_terry(
    data: Matches | PairTable,
    *,
    ties: TieModel = "half",
    side: bool = False,
    prior: float | None = None,
    errors: Literal["sandwich", "information"] = "sandwich",
    components: Literal["refuse", "each"] = "refuse",
    pairing: Pairing = "fixed",
    covariates: Asked = None,
    covariate_prior: float | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> BradleyTerry:
    r"""Who is better, and how sure are we? Maximum likelihood on pair counts.

    .. math:: P(i \text{ beats } j) = \sigma(r_i - r_j + g + \textstyle\sum_k \beta_k z_k), \qquad \sum_i r_i = 0

    Parameters
    ----------
    data
        Matches or pair counts. Matches with a ``group`` get errors clustered by it.
    ties
        ``half`` a win each, or the ``davidson`` or ``rao-kupper`` model with a parameter for ties.
    side
        Estimate the advantage g of the first-named side (first move, home, left).
    prior
        Standard deviation, in log-odds, of an independent normal prior on each rating; None for none.
    errors
        ``sandwich`` (right even if the model is not, and for half-win ties) or observed ``information``.
        With a prior: the posterior's, or the sandwich where matches have groups.
    components
        What to do with agents that never met, even indirectly: ``refuse``, or rate connected components
        apart with ``each``.
    pairing
        ``fixed``: who met whom did not depend on results. ``adaptive``: it may have (Swiss rounds, the winner stays, a
        planner), and plain intervals would be too narrow. Agents then count as drawn from a population whose spread
        is estimated and averaged over; its likelihood does not depend on how pairs were chosen. Intervals are right on
        average over agents like these, not for one fixed agent. Ratings are partially pooled where games are few.
    covariates
        What else may decide a match, and is to be controlled for: names of the matches' covariates (``read_matches(...,
        covariates=["length"])``, ``Matches.with_covariates``), or columns by name. Ratings are then those of sides
        that are equal in them; ``coefficients`` says what each is worth.
    covariate_prior
        Standard deviation, in log-odds for one unit, of an independent normal prior on each coefficient; None for none.
    level
        Of the intervals.
    rng
        Seed or generator for the simulated quantile of the simultaneous rank intervals.

    Returns
    -------
    BradleyTerry
        Ratings, intervals, simultaneous rank intervals, diagnostics.

    Fails when
        agents are not connected by games (:class:`DisconnectedError`); strength explains a first-position advantage as
        well. Where an agent is undefeated or winless, or wins and ties fit ever better as strengths and the tie
        parameter grow together, no finite estimate exists: a weak prior is used and said (``no-finite-mle``).
        ``adaptive`` goes without a prior, without groups and without covariates, up to 1,000 agents. A covariate that
        strengths explain as well, or that separates wins from losses, is refused by name.

    References
    ----------
    Zermelo (1929); Bradley and Terry (1952), Rank analysis of incomplete block designs; for adaptive pairing Gelman
    (2006) and Chung et al. (2013) on the spread of a population.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("xxxy", "yyyz", [1, 1, 0, 0.5])
    >>> eq.bradley_terry(m).rating.round(3).tolist()
    [0.462, -0.231, -0.231]
    """
    rows = asked_covariates(data, covariates)
    table = data if isinstance(data, PairTable) else data.pairs(by_group=data.group is not None)
    grouped = table = without_found_clusters(table) if pairing == "adaptive" else table
    if not side and 4 * len(table.first) > len(table.agents) ** 2:
        table = table.unordered()  # most pairs met both ways round, which says nothing here: half the cells do
    elif table.group is not None:
        table = table.pooled()  # groups say how sure the ratings are, not what they are
    cells = PairCounts(table.wins, table.losses, table.ties, table.shared)
    notes = list(table.diagnostics)
    met = connections(len(table.agents), table.first, table.second, cells)
    component_notes = refuse_components(table, met, prior, components)
    ties, tie_notes = usable_ties(ties, cells)
    if side:
        refuse_bad_side(table, cells, ties, prior)
    compared = met.components if components == "each" else np.zeros(len(table.agents), dtype=np.int64)
    if pairing == "adaptive":
        _refuse_adaptive_covariates(rows)
        pairing_notes = adaptive_notes(grouped, cells, prior, ties)
        notes += (*component_notes, *tie_notes, *pairing_notes)
        model = PairedModel(len(table.agents), table.first, table.second, ties, side, compared)
        params = frozen_params(
            ties=ties, side=side, prior=None, errors=errors, components=components, pairing=pairing, level=level
        )
        return replace(_adaptive(table, model, cells, level, rng), params=params, diagnostics=tuple(notes))
    sd, prior_notes = usable_prior(table, cells, met, ties=ties, side=side, prior=prior)
    model = PairedModel(
        len(table.agents), table.first, table.second, ties, side, compared, 0.0 if sd is None else 1 / sd**2
    )
    solution = bradley_terry_newton(model, cells)
    controlled = None if rows is None else fit_with_covariates(rows, model, solution.x, covariate_prior)
    if controlled is not None:
        model, cells, solution = controlled.model, controlled.cells, controlled.solution
    kind, error_notes = usable_errors(grouped, errors, sd)
    params = frozen_params(
        ties=ties, side=side, prior=sd, errors=errors, components=components, pairing=pairing, level=level
    )
    if controlled is not None:
        params = frozen_params(**params, covariates=controlled.names, covariate_prior=covariate_prior)
    clusters = _clusters(grouped if rows is None else rows, model, cells) if kind == "sandwich" else None
    freedom = np.full(model.agents, np.inf) if clusters is None else degrees_of_agents(clusters, solution.x)
    error_notes += uneven_groups(grouped, freedom)
    notes += (*component_notes, *tie_notes, *prior_notes, *error_notes, *_convergence_notes(solution.fit))
    played = table.games_of_agents()
    known = np.append(played, played.sum()) if clusters is None else effective_clusters(clusters, solution.x)
    aside = provisional_agents(known if table.counted else np.full(model.agents + 1, np.inf))
    notes += provisional_note(table.agents, aside, clusters is not None)
    fitted = _FittedPairs(table, model, cells, solution, kind, level, rng, freedom, clusters, controlled, aside)
    return replace(_result(fitted), params=params, diagnostics=tuple(notes))


def _refuse_adaptive_covariates(rows: Matches | None) -> None:
    if rows is not None:
        raise ParameterError(Option("covariates"), " do not go with ", Option("pairing", "adaptive"))


def _clusters(table: PairTable | Matches, model: PairedModel, cells: PairCounts) -> MatchClusters | None:
    """Give the cells of each group apart, where there are groups."""
    if table.group is None:
        return None
    alike = tuple(name == RUNS for name in table.crossed)
    if isinstance(table, Matches):
        return MatchClusters(model, cells, table.group, tuple(table.crossed.values()), alike)
    apart = replace(model, first=table.first, second=table.second)
    cells = PairCounts(table.wins, table.losses, table.ties, table.shared)
    return MatchClusters(apart, cells, table.group, tuple(table.crossed.values()), alike)


def _adaptive(
    table: PairTable, model: PairedModel, cells: PairCounts, level: float, rng: int | np.random.Generator
) -> BradleyTerry:
    """Rate agents paired adaptively, as members of a population."""
    from equipoise.ratings.population.population import population_ratings

    solution, n = population_ratings(model, cells, level, rng, model.components), model.agents
    stderr, games = np.sqrt(np.diag(solution.covariance)), table.games_of_agents()
    extra = iter(
        [
            Estimate(solution.value[k], stderr[k], solution.low[k], solution.high[k])
            for k in range(n, len(solution.value))
        ]
    )
    return BradleyTerry(
        agents=table.agents, rating=frozen(solution.value[:n]), stderr=frozen(stderr[:n]), low=frozen(solution.low[:n]),
        high=frozen(solution.high[:n]), ranks=solution.ranks,
        games=frozen(games), win_rate=frozen(table.scores_of_agents() / np.where(games > 0, games, np.nan)),
        component=frozen(model.components), interval=Interval(RANDOM_EFFECTS, level),
        log_likelihood=solution.log_likelihood,
        side=next(extra) if model.side else None, tie=next(extra) if model.ties != "half" else None,
        covariance=frozen(solution.covariance[:n, :n]), fit=solution.fit,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _FittedPairs:
    """A fit with all that its uncertainty depends on."""

    table: PairTable
    model: PairedModel
    cells: PairCounts
    solution: Solution
    kind: ErrorKind
    level: float
    rng: int | np.random.Generator
    degrees: FloatArray
    clusters: MatchClusters | None
    controlled: Controlled | None
    provisional: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Uncertainty:
    """Standard errors of all unknowns, and the covariance where it is known; floors as in the result."""

    stderr: FloatArray
    covariance: FloatArray | None
    floors: tuple[FloatArray, ...] = ()


def _result(fitted: _FittedPairs) -> BradleyTerry:
    table, n = fitted.table, fitted.model.agents
    rating = fitted.solution.x[:n]
    uncertainty = _uncertainty(fitted) if table.counted else None
    cov = None if uncertainty is None else uncertainty.covariance
    stderr = None if uncertainty is None else uncertainty.stderr[:n]
    reach = None if stderr is None else two_sided_quantiles(fitted.level, fitted.degrees) * stderr
    games, scores = table.tallies()
    played = np.where(games > 0, games, np.nan)
    extra = iter(_extra_parameters(fitted, uncertainty))
    return BradleyTerry(
        agents=table.agents, rating=frozen(rating), stderr=None if stderr is None else frozen(stderr),
        low=None if reach is None else frozen(rating - reach), high=None if reach is None else frozen(rating + reach),
        ranks=_ranks(fitted, rating, uncertainty),
        games=frozen(games if table.counted else np.full(n, np.nan)),
        win_rate=frozen(scores / played),
        component=frozen(fitted.model.components), provisional=frozen(fitted.provisional),
        interval=_interval(fitted, cov), log_likelihood=fitted.solution.objective,
        side=next(extra) if fitted.model.side else None,
        coefficients=_coefficients(fitted, extra, cov),
        tie=next(extra) if fitted.model.ties != "half" else None,
        covariance=None if cov is None else frozen(cov[:n, :n]), degrees=_one_or_each(fitted.degrees),
        floors=() if uncertainty is None else tuple(frozen(floor[:n, :n]) for floor in uncertainty.floors),
        fit=fitted.solution.fit,
    )  # fmt: skip


def _coefficients(fitted: _FittedPairs, extra: Iterator[Estimate], cov: FloatArray | None) -> Coefficients | None:
    controlled, here = fitted.controlled, fitted.model.coefficients
    if controlled is None:
        return None
    each = [next(extra) for _ in controlled.names]
    value, stderr, low, high = np.array([(one, one.stderr, one.low, one.high) for one in each]).T
    value, stderr, low, high = map(frozen, (value, stderr, low, high))
    between = None if cov is None else frozen(cov[here, here])
    degrees = _degrees_of_extra(fitted)[here].min()
    return Coefficients(controlled.names, value, stderr, low, high, frozen(controlled.scale), between, float(degrees))


def _one_or_each(degrees: FloatArray) -> FloatArray | float:
    return float(degrees[0]) if (degrees == degrees[0]).all() else frozen(degrees)


def _interval(fitted: _FittedPairs, cov: FloatArray | None) -> Interval | None:
    if not fitted.table.counted:
        return None
    columns = 0 if fitted.clusters is None else 1 + len(fitted.clusters.crossed)
    clustered = f" (clustered by {'group' if columns == 1 else f'{columns} columns'})" if columns else ""
    return Interval(fitted.kind + clustered + (" (approximate)" if cov is None else ""), fitted.level)


def _uncertainty(fitted: _FittedPairs) -> _Uncertainty:
    model, x = fitted.model, fitted.solution.x
    if model.agents > DENSE:
        variance = approximate_variances(model, fitted.cells, x, fitted.kind, fitted.solution.by_agent)
        return _Uncertainty(np.concatenate([np.sqrt(variance), np.full(model.size - model.agents, np.nan)]), None)
    cov, *floors = covariance(model, fitted.cells, x, fitted.kind, fitted.clusters)
    variance = np.max([np.diag(one) for one in (cov, *floors)], axis=0)
    return _Uncertainty(np.sqrt(np.clip(variance, 0, None)), cov, tuple(floors))


def _extra_parameters(fitted: _FittedPairs, uncertainty: _Uncertainty | None) -> list[Estimate]:
    """The first-position advantage and the tie parameter, as far as the model has them."""
    n, x = fitted.model.agents, fitted.solution.x
    stderr = np.full(len(x), np.nan) if uncertainty is None else uncertainty.stderr
    reach = two_sided_quantiles(fitted.level, _degrees_of_extra(fitted)) * stderr
    return [Estimate(x[k], stderr[k], x[k] - reach[k], x[k] + reach[k]) for k in range(n, len(x))]


def _degrees_of_extra(fitted: _FittedPairs) -> FloatArray:
    """All groups tell of these; no fewer than of the agent, or the covariate, that the fewest groups tell of."""
    degrees = np.full(fitted.model.size, float(fitted.degrees.min()))
    if fitted.clusters is not None:
        here = fitted.model.coefficients
        degrees[here] = np.minimum(degrees[here], degrees_of_coefficients(fitted.clusters, fitted.solution.x))
    return degrees


def _ranks(fitted: _FittedPairs, rating: FloatArray, uncertainty: _Uncertainty | None) -> Ranks:
    """Give rank intervals, later if they can wait: what a generator of the user's draws must be drawn now."""
    apart, level, degrees, n = fitted.model.components, fitted.level, fitted.degrees, len(rating)
    if uncertainty is None:
        return Ranks.known(np.ones(n, dtype=np.int64), np.bincount(apart)[apart])
    if uncertainty.covariance is None:
        return Ranks.known(*rank_intervals_from_variances(rating, uncertainty.stderr[:n] ** 2, level, apart))
    cov, *floors = (one[:n, :n] for one in (uncertainty.covariance, *uncertainty.floors))
    draws = generator(fitted.rng)
    aside = fitted.provisional
    later = Ranks(lambda: rank_intervals(rating, cov, level, apart, draws, degrees, floors, aside))
    if draws is fitted.rng:
        later()
    return later


def _convergence_notes(fit: Fit) -> tuple[Diagnostic, ...]:
    if fit.converged:
        return ()
    message = f"Rounding stopped the fit before its optimum: ratings may still be off by {fit.residual:.1g} log-odds."
    return (warning("not-converged", message),)
