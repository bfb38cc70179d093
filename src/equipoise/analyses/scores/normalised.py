"""Scores against a human's or a baseline's: what counts as 0 and as 1 on each task, from a table or from agents."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from equipoise.analyses.source import is_data
from equipoise.core.diagnostics import info
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.results import FloatArray, frozen
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.read import Source, read_scores
from equipoise.data.types.normalisation import TaskScale
from equipoise.data.types.scores import Scores

ZERO = ("random", "zero", "min", "low", "floor", "baseline")
ONE = ("human", "one", "max", "high", "expert", "reference", "oracle", "ceiling")
"""Names of what counts as 0 and as 1, where there are more than two columns; earlier ones win."""


def normalise_scores(data: Scores, by: Source | Sequence[str]) -> Scores:
    """Give scores in units in which two players score 0 and 1 on every task: random play and a human, say.

    Parameters
    ----------
    data
        Scores, with or without repeated runs.
    by
        A table with a row for each task and columns such as ``random`` and ``human`` (or the reverse); or agents of the
        scores themselves, ``"random,human"``: they are left out of the result. One column or agent alone counts as 1,
        and a score of 0 as 0.

    Fails when
        a task is not in the table, or both players score the same on it; the table has other columns than can be
        recognised.

    Examples
    --------
    >>> import equipoise as eq
    >>> scores = eq.Scores.from_matrix([[0, 10], [100, 30], [150, 20]], ["random", "human", "mine"], ["chess", "go"])
    >>> eq.methods.normalise_scores(scores, "random,human").values.tolist()
    [[1.5, 0.5]]
    """
    names = _names(by, data)
    if names is not None:
        rows = [data.agents.index(name) for name in names]
        ends, kept = data.values[rows], data.take(agents=[k for k in range(len(data.agents)) if k not in rows])
        if not kept.agents:
            raise DataError("no agent is left to normalise")
    else:
        (names, ends), kept = _of_table(by, data), data
    zero, one = (np.zeros(len(data.tasks)), ends[0]) if len(names) == 1 else ends
    unknown = np.isnan(zero) | np.isnan(one)
    if unknown.any():
        lacking = some_of(data.tasks[j] for j in np.flatnonzero(unknown))
        advice = Advice("leave tasks out with ", Option("not_tasks"))
        raise DataError(f"no score to normalise by for {lacking}", advice=[advice])
    scale = TaskScale.between(zero, one)
    if scale.without_unit.any():
        alike = some_of(data.tasks[j] for j in np.flatnonzero(scale.without_unit))
        raise DataError(f"nothing to normalise by on {alike}: what counts as 0 there also counts as 1")
    said = f"{names[0]} scores 1, a score of 0 is 0" if len(names) == 1 else f"{names[0]} scores 0, {names[1]} scores 1"
    note = info("normalised", f"Scores are normalised on each task: {said}.", names)
    repeats = None if kept.repeats is None else frozen(scale.scaled(np.array(kept.repeats)))
    return replace(
        kept, values=frozen(scale.scaled(kept.values)), repeats=repeats,
        trials=None if repeats is None else kept.trials, diagnostics=(*kept.diagnostics, note),
    )  # fmt: skip


def _names(by: object, data: Scores) -> tuple[str, ...] | None:
    """Give the agents that are meant, zero first; None where a table is."""
    if isinstance(by, str):
        found: tuple[str, ...] = tuple(part.strip() for part in by.split(","))
        if by in data.agents:
            found = (by,)
        elif "," not in by or Path(by).exists():
            return None
    elif isinstance(by, list | tuple) and all(isinstance(name, str) for name in by):
        found = tuple(by)
    else:
        return None
    missing = [name for name in found if name not in data.agents]
    if missing or not 1 <= len(set(found)) == len(found) <= 2:
        which = f'"{missing[0]}" is no agent' if missing else "one or two agents are wanted"
        raise ParameterError(Option("normalise"), f": {which}; give a file, or the agents that score 0 and 1")
    return found


def _of_table(by: object, data: Scores) -> tuple[tuple[str, ...], FloatArray]:
    """Give the players of a table, zero first, and their scores on our tasks; NaN where they have none."""
    if is_data(by) and not isinstance(by, Scores):
        raise ParameterError(Option("normalise"), " is a table of scores")
    table = by if isinstance(by, Scores) else read_scores(by)
    values, players, tasks = table.values, table.agents, [_plain(task) for task in table.tasks]
    ours = [_plain(task) for task in data.tasks]
    turned = [_plain(agent) for agent in players]
    if len(set(turned) & set(ours)) > len(set(tasks) & set(ours)):
        values, players, tasks = values.T, table.tasks, turned
    chosen = _players(players)
    place = {task: j for j, task in enumerate(tasks)}
    ends = np.full((len(chosen), len(ours)), np.nan)
    for j, task in enumerate(ours):
        if task in place:
            ends[:, j] = values[[players.index(name) for name in chosen], place[task]]
    return chosen, ends


def _players(players: Sequence[str]) -> tuple[str, ...]:
    """Choose who counts as 0 and who as 1."""
    known = {_plain(name): name for name in players}
    zero, one = (next((known[word] for word in words if word in known), None) for words in (ZERO, ONE))
    if zero is not None and one is not None:
        return (zero, one)
    if len(players) == 1:
        return (players[0],)
    if one is not None:
        return (one,)
    if len(players) == 2:
        return (players[0], players[1])
    found = some_of(players, 8)
    raise DataError(f"which column counts as 0, and which as 1? Name them random and human; found: {found}")


def _plain(name: str) -> str:
    """BankHeist, bank-heist and Bank Heist are one task."""
    return re.sub(r"[\W_]+", "", name).lower()
