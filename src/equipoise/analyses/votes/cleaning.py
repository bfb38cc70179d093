"""What does each step of cleaning change? The board with all steps, with none, and with each left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, EquipoiseError, ParameterError, some_of
from equipoise.core.former import present_options
from equipoise.core.lazy import pl
from equipoise.core.options import checked
from equipoise.core.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import ELO_POINT
from equipoise.core.wording import Option, counted
from equipoise.data.encode.labels import Factor
from equipoise.data.readers.matches import MatchReading, UncleanedMatches, uncleaned_from
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source, match_columns
from equipoise.data.select.cleaning_steps import Step, cleaning_steps
from equipoise.data.select.filters import chosen_pairs
from equipoise.data.select.selection import Selection
from equipoise.data.types.matches import Matches
from equipoise.inference.ranks import two_sided_quantiles
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.shared_errors import RatedGames, covariance_of_change
from equipoise.ratings.paired.ties import TieModel

NONE = "no cleaning"
BOUND = info(
    "no-change-errors",
    "How sure changes are is not known for so many agents: they have no intervals.",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class CleaningSensitivity(Result):
    """What cleaning does to a board.

    Attributes
    ----------
    boards
        What is compared with the board of all steps: ``no cleaning``, and each step left out.
    rows
        Rows behind each of them.
    costs
        Rows that each has more than the board of all steps.
    agents
        On all boards.
    rating
        With all steps, against the mean of these agents, in Elo points.
    changes, low, high
        By board and agent: rating with all steps less rating on that board, which is what the steps do; intervals hold
        for all agents of a board together. NaN where there is no such board.
    reranked
        Agents whose place by rating differs.
    leaders
        Who is rated highest on each board; empty where there is none.
    leader
        Who is rated highest with all steps.
    steps
        Rows left out by each step, in their order, with all steps.
    used
        Rows behind the board with all steps.
    """

    main: ClassVar[str] = "change"
    rows_name: ClassVar[str] = "boards"
    units: ClassVar[Mapping[str, str]] = dict.fromkeys(("change", "low", "high", "rating"), "Elo points")

    boards: tuple[str, ...]
    rows: IntArray
    costs: IntArray
    agents: tuple[str, ...]
    rating: FloatArray
    changes: FloatArray
    low: FloatArray
    high: FloatArray
    reranked: IntArray
    leaders: tuple[str, ...]
    leader: str
    steps: Mapping[str, int]
    used: int
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give a row for each board: what it costs in rows, who moved most, how many moved beyond noise."""
        told = [self._row(k) for k in range(len(self.boards))]
        return pl.DataFrame(told, infer_schema_length=None)

    def _row(self, k: int) -> dict[str, Any]:
        row: dict[str, Any] = {"board": self.boards[k], "rows": int(self.rows[k]), "costs": int(self.costs[k])}
        names = ("agent", "change", "low", "high", "beyond_noise", "reranked", "leader", "leader_changes")
        if np.isnan(self.changes[k]).all():
            return row | dict.fromkeys(names)
        most = int(np.argmax(np.abs(self.changes[k])))
        values = (
            self.agents[most], float(self.changes[k, most]), float(self.low[k, most]), float(self.high[k, most]),
            int(np.sum((self.low[k] > 0) | (self.high[k] < 0))), int(self.reranked[k]), self.leaders[k],
            self.leaders[k] != self.leader,
        )  # fmt: skip
        return row | dict(zip(names, values, strict=True))

    def agents_frame(self) -> "pl.DataFrame":
        """Give the agents, best first, with their rating after all steps and what it is less on each board."""
        columns = {board: self.changes[k] for k, board in enumerate(self.boards)}
        table = pl.DataFrame({"agent": list(self.agents), "rating": self.rating, **columns})
        return table.sort("rating", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the rows that each step leaves out, who leads, and the kind of the intervals."""
        return {"steps": dict(self.steps), "used": self.used, "leader": self.leader, "interval": self.interval}

    @property
    def answer(self) -> tuple[str, ...]:
        """Whether the leader depends on a step, and which steps change ratings beyond noise."""
        rows = [row for row in self.frame().to_dicts() if row["agent"] is not None]
        other = [f"{row['leader']} ({row['board']})" for row in rows if row["leader_changes"]]
        leads = f"{some_of([self.leader])} is rated highest with all steps of cleaning"
        said = [f"{leads}, but not without: {some_of(other)}." if other else f"{leads}, and on every other board."]
        for k, board in enumerate(self.boards):
            beyond = np.flatnonzero((self.low[k] > 0) | (self.high[k] < 0))
            if len(beyond):
                most = beyond[np.argmax(np.abs(self.changes[k, beyond]))]
                change, low, high = (values[k, most] for values in (self.changes, self.low, self.high))
                moved = f"{some_of([self.agents[most]])} by {change:+.0f} ({low:+.0f} to {high:+.0f})"
                what = "All cleaning" if board == NONE else board.removeprefix("without ")
                who = counted(len(beyond), "agent")
                said.append(f"{what} moved {who} beyond noise, most of all {moved} Elo points.")
        if not ((self.low > 0) | (self.high < 0)).any():
            said.append("No step changes a rating by more than leaving out as many votes by chance would.")
        return tuple(said)


@present_options
@former_reading
@checked()
def cleaning(
    data: Source,
    *,
    clean: str | Sequence[str] | None = None,
    ties: TieModel = "half",
    position: bool = False,
    prior: float | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> CleaningSensitivity:
    """What does each step of cleaning change: how many rows, which ratings, which ranks, the leader?

    The board with all steps is compared with that of no cleaning and with those of all steps but one. Boards share
    most of their votes, so their difference is far surer than either: to first order a vote moves each board by a known
    amount, and what it moves both by cancels. An interval that leaves out 0 says that the votes left out differ from
    the others by more than chance.

    Parameters
    ----------
    data
        A match log with an outcome in each row: a file or a frame.
    clean
        Steps of cleaning, as in :func:`read_matches`.
    ties, position, prior
        Options of :func:`bradley_terry`, where ``position`` is ``side`` (that name is taken too).
    level
        Of the intervals, for all agents of a board together.
    rng
        Seed or generator.
    read
        Columns, rows and agents of a file.

    Returns
    -------
    CleaningSensitivity
        Rows, changes of ratings with intervals, changes of rank and leader, for each board.

    Fails when
        no step is given; the log cannot be read or cleaned; the board with all steps cannot be fitted. Another board
        that cannot be fitted is empty, and a diagnostic says why.

    Examples
    --------
    >>> import equipoise as eq, polars as pl
    >>> votes = pl.DataFrame({"model_a": list("xyz") * 40, "model_b": list("yzx") * 40,
    ...     "winner": ["model_a", "model_a", "tie (bothbad)", "model_b", "model_a", "model_b"] * 20})
    >>> eq.cleaning(votes, clean="no-both-bad").frame()["board", "costs"].rows()
    [('no cleaning', 20), ('without no-both-bad', 20)]
    """  # fmt: skip
    steps = cleaning_steps(clean)
    if not steps:
        raise ParameterError(Option("clean"), " is needed: which steps are to be looked at?")
    how = (read or ReadOptions()).also(clean=[*map(str, steps)]).of("games")
    how.refuse_time_alone()
    reading = MatchReading(match_columns(how), how.on_error, how.duplicates, how.score_means)
    log = uncleaned_from(how.selection.of(data), reading)
    fitting = _BoardFitting(
        log, how.selection, {"ties": ties, "side": position, "prior": prior, "level": level, "rng": rng}
    )
    whole = fitting.board(steps)
    if whole.rated is None:
        assert whole.why is not None  # a board that was not rated says why
        raise whole.why
    others = {NONE: ()} | {f"without {step}": tuple(s for s in steps if s is not step) for step in steps}
    made = {name: fitting.board(some) for name, some in others.items()}
    shown = [board.rated.fit.agents for board in made.values() if board.rated is not None]
    agents = tuple(name for name in whole.rated.fit.agents if all(name in there for there in shown))
    if len(agents) < 2:
        raise DataError("fewer than two agents are on all boards: nothing to compare")
    return _result(whole, made, agents, log, steps, level)


@dataclass(frozen=True, slots=True, eq=False)
class _Cleaned:
    """A board after some steps: which matches are behind it, and its fit or why there is none."""

    mask: "np.ndarray"
    counts: Mapping[str, int]
    rated: RatedGames | None
    why: EquipoiseError | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _BoardFitting:
    """Makes the boards of one log."""

    log: UncleanedMatches
    choice: Selection
    options: Mapping[str, Any]

    def board(self, steps: Sequence[Step]) -> _Cleaned:
        mask, counts = self.log.kept(steps)
        try:
            if not mask.any():
                raise DataError("cleaning leaves no row")
            pairs = _pairs(self.log.matches, mask)
            if self.choice.min_games is not None or self.choice.components is not None:
                pairs, _ = chosen_pairs(pairs, self.choice)
            return _Cleaned(mask, counts, RatedGames(bradley_terry(pairs, **self.options), pairs))
        except EquipoiseError as error:
            return _Cleaned(mask, counts, None, error)


def _pairs(matches: Matches, mask: "np.ndarray") -> Any:
    """Count the pairs of some matches, of those agents only that are in them."""
    some = matches.take(np.flatnonzero(mask))
    there = np.union1d(some.a, some.b)
    number = np.zeros(len(matches.agents), dtype=np.int32)
    number[there] = np.arange(len(there), dtype=np.int32)
    group = some.group
    if group is not None:
        kept, codes = np.unique(group.codes, return_inverse=True)
        group = Factor(tuple(group.labels[k] for k in kept), codes.astype(np.int32))
    left = Matches.from_codes(
        tuple(matches.agents[k] for k in there), number[some.a], number[some.b], some.outcome,
        weight=some.weight, group=group,
    )  # fmt: skip
    return left.pairs(by_group=group is not None)


def _result(
    whole: _Cleaned, made: Mapping[str, _Cleaned], agents: tuple[str, ...], log: UncleanedMatches,
    steps: Sequence[Step], level: float,
) -> CleaningSensitivity:  # fmt: skip
    assert whole.rated is not None
    notes: list[Diagnostic] = list(log.cleaner.notes)
    base = _ratings(whole.rated, agents)
    shape = (len(made), len(agents))
    changes, reach = np.full(shape, np.nan), np.full(shape, np.nan)
    reranked = np.zeros(len(made), dtype=np.int64)
    leaders = [""] * len(made)
    for k, (name, board) in enumerate(made.items()):
        if board.rated is None:
            words = () if board.why is None else board.why.words
            notes.append(warning("no-board", (f"There is no board {name}: ", *words)))
            continue
        other = _ratings(board.rated, agents)
        changes[k] = base - other
        reach[k], known = _reach(board, whole, agents, log.matches, level)
        notes += [] if known or BOUND in notes else [BOUND]
        reranked[k] = int(np.sum(_ranks(base) != _ranks(other)))
        leaders[k] = _leader(board.rated)
    used = int(whole.mask.sum())
    rows = np.array([int(board.mask.sum()) for board in made.values()])
    changes, reach = changes / ELO_POINT, reach / ELO_POINT
    return CleaningSensitivity(
        boards=tuple(made), rows=frozen(rows), costs=frozen(rows - used), agents=agents,
        rating=frozen(base / ELO_POINT),
        changes=frozen(changes), low=frozen(changes - reach), high=frozen(changes + reach), reranked=frozen(reranked),
        leaders=tuple(leaders), leader=_leader(whole.rated), steps=dict(whole.counts), used=used,
        interval=Interval("simultaneous normal", level), diagnostics=tuple(notes),
        params=frozen_params(clean=tuple(map(str, steps)), level=level, **_options(whole.rated)),
    )  # fmt: skip


def _options(rated: RatedGames) -> dict[str, object]:
    return {name: rated.fit.params[name] for name in ("ties", "side", "prior")}


def _ratings(rated: RatedGames, agents: Sequence[str]) -> FloatArray:
    by_name = dict(zip(rated.fit.agents, rated.fit.rating, strict=True))
    values = np.array([by_name[name] for name in agents])
    return np.asarray(values - values.mean())


def _leader(rated: RatedGames) -> str:
    return rated.fit.agents[int(np.argmax(rated.fit.rating))]


def _ranks(ratings: FloatArray) -> IntArray:
    return np.asarray(scipy.stats.rankdata(-ratings, method="min"))


def _reach(
    board: _Cleaned, whole: _Cleaned, agents: Sequence[str], matches: Matches, level: float
) -> tuple[FloatArray, bool]:
    """Give how far the intervals of all changes reach together, and whether the shared votes are accounted for."""
    one, other = board.rated, whole.rated
    assert one is not None
    assert other is not None
    known = one.known and other.known
    if not known:
        return np.full(len(agents), np.nan), False
    shared = _pairs(matches, board.mask & whole.mask) if (board.mask & whole.mask).any() else None
    covariance = covariance_of_change(one, other, agents, shared)
    degrees = np.minimum(_degrees(one, agents), _degrees(other, agents))
    quantile = two_sided_quantiles(level ** (1.0 / len(agents)), degrees)
    return np.asarray(quantile * np.sqrt(np.clip(np.diag(covariance), 0.0, None))), True


def _degrees(rated: RatedGames, agents: Sequence[str]) -> FloatArray:
    degrees = np.asarray(rated.fit.degrees) + np.zeros(len(rated.fit.agents))
    by_name = dict(zip(rated.fit.agents, degrees, strict=True))
    return np.array([by_name[name] for name in agents])
