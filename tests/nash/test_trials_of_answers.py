"""Answers, right or wrong, a few times each: other trials may show a task on which nobody differs."""

import numpy as np

import equipoise as eq
from equipoise.core.diagnostics import has_code
from equipoise.nash.task_resamples import where_known


def answers(agents=3, tasks=30, trials=2, seed=0):
    rng = np.random.default_rng(seed)
    skill = np.linspace(0.8, 0.5, agents)[:, None, None]
    drawn = (rng.random((agents, tasks, trials)) < skill).astype(float)
    agent, task, _ = np.indices(drawn.shape)
    names = [f"agent {i}" for i in range(agents)], [f"task {j}" for j in range(tasks)]
    return eq.Scores.from_long(*map(tuple, names), agent.ravel(), task.ravel(), drawn.ravel())


def test_resamples_in_which_a_task_tells_nothing_count_all_the_same():
    found = eq.nash_average(answers(), n=100, over="runs")
    assert has_code(found.diagnostics, "constant-in-resamples")
    assert not has_code(found.diagnostics, "failed-replicates")
    for name in ("agent_p", "skill", "task_p", "difficulty"):
        low, middle, high = (getattr(found, f"{name}{end}") for end in ("_low", "", "_high"))
        assert np.isfinite([low, high]).all()
        assert (low <= middle + 1e-9).all()
        assert (middle <= high + 1e-9).all()


def test_a_table_with_many_trials_is_not_spoken_of():
    found = eq.nash_average(answers(tasks=6, trials=200), n=50, over="runs")
    assert not has_code(found.diagnostics, "constant-in-resamples")


def test_intervals_come_from_the_replicates_that_have_a_value():
    def ends(replicates, level, estimate):
        assert not np.isnan(replicates).any()
        assert level == 0.9
        assert len(estimate) == replicates.shape[1]
        return replicates.min(axis=0), replicates.max(axis=0)

    replicates = np.array([[1.0, np.nan, np.nan], [2.0, 5.0, np.nan], [3.0, 7.0, np.nan]])
    low, high = where_known(ends, replicates, 0.9, np.array([2.0, 6.0, 4.0]))
    assert low.tolist() == [1, 5, 4]
    assert high.tolist() == [3, 7, 4]
