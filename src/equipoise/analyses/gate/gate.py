"""Is the new agent not worse, or better, than the base: two logs or tables, compared on the tasks that both have."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equipoise.aggregates.paired_mean import PairedMean, paired_mean
from equipoise.aggregates.precision import precision
from equipoise.aggregates.runs import Runs, runs_of
from equipoise.analyses.analysis import each_once
from equipoise.analyses.gate.result import Direction, GateResult, GateTasks, verdict_of
from equipoise.analyses.source import Opened, open_source
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.options import LEVEL, check, choice, generator, number
from equipoise.core.results import FloatArray, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import RunsShared, Scores

SAME = 1e-9
"""Share of the range of scores below which a task did not change: rounding."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The scores of both agents on the tasks that both have, base first; with what was left out."""

    scores: Scores
    notes: tuple[Diagnostic, ...]
    opened: Opened

    @property
    def differences(self) -> FloatArray:
        """New less base on each task; what is rounding is none."""
        values = self.scores.values
        change = values[1] - values[0]
        return np.where(np.abs(change) <= SAME * max(self.scale, 1e-300), 0.0, change)

    @property
    def scale(self) -> float:
        """The largest difference that these scores could have shown."""
        return float(np.ptp(self.scores.values)) or 1.0

    @property
    def at_stake(self) -> tuple[float, float]:
        """What the new agent has to lose on a task, and to gain: what the base, and what it itself, gets on average.

        Nothing is a score of 0, or the least one where some are negative.
        """
        values = self.scores.values
        base, new = values.mean(axis=1) - min(float(values.min()), 0.0)
        return float(base), float(new)


