"""Scores as matches: on every task, whoever scored higher has won."""

import numpy as np

from equipoise.data.labels import Factor
from equipoise.data.matches import Matches
from equipoise.data.scores import Scores
from equipoise.diagnostics import info
from equipoise.errors import DataError

__all__ = ["matches_from_scores"]


def matches_from_scores(scores: Scores, *, higher_is_better: bool = True) -> Matches:
    """Make a match of every two agents on every task (and trial) that both have a score for.

    The higher score wins, equal scores tie. Matches on one task are not independent: the task is their group. What
    is lost is by how much; what is won is that no two tasks' units need to be compared.

    Fails when
        no two agents share a task.

    Examples
    --------
    >>> import equipoise as eq
    >>> s = eq.Scores.from_matrix([[3, 1], [2, 1]], agents=["x", "y"], tasks=["sum", "sort"])
    >>> eq.matches_from_scores(s).outcome.tolist()
    [1.0, 0.5]
    """
    values = scores.values[:, :, None] if scores.repeats is None else scores.repeats
    i, j = np.triu_indices(len(scores.agents), 1)
    gap = values[i] - values[j] if higher_is_better else values[j] - values[i]
    pair, task, _ = np.nonzero(~np.isnan(gap))
    if len(pair) == 0:
        raise DataError("no two agents have a score on the same task: there is nothing to compare")
    outcome = (np.sign(gap[~np.isnan(gap)]) + 1) / 2
    played = Factor(scores.tasks, task.astype(np.int32))
    note = info("scores-as-matches", "A match is two agents on one task: the higher score wins; tasks are the groups.")
    return Matches.from_codes(
        scores.agents,
        i[pair].astype(np.int32),
        j[pair].astype(np.int32),
        outcome,
        task=played,
        group=played,
        ordered=False,
        diagnostics=(*scores.diagnostics, note),
    )
