r"""Ratings in which a rater who does not look counts less.

.. math:: P(\text{first preferred}) = g_w\, \sigma(s_a - s_b) + (1 - g_w)\, q_w

Rater w looks with probability :math:`g_w`, and otherwise takes the first side with probability :math:`q_w`. Both come
from Beta distributions that are estimated (:mod:`.attention`), so that a rater with few votes is much like the others.
No other ratings fit as well with their signs turned, as where raters may be contrary.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import ConvergenceError, DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import Fit, FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import POINTS, in_points
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.inference.ranks import two_sided_quantile
from equipoise.ratings.judges.vote_columns import ITEMS, JUDGES, found_column
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.raters.attention import BETAS, LEANS, LOOKS, AttentionModel, PosteriorPoint

HALF = 0.5
"""Raters whose weight is below this with its whole interval are named."""
SETTLED, MOST_STEPS = 1e-8, 200
"""Largest slope of the objective at its maximum, and steps that may lead there."""
FEW, FAR = 20, 3
"""Raters below which errors are called rough, and places beyond which a move is counted."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RaterWeighted(Result):
    """Ratings with weighted raters, beside those without; in log-odds, ``frame`` has Elo points.

    Attributes
    ----------
    rating, stderr, low, high
        Ratings with their errors over raters and items, both of which might have been others.
    plain, without
        Bradley-Terry ratings of all raters, and without those in ``named``; NaN where that leaves no rating.
    raters, votes
        Names of raters, and how many decisive votes each has.
    weight, weight_low, weight_high
        How often each rater looks, with intervals one by one.
    lean
        How often a rater who does not look takes the first side.
    named
        Raters whose weight is below a half with its whole interval.
    log_likelihood
        Of the votes.
    """

    main: ClassVar[str] = "rating"
    units: ClassVar[Mapping[str, str]] = dict.fromkeys(("rating", "stderr", "low", "high", "plain", "without"), POINTS)
    in_summary: ClassVar[tuple[str, ...]] = ("named", "log_likelihood", "interval")

    agents: tuple[str, ...]
    rating: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    interval: Interval
    plain: FloatArray
    without: FloatArray
    raters: tuple[str, ...]
    votes: FloatArray
    weight: FloatArray
    weight_low: FloatArray
    weight_high: FloatArray
    lean: FloatArray
    named: tuple[str, ...]
    log_likelihood: float

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first, in Elo points: with weights, without, and without the raters that are named."""
        columns = {name: in_points(getattr(self, name)) for name in self.units}
        return pl.DataFrame({"agent": list(self.agents)} | columns).sort(
            "rating", descending=True, maintain_order=True
        )  # fmt: skip

    def rater_frame(self) -> "pl.DataFrame":
        """Give the raters, those that look least first."""
        columns = {"votes": self.votes, "weight": self.weight, "low": self.weight_low, "high": self.weight_high}
        table = pl.DataFrame({"rater": list(self.raters)} | columns | {"lean": self.lean})
        return table.sort("weight", maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is first either way, how many agents move, and which raters are to count less."""
        best, plain = (self.agents[int(np.argmax(each))] for each in (self.rating, self.plain))
        first = f"{best} is first with and without weights" if best == plain else f"{best} is first instead of {plain}"
        moved = _moved(self.plain, self.rating)
        said = [
            f"With raters weighted by how often they look, {first}; {moved} of {len(self.agents)} agents move by"
            f" more than {FAR} places."
        ]
        if self.named:
            few = "1 rater looks" if len(self.named) == 1 else f"{len(self.named)} raters look"
            drop = (
                ""
                if np.isnan(self.without).any()
                else f"; without them {_moved(self.plain, self.without)} agents move as far"
            )
            said.append(f"{few} at less than half of what they vote on ({some_of(self.named)}){drop}.")
        else:
            said.append("Of no rater does the whole interval lie below a half.")
        return tuple(said)


def _moved(one: FloatArray, other: FloatArray) -> int:
    ranks = [np.argsort(np.argsort(-each, kind="stable")) for each in (one, other)]
    return int((np.abs(ranks[0] - ranks[1]) > FAR).sum())


