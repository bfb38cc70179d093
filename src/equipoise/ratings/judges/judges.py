"""Do judges favour a side, or their own? Side advantages by judge and by agent; both orders; self-preference."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, has_code, info
from equipoise.core.errors import some_of
from equipoise.core.lazy import pl
from equipoise.core.results import Estimate, FloatArray, Interval, Result, frozen_params
from equipoise.core.units import ELO_POINT, POINTS_DIFFERENCE, estimate_in_points, estimate_words
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import CLUSTERS_FOUND, Matches
from equipoise.ratings.judges.agreement import Agreement
from equipoise.ratings.judges.both_orders import BothOrders, both_orders
from equipoise.ratings.judges.position_effects import FEWEST_POOLED, SideTerms, side_terms
from equipoise.ratings.judges.self_preference import SelfPreference, own_side, self_preference
from equipoise.ratings.judges.vote_columns import ITEMS, JUDGES, found_column
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.raters.rater_weighted import RaterWeighted

EVERYBODY = "all votes"
"""The name of the one judge where nobody says who judged."""
FEW_VOTES = 10


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Judges(Result):
    """Side advantages and preferences of judges, in log-odds; ``frame`` and ``summary`` have them in Elo points.

    Attributes
    ----------
    judges
        Their names.
    votes, first_share
        Votes of each, and the share of points that the first side took in them.
    advantage, stderr, low, high
        The first-position advantage with each judge, partially pooled.
    p_value, flagged
        Of no advantage with this judge, one by one; whom that singles out, all of them together (Holm).
    side
        The first-position advantage over all votes.
    by_judge, by_agent
        The same for judges with their spread; and what each agent gains in the first position.
    orders
        Judgments of the same answers in both orders; None where there are none.
    own
        Self-preference; None where nobody knows who is of which organisation.
    agreement
        How far judges agree on the same items, where that was asked; None where no item has votes of two.
    weighted
        Ratings in which judges who do not look count less, where that was asked.
    """

    rows_name: ClassVar[str] = "judges"
    main: ClassVar[str] = "advantage"
    units: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("advantage", "stderr", "low", "high"), POINTS_DIFFERENCE),
        **dict.fromkeys(("side", "judges_common", "judges_spread", "agents_spread"), POINTS_DIFFERENCE),
        "self_preference": POINTS_DIFFERENCE,
        "votes": "votes",
        "first_share": "share",
    }

    by_judge: SideTerms
    by_agent: SideTerms
    side: Estimate
    interval: Interval
    orders: BothOrders | None = None
    own: SelfPreference | None = None
    agreement: Agreement | None = None
    weighted: RaterWeighted | None = None

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges."""
        return self.by_judge.names

    @property
    def advantage(self) -> FloatArray:
        """The first-position advantage with each judge."""
        return self.by_judge.advantage

    @property
    def low(self) -> FloatArray:
        """Lower ends of the intervals of the judges' advantages."""
        return self.by_judge.low

    @property
    def high(self) -> FloatArray:
        """Upper ends of these."""
        return self.by_judge.high

    @property
    def flagged(self) -> tuple[str, ...]:
        """Judges that favour a side, Holm-adjusted."""
        return _flagged(self.by_judge)

    def frame(self) -> "pl.DataFrame":
        """Give the judges, most votes first, advantages in Elo points."""
        return pl.DataFrame(self.by_judge.rows("judge"))

    def summary(self) -> dict[str, object]:
        """Give, in Elo points, the overall advantage, that of each agent, both orders and self-preference."""
        summary: dict[str, object] = {
            "side": estimate_in_points(self.side),
            "interval": self.interval,
            "judges_common": self.by_judge.common / ELO_POINT,
            "judges_spread": self.by_judge.spread / ELO_POINT,
            "agents": self.by_agent.rows("agent"),
            "agents_spread": self.by_agent.spread / ELO_POINT,
        }
        summary["orders"] = None if self.orders is None else self.orders.to_dict()
        summary["self_preference"] = None if self.own is None else estimate_in_points(self.own.pooled)
        summary["own"] = [] if self.own is None else self.own.rows()
        summary["agreement"] = None if self.agreement is None else self.agreement.summary()
        if self.weighted is not None:
            summary["weighting"] = self.weighted.summary()
            summary["weights"] = self.weighted.rater_frame().to_dicts()
            summary["weighted_ratings"] = self.weighted.frame().to_dicts()
        return summary

    @property
    def answer(self) -> tuple[str, ...]:
        """Whether the first side is favoured, by whom, for whom; then both orders, self-preference and agreement."""
        sentences = [_side_words(self.side)]
        if len(self.judges) > 1:
            sentences.append(_who_words(self.by_judge, "judges", "favour a side", "favours a side"))
        gains = ("gain more or less than others in the first position", "gains more or less in the first position")
        sentences.append(_who_words(self.by_agent, "agents", *gains))
        sentences += () if self.orders is None else self.orders.words
        sentences += () if self.own is None else self.own.words
        sentences += () if self.agreement is None else self.agreement.answer
        sentences += () if self.weighted is None else self.weighted.answer
        return tuple(sentences)


def _flagged(terms: SideTerms) -> tuple[str, ...]:
    return tuple(name for name, flagged in zip(terms.names, terms.flagged, strict=True) if flagged)


def _side_words(side: Estimate) -> str:
    sure = estimate_words(side)
    if side.low > 0:
        return f"Position bias: the first position has an advantage of {sure}."
    if side.high < 0:
        return f"Position bias: the second position has the advantage, the first has {sure}."
    return f"No significant position bias: {sure} for the first position."


