"""Who is best at these tasks: agents by one aggregate of their scores, with ranks that hold for all of them together.

With repeated runs the aggregate is the interquartile mean and other runs are what might have been; with one score a
cell it is the mean, and other tasks are. Differences are paired: both agents are seen on the same tasks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import scipy

from equipoise.aggregates.aggregate import Aggregates, aggregate
from equipoise.aggregates.compare import Comparison, PairedDifferences, paired_differences
from equipoise.aggregates.kernels import STATISTICS, task_means
from equipoise.aggregates.precision import share_ends
from equipoise.aggregates.runs import runs_of
from equipoise.analyses.scores.by_task import ByTask, by_task
from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator
from equipoise.core.results import FloatArray, FrozenMap, IntArray, Result, frozen, frozen_params
from equipoise.data.types.scores import Scores
from equipoise.inference.pass_fail import is_pass_fail

BoardStatistic = Literal["iqm", "mean", "median"]
"""What agents are ranked by."""
STATISTIC_NAMES: Mapping[str, str] = {"iqm": "IQM", "mean": "mean score", "median": "median score"}
WHY: Mapping[tuple[str, str], str] = {
    ("iqm", "mean"): "the mean counts the lowest and the highest quarter of runs, which the IQM leaves out",
    ("iqm", "median"): "the median looks at the task in the middle, the IQM at the middle half of all runs",
    ("mean", "iqm"): "the IQM leaves out the lowest and the highest quarter of scores",
    ("mean", "mean_rank"): "ranks do not count by how much a task is won",
    ("median", "mean"): "the mean counts every task, the median looks at the one in the middle",
    ("median", "iqm"): "the IQM counts the middle half of all runs, the median looks at the task in the middle",
}
"""Why another column of the same table may have another leader."""
BESIDE: Mapping[str, tuple[str, ...]] = {"iqm": ("mean", "median"), "mean": ("iqm",), "median": ("iqm", "mean")}
"""What stands beside each aggregate, where runs are there."""
MOST_LEFT_OUT = 50_000_000
"""Scores that are looked at while each task is left out in turn; beyond this nobody waits for it."""
DRAWN, FEWEST_DRAWN = 4_000_000, 50
"""Scores drawn behind the interval of a median, and bootstrap samples at least."""
TINY = 1e-9
"""Differences that are rounding only, in shares of the largest."""
LEAST_DIGITS = 2


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ScoreBoard(Result):
    """Agents by one aggregate of their scores.

    Attributes
    ----------
    statistic
        ``iqm``, ``mean`` or ``median``.
    over
        What intervals are over: ``runs`` or ``tasks``; None where there are no intervals.
    estimate, low, high
        The aggregate of each agent with its interval; NaN where there is none.
    pairs
        Differences of all pairs with simultaneous intervals, and the ranks that they allow.
    beside
        Other columns of the table: aggregates, and the mean rank over tasks (smaller is better).
    lost
        On how many tasks each agent scores less than the leader.
    without
        Tasks without each of which somebody else leads, and who; None where that was not tried.
    by_task
        The first and the second agent task by task; None of one agent, and where they nowhere differ.
    """

    main: ClassVar[str] = "estimate"

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    statistic: BoardStatistic
    over: str | None
    level: float
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    pairs: PairedDifferences
    beside: Mapping[str, FloatArray] = field(default_factory=lambda: FrozenMap({}))
    lost: IntArray
    without: tuple[tuple[str, str], ...] | None = None
    by_task: ByTask | None = None

    @property
    def order(self) -> list[int]:
        """Positions of the agents, best first."""
        return [int(i) for i in np.argsort(-self.estimate, kind="stable")]

    @property
    def leaders(self) -> tuple[str, ...]:
        """Who cannot be ruled out as best, best first; without intervals, who has the highest estimate."""
        open_ = self.pairs.rank_low == 1 if self.over else self.estimate == self.estimate.max()
        return tuple(self.agents[i] for i in self.order if open_[i])

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first."""
        name = self.statistic
        columns = {
            "agent": list(self.agents), "rank_low": self.pairs.rank_low, "rank_high": self.pairs.rank_high,
            name: self.estimate, f"{name}_low": self.low, f"{name}_high": self.high, **self.beside,
            "lost_to_leader": self.lost,
        }  # fmt: skip
        return pl.DataFrame(columns)[self.order]

    def pair_frame(self) -> "pl.DataFrame":
        """Give a row for each pair, the better agent first, the largest difference first."""
        place = np.argsort(self.order)
        pairs = np.argwhere(place[:, None] < place[None, :])
        first, second = pairs[:, 0], pairs[:, 1]
        table = {name: getattr(self.pairs, name)[first, second] for name in ("difference", "low", "high")}
        return pl.DataFrame(
            {
                "agent": [self.agents[i] for i in first],
                "other": [self.agents[j] for j in second],
                **table,
                "tied": ~(table["low"] > 0.0),
            }
        ).sort("difference", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the aggregate, what its intervals are over, and the tasks without which somebody else leads."""
        without = None if self.without is None else [{"task": task, "leader": who} for task, who in self.without]
        return {"statistic": self.statistic, "over": self.over, "level": self.level, "leader_changes": without}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is best, as far as these scores say, why another column says otherwise, and whether one task decides."""
        said = [*self._best(), *self._otherwise(), *self._dependence()]
        return tuple(said[:3])

    @property
    def _called(self) -> str:
        return STATISTIC_NAMES[self.statistic]

    def _best(self) -> tuple[str, ...]:
        first, *others = self.order
        name, top = self.agents[first], float(self.estimate[first])
        alike = [self.agents[i] for i in self.order if self.estimate[i] == top]
        if len(alike) == len(self.agents):
            return (f"All {len(alike):,} agents have the same {self._called}, {top:.2f}.",)
        if len(alike) > 1:
            return (f"{len(alike):,} agents share the highest {self._called}, {top:.2f}: {some_of(alike)}.",)
        if self.over is None:
            return (f"{name} has the highest {self._called} ({top:.2f}); there is nothing to take an interval from.",)
        rivals = [i for i in others if self.pairs.rank_low[i] == 1]
        if not rivals:
            return (self._alone(first, others[0]),)
        if len(rivals) == 1:
            return self._two(first, rivals[0], others)
        sure = f"{top:.2f}, {100 * self.level:g}% interval {_ends(self.low[first], self.high[first])}"
        if len(rivals) == len(others):
            few = f"{len(self.tasks):,} tasks" if self.over == "tasks" else "these runs"
            return (f"{name} has the highest {self._called} ({sure}), but {few} rule nobody out as best.",)
        out = f"{len(rivals):,} of the other {len(others):,} agents cannot be ruled out as best"
        return (f"{name} has the highest {self._called} ({sure}), but {out}.",)

    def _alone(self, first: int, second: int) -> str:
        ahead, low, high = self._difference(first, second)
        one, other = _two_numbers(self.estimate[first], self.estimate[second])
        return (
            f"{self.agents[first]} is best ({100 * self.level:g}%): its {self._called} of {one} is {ahead} ahead of"
            f" {self.agents[second]} ({other}; {100 * self.level:g}% interval {low} to {high}{self._over_tasks})."
        )

    def _two(self, first: int, second: int, others: Sequence[int]) -> tuple[str, ...]:
        """Say that two are tied, and who is behind both."""
        name, rival = self.agents[first], self.agents[second]
        difference, low, high = self._difference(first, second)
        one, other = _two_numbers(self.estimate[first], self.estimate[second])
        tied = (
            f"{name} and {rival} are tied for first: {name} has the higher {self._called}, {one} against {other}, but"
            f" the difference of {difference} is within noise ({100 * self.level:g}% interval {low} to"
            f" {high}{self._over_tasks})."
        )
        rest = [i for i in others if i != second]
        behind = [i for i in rest if self.pairs.low[first, i] > 0 and self.pairs.low[second, i] > 0]
        if not rest or len(behind) < len(rest):
            return (tied,)
        who = self.agents[rest[0]] if len(rest) == 1 else f"The other {len(rest):,} agents"
        return (tied, f"{who} {'is' if len(rest) == 1 else 'are'} significantly behind both.")

    @property
    def _over_tasks(self) -> str:
        return " over tasks" if self.over == "tasks" else ""

    def _difference(self, i: int, j: int) -> tuple[str, str, str]:
        parts = [float(getattr(self.pairs, name)[i, j]) for name in ("difference", "low", "high")]
        digits = LEAST_DIGITS
        while digits < 6 and f"{parts[0]:.{digits}f}".strip("-0.") == "":
            digits += 1
        difference, low, high = (f"{part:.{digits}f}".replace("-", "−") for part in parts)
        return difference, low, high

    def _otherwise(self) -> list[str]:
        """Say why another column of the table has another leader, where one has."""
        leader = self.order[0]
        found = []
        for name, values in self.beside.items():
            best = int(np.argmin(values)) if name == "mean_rank" else int(np.argmax(values))
            why = WHY.get((self.statistic, name))
            if why is None or values[best] == values[leader] or self.estimate[best] == self.estimate[leader]:
                continue
            called = "best mean rank" if name == "mean_rank" else f"highest {STATISTIC_NAMES[name]}"
            found.append(f"{self.agents[best]} has the {called} ({values[best]:.2f}): {why}.")
        return found[:1]

    def _dependence(self) -> list[str]:
        """Say whether the leader hangs on one task."""
        if self.without is None or (self.estimate == self.estimate.max()).sum() > 1:
            return []
        if not self.without:
            return [
                f"No single task decides this: {self.agents[self.order[0]]} leads without any one of the"
                f" {len(self.tasks):,}."
            ]
        (task, who), *more = self.without
        others = f"; {len(more):,} other task{'s change' if len(more) > 1 else ' changes'} the leader too"
        return [f"Without {task}, {who} leads{others if more else ''}."]


def _ends(low: float, high: float) -> str:
    return f"{low:.2f} to {high:.2f}".replace("-", "−")


def _two_numbers(one: float, other: float) -> tuple[str, str]:
    """Two numbers with as many digits as show that they differ."""
    digits = LEAST_DIGITS
    while digits < 6 and f"{one:.{digits}f}" == f"{other:.{digits}f}":
        digits += 1
    return f"{one:.{digits}f}".replace("-", "−"), f"{other:.{digits}f}".replace("-", "−")


def board_over_runs(aggregates: Aggregates, comparison: Comparison, values: FloatArray) -> ScoreBoard:
    """Rank agents by what repeated runs say; ``values`` are the runs behind it, agents x tasks x runs, in units."""
    statistic = comparison.statistic
    assert statistic in get_args(BoardStatistic)
    pairs = PairedDifferences(
        comparison.estimate, comparison.difference, comparison.difference_low, comparison.difference_high,
        comparison.rank_low, comparison.rank_high,
    )  # fmt: skip
    beside = {name: getattr(aggregates, name) for name in BESIDE[statistic]}
    over = str(comparison.params["over"])
    return _board(aggregates, pairs, statistic, values, beside, over)  # type: ignore[arg-type]  # one of them


def board_over_tasks(
    agents: tuple[str, ...], tasks: tuple[str, ...], values: FloatArray, statistic: BoardStatistic, *, level: float,
    rng: int | np.random.Generator, intervals: bool,
) -> tuple[ScoreBoard, tuple[Diagnostic, ...]]:  # fmt: skip
    """Rank agents by one score a cell, in common units; other tasks like these are what might have been.

    Where cells were filled in there are no ``intervals``: a filled cell is no score.
    """
    scores = Scores.from_matrix(values, agents, tasks)
    n = int(np.clip(DRAWN // values.size, FEWEST_DRAWN, 1000))
    found = aggregate(scores, over="tasks", level=level, rng=rng, n=n)
    pairs = paired_differences(runs_of(scores, "none", None, "tasks"), statistic, n, level, generator(rng))
    ranks = scipy.stats.rankdata(-values, axis=0).mean(axis=1)
    beside = {name: getattr(found, name) for name in ("iqm", "mean") if name != statistic} | {"mean_rank": ranks}
    over = "tasks" if intervals and len(tasks) > 1 else None
    notes = tuple(note for note in found.diagnostics if note.code == "few-tasks") if over else ()
    if over:
        found, pairs = _without_certainty(found, pairs, statistic, values, level)
    if over and is_pass_fail(values):
        found = _wilson(found, values, level)
    return _board(found, pairs, statistic, values[:, :, None], beside, over), notes


def _without_certainty(
    found: Aggregates, pairs: PairedDifferences, statistic: BoardStatistic, values: FloatArray, level: float
) -> tuple[Aggregates, PairedDifferences]:
    """Widen intervals of what is the same on every task: its spread is not nought, it was not seen.

    At least a share L of all tasks is like those seen, L^tasks = alpha / 2 as for a probability of 1; on the others an
    agent may score anything that was scored, and differ from another by as much as any two did on one task.
    """
    agents, tasks = values.shape
    alike = _share_alike(tasks, 1.0 - level)
    alone = np.ptp(values, axis=1) <= TINY * np.ptp(values)
    low, high = (getattr(found, f"{statistic}_{end}") for end in ("low", "high"))
    ends = [alike * values[:, 0] + (1.0 - alike) * end for end in (values.min(), values.max())]
    low, high = np.where(alone, np.minimum(low, ends[0]), low), np.where(alone, np.maximum(high, ends[1]), high)
    ends_by_name: dict[str, Any] = {f"{statistic}_low": frozen(low), f"{statistic}_high": frozen(high)}
    found = replace(found, **ends_by_name)
    least, most = np.full((agents, agents), np.inf), np.full((agents, agents), -np.inf)
    for column in values.T:
        difference = column[:, None] - column
        np.minimum(least, difference, out=least)
        np.maximum(most, difference, out=most)
    widest = float(most.max())
    alike = _share_alike(tasks, (1.0 - level) / max(agents * (agents - 1) / 2, 1.0))
    same = most - least <= TINY * widest
    down = np.where(same, np.minimum(pairs.low, alike * least - (1.0 - alike) * widest), pairs.low)
    up = np.where(same, np.maximum(pairs.high, alike * most + (1.0 - alike) * widest), pairs.high)
    return found, replace(
        pairs, low=frozen(down), high=frozen(up), rank_low=frozen(1 + (up < 0.0).sum(axis=1), np.int64),
        rank_high=frozen(agents - (down > 0.0).sum(axis=1), np.int64),
    )  # fmt: skip


def _share_alike(tasks: int, alpha: float) -> float:
    """Give the lower end of a probability of which every one of some tasks was an instance (Clopper-Pearson).

    >>> round(_share_alike(5, 0.05), 3)
    0.478
    """
    return float((alpha / 2.0) ** (1.0 / tasks))


def _wilson(found: Aggregates, passed: FloatArray, level: float) -> Aggregates:
    """Give shares of tasks passed the intervals of shares: all of five is no certainty."""
    agents, tasks = passed.shape
    size = np.full(agents, float(tasks))
    variance = passed.var(axis=1, ddof=1) / tasks
    low, high = share_ends(found.mean, variance, size - 1.0, size, size, level)
    return replace(found, mean_low=low, mean_high=high)


def _board(
    aggregates: Aggregates, pairs: PairedDifferences, statistic: BoardStatistic, values: FloatArray,
    beside: Mapping[str, FloatArray], over: str | None,
) -> ScoreBoard:  # fmt: skip
    estimate = getattr(aggregates, statistic)
    low, high = (getattr(aggregates, f"{statistic}_{end}") for end in ("low", "high"))
    if over is None or np.isnan(low).all():
        over, low, high = None, np.full(len(estimate), np.nan), np.full(len(estimate), np.nan)
        pairs = pairs.unknown()
    means = task_means(values)
    leader, *others = np.argsort(-np.asarray(estimate), kind="stable").tolist()
    against = others[:1] and by_task(
        aggregates.agents, aggregates.tasks, values, leader, others[0], aggregates.interval.level
    )
    return ScoreBoard(
        agents=aggregates.agents, tasks=aggregates.tasks, statistic=statistic, over=over,
        level=aggregates.interval.level, estimate=frozen(estimate), low=frozen(low), high=frozen(high), pairs=pairs,
        beside=FrozenMap({name: frozen(column) for name, column in beside.items()}),
        lost=frozen((means < means[leader]).sum(axis=1), np.int64),
        without=_leaders_without(aggregates.agents, aggregates.tasks, values, statistic, leader),
        by_task=against if against and (against.mean != against.other_mean).any() else None,
        params=frozen_params(statistic=statistic, level=aggregates.interval.level),
    )  # fmt: skip


def _leaders_without(
    agents: Sequence[str], tasks: Sequence[str], values: FloatArray, statistic: BoardStatistic, leader: int
) -> tuple[tuple[str, str], ...] | None:
    """Leave out each task in turn, and name those without which somebody else leads."""
    if len(tasks) < 2 or len(tasks) * values.size > MOST_LEFT_OUT:
        return None
    found = []
    for j, task in enumerate(tasks):
        rest = STATISTICS[statistic](np.delete(values, j, axis=1))
        if rest[leader] < rest.max():
            found.append((task, agents[int(np.argmax(rest))]))
    return tuple(found)