@method(
    takes="matches",
    answers="Who is better if raters who do not look count less, and which raters are they?",
    reference="Bradley and Terry (1952); Chen, Bennett, Collins-Thompson and Horvitz (2013)",
    resampled="its errors are over raters and items at once, in closed form",
)
def rater_weighted(
    matches: Matches,
    *,
    rater: str | None = None,
    item: str | None = None,
    level: float = 0.95,
) -> RaterWeighted:
    r"""Who is better if raters who do not look count less, and which raters are they?

    .. math:: P(\text{first preferred}) = g_w\, \sigma(s_a - s_b) + (1 - g_w)\, q_w

    Parameters
    ----------
    matches
        Votes, one row each. Ties are left out.
    rater, item
        As in :func:`judges`: who voted, by whom errors are clustered, and what on, by which they are clustered as well.
    level
        Of the intervals, one by one.

    Returns
    -------
    RaterWeighted
        Ratings, weights of raters, and what dropping the worst raters does instead.

    Fails when
        nobody says who voted, agents never met, or no vote is decisive. A rater whose votes contradict the others' is
        not told from one who guesses.

    References
    ----------
    Chen, Bennett, Collins-Thompson and Horvitz (2013), Pairwise ranking aggregation in a crowdsourced setting: another
    model of raters for the same purpose.

    Examples
    --------
    >>> import numpy as np, equipoise as eq
    >>> rng = np.random.default_rng(1)
    >>> a = rng.integers(3, size=300)
    >>> b = (a + rng.integers(1, 3, size=300)) % 3
    >>> who = np.repeat(["ann", "bob", "cyd"], 100)
    >>> won = np.where(who == "cyd", True, rng.random(300) < 1 / (1 + np.exp(2.0 * (a - b))))  # cyd: always the first
    >>> m = eq.Matches.from_columns(np.array(list("xyz"))[a], np.array(list("xyz"))[b], won.astype(float), group=who)
    >>> eq.methods.rater_weighted(m, rater="group").named
    ('cyd',)
    """
    who = found_column(matches, "rater", rater, JUDGES)
    if who is None:
        raise DataError("nobody says who voted", advice=[Advice("name the column of raters with ", Option("rater"))])
    what = found_column(matches, "item", item, ITEMS) or matches.task
    rows = _decisive(matches)
    decisive = replace(matches.take(rows), weight=None)
    plain = bradley_terry(replace(decisive, group=None, crossed={}), prior=None)
    present, codes = np.unique(who.codes[rows], return_inverse=True)
    order = np.argsort(codes, kind="stable")
    a, b = (side[order].astype(np.int64) for side in (decisive.a, decisive.b))
    sign = np.where(decisive.outcome[order] > 0.5, 1.0, -1.0)
    votes = AttentionModel(a, b, codes[order], sign, len(decisive.agents))
    theta, at, iterations, slope = _fitted(votes)
    turned = np.concatenate([-theta[: votes.agents], theta[votes.agents :]])
    again, there, *_ = _fitted(votes, turned)
    notes = _notes(votes, int(matches.weights[matches.outcome == 0.5].sum()), at.value - there.value)
    if there.value > at.value:
        theta, at = again, there
    items = None if what is None else what.codes[rows][order].astype(np.int64)
    stderr = _errors(votes, at, items)
    few = min(len(votes.starts) - 1, len(rows) if items is None else len(np.unique(items))) - 1
    reach = two_sided_quantile(level, max(few, 1)) * stderr
    rating = theta[: votes.agents] - theta[: votes.agents].mean()
    g, q = votes.grid
    weight, lean = at.posterior @ g, at.posterior @ (q * (1 - g)) / (at.posterior @ (1 - g))
    low, high = (_quantile(at.posterior, p) for p in ((1 - level) / 2, (1 + level) / 2))
    names = tuple(who.labels[k] for k in present)
    poor = high < HALF
    named = tuple(name for name, bad in zip(names, poor, strict=True) if bad)
    return RaterWeighted(
        agents=matches.agents, rating=frozen(rating), stderr=frozen(stderr), low=frozen(rating - reach),
        high=frozen(rating + reach), interval=Interval("one-by-one, clustered by rater and item", level),
        plain=frozen(plain.rating), without=frozen(_without(decisive, ~poor[codes], plain.rating)), raters=names,
        votes=frozen(np.bincount(codes).astype(float)), weight=frozen(weight), weight_low=frozen(low),
        weight_high=frozen(high), lean=frozen(lean), named=named, log_likelihood=at.likelihood,
        fit=Fit(converged=slope <= SETTLED, iterations=iterations, residual=slope),
        diagnostics=(*matches.diagnostics, *notes), params=frozen_params(rater=rater, item=item, level=level),
    )  # fmt: skip


