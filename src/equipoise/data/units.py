"""Scores in common units, task by task, and what to do where there is none."""

from typing import Literal

import numpy as np
import scipy

from equipoise.data.scores import Scores
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.results import FloatArray

__all__ = ["Missing", "Units", "in_units", "informative", "without_gaps"]

Units = Literal["min-max", "z", "rank", "none"]
Missing = Literal["error", "drop-tasks", "drop-agents", "complete"]

UNITS = ("min-max", "z", "rank", "none")
MISSING = ("error", "drop-tasks", "drop-agents", "complete")


def in_units(values: FloatArray, units: Units) -> FloatArray:
    """Put each column of scores into ``units``; columns must not be constant, NaN stays NaN.

    ``min-max``: the worst score becomes 0, the best 1. ``z``: mean 0, standard deviation 1 (n - 1).
    ``rank``: from 0 for the worst to 1 for the best, ties in the middle. ``none``: as they are.

    >>> in_units(np.array([[1.0, 5.0], [2.0, 5.5], [3.0, 7.0]]), "min-max").tolist()
    [[0.0, 0.0], [0.5, 0.25], [1.0, 1.0]]
    """
    check_choice("units", units, UNITS)
    if units == "none":
        return np.array(values)
    if units == "min-max":
        low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        # Halves first: the span of two huge scores may not be a finite number.
        return np.asarray((values / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0))
    if units == "z":
        return np.asarray((values - np.nanmean(values, axis=0)) / np.nanstd(values, axis=0, ddof=1))
    ranks = scipy.stats.rankdata(values, axis=0, nan_policy="omit")
    count = np.sum(~np.isnan(values), axis=0)
    return np.asarray((ranks - 1.0) / (count - 1.0))


def informative(scores: Scores) -> tuple[Scores, tuple[Diagnostic, ...]]:
    """Drop tasks on which all agents got the same, and say so; refuse a table in which nothing differs."""
    if len(scores.agents) < 2:
        raise DataError(f"one agent only ({scores.agents[0]}): there is nothing to compare it with")
    empty = np.isnan(scores.values).all(axis=0)
    if empty.any():
        who = some_of(scores.tasks[j] for j in np.flatnonzero(empty))
        raise DataError(f"tasks that nobody tried: {who}; drop them")
    spread = np.nanmax(scores.values, axis=0) > np.nanmin(scores.values, axis=0)
    if spread.all():
        return scores, ()
    if not spread.any():
        raise DataError("every agent has the same score on every task: nothing tells them apart")
    dropped = [scores.tasks[j] for j in np.flatnonzero(~spread)]
    message = f"Tasks on which all agents score the same carry no information and were dropped: {some_of(dropped)}."
    return scores.take(tasks=spread), (info("constant-task", message, dropped),)


def without_gaps(scores: Scores, missing: Missing) -> tuple[Scores, tuple[Diagnostic, ...]]:
    """Deal with missing cells: refuse them, or drop the tasks or the agents that have them.

    ``complete`` leaves them for :func:`completed`, which works in the units of the analysis.
    """
    check_choice("missing", missing, MISSING)
    gaps = scores.missing
    if not gaps.any() or missing == "complete":
        return scores, ()
    if missing == "error":
        where = some_of(f"{scores.agents[i]} on {scores.tasks[j]}" for i, j in np.argwhere(gaps))
        raise DataError(
            f"{int(gaps.sum()):,} cells have no score: {where}; drop tasks or agents (missing=drop-tasks, drop-agents)"
            " or fill them in (missing=complete)"
        )
    kind, axis = ("task", 0) if missing == "drop-tasks" else ("agent", 1)
    bad = gaps.any(axis=axis)
    names = scores.tasks if kind == "task" else scores.agents
    dropped = [names[k] for k in np.flatnonzero(bad)]
    if bad.all():
        raise DataError(f"every {kind} has a missing cell: nothing is left after dropping them")
    kept = scores.take(tasks=~bad) if kind == "task" else scores.take(agents=~bad)
    message = f"{len(dropped):,} {kind}s with missing cells were dropped: {some_of(dropped)}."
    return kept, (warning("dropped-for-gaps", message, dropped),)


def completed(values: FloatArray, scores: Scores) -> tuple[FloatArray, tuple[Diagnostic, ...]]:
    """Fill gaps with what the agent's and the task's averages lead one to expect: ``m + a_i + b_j``.

    Least squares over the cells that are there; filled values stay within the range seen on their task.
    """
    gaps = np.isnan(values)
    if not gaps.any():
        return values, ()
    filled = np.clip(_additive(values), np.nanmin(values, axis=0), np.nanmax(values, axis=0))
    places = np.argwhere(gaps)
    where = [f"{scores.agents[i]} on {scores.tasks[j]}" for i, j in places]
    message = (
        f"{len(where):,} missing cells were filled in from the averages of their agent and task: {some_of(where)}."
    )
    return np.where(gaps, filled, values), (warning("completed-cells", message, where),)


def _additive(values: FloatArray) -> FloatArray:
    """Two-way additive fit to the known cells (the least-norm one, should the table fall into islands)."""
    agents, tasks = values.shape
    i, j = np.nonzero(~np.isnan(values))
    cells = np.arange(len(i))
    design = scipy.sparse.csr_array(
        (np.ones(2 * len(i)), (np.concatenate([cells, cells]), np.concatenate([i, agents + j]))),
        shape=(len(i), agents + tasks),
    )
    middle = float(values[i, j].mean())
    effect = scipy.sparse.linalg.lsqr(design, values[i, j] - middle, atol=1e-12, btol=1e-12, iter_lim=10_000)[0]
    return np.asarray(middle + effect[:agents, None] + effect[agents:])


def check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse an option that is not one of the known words."""
    if value not in known:
        raise ParameterError(f'{name} is one of {", ".join(known)}, not "{value}"{did_you_mean(str(value), known)}')
