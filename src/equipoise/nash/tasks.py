"""Nash averaging of agents against tasks; in sentences, too: a headline is only what bootstrap samples repeat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.types.imputation import Filling, completed, with_enough_scores
from equipoise.data.types.normalisation import Missing, Units, in_units, informative, without_gaps
from equipoise.data.types.scores import Scores
from equipoise.inference.bootstrap import percentile_interval
from equipoise.nash.harshness import harshness_words
from equipoise.nash.kernels import TaskSolution, maxent_zero_sum
from equipoise.nash.maxent import accuracy_note, clone_notes, fit_of
from equipoise.nash.resampling import OFTEN, SELDOM, Resampling, band_notes, settled, with_shares
from equipoise.nash.task_resamples import (
    PreparedScores,
    TaskOptions,
    either_way,
    few_trials_notes,
    noisy_units_notes,
    replicates,
    uninformative_notes,
    where_known,
)

TIED = 1e-9
"""Skills within this of the value tie for the top."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Agents or tasks: who is first, or has weight, and in which share of the bootstrap samples of an interval."""

    names: tuple[str, ...]
    members: npt.NDArray[np.bool_]
    share: FloatArray | None
    interval: Interval | None

    @property
    def where(self) -> str:
        """What the shares are of."""
        over = self.interval.kind.rsplit(" over ", 1)[-1] if self.interval else ""
        return {"tasks": "bootstrap samples over tasks", "completions": "completions"}.get(over, "bootstrap samples")

    def often(self) -> list[str]:
        """Those in nearly all bootstrap samples, with their shares."""
        return [] if self.share is None else with_shares(self.names, self.share, OFTEN)

    def sometimes(self) -> list[str]:
        """Those in some, with their shares."""
        return [] if self.share is None else with_shares(self.names, self.share, SELDOM, OFTEN)


def leader_words(agents: Side) -> str:
    """Say who is first, as far as that is settled."""
    if settled(agents.members, agents.share):
        top = [agents.names[i] for i in np.flatnonzero(agents.members)]
        if len(top) == 1:
            return f"{top[0]} has the highest Nash average."
        return f"{len(top)} agents share the highest Nash average: {some_of(top, 8)}."
    sure, unsure = agents.often(), agents.sometimes()
    if sure:
        have = "has" if len(sure) == 1 else "have"
        others = f"; others in some: {some_of(unsure, 6)}" if unsure else ""
        return f"{some_of(sure, 6)} {have} the highest Nash average in nearly all {agents.where}{others}."
    return f"Who has the highest Nash average is not settled; in {agents.where}: {some_of(unsure, 6)}."


def core_words(tasks: Side, mass: FloatArray) -> str:
    """Say which tasks have weight in the Nash mixture, as far as that is settled."""
    if not settled(tasks.members, tasks.share):
        return _unsettled_core(tasks)
    order = np.argsort(-mass.round(9), kind="stable")
    core = [f"{tasks.names[j]} ({mass[j]:.0%})" for j in order if mass[j] > 0]
    if len(core) == len(tasks.names):
        if len(core) == 1:
            return f"There is one task only, {tasks.names[0]}: it has all weight in the Nash mixture."
        return f"All {len(core)} tasks have weight in the Nash mixture: {some_of(core, 8)}."
    idle = len(tasks.names) - len(core)
    others = "the other one changes no Nash average" if idle == 1 else f"the other {idle} change no Nash average"
    have = "has" if len(core) == 1 else "have"
    seen = ""
    if tasks.share is not None:
        seen = f" (in at least {int(100 * float(tasks.share[tasks.members].min()))}% of {tasks.where})"
    said = f"{len(core)} of {len(tasks.names)} tasks {have} weight in the Nash mixture"
    return f"{said}: {some_of(core, 8)}{seen}; {others}."


def _unsettled_core(tasks: Side) -> str:
    """In which share of the bootstrap samples tasks have weight, which is no chance that they truly have."""
    often, seldom = tasks.often(), tasks.sometimes()
    if not often:
        return f"Which tasks have weight in the Nash mixture is not settled; in {tasks.where}: {some_of(seldom, 6)}."
    have = "has" if len(often) == 1 else "have"
    said = f"{some_of(often, 6)} {have} weight in the Nash mixture in that share of {tasks.where}"
    fewer = f"; {len(seldom)} other{'s' * (len(seldom) > 1)} in fewer: {some_of(seldom, 6)}" if seldom else ""
    return f"{said}{fewer}."


