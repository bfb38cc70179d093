"""Scores as games: runs behind all tasks are clusters where they matter, and what everybody passes counts."""

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.analyses.scores.as_games import games_of
from equipoise.data.types.matches import RUNS


def runs(rng, effect, agents=4, tasks=12, count=4):
    """Equal agents whose runs share an effect over tasks, in standard deviations of the noise."""
    shape = (agents, tasks, count)
    return eq.Scores.from_matrix(effect * rng.normal(size=(agents, 1, count)) + rng.normal(size=shape))


def test_runs_that_share_an_effect_are_clusters_of_the_games_that_their_scores_make():
    shared = games_of(runs(np.random.default_rng(1), 1.5))
    assert list(shared.crossed) == [RUNS]
    assert shared.pairs(by_group=True).crossed[RUNS].labels == ("1", "2", "3", "4")
    independent = eq.methods.matches_from_scores(runs(np.random.default_rng(1), 1.5))
    board, plain = eq.bradley_terry(shared), eq.bradley_terry(independent)
    assert (board.high - board.low).mean() > 1.3 * (plain.high - plain.low).mean()
    assert "task and run" in next(note.message for note in shared.diagnostics if note.code == "clusters-found")


def test_equal_agents_of_shared_runs_are_not_ranked_apart_by_rank():
    apart = []
    for seed in range(20):
        scores = runs(np.random.default_rng([2, seed]), 1.5)
        boards = (eq.bradley_terry(make(scores)) for make in (games_of, eq.methods.matches_from_scores))
        apart.append([board.rank_low.max() > 1 for board in boards])
    mine, naive = np.mean(apart, axis=0)
    assert mine <= 0.1
    assert naive > 0.5


def test_runs_that_share_nothing_are_seldom_clusters():
    assert np.mean([bool(games_of(runs(np.random.default_rng([5, k]), 0.0)).crossed) for k in range(40)]) < 0.4


@pytest.mark.parametrize("make", [
    lambda rng: eq.Scores.from_matrix(rng.normal(size=(4, 12))),  # one score a cell
    lambda rng: eq.Scores.from_matrix(rng.normal(size=(3, 1, 5))),  # one task
])  # fmt: skip
def test_other_scores_are_clustered_by_task_alone(make):
    assert not games_of(make(np.random.default_rng(3))).crossed


def test_runs_without_names_are_independent_over_tasks():
    rows = [(a, t, s) for a in "xyz" for t in "pqrs" for s in (1.0, 2.0, 3.0)]
    agent, task, score = zip(*rows, strict=True)
    table = pl.DataFrame({"agent": agent, "task": task, "score": score})
    assert not games_of(eq.read_scores(table, read=eq.ReadOptions(duplicates="keep"))).crossed


def test_ten_runs_are_clusters_in_any_case():
    assert games_of(runs(np.random.default_rng(4), 0.0, count=10)).crossed


def test_tasks_that_everybody_passes_or_fails_count_in_a_pass_rate():
    table = np.array([[1, 1, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]], dtype=float)
    found = eq.tasks(eq.Scores.from_matrix(table, agents="xyz"), n=2)
    assert found.board.estimate.tolist() == table.mean(axis=1).tolist()
    assert len(found.board.tasks) == 6
    assert len(found.nash.tasks) == 3
    said = next(note.message for note in found.diagnostics if note.code == "constant-task")
    assert "count in the mean" in said


def test_scores_as_they_are_are_averaged_over_all_tasks_and_min_max_units_say_over_how_many():
    table = np.array([[3.0, 5.0, 7.0], [1.0, 5.0, 9.0], [2.0, 5.0, 1.0]])
    scores = eq.Scores.from_matrix(table, agents="xyz")
    assert eq.tasks(scores, units="none", n=2).board.estimate.tolist() == table.mean(axis=1).tolist()
    assert len(eq.tasks(scores, n=2).board.tasks) == 2
