"""Filled-in cells: who is ranked on them, what they decide, and how sure they are."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.data.types.imputation import Filling

NAN = np.nan


def codes(result):
    return [note.code for note in result.diagnostics]


def newcomer():
    """Five agents on six tasks, and one that was seen once, where it was best."""
    values = np.random.default_rng(0).normal(size=(6, 6)) + np.arange(6)
    values[5] = NAN
    values[5, 2] = 99.0
    return eq.Scores.from_matrix(values, agents=["a", "b", "c", "d", "e", "new"])


def test_one_score_out_of_six_does_not_make_a_champion():
    result = eq.nash_average(newcomer(), missing="complete")
    assert result.unranked == ("new",)
    assert "new" not in result.agents
    assert "too-few-scores" in codes(result)
    assert result.frame()["agent"].to_list()[-1] == "new"
    assert result.frame()["skill"].to_list()[-1] is None
    assert result.answer[-1] == "Listed, not ranked, for want of scores of their own: new."
    assert "new" not in eq.tasks(newcomer(), missing="complete").answer[0]


def test_half_of_the_tasks_are_enough():
    values = np.array(newcomer().values)
    values[5, :2] = 1.0
    assert eq.nash_average(eq.Scores.from_matrix(values), missing="complete").unranked == ()


def test_two_agents_with_scores_must_remain():
    values = np.full((3, 6), NAN)
    values[0] = np.arange(6.0)
    values[1:, 0] = 1.0
    with pytest.raises(eq.DataError, match="too few scores to fill in the others"):
        eq.nash_average(eq.Scores.from_matrix(values), missing="complete")


def test_the_error_about_gaps_says_what_filling_in_is():
    with pytest.raises(
        eq.DataError, match="guess from averages, with its uncertainty; agents with scores on less than half"
    ):
        eq.nash_average(newcomer())


def hard_task(best=5.0):
    """A suite whose hardest task decides everything, and an agent that was not seen on it."""
    values = [[5.0, best, 4.9, NAN], [5.1, 4.9, 5.0, 1.0], [4.5, 4.6, 4.4, 0.5], [4.0, 4.2, 4.1, 0.0]]
    return eq.Scores.from_matrix(values, agents="ABCD", tasks=["p", "q", "r", "s"])


def test_a_filled_in_cell_is_named_where_it_decides():
    result = eq.nash_average(hard_task(), units="none", missing="complete")
    assert result.deciding == ("A on s",)
    assert "A filled-in cell decides who has the highest Nash average: A on s." in result.answer
    # On an easy task nothing hangs on it.
    easy = np.array(hard_task().values)
    easy[0, 3], easy[0, 0] = 2.0, NAN
    assert eq.nash_average(eq.Scores.from_matrix(easy), units="none", missing="complete").deciding == ()


def test_filled_in_cells_make_intervals_and_whole_tables_none():
    filled = eq.nash_average(hard_task(), units="none", missing="complete")
    assert filled.interval.kind == "percentile over completions"
    assert filled.skill_high[0] > filled.skill_low[0]
    assert filled.agent_p_low[0] < filled.agent_p_high[0]
    assert filled.difficulty_low is not None
    assert eq.nash_average(hard_task().take(agents=np.array([False, True, True, True]))).interval is None
    assert eq.nash_average(hard_task(), units="none", missing="complete", n=0).interval is None


@pytest.mark.parametrize("unit", ["tasks", "runs"])
def test_resamples_fill_gaps_in_anew(unit):
    values = np.random.default_rng(2).normal(size=(4, 6, 5))
    values[0, 0] = NAN
    result = eq.nash_average(eq.Scores.from_matrix(values), missing="complete", over=unit, n=20)
    how = "parametric" if unit == "runs" else "percentile"
    assert result.interval.kind == f"{how} bootstrap over {unit} and completions"


def test_draws_are_spread_about_the_fit_as_a_new_cell_would_be():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(8, 1)) + rng.normal(size=(1, 9)) + 0.5 * rng.normal(size=(8, 9))
    values[2, 3] = NAN
    filling = Filling(values)
    drawn = np.array([filling.draw(rng)[2, 3] for _ in range(4000)])
    i, j = np.nonzero(~np.isnan(values))
    design = np.zeros((len(i), 17))
    design[np.arange(len(i)), i] = design[np.arange(len(i)), 8 + j] = 1.0
    effect, _, rank, _ = np.linalg.lstsq(design, values[i, j], rcond=None)
    rest = values[i, j] - design @ effect
    new = np.zeros(17)
    new[[2, 8 + 3]] = 1.0
    variance = (rest @ rest) / (len(i) - rank) * (1 + new @ np.linalg.pinv(design.T @ design) @ new)
    degrees = len(i) - rank
    assert drawn.mean() == pytest.approx(new @ effect, abs=0.05)
    assert drawn.std() == pytest.approx(np.sqrt(variance * degrees / (degrees - 2)), rel=0.06)


def test_a_headline_is_what_resamples_repeat():
    rng = np.random.default_rng(4)
    unsure = eq.nash_average(eq.Scores.from_matrix(rng.normal(size=(5, 18, 5))), over="runs", n=60)
    assert any(
        "not settled" in sentence or "nearly all bootstrap samples" in sentence.lower() for sentence in unsure.answer
    )
    assert not any("tasks have weight in the Nash mixture:" in sentence for sentence in unsure.answer)
    sure = np.array([9.0, 1.0])[:, None, None] + 0.01 * rng.normal(size=(2, 3, 5))
    settled = eq.nash_average(eq.Scores.from_matrix(sure, agents=["x", "y"]), units="none", over="runs", n=60)
    assert settled.answer[0] == "x has the highest Nash average."
    assert settled.first.tolist() == [1.0, 0.0]


def test_a_team_that_changes_with_the_games_is_no_headline():
    table = eq.PairTable.from_wins([[0, 5, 6], [5, 0, 5], [4, 5, 0]], ["x", "y", "z"])
    result = eq.nash_average(table, n=100)
    assert "%" in result.answer[0]
    assert result.in_team.max() <= 1.0
    certain = eq.PairTable.from_wins([[0, 90, 95], [10, 0, 90], [5, 10, 0]], ["x", "y", "z"])
    assert eq.nash_average(certain, n=100).answer == ("The Nash equilibrium is x alone: no agent beats it.",)


def test_intervals_over_trials_are_the_default_of_a_benchmark_with_trials():
    values = np.random.default_rng(5).normal(size=(3, 4, 6)) + 2 * np.arange(3)[:, None, None]
    found = eq.tasks(eq.Scores.from_matrix(values))
    assert found.nash.interval.kind == "parametric bootstrap over runs"
    assert found.nash.difficulty_low is not None
    assert eq.tasks(eq.Scores.from_matrix(values[:, :, 0])).nash.interval.kind == "percentile bootstrap over tasks"