def filled_words(deciding: Sequence[str], unranked: Sequence[str]) -> list[str]:
    """Name the filled-in cells that decide, and the agents that are not ranked."""
    sentences = []
    if deciding:
        cells = "A filled-in cell decides" if len(deciding) == 1 else "Filled-in cells decide, each alone,"
        sentences.append(f"{cells} who has the highest Nash average: {some_of(deciding, 6)}.")
    if unranked:
        sentences.append(f"Listed, not ranked, for want of scores of their own: {some_of(unranked, 6)}.")
    return sentences


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
        Of each task for the best team, ``-S' p_a``, in units; tables for people add ``full``.
    value
        Of the game: the skill of every core agent, and minus the difficulty of every core task.
    uniform_skill, uniform_difficulty
        Mean scores, for comparison: they move when tasks or agents are copied.
    scores
        The table that was played, agents x tasks, in units.
    exploitability, kkt
        Certificates: what the better of two best deviations gains; the error of the entropy conditions.
    agent_p_low ... difficulty_high
        Bootstrap intervals, described by ``interval``; None unless asked for, or where cells were filled in (a
        bootstrap over tasks says nothing about single tasks).
    first, carries
        Share of the bootstrap samples in which each agent is among the first, and each task has mass; None likewise.
    unranked
        Agents with too few scores of their own to be ranked where cells are filled in.
    deciding
        Filled-in cells, each of which decides alone who is first: at the ends of what it might be, others are.
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
    first: FloatArray | None = None
    carries: FloatArray | None = None
    interval: Interval | None = None
    unranked: tuple[str, ...] = ()
    deciding: tuple[str, ...] = ()

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first; core agents tie, and the larger mass stands first. Unranked ones come last."""
        table = self._side("agent", self.agents, ("skill", "agent_p", "uniform_skill"), "uniform_skill")
        listed = pl.DataFrame({"agent": list(self.unranked)}, schema={"agent": pl.String})
        return pl.concat([table, listed], how="diagonal") if self.unranked else table

    def task_frame(self) -> "pl.DataFrame":
        """Give the tasks, hardest first; core tasks tie, and the larger mass stands first."""
        return self._side("task", self.tasks, ("difficulty", "task_p", "uniform_difficulty"), "uniform_difficulty")

    def _side(self, name: str, labels: tuple[str, ...], columns: tuple[str, str, str], last: str) -> "pl.DataFrame":
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
    def full(self) -> float:
        """A full score: 1, or 0 in z units, which have no top. With it added, a difficulty is what the team lacks."""
        return 0.0 if self.params["units"] == "z" else 1.0

    @property
    def top(self) -> tuple[str, ...]:
        """The agents that tie for first."""
        return top_agents(self.agents, self.skill, self.value)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is first, which tasks have weight, and what filled-in cells have to do with it."""
        agents = Side(self.agents, np.isin(self.agents, self.top), self.first, self.interval)
        tasks = Side(self.tasks, self.task_p > 0, self.carries, self.interval)
        harsh = harshness_words(self.agents, self.scores, self.top)
        filled = filled_words(self.deciding, self.unranked)
        return (leader_words(agents), core_words(tasks, self.task_p), *harsh, *filled)


def top_agents(agents: tuple[str, ...], skill: FloatArray, value: float) -> tuple[str, ...]:
    """The agents whose skill is the value of the game, up to rounding."""
    near = skill >= value - TIED * max(1.0, abs(value))
    return tuple(agents[i] for i in np.flatnonzero(near))


COMPLETIONS = 200
"""Completions behind the intervals where cells were filled in and nobody says how many."""
MOST_TRIED = 40
"""Filled-in cells of which one asks whether each alone decides; of a large table fewer."""


def task_nash(data: Scores, options: TaskOptions, resampling: Resampling) -> TaskNash:
    """Put the scores in units, solve both sides, and resample if asked, or if cells were filled in."""
    game = prepared(data, options.units, options.missing)
    solution = maxent_zero_sum(game.values, merge_clones=options.merge_clones)
    notes = game.notes
    copied = np.bincount(solution.agent_classes).max() > 1
    if options.merge_clones and options.units not in ("min-max", "none") and copied:
        message = f"Agents are copies of each other: {options.units} units move when agents are copied."
        advice = Advice("use ", Option("units", "min-max"), ", which do not")
        notes = (*notes, info("units-move", message, advice=[advice]))
    result = _result(game.scores, game.values, solution)
    filled = bool(game.filling.gaps.any())
    if resampling.n is None:
        resampling = replace(resampling, n=COMPLETIONS if filled else 0, only_gaps=filled)
    result = replace(
        result,
        unranked=game.unranked,
        diagnostics=(*notes, *result.diagnostics),
        params=frozen_params(
            units=options.units, missing=options.missing, merge_clones=options.merge_clones,
            n=resampling.n, over=resampling.unit, level=resampling.level,
        ),
    )  # fmt: skip
    if resampling.n:
        result = _with_intervals(result, game, options, resampling)
    return replace(result, deciding=_deciding(result, game, options, resampling)) if filled else result


