"""A gate that runs the new agent itself: repeats on fixed tasks, as many as it takes, against recorded baselines.

The difference is looked at up to three times, after a quarter, a half and all of the runs that are allowed, each time
at a level that shares what the whole comparison may err by; so does each baseline where there are two. What the
baseline itself is uncertain by is in every interval: it has repeated runs, too.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal
from zlib import crc32

import numpy as np

from equipoise.analyses.gate.gate import gate
from equipoise.analyses.gate.result import Direction, GateResult, GateVerdict
from equipoise.core.errors import DataError, some_of
from equipoise.core.options import LEVEL, check, choice, number, whole
from equipoise.core.wording import Advice, Option
from equipoise.data.types.scores import Scores

Over = Literal["runs", "tasks"]
Runner = Callable[[str, int], float]
"""Gives the score of one run: of a task, with a seed."""
NAME = "equipoise seed "
"""How runs are named that had our seeds: runs of these names are paired."""
NEW = "new"


def seed_of(task: str, run: int) -> int:
    """Give the seed of a run of a task: the same in every session, another for every task.

    >>> seed_of("q1", 0) == seed_of("q1", 0), seed_of("q1", 0) == seed_of("q2", 0)
    (True, False)
    """
    return crc32(f"{task}\n{run}".encode())


def looks(max_runs: int) -> list[int]:
    """After how many runs of each task the difference is looked at: three times at most.

    >>> looks(5), looks(20), looks(2)
    ([2, 3, 5], [5, 10, 20], [2])
    """
    return sorted({max(2, math.ceil(max_runs / parts)) for parts in (1, 2, 4)})


def together(results: Sequence[GateResult]) -> GateVerdict:
    """Join decisions: all must pass, and one that fails is enough to fail."""
    said = {result.verdict for result in results}
    return "fail" if "fail" in said else "pass" if said == {"pass"} else "undecided"


def record(run: Runner, tasks: Sequence[str], runs: int, agent: str = NEW, known: Scores | None = None) -> Scores:
    """Run every task so often, and give the scores; those of ``known`` are not run again.

    Fails when
        a score is no finite number.
    """
    start = 0 if known is None or known.repeats is None else known.repeats.shape[2]
    values = np.array([[_score(run, task, k) for k in range(start, runs)] for task in tasks])
    if known is not None and known.repeats is not None:
        values = np.concatenate([known.repeats[0], values], axis=1)
    scores = Scores.from_matrix(values[None], [agent], tasks)
    return replace(scores, run_labels=(tuple(f"{NAME}{k + 1}" for k in range(runs)),))


def compare_repeatedly(
    run: Runner,
    tasks: Sequence[str],
    baselines: Mapping[str, Scores],
    *,
    margin: float | None = None,
    direction: Direction = "not-worse",
    max_runs: int = 5,
    over: Over = "runs",
    level: float = 0.95,
) -> tuple[GateResult, ...]:
    """Run an agent on tasks until it is known to be not worse (or better) than each baseline, or ``max_runs`` is over.

    Parameters
    ----------
    run
        Called with a task and a seed; gives a score. The k-th run of a task has the same seed in every session.
    tasks
        Their names.
    baselines
        Recorded scores of one agent each, by name.
    margin, direction, level
        As in :func:`gate`; the level is that of all looks and baselines together.
    max_runs
        Of each task, at most; no more than a baseline has that was recorded with the same seeds.
    over
        ``runs``: these tasks are the question, and errors come from repeated runs; ``tasks``: they stand for others
        like them, and ``max_runs`` runs are made of each.

    Fails when
        there is no task, a score is no finite number, or a baseline shares no task.
    """
    check(LEVEL, "level", level)
    check(choice("runs", "tasks"), "over", over)
    check(whole(1 if over == "tasks" else 2), "max_runs", max_runs)
    check(number(0.0, none=True), "margin", margin)
    if not tasks:
        raise DataError("there is no task to run")
    if len(set(tasks)) < len(tasks):
        raise DataError(f"two tasks have one name: {some_of(sorted({t for t in tasks if list(tasks).count(t) > 1}))}")
    once = [name for name, base in baselines.items() if over == "runs" and base.repeats is None]
    if once:
        raise DataError(
            f"{once[0]} has one run of each task, which does not show how far runs differ",
            advice=[Advice("record it again with more, or take the tasks for a sample with ", Option("over", "tasks"))],
        )
    most = min([max_runs, *(len(labels) for base in baselines.values() if (labels := _ours(base)))])
    asked = margin is not None or direction == "better"
    planned = looks(most) if over == "runs" and asked else [most]
    each = 1.0 - (1.0 - level) / (len(planned) * len(baselines))
    decided: dict[str, GateResult] = {}
    scores = None
    for runs in planned:
        scores = record(run, tasks, runs, known=scores)
        for name, base in baselines.items():
            if name in decided and decided[name].verdict in ("pass", "fail"):
                continue
            decided[name] = gate(
                _first(base, runs, name), _unless_paired(scores, base), margin=margin, direction=direction,
                tasks="fixed" if over == "runs" else "sample", level=each, runs="independent",
            )  # fmt: skip
        if together(list(decided.values())) != "undecided":
            break
    return tuple(decided.values())


def _score(run: Runner, task: str, k: int) -> float:
    given = run(task, seed_of(task, k))
    try:
        score = float(given)
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise DataError(f"{task}: a score is a finite number, not {given!r:.60}")
    return score


def _ours(base: Scores) -> tuple[str, ...]:
    """Names of the baseline's runs, where they had our seeds."""
    labels = base.run_labels[0] if base.run_labels else None
    return labels if labels and all(label.startswith(NAME) for label in labels) else ()


def _first(base: Scores, runs: int, name: str) -> Scores:
    """The runs of a baseline that pair with so many of the new agent; all where seeds were not ours."""
    if not (labels := _ours(base)) or base.repeats is None:
        return replace(base, agents=(name,))
    wanted = [f"{NAME}{k + 1}" for k in range(runs)]
    kept = Scores.from_matrix(base.repeats[:, :, [labels.index(one) for one in wanted]], [name], base.tasks)
    return replace(kept, run_labels=(tuple(wanted),))


def _unless_paired(scores: Scores, base: Scores) -> Scores:
    return scores if _ours(base) else replace(scores, run_labels=None)
