"""Who votes, and how far do votes of one voter hang together? Ratings with errors clustered by voter; agreement."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from equipoise.analyses.analysis import Analysis, Origin, each_once
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, IntArray, frozen, frozen_params
from equipoise.core.units import POINTS, in_declared_units
from equipoise.data.types.matches import CLUSTERS_FOUND, Matches
from equipoise.ratings.judges.agreement import Agreement, agreement
from equipoise.ratings.judges.vote_columns import named_column
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.result import BradleyTerry


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class WeighedVoters(Analysis):
    """The voters behind a board.

    Attributes
    ----------
    rated
        The ratings, with errors clustered by voter.
    independent
        The same ratings with errors as if every vote came from somebody else.
    voters
        Votes of each voter, most first.
    agreement
        How far voters agree on the same items; None where no item has votes of two.
    """

    main: ClassVar[str] = "rated"
    units: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("rating", "low", "high", "independent_low", "independent_high"), POINTS
    )

    rated: BradleyTerry
    independent: BradleyTerry
    voters: IntArray
    agreement: Agreement | None = None

    @property
    def wider(self) -> FloatArray:
        """How many times as wide the intervals are as with independent votes, agent by agent."""
        ours, plain = (np.asarray(fit.high) - np.asarray(fit.low) for fit in (self.rated, self.independent))
        return frozen(np.divide(ours, plain, out=np.full(len(ours), np.nan), where=plain > 0))

    @property
    def answer(self) -> tuple[str, ...]:
        """How many vote how often, what that does to the intervals, and how far voters agree."""
        votes, many = int(self.voters.sum()), len(self.voters)
        top = -(-many // 10)
        share = self.voters[:top].sum() / votes
        busiest = "the busiest gave" if top == 1 else f"the {top:,} busiest gave"
        told = [f"{many:,} voters gave {votes:,} votes; {busiest} {share:.0%} of them."]
        known = self.wider[np.isfinite(self.wider)]
        if len(known):
            told.append(
                f"Clustered by voter, intervals of ratings are {np.median(known):.2f} times as wide as those that take"
                f" votes for independent (median; {known.min():.2f} to {known.max():.2f})."
            )
        return (*told, *(() if self.agreement is None else self.agreement.answer))

    def frame(self) -> "pl.DataFrame":
        """Give ratings in Elo points with both kinds of intervals, best first."""
        plain = self.independent
        columns: dict[str, Any] = {"agent": plain.agents, "independent_low": plain.low, "independent_high": plain.high}
        beside = in_declared_units(pl.DataFrame({**columns, "wider": self.wider}), self.units)
        kept = ("agent", "rating", "low", "high", "rank_low", "rank_high")
        return self.rated.frame().select(kept).join(beside, on="agent", how="left", maintain_order="left")

    def summary(self) -> dict[str, object]:
        """Give counts of voters and votes, and agreement."""
        told = None if self.agreement is None else self.agreement.summary()
        return {"voters": len(self.voters), "votes": int(self.voters.sum()), "agreement": told}


def weigh_voters(matches: Matches, *, voter: str, item: str | None = None, level: float = 0.95) -> WeighedVoters:
    """Cluster errors by voter, and ask how far voters agree on the same items.

    Fails when
        there is no such label, or ratings cannot be fitted; see :func:`bradley_terry` and :func:`agreement`.
    """
    who = named_column(matches, "voter", voter)
    votes = np.bincount(who.codes, minlength=len(who.labels))
    # Voters alone are the clusters here.
    others = tuple(note for note in matches.diagnostics if note.code != CLUSTERS_FOUND)
    matches = replace(matches, group=who, crossed={}, diagnostics=others)
    clustered = bradley_terry(matches, components="each", level=level)
    alone = bradley_terry(replace(matches, group=None), components="each", level=level)
    agreed, notes = _agreement(matches, voter, item, level)
    return WeighedVoters(
        data=matches, origin=Origin(), rated=clustered, independent=alone, agreement=agreed,
        voters=frozen(np.sort(votes[votes > 0])[::-1], np.int64), fit=clustered.fit,
        diagnostics=each_once(clustered.diagnostics, () if agreed is None else agreed.diagnostics, notes),
        params=frozen_params(voter=voter, item=item, level=level),
    )  # fmt: skip


def _agreement(
    matches: Matches, voter: str, item: str | None, level: float
) -> tuple[Agreement | None, tuple[Diagnostic, ...]]:
    if item is None:
        return None, ()
    try:
        return agreement(matches, rater=voter, item=item, level=level), ()
    except DataError as error:
        return None, (info("no-agreement", ("Agreement of voters is not given: ", *error.words, ".")),)
