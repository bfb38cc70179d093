"""Is the new agent not worse, or better, than the base: two logs or tables, compared on the tasks that both have."""

from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.aggregates.paired_mean import PairedMean, paired_mean
from equipoise.aggregates.precision import precision
from equipoise.aggregates.runs import Runs, runs_of
from equipoise.analyses.analysis import each_once
from equipoise.analyses.gate.pairing import Pairing, paired_scores
from equipoise.analyses.gate.result import Direction, GateResult, GateTasks, verdict_of
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.options import LEVEL, check, choice, generator, number
from equipoise.core.results import frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import RunsShared, Scores


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
    margin = asked_margin(margin, direction, tasks, level)
    return decide(
        paired_scores(base, new, base_agent, new_agent, read), margin, direction, tasks=tasks, runs=runs, level=level,
        rng=generator(rng),
    )  # fmt: skip


def asked_margin(margin: float | None, direction: Direction, tasks: GateTasks, level: float) -> float | None:
    """Check what was asked, and give the margin: that of ``better`` is 0."""
    check(LEVEL, "level", level)
    check(choice("not-worse", "better"), "direction", direction)
    check(choice("sample", "fixed"), "tasks", tasks)
    check(number(0.0, none=True), "margin", margin)
    if direction == "better" and margin:
        raise ParameterError(Option("margin"), " has no effect with ", Option("direction", "better"))
    return 0.0 if direction == "better" else margin


def decide(
    pairing: Pairing, margin: float | None, direction: Direction, *, tasks: GateTasks, runs: RunsShared | None,
    level: float, rng: np.random.Generator,
) -> GateResult:  # fmt: skip
    """Decide about both sides as they were read."""
    interval, notes = _interval(pairing, tasks, runs, level, rng)
    scores = pairing.scores
    return GateResult(
        data=pairing.opened.data, origin=pairing.opened.origin, base=scores.agents[0], new=scores.agents[1],
        tasks=scores.tasks, base_score=frozen(scores.values[0]),
        new_score=frozen(scores.values[0] + pairing.differences), difference=interval.estimate, low=interval.low,
        high=interval.high, stderr=interval.stderr, margin=margin, direction=direction,
        verdict=None if margin is None else verdict_of(interval.low, interval.high, margin, direction),
        runs=1 if scores.repeats is None else int((~np.isnan(scores.repeats)).sum(axis=2).min()), over=tasks,
        level=level, answers=pairing.answers,
        params=frozen_params(margin=margin, direction=direction, tasks=tasks, level=level),
        diagnostics=each_once(pairing.notes, notes),
    )  # fmt: skip


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
