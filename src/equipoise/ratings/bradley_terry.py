"""Bradley-Terry ratings: batch Elo, with honest intervals."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from equipoise.data.graph import connected_components
from equipoise.data.labels import Codes
from equipoise.data.matches import Matches
from equipoise.data.pairs import PairTable
from equipoise.declaration import method
from equipoise.diagnostics import Diagnostic, warning
from equipoise.errors import EquipoiseError, ParameterError, did_you_mean
from equipoise.inference.ranks import rank_intervals, rank_intervals_from_variances, two_sided_quantile
from equipoise.ratings.existence import connections
from equipoise.ratings.ill_posed import (
    WEAK_PRIOR,
    pairs_of,
    refuse_bad_side,
    refuse_islands,
    usable_errors,
    usable_prior,
    usable_ties,
)
from equipoise.ratings.paired_chord import paired_chord, stacked
from equipoise.ratings.paired_errors import ErrorKind, approximate_variances, covariance
from equipoise.ratings.paired_model import PairedModel
from equipoise.ratings.paired_newton import DENSE, Solution, paired_newton
from equipoise.ratings.tie_models import Cells, TieModel
from equipoise.results import Estimate, Fit, FloatArray, IntArray, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["WEAK_PRIOR", "BradleyTerry", "bradley_terry"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class BradleyTerry(Result):
    """Ratings in log-odds that sum to zero, with their uncertainty.

    Attributes
    ----------
    rating, stderr, low, high
        Of each agent; the interval is described by ``interval``.
    rank_low, rank_high
        Best and worst rank that the data allow, all agents together at the level.
    games, win_rate
        Games played (NaN where nobody counted them), and the share won (a tie is half).
    side
        Advantage of the first-named side in log-odds, with its interval; None if not asked for.
    tie
        The tie parameter (Davidson's log nu, Rao and Kupper's log theta) with its interval; None for half-win ties.
    island
        Number of the group of agents that an agent can be compared with; all 0 unless asked apart.
    covariance
        Of the ratings; None where only single variances are known.
    degrees
        Degrees of freedom of the intervals: groups less one where errors are clustered, else infinite.
    """

    main: ClassVar[str] = "rating"

    agents: tuple[str, ...]
    rating: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    rank_low: IntArray
    rank_high: IntArray
    games: FloatArray
    win_rate: FloatArray
    island: IntArray
    interval: Interval
    log_likelihood: float
    side: Estimate | None = None
    tie: Estimate | None = None
    covariance: FloatArray | None = None
    degrees: float = np.inf

    def frame(self) -> "pl.DataFrame":
        """Give the leaderboard, best first."""
        import polars as pl

        columns = ("rating", "stderr", "low", "high", "rank_low", "rank_high", "games", "win_rate")
        table = pl.DataFrame({"agent": list(self.agents)} | {name: getattr(self, name) for name in columns})
        if self.island.any():
            table = table.with_columns(island=pl.Series(self.island))
        return table.sort("rating", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the side advantage, the tie parameter, the interval's kind and the log-likelihood."""
        return {"side": self.side, "tie": self.tie, "interval": self.interval, "log_likelihood": self.log_likelihood}

    def relative_to(self, anchor: str) -> "BradleyTerry":
        """Give ratings as differences to one agent, whose own becomes 0; intervals are of the differences."""
        if anchor not in self.agents:
            raise ParameterError(f'no agent "{anchor}"{did_you_mean(anchor, self.agents)}')
        if self.island.any():
            raise ParameterError("ratings of islands that never met are no differences to an anchor; leave it out")
        at = self.agents.index(anchor)
        shifted = self.rating - self.rating[at]
        if self.covariance is None:
            stderr = np.sqrt(self.stderr**2 + self.stderr[at] ** 2)
            stderr[at] = 0.0
        else:
            variance = np.diag(self.covariance) + self.covariance[at, at] - 2 * self.covariance[at]
            stderr = np.sqrt(np.clip(variance, 0, None))
        reach = two_sided_quantile(self.interval.level, self.degrees) * stderr
        return replace(
            self,
            rating=frozen(shifted),
            stderr=frozen(stderr),
            low=frozen(shifted - reach),
            high=frozen(shifted + reach),
            params=frozen_params(**{**self.params, "anchor": anchor}),
        )

    def refit(self, tables: Sequence[PairTable]) -> list[FloatArray | EquipoiseError]:
        """Give the ratings of other counts of the same pairs, without errors: what a bootstrap needs."""
        quick = self._refit_together(tables)
        return [self._refit(table) if rating is None else rating for table, rating in zip(tables, quick, strict=True)]

    def _refit_together(self, tables: Sequence[PairTable]) -> list[FloatArray | None]:
        """Refit those that a first fit's Hessian leads to their optimum; None for the others."""
        n = len(self.agents)
        if self.params["ties"] != "half" or n > DENSE or self.params["islands"] == "separate":
            return [None] * len(tables)
        prior = self.params["prior"]
        precision = 1 / prior**2 if isinstance(prior, float) else 0.0
        first, second, score, games = stacked(tables, sided=self.side is not None)
        none = np.zeros(n, dtype=np.int64)
        model = PairedModel(n, first, second, "half", self.side is not None, none, precision)
        x = np.concatenate([self.rating, [] if self.side is None else [self.side]])
        mean = Cells(score.mean(axis=0), (games - score).mean(axis=0), np.zeros(score.shape[1]))
        found, converged = paired_chord(model, mean, x, score, games)
        joined = [precision > 0 or _connected(n, first[met], second[met]) for met in games > 0]
        return [row[:n] if good and one else None for row, good, one in zip(found, converged, joined, strict=True)]

    def _refit(self, table: PairTable) -> FloatArray | EquipoiseError:
        """Refit one, with all the checks of a first fit."""
        cells = Cells(table.wins, table.losses, table.ties)
        met = connections(len(table.agents), table.first, table.second, cells)
        prior = self.params["prior"]
        try:
            refuse_islands(table, met, prior if isinstance(prior, float) else None, str(self.params["islands"]))
            sd, _ = usable_prior(table, met, prior if isinstance(prior, float) else None)
            ties, _ = usable_ties(_tie_model(self.params["ties"]), cells)
            precision = 0.0 if sd is None else 1 / sd**2
            side = self.side is not None
            model = PairedModel(len(table.agents), table.first, table.second, ties, side, met.islands, precision)
            return paired_newton(model, cells).x[: model.agents]
        except EquipoiseError as error:
            return error


