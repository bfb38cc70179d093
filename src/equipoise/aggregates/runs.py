"""Scores as runs on tasks, in common units, and their stratified bootstrap samples."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.results import FloatArray, Interval
from equipoise.core.wording import Advice, Option
from equipoise.data.types.normalisation import TaskScale, Units, in_units
from equipoise.data.types.scores import RunsShared, Scores

RunUnit = Literal["runs", "tasks"]
Anchors = tuple[npt.ArrayLike, npt.ArrayLike]
"""Scores that count as 0 and as 1, one for all tasks or one each."""

CHUNK = 2_000_000
"""Numbers held at a time while resampling."""
MOST_UNLIKE = 100.0
"""How many times as large scores of most tasks may be as those of others to be pooled without a word."""


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs of agents on tasks: agents x tasks x runs, NaN-padded, in common units; ``unit`` is what is resampled.

    ``least`` is a variance that single runs of each cell have at least: of runs that fail or succeed, two or three of
    which are often all alike. ``limits`` are those of scores that have any. ``labels`` name the runs of agents with
    the same ones on all tasks (None for others); ``shared`` is what the user says of them.
    """

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    values: FloatArray
    unit: RunUnit
    least: FloatArray
    limits: tuple[float, float]
    diagnostics: tuple[Diagnostic, ...]
    labels: tuple[tuple[str, ...] | None, ...]
    shared: RunsShared | None = None

    @property
    def counts(self) -> npt.NDArray[np.integer]:
        """Runs of each agent on each task."""
        return np.asarray((~np.isnan(self.values)).sum(axis=2))

    @property
    def linked(self) -> npt.NDArray[np.bool_]:
        """Agents with the same runs on all tasks."""
        there = ~np.isnan(self.values)
        named = np.array([label is not None for label in self.labels])
        return np.asarray(named & (there == there.any(axis=1, keepdims=True)).all(axis=(1, 2)))

    @property
    def freedom(self) -> FloatArray:
        """Degrees of freedom of each cell's variance."""
        return np.asarray(self.counts - 1, dtype=np.float64)

    def variance_of(self, values: FloatArray) -> FloatArray:
        """Variances of the means of cells of runs like these."""
        there, counts = ~np.isnan(values), self.counts
        mean = np.where(there, values, 0.0).sum(axis=2) / counts
        squares = np.where(there, (values - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
        # Rounding makes runs that are all alike seem to vary.
        alike = np.nanmax(values, axis=2) == np.nanmin(values, axis=2)
        variance = np.where(alike, 0.0, squares / np.maximum(counts - 1.0, 1.0))
        return np.asarray(np.maximum(variance, self.least) / counts)

    def interval(self, level: float, kind: str = "Student t") -> Interval:
        """Name the intervals: what other runs, or other tasks, would show."""
        return Interval(f"{kind} over {self.unit}", level)


def runs_of(
    scores: Scores, units: Units, anchors: Anchors | None, unit: RunUnit | None, shared: RunsShared | None = None
) -> Runs:
    """Check the scores, bring them to units, and decide what can be resampled."""
    gaps = scores.missing
    if gaps.any():
        where = some_of(f"{scores.agents[i]} on {scores.tasks[j]}" for i, j in np.argwhere(gaps))
        cells = "1 cell has" if gaps.sum() == 1 else f"{int(gaps.sum()):,} cells have"
        raise DataError(f"{cells} no score: {where}; drop those tasks or agents first")
    values = _repeats(scores)
    notes = list(scores.diagnostics)
    counts = (~np.isnan(values)).sum(axis=2)
    unit, more = _what_is_drawn(unit, counts)
    notes += more
    if counts.min() != counts.max():
        message = (
            f"Cells have between {counts.min()} and {counts.max()} runs; every task still counts the same, but in the"
            " interquartile mean every run."
        )
        notes.append(info("uneven-runs", message))
    if unit == "tasks" and len(scores.tasks) == 1:
        message = "One task says nothing about other tasks: there are no intervals."
        notes.append(warning("one-task", message, advice=[Advice("give more tasks, or more runs of each cell")]))
    scaled = _in_units(values, scores, units, anchors)
    if units == "none" and anchors is None:
        notes += _raw_notes(scores)
    answers = bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
    least = _least_variance(values, scaled) if answers else np.zeros(counts.shape)
    limits = (0.0, 1.0) if answers and units == "none" and anchors is None else (-np.inf, np.inf)
    labels = scores.run_labels or (None,) * len(scores.agents)
    runs = Runs(scores.agents, scores.tasks, scaled, unit, least, limits, tuple(notes), labels, shared)
    if shared == "shared" and unit == "runs" and not runs.linked.all():
        who = some_of(scores.agents[i] for i in np.flatnonzero(~runs.linked))
        raise DataError(
            Option("runs", "shared"), f" needs the same runs on every task, by name: {who} has none or others",
            advice=[Advice("name the column of runs with ", Option("trial"))],
        )  # fmt: skip
    return runs


def _raw_notes(scores: Scores) -> list[Diagnostic]:
    """Say where scores of very different sizes are pooled as they are: points of different games, most likely."""
    size = np.abs(scores.values).max(axis=0)
    low, high = np.quantile(size, [0.1, 0.9])
    if len(size) < 2 or not high > MOST_UNLIKE * low:
        return []
    small, large = int(np.argmin(size)), int(np.argmax(size))
    message = (
        f"Raw scores of different units are pooled: up to {size[small]:.3g} on {scores.tasks[small]}, up to"
        f" {size[large]:,.0f} on {scores.tasks[large]}. Tasks with large scores decide, and an optimality gap, which is"
        " short of 1, means nothing."
    )
    advice = [Advice("bring them to common units with ", Option("units", "min-max"), " or ", Option("anchors"))]
    return [warning("raw-units", message, advice=advice)]


def _least_variance(values: FloatArray, scaled: FloatArray) -> FloatArray:
    """Variance of single runs that fail or succeed, from rates with half a failure and half a success more."""
    counts = (~np.isnan(values)).sum(axis=2)
    rate = (np.nansum(values, axis=2) + 0.5) / (counts + 1.0)
    # What a success is worth on a task, in units: the same for all agents, and nothing where nobody has both.
    worth = np.nanmax(scaled, axis=(0, 2)) - np.nanmin(scaled, axis=(0, 2))
    return np.asarray(rate * (1.0 - rate) * worth**2)


def _repeats(scores: Scores) -> FloatArray:
    """Single runs: as they are, as zeros and ones behind success rates, or one run a cell."""
    if scores.repeats is not None:
        return np.array(scores.repeats)
    if scores.trials is None:
        return scores.values[:, :, None]
    number = np.arange(int(scores.trials.max()))
    solved = np.round(scores.values * scores.trials)[:, :, None]
    return np.where(number < scores.trials[:, :, None], (number < solved).astype(float), np.nan)


def _what_is_drawn(unit: RunUnit | None, counts: npt.NDArray[np.integer]) -> tuple[RunUnit, list[Diagnostic]]:
    if unit == "runs" and counts.min() < 2:
        raise DataError(
            Option("over", "runs"), " needs repeated runs of each agent on each task",
            advice=[Advice("draw tasks with ", Option("over", "tasks"))],
        )  # fmt: skip
    if unit is None and counts.min() < 2:
        message = (
            "There is one run only of some agent on some task, so runs cannot be resampled: intervals are over tasks"
            " and say what another suite of such tasks might show."
        )
        return "tasks", [warning("single-run", message)]
    return unit or "runs", []


def _in_units(values: FloatArray, scores: Scores, units: Units, anchors: Anchors | None) -> FloatArray:
    """Runs in common units: between anchors, or in units that each agent's mean on the task sets.

    The means, because the extremes of single runs would hang on one lucky run; only a rank is among all single runs.
    """
    if anchors is not None:
        if units != "none":
            raise ParameterError(Option("anchors"), " are units of their own; leave ", Option("units"), " out")
        scale = TaskScale.between(*_anchors(anchors, len(scores.tasks)))
    elif units == "none":
        return values
    elif units == "rank":
        return _ranks(values)
    else:
        scale = TaskScale.of(scores.values, "z" if units == "z-cdf" else units)
    if scale.without_unit.any():
        who = some_of(scores.tasks[j] for j in np.flatnonzero(scale.without_unit))
        raise DataError(f"no units for {who}: what counts as 0 there also counts as 1")
    scaled = scale.scaled(values)
    return np.asarray(scipy.special.ndtr(scaled)) if units == "z-cdf" else scaled


def _ranks(values: FloatArray) -> FloatArray:
    """From 0 for the worst run on a task to 1 for the best."""
    agents, tasks, runs = values.shape
    pooled = values.transpose(0, 2, 1).reshape(-1, tasks)
    return in_units(pooled, "rank").reshape(agents, runs, tasks).transpose(0, 2, 1)


def _anchors(anchors: Anchors, tasks: int) -> tuple[FloatArray, FloatArray]:
    try:
        zero, one = (np.broadcast_to(np.asarray(end, dtype=float), tasks) for end in anchors)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            Option("anchors"), f" are two numbers, or two lists of {tasks} numbers: what counts as 0 and as 1"
        ) from error
    return zero, one


def resampled(runs: Runs, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Give bootstrap samples in chunks of shape (some, agents, tasks, runs): runs of each cell, or tasks."""
    some = max(1, CHUNK // runs.values.size)
    # A cell's runs are not always its first places: bring them to the front.
    order = np.argsort(np.isnan(runs.values), axis=2, kind="stable")
    front = np.take_along_axis(runs.values, order, axis=2)
    counts = (~np.isnan(front)).sum(axis=2)[:, :, None]
    for start in range(0, n, some):
        size = min(some, n - start)
        if runs.unit == "tasks":
            drawn = rng.integers(len(runs.tasks), size=(size, len(runs.tasks)))
            yield front[:, drawn].transpose(1, 0, 2, 3)
            continue
        pick = (rng.random((size, *front.shape)) * counts).astype(np.int64)
        values = np.take_along_axis(front[None], pick, axis=3)
        yield np.where(np.arange(front.shape[2]) < counts, values, np.nan)
