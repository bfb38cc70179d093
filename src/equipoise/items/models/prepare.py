"""From a score table to answers: what counts as a success, what must be left out, and what to say about it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.types.scores import Scores
from equipoise.items.models.responses import Responses, from_counts

#: Correlation of two agents' answers above which they count as copies.
COPY_CORRELATION = 0.99
_COPY_ITEMS, _COPY_AGENTS = 20, 500


@dataclass(frozen=True, slots=True, eq=False)
class PreparedAnswers:
    """Answers that can be fitted, and which agents (rows) and items (columns) of the table they are.

    ``uniform`` are the same agents' answers to the constant items: nothing can be said of such an item alone, but it is
    one of the items there are.
    """

    responses: Responses
    uniform: Responses
    agents: NDArray[np.bool_]
    items: NDArray[np.bool_]
    constant: NDArray[np.bool_]
    diagnostics: tuple[Diagnostic, ...]


def to_responses(scores: Scores, threshold: float | None = None) -> Responses:
    """Turn scores into counts of successes.

    Single trials and plain scores must be 0 or 1, or are compared with ``threshold`` (at least it is a
    success); success rates with known trials become binomial counts and are not thresholded.
    """
    if scores.repeats is not None:
        return _from_repeats(scores, scores.repeats, threshold)
    if scores.trials is not None:
        if threshold is not None:
            raise ParameterError("counts of successes are used as they are; leave out ", Option("threshold"))
        successes = np.where(scores.missing, 0.0, np.rint(scores.values * scores.trials))
        return from_counts(successes, scores.trials.astype(np.float64))
    successes = np.zeros(scores.values.shape, dtype=np.uint8)
    known = np.ones(scores.values.shape, dtype=np.uint8)
    step = max(1, 2_000_000 // scores.values.shape[1])
    for start in range(0, len(successes), step):  # by rows: a table of 10^8 cells has no room for copies
        part = slice(start, start + step)
        values = scores.values[part]
        known[part] = ~np.isnan(values)
        successes[part] = values >= threshold if threshold is not None else _binary(scores, values, start)
    return from_counts(successes, None if known.all() else known)


def _binary(scores: Scores, values: FloatArray, first: int) -> NDArray[np.bool_]:
    right: NDArray[np.bool_] = values == 1.0
    wrong = ~(right | (values == 0.0) | np.isnan(values))
    if wrong.any():
        where = some_of(
            f"{values[i, j]:g} ({scores.agents[first + i]} on {scores.tasks[j]})" for i, j in np.argwhere(wrong)[:4]
        )
        cut = Advice("give a ", Option("threshold"), " from which a score is a success")
        counts = Advice("or, for success rates, the number of ", Option("trials"))
        raise DataError(f"answers must be 0 or 1, found {where}", advice=[cut, counts])
    return right


def _from_repeats(scores: Scores, repeats: FloatArray, threshold: float | None) -> Responses:
    known = ~np.isnan(repeats)
    if threshold is None:
        right = np.stack([_binary(scores, repeats[:, :, k], 0) for k in range(repeats.shape[2])], axis=2)
    else:
        right = repeats >= threshold
    return from_counts(right.sum(axis=2).astype(np.float64), known.sum(axis=2).astype(np.float64))


def prepare(scores: Scores, *, threshold: float | None, least_items: int) -> PreparedAnswers:
    """Drop what cannot be fitted, name it, and refuse what is left if it is too little."""
    responses = to_responses(scores, threshold)
    notes: list[Diagnostic] = []
    won, tried = responses.agent_totals()
    agents = tried > 0
    if not agents.all():
        names = [scores.agents[i] for i in np.flatnonzero(~agents)]
        notes.append(warning("no-answers", f"No answer from {some_of(names)}: no ability can be given.", names))
    won, tried = responses.item_totals()
    untried = tried == 0
    constant = ~untried & ((won == 0) | (won == tried))
    notes += _item_notes(scores, untried, constant, won)
    items = ~(untried | constant)
    _refuse_too_little(int(agents.sum()), int(items.sum()), len(scores.tasks), least_items)
    uniform = responses.columns(constant)
    if not items.all():
        responses = responses.columns(items)
        _, left = responses.agent_totals()
        lost = agents & (left == 0)
        if lost.any():
            names = [scores.agents[i] for i in np.flatnonzero(lost)]
            text = f"Only constant items were answered by {some_of(names)}: no ability can be given."
            notes.append(warning("no-answers", text, names))
            agents &= ~lost
            _refuse_too_little(int(agents.sum()), int(items.sum()), len(scores.tasks), least_items)
    if not agents.all():
        responses, uniform = responses.rows(agents), uniform.rows(agents)
    notes += copies([name for name, used in zip(scores.agents, agents, strict=True) if used], responses)
    return PreparedAnswers(responses, uniform, agents, items, constant, tuple(notes))


def _item_notes(
    scores: Scores, untried: NDArray[np.bool_], constant: NDArray[np.bool_], won: FloatArray
) -> list[Diagnostic]:
    notes = []
    if untried.any():
        names = [scores.tasks[j] for j in np.flatnonzero(untried)]
        notes.append(warning("task-nobody-tried", f"Nobody tried {some_of(names)}: left out.", names))
    if constant.any():
        names = [scores.tasks[j] for j in np.flatnonzero(constant)]
        solved = int((won[constant] > 0).sum())
        notes.append(
            warning(
                "constant",
                f"{len(names)} of {len(scores.tasks)} items have one answer from everybody ({solved} correct for all,"
                f" {len(names) - solved} for none) and do not discriminate: {some_of(names)}. They were left out.",
                names,
            )
        )
    return notes


def _refuse_too_little(agents: int, items: int, before: int, least_items: int) -> None:
    if agents < 2:
        raise DataError(f"item response models need at least 2 agents with answers, found {agents}")
    if items < least_items:
        dropped = f" ({before - items} of {before} were left out as constant or untried)" if items < before else ""
        simpler = [Advice("or use ", Option("model", "rasch"))] if items >= 2 else []
        raise DataError(
            f"this model needs at least {least_items} items on which agents differ, found {items}{dropped}",
            advice=[Advice("use more items"), *simpler],
        )


def copies(names: list[str], responses: Responses) -> list[Diagnostic]:
    """Say which agents answer alike throughout: copies count as evidence that nobody gave."""
    rows, columns = responses.shape
    if columns < _COPY_ITEMS or rows > _COPY_AGENTS or responses.trials is not None:
        return []
    table = responses.successes.astype(np.float64)
    table -= table.mean(axis=1, keepdims=True)
    size = np.sqrt((table**2).sum(axis=1))
    size[size == 0.0] = np.inf
    table /= size[:, None]
    near = table @ table.T > COPY_CORRELATION
    np.fill_diagonal(near, False)
    if not near.any():
        return []
    alike = np.argwhere(np.triu(near, 1))
    pairs = some_of(f"{names[i]} = {names[j]}" for i, j in alike)
    who = list(dict.fromkeys(names[k] for pair in alike for k in pair))
    text = f"Agents with the same answers (correlation above {COPY_CORRELATION}): {pairs}. Keep one of each."
    return [info("copied-agents", text, who)]