@method(
    takes=("matches", "pairs"),
    answers="Who is better, how sure are we, and how large is the side advantage?",
    reference="Bradley and Terry (1952); Davidson (1970); Rao and Kupper (1967)",
    rates=True,
)
def bradley_terry(
    data: Matches | PairTable,
    *,
    ties: TieModel = "half",
    side: bool = False,
    prior: float | None = None,
    errors: Literal["sandwich", "information"] = "sandwich",
    islands: Literal["refuse", "separate"] = "refuse",
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> BradleyTerry:
    r"""Who is better, and how sure are we? Maximum likelihood on pair counts.

    .. math:: P(i \text{ beats } j) = \sigma(r_i - r_j + g), \qquad \sum_i r_i = 0

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
    islands
        What to do with agents that never met, even indirectly: ``refuse``, or rate each island ``separate``.
    level
        Of the intervals.
    rng
        Seed or generator for the simulated quantile of the simultaneous rank intervals.

    Returns
    -------
    BradleyTerry
        Ratings, intervals, simultaneous rank intervals, diagnostics.

    Fails when
        islands of agents never met (:class:`DisconnectedError`); a side advantage cannot be told from strength.
        Where an agent is undefeated or winless no finite estimate exists: a weak prior is used and said
        (``no-finite-mle``).

    References
    ----------
    Zermelo (1929); Bradley and Terry (1952), Rank analysis of incomplete block designs.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("xxxy", "yyyz", [1, 1, 0, 0.5])
    >>> eq.bradley_terry(m).rating.round(3).tolist()
    [0.462, -0.231, -0.231]
    """
    _check_options(ties, prior, errors, islands, level)
    table = pairs_of(data, by_group=True)
    if not side and table.group is None and 4 * len(table.first) > len(table.agents) ** 2:
        table = table.unordered()  # most pairs met both ways round, which says nothing here: half the cells do
    cells = Cells(table.wins, table.losses, table.ties)
    notes = list(table.diagnostics)
    met = connections(len(table.agents), table.first, table.second, cells)
    island_notes = refuse_islands(table, met, prior, islands)
    ties, tie_notes = usable_ties(ties, cells)
    if side:
        refuse_bad_side(table, cells, prior)
    sd, prior_notes = usable_prior(table, met, prior)
    model = PairedModel(
        len(table.agents), table.first, table.second, ties, side, met.islands, 0.0 if sd is None else 1 / sd**2
    )
    solution = paired_newton(model, cells)
    kind, error_notes = usable_errors(table, errors, sd)
    notes += (*island_notes, *tie_notes, *prior_notes, *error_notes, *_doubts(solution.fit))
    params = frozen_params(ties=ties, side=side, prior=sd, errors=errors, islands=islands, level=level)
    found = _Found(table, model, cells, solution, kind, level, np.random.default_rng(rng))
    return replace(_result(found), params=params, diagnostics=tuple(notes))


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A fit with all that its uncertainty depends on."""

    table: PairTable
    model: PairedModel
    cells: Cells
    solution: Solution
    kind: ErrorKind
    level: float
    rng: np.random.Generator

    @property
    def degrees(self) -> float:
        """Degrees of freedom behind the covariance: groups are what was drawn, and they may be few."""
        group = self.table.group
        return np.inf if group is None or self.kind != "sandwich" else max(len(group.labels) - 1.0, 1.0)


def _result(found: _Found) -> BradleyTerry:
    table, n = found.table, found.model.agents
    rating = found.solution.x[:n]
    cov, stderr, extra = _uncertainty(found)
    reach = two_sided_quantile(found.level, found.degrees) * stderr
    rank_low, rank_high = _ranks(found, rating, cov, stderr)
    games = table.games_of_agents()
    played = np.where(games > 0, games, np.nan)
    labels = iter(extra)
    kind = found.kind + (" (clustered by group)" if table.group is not None and found.kind == "sandwich" else "")
    kind += " (approximate)" if cov is None and table.counted else ""
    return BradleyTerry(
        agents=table.agents,
        rating=frozen(rating), stderr=frozen(stderr), low=frozen(rating - reach), high=frozen(rating + reach),
        rank_low=frozen(rank_low), rank_high=frozen(rank_high),
        games=frozen(games if table.counted else np.full(n, np.nan)),
        win_rate=frozen(table.scores_of_agents() / played),
        island=frozen(found.model.islands if not found.model.precision else np.zeros(n, dtype=np.int64)),
        interval=Interval(kind, found.level), log_likelihood=found.solution.objective,
        side=next(labels) if found.model.side else None,
        tie=next(labels) if found.model.ties != "half" else None,
        covariance=None if cov is None else frozen(cov[:n, :n]), degrees=found.degrees, fit=found.solution.fit,
    )  # fmt: skip


def _uncertainty(found: _Found) -> tuple[FloatArray | None, FloatArray, list[Estimate]]:
    """Covariance (None where it is not known), standard errors of the ratings, the extra parameters."""
    n, x = found.model.agents, found.solution.x
    if not found.table.counted:
        return None, np.full(n, np.nan), [Estimate(value, np.nan, np.nan, np.nan) for value in x[n:]]
    if n > DENSE:
        variance = approximate_variances(found.model, found.cells, x, found.kind)
        return None, np.sqrt(variance), [Estimate(value, np.nan, np.nan, np.nan) for value in x[n:]]
    cov = covariance(found.model, found.cells, x, found.kind, found.table.group)
    stderr = np.sqrt(np.clip(np.diag(cov), 0, None))
    reach = two_sided_quantile(found.level, found.degrees) * stderr
    extra = [Estimate(x[k], stderr[k], x[k] - reach[k], x[k] + reach[k]) for k in range(n, len(x))]
    return cov, stderr[:n], extra


def _ranks(found: _Found, rating: FloatArray, cov: FloatArray | None, stderr: FloatArray) -> tuple[IntArray, IntArray]:
    n = len(rating)
    if not found.table.counted:
        return np.ones(n, dtype=np.int64), np.full(n, n)
    if cov is None:
        return rank_intervals_from_variances(rating, stderr**2, found.level)
    apart = None if found.model.precision else found.model.islands
    return rank_intervals(rating, cov[:n, :n], found.level, apart, found.rng, found.degrees)


def _doubts(fit: Fit) -> tuple[Diagnostic, ...]:
    if fit.converged:
        return ()
    told = f"Rounding stopped the fit before its optimum: ratings may still be off by {fit.residual:.1g} log-odds."
    return (warning("not-converged", told),)


def _check_options(ties: str, prior: float | None, errors: str, islands: str, level: float) -> None:
    for name, value, known in (
        ("ties", ties, ("half", "davidson", "rao-kupper")),
        ("errors", errors, ("sandwich", "information")),
        ("islands", islands, ("refuse", "separate")),
    ):
        if value not in known:
            raise ParameterError(f'{name} is one of {", ".join(known)}, not "{value}"{did_you_mean(value, known)}')
    if prior is not None and not (np.isfinite(prior) and prior > 0):
        raise ParameterError(f"prior is a standard deviation above 0, not {prior}")
    if not 0 < level < 1:
        raise ParameterError(f"level is between 0 and 1, such as 0.95, not {level}")


def _connected(agents: int, first: Codes, second: Codes) -> bool:
    return not connected_components(agents, first, second).any()


def _tie_model(name: object) -> TieModel:
    return "davidson" if name == "davidson" else "rao-kupper" if name == "rao-kupper" else "half"
