"""Scores in common units, task by task, and what to do where there is no score.

One vocabulary for all methods:

========  ==========================================================================================
none      scores as they are: comparable across tasks already
min-max   the worst agent's score becomes 0, the best one's 1
z         mean 0, standard deviation 1 over the agents (n - 1)
z-cdf     the normal distribution function of z: between 0 and 1, far outliers matter little
rank      from 0 for the worst to 1 for the best, ties in the middle
========  ==========================================================================================

Each question has its default: Nash averages and audits take ``min-max`` (a game needs tasks of equal stakes, and units
that do not move when an agent is copied); aggregates, comparisons and additivity take ``none`` (they speak of the
scores themselves); generality takes ``z-cdf`` (its curves live between 0 and 1).
"""

from dataclasses import dataclass
from typing import Literal, TypeGuard

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.options import check, choice
from equipoise.core.results import FloatArray
from equipoise.data.types.gaps import TAKE, choices, shared
from equipoise.data.types.scores import Scores

Units = Literal["none", "min-max", "z", "z-cdf", "rank"]
LinearUnits = Literal["none", "min-max", "z"]
"""Units that shift and stretch each task: the noise of single trials can be brought to them too."""
Missing = Literal["error", "drop-tasks", "drop-agents", "complete"]

UNITS: tuple[Units, ...] = ("none", "min-max", "z", "z-cdf", "rank")
LINEAR_UNITS: tuple[LinearUnits, ...] = ("none", "min-max", "z")
MISSING: tuple[Missing, ...] = ("error", "drop-tasks", "drop-agents", "complete")


def is_linear(units: Units) -> TypeGuard[LinearUnits]:
    """Tell whether units only shift and stretch each task."""
    return units in LINEAR_UNITS


@dataclass(frozen=True, slots=True, eq=False)
class TaskScale:
    """Linear units of each task: the score that counts as 0, and half the score of one unit.

    Halves, because the span of two huge scores may not be a finite number; NaN where a task has no such unit.
    """

    zero: FloatArray
    half: FloatArray

    @classmethod
    def between(cls, zero: FloatArray, one: FloatArray) -> "TaskScale":
        """Take the scores that count as 0 and as 1."""
        half = one / 2.0 - zero / 2.0
        return cls(zero, np.where((half != 0) & np.isfinite(half), half, np.nan))

    @classmethod
    def of(cls, values: FloatArray, units: LinearUnits) -> "TaskScale":
        """Take the units from scores of agents x tasks; a constant task has none."""
        known = ~np.isnan(values)
        low = np.where(known, values, np.inf).min(axis=0)
        high = np.where(known, values, -np.inf).max(axis=0)
        if units == "none":
            return cls(np.zeros(len(low)), np.full(len(low), 0.5))
        if units == "min-max":
            return cls.between(low, high)
        count = known.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(known, values, 0.0).sum(axis=0) / count
            spread = np.sqrt(np.where(known, (values - mean) ** 2, 0.0).sum(axis=0) / (count - 1))
        # Rounding makes a constant task seem to vary: compare its ends instead.
        return cls(mean, np.where(high > low, spread / 2.0, np.nan))

    @property
    def size(self) -> FloatArray:
        """One unit on each task, in its own scores."""
        return self.half * 2.0

    @property
    def without_unit(self) -> npt.NDArray[np.bool_]:
        """Which tasks have no unit."""
        return np.isnan(self.half)

    def scaled(self, values: FloatArray) -> FloatArray:
        """Bring scores of agents x tasks, or agents x tasks x trials, to these units."""
        zero, half = (self.zero, self.half) if values.ndim == 2 else (self.zero[:, None], self.half[:, None])
        return np.asarray((values / 2.0 - zero / 2.0) / half)


def in_units(values: FloatArray, units: Units) -> FloatArray:
    """Put each column of scores into ``units``; a missing score stays NaN, a constant task becomes NaN.

    Only ``none`` and ``rank`` (everybody in the middle) have values for a constant task.

    >>> in_units(np.array([[1.0, 5.0], [2.0, 5.5], [3.0, 7.0]]), "min-max").tolist()
    [[0.0, 0.0], [0.5, 0.25], [1.0, 1.0]]
    >>> in_units(np.array([[1.0], [9.0], [5.0], [5.0]]), "rank").ravel().tolist()
    [0.0, 1.0, 0.5, 0.5]
    """
    check(choice(*UNITS), "units", units)
    if units == "none":
        return np.array(values)
    if units == "rank":
        ranks = scipy.stats.rankdata(values, axis=0, nan_policy="omit")
        count = np.sum(~np.isnan(values), axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((ranks - 1.0) / (count - 1.0))
    if units == "z-cdf":
        return np.asarray(scipy.special.ndtr(in_units(values, "z")))
    return TaskScale.of(values, units).scaled(values)


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
        raise DataError("every agent has the same score on every task: nothing separates them")
    dropped = [scores.tasks[j] for j in np.flatnonzero(~spread)]
    message = f"Tasks on which all agents score the same give no information and were dropped: {some_of(dropped)}."
    return scores.take(tasks=spread), (info("constant-task", message, dropped),)


def without_gaps(scores: Scores, missing: Missing) -> tuple[Scores, tuple[Diagnostic, ...]]:
    """Deal with missing cells: refuse them, or drop the tasks or the agents that have them.

    ``complete`` leaves them for :mod:`equipoise.data.types.imputation`, which works in the units of the analysis.
    """
    check(choice(*MISSING), "missing", missing)
    gaps = scores.missing
    if not gaps.any() or missing == "complete":
        return scores, ()
    if missing == "error":
        where = some_of(f"{scores.agents[i]} on {scores.tasks[j]}" for i, j in np.argwhere(gaps))
        cells = "1 cell has" if gaps.sum() == 1 else f"{int(gaps.sum()):,} cells have"
        ways = choices(scores)
        raise DataError(f"{cells} no score: {where}{'' if ways else f'; {shared(scores)}'}", advice=ways or TAKE)
    kind, axis = ("task", 0) if missing == "drop-tasks" else ("agent", 1)
    bad = gaps.any(axis=axis)
    names = scores.tasks if kind == "task" else scores.agents
    dropped = [names[k] for k in np.flatnonzero(bad)]
    if bad.all():
        ways = choices(scores)
        raise DataError(
            f"every {kind} has a missing cell: nothing is left after dropping them; {shared(scores)}",
            advice=ways or TAKE,
        )
    whole = scores.take(tasks=~bad) if kind == "task" else scores.take(agents=~bad)
    one, many = f"1 {kind} with missing cells was", f"{len(dropped):,} {kind}s with missing cells were"
    message = f"{one if len(dropped) == 1 else many} dropped: {some_of(dropped)}."
    return whole, (warning("dropped-for-gaps", message, dropped),)
