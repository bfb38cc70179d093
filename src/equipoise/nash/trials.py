"""Tables of scores that other trials would have shown, where cells have few of them.

Two or three trials drawn out of themselves vary less than other trials would, and some cells not at all. Each cell's
variance is therefore taken together with that of its task, which counts as four trials more (Smyth 2004), and drawn
from Student's t with as many degrees of freedom. Successes are drawn with half a success and half a failure more, so
that none out of two is no certainty.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.types.normalisation import Units
from equipoise.data.types.scores import Scores
from equipoise.inference.bootstrap import percentile_interval

__all__ = [
    "either_way",
    "few_trials_notes",
    "noisy_units_notes",
    "other_trials",
    "told_nothing_notes",
    "where_known",
]

PRIOR = 4.0
"""Degrees of freedom that the variance of a task's other cells counts for."""
TELLING = 3.0
"""Times the variance of their errors that agents' means on a task must vary for a range of theirs to be a unit."""
FEW_TRIALS = 5
"""Below so many trials of a cell the spread is largely that of other cells, which is said."""


def other_trials(scores: Scores, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draw tables of mean scores without end, NaN where there is no score."""
    if scores.trials is None or scores.trials.max() < 2:
        advice = Advice("draw tasks with ", Option("resample", "task"))
        raise DataError(Option("resample", "trial"), " needs repeated trials of agents on tasks", advice=[advice])
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


def told_nothing_notes(tasks: Sequence[str], difficulty: FloatArray) -> tuple[Diagnostic, ...]:
    """Say which tasks told nothing in some resamples, which were weighed without them."""
    share = np.isnan(difficulty).mean(axis=0)
    order = [int(j) for j in np.argsort(-share, kind="stable") if share[j] > 0]
    if not order:
        return ()
    names = [tasks[j] for j in order]
    message = (
        f"Other trials may well show the same score of all agents on {some_of(names)} (in up to {share[order[0]]:.0%}"
        " of the resamples): such a task has no mass there, and its difficulty is that of the other resamples."
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
    message = (
        f"Agents differ hardly more than their own trials do on {some_of(names)}: {units} units make noise as large as"
        " any difference there, and intervals of difficulties and skills need not hold."
    )
    return (warning("noisy-units", message, names, advice=[Advice("give more trials, or ", Option("units", "none"))]),)