@former_reading
def gate(
    base: Source,
    new: Source | None = None,
    *,
    margin: float | None = None,
    direction: Direction = "not-worse",
    tasks: GateTasks = "sample",
    base_agent: str | None = None,
    new_agent: str | None = None,
    runs: RunsShared | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> GateResult:
    """Say whether an agent got better, or at least not worse, than it was.

    The difference is that of the mean scores on the tasks that both have. *not-worse* passes if the whole interval is
    above -margin and fails if it is below; *better* likewise with 0; otherwise it is undecided. A pass where the
    difference is at the limit or below, and a fail where it is not, have a probability of at most (1 - level) / 2 each.

    Parameters
    ----------
    base, new
        Files, logs or folders of them, frames, or scores. Without ``new`` the base holds both agents.
    margin
        The largest loss of mean score that does not matter; not needed for ``better``. Without one the difference is
        reported, with the smallest margin that such a comparison could pass.
    direction
        ``not-worse`` or ``better``.
    tasks
        ``sample``: the tasks stand for others like them; ``fixed``: they are the question, and errors come from
        repeated runs of each.
    base_agent, new_agent
        Which agent is meant, where a source has several.
    runs
        Whether runs of one name on several tasks are one run, as in :func:`tasks`.
    level, rng
        Of the interval; a seed or generator.
    read
        Columns, rows and agents of the files.

    Fails when
        the two share no task; an agent must be named; ``fixed`` has no repeated runs; one task is all there is.

    Examples
    --------
    >>> import equipoise as eq
    >>> import numpy as np
    >>> before = np.tile([1.0, 0.0, 1.0, 1.0], 75)
    >>> after = before.copy()
    >>> after[:6] = 1.0 - after[:6]
    >>> table = eq.Scores.from_matrix([before, after], ["old", "new"])
    >>> eq.gate(table, base_agent="old", margin=0.05).verdict
    'pass'
    """
    check(LEVEL, "level", level)
    check(choice("not-worse", "better"), "direction", direction)
    check(choice("sample", "fixed"), "tasks", tasks)
    check(number(0.0, none=True), "margin", margin)
    if direction == "better":
        if margin:
            raise ParameterError(Option("margin"), " has no effect with ", Option("direction", "better"))
        margin = 0.0
    pairing = paired_scores(base, new, base_agent, new_agent, read)
    interval, notes = _interval(pairing, tasks, runs, level, generator(rng))
    scores = pairing.scores
    return GateResult(
        data=pairing.opened.data, origin=pairing.opened.origin, base=scores.agents[0], new=scores.agents[1],
        tasks=scores.tasks, base_score=frozen(scores.values[0]),
        new_score=frozen(scores.values[0] + pairing.differences), difference=interval.estimate, low=interval.low,
        high=interval.high, stderr=interval.stderr, margin=margin, direction=direction,
        verdict=None if margin is None else verdict_of(interval.low, interval.high, margin, direction),
        runs=1 if scores.repeats is None else int((~np.isnan(scores.repeats)).sum(axis=2).min()), over=tasks,
        level=level, params=frozen_params(margin=margin, direction=direction, tasks=tasks, level=level),
        diagnostics=each_once(pairing.notes, notes),
    )  # fmt: skip


def paired_scores(
    base: Source, new: Source | None, base_agent: str | None, new_agent: str | None, read: ReadOptions | None = None
) -> Pairing:
    """Read both sides and join them on the tasks that both have.

    Fails when
        there is none, or it is not clear which agents are meant.
    """
    first = open_source(base, ("scores",), read, asked_by="gate")
    second = first if new is None else open_source(new, ("scores",), read, asked_by="gate")
    old = _agent(first.data, base_agent, "base_agent")
    if new is None and new_agent is None:
        others = [name for name in first.data.agents if name != old]
        if len(others) != 1:
            raise DataError(f"there are {len(first.data.agents):,} agents here", advice=[_naming("new_agent")])
        new_agent = others[0]
    late = _agent(second.data, new_agent, "new_agent")
    if new is None and old == late:
        raise DataError(f"{old} cannot be compared with itself", advice=[_naming("new_agent")])
    return _joined(first, second, old, late)


def _naming(option: str) -> Advice:
    return Advice("name the agent that is meant with ", Option(option))


def _agent(scores: Scores, name: str | None, option: str) -> str:
    if name is None:
        if len(scores.agents) == 1:
            return scores.agents[0]
        raise DataError(
            f"there are {len(scores.agents):,} agents here: {some_of(scores.agents)}", advice=[_naming(option)]
        )
    if name not in scores.agents:
        raise DataError(f'no agent is called "{name}"{did_you_mean(name, scores.agents)}: {some_of(scores.agents)}')
    return name


def _joined(first: Opened, second: Opened, old: str, late: str) -> Pairing:
    sides = [_with_scores(opened.data, name) for opened, name in ((first, old), (second, late))]
    there = set(sides[1].tasks)
    tasks = [task for task in sides[0].tasks if task in there]
    if not tasks:
        raise DataError(
            f"the two share no task: {old} has {some_of(sides[0].tasks, 3)}, {late} has {some_of(sides[1].tasks, 3)}"
        )
    taken = [side.take(tasks=[side.tasks.index(task) for task in tasks]) for side in sides]
    names = (old, late) if old != late else (f"{old} (base)", f"{late} (new)")
    width = max(1, *(1 if side.repeats is None else side.repeats.shape[2] for side in taken))
    values = np.full((2, len(tasks), width), np.nan)
    for row, side in enumerate(taken):
        repeats = side.values[:, :, None] if side.repeats is None else side.repeats
        values[row, :, : repeats.shape[2]] = repeats[0]
    labels = tuple(None if side.run_labels is None else side.run_labels[0] for side in taken)
    both = Scores.from_matrix(values, names, tasks)
    both = replace(both, run_labels=labels, testlets=taken[0].testlets)
    if width == 1:
        both = replace(both, repeats=None, trials=None, run_labels=None)
    notes = [*first.data.diagnostics, *second.data.diagnostics, *_left_out(sides, tasks, names)]
    return Pairing(both, tuple(notes), first)


def _with_scores(scores: Scores, name: str) -> Scores:
    """The one agent, on the tasks that it has a score on."""
    row = scores.agents.index(name)
    return scores.take(agents=[row], tasks=~scores.missing[row])


def _left_out(sides: list[Scores], tasks: list[str], names: tuple[str, str]) -> list[Diagnostic]:
    """Say which tasks only one side has: what is compared is what both share."""
    notes = []
    for side, name in zip(sides, names, strict=True):
        alone = sorted(set(side.tasks) - set(tasks))
        if alone:
            message = (
                f"Compared on the {len(tasks):,} tasks that both have; {len(alone):,} only {name} has"
                f" ({some_of(alone, 3)}) do not count."
            )
            advice = [Advice("check that which tasks are missing did not depend on their results")]
            notes.append(warning("tasks-of-one-side", message, alone, advice=advice))
    return notes


def _interval(
    pairing: Pairing, tasks: GateTasks, runs: RunsShared | None, level: float, rng: np.random.Generator
) -> tuple[PairedMean, tuple[Diagnostic, ...]]:
    scores = pairing.scores
    if tasks == "fixed":
        return _over_runs(scores, runs, level, rng)
    if len(scores.tasks) < 2:
        raise DataError(
            "one task says nothing about other tasks",
            advice=[Advice("give more tasks, or repeated runs of this one and ", Option("tasks", "fixed"))],
        )
    further, notes = _shared_by_tasks(scores, runs, rng)
    clusters = None if scores.testlets is None else np.array(scores.testlets)
    found = paired_mean(
        pairing.differences, level, scale=pairing.scale, rare=pairing.at_stake, clusters=clusters, further=further
    )
    if clusters is not None:
        message = f"Errors are clustered by {len(set(scores.testlets or ())):,} groups of tasks."
        notes = (*notes, info("clustered-tasks", message))
    return found, notes


def _shared_by_tasks(
    scores: Scores, runs: RunsShared | None, rng: np.random.Generator
) -> tuple[tuple[float, float], tuple[Diagnostic, ...]]:
    """The variance of runs that are behind several tasks: what tasks vary by does not show it."""
    counts = None if scores.repeats is None else (~np.isnan(scores.repeats)).sum(axis=2)
    if counts is None or counts.min() < 2 or scores.run_labels is None:
        return (0.0, 1.0), ()
    drawn = runs_of(scores, "none", None, "runs", runs)
    apart = precision(replace(drawn, shared="independent"), "mean", 2, rng)
    together = precision(drawn, "mean", 2, rng)
    excess = float(np.clip(together.variance - apart.variance, 0.0, None).sum())
    if excess == 0.0:
        return (0.0, 1.0), ()
    message = "Runs rise and fall together over tasks; the interval allows for it."
    return (excess, float(counts.min() - 1)), (info("shared-runs", message),)


def _over_runs(
    scores: Scores, runs: RunsShared | None, level: float, rng: np.random.Generator
) -> tuple[PairedMean, tuple[Diagnostic, ...]]:
    """Errors of repeated runs on the tasks as they are; runs of one name (seeds) are paired."""
    if scores.repeats is None or (~np.isnan(scores.repeats)).sum(axis=2).min() < 2:
        raise DataError(
            Option("tasks", "fixed"), " needs at least two runs of each agent on each task",
            advice=[Advice("give them, or take the tasks for a sample with ", Option("tasks", "sample"))],
        )  # fmt: skip
    seeds = _seeds(scores)
    if seeds is not None:
        drawn = _unseen_flips(runs_of(seeds, "none", None, "runs", runs), scores)
        part = precision(drawn, "mean", 2, rng)
        low, high = (float(end[0]) for end in part.ends(level))
        found = PairedMean(float(part.estimate[0]), low, high, float(np.sqrt(part.variance[0])))
        return found, (info("paired-runs", f"Runs are paired by name ({some_of(seeds.run_labels[0], 3)})."),)  # type: ignore[index,arg-type]
    drawn = runs_of(scores, "none", None, "runs", runs)
    part = precision(drawn, "mean", 2, rng)
    widths: Any = part.difference_widths(level, rng)
    change = float(part.estimate[1] - part.estimate[0])
    error = float(np.sqrt(part.variance.sum()))
    return PairedMean(change, change - float(widths[0, 1]), change + float(widths[1, 0]), error), ()


def _unseen_flips(drawn: Runs, scores: Scores) -> Runs:
    """Answers that never changed between runs of one name may change yet, in up to 3 of so many (the rule of three).

    All runs alike do not show that the seeds decide everything; an interval without width would say so.
    """
    if scores.repeats is None or not np.isin(scores.repeats[~np.isnan(scores.repeats)], (0.0, 1.0)).all():
        return drawn
    alike = np.nanmax(drawn.values, axis=2) == np.nanmin(drawn.values, axis=2)
    return replace(drawn, least=np.where(alike, 3.0 / drawn.counts.sum(axis=1, keepdims=True), 0.0))


def _seeds(scores: Scores) -> Scores | None:
    """Differences run by run, where both have runs of the same names on all tasks."""
    labels = scores.run_labels
    if labels is None or scores.repeats is None or labels[0] is None or labels[1] is None:
        return None
    if sorted(labels[0]) != sorted(labels[1]):
        return None
    order = [labels[1].index(name) for name in labels[0]]
    change = scores.repeats[1][:, order] - scores.repeats[0][:, : len(order)]
    return replace(Scores.from_matrix(change[None], ["difference"], scores.tasks), run_labels=(labels[0],))
