"""Bootstrap samples of tables of scores: other tasks, other runs and other completions, and what they answer.

Other trials need care where cells have few of them. Two or three trials drawn out of themselves vary less than other
trials would, and some cells not at all. Each cell's variance is therefore pooled with that of its task, which
counts as four trials more (Smyth 2004), and drawn from Student's t with as many degrees of freedom. Successes are drawn
with half a success and half a failure more, so that none out of two is no certainty.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, EquipoiseError, some_of
from equipoise.core.options import generator
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.types.imputation import Filling
from equipoise.data.types.normalisation import Missing, Units, in_units
from equipoise.data.types.scores import Scores
from equipoise.inference.bootstrap import percentile_interval
from equipoise.inference.executors import in_batches
from equipoise.nash.kernels import maxent_zero_sums
from equipoise.nash.resampling import Resampling

PRIOR = 4.0
"""Degrees of freedom that the variance of a task's other cells counts for."""
TELLING = 3.0
"""Times the variance of their errors that agents' means on a task must vary for a range of theirs to be a unit."""
FEW_TRIALS = 5
"""Below so many trials of a cell the spread is largely that of other cells, which is said."""


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """How scores become a game: their units, what fills gaps, and whether copies count as one."""

    units: Units = "min-max"
    missing: Missing = "error"
    merge_clones: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class PreparedScores:
    """Scores in use, their values in units with no gap left, what was done on the way, and who is set aside."""

    scores: Scores
    values: FloatArray
    notes: tuple[Diagnostic, ...]
    filling: Filling
    unranked: tuple[str, ...]