def prepared(data: Scores, units: Units, missing: Missing) -> PreparedScores:
    """Deal with gaps, drop tasks that tell nothing, bring scores to units, and fill in what is to be filled."""
    scores, gap_notes = without_gaps(data, missing)
    scores, unranked, few_notes = with_enough_scores(scores)
    scores, constant_notes = informative(scores)
    filling = _filling(scores, units)
    values, filled_notes = completed(filling.values, scores)
    notes = (*data.diagnostics, *gap_notes, *few_notes, *constant_notes, *filled_notes)
    if len(scores.tasks) == 1:
        notes = (
            *notes,
            info("one-task", f"There is one task only ({scores.tasks[0]}): its best agents share the top."),
        )
    return PreparedScores(scores, values, notes, filling, unranked)


def _filling(scores: Scores, units: Units) -> Filling:
    """Scores in units, some of which keep them between 0 and 1."""
    rates = units == "none" and scores.trials is not None and scores.repeats is None
    return Filling(in_units(scores.values, units), bounded=rates or units in ("z-cdf", "rank"))


def _deciding(result: TaskNash, game: PreparedScores, options: TaskOptions, resampling: Resampling) -> tuple[str, ...]:
    """Try each filled-in cell at the ends of what it might be, the most uncertain ones first."""
    rng = generator(resampling.rng)
    drawn = np.array([game.filling.draw(rng)[game.filling.gaps] for _ in range(100)])
    ends = np.quantile(drawn, [(1 - resampling.level) / 2, (1 + resampling.level) / 2], axis=0)
    cells = np.argwhere(game.filling.gaps)
    most = MOST_TRIED if game.values.size <= 1000 else MOST_TRIED // 4
    names = []
    for k in np.sort(np.argsort(-np.ptp(ends, axis=0), kind="stable")[:most]):
        i, j = cells[k]
        for end in ends[:, k]:
            table = np.array(game.values)
            table[i, j] = end
            again = maxent_zero_sum(table, merge_clones=options.merge_clones)
            if top_agents(result.agents, again.skill, again.value) != result.top:
                names.append(f"{result.agents[i]} on {result.tasks[j]}")
                break
    return tuple(names)


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


def _with_intervals(result: TaskNash, game: PreparedScores, options: TaskOptions, resampling: Resampling) -> TaskNash:
    """Resample tasks (what other suites would say) or trials within cells (what other runs would say).

    Gaps are filled in anew each time; where nothing else is resampled, that alone moves the answer.
    """
    n, unit, level = int(resampling.n or 0), resampling.unit, resampling.level
    rows, failed = replicates(game, options, resampling)
    if len(failed) > n / 2:
        raise DataError(f"{len(failed)} of {n} bootstrap samples cannot be estimated ({failed[0]})")
    drawn = np.array(rows)
    over_tasks = unit == "tasks" and not resampling.only_gaps
    names = ("agent_p", "skill") if over_tasks else ("agent_p", "skill", "task_p", "difficulty")
    cuts = np.cumsum([len(getattr(result, name)) for name in names])[:-1]
    by_trial = unit == "runs" and not resampling.only_gaps
    interval = either_way if by_trial else percentile_interval
    estimate = np.concatenate([getattr(result, name) for name in names])
    low, high = where_known(interval, drawn, level, estimate)
    ends = {f"{name}_low": frozen(part) for name, part in zip(names, np.split(low, cuts), strict=True)}
    ends |= {f"{name}_high": frozen(part) for name, part in zip(names, np.split(high, cuts), strict=True)}
    for name in ("agent_p", "task_p")[: len(names) // 2]:
        ends |= {f"{name}_{end}": frozen(np.clip(ends[f"{name}_{end}"], 0.0, 1.0)) for end in ("low", "high")}
    mass, skill, *of_tasks = np.split(drawn, cuts, axis=1)
    ends["first"] = frozen(_first(skill).mean(axis=0))
    if of_tasks:
        ends["carries"] = frozen((of_tasks[0] > 0).mean(axis=0))
    notes = (*result.diagnostics, *band_notes(result.agent_p, mass, "tasks" if over_tasks else "runs", level))
    if by_trial:
        notes = (*notes, *few_trials_notes(game.scores), *noisy_units_notes(game.scores, options.units))
        notes = (*notes, *uninformative_notes(result.tasks, of_tasks[-1]))
    if failed:
        message = f"{len(failed)} of {n} bootstrap samples could not be estimated and were left out: {failed[0]}"
        notes = (*notes, warning("failed-replicates", message))
    gaps = bool(game.filling.gaps.any())
    over = "completions" if resampling.only_gaps else f"{unit} and completions" if gaps else unit
    how = "percentile" if resampling.only_gaps else "parametric bootstrap" if by_trial else "percentile bootstrap"
    return replace(result, interval=Interval(f"{how} over {over}", level), diagnostics=notes, **ends)  # type: ignore[arg-type]  # arrays by their field names


def _first(skill: FloatArray) -> FloatArray:
    """Who has the highest skill in each resample, up to rounding."""
    best = skill.max(axis=1, keepdims=True)
    return np.asarray(skill >= best - TIED * np.maximum(1.0, np.abs(best)), dtype=np.float64)
