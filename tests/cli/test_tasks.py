"""``equipoise tasks``, and the Nash columns of ``equipoise rank``."""

import csv
import io
import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main

TABLE = "agent,one,two,three,three again\nA,89,93,76,77\nB,85,85,85,84\nC,79,74,99,98\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def runs(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{agent},{task},{seed},{rng.normal(k, 1):.4f}"
        for k, agent in enumerate("abc")
        for task in ("maze", "pong", "chess")
        for seed in range(4)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["agent,task,trial,score", *rows]) + "\n")
    return path


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_the_answer_is_printed_first_and_the_audit_when_asked_for(capsys, table):
    code, out, err = run(capsys, "tasks", table)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "2 agents share the highest mean score, 0.50: A, C."
    assert "Nash average" not in out
    code, out, err = run(capsys, "tasks", table, "--show", "all")
    assert (code, err) == (0, "")
    assert "Nash averages, best first" in out
    assert "Tasks, hardest first" in out
    assert "2 agents share the highest Nash average: A, C." in out
    assert "nearly the same results" in out


def test_json_is_the_library_call(capsys, table):
    _, out, _ = run(capsys, "tasks", table, "--format", "json")
    document = json.loads(out)
    found = eq.nash_average(eq.read_scores(table))
    assert [row["agent"] for row in document["nash"]] == found.frame()["agent"].to_list()
    assert document["nash"][0]["skill"] == pytest.approx(found.value)
    called = eq.tasks(table)
    assert [row["agent"] for row in document["agents"]] == called.table["agent"].to_list()
    assert {row["agent"]: row["skill"] for row in document["agents"]} == pytest.approx(
        dict(zip(found.agents, found.skill.tolist(), strict=True))
    )
    assert {row["task"] for row in document["tasks"]} == set(found.tasks)
    assert document["value"] == pytest.approx(0.5)
    assert document["audit"]["core_agents"] == ["A", "C"]


def test_csv_holds_the_table_asked_for(capsys, table):
    agents, tasks = (
        list(csv.DictReader(io.StringIO(run(capsys, "tasks", table, "--format", "csv", "--show", name)[1])))
        for name in ("agents", "tasks")
    )
    assert {row["agent"] for row in agents} == {"A", "B", "C"}
    assert {row["task"] for row in tasks} == {"one", "two", "three", "three again"}


@pytest.mark.parametrize("units", ["min-max", "z", "rank", "none"])
def test_units_are_those_of_the_library(capsys, table, units):
    _, out, _ = run(capsys, "tasks", table, "--units", units, "--format", "json")
    found = eq.nash_average(eq.read_scores(table), units=units)
    assert json.loads(out)["value"] == pytest.approx(found.value)


def test_repeated_runs_are_aggregated(capsys, runs):
    _, out, _ = run(capsys, "tasks", runs, "--format", "json")
    rows = json.loads(out)["aggregates"]
    assert {"iqm", "iqm_low", "iqm_high", "optimality_gap", "group", "rank_low"} <= rows[0].keys()
    assert rows[0]["agent"] == "c"


def test_intervals_come_with_a_bootstrap_and_follow_the_seed(capsys, runs):
    arguments = (
        "tasks",
        runs,
        "--bootstrap",
        30,
        "--over",
        "runs",
        "--format",
        "json",
        "--show",
        "agents,tasks",
        "--seed",
    )
    one, again, other = (run(capsys, *arguments, seed)[1] for seed in (1, 1, 2))
    assert one == again
    assert json.loads(one)["agents"] != json.loads(other)["agents"]
    assert json.loads(one)["tasks"][0]["difficulty_low"] is not None


def test_gaps_are_dealt_with_as_told(capsys, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("agent,one,two,three\nA,1,2,\nB,2,1,4\nC,3,0,5\n")
    code, out, err = run(capsys, "tasks", path)
    assert (code, out) == (2, "")
    assert "1 cell has no score: A on three" in err
    assert err.count("\n") == 1
    shapes = {}
    for way in ("drop-tasks", "drop-agents", "complete"):
        document = json.loads(run(capsys, "tasks", path, "--missing", way, "--format", "json")[1])
        shapes[way] = (len(document["agents"]), len(document["tasks"]))
    assert shapes == {"drop-tasks": (3, 2), "drop-agents": (2, 3), "complete": (3, 3)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("agent,one,two\nA,1,2\n", "one agent only"),
        ("agent,one,two\nA,1,2\nB,1,2\n", "nothing separates them"),
        ("agent,one,two\nA,1,x\nB,1,2\n", "not a number"),
    ],
)
def test_bad_tables_give_one_line(capsys, tmp_path, text, told):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, out, err = run(capsys, "tasks", path)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_tables_are_shown_by_name_and_one_that_is_not_there_is_refused(capsys, table):
    _, usual, _ = run(capsys, "tasks", table)
    _, everything, _ = run(capsys, "tasks", table, "--show", "all")
    for name in ("pairs", "tasks", "nash"):
        assert name in usual.partition("More: --show ")[2]
    _, turned, _ = run(capsys, "tasks", table, "--show", "nash,all")
    assert turned.index("Nash averages, best first") < turned.index("Tasks, hardest first")
    assert everything.index("Nash averages, best first") > everything.index("Tasks, hardest first")
    _, alone, _ = run(capsys, "tasks", table, "--show", "tasks")
    assert "Tasks, hardest first" in alone
    assert "Nash averages, best first" not in alone
    code, out, err = run(capsys, "tasks", table, "--show", "task")
    assert (code, out) == (2, "")
    there = "agents, pairs, by-task, tasks, nash and all"
    assert err == f'equipoise: --show has no "task" here (did you mean "tasks"?); it takes {there}\n'


def test_rank_shows_nash_mass_and_average(capsys, tmp_path):
    path = tmp_path / "log.csv"
    rows = [("x", "y", 9), ("y", "x", 1), ("y", "z", 9), ("z", "y", 1), ("z", "x", 9), ("x", "z", 1)]
    path.write_text("winner,loser\n" + "".join(f"{a},{b}\n" * n for a, b, n in rows))
    _, out, _ = run(capsys, "rank", path, "--format", "json")
    for row in json.loads(out)["agents"]:
        assert row["nash"] == pytest.approx(1 / 3)
        assert row["nash_average"] == pytest.approx(0.0, abs=1e-12)


def test_rank_without_all_pairs_has_no_nash(capsys, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("a,b,outcome\n" + "x,y,1\nx,y,0\ny,z,1\ny,z,0\n" * 3)
    document = json.loads(run(capsys, "rank", path, "--format", "json")[1])
    assert {row["nash"] for row in document["agents"]} == {None}
    assert {row["nash_average"] for row in document["agents"]} == {None}
    assert [note["code"] for note in document["diagnostics"]].count("incomplete-table") == 1


def test_the_former_name_of_resample_is_accepted_with_a_note(capsys):
    assert main(["tasks", "classifiers", "--unit", "task", "--bootstrap", "2", "--format", "csv"]) == 0
    assert "--unit task is now --over tasks" in capsys.readouterr().err
