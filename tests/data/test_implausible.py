"""Readings that nobody meant are asked back: row numbers, answers and counters as agents or scores, one value."""

import io

import numpy as np
import pytest

import equipoise as eq


def read(text, **options):
    return eq.read_scores(io.BytesIO(text.encode()), read=eq.ReadOptions(**options))


def asked(text, match):
    with pytest.raises(eq.EquipoiseError, match=match) as question:
        read(text)
    assert "\n" not in str(question.value)


@pytest.mark.parametrize("header", ["rownames", "", "index", "Unnamed: 0"])
def test_numbers_of_rows_are_no_agents(header):
    text = f"{header},hearing,sight\n1,0,1\n2,1,1\n3,0,0\n"
    asked(text, 'name the column of agents with agent; or, if each row is an agent, say agents_in="rows"')
    assert read(text, agents_in="rows").agents == ("1", "2", "3")
    text = f"{header},model,hearing,sight\n1,u,0,1\n2,v,1,1\n3,w,0,0\n"
    assert read(text).agents == ("u", "v", "w")


def test_row_names_of_r_need_not_be_in_order_but_ids_are_names():
    asked("rownames,hearing,sight\n1,0,1\n112,1,1\n223,0,0\n", "numbers the rows")
    assert read("student,q1,q2\n1,0,1\n2,1,1\n3,0,0\n").agents == ("1", "2", "3")


def test_steps_are_no_agents():
    asked("Step,hearing,sight\n0,1,2\n100,3,4\n200,5,6\n", "counts steps and names no agents")


@pytest.mark.parametrize("counter", ["_step", "generation", "epoch", "total", "seed", "_runtime", "global_step"])
def test_counters_are_no_scores(counter):
    scores = read(f"model,hearing,sight,{counter}\nu,0.5,0.1,100\nv,0.2,0.6,200\n")
    assert scores.tasks == ("hearing", "sight")
    (note,) = [note for note in scores.diagnostics if note.code == "columns-left-out"]
    assert note.subjects == (counter,)


def test_counts_out_of_a_total_are_no_scores():
    text = "repo,resolved,total\ndjango/django,80,231\nsympy/sympy,20,75\n"
    asked(text, 'resolved count out of "total" and are no scores')
    assert read(text, tasks="resolved").tasks == ("resolved",)


def test_answers_are_no_agents():
    asked("model,task,score\ntrue,u,1\nfalse,u,0\ntrue,v,1\nfalse,v,1\n", "would be called true, false")
    asked("agent,u,v\nFalse,0.1,0.3\n", "which are answers")


def test_one_task_with_one_value_ranks_nobody():
    asked("x,hilo\nu,1\nv,1\nw,1\n", "all 3 rows score 1: that ranks nobody")
    assert read("x,hilo\nu,1\nv,1\nw,0\n").tasks == ("hilo",)
    assert read("model,hilo\nu,1\nv,1\nw,1\n").tasks == ("hilo",)


@pytest.mark.parametrize("header", ["freq", "count", "n", "weight"])
def test_frequencies_of_answers_are_weights_and_no_item(header):
    scores = read(f"Item.1,Item.2,{header}\n0,0,2\n0,1,1\n1,1,4\n")
    assert scores.tasks == ("Item.1", "Item.2")
    np.testing.assert_array_equal(scores.values, [[0, 0]] * 2 + [[0, 1]] + [[1, 1]] * 4)
    assert any("3 rows are 7 agents" in note.message for note in scores.diagnostics)


def test_frequencies_are_whole_numbers():
    asked("Item.1,Item.2,freq\n0,0,2.5\n0,1,1\n1,1,4\n", "in whole numbers")
