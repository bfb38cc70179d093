"""Scores as games: tasks are their clusters, and so are runs where these rise and fall together over tasks."""

from dataclasses import replace

import numpy as np

from equipoise.aggregates.shared_runs import MANY, RunSums, run_component
from equipoise.core.diagnostics import info
from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import CLUSTERS_FOUND, RUNS, Matches, matches_from_scores
from equipoise.data.types.scores import Scores

TESTED = 0.20
"""Level of the test that runs share something over tasks."""


def games_of(scores: Scores) -> Matches:
    """Let every two agents play one match on each task and run, clustered by task, and by run where that matters.

    A run that is good on every task at once (one seed or checkpoint behind all of them) wins games on all tasks, which
    clusters of tasks do not see. Whether runs do is tested as for aggregates, of the shares of opponents that each run
    beats; from ten runs on they are clusters in any case, which costs little then.
    """
    games = matches_from_scores(scores)
    if scores.repeats is None or not _shared(scores):
        return games
    gap = np.triu_indices(len(scores.agents), 1)
    there = ~np.isnan(scores.repeats[gap[0]] - scores.repeats[gap[1]])
    runs = Factor(tuple(str(k + 1) for k in range(there.shape[2])), np.nonzero(there)[2].astype(np.int32))
    message = "Errors are clustered by task and run: runs rise and fall together over tasks."
    note = info(CLUSTERS_FOUND, message, ("task", "run"))
    return replace(games, crossed={RUNS: runs}, diagnostics=(*games.diagnostics, note))


def _shared(scores: Scores) -> bool:
    """Tell whether runs of the same name win more, or less, on all tasks together than independent ones would."""
    repeats = scores.repeats
    labels = scores.run_labels
    assert repeats is not None
    whole = ~np.isnan(repeats).all(axis=2).any(axis=0)  # tasks that everybody tried
    if labels is None or whole.sum() < 2 or len(scores.agents) < 2:
        return False
    won = _shares_beaten(repeats[:, whole])
    there = ~np.isnan(won)
    count = there.sum(axis=2)
    named = np.array([label is not None for label in labels])
    linked = named & (there == there.any(axis=1, keepdims=True)).all(axis=(1, 2)) & (count > 1).all(axis=1)
    weight = np.full(won.shape[:2], 1.0 / won.shape[1])
    mean = np.where(there, won, 0.0).sum(axis=2) / np.maximum(count, 1)
    squares = np.where(there, (won - mean[:, :, None]) ** 2, 0.0).sum(axis=2)
    free = np.maximum(count - 1.0, 1.0)
    parts = weight**2 * squares / (free * np.maximum(count, 1))
    square = (parts**2 / free).sum(axis=1)
    degrees = parts.sum(axis=1) ** 2 / np.where(square > 0.0, square, 1.0)
    sums = RunSums.of(won, weight, parts, linked)
    # What agents win others lose: one of them says nothing more.
    found = run_component(sums, degrees, None, max(int(sums.linked.sum()) - 1, 1))
    return found.p < TESTED or bool((sums.linked & (sums.count >= MANY)).any())


def _shares_beaten(repeats: FloatArray) -> FloatArray:
    """Give the share of the opponents in the same run of a task that each run beats; NaN where there is none."""
    ahead, met = np.zeros(repeats.shape), np.zeros(repeats.shape)
    for other in repeats:
        gap = repeats - other
        ahead += np.where(np.isnan(gap), 0.0, (np.sign(gap) + 1.0) / 2.0)
        met += ~np.isnan(gap)
    met -= ~np.isnan(repeats)
    return np.asarray(np.where(met > 0, (ahead - 0.5 * ~np.isnan(repeats)) / np.where(met > 0, met, 1.0), np.nan))