def _decisive(matches: Matches) -> IntArray:
    """Give the positions of votes that are no ties, as often as they count."""
    rows, weight = np.flatnonzero(matches.outcome != 0.5), matches.weights
    if not len(rows):
        raise DataError("no vote is decisive: nothing tells raters apart")
    if not np.isin(matches.outcome, (0.0, 0.5, 1.0)).all() or (weight != np.rint(weight)).any():
        raise DataError("weights of raters need whole votes for one side or the other, no shares")
    return np.repeat(rows, weight[rows].astype(np.int64))


def _without(decisive: Matches, kept: npt.NDArray[np.bool_], plain: FloatArray) -> FloatArray:
    """Rate by the votes of the other raters; NaN where they leave somebody without a game."""
    if kept.all():
        return plain
    rest = decisive.take(np.flatnonzero(kept))
    try:
        return bradley_terry(replace(rest, group=None, crossed={}), prior=None).rating
    except DataError:
        return np.full(len(plain), np.nan)


def _notes(votes: AttentionModel, ties: int, ahead: float) -> tuple[Diagnostic, ...]:
    notes = [info("ties-left-out", f"{ties:,} ties are left out: they do not say who looked.")] if ties else []
    raters = len(votes.starts) - 1
    if raters < FEW:
        notes.append(info("few-raters", f"{raters} raters tell little about how raters differ: errors are rough."))
    if abs(ahead) > 1e-6:
        advice = [Advice("compare with the ratings of all votes alike, and collect more votes a rater")]
        notes.append(warning("several-optima", "Ratings with turned signs lead to another optimum.", advice=advice))
    return tuple(notes)


def _fitted(votes: AttentionModel, start: FloatArray | None = None) -> tuple[FloatArray, PosteriorPoint, int, float]:
    """Climb by Newton's method, held back where the objective is not concave; give the steps and the slope left."""
    theta = np.concatenate([np.zeros(votes.agents), np.full(4, BETAS)]) if start is None else start
    at, ridge = votes.at(theta), 0.0
    for step in range(MOST_STEPS):
        slope = float(np.abs(at.gradient).max())
        if slope <= SETTLED:
            return theta, at, step, slope
        lowest = float(np.linalg.eigvalsh(at.information)[0])
        held = at.information + (max(ridge, 0.1 - lowest if lowest <= 0 else 0.0)) * np.eye(len(theta))
        moved = theta + np.linalg.solve(held, at.gradient)
        there = votes.at(moved)
        if there.value >= at.value - 1e-12 * abs(at.value):
            theta, at, ridge = moved, there, ridge / 8 if ridge > 1e-3 else 0.0
        else:
            ridge = max(8 * ridge, 0.1)
    raise ConvergenceError(f"ratings by weighted raters did not settle in {MOST_STEPS} steps")


def _errors(votes: AttentionModel, at: PosteriorPoint, items: IntArray | None) -> FloatArray:
    """Give standard errors of ratings less their mean, over raters and items: clustered by both, less by single cells.

    They are never smaller than by the model.
    """
    n = len(votes.a)
    model = np.linalg.inv(at.information)
    centred = np.eye(votes.agents) - 1.0 / votes.agents
    reach = centred @ model[: votes.agents, : votes.agents]
    rows = np.concatenate([votes.a, votes.b])
    values = np.concatenate([at.by_vote, -at.by_vote])
    table = scipy.sparse.csr_array((values, (rows, np.tile(np.arange(n), 2))), shape=(votes.agents, n))

    def clustered(codes: IntArray) -> FloatArray:
        _, where = np.unique(codes, return_inverse=True)
        count = int(where.max()) + 1
        gather = scipy.sparse.csr_array((np.ones(n), (np.arange(n), where)), shape=(n, count))
        moves = reach @ (table @ gather)
        found: FloatArray = (moves**2).sum(axis=1) * count / max(count - 1, 1)
        return found

    least = np.diag(centred @ model[: votes.agents, : votes.agents] @ centred)
    both = clustered(votes.rater)
    if items is not None:
        both = both + clustered(items) - clustered(votes.rater * (int(items.max()) + 1) + items)
    return np.sqrt(np.maximum(both, least))


def _quantile(posterior: FloatArray, p: float) -> FloatArray:
    """Give a quantile of the weight of each rater, between points of the grid."""
    mass = posterior.reshape(len(posterior), LOOKS, LEANS).sum(axis=2)
    edges, below = (
        np.linspace(0.0, 1.0, LOOKS + 1),
        np.concatenate([np.zeros((len(mass), 1)), mass.cumsum(axis=1)], axis=1),
    )
    return np.array([np.interp(p, row, edges) for row in below])
