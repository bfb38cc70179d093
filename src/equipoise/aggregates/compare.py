"""Paired comparisons of agents on the same tasks, and groups that the data do not separate.

Among them are the chances that a run of one agent beats a run of another on the same task, with their errors.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.aggregates.kernels import Statistic
from equipoise.aggregates.precision import Precision, few_runs_notes, precision, share_ends, summed
from equipoise.aggregates.runs import Anchors, Runs, RunUnit, runs_of
from equipoise.aggregates.shared_runs import RunSums, run_component
from equipoise.core.declaration import method
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.data.types.normalisation import Units
from equipoise.data.types.scores import RunsShared, Scores


def improvements(runs: Runs, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the chances of all pairs, a tie counting half, with intervals one by one; 1/2 on the diagonal."""
    agents = len(runs.agents)
    chance, low, high = np.full((3, agents, agents), 0.5)
    first, second = np.triu_indices(agents, 1)
    if runs.unit == "tasks":
        share, variance, degrees, count, most = _over_tasks(runs)
    else:
        share, variance, degrees, count, most = _over_runs(runs)
    down, up = share_ends(share, variance, degrees, count, most, level)
    chance[first, second], chance[second, first] = share, 1.0 - share
    low[first, second], low[second, first] = down, 1.0 - up
    high[first, second], high[second, first] = up, 1.0 - down
    return frozen(chance), frozen(low), frozen(high)


_Chances = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]
"""Chances of pairs, their variances and degrees of freedom, and the numbers of runs that would be as sure."""


def _over_tasks(runs: Runs) -> _Chances:
    """Chances of all pairs where tasks are the sample."""
    won = [_placements(runs.values[i], runs.values[i + 1 :]) for i in range(len(runs.agents) - 1)]
    chances = np.concatenate([np.nanmean(part, axis=-1) for part in won])
    share, tasks = chances.mean(axis=-1), chances.shape[-1]
    if tasks == 1:
        nothing = np.full(len(share), np.nan)
        return share, nothing, nothing, nothing, nothing
    size = np.full(len(share), float(tasks))
    return share, chances.var(axis=-1, ddof=1) / tasks, size - 1.0, size, size * tasks


def _over_runs(runs: Runs) -> _Chances:
    """Chances of all pairs where runs are the sample: a run moves them by what it beats of the other's (placements)."""
    share, fewer, sides = [], [], []
    for i in range(len(runs.agents) - 1):
        own, others = runs.values[i], runs.values[i + 1 :]
        won, lost = _placements(own, others), _placements(others, own)
        share.append(np.nanmean(won, axis=-1).mean(axis=-1))
        fewer.append(np.minimum(runs.counts[i], runs.counts[i + 1 :]))
        sides.append(_side(won, np.broadcast_to(runs.linked[i], len(others))))
        sides.append(_side(lost, runs.linked[i + 1 :]))
    sums = RunSums.joined([sums for sums, _ in sides])
    component = run_component(sums, np.concatenate([degrees for _, degrees in sides]), runs.shared, len(runs.agents))
    # Sides come in turn, all pairs of an agent at a time.
    first = np.concatenate([np.full(len(degrees), k % 2 == 0) for k, (_, degrees) in enumerate(sides)])
    variance, degrees = summed(
        *(np.stack([part[first], part[~first]], axis=-1) for part in (component.variance, component.degrees))
    )
    counts = np.concatenate(fewer)
    # Two samples of k are as sure of a chance near one end as k single runs; of one in the middle as half more.
    most = counts.sum(axis=-1) * counts.mean(axis=-1)
    return np.concatenate(share), variance, degrees, counts.sum(axis=-1) * 1.0, most


def _side(placements: FloatArray, linked: npt.NDArray[np.bool_]) -> tuple[RunSums, FloatArray]:
    """What one agent's runs say of its chances against others, and the degrees of freedom of independent runs."""
    tasks = placements.shape[1]
    counts = (~np.isnan(placements)).sum(axis=-1)
    parts = _variance(placements) / counts / tasks**2
    _, degrees = summed(parts, counts - 1.0)
    return RunSums.of(placements, np.full(parts.shape, 1.0 / tasks), parts, linked), degrees


def _placements(one: FloatArray, other: FloatArray) -> FloatArray:
    """Share of the other's runs that each run beats, a tie counting half: tasks x runs last, runs as those of ``one``.

    NaN where there is no run.
    """
    one = np.broadcast_to(one, (*np.broadcast_shapes(one.shape[:-1], other.shape[:-1]), one.shape[-1]))
    count = (~np.isnan(other)).sum(axis=-1, keepdims=True)
    beaten = np.zeros(one.shape)
    for k in range(other.shape[-1]):  # one run at a time: all pairs at once would not fit where there are many runs
        single = other[..., k, None]
        beaten += (one > single) + 0.5 * (one == single)
    return np.where(np.isnan(one), np.nan, beaten / count)


