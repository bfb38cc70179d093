"""Runs of several logs into one table of scores."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from equipoise.core.diagnostics import info
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray, IntArray, frozen
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.declared import Per
from equipoise.data.readers.recognise import RunMean
from equipoise.data.types.scores import Scores
from equipoise.logs.format import Notes, Run

SAME = 1e-6
"""Beyond this a mean is not the one that the log states."""


@dataclass(slots=True)
class _Columns:
    """Rows as codes and numbers: what a row of a log costs in memory is 16 bytes."""

    agents: dict[str, int] = field(default_factory=dict)
    evaluations: dict[str, int] = field(default_factory=dict)
    items: dict[tuple[int, str], int] = field(default_factory=dict)
    agent: "array[int]" = field(default_factory=lambda: array("i"))
    item: "array[int]" = field(default_factory=lambda: array("i"))
    score: "array[float]" = field(default_factory=lambda: array("d"))
    stated: dict[tuple[int, int], tuple[float, int]] = field(default_factory=dict)

    def take(self, run: Run) -> None:
        agent = self.agents.setdefault(run.agent, len(self.agents))
        evaluation = self.evaluations.setdefault(run.evaluation, len(self.evaluations))
        if run.stated:
            self.stated[agent, evaluation] = (float(run.scores[0]), run.samples)
            return
        items = self.items
        self.item.extend(items.setdefault((evaluation, name), len(items)) for name in run.items)
        self.agent.extend([agent] * len(run.items))
        self.score.extend(run.scores)


def join(runs: Iterable[Run], per: Per | None, notes: Notes) -> Scores:
    """Make one table: agents in rows; samples, or whole evaluations, in columns.

    A sample that an agent answered several times is averaged first, so that every sample counts once.

    Fails when
        there is no score at all, or ``per="sample"`` is asked of logs that have means only.
    """
    columns = _Columns()
    for run in runs:
        columns.take(run)
    if not columns.score and not columns.stated:
        left = [
            note.message for note in notes.diagnostics() if note.code in ("samples-without-score", "files-left-out")
        ]
        raise DataError(" ".join(["the logs contain no scores.", *left]))
    agent = np.frombuffer(columns.agent, np.intc).astype(np.int64)
    item = np.frombuffer(columns.item, np.intc).astype(np.int64)
    score = np.frombuffer(columns.score, np.float64)
    means, counts, trials = _means(columns, agent, item, score)
    _compare_stated(columns, means, notes)
    alone = {cell: stated for cell, stated in columns.stated.items() if np.isnan(means[cell])}
    _sum_up(columns, means, counts, alone, notes)
    if per is None:
        per = "sample" if not alone and len(columns.evaluations) == 1 else "evaluation"
    if per == "sample":
        if not len(score):
            raise DataError("the logs contain means of evaluations only, no samples")
        return _by_sample(columns, agent, item, score, alone, notes)
    return _by_evaluation(columns, means, counts, trials, alone, notes)


def _means(columns: _Columns, agent: IntArray, item: IntArray, score: FloatArray) -> tuple[FloatArray, IntArray, bool]:
    """Give the mean over samples of the means over runs, how many samples there are, and if some have several runs."""
    shape = (len(columns.agents), len(columns.evaluations))
    evaluation = np.array([key[0] for key in columns.items], np.int64)
    cell, inverse, repeats = np.unique(
        agent * max(len(columns.items), 1) + item, return_inverse=True, return_counts=True
    )
    sums = np.bincount(inverse, score, len(cell)) if len(cell) else np.zeros(0)
    each = sums / repeats
    place = (cell // max(len(columns.items), 1)) * shape[1] + evaluation[cell % max(len(columns.items), 1)]
    count = np.bincount(place, minlength=shape[0] * shape[1])
    total = np.bincount(place, each, shape[0] * shape[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(count > 0, total / count, np.nan).reshape(shape)
    return means, count.reshape(shape), bool((repeats > 1).any())


def _compare_stated(columns: _Columns, means: FloatArray, notes: Notes) -> None:
    """Say where the samples give another mean than the one that the log states."""
    agents, evaluations = list(columns.agents), list(columns.evaluations)
    other = [
        f"{means[a, e]:.4g} instead of {stated:.4g} ({agents[a]} on {evaluations[e]})"
        for (a, e), (stated, _) in columns.stated.items()
        if not np.isnan(means[a, e]) and abs(means[a, e] - stated) > SAME * max(1, abs(stated))
    ]
    if other:
        notes.warning("stated-mean-differs", f"Samples give another mean than the log states: {some_of(other)}.", other)


def _sum_up(
    columns: _Columns,
    means: FloatArray,
    counts: IntArray,
    alone: dict[tuple[int, int], tuple[float, int]],
    notes: Notes,
) -> None:
    """Keep the mean of each agent in each evaluation."""
    for e, evaluation in enumerate(columns.evaluations):
        for a, agent in enumerate(columns.agents):
            mean, samples = alone.get((a, e), (float(means[a, e]), int(counts[a, e])))
            if not np.isnan(mean):
                notes.runs.append(RunMean(agent, evaluation, mean, samples))


def _by_sample(
    columns: _Columns,
    agent: IntArray,
    item: IntArray,
    score: FloatArray,
    alone: dict[tuple[int, int], tuple[float, int]],
    notes: Notes,
) -> Scores:
    agents, evaluations = list(columns.agents), list(columns.evaluations)
    if alone:
        where = [f"{agents[a]} on {evaluations[e]}" for a, e in alone]
        notes.warning("means-left-out", f"Logs with only a mean have no samples: {some_of(where)}.", where)
    tasks = tuple(f"{evaluations[evaluation]}/{name}" for evaluation, name in columns.items)
    scores = Scores.from_long(tuple(agents), tasks, agent, item, score)
    kept = ~np.isnan(scores.values).all(axis=1)
    scores = scores if kept.all() else scores.take(agents=kept)
    _say_unshared(scores, notes)
    return scores


def _by_evaluation(
    columns: _Columns,
    means: FloatArray,
    counts: IntArray,
    trials: bool,
    alone: dict[tuple[int, int], tuple[float, int]],
    notes: Notes,
) -> Scores:
    for cell, (stated, samples) in alone.items():
        means[cell], counts[cell] = stated, samples
    sentence = "Each evaluation is a task, and its score the mean over its samples."
    advice = [Advice("for one task a sample, read with ", Option("per", "sample"))] if len(columns.score) else []
    notes.said.append(info("evaluations-as-tasks", sentence, columns.evaluations, advice=advice))
    known = ~np.isnan(means)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers as large as a float can be are no rates
        successes = means * counts
        whole = (counts[known] > 0).all() and (np.abs(successes - np.round(successes))[known] < SAME).all()
    rates = bool(whole and not trials and (means[known] >= 0).all() and (means[known] <= 1).all())
    scores = Scores(
        tuple(columns.agents),
        tuple(columns.evaluations),
        frozen(means),
        trials=frozen(np.where(known, counts, 0), np.int64) if rates else None,
    )
    _say_unshared(scores, notes)
    return scores


def _say_unshared(scores: Scores, notes: Notes) -> None:
    """Name the tasks that not all agents have a score on, and the agents that lack them."""
    missing = scores.missing
    if not missing.any():
        return
    tasks = [scores.tasks[j] for j in np.flatnonzero(missing.any(axis=0))]
    lacking = [f"{scores.agents[i]} lacks {missing[i].sum():,}" for i in np.flatnonzero(missing.any(axis=1))]
    notes.info(
        "tasks-not-shared",
        f"{len(tasks):,} of {len(scores.tasks):,} tasks have no score of some agent ({some_of(tasks)}): "
        f"{some_of(lacking)}.",
        tasks,
    )
