"""Logs of which not everything can be compared: the parts in which it can, and what there is to say of the rest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, some_of
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.recognise import Recognised, RunMean
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.graph import connected_components
from equipoise.data.types.scores import Scores
from equipoise.logs.tables.frames import chosen

MOST = 8
"""Parts that a page has; what there is more is named."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What of the logs can be compared: the parts, and what there is to say of the rest; None where all of it can."""

    parts: tuple[Recognised, ...]
    note: Diagnostic


def compared(whole: Recognised, samples: Callable[[], Recognised]) -> Compared | None:
    """Take logs apart where too few of their agents share evaluations; None where they are one table, or no scores.

    A part holds agents and every evaluation that all of them took: two evaluations or more by their means, one alone by
    its samples, which ``samples`` reads.
    """
    scores = whole.data
    if not whole.runs or not isinstance(scores, Scores) or not _apart(scores, whole.runs):
        return None
    if len(scores.agents) < 2:
        return Compared((), _nobody_else(whole.runs))
    found: list[Recognised] = []
    left: list[str] = []
    single: Scores | None = None
    for agents, tasks in _blocks(scores):
        names = [scores.tasks[j] for j in np.flatnonzero(tasks)]
        if len(names) == 1:
            single = _samples(samples) if single is None else single
            part = _of_one(single, names[0])
        else:
            part = scores.take(agents, tasks)
        if part is None or len(found) == MOST:
            left.append(f"{int(agents.sum())} agents on {some_of(names)}")
            continue
        title = names[0] if len(names) == 1 else f"{len(names):,} evaluations: {some_of(names)}"
        unit = "samples" if len(names) == 1 else "evaluations"
        what = f"{len(part.agents):,} agents on {len(part.tasks):,} {unit}: every evaluation that all of them took."
        found.append(Recognised(title, replace(part, diagnostics=()), what))
    return Compared(tuple(found), _said(whole.runs, found, left))


def distinguished_by_tasks(whole: Recognised) -> Recognised:
    """Take each task of logs for an evaluation where no chain of shared tasks joins all agents; else as they are."""
    scores = whole.data
    if whole.runs or not isinstance(scores, Scores):
        return whole
    i, j = np.nonzero(~scores.missing)
    components = connected_components(len(scores.agents) + len(scores.tasks), i, len(scores.agents) + j)
    if not components.any():
        return whole
    tries = np.ones_like(scores.values) if scores.repeats is None else (~np.isnan(scores.repeats)).sum(axis=2)
    cells = zip(i, j, strict=True)
    runs = [RunMean(scores.agents[a], scores.tasks[t], float(scores.values[a, t]), int(tries[a, t])) for a, t in cells]
    return replace(whole, runs=tuple(runs))


def with_two_hands(whole: Recognised) -> Recognised:
    """Leave out agents with a single hand, of whom nothing says how sure a mean is, where two others have more."""
    hands = whole.data
    if not isinstance(hands, Episodes):
        return whole
    several = np.bincount(hands.agent.codes, minlength=len(hands.agents)) > 1
    if several.all() or several.sum() < 2:
        return whole
    kept = chosen(hands, ReadOptions(min_games=2))
    return replace(whole, data=kept) if isinstance(kept, Episodes) else whole


def _apart(scores: Scores, runs: Sequence[RunMean]) -> bool:
    """Whether fewer than two agents have scores on half of the evaluations, and on two: what evaluating them takes."""
    if len(scores.agents) < 2:
        return True
    several = len({run.evaluation for run in runs}) > 1
    by_evaluation = set(scores.tasks) == {run.evaluation for run in runs}
    there = (~scores.missing).sum(axis=1)
    if several and by_evaluation and bool((scores.missing[there >= len(scores.tasks) / 2].all(axis=0)).any()):
        return True  # those who took half of the evaluations leave some to nobody
    return several and by_evaluation and int((there >= max(2, len(scores.tasks) / 2)).sum()) < 2


def _blocks(scores: Scores) -> list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]]:
    """Give each set of two agents or more that took an evaluation, with all evaluations that the whole set took."""
    there = ~scores.missing
    blocks: dict[bytes, tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]] = {}
    for j in range(len(scores.tasks)):
        agents = there[:, j]
        if agents.sum() >= 2:
            blocks[agents.tobytes()] = (agents, np.asarray(there[agents].all(axis=0)))
    return sorted(blocks.values(), key=lambda block: -int(block[0].sum() * block[1].sum()))


def _samples(read: Callable[[], Recognised]) -> Scores | None:
    try:
        data = read().data
    except DataError:
        return None
    return data if isinstance(data, Scores) else None


def _of_one(samples: Scores | None, evaluation: str) -> Scores | None:
    """Give the samples of one evaluation, where two agents or more have some."""
    if samples is None:
        return None
    own = np.array([task.startswith(f"{evaluation}/") for task in samples.tasks], bool)
    agents = (~samples.missing[:, own]).any(axis=1)
    return samples.take(agents, own) if own.any() and agents.sum() >= 2 else None


def _nobody_else(runs: Sequence[RunMean]) -> Diagnostic:
    only_agent = (
        f"{runs[0].agent} is the only agent: give the logs of others on the same evaluation, too, to compare them."
    )
    return info("one-agent", only_agent, [runs[0].agent])


def _said(runs: Sequence[RunMean], found: Sequence[Recognised], left: Sequence[str]) -> Diagnostic:
    """Say what became of the evaluations: compared below, not compared, or taken by one agent only."""
    counts: dict[str, int] = {}
    for run in runs:
        counts[run.evaluation] = counts.get(run.evaluation, 0) + 1
    alone = [name for name, count in counts.items() if count == 1]
    words = ["Few agents share these evaluations, so they are not evaluated as one table."]
    if found:
        parts = "1 part" if len(found) == 1 else f"{len(found):,} parts"
        words.append(f"Agents that took the same ones are compared in {parts} below.")
    if left:
        words.append(f"Not compared, for the logs hold too few samples: {some_of(left)}.")
    if len(alone) == len(counts):
        words.append("No two agents took the same evaluation: give logs of several agents on one, to compare them.")
    elif alone:
        words.append(f"Evaluations that one agent only took: {some_of(alone)}.")
    return info("evaluations-apart", " ".join(words), alone)
