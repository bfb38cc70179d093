"""Nash averaging of agents against tasks."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from equipoise.data.scores import Scores
from equipoise.data.units import Missing, Units, completed, in_units, informative, without_gaps
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import DataError, EquipoiseError, ParameterError
from equipoise.inference.bootstrap import percentile_interval
from equipoise.nash.kernels import TaskSolution, maxent_zero_sum
from equipoise.nash.maxent import accuracy_note, clones_told, fit_of
from equipoise.nash.stability import band_notes
from equipoise.results import FloatArray, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TaskNash", "prepared", "task_nash"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class TaskNash(Result):
    """Agents choose the best team, tasks the hardest suite; both as even as can be.

    Attributes
    ----------
    agent_p, task_p
        Masses: positive for the core agents and the core tasks.
    skill
        Score of each agent on the hardest suite, ``S p_e``, in units.
    difficulty
        Of each task for the best team, ``-S' p_a``, in units.
    value
        Of the game: the skill of every core agent, and minus the difficulty of every core task.
    uniform_skill, uniform_difficulty
        Plain averages, for comparison: they move when tasks or agents are copied.
    scores
        The table that was played, agents x tasks, in units.
    exploitability, kkt
        Certificates: what the better of two best deviations gains; the error of the entropy conditions.
    agent_p_low ... difficulty_high
        Bootstrap intervals, described by ``interval``; None unless asked for (a bootstrap over tasks says nothing
        about single tasks).
    """

    main: ClassVar[str] = "skill"

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    agent_p: FloatArray
    task_p: FloatArray
    skill: FloatArray
    difficulty: FloatArray
    value: float
    uniform_skill: FloatArray
    uniform_difficulty: FloatArray
    scores: FloatArray
    exploitability: float
    kkt: float
    agent_p_low: FloatArray | None = None
    agent_p_high: FloatArray | None = None
    skill_low: FloatArray | None = None
    skill_high: FloatArray | None = None
    task_p_low: FloatArray | None = None
    task_p_high: FloatArray | None = None
    difficulty_low: FloatArray | None = None
    difficulty_high: FloatArray | None = None
    interval: Interval | None = None

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first; core agents tie, and the larger mass stands first."""
        return self._side("agent", self.agents, ("skill", "agent_p", "uniform_skill"), "uniform_skill")

    def task_frame(self) -> "pl.DataFrame":
        """Give the tasks, hardest first; core tasks tie, and the larger mass stands first."""
        return self._side("task", self.tasks, ("difficulty", "task_p", "uniform_difficulty"), "uniform_difficulty")

    def _side(self, name: str, labels: tuple[str, ...], columns: tuple[str, str, str], last: str) -> "pl.DataFrame":
        import polars as pl

        main, mass, _ = columns
        ends = [f"{column}_{end}" for column in (main, mass) for end in ("low", "high")]
        shown = [*columns, *(end for end in ends if getattr(self, end) is not None)]
        table = pl.DataFrame({name: list(labels)} | {column: getattr(self, column) for column in shown})
        top = self.value if name == "agent" else -self.value
        order = pl.when(pl.col(mass) > 0).then(top).otherwise(pl.col(main))
        return table.sort(order, mass, last, descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the tasks, the value and the certificate."""
        return {
            "tasks": self.task_frame().to_dicts(),
            "value": self.value,
            "exploitability": self.exploitability,
            "kkt": self.kkt,
            "interval": self.interval,
        }


def task_nash(
    data: Scores,
    *,
    units: Units,
    missing: Missing,
    merge_clones: bool,
    resamples: int,
    unit: Literal["task", "trial"],
    level: float,
    rng: int | np.random.Generator,
) -> TaskNash:
    """Put the scores in units, solve both sides, and resample if asked."""
    scores, values, notes = prepared(data, units, missing)
    solution = maxent_zero_sum(values, merge_clones=merge_clones)
    if merge_clones and units in ("z", "z-cdf", "rank") and np.bincount(solution.agent_classes).max() > 1:
        message = f"Agents are copies of each other: {units} units move when agents are copied; min-max units do not."
        notes = (*notes, info("units-move", message))
    result = _result(scores, values, solution)
    result = replace(
        result,
        diagnostics=(*notes, *result.diagnostics),
        params=frozen_params(
            units=units, missing=missing, merge_clones=merge_clones, resamples=resamples, unit=unit, level=level
        ),
    )
    if not resamples:
        return result
    return _with_intervals(result, scores, units, merge_clones, resamples, unit, level, np.random.default_rng(rng))


def prepared(data: Scores, units: Units, missing: Missing) -> tuple[Scores, FloatArray, tuple[Diagnostic, ...]]:
    """Give the scores in use, their values in units with no gap left, and what was done on the way."""
    scores, gap_notes = without_gaps(data, missing)
    scores, constant_notes = informative(scores)
    values, filled_notes = completed(in_units(scores.values, units), scores)
    notes = (*data.diagnostics, *gap_notes, *constant_notes, *filled_notes)
    if len(scores.tasks) == 1:
        notes = (
            *notes,
            info("one-task", f"There is one task only ({scores.tasks[0]}): its best agents share the top."),
        )
    return scores, values, notes


def _result(scores: Scores, values: FloatArray, solution: TaskSolution) -> TaskNash:
    return TaskNash(
        agents=scores.agents, tasks=scores.tasks,
        agent_p=frozen(solution.agent_p), task_p=frozen(solution.task_p),
        skill=frozen(solution.skill), difficulty=frozen(solution.difficulty), value=solution.value,
        uniform_skill=frozen(values.mean(axis=1)), uniform_difficulty=frozen(-values.mean(axis=0)),
        scores=frozen(values), exploitability=solution.exploitability, kkt=solution.found.kkt,
        fit=fit_of(solution.found),
        diagnostics=(
            *clones_told("agent", scores.agents, solution.agent_classes),
            *clones_told("task", scores.tasks, solution.task_classes),
            *accuracy_note(solution.found),
        ),
    )  # fmt: skip


def _with_intervals(
    result: TaskNash,
    scores: Scores,
    units: Units,
    merge_clones: bool,
    resamples: int,
    unit: Literal["task", "trial"],
    level: float,
    rng: np.random.Generator,
) -> TaskNash:
    """Resample tasks (what other suites would say) or trials within cells (what other runs would say)."""
    if unit == "trial" and scores.repeats is None:
        raise DataError("unit=trial needs repeated trials of each agent on each task; use unit=task")
    if unit not in ("task", "trial"):
        raise ParameterError(f'scores are resampled by unit="task" or "trial", not "{unit}"')
    rows: list[FloatArray] = []
    failed: list[EquipoiseError] = []
    for _ in range(resamples):
        try:
            rows.append(_replicate(result, scores, units, merge_clones, unit, rng))
        except EquipoiseError as error:
            failed.append(error)
    if len(failed) > resamples / 2:
        raise DataError(f"{len(failed)} of {resamples} resamples cannot be estimated ({failed[0]})")
    draws = np.array(rows)
    low, high = percentile_interval(draws, level)
    names = ("agent_p", "skill") if unit == "task" else ("agent_p", "skill", "task_p", "difficulty")
    cuts = np.cumsum([len(getattr(result, name)) for name in names])[:-1]
    ends = {f"{name}_low": frozen(part) for name, part in zip(names, np.split(low, cuts), strict=True)}
    ends |= {f"{name}_high": frozen(part) for name, part in zip(names, np.split(high, cuts), strict=True)}
    notes = (*result.diagnostics, *band_notes(result.agent_p, draws[:, : len(result.agents)], unit, level))
    if failed:
        notes = (
            *notes,
            warning("failed-replicates", f"{len(failed)} of {resamples} resamples were left out: {failed[0]}"),
        )
    interval = Interval(f"percentile bootstrap over {unit}s", level)
    return replace(result, interval=interval, diagnostics=notes, **ends)  # type: ignore[arg-type]  # arrays by their field names


def _replicate(
    result: TaskNash, scores: Scores, units: Units, merge_clones: bool, unit: str, rng: np.random.Generator
) -> FloatArray:
    if unit == "task":
        # Units are per task and do not depend on which others are there.
        drawn = rng.integers(len(result.tasks), size=len(result.tasks))
        solution = maxent_zero_sum(result.scores[:, drawn], merge_clones=merge_clones)
        return np.concatenate([solution.agent_p, solution.skill])
    values = drawn_trials(scores, rng)
    if (np.nanmax(values, axis=0) == np.nanmin(values, axis=0)).any():
        raise DataError("a task became constant in a resample")
    filled, _ = completed(in_units(values, units), scores)
    solution = maxent_zero_sum(filled, merge_clones=merge_clones)
    return np.concatenate([solution.agent_p, solution.skill, solution.task_p, solution.difficulty])


def drawn_trials(scores: Scores, rng: np.random.Generator) -> FloatArray:
    """Mean scores after drawing each cell's trials anew, with replacement."""
    assert scores.repeats is not None
    assert scores.trials is not None
    count = scores.trials[:, :, None]
    # A cell's trials are not always its first places: sort them to the front.
    front = np.take_along_axis(scores.repeats, np.argsort(np.isnan(scores.repeats), axis=2, kind="stable"), axis=2)
    width = front.shape[2]
    pick = (rng.random(front.shape) * count).astype(np.int64)
    drawn = np.take_along_axis(front, np.minimum(pick, np.maximum(count - 1, 0)), axis=2)
    inside = np.arange(width) < count
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(inside, drawn, 0.0).sum(axis=2) / scores.trials)
