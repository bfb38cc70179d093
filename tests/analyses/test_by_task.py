"""Where the first and the second agent differ, task by task."""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.analyses.scores.by_task import by_task
from equipoise.report.views.registry import view_of

RUNS = np.random.default_rng(3).normal(size=(3, 6, 5)) + np.array([1.0, 0.5, 0.0])[:, None, None]
TASKS = tuple("uvwxyz")


def test_intervals_are_those_of_welchs_test():
    values = RUNS.copy()
    values[1, 2, 3:] = np.nan
    found = by_task(("a", "b", "c"), TASKS, values, 0, 1, 0.9)
    for j in range(6):
        one, other = values[0, j], values[1, j][~np.isnan(values[1, j])]
        ends = scipy.stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.9)
        assert (found.low[j], found.high[j]) == pytest.approx((ends.low, ends.high))


def test_runs_that_are_all_alike_and_passes_have_no_interval():
    values = RUNS.copy()
    values[0, 4] = 2.0
    found = by_task(("a", "b", "c"), TASKS, values, 0, 1, 0.95)
    assert np.isnan(found.low).tolist() == [False] * 4 + [True, False]
    passed = by_task(("a", "b", "c"), TASKS, (RUNS > 0.5).astype(float), 0, 1, 0.95)
    assert np.isnan(passed.high).all()


def test_the_first_two_of_the_board_are_compared_the_largest_difference_first():
    found = eq.tasks(eq.Scores.from_matrix(RUNS, ["a", "b", "c"], list(TASKS)), n=20)
    pair = found.board.by_task
    assert [pair.first, pair.other] == [found.board.agents[i] for i in found.board.order[:2]]
    rows = pair.frame()
    assert rows["difference"].abs().is_sorted(descending=True)
    assert rows["difference"].to_list() == pytest.approx((rows["mean"] - rows["other_mean"]).to_list())
    ahead, behind = (rows["low"] > 0).sum(), (rows["high"] < 0).sum()
    assert f"significantly better on {ahead} of 6 tasks, {pair.other} on {behind};" in pair.answer[0]
    (table,) = [one for one in view_of(found).tables if one.name == "by_task"]
    assert table.title == f"Where {pair.first} and {pair.other} differ"


def test_without_runs_there_is_no_column_of_intervals():
    found = eq.tasks(eq.Scores.from_matrix(RUNS[:, :, 0], ["a", "b", "c"], list(TASKS)), n=0)
    (table,) = [one for one in view_of(found).tables if one.name == "by_task"]
    assert not any(column.bar for column in table.columns)
    assert "scores higher on" in table.sentences[0]
