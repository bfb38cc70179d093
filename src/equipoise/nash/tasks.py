"""Nash averaging of agents against tasks."""

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from equipoise.data.scores import Scores
from equipoise.data.units import Missing, Units, completed, in_units, informative, without_gaps
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import DataError, EquipoiseError, some_of
from equipoise.inference.bootstrap import percentile_interval
from equipoise.inference.resampling import resamples
from equipoise.nash.kernels import TaskSolution, maxent_zero_sum
from equipoise.nash.maxent import accuracy_note, clone_notes, fit_of
from equipoise.nash.resampling import Resampling, band_notes
from equipoise.options import generator
from equipoise.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.wording import Advice, Option

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TaskNash", "TaskOptions", "prepared", "task_nash", "top_agents"]

TIED = 1e-9
"""Skills within this of the value tie for the top."""


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

    @property
    def top(self) -> tuple[str, ...]:
        """The agents that tie for first."""
        return top_agents(self.agents, self.skill, self.value)

    @property
    def words(self) -> tuple[str, ...]:
        """Who is first, and which tasks carry that."""
        return (_leaders(self.top), _core(self))


def top_agents(agents: tuple[str, ...], skill: FloatArray, value: float) -> tuple[str, ...]:
    """The agents whose skill is the value of the game, up to rounding."""
    near = skill >= value - TIED * max(1.0, abs(value))
    return tuple(agents[i] for i in np.flatnonzero(near))


def _leaders(top: tuple[str, ...]) -> str:
    if len(top) == 1:
        return f"{top[0]} is first by Nash averaging."
    return f"{len(top)} agents tie for first by Nash averaging: {some_of(top, 8)}."


def _core(nash: TaskNash) -> str:
    order = np.argsort(-nash.task_p.round(9), kind="stable")
    core = [f"{nash.tasks[j]} ({nash.task_p[j]:.0%})" for j in order if nash.task_p[j] > 0]
    if len(core) == len(nash.tasks):
        if len(core) == 1:
            return f"There is one task only, {nash.tasks[0]}: it carries the verdict."
        return f"All {len(core)} tasks carry the verdict: {some_of(core, 8)}."
    idle = len(nash.tasks) - len(core)
    others = "the other one changes no skill" if idle == 1 else f"the other {idle} change no skill"
    carry = "carries" if len(core) == 1 else "carry"
    return f"{len(core)} of {len(nash.tasks)} tasks {carry} the verdict: {some_of(core, 8)}; {others}."


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """How scores become a game: their units, what fills gaps, and whether copies count as one."""

    units: Units = "min-max"
    missing: Missing = "error"
    merge_clones: bool = True


def task_nash(data: Scores, options: TaskOptions, resampling: Resampling) -> TaskNash:
    """Put the scores in units, solve both sides, and resample if asked."""
    scores, values, notes = prepared(data, options.units, options.missing)
    solution = maxent_zero_sum(values, merge_clones=options.merge_clones)
    copied = np.bincount(solution.agent_classes).max() > 1
    if options.merge_clones and options.units not in ("min-max", "none") and copied:
        message = f"Agents are copies of each other: {options.units} units move when agents are copied."
        advice = Advice("use ", Option("units", "min-max"), ", which do not")
        notes = (*notes, info("units-move", message, advice=[advice]))
    result = _result(scores, values, solution)
    result = replace(
        result,
        diagnostics=(*notes, *result.diagnostics),
        params=frozen_params(
            units=options.units, missing=options.missing, merge_clones=options.merge_clones,
            n=resampling.n, unit=resampling.unit, level=resampling.level,
        ),
    )  # fmt: skip
    return _with_intervals(result, scores, options, resampling) if resampling.n else result


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
        scores=frozen(values), exploitability=solution.exploitability, kkt=solution.equilibrium.kkt,
        fit=fit_of(solution.equilibrium),
        diagnostics=(
            *clone_notes("agent", scores.agents, solution.agent_classes),
            *clone_notes("task", scores.tasks, solution.task_classes),
            *accuracy_note(solution.equilibrium),
        ),
    )  # fmt: skip


def _with_intervals(result: TaskNash, scores: Scores, options: TaskOptions, resampling: Resampling) -> TaskNash:
    """Resample tasks (what other suites would say) or trials within cells (what other runs would say)."""
    n, unit, level = resampling.n, resampling.unit, resampling.level
    rows, failed = _replicates(result, scores, options, resampling)
    if len(failed) > n / 2:
        raise DataError(f"{len(failed)} of {n} resamples cannot be estimated ({failed[0]})")
    replicates = np.array(rows)
    low, high = percentile_interval(replicates, level)
    names = ("agent_p", "skill") if unit == "task" else ("agent_p", "skill", "task_p", "difficulty")
    cuts = np.cumsum([len(getattr(result, name)) for name in names])[:-1]
    ends = {f"{name}_low": frozen(part) for name, part in zip(names, np.split(low, cuts), strict=True)}
    ends |= {f"{name}_high": frozen(part) for name, part in zip(names, np.split(high, cuts), strict=True)}
    notes = (*result.diagnostics, *band_notes(result.agent_p, replicates[:, : len(result.agents)], unit, level))
    if failed:
        message = f"{len(failed)} of {n} resamples could not be estimated and were left out; the first: {failed[0]}"
        notes = (*notes, warning("failed-replicates", message))
    interval = Interval(f"percentile bootstrap over {unit}s", level)
    return replace(result, interval=interval, diagnostics=notes, **ends)  # type: ignore[arg-type]  # arrays by their field names


def _replicates(
    result: TaskNash, scores: Scores, options: TaskOptions, resampling: Resampling
) -> tuple[list[FloatArray], list[EquipoiseError]]:
    """Give what each resample answers, and the errors of those that have no answer."""
    rng = generator(resampling.rng)
    if resampling.unit == "task":
        return [_by_task(result, options, rng) for _ in range(resampling.n)], []
    rows: list[FloatArray] = []
    failed: list[EquipoiseError] = []
    for sample in islice(resamples(scores, "trial", rng, counts=False), resampling.n):
        assert isinstance(sample, Scores)
        try:
            rows.append(_by_trial(sample, scores, options))
        except EquipoiseError as error:
            failed.append(error)
    return rows, failed


def _by_task(result: TaskNash, options: TaskOptions, rng: np.random.Generator) -> FloatArray:
    """Masses and skills of the agents on tasks drawn anew; units are per task, whichever others are there."""
    drawn = rng.integers(len(result.tasks), size=len(result.tasks))
    solution = maxent_zero_sum(result.scores[:, drawn], merge_clones=options.merge_clones)
    return np.concatenate([solution.agent_p, solution.skill])


def _by_trial(sample: Scores, scores: Scores, options: TaskOptions) -> FloatArray:
    """Masses, skills and difficulties on both sides from trials drawn anew."""
    values = sample.values
    if (np.nanmax(values, axis=0) == np.nanmin(values, axis=0)).any():
        raise DataError("a task became constant in a resample")
    filled, _ = completed(in_units(values, options.units), scores)
    solution = maxent_zero_sum(filled, merge_clones=options.merge_clones)
    return np.concatenate([solution.agent_p, solution.skill, solution.task_p, solution.difficulty])
