"""What changed since the last leaderboard? Two boards to changes of ratings, and which of them are beyond noise."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import scipy

from equipoise.analyses.standings import Standings
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import DataError, ReadError, some_of
from equipoise.options import check, choice, number
from equipoise.ratings.elo import ELO_POINT
from equipoise.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BoardChanges", "compare_boards"]

Verdict = Literal["rose", "fell", "within noise", "unknown"]
ScaleName = Literal["elo", "logit"]
MOST_MOVED = 5
"""Agents that are named where many rose, or many fell."""
IN_LOG_ODDS = {"Elo points": ELO_POINT, "log-odds": 1.0}
"""How many log-odds one unit of a board's ratings is."""
LEVEL = number(0.0, 1.0, strictly=True)
SHARED = info(
    "shared-games",
    "The boards are taken for independent. Games that stand behind both make the test cautious: an old game moves both"
    " ratings the same way, so real changes may be called noise, and noise is called a change even more seldom.",
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

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]  # of an object here: it depends on the boards
        """Ratings and changes are in the unit of the boards."""
        return dict.fromkeys(("change", "low", "high", "old", "new"), self.unit)

    def frame(self) -> "pl.DataFrame":
        """Give the agents on both boards: those that moved beyond noise first, then the largest rise first."""
        import polars as pl

        names = ("change", "low", "high", "old", "new", "old_rank", "new_rank")
        columns = {"agent": list(self.agents)} | {name: getattr(self, name) for name in names}
        table = pl.DataFrame(columns | {"verdict": list(self.verdict)})
        moved = pl.col("verdict").is_in(["rose", "fell"])
        return table.sort(moved, "change", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give who came and went, and the kind of the intervals."""
        names = {"since": self.old_name, "arrived": list(self.arrived), "gone": list(self.gone)}
        return {**names, "interval": self.interval}

    @property
    def words(self) -> tuple[str, ...]:
        """Who rose and who fell beyond noise, how many stayed where they were, who came and went."""
        parts = [part for part in (self._moved("rose"), self._moved("fell")) if part]
        quiet = self.verdict.count("within noise")
        since = f"Since {self.old_name}"
        if "unknown" in self.verdict:
            said = [f"{since}, no change can be told from noise: a board has no intervals."]
        elif not parts:
            said = [
                f"{since}, no change is beyond noise: all {_agents(quiet)} on both boards may be as good as before."
            ]
        else:
            others = "change of the other agent is" if quiet == 1 else f"changes of the other {_agents(quiet)} are"
            rest = f" The {others} within noise." if quiet else ""
            said = [f"{since}, {'; '.join(parts)}.{rest}"]
        if self.arrived:
            said.append(f"{_agents(len(self.arrived))} {_are(self.arrived)} new: {some_of(self.arrived)}.")
        if self.gone:
            said.append(f"{_agents(len(self.gone))} {_are(self.gone)} gone: {some_of(self.gone)}.")
        return tuple(said)

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


@dataclass(frozen=True, slots=True)
class _Board:
    """What is compared of a board; ratings in log-odds where they are ratings of that kind."""

    name: str
    method: str
    unit: str
    level: float
    anchor: str | None
    digest: str | None
    ratings: Mapping[str, tuple[float, float, float]]


def compare_boards(
    old: str | Path | Mapping[str, Any] | Standings,
    new: str | Path | Mapping[str, Any] | Standings,
    *,
    scale: ScaleName = "elo",
    level: float = 0.95,
) -> BoardChanges:
    r"""Who rose, who fell since the last leaderboard, and which changes are beyond noise?

    Ratings have no zero of their own. Unless both boards have the same anchor, the old board is moved so that the
    median agent on both (weighted by precision) did not change, and the error of that is counted in. A change with
    standard errors :math:`s_o, s_n` of the two ratings and :math:`s_m` of the shift has an error of

    .. math:: \sqrt{s_o^2 + s_n^2 + s_m^2}

    and its interval the width for which those of all agents hold together (Sidak).

    Parameters
    ----------
    old, new
        Boards: what ``equipoise rank --format json`` wrote (a path, or the document), or a :class:`Standings`.
    scale
        Ratings in log-odds are shown as ``elo`` points, or as they are (``logit``).
    level
        Of the intervals, all agents together.

    Returns
    -------
    BoardChanges
        Changes with intervals, verdicts, places, who came and who went.

    Fails when
        a file is no board; methods or units differ; agents were rated in islands; fewer than two agents are on both.

    Notes
    -----
    The boards are taken for independent, as boards of separate games are. Where the new log holds the old games too the
    errors are correlated, the true error of a change is smaller, and the test is cautious (``shared-games``).

    Examples
    --------
    >>> import equipoise as eq
    >>> last = eq.rank_agents(eq.Matches.from_columns("aab" * 40, "bcc" * 40, [1, 1, 0] * 40), n=0)
    >>> eq.compare_boards(last, last).words
    ('Since the old board, no change is beyond noise: all 3 agents on both boards may be as good as before.',)
    """
    check(choice("elo", "logit"), "scale", scale)
    check(LEVEL, "level", level)
    before, after = _board(old, "the old board"), _board(new, "the new board")
    _refuse_unlike(before, after)
    agents = tuple(name for name in after.ratings if name in before.ratings)
    if len(agents) < 2:
        raise DataError(f"{len(agents) or 'no'} agent{'s' if not agents else ''} on both boards: nothing to compare")
    was, then, now = before.ratings, *(np.array([board.ratings[a] for a in agents]) for board in (before, after))
    unit = ELO_POINT if after.unit in IN_LOG_ODDS and scale == "elo" else 1.0
    variance = _variance(then, before.level) + _variance(now, after.level)
    anchored = before.anchor is not None and before.anchor == after.anchor and before.anchor in was
    shift, error = (0.0, 0.0) if anchored else _median(now[:, 0] - then[:, 0], variance)
    change = now[:, 0] - then[:, 0] - shift
    reach = scipy.special.ndtri(0.5 + 0.5 * level ** (1.0 / len(agents))) * np.sqrt(variance + error)
    low, high = change - reach, change + reach
    notes = (SHARED, *_same_data(before, after))
    return BoardChanges(
        agents=agents, change=frozen(change / unit), low=frozen(low / unit), high=frozen(high / unit),
        old=frozen((then[:, 0] + shift) / unit), new=frozen(now[:, 0] / unit),
        old_rank=_places(then[:, 0]), new_rank=_places(now[:, 0]),
        verdict=tuple(_verdict(*ends) for ends in zip(low, high, strict=True)),
        arrived=tuple(a for a in after.ratings if a not in was), gone=tuple(a for a in was if a not in after.ratings),
        unit=(("Elo points" if scale == "elo" else "log-odds") if after.unit in IN_LOG_ODDS else after.unit),
        old_name=before.name, interval=Interval("simultaneous normal", level), diagnostics=notes,
        params=frozen_params(scale=scale, level=level, anchored=anchored),
    )  # fmt: skip


def _board(source: str | Path | Mapping[str, Any] | Standings, name: str) -> _Board:
    if isinstance(source, Standings):
        return _of_standings(source, name)
    if isinstance(source, Mapping):
        return _of_document(source, name)
    try:
        body = json.loads(Path(source).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ReadError(f"{source}: there is no such file") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ReadError(f"{source} is no board: not valid JSON") from error
    except OSError as error:
        raise ReadError(f"{source}: {error.strerror}") from error
    return _of_document(body, Path(source).name)


def _of_standings(standings: Standings, name: str) -> _Board:
    kind = standings.replicates.interval if standings.replicates else getattr(standings.ratings, "interval", None)
    return _made(
        name, standings.method.option_name, standings.units.get("rating", ""), kind.level if kind else 0.95,
        standings.params.get("anchor"), None, standings.rows(),
    )  # fmt: skip


def _of_document(body: Any, name: str) -> _Board:
    """Read what ``equipoise rank --format json`` writes."""
    try:
        if body["command"] != "rank" or not body["agents"]:
            raise KeyError("agents")
        unit = body["tables"]["agents"]["units"].get("rating", "")
        interval, options = body.get("interval") or {}, body.get("parameters") or {}
        offset = float(options.get("offset") or 0.0)
        digest = (body.get("data") or {}).get("sha256")
        rows = [
            {**row, **{end: None if row[end] is None else row[end] - offset for end in ("rating", "low", "high")}}
            for row in body["agents"]
        ]
        return _made(
            name, str(body["method"]), unit, float(interval.get("level", 0.95)), options.get("anchor"), digest, rows
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise ReadError(f"{name} is no board: write one with equipoise rank FILE --format json -o {name}") from error


def _made(
    name: str, method: str, unit: str, level: float, anchor: Any, digest: Any, rows: list[dict[str, Any]]
) -> _Board:
    if any(row.get("island") is not None for row in rows):
        raise DataError(f"{name} rates islands of agents apart: their ratings have no common zero to compare")
    factor = IN_LOG_ODDS.get(unit, 1.0)
    ratings = {
        str(row["agent"]): tuple(
            np.nan if row[end] is None else factor * float(row[end]) for end in ("rating", "low", "high")
        )
        for row in rows
    }
    return _Board(name, method, unit, level, anchor, digest, ratings)  # type: ignore[arg-type]  # three numbers each


def _refuse_unlike(before: _Board, after: _Board) -> None:
    if before.method != after.method:
        raise DataError(
            f"{before.name} was rated with {before.method} and {after.name} with {after.method}: rate both the same way"
        )
    if before.unit != after.unit and not {before.unit, after.unit} <= set(IN_LOG_ODDS):
        raise DataError(f"{before.name} has ratings in {before.unit} and {after.name} in {after.unit}")


def _variance(ratings: FloatArray, level: float) -> FloatArray:
    """Squared standard errors from the ends of intervals."""
    return np.asarray(((ratings[:, 2] - ratings[:, 1]) / (2.0 * scipy.special.ndtri(0.5 + level / 2.0))) ** 2)


def _median(change: FloatArray, variance: FloatArray) -> tuple[float, float]:
    """The median change, weighted by precision, and the variance of it; agents without an interval weigh nothing.

    A median, because one agent that changed a lot must not make all others seem to have moved the other way.
    """
    weight = np.where(variance > 0.0, 1.0 / np.where(variance > 0.0, variance, 1.0), 0.0)
    if not weight.sum() > 0.0:
        return float(np.median(change)), 0.0
    order = np.argsort(change, kind="stable")
    passed = np.cumsum(weight[order]) / weight.sum()
    lower, upper = (change[order][np.searchsorted(passed, half)] for half in (0.5 - 1e-9, 0.5 + 1e-9))
    return float(lower + upper) / 2.0, float(np.pi / 2.0 / weight.sum())


def _verdict(low: float, high: float) -> Verdict:
    if np.isnan(low):
        return "unknown"
    return "rose" if low > 0.0 else "fell" if high < 0.0 else "within noise"


def _places(ratings: FloatArray) -> IntArray:
    return frozen(scipy.stats.rankdata(-ratings, method="min"), np.int64)


def _same_data(before: _Board, after: _Board) -> tuple[Diagnostic, ...]:
    if before.digest is None or before.digest != after.digest:
        return ()
    return (warning("same-data", f"{before.name} and {after.name} were made of the same data."),)


def _agents(count: int) -> str:
    return "1 agent" if count == 1 else f"{count:,} agents"


def _are(names: tuple[str, ...]) -> str:
    return "is" if len(names) == 1 else "are"
