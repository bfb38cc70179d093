"""Do raters agree? Krippendorff's alpha with an interval, and each rater beside the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.data.types.scores import Scores
from equipoise.inference.confidence import clopper_pearson_interval, holm
from equipoise.inference.ranks import two_sided_quantile, two_sided_quantiles
from equipoise.ratings.judges.krippendorff import Disagreement, Distance, Votes, disagreement, jackknife
from equipoise.ratings.judges.vote_columns import ITEMS, JUDGES, found_column

FEWEST_ITEMS, ENOUGH_ITEMS = 3, 20
"""Items from which there is an interval, and from which it is not called rough."""
RARE = 10
"""Items with disagreement below which their number is all that is known about it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Agreement(Result):
    """How far raters agree, beyond chance.

    Attributes
    ----------
    alpha, stderr, low, high
        Krippendorff's alpha (1: always, 0: as by chance), its standard error and its interval over items.
    distance
        What counts as disagreement.
    items, pairable
        Items with two votes or more, and the votes on them.
    raters
        Names of those with such votes.
    votes, rater_alpha, rater_low, rater_high
        Votes of each, and alpha of those votes with others' only: the mean over votes is alpha. Intervals one by one.
    p_value, odd
        Of agreeing as the others do, against agreeing less, one by one; whom that singles out, all together (Holm).
    """

    rows_name: ClassVar[str] = "raters"
    main: ClassVar[str] = "rater_alpha"
    units: ClassVar[Mapping[str, str]] = {"votes": "votes"}

    alpha: float
    stderr: float
    low: float
    high: float
    distance: str
    interval: Interval
    items: int
    pairable: int
    raters: tuple[str, ...]
    votes: FloatArray
    rater_alpha: FloatArray
    rater_low: FloatArray
    rater_high: FloatArray
    p_value: FloatArray
    odd: npt.NDArray[np.bool_]

    def frame(self) -> "pl.DataFrame":
        """Give the raters, those that agree least with the others first."""
        table = pl.DataFrame(
            {
                "rater": list(self.raters), "votes": self.votes, "alpha": self.rater_alpha, "low": self.rater_low,
                "high": self.rater_high, "p_value": self.p_value, "odd": self.odd,
            }
        )  # fmt: skip
        return table.sort("alpha", maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give alpha with its interval, and what it was computed from."""
        names = ("alpha", "stderr", "low", "high", "distance", "interval", "items", "pairable")
        return {name: getattr(self, name) for name in names}

    @property
    def answer(self) -> tuple[str, ...]:
        """How far raters agree, and who stands out."""
        sure = f" ({self.low:.2f} to {self.high:.2f})" if np.isfinite(self.low) else ""
        alpha = (
            f"Krippendorff's alpha ({self.distance}) is {self.alpha:.3f}{sure}, from {self.pairable:,} votes of"
            f" {len(self.raters):,} raters on {self.items:,} items: {_grade(self.alpha)}."
        )
        named = [name for name, odd in zip(self.raters, self.odd, strict=True) if odd]
        if not named:
            return (alpha, f"None of the {len(self.raters):,} raters has a significantly low agreement.")
        some = [f"{name} ({self.rater_alpha[self.raters.index(name)]:.2f})" for name in named]
        return (alpha, f"Low inter-rater agreement, Holm-adjusted: {some_of(some)}.")


def _grade(alpha: float) -> str:
    if alpha >= 0.8:
        return "reliable by the usual reading"
    if alpha >= 0.667:
        return "good enough for tentative conclusions by the usual reading"
    return "little agreement beyond chance" if alpha < 0.2 else "too low to rely on single votes by the usual reading"


@method(
    takes=("matches", "scores", "array"),
    answers="How far do raters agree on the same items, and who stands out?",
    reference="Krippendorff (2019); Hayes and Krippendorff (2007)",
    resampled="its interval comes from leaving out items, and its rows are raters",
)
def agreement(
    data: Matches | Scores | npt.ArrayLike,
    *,
    rater: str | None = None,
    item: str | None = None,
    distance: Distance = "nominal",
    level: float = 0.95,
) -> Agreement:
    r"""How far do raters agree on the same items, beyond chance?

    .. math:: \alpha = 1 - D_o / D_e

    with :math:`D_o` the mean disagreement of two votes on one item, :math:`D_e` of any two votes.

    Parameters
    ----------
    data
        Votes on pairs (the vote is the first side's score, on each item that of the side which its first vote puts
        first), or a table of raters by items with NaN where nobody voted: an array, or scores (agents are raters).
    rater, item
        Labels of the matches that say who voted and on what (or ``group``, ``task``); by default those with usual names
        (judge, rater, worker ...; item, question_id, prompt ...). The pair is part of the item.
    distance
        ``nominal``: votes are equal or not; ``ordinal``: a tie lies between the sides; ``interval``: by how much votes
        differ, as for probabilities.
    level
        Of the intervals, and of naming odd raters, all of them together.

    Returns
    -------
    Agreement
        Alpha with its interval, and each rater beside the others.

    Fails when
        no item has two votes, or all votes are the same. The interval is over items like these, with raters like these
        (the jackknife, on the scale of log(1 - alpha)); with fewer than about 20 items it is rough.

    References
    ----------
    Krippendorff (2019), Content Analysis; Hayes and Krippendorff (2007), Answering the call for a standard reliability
    measure for coding data.

    Examples
    --------
    >>> import equipoise as eq
    >>> found = eq.agreement([[1, 2, 3, 3, 2], [1, 2, 3, 3, 2], [float("nan"), 3, 3, 3, 2]])
    >>> round(found.alpha, 4)
    0.7797
    """
    names, codes, on, value = votes_of(data, rater, item)
    votes = Votes.of(codes, on, value)
    if not votes.items:
        raise DataError("no item has votes of two raters: there is nothing to agree on")
    seen = disagreement(votes, distance)
    if not seen.expected > 0:
        raise DataError("all votes are the same: nothing tells agreement from chance")
    stderr, low, high, notes = _uncertainty(votes, distance, seen, level)
    who = np.unique(votes.rater)
    parts = _raters(votes, seen, level)
    return Agreement(
        alpha=seen.alpha, stderr=stderr, low=low, high=high, distance=distance, items=votes.items,
        interval=Interval("jackknife over items", level), pairable=len(votes.value),
        raters=tuple(names[k] for k in who), votes=frozen(parts[0]), rater_alpha=frozen(parts[1]),
        rater_low=frozen(parts[2]), rater_high=frozen(parts[3]), p_value=frozen(parts[4]),
        odd=frozen(holm(parts[4]) <= 1 - level), diagnostics=notes,
        params=frozen_params(rater=rater, item=item, distance=distance, level=level),
    )  # fmt: skip


def votes_of(
    data: Matches | Scores | npt.ArrayLike, rater: str | None, item: str | None
) -> tuple[tuple[str, ...], "np.ndarray", "np.ndarray", FloatArray]:
    """Names of raters, then rater, item and value of each vote."""
    if isinstance(data, Matches):
        return _of_matches(data, rater, item)
    for name, given in (("rater", rater), ("item", item)):
        if given is not None:
            raise DataError(Option(name), " names a label of matches; a table has raters by rows and items by columns")
    if isinstance(data, Scores):
        if data.repeats is not None:
            raise DataError("a rater has several scores on an item here; agreement takes one vote each")
        names, table = data.agents, data.values
    else:
        table = np.asarray(data, dtype=float)
        names = tuple(f"rater {k + 1}" for k in range(len(table)))
    if table.ndim != 2:
        raise DataError(f"votes are a table of raters by items, not an array with {table.ndim} axes")
    if np.isinf(table).any():
        raise DataError("votes are finite numbers, or NaN where nobody voted")
    who, on = np.nonzero(~np.isnan(table))
    return names, who, on, table[who, on]


def _of_matches(
    matches: Matches, rater: str | None, item: str | None
) -> tuple[tuple[str, ...], "np.ndarray", "np.ndarray", FloatArray]:
    who = found_column(matches, "rater", rater, JUDGES)
    what = found_column(matches, "item", item, ITEMS) or matches.task
    if who is None:
        raise DataError(
            "nobody says who voted", advice=[Advice("name the label of raters with ", Option("rater"))],
        )  # fmt: skip
    if matches.weight is not None and not (matches.weight == 1).all():
        raise DataError("these matches are counts of votes; agreement needs single votes")
    on, turned = _items(matches, what)
    return who.labels, who.codes.astype(np.int64), on, np.where(turned, 1 - matches.outcome, matches.outcome)


def _items(matches: Matches, what: Factor | None) -> tuple["np.ndarray", "np.ndarray"]:
    """Number what was judged (with the pair), and tell votes that saw it the other way round than its first vote."""
    n = len(matches.agents)
    low, high = np.minimum(matches.a, matches.b).astype(np.int64), np.maximum(matches.a, matches.b)
    key = low * n + high if what is None else (what.codes.astype(np.int64) * n + low) * n + high
    _, first, on = np.unique(key, return_index=True, return_inverse=True)
    return on, matches.a != matches.a[first][on]


def _uncertainty(
    votes: Votes, distance: Distance, seen: Disagreement, level: float
) -> tuple[float, float, float, tuple[Diagnostic, ...]]:
    """Standard error and interval from leaving out each item, on the scale of the log of 1 - alpha.

    Where few items have any disagreement, the interval is at least that of their number (Clopper and Pearson).
    """
    ratio, split = seen.observed / seen.expected, np.bincount(votes.item, seen.of_votes, votes.items) > 1e-12
    rare = int(split.sum())
    fewest, most = (float(part) * votes.items for part in clopper_pearson_interval(rare, votes.items, 1 - level))
    if not rare:
        message = "Raters agree on every item: the interval is what as many items can say of rare disagreement."
        apart = 2.0 / len(votes.value) / (1 - _same_by_chance(votes))  # one vote against the others
        return 0.0, 1 - most * apart, 1.0, (warning("no-disagreement", message),)
    without = jackknife(votes, distance)
    known = without[np.isfinite(without) & (without < 1)]
    count = len(known)
    if count < FEWEST_ITEMS:
        message = f"{votes.items:,} items are too few for an interval of alpha."
        return float("nan"), -np.inf, 1.0, (warning("few-items", message),)
    logs = np.log1p(-known)
    spread = float(np.sqrt((count - 1) / count * ((logs - logs.mean()) ** 2).sum()))
    up = down = two_sided_quantile(level, count - 1) * spread
    if rare < RARE:
        up, down = max(up, float(np.log(most / rare))), max(down, float(np.log(rare / fewest)))
    notes: tuple[Diagnostic, ...] = ()
    if count < ENOUGH_ITEMS:
        notes = (info("few-items", f"{votes.items:,} items tell little about agreement: the interval is rough."),)
    return ratio * spread, 1 - ratio * float(np.exp(up)), 1 - ratio * float(np.exp(-down)), notes


def _same_by_chance(votes: Votes) -> float:
    """The chance that two votes on any items are the same."""
    counts = np.bincount(votes.value).astype(float)
    n = counts.sum()
    return float((counts @ counts - n) / (n * (n - 1)))


def _raters(votes: Votes, seen: Disagreement, level: float) -> tuple[FloatArray, ...]:
    """Votes, alpha with its ends, and the p-value of agreeing as others do, of each rater with pairable votes."""
    at = np.unique(votes.rater, return_inverse=True)[1]
    count = np.bincount(at).astype(float)
    mean = np.bincount(at, seen.of_votes) / count
    # Few votes may look alike by chance: a rater's spread is at least that of all votes.
    squares = np.bincount(at, (seen.of_votes - mean[at]) ** 2) / np.maximum(count - 1, 1)
    variance = np.maximum(squares, float(seen.of_votes.var()))
    error, degrees = np.sqrt(variance / count), np.maximum(count - 1, 1.0)
    reach = two_sided_quantiles(level, degrees) * error
    ratio = (mean - seen.observed) / np.where(error > 0, error, np.inf)
    p = scipy.special.stdtr(degrees, -ratio)
    alpha, low, high = (1 - part / seen.expected for part in (mean, mean + reach, np.maximum(mean - reach, 0.0)))
    return count, np.asarray(alpha), np.asarray(low), np.asarray(high), np.asarray(p)
