"""Tasks that say nothing and cells without a score: what is dropped, filled in or refused."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.data.types.imputation import completed
from equipoise.data.types.normalisation import informative, without_gaps

NAN = np.nan
TABLE = [[1.0, 5.0, 2.0, 0.0], [2.0, 5.0, 2.0, 1.0], [3.0, 5.0, 2.5, 1.0]]


def scores(values):
    return eq.Scores.from_matrix(values, agents="abc"[: len(values)], tasks=list("wxyz")[: len(values[0])])


def test_a_task_on_which_all_agents_score_the_same_is_dropped_and_named():
    rest, notes = informative(scores(TABLE))
    assert rest.tasks == ("w", "y", "z")
    assert [(note.code, note.subjects) for note in notes] == [("constant-task", ("x",))]


def test_a_table_in_which_every_task_tells_agents_apart_stays_whole():
    table = scores([[row[0], row[2]] for row in TABLE])
    assert informative(table) == (table, ())


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [[1.0, NAN], [2.0, NAN]], [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]])
def test_tables_that_cannot_tell_agents_apart_are_refused(values):
    with pytest.raises(eq.DataError):
        informative(scores(values))


GAPPED = [[1.0, NAN, 3.0], [2.0, 4.0, 5.0], [0.0, 1.0, 1.0]]


def test_gaps_are_refused_unless_one_says_what_to_do():
    with pytest.raises(eq.DataError, match="a on x"):
        without_gaps(scores(GAPPED), "error")


def test_dropping_tasks_or_agents_leaves_the_others_and_names_what_went():
    by_task, task_notes = without_gaps(scores(GAPPED), "drop-tasks")
    by_agent, agent_notes = without_gaps(scores(GAPPED), "drop-agents")
    assert (by_task.agents, by_task.tasks) == (("a", "b", "c"), ("w", "y"))
    assert (by_agent.agents, by_agent.tasks) == (("b", "c"), ("w", "x", "y"))
    assert [note.subjects for note in (*task_notes, *agent_notes)] == [("x",), ("a",)]


def test_a_table_with_a_gap_everywhere_has_nothing_left():
    with pytest.raises(eq.DataError, match="nothing is left"):
        without_gaps(scores([[1.0, NAN], [NAN, 2.0]]), "drop-tasks")


def test_a_gap_is_filled_with_what_the_averages_of_agent_and_task_add_up_to():
    additive = np.array([0.0, 1.0, 3.0])[:, None] + np.array([0.0, 2.0, 5.0, 6.0])
    values = additive.copy()
    values[1, 2] = NAN
    filled, notes = completed(values, scores(values))
    np.testing.assert_allclose(filled, additive, atol=1e-9)
    assert notes[0].code == "completed-cells"


def test_a_filled_value_stays_within_what_was_seen_on_its_task():
    values = np.array([[0.0, NAN], [10.0, 1.0], [11.0, 2.0]])
    filled, _ = completed(values, scores(values))
    assert filled[0, 1] == 1.0
