"""What boards by category give: a rating of each agent in each category, and who is special where."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.core.errors import some_of
from equipoise.core.lazy import pl
from equipoise.core.results import Estimate, FloatArray, IntArray, Interval, Result
from equipoise.core.units import ELO_POINT, POINTS, POINTS_DIFFERENCE, estimate_in_points, in_declared_units
from equipoise.inference.ranks import Ranks

MOST_SAID = 4
"""Special agents, and leaders of categories, that are said in words; tables have them all."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class CategoryBoards(Result):
    """Ratings in log-odds of each agent (rows) in each category (columns), relative to the mean of all agents there.

    Attributes
    ----------
    rating, low, high
        Of each agent in each category, partially pooled with what the agent does elsewhere.
    overall, overall_low, overall_high
        The mean over these categories, each counting alike.
    difference, difference_low, difference_high
        What the category adds to the agent's overall rating.
    special
        1 where an agent is significantly better in a category than overall, -1 where it is significantly worse, else 0;
        all agents and categories together at the level.
    told
        Which share of what is unknown about a difference the games took away: near 0, a slice says nothing of its own.
    games
        Played by each agent in each category.
    tau
        Standard deviation of differences between categories, with its interval.
    shown
        Whether the games show at all that categories differ.
    side
        Advantage of the first-named side in log-odds; None if not asked for.
    dispersion
        By how much scores vary, beside games won and lost: less than 1 where there are ties.
    ranks, overall_ranks
        Give best and worst ranks, simultaneous within a board.
    """

    rows_name: ClassVar[str] = "boards"
    main: ClassVar[str] = "rating"
    units: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("rating", "low", "high", "overall"), POINTS),
        **dict.fromkeys(("difference", "difference_low", "difference_high", "tau", "side"), POINTS_DIFFERENCE),
        "told": "share",
        "games": "games",
    }

    agents: tuple[str, ...]
    by: str
    categories: tuple[str, ...]
    rating: FloatArray
    low: FloatArray
    high: FloatArray
    overall: FloatArray
    overall_low: FloatArray
    overall_high: FloatArray
    difference: FloatArray
    difference_low: FloatArray
    difference_high: FloatArray
    special: IntArray
    told: FloatArray
    games: FloatArray
    tau: Estimate
    shown: bool
    dispersion: float
    log_likelihood: float
    interval: Interval
    ranks: tuple[Ranks, ...]
    overall_ranks: Ranks
    side: Estimate | None = None

    @property
    def rank_low(self) -> IntArray:
        """Best rank that the data allow each agent in each category."""
        return np.column_stack([ranks()[0] for ranks in self.ranks])

    @property
    def rank_high(self) -> IntArray:
        """Worst rank that the data allow each agent in each category."""
        return np.column_stack([ranks()[1] for ranks in self.ranks])

    def board(self, category: int | None = None) -> "pl.DataFrame":
        """Give one board in Elo points, best first: that of a category by its number, or the overall one."""
        if category is None:
            names, at, ranks = ("overall", "overall_low", "overall_high"), ..., self.overall_ranks
        else:
            names, at, ranks = ("rating", "low", "high"), (slice(None), category), self.ranks[category]  # type: ignore[assignment]
        rating, low, high = (getattr(self, name)[at] for name in names)
        best, worst = ranks()
        games = self.games.sum(axis=1) if category is None else self.games[:, category]
        columns = {"rating": rating, "low": low, "high": high, "rank_low": best, "rank_high": worst, "games": games}
        if category is not None:
            compared = ("difference", "difference_low", "difference_high", "special", "told")
            columns |= {name: getattr(self, name)[:, category] for name in compared}
        table = in_declared_units(pl.DataFrame({"agent": list(self.agents), **columns}), self.units)
        return table.sort("rating", descending=True, maintain_order=True)

    def frame(self) -> "pl.DataFrame":
        """Give all boards, in Elo points, one below the other, each best first."""
        boards = [
            self.board(c).select(pl.lit(name).alias("category"), pl.all()) for c, name in enumerate(self.categories)
        ]
        return pl.concat(boards)

    def summary(self) -> dict[str, object]:
        """Give the overall board, how far categories move ratings, and the first-position advantage, in Elo points."""
        tau, side = estimate_in_points(self.tau), None if self.side is None else estimate_in_points(self.side)
        summary: dict[str, object] = {"by": self.by, "overall": self.board().to_dicts(), "tau": tau}
        summary |= {"differ": self.shown, "side": side, "dispersion": self.dispersion, "interval": self.interval}
        return summary | {"log_likelihood": self.log_likelihood}

    @property
    def answer(self) -> tuple[str, ...]:
        """How far categories move ratings, who leads, and the category effects."""
        return (self._leader(), self._spread(), *self._leaders(), self._special())

    def _leader(self) -> str:
        best = some_of([self.agents[int(np.argmax(self.overall))]])
        among = int(np.sum(self.overall_ranks()[0] == 1))
        if among == 1:
            return f"{best} is best overall ({self._level})."
        others = f"{among - 1} of the other {len(self.agents) - 1} agents"
        return f"{best} has the highest rating overall, but {others} cannot be ruled out as best."

    def _spread(self) -> str:
        size, low, high = (value / ELO_POINT for value in (float(self.tau), self.tau.low, self.tau.high))
        if self.params.get("tau") is not None:
            return f"Categories are taken to move ratings by {size:.0f} Elo points (standard deviation)."
        sure = f"{size:.0f} Elo points (standard deviation; {low:.0f} to {high:.0f})"
        if self.shown:
            return f"Ratings differ between categories of {self.by} by {sure}."
        return (
            f"The games do not show that ratings differ between categories of {self.by}; if they do, it is by at most"
            f" {high:.0f} Elo points (standard deviation)."
        )

    def _leaders(self) -> tuple[str, ...]:
        """Name categories that have another leader, significantly."""
        first = int(np.argmax(self.overall))
        other = [
            f"{some_of([self.agents[int(np.argmax(self.rating[:, c]))]])} in {some_of([name])}"
            for c, name in enumerate(self.categories)
            if self.ranks[c]()[0][first] > 1
        ]
        if not other:
            return ()
        more = f" and in {len(other) - MOST_SAID:,} more" if len(other) > MOST_SAID else ""
        named = ", ".join(other[:MOST_SAID])
        leader = some_of([self.agents[first]])
        return (f"{leader} is not best everywhere ({self._level}): the highest rating has {named}{more}.",)

    def _special(self) -> str:
        places = np.argwhere(self.special != 0)
        if not len(places):
            return f"No category effect is significant at {self._level}, adjusted for all agents and categories."
        places = places[np.argsort(-np.abs(self.difference[places[:, 0], places[:, 1]]), kind="stable")]
        said = []
        for a, c in places[:MOST_SAID]:
            value, low, high = (
                part[a, c] / ELO_POINT for part in (self.difference, self.difference_low, self.difference_high)
            )
            who, where = some_of([self.agents[a]]), some_of([self.categories[c]])
            said.append(f"{who} in {where} ({value:+.0f}, {low:+.0f} to {high:+.0f})")
        more = f" and {len(places) - MOST_SAID:,} more" if len(places) > MOST_SAID else ""
        listed = ", ".join(said)
        return f"Category effects at {self._level}, adjusted for all, in Elo beside the overall rating: {listed}{more}."

    @property
    def _level(self) -> str:
        return f"{100 * self.interval.level:g}%"
