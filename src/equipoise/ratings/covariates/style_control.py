"""Two boards from the same matches: as they were judged, and at equal style; and what changed beyond noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.errors import some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator, positive
from equipoise.core.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import ELO_POINT, POINTS, POINTS_DIFFERENCE, in_declared_units
from equipoise.data.types.matches import Matches
from equipoise.inference.ranks import two_sided_quantile
from equipoise.ratings.covariates.covariates import Asked, Coefficients, asked_covariates
from equipoise.ratings.covariates.style_change import change_covariances, mean_advantage, together_quantile
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.paired.ties import TieModel

MOST_SAID = 3
"""Agents named where many changed."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class StyleControl(Result):
    """Ratings without and with control for covariates, side by side.

    Attributes
    ----------
    plain, controlled
        The two boards: ratings as matches were judged, and of sides that are equal in the covariates.
    change, stderr, low, high
        Controlled less plain rating. Both come from the same matches, whose errors they share; intervals hold for all
        agents together.
    rank_before, rank_after
        Places by rating on the two boards.
    style, style_low, style_high
        How much of an agent's results was style: what the covariates gave it in its matches, on average, in log-odds.
        Intervals are of each agent by itself; matches are taken as they are.
    coefficients
        What each covariate is worth.
    covariance
        Of the changes.
    floors
        Further covariances: the variance of a change is the largest that any of them gives.
    """

    main: ClassVar[str] = "change"
    units: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("change", "stderr", "low", "high", "style", "style_low", "style_high"), POINTS_DIFFERENCE),
        **dict.fromkeys(("plain", "controlled"), POINTS),
    }

    agents: tuple[str, ...]
    plain: BradleyTerry
    controlled: BradleyTerry
    change: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    style: FloatArray
    style_low: FloatArray
    style_high: FloatArray
    covariance: FloatArray
    quantile: float
    interval: Interval
    floors: tuple[FloatArray, ...] = ()

    @property
    def degrees(self) -> float:
        """Degrees of freedom behind the changes: of the least sure rating or coefficient."""
        return min(float(np.min(self.controlled.degrees)), self.coefficients.degrees)

    @property
    def coefficients(self) -> Coefficients:
        """What each covariate is worth, in log-odds for one unit."""
        found = self.controlled.coefficients
        if found is None:
            raise AssertionError("a controlled fit without coefficients")  # style_control fits some
        return found

    @property
    def rank_before(self) -> IntArray:
        """Places on the plain board."""
        return _places(self.plain)

    @property
    def rank_after(self) -> IntArray:
        """Places on the controlled board."""
        return _places(self.controlled)

    @property
    def verdict(self) -> tuple[str, ...]:
        """Whether each agent ``rose`` or ``fell`` beyond noise, or stayed ``within noise``."""
        up, down = self.low > 0, self.high < 0
        return tuple(np.where(up, "rose", np.where(down, "fell", "within noise")).tolist())

    def frame(self) -> "pl.DataFrame":
        """Give both boards in Elo points, best at equal style first."""
        columns: dict[str, object] = {"agent": list(self.agents), "controlled": self.controlled.rating}
        columns |= {"plain": self.plain.rating}
        names = ("rank_before", "rank_after", "change", "stderr", "low", "high", "style", "style_low", "style_high")
        columns |= {name: getattr(self, name) for name in names} | {"verdict": list(self.verdict)}
        return in_declared_units(pl.DataFrame(columns), self.units).sort(
            "controlled", descending=True, maintain_order=True
        )

    def summary(self) -> dict[str, object]:
        """Give the coefficients, and how much better the controlled fit is."""
        gain = self.controlled.log_likelihood - self.plain.log_likelihood
        return {"covariates": self.coefficients.rows(), "interval": self.interval, "log_likelihood_gain": gain}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who leads at equal style, who rose and fell, to whom style gave most, and what wins."""
        return (self._leaders(), self._moves(), self._edges(), *self.coefficients.words)

    def _leaders(self) -> str:
        before, after = (self.agents[int(np.argmax(fit.rating))] for fit in (self.plain, self.controlled))
        style = some_of(self.coefficients.names, 6)
        if before == after:
            return f"{some_of([after])} leads as judged and at equal {style}."
        return f"{some_of([before])} leads as judged, {some_of([after])} at equal {style}."

    def _moves(self) -> str:
        moves = [part for part in (self._moved("rose"), self._moved("fell")) if part]
        if not moves:
            return f"No rating changes beyond noise: all {len(self.agents):,} may stand as well at equal style."
        quiet = self.verdict.count("within noise")
        rest = f" {quiet:,} {'is' if quiet == 1 else 'are'} within noise." if quiet else ""
        return f"At equal style {'; '.join(moves)}.{rest}"

    def _moved(self, how: str) -> str:
        rows = sorted((k for k, v in enumerate(self.verdict) if v == how), key=lambda k: -abs(self.change[k]))
        said = [
            f"{some_of([self.agents[k]])} ({_points(self.change[k])}, {_points(self.low[k])} to"
            f" {_points(self.high[k])} Elo points)"
            for k in rows[:MOST_SAID]
        ]
        more = f" and {len(rows) - MOST_SAID:,} more" if len(rows) > MOST_SAID else ""
        return f"{len(rows):,} {how} beyond noise: {', '.join(said)}{more}" if rows else ""

    def _edges(self) -> str:
        most, least = int(np.argmax(self.style)), int(np.argmin(self.style))
        said = [
            f"{some_of([self.agents[k]])} {_points(self.style[k])} Elo points a match ({_points(self.style_low[k])} to"
            f" {_points(self.style_high[k])})"
            for k in (most, least)
        ]
        return f"Style gave most to {said[0]} and least to {said[1]}."

    def relative_to(self, anchor: str | Sequence[str]) -> "StyleControl":
        """Give ratings and changes as differences to one agent, or to the mean of several.

        What style gave in matches stays.
        """
        plain, controlled = self.plain.relative_to(anchor), self.controlled.relative_to(anchor)
        share = np.isin(self.agents, [anchor] if isinstance(anchor, str) else list(anchor)).astype(float)
        share /= share.sum()
        moved = []
        for cov in (self.covariance, *self.floors):
            with_mean = cov @ share
            moved.append(cov - with_mean - with_mean[:, None] + share @ with_mean)
        option = "anchor" if isinstance(anchor, str) else "reference"
        return replace(
            _with_change(self, self.change - share @ self.change, moved, self.interval.level, np.random.default_rng(0)),
            plain=plain, controlled=controlled,
            params=frozen_params(**{**self.params, option: controlled.params[option]}),
        )  # fmt: skip


def _points(log_odds: float) -> str:
    return f"{log_odds / ELO_POINT:+.0f}"


def _places(fit: BradleyTerry) -> IntArray:
    """Place by rating, among the agents of a connected component."""
    better = (fit.rating[None, :] > fit.rating[:, None]) & (fit.component[None, :] == fit.component[:, None])
    return np.asarray(better.sum(axis=1) + 1)


@method(
    takes="matches",
    answers="Who is better at equal style, how much does that change, and what was style worth?",
    reference="Bradley and Terry (1952); Li, Angelopoulos and Chiang (2024), Does style matter?",
    checks={"prior": positive(none=True), "covariate_prior": positive(none=True)},
    by_match=("covariates",),
    renamed={"islands": "components"},
    synonyms={"position": "side"},
)
def style_control(
    data: Matches,
    *,
    covariates: Asked = None,
    covariate_prior: float | None = None,
    ties: TieModel = "half",
    side: bool = False,
    prior: float | None = None,
    components: Literal["refuse", "each"] = "refuse",
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> StyleControl:
    r"""Who is better at equal style, and how much of the ratings was style?

    Two Bradley-Terry fits to the same matches, without and with covariates such as the lengths of answers:

    .. math:: \operatorname{logit} P(a \text{ beats } b) = r_a - r_b \quad\text{and}\quad r'_a - r'_b + \textstyle\sum_k
        \beta_k z_k

    The change of a rating is :math:`r'_i - r_i`. Its error comes from the scores of both fits together, match by match
    or group by group. What style gave an agent is the mean of :math:`\sum_k \beta_k z_k` over its matches.

    Parameters
    ----------
    data
        Matches; with a ``group`` errors are clustered by it.
    covariates
        Names of the matches' covariates, or columns by name, as in :func:`bradley_terry`; None for all that the matches
        hold.
    covariate_prior
        Standard deviation, in log-odds for one unit, of an independent normal prior on each coefficient; None for none.
    ties, side, prior, components
        Of both fits, as in :func:`bradley_terry`.
    level
        Of the intervals.
    rng
        Seed or generator.

    Returns
    -------
    StyleControl
        Both boards, the changes with simultaneous intervals, what style gave, and the coefficients.

    Fails when
        matches hold no covariates, or as :func:`bradley_terry` does.

    Notes
    -----
    A rating in log-odds is stretched by whatever else is accounted for: at equal style the same agents differ more
    clearly. So ratings may change without any difference in style; ``style`` tells what style itself gave.

    References
    ----------
    Li, Angelopoulos and Chiang (2024), Does style matter? Disentangling style and substance in Chatbot Arena.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("xxyyxyxy", "yyxxyxyx", [1, 1, 0, 1, 0, 0, 0, 1])
    >>> m = m.with_covariates({"length": ([90, 80, 20, 70, 40, 30, 90, 20], [30, 50, 60, 40, 60, 20, 40, 50])})
    >>> eq.style_control(m).coefficients.value.round(2).tolist()
    [0.64]
    """
    if covariates is None and data.covariates is not None:
        covariates = data.covariates.names
    rows = asked_covariates(data, () if covariates is None else covariates)
    if rows is None or rows.covariates is None:
        raise AssertionError("no covariates were asked for")  # refused above
    draws = generator(rng)
    plain = bradley_terry(data, ties=ties, side=side, prior=prior, components=components, level=level, rng=draws)
    controlled = bradley_terry(
        rows, ties=ties, side=side, prior=prior, components=components, covariates=rows.covariates.names,
        covariate_prior=covariate_prior, level=level, rng=draws,
    )  # fmt: skip
    change, cov = controlled.rating - plain.rating, change_covariances(rows, plain, controlled)
    style, error = mean_advantage(rows, controlled)
    result = StyleControl(
        agents=data.agents, plain=plain, controlled=controlled, change=change, stderr=change, low=change, high=change,
        style=frozen(style), style_low=style, style_high=style, covariance=cov[0],
        quantile=0.0, interval=Interval("simultaneous", level), fit=controlled.fit,
        params=frozen_params(**controlled.params), diagnostics=controlled.diagnostics,
    )  # fmt: skip
    reach = two_sided_quantile(level, result.degrees) * error
    result = replace(result, style_low=frozen(style - reach), style_high=frozen(style + reach))
    return _with_change(result, change, cov, level, draws)


def _with_change(
    result: StyleControl, change: FloatArray, several: Sequence[FloatArray], level: float, rng: np.random.Generator
) -> StyleControl:
    """Put changes with their errors, and simultaneous intervals, into a result."""
    stderr = np.sqrt(np.max([np.clip(np.diag(cov), 0, None) for cov in several], axis=0))
    quantile = together_quantile(several[0], level, result.degrees, rng)
    low, high = change - quantile * stderr, change + quantile * stderr
    covariance, *floors = map(frozen, several)
    return replace(
        result, change=frozen(change), stderr=frozen(stderr), low=frozen(low), high=frozen(high),
        covariance=covariance, floors=tuple(floors), quantile=quantile,
    )  # fmt: skip