def _who_words(terms: SideTerms, what: str, they: str, one: str) -> str:
    named = _flagged(terms)
    if not named:
        return f"None of the {len(terms.names):,} {what} significantly {one}."
    some = [f"{name} ({terms.advantage[terms.names.index(name)] / ELO_POINT:+.0f} Elo points)" for name in named]
    verb = one if len(named) == 1 else they
    return f"{len(named):,} of {len(terms.names):,} {what} {verb} (Holm-adjusted): {some_of(some)}."


@method(
    takes="matches",
    answers="Do judges have a position bias or self-preference, and do they decide alike when answers change places?",
    reference="Zheng et al. (2023); Bradley and Terry (1952)",
    resampled="errors are in closed form, and judges are not exchangeable with each other",
)
def judges(
    matches: Matches,
    *,
    judge: str | None = None,
    item: str | None = None,
    organisation: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> Judges:
    r"""Do judges have a position bias or self-preference, and do they decide alike when answers change places?

    .. math:: P(a \text{ preferred}) = \sigma(r_a - r_b + g + u_k), \qquad u_k \sim N(0, \tau^2)

    with k the judge of the vote; once more with k the agent that comes first.

    Parameters
    ----------
    matches
        Votes, one row each; with a ``group`` (prompts, sessions) errors are clustered by it, else by judge and item.
    judge
        Label of the matches that says who judged (or ``group``, ``task``); by default the one with a usual name
        (judge, rater, worker, voter ...), and all votes are one judge's where there is none.
    item
        Label that says what was judged: judgments of one item and pair in both orders are compared. By default one with
        a usual name (item, question_id, prompt ...), or the task.
    organisation
        Organisations of agents and judges by name; by default the labels organisation_a, organisation_b and
        organisation_judge (or organisation), where they are kept.
    level
        Of the intervals, and of the flags of all judges (of all agents) together.

    Returns
    -------
    Judges
        The overall first-position advantage, those of judges and agents, both orders, self-preference.

    Fails when
        agents never met, or strength explains the side as well (the same agent always comes first). Advantages of
        judges with few votes are drawn towards the others', which is right on average over judges and not for an odd
        one: whom to single out is tested apart. Self-preference of one judge alone cannot be told from strength.

    References
    ----------
    Zheng et al. (2023), Judging LLM-as-a-judge with MT-bench and chatbot arena.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("xyxyxyxy", "yxyxyxyx", [1, 1, 1, 0, 1, 1, 0, 1], task="ppqqrrss")
    >>> found = eq.judges(m)
    >>> found.orders.pairs, round(float(found.orders.consistent), 2)
    (4, 0.5)
    """
    who = found_column(matches, "judge", judge, JUDGES)
    everybody = Factor((EVERYBODY,), np.zeros(len(matches), dtype=np.int32))
    what = found_column(matches, "item", item, ITEMS) or matches.task
    plain = bradley_terry(_clustered(matches, who, what), side=True, level=level)
    assert plain.side is not None  # a side was asked for
    prior = plain.params["prior"]
    precision = 1 / prior**2 if isinstance(prior, float) else 0.0
    start = np.asarray(plain.rating)
    if has_code(matches.diagnostics, CLUSTERS_FOUND):
        matches = replace(matches, group=None, crossed={})  # a judge's own votes are told apart by nothing here
    by_judge = side_terms(matches, who or everybody, start, against_common=False, level=level, precision=precision)
    first = Factor(matches.agents, matches.a)
    by_agent = side_terms(matches, first, start, against_common=True, level=level, precision=precision)
    orders = None if what is None else both_orders(matches, what, who, start, level)
    own, notes = None, _notes(by_judge, who)
    if organisation is not None or who is not None:
        z = own_side(matches, who or everybody, organisation)
        if z is not None:
            own, more = self_preference(matches, who or everybody, z, side=True, level=level)
            notes += more
    return Judges(
        by_judge=by_judge, by_agent=by_agent, side=plain.side, interval=Interval("partially pooled", level),
        orders=orders, own=own, fit=plain.fit, diagnostics=(*plain.diagnostics, *notes),
        params=frozen_params(judge=judge, item=item, organisation=organisation, level=level),
    )  # fmt: skip


def _clustered(matches: Matches, who: Factor | None, what: Factor | None) -> Matches:
    """Cluster votes by judge and item where they have no clusters: judges of one item are not independent."""
    columns = [one for one in (who, what) if one is not None and FEWEST_POOLED <= len(one.labels) < len(matches)]
    if matches.group is not None or not columns:
        return matches
    first, *others = columns
    return replace(matches, group=first, crossed={f"further {k}": other for k, other in enumerate(others)})


def _notes(terms: SideTerms, who: Factor | None) -> tuple[Diagnostic, ...]:
    if who is None:
        return (info("no-judges", "Nobody says who judged: all votes count as one judge's."),)
    if len(terms.names) < FEWEST_POOLED:
        return (
            info("not-pooled", f"Judges are rated apart: fewer than {FEWEST_POOLED} tell too little of each other."),
        )
    few = [name for name, votes in zip(terms.names, terms.votes, strict=True) if votes < FEW_VOTES]
    message = f"{len(few):,} judges have fewer than {FEW_VOTES} votes: theirs is mostly what the others show."
    spread = terms.spread / ELO_POINT
    pooled = f"Advantages are partially pooled: judges differ by about {spread:.0f} Elo points (standard deviation)."
    return (info("partial-pooling", pooled), *((info("few-votes", message, few),) if few else ()))