def other_trials(scores: Scores, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draw tables of mean scores without end, NaN where there is no score."""
    if scores.trials is None or scores.trials.max() < 2:
        advice = Advice("draw tasks with ", Option("over", "tasks"))
        raise DataError(Option("over", "runs"), " needs repeated runs of agents on tasks", advice=[advice])
    trials, repeats = np.maximum(scores.trials, 1), scores.repeats
    if repeats is None or bool(np.isin(repeats[~np.isnan(repeats)], (0.0, 1.0)).all()):
        rate = (np.where(scores.missing, 0.0, scores.values) * trials + 0.5) / (trials + 1.0)
        while True:
            yield np.clip(scores.values + rng.binomial(trials, rate) / trials - rate, 0.0, 1.0)
    error, degrees = _errors(repeats)
    while True:
        yield scores.values + error * rng.standard_t(degrees)


def _errors(repeats: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Errors of the cells' means with the degrees of freedom behind them."""
    there = ~np.isnan(repeats)
    count = np.maximum(there.sum(axis=2), 1)
    mean = np.where(there, repeats, 0.0).sum(axis=2) / count
    squares = np.where(there, (repeats - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
    freedom = count - 1.0
    known = freedom.sum(axis=0)
    of_tasks = squares.sum(axis=0) / np.where(known > 0, known, 1.0)
    # A task without a repeated trial spreads as the others do.
    of_tasks = np.where(known > 0, of_tasks, of_tasks[known > 0].mean())
    variance = (squares + PRIOR * of_tasks) / (freedom + PRIOR)
    return np.sqrt(variance / count), freedom + PRIOR


def either_way(replicates: FloatArray, level: float, estimate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the middle of the replicates, and twice their bias, where it shows, more on the other side.

    What is best and worst in a table with errors is more extreme than in one without; replicates are off the estimate
    as the estimate is off the truth, and the truth then lies on the other side.
    """
    low, high = percentile_interval(replicates, level, estimate)
    bias, noise = replicates.mean(axis=0) - estimate, replicates.std(axis=0) / np.sqrt(len(replicates))
    above, below = (2.0 * np.where(side > 2.0 * noise, side, 0.0) for side in (bias, -bias))
    return low - above, high + below


def where_known(
    interval: Callable[[FloatArray, float, FloatArray], tuple[FloatArray, FloatArray]],
    replicates: FloatArray,
    level: float,
    estimate: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Make intervals of columns of replicates from those that have a value; of none, the estimate is all there is."""
    gaps = np.isnan(replicates)
    low, high = np.array(estimate), np.array(estimate)
    whole = ~gaps.any(axis=0)
    low[whole], high[whole] = interval(replicates[:, whole], level, estimate[whole])
    for j in np.flatnonzero(~whole & ~gaps.all(axis=0)):
        low[[j]], high[[j]] = interval(replicates[~gaps[:, j]][:, [j]], level, estimate[[j]])
    return low, high


def uninformative_notes(tasks: Sequence[str], difficulty: FloatArray) -> tuple[Diagnostic, ...]:
    """Say which tasks separate no agents in some bootstrap samples, which were evaluated without them."""
    share = np.isnan(difficulty).mean(axis=0)
    order = [int(j) for j in np.argsort(-share, kind="stable") if share[j] > 0]
    if not order:
        return ()
    names = [tasks[j] for j in order]
    message = (
        f"Other runs may well show the same score of all agents on {some_of(names)} (in up to {share[order[0]]:.0%}"
        " of the bootstrap samples): such a task has no weight there, and its difficulty is that of the others."
    )
    return (info("constant-in-resamples", message, names),)


def few_trials_notes(scores: Scores) -> tuple[Diagnostic, ...]:
    """Say where the spread of a cell's trials is largely taken from other cells."""
    if scores.repeats is None or scores.trials is None:
        return ()
    least = int(scores.trials[scores.trials > 0].min())
    if least >= FEW_TRIALS:
        return ()
    trials = "1 trial" if least == 1 else f"{least} trials"
    message = (
        f"Some cells have {trials} only, which hardly show how much scores spread: intervals take most of it from the"
        " task's other agents, and are wide."
    )
    return (warning("few-trials", message),)


def noisy_units_notes(scores: Scores, units: Units) -> tuple[Diagnostic, ...]:
    """Say on which tasks agents differ hardly more than trials do, so that a unit from their range is noise."""
    if scores.repeats is None or units == "none":
        return ()
    error, _ = _errors(scores.repeats)
    noise = np.where(scores.missing, np.nan, error**2)
    lost = np.nanvar(scores.values, axis=0, ddof=1) < TELLING * np.nanmean(noise, axis=0)
    names = [scores.tasks[j] for j in np.flatnonzero(lost)]
    if not names:
        return ()
    tasks = "1 task" if len(names) == 1 else f"{len(names):,} tasks"
    message = (
        f"On {tasks} agents differ hardly more than their own runs ({some_of(names, 5)}): {units} units make noise as"
        " large as any difference there."
    )
    out = Advice("add runs, or leave out ", Option("not_tasks"), " of these, or ", Option("units", "none"))
    return (warning("noisy-units", message, names, advice=[out]),)


def replicates(
    game: PreparedScores, options: TaskOptions, resampling: Resampling
) -> tuple[list[FloatArray], list[EquipoiseError]]:
    """Give what each resample answers, and the errors of those that have no answer."""
    rng, n = generator(resampling.rng), int(resampling.n or 0)
    by_task = resampling.unit == "tasks" and not resampling.only_gaps
    drawn = _drawn(game, options, resampling, rng)
    answers = in_batches(
        partial(_solved, options=options, agents_only=by_task), lambda size: list(islice(drawn, size)), n,
        "bootstrap samples", resampling.executor,
    )  # fmt: skip
    failed = [answer for answer in answers if isinstance(answer, EquipoiseError)]
    return [answer for answer in answers if not isinstance(answer, EquipoiseError)], failed


def _drawn(
    game: PreparedScores, options: TaskOptions, resampling: Resampling, rng: np.random.Generator
) -> Iterator[FloatArray | EquipoiseError]:
    """Draw tables without end, in units and with no gap left; an error where one cannot be evaluated."""
    while resampling.only_gaps:
        yield game.filling.draw(rng)
    tasks = len(game.scores.tasks)
    while resampling.unit == "tasks":
        # Units are per task, whichever others are there.
        values = game.filling.draw(rng) if game.filling.gaps.any() else game.values
        yield values[:, rng.integers(tasks, size=tasks)]
    for values in other_trials(game.scores, rng):
        try:
            yield _of_trials(values, game, options, rng)
        except EquipoiseError as error:
            yield error


def _of_trials(values: FloatArray, game: PreparedScores, options: TaskOptions, rng: np.random.Generator) -> FloatArray:
    """Bring a table that other trials might have shown into units, and fill its gaps.

    A task on which all agents got the same tells nothing in that table, and is NaN: a table that had shown it so would
    have been evaluated without it.
    """
    varied = np.nanmax(values, axis=0) > np.nanmin(values, axis=0)
    if not varied.any():
        raise DataError("no task separates agents in a bootstrap sample")
    filling = Filling(in_units(values[:, varied], options.units), bounded=game.filling.bounded)
    drawn = filling.draw(rng) if filling.gaps.any() else filling.values
    if varied.all():
        return drawn
    table = np.full(values.shape, np.nan)
    table[:, varied] = drawn
    return table


def _solved(
    tables: Sequence[FloatArray | EquipoiseError], options: TaskOptions, agents_only: bool
) -> list[FloatArray | EquipoiseError]:
    """Masses and skills of the agents, and unless tasks were drawn masses and difficulties of the tasks.

    A task that tells nothing in a table has no mass, and no difficulty (NaN).
    """
    varied = {k: ~np.isnan(table[0]) for k, table in enumerate(tables) if not isinstance(table, EquipoiseError)}
    # A table that is whole is handed on as it lies in memory, so that sums have the same last digits.
    reduced = [
        np.asarray(tables[k]) if all_of.all() else np.asarray(tables[k])[:, all_of] for k, all_of in varied.items()
    ]
    answers = list(tables)
    for (k, here), solution in zip(
        varied.items(), maxent_zero_sums(reduced, merge_clones=options.merge_clones), strict=True
    ):
        parts = [solution.agent_p, solution.skill]
        if not agents_only:
            mass, difficulty = np.zeros(len(here)), np.full(len(here), np.nan)
            mass[here], difficulty[here] = solution.task_p, solution.difficulty
            parts += [mass, difficulty]
        answers[k] = np.concatenate(parts)
    return answers
