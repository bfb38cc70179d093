"""What changed since the last leaderboard? Two boards to changes of ratings, and which of them are beyond noise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import scipy

from equipoise.analyses.boards.board_sources import Board, BoardSource, board_of, refuse_unlike
from equipoise.analyses.boards.change_errors import Shared, footing, moved_by_newcomers
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import check, choice, number
from equipoise.core.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import ELO_POINT, RATINGS
from equipoise.core.wording import Advice, Option

Verdict = Literal["rose", "fell", "within noise", "unknown"]
ScaleName = Literal["elo", "logit"]
MOST_MOVED = 5
"""Agents that are named where many rose, or many fell."""
LEVEL = number(0.0, 1.0, strictly=True)
SHARED = info(
    "shared-games",
    "How far the errors of the boards go together is not known: they are taken for independent. Games that stand"
    " behind both make the test cautious: an old game moves both ratings the same way, so real changes may be called"
    " noise, and noise is called a change even more seldom.",
    advice=[
        Advice(
            "give the games behind both boards, and say with ",
            Option("shared", "old"),
            " that the new ones hold the old ones",
        )
    ],
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class BoardChanges(Result):
    """How the ratings of the agents on both boards changed.

    Attributes
    ----------
    change, low, high
        New less old rating, against the median agent's change or the anchor; intervals that hold for all together.
    old, new
        The ratings, the old ones moved to the footing of the new board.
    old_rank, new_rank
        Places among the agents on both boards, by rating.
    verdict
        ``rose`` or ``fell`` beyond noise, ``within noise``, or ``unknown`` where a board has no intervals.
    arrived, gone
        Agents on the new board only, and on the old board only.
    shift
        By how much all ratings moved together: the zero of the new board less that of the old one.
    by_newcomers
        What the newcomers' games add to each rating, against the mean of the agents on both boards; None where there
        are none, or the games are not at hand.
    unit
        Of ratings and changes.
    """

    main: ClassVar[str] = "change"

    agents: tuple[str, ...]
    change: FloatArray
    low: FloatArray
    high: FloatArray
    old: FloatArray
    new: FloatArray
    old_rank: IntArray
    new_rank: IntArray
    verdict: tuple[Verdict, ...]
    arrived: tuple[str, ...]
    gone: tuple[str, ...]
    unit: str
    old_name: str
    interval: Interval
    shift: float = 0.0
    by_newcomers: FloatArray | None = None

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]  # of an object here: it depends on the boards
        """Ratings and changes are in the unit of the boards."""
        return dict.fromkeys(("change", "low", "high", "old", "new", "shift", "by_newcomers"), self.unit)

    def frame(self) -> "pl.DataFrame":
        """Give the agents on both boards: those that moved beyond noise first, then the largest rise first."""
        names = ("change", "low", "high", "old", "new", "old_rank", "new_rank")
        columns = {"agent": list(self.agents)} | {name: getattr(self, name) for name in names}
        from_newcomers = {} if self.by_newcomers is None else {"by_newcomers": self.by_newcomers}
        table = pl.DataFrame(columns | from_newcomers | {"verdict": list(self.verdict)})
        moved = pl.col("verdict").is_in(["rose", "fell"])
        return table.sort(moved, "change", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give who came and went, and the kind of the intervals."""
        names = {"since": self.old_name, "arrived": list(self.arrived), "gone": list(self.gone)}
        return {**names, "shift": self.shift, "interval": self.interval}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who rose and who fell beyond noise, how many stayed where they were, who came and went."""
        parts = [part for part in (self._moved("rose"), self._moved("fell")) if part]
        quiet = self.verdict.count("within noise")
        since = f"Since {self.old_name}"
        if "unknown" in self.verdict:
            said = [f"{since}, no change can be told from noise: a board has no intervals."]
        elif not parts:
            said = [f"{since}, no change is significant: all {_agents(quiet)} on both boards changed within noise."]
        else:
            others = "change of the other agent is" if quiet == 1 else f"changes of the other {_agents(quiet)} are"
            rest = f" The {others} within noise." if quiet else ""
            said = [f"{since}, {'; '.join(parts)}.{rest}"]
        if self.arrived:
            said.append(f"{_agents(len(self.arrived))} {_are(self.arrived)} new: {some_of(self.arrived)}.")
        if self.gone:
            said.append(f"{_agents(len(self.gone))} {_are(self.gone)} gone: {some_of(self.gone)}.")
        return (*said, *self._why())

    def _why(self) -> list[str]:
        """Say what newcomers did to the others, and how far the zero moved where agents came or went."""
        digits = 0 if self.unit == "Elo points" else 2
        said = []
        if self.by_newcomers is not None:
            most = int(np.argmax(np.abs(self.by_newcomers)))
            size = f"{self.by_newcomers[most]:+.{digits}f}"
            said.append(f"Games of newcomers moved the others by {size} at most ({some_of([self.agents[most]])}).")
        if (self.arrived or self.gone) and abs(self.shift) >= 0.5 * 10.0**-digits:
            size = f"{self.shift:+.{digits}f}"
            said.append(f"All ratings moved by {size} together, since 0 is the mean of the agents on a board.")
        return said

    def _moved(self, how: Verdict) -> str:
        rows = [k for k, verdict in enumerate(self.verdict) if verdict == how]
        rows.sort(key=lambda k: -abs(self.change[k]))
        digits = 0 if self.unit == "Elo points" else 2
        said = []
        for k in rows[:MOST_MOVED]:
            change, low, high = (f"{part[k]:+.{digits}f}" for part in (self.change, self.low, self.high))
            said.append(f"{some_of([self.agents[k]])} ({change}, {low} to {high})")  # a long name is cut, no number is
        more = f" and {len(rows) - MOST_MOVED:,} more" if len(rows) > MOST_MOVED else ""
        return f"{_agents(len(rows))} {how} beyond noise: {', '.join(said)}{more}" if rows else ""


def changes(
    old: BoardSource,
    new: BoardSource,
    *,
    shared: Shared | None = None,
    scale: ScaleName = "elo",
    level: float = 0.95,
) -> BoardChanges:
    r"""Who rose, who fell since the last leaderboard, and which changes are beyond noise?

    Ratings have no zero of their own. Unless both boards have the same anchor, the old board is moved so that the
    median agent on both (weighted by precision) did not change, and the error of that is counted in. Intervals are
    simultaneous: changes :math:`d` are drawn from their joint normal distribution, and intervals extend to

    .. math:: q_{0.95}\Bigl(\max_i |d_i - \operatorname{median}(d)| / s_i\Bigr)\, s_i, \qquad
              s_i^2 = \operatorname{E}(d_i - \operatorname{median}(d))^2

    also beside one agent that truly changed, where agents are few. Of boards without games, errors are those
    independent ones that leave the boards' intervals (quasi-variances). Where the games behind both boards are at hand,
    what shared games or groups move both boards by is taken out (see Notes).

    Parameters
    ----------
    old, new
        Boards: what ``equipoise rank --format json`` wrote (a path, or the document), a :class:`Standings`, or matches
        or pair counts, which are rated by :func:`bradley_terry`.
    shared
        ``old``: the new games hold all the old ones. ``none``: they hold none. By itself (None) groups (voters,
        prompts) on both boards are taken for the same; without groups the boards are taken for independent.
    scale
        Ratings in log-odds are shown as ``elo`` points, or as they are (``logit``).
    level
        Of the intervals, all agents together.

    Returns
    -------
    BoardChanges
        Changes with intervals, decisions, ranks, who came and who went.

    Fails when
        a file is no board; methods or units differ; agents were rated in several connected components; fewer than two
        agents are on both; ``shared="old"`` is said of games that are not at hand, or of new games without some of the
        old ones.

    Notes
    -----
    A game with score s moves the ratings of a fit by :math:`H^{-1} s` to first order. The covariance of the boards is
    :math:`H_o^{-1} (\sum s_o s_n^T) H_n^{-1}` over games behind both, or over sums of groups behind both; it is taken
    off twice. Of boards without games, only the ratings and their intervals are known: these are taken for independent,
    and where the new log holds the old games too the errors are correlated, the true error of a change is smaller, and
    the test is cautious (``shared-games``).

    Examples
    --------
    >>> import equipoise as eq
    >>> last = eq.rank(eq.Matches.from_columns("aab" * 40, "bcc" * 40, [1, 1, 0] * 40))
    >>> eq.changes(last, last).answer
    ('Since the old board, no change is significant: all 3 agents on both boards changed within noise.',)
    """
    check(choice("elo", "logit"), "scale", scale)
    check(choice("old", "none", none=True), "shared", shared)
    check(LEVEL, "level", level)
    before, after = board_of(old, "the old board"), board_of(new, "the new board")
    refuse_unlike(before, after)
    agents = tuple(name for name in after.ratings if name in before.ratings)
    if len(agents) < 2:
        raise DataError(f"{len(agents) or 'no'} agent{'s' if not agents else ''} on both boards: nothing to compare")
    was, then, now = before.ratings, *(np.array([board.ratings[a] for a in agents]) for board in (before, after))
    unit = ELO_POINT if after.unit in RATINGS and scale == "elo" else 1.0
    on = footing(before, after, then, now, agents, shared, level)
    change = now[:, 0] - then[:, 0] - on.shift
    low, high = change - on.reach, change + on.reach
    arrived = tuple(name for name in after.ratings if name not in was)
    others = moved_by_newcomers(after, agents) if arrived else None
    notes = (*((SHARED,) if on.known == "unknown" else ()), *_same_data(before, after))
    return BoardChanges(
        agents=agents, change=frozen(change / unit), low=frozen(low / unit), high=frozen(high / unit),
        old=frozen((then[:, 0] + on.shift) / unit), new=frozen(now[:, 0] / unit),
        old_rank=_places(then[:, 0]), new_rank=_places(now[:, 0]),
        verdict=tuple(_verdict(*ends) for ends in zip(low, high, strict=True)),
        arrived=arrived, gone=tuple(a for a in was if a not in after.ratings),
        shift=on.shift / unit, by_newcomers=None if others is None else frozen(others / unit),
        unit=(("Elo points" if scale == "elo" else "log-odds") if after.unit in RATINGS else after.unit),
        old_name=before.name, interval=Interval("simultaneous normal", level), diagnostics=notes,
        params=frozen_params(scale=scale, level=level, anchored=on.anchored, shared=shared, covariance=on.known),
    )  # fmt: skip


def _verdict(low: float, high: float) -> Verdict:
    if np.isnan(low):
        return "unknown"
    return "rose" if low > 0.0 else "fell" if high < 0.0 else "within noise"


def _places(ratings: FloatArray) -> IntArray:
    return frozen(scipy.stats.rankdata(-ratings, method="min"), np.int64)


def _same_data(before: Board, after: Board) -> tuple[Diagnostic, ...]:
    if before.digest is None or before.digest != after.digest:
        return ()
    return (warning("same-data", f"{before.name} and {after.name} were made of the same data."),)


def _agents(count: int) -> str:
    return "1 agent" if count == 1 else f"{count:,} agents"


def _are(names: tuple[str, ...]) -> str:
    return "is" if len(names) == 1 else "are"
