"""What a Bradley-Terry fit gives: ratings with their uncertainty, in numbers and words."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import has_code
from equipoise.core.errors import EquipoiseError, ParameterError, did_you_mean, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import Estimate, FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import (
    ELO_POINT,
    POINTS_DIFFERENCE,
    UNITS,
    estimate_in_points,
    estimate_words,
    in_declared_units,
    in_points,
)
from equipoise.core.wording import Option, counted
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.inference.ranks import Ranks, two_sided_quantile, two_sided_quantiles
from equipoise.ratings.covariates.covariates import Coefficients
from equipoise.ratings.paired.ill_posed import FEW_GROUPS
from equipoise.ratings.paired.ties import TieModel

if TYPE_CHECKING:
    from equipoise.ratings.paired.refits import FittedModel


RANDOM_EFFECTS = "random-effects"
"""Kind of the intervals of agents drawn from a population."""
POPULATION_WORDS = (
    "Pairing may have been adaptive: intervals and ranks are right on average over agents whose strengths spread like"
    " these, not for one fixed agent."
)

MOST_COMPONENTS_SAID = 4
"""Connected components whose leader is said in words; the table has them all."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class BradleyTerry(Result):
    """Ratings in log-odds that sum to zero, with their uncertainty; ``frame`` has them in Elo points.

    Attributes
    ----------
    rating, stderr, low, high
        Of each agent, relative to the mean of all (of its connected component); the interval is described by
        ``interval``. All but the rating are None where nobody counted the games, for nothing says then how sure the
        rating is.
    points
        The rating in Elo points.
    rank_low, rank_high
        Best and worst rank that the data allow, all agents together at the level; within its connected component where
        these are rated apart. They are worked out when they are first asked for.
    ranks
        Gives both of them.
    games, win_rate
        Games played (NaN where nobody counted them), and the share won (a tie is half).
    side
        Advantage of the first-named side in log-odds, with its interval; None if not asked for.
    tie
        The tie parameter (Davidson's log nu, Rao and Kupper's log theta) with its interval; None for half-win ties.
    coefficients
        What covariates are worth, with intervals; None if none were asked for.
    component
        Number of the connected component of the agent: of those that it can be compared with; all 0 unless asked apart.
    covariance
        Of the ratings; None where only single variances are known.
    provisional
        Which agents are known from fewer than ten games (effective clusters, where errors are clustered): they stand
        last, and outside the others' ranks. Nobody where fewer than half of the agents would remain.
    floors
        Where clusters are of several columns, further covariances: the variance of a contrast is the largest that any
        of them or ``covariance`` gives.
    degrees
        Degrees of freedom of the intervals: groups less one where errors are clustered, else infinite. A number for
        each agent, fewer, where a few of the groups tell most of what is known about some.
    """

    main: ClassVar[str] = "rating"
    units: ClassVar[Mapping[str, str]] = {**UNITS, "side": POINTS_DIFFERENCE}

    agents: tuple[str, ...]
    rating: FloatArray
    stderr: FloatArray | None
    low: FloatArray | None
    high: FloatArray | None
    ranks: Ranks
    games: FloatArray
    win_rate: FloatArray
    component: IntArray
    interval: Interval | None
    log_likelihood: float
    side: Estimate | None = None
    tie: Estimate | None = None
    coefficients: Coefficients | None = None
    covariance: FloatArray | None = None
    degrees: FloatArray | float = np.inf
    floors: tuple[FloatArray, ...] = ()
    provisional: npt.NDArray[np.bool_] = field(default_factory=lambda: frozen(np.zeros(0, dtype=bool)))

    @property
    def rank_low(self) -> IntArray:
        """Best rank that the data allow each agent."""
        return self.ranks()[0]

    @property
    def rank_high(self) -> IntArray:
        """Worst rank that the data allow each agent."""
        return self.ranks()[1]

    @property
    def points(self) -> FloatArray:
        """Ratings in Elo points."""
        return in_points(self.rating)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who has the highest rating and who cannot be ruled out; the first-position advantage where asked for."""
        averaged = (POPULATION_WORDS,) if self.interval and self.interval.kind == RANDOM_EFFECTS else ()
        beside = () if self.coefficients is None else self.coefficients.words
        return (*self._component_words(), *averaged, *(() if self.side is None else (_side_words(self.side),)), *beside)

    def _component_words(self) -> tuple[str, ...]:
        """Who has the highest rating, of each connected component by itself: larger ones first, the largest few."""
        if not self.component.any():
            return (self._leader_words(np.arange(len(self.agents))),)
        groups = [np.flatnonzero(self.component == k) for k in range(int(self.component.max()) + 1)]
        shown = sorted((group for group in groups if len(group) > 1), key=len, reverse=True)[:MOST_COMPONENTS_SAID]
        return (
            "These games do not connect all agents: ratings compare only agents of the same connected component.",
            *(f"Component {self.component[group[0]]}: {self._leader_words(group)}" for group in shown),
        )

    def _leader_words(self, among: IntArray) -> str:
        if self.provisional.any() and not self.provisional[among].all():
            among = among[~self.provisional[among]]
        leader = some_of([self.agents[int(among[np.argmax(self.rating[among])])]])
        if self.interval is None:
            return f"{leader} has the highest rating; without numbers of games there is no interval."
        if self.covariance is None:
            return f"{leader} has the highest rating."
        left, others = int(np.sum(self.rank_low[among] == 1)), len(among) - 1
        if left <= 2 and others:
            return self._first_two(among, tied=left == 2)
        if left > others:
            return f"Nobody can be ruled out as best; {self._too_few(among)}."
        rating = f"{self.points[among].max():+.0f} Elo"
        left_out = f"{left - 1} of the other {others} agents cannot be ruled out as best"
        return f"{leader} has the highest rating ({rating}), but {left_out}."

    def _too_few(self, among: IntArray) -> str:
        """Say what there are too few of: clusters where they are what bounds the evidence, else games."""
        clusters = float(np.max(self.degrees)) + 1
        if clusters < FEW_GROUPS:
            noun = "task" if has_code(self.diagnostics, "scores-as-matches") else "cluster"
            return f"{counted(round(clusters), noun)} are too few"
        median = round(float(np.median(self.games[among])))
        return f"{counted(median, 'game')} per agent {'is' if median == 1 else 'are'} too few"

    def _first_two(self, among: IntArray, *, tied: bool) -> str:
        """Say by how much the first is ahead of the second, with the interval of that difference.

        Ties are of all comparisons: where the two alone would differ, their interval does not say why they are tied.
        """
        first, second = among[np.argsort(-self.rating[among], kind="stable")[:2]]
        if tied:
            open_top = among[self.rank_low[among] == 1]
            first, second = open_top[np.argsort(-self.rating[open_top], kind="stable")]
        gap, low, high = (value / ELO_POINT for value in self._difference(int(first), int(second)))
        one, other = some_of([self.agents[first]]), some_of([self.agents[second]])
        level = f"{100 * self.interval.level:g}%" if self.interval else ""
        interval = f"{level} interval {low:+.0f} to {high:+.0f}"
        if not tied:
            return f"{one} is best ({level}): {gap:.0f} Elo ahead of {other} ({interval})."
        if low <= 0 <= high:
            within = f"the difference of {gap:.0f} Elo is within noise ({interval})"
            return f"{one} and {other} are tied for first: {within}."
        adjusted = "is not significant once adjusted for all comparisons"
        return f"{one} and {other} are tied for first: the difference of {gap:.0f} Elo {adjusted}."

    def _difference(self, first: int, second: int) -> tuple[float, float, float]:
        """Difference of two ratings with its interval, in log-odds."""
        gap = float(self.rating[first] - self.rating[second])
        if self.covariance is None or self.interval is None:
            return gap, -math.inf, math.inf
        contrast = np.zeros(len(self.rating))
        contrast[[first, second]] = 1.0, -1.0
        stderr = math.sqrt(max(0.0, *(float(contrast @ one @ contrast) for one in (self.covariance, *self.floors))))
        degrees = np.asarray(self.degrees) + np.zeros(len(self.rating))
        reach = two_sided_quantile(self.interval.level, float(degrees[[first, second]].min())) * stderr
        return gap, gap - reach, gap + reach

    def frame(self) -> "pl.DataFrame":
        """Give the leaderboard in Elo points, best first; component after component where they are rated apart."""
        unknown = pl.Series([None] * len(self.agents), dtype=pl.Float64)
        names = ("rating", "stderr", "low", "high", "rank_low", "rank_high", "games", "win_rate")
        columns = {name: getattr(self, name) for name in names}
        columns = {name: unknown if values is None else values for name, values in columns.items()}
        table = in_declared_units(pl.DataFrame({"agent": list(self.agents), **columns}), self.units)
        above: list[str] = []
        if self.provisional.any():
            table, above = table.with_columns(provisional=pl.Series(self.provisional)), ["provisional"]
        if self.component.any():
            table, above = table.with_columns(component=pl.Series(self.component)), ["component", *above]
        return table.sort(*above, "rating", descending=[*(False for _ in above), True], maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the first-position advantage (in Elo points), the tie parameter, the interval and the log-likelihood."""
        side = None if self.side is None else estimate_in_points(self.side)
        summary: dict[str, object] = {"side": side, "tie": self.tie, "interval": self.interval}
        summary["log_likelihood"] = self.log_likelihood
        return summary if self.coefficients is None else {**summary, "covariates": self.coefficients.rows()}

    def relative_to_mean(self, weights: FloatArray) -> "BradleyTerry":
        """Give ratings as differences to a weighted mean of all; intervals are of the differences."""
        return self._relative(weights / weights.sum())

    @property
    def zero_is_average_opponent(self) -> bool:
        """Whether ratings are counted from the mean of agents weighted by their games."""
        known = np.isfinite(self.games).all() and not self.component.any()
        return bool(known and abs(float(self.rating @ self.games)) < 1e-9 * float(self.games.sum() or 1.0))

    def relative_to(self, anchor: str | Sequence[str]) -> "BradleyTerry":
        """Give ratings as differences to one agent, or to the mean of several; intervals are of the differences."""
        names = (anchor,) if isinstance(anchor, str) else tuple(dict.fromkeys(anchor))
        option = "anchor" if isinstance(anchor, str) else "reference"
        if not names:
            raise ParameterError(Option(option), " names nobody; leave it out, or name agents")
        for name in names:
            if name not in self.agents:
                raise ParameterError(f'no agent "{name}"{did_you_mean(name, self.agents)}')
        if self.component.any():
            raise ParameterError(
                "ratings of connected components that never met are no differences to an anchor; leave ",
                Option(option),
                " out",
            )
        at = [self.agents.index(name) for name in names]
        share = np.bincount(at, minlength=len(self.agents)) / len(at)
        params = frozen_params(**{**self.params, option: anchor if isinstance(anchor, str) else names})
        return replace(self._relative(share), params=params)

    def _relative(self, share: FloatArray) -> "BradleyTerry":
        """Give ratings as differences to a mean with these shares; a mean of all is as sure as most of them are."""
        rating = self.rating - self.rating @ share
        moved = replace(self, rating=frozen(rating))
        if self.interval is None or self.stderr is None:
            return moved
        stderr = self._stderr_of_differences(share, self.stderr)
        degrees = np.asarray(self.degrees) + np.zeros(len(rating))
        few = degrees if share.all() else np.minimum(degrees, degrees[share > 0].min())
        reach = two_sided_quantiles(self.interval.level, few) * stderr
        return replace(moved, stderr=frozen(stderr), low=frozen(rating - reach), high=frozen(rating + reach))

    def _stderr_of_differences(self, share: FloatArray, stderr: FloatArray) -> FloatArray:
        if self.covariance is None:  # as if independent: single variances are all there is
            variances = [stderr**2 + share @ (stderr**2 * share) - 2 * stderr**2 * share]
        else:
            known = (self.covariance, *self.floors)
            variances = [np.diag(one) + share @ one @ share - 2 * one @ share for one in known]
        return np.asarray(np.sqrt(np.clip(np.max(variances, axis=0), 0, None)))

    @property
    def unordered(self) -> bool:
        """Whether the two ways round of a pair are one to the model: it has no first-position advantage."""
        return self.side is None

    def refit(self, tables: Sequence[PairTable]) -> list[FloatArray | EquipoiseError]:
        """Give the ratings of other counts of the same pairs, without errors: what a bootstrap needs."""
        if self.params["pairing"] == "adaptive":
            message = ("a bootstrap draws games as if pairs did not depend on results, which ",)
            return [ParameterError(*message, Option("pairing", "adaptive"), " says they may")] * len(tables)
        from equipoise.ratings.paired.refits import refitted_ratings

        return refitted_ratings(self._fitted(), tables)

    def _fitted(self) -> "FittedModel":
        from equipoise.ratings.paired.refits import FittedModel

        prior = self.params["prior"]
        return FittedModel(
            self.rating,
            None if self.side is None else float(self.side),
            self._tie_model,
            prior if isinstance(prior, float) else None,
            str(self.params["components"]),
        )

    @property
    def _tie_model(self) -> TieModel:
        named = self.params["ties"]
        return "davidson" if named == "davidson" else "rao-kupper" if named == "rao-kupper" else "half"

    def refit_matches(self, samples: Sequence[Matches]) -> list[FloatArray | EquipoiseError]:
        """Give the ratings of other matches with the same covariates, without errors: what a bootstrap needs."""
        if self.coefficients is None:
            return self.refit([sample.pairs() for sample in samples])
        prior, held = self.params["prior"], self.params["covariate_prior"]
        beside = [np.array([] if one is None else [float(one)]) for one in (self.side, self.tie)]
        from equipoise.ratings.paired.refits import FittedCovariates, refits_with_covariates

        fitted = FittedCovariates(
            np.concatenate([self.rating, beside[0], self.coefficients.value, beside[1]]),
            self.coefficients,
            None if self.side is None else float(self.side),
            self._tie_model,
            prior if isinstance(prior, float) else None,
            held if isinstance(held, float) else None,
            str(self.params["components"]),
        )
        return refits_with_covariates(fitted, samples)


def _side_words(side: Estimate) -> str:
    return f"First-position advantage: {estimate_words(side)}."