def _variance(values: FloatArray) -> FloatArray:
    """Of the runs of each task, with n - 1."""
    there = ~np.isnan(values)
    count = there.sum(axis=-1)
    mean = np.where(there, values, 0.0).sum(axis=-1) / count
    squares = np.where(there, (values - mean[..., None]) ** 2, 0.0).sum(axis=-1)
    return np.asarray(squares / np.maximum(count - 1.0, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class PairedDifferences:
    """How much better each agent is than each other, with intervals that hold for all pairs together.

    Attributes
    ----------
    estimate
        The statistic of each agent.
    difference, low, high
        ``[i, j]`` is how much better i is than j.
    rank_low, rank_high
        Best and worst rank that the differences allow.
    """

    estimate: FloatArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    rank_low: IntArray
    rank_high: IntArray

    def unknown(self) -> "PairedDifferences":
        """Give the same without intervals: every rank is open."""
        count = len(self.estimate)
        nothing = frozen(np.full((count, count), np.nan))
        ranks = frozen(np.ones(count), np.int64), frozen(np.full(count, count), np.int64)
        return PairedDifferences(self.estimate, self.difference, nothing, nothing, *ranks)


def paired_differences(
    drawn: Runs, statistic: Statistic, n: int, level: float, stream: np.random.Generator
) -> PairedDifferences:
    """Compare all pairs by a statistic; of an optimality gap less is better."""
    return _paired(precision(drawn, statistic, n, stream), statistic, level, stream)


def _paired(part: Precision, statistic: Statistic, level: float, stream: np.random.Generator) -> PairedDifferences:
    sign = -1.0 if statistic == "optimality_gap" else 1.0
    difference = sign * (part.estimate[:, None] - part.estimate)
    widths = part.difference_widths(level, stream)
    up, down = (widths, widths.T) if sign > 0 else (widths.T, widths)
    low, high = difference - down, difference + up
    return PairedDifferences(
        frozen(part.estimate), frozen(difference), frozen(low), frozen(high),
        frozen(1 + (high < 0.0).sum(axis=1), np.int64), frozen(len(low) - (low > 0.0).sum(axis=1), np.int64),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """All pairs of agents, and who ties with whom.

    Attributes
    ----------
    estimate
        The statistic of each agent.
    rank_low, rank_high
        Best and worst rank that the comparisons allow, all pairs together at the level.
    group
        Letters: agents that share a letter are statistically tied.
    difference, difference_low, difference_high
        ``[i, j]`` is how much better i is than j, with intervals that hold for all pairs together.
    improvement, improvement_low, improvement_high
        ``[i, j]`` is the chance that a run of i beats a run of j on the same task, a tie counting half, averaged over
        tasks; its intervals hold one by one.
    """

    main: ClassVar[str] = "estimate"

    agents: tuple[str, ...]
    statistic: str
    estimate: FloatArray
    rank_low: IntArray
    rank_high: IntArray
    group: tuple[str, ...]
    difference: FloatArray
    difference_low: FloatArray
    difference_high: FloatArray
    improvement: FloatArray
    improvement_low: FloatArray
    improvement_high: FloatArray
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first, with the letters of their groups."""
        table = pl.DataFrame(
            {
                "agent": list(self.agents),
                self.statistic: self.estimate,
                "rank_low": self.rank_low,
                "rank_high": self.rank_high,
                "group": list(self.group),
            }
        )
        return table.sort(self.statistic, descending=self.statistic != "optimality_gap", maintain_order=True)

    def pair_frame(self) -> "pl.DataFrame":
        """Give a row for each pair, the better agent first, the largest difference first."""
        columns = (
            "difference", "difference_low", "difference_high", "improvement", "improvement_low", "improvement_high",
        )  # fmt: skip
        rows = []
        for i, j in combinations(range(len(self.agents)), 2):
            a, b = (i, j) if self.difference[i, j] >= 0 else (j, i)
            values = {name: float(getattr(self, name)[a, b]) for name in columns}
            rows.append({"agent": self.agents[a], "other": self.agents[b], **values, "tied": self.tied(a, b)})
        return pl.DataFrame(rows).sort("difference", descending=True, maintain_order=True)

    def tied(self, i: int, j: int) -> bool:
        """Tell whether the comparison of these two positions leaves open who is better."""
        return not (self.difference_low[i, j] > 0.0 or self.difference_high[i, j] < 0.0)

    def summary(self) -> dict[str, object]:
        """Give the pairs and the kind of the intervals."""
        return {"pairs": self.pair_frame().to_dicts(), "interval": self.interval}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who cannot be ruled out as best, and how many pairs do not differ significantly."""
        first = self.frame().filter(self.frame()["rank_low"] == 1)["agent"].to_list()
        pairs = list(combinations(range(len(self.agents)), 2))
        tied = sum(self.tied(i, j) for i, j in pairs)
        if len(first) == 1:
            top = f"{first[0]} is significantly better than every other agent."
        else:
            top = f"{len(first)} agents cannot be ruled out as best: {some_of(first, 6)}."
        if len(pairs) == 1:
            return (top,)
        if tied == 0:
            return (top, f"All {len(pairs)} pairs differ significantly.")
        return (top, f"{tied} of {len(pairs)} pairs {'does' if tied == 1 else 'do'} not differ significantly.")


@method(
    takes="scores",
    answers="Which agents differ on these tasks, and which are not significantly different?",
    reference="Agarwal et al. (2021); Piepho (2004)",
    checks={"n": whole(2)},
    renamed={"resample": "over"},
)
def probability_of_improvement(
    data: Scores,
    *,
    statistic: Statistic = "iqm",
    units: Units = "none",
    anchors: Anchors | None = None,
    over: RunUnit | None = None,
    runs: RunsShared | None = None,
    n: int = 2000,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Comparison:
    r"""Which agents differ, and which are not significantly different?

    Every pair is compared on the same tasks: the difference of a statistic, and the probability of improvement

    .. math:: P(X > Y) = \frac{1}{M} \sum_m \frac{1}{N K} \sum_{n, k} [x_{mn} > y_{mk}] + \tfrac12 [x_{mn} = y_{mk}].

    Parameters
    ----------
    data, units, anchors, over, runs, n, level, rng
        As for :func:`aggregate`. Over tasks the comparison is paired: both agents get the same drawn tasks.
    statistic
        What is compared: ``iqm``, ``median``, ``mean`` or ``optimality_gap``.

    Returns
    -------
    Comparison
        Differences and probabilities of improvement with intervals, rank intervals, and groups.

    Fails when
        cells are missing, or there is one agent only.

    Notes
    -----
    The intervals of differences are Student's t with the degrees of freedom of each pair (Welch), and hold for all
    pairs together (the largest deviation over pairs sets their width), so that comparing many agents does not find
    differences by number alone. Few runs make them wide, which a diagnostic says. Intervals of improvements are
    Wilson's.

    References
    ----------
    Agarwal et al. (2021), Deep reinforcement learning at the edge of the statistical precipice. Piepho (2004), An
    algorithm for a letter-based representation of all-pairwise comparisons. Welch (1947), The generalization of
    Student's problem when several different population variances are involved.

    Examples
    --------
    >>> import equipoise as eq
    >>> rng = np.random.default_rng(0)
    >>> runs = rng.normal([[[0.0]], [[0.05]], [[2.0]]], 1.0, size=(3, 20, 5))
    >>> eq.probability_of_improvement(eq.Scores.from_matrix(runs, agents=["x", "y", "z"])).frame()["group"].to_list()
    ['a', 'b', 'b']
    """
    if len(data.agents) < 2:
        raise DataError(f"one agent only ({data.agents[0]}): there is nothing to compare it with")
    drawn = runs_of(data, units, anchors, over, runs)
    sign = -1.0 if statistic == "optimality_gap" else 1.0
    stream = generator(rng)
    part = precision(drawn, statistic, n, stream)
    pairs = _paired(part, statistic, level, stream)
    improvement, improvement_low, improvement_high = improvements(drawn, level)
    return Comparison(
        agents=drawn.agents, statistic=statistic, estimate=pairs.estimate, rank_low=pairs.rank_low,
        rank_high=pairs.rank_high, group=letters(sign * part.estimate, (pairs.low > 0.0) | (pairs.high < 0.0)),
        difference=pairs.difference, difference_low=pairs.low, difference_high=pairs.high,
        improvement=improvement, improvement_low=improvement_low, improvement_high=improvement_high,
        interval=drawn.interval(level, "simultaneous Student t"),
        diagnostics=(*drawn.diagnostics, *few_runs_notes(drawn, [part])),
        params=frozen_params(statistic=statistic, units=units, over=drawn.unit, runs=runs, n=n, level=level),
    )  # fmt: skip


def letters(estimate: FloatArray, differ: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    """Give each agent letters such that two agents share one exactly if they do not differ; ``a`` is the best group.

    One starts with a single group and splits every group that holds a pair that differs; groups inside others go.

    >>> letters(np.array([3.0, 2.0, 1.0]), np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ('a', 'ab', 'b')
    """
    groups = [frozenset(range(len(estimate)))]
    for i, j in np.argwhere(np.triu(differ)):
        split = [part for group in groups for part in _split(group, int(i), int(j))]
        unique = list(dict.fromkeys(split))
        groups = [group for group in unique if not any(group < other for other in unique)]
    groups.sort(key=lambda group: sorted(-estimate[i] for i in group))
    names = [_letter(k) for k in range(len(groups))]
    return tuple(
        "".join(name for name, group in zip(names, groups, strict=True) if i in group) for i in range(len(estimate))
    )


def _split(group: frozenset[int], i: int, j: int) -> list[frozenset[int]]:
    return [group - {i}, group - {j}] if i in group and j in group else [group]


def _letter(k: int) -> str:
    """A letter for the first 26 groups; then a letter with a number."""
    letter = chr(ord("a") + k % 26)
    return letter if k < 26 else f"{letter}{k // 26}"
