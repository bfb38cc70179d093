"""Scores against a human's or a baseline's, and what runs say of them."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main

TASKS = ["Bank Heist", "pong", "Qbert"]


def runs():
    rng = np.random.default_rng(0)
    means = np.array([[[100.0], [5.0], [1000.0]], [[400.0], [15.0], [3000.0]]])
    return eq.Scores.from_matrix(means + means * rng.normal(scale=0.1, size=(2, 3, 5)), ["old", "new"], TASKS)


@pytest.fixture
def human(tmp_path):
    path = tmp_path / "human.csv"
    path.write_text("game,random,human\nbank-heist,0,200\nPong,-20,10\nqbert,200,1200\nextra,0,1\n")
    return path


def test_a_table_of_random_and_human_scores_is_0_and_1(human):
    scores = runs()
    found = eq.methods.normalise_scores(scores, human)
    zero, one = np.array([0.0, -20.0, 200.0]), np.array([200.0, 10.0, 1200.0])
    assert found.values == pytest.approx((scores.values - zero) / (one - zero))
    assert found.repeats == pytest.approx((scores.repeats - zero[:, None]) / (one - zero)[:, None])
    assert "random scores 0, human scores 1" in str(found.diagnostics[-1].message)


def test_the_table_may_have_its_tasks_in_columns_and_one_player_only(tmp_path):
    wide = tmp_path / "wide.csv"
    wide.write_text("agent,Bank Heist,pong,Qbert\nhuman,200,10,1200\nrandom,0,-20,200\n")
    alone = tmp_path / "alone.csv"
    alone.write_text("game,human\nBank Heist,200\npong,10\nQbert,1200\n")
    assert eq.methods.normalise_scores(runs(), wide).values[1, 0] == pytest.approx(runs().values[1, 0] / 200)
    assert eq.methods.normalise_scores(runs(), alone).values == pytest.approx(runs().values / [200, 10, 1200])


def test_agents_of_the_same_table_can_be_0_and_1_and_are_left_out():
    scores = eq.Scores.from_matrix([[0.0, 10], [100, 30], [150, 20]], ["random", "human", "mine"])
    found = eq.methods.normalise_scores(scores, "random,human")
    assert found.agents == ("mine",)
    assert found.values.tolist() == [[1.5, 0.5]]
    assert eq.methods.normalise_scores(scores, ("random", "human")).values.tolist() == [[1.5, 0.5]]


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("task,random,human\npong,0,1\n", "no score to normalise by for Bank Heist, Qbert"),
        ("task,random,human\nBank Heist,1,1\npong,0,1\nQbert,0,1\n", "what counts as 0 there also counts as 1"),
        ("task,x,y,z\nBank Heist,1,1,2\npong,0,1,2\nQbert,0,1,2\n", "Name them random and human"),
    ],
)
def test_what_cannot_be_normalised_by_is_said(tmp_path, by, said):
    path = tmp_path / "by.csv"
    path.write_text(by)
    with pytest.raises(eq.DataError, match=said):
        eq.methods.normalise_scores(runs(), path)


def test_names_that_are_no_agents_are_refused():
    with pytest.raises(eq.ParameterError, match='"human" is no agent'):
        eq.methods.normalise_scores(runs(), ["old", "human"])


def test_everything_over_runs_comes_by_itself_in_normalised_units(tmp_path, capsys, human):
    scores = runs()
    path = tmp_path / "runs.csv"
    rows = [
        f"{agent},{task},{k},{scores.repeats[i, j, k]}\n"
        for i, agent in enumerate(scores.agents)
        for j, task in enumerate(TASKS)
        for k in range(5)
    ]
    path.write_text("algo,game,seed,score\n" + "".join(rows))
    assert main(["tasks", str(path), "--normalise", str(human), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    expected = eq.aggregate(eq.methods.normalise_scores(scores, human), n=1000)
    assert printed["aggregates"][0]["agent"] == "new"
    assert printed["aggregates"][0]["iqm"] == pytest.approx(expected.iqm[1])
    assert printed["tables"]["aggregates"]["units"]["median_low"] == "normalised units"
    (pair,) = printed["improvement"]
    assert pair["improvement_low"] <= pair["improvement"] == 1.0
    assert {row["agent"] for row in printed["profile"]} == {"old", "new"}
    assert any("A run of new beats a run of old" in sentence for sentence in printed["words"])
    assert "raw-units" not in {note["code"] for note in printed["diagnostics"]}


def test_units_beside_normalised_ones_are_refused(human):
    with pytest.raises(eq.ParameterError, match="gives units of its own"):
        eq.tasks(runs(), normalise=human, units="rank")


def test_aggregates_of_raw_points_of_different_games_say_so():
    rng = np.random.default_rng(0)
    raw = eq.Scores.from_matrix(rng.random((2, 4, 3)) * np.array([1.0, 10.0, 1e4, 1e5])[:, None])
    assert "raw-units" in {note.code for note in eq.aggregate(raw).diagnostics}
    assert "raw-units" not in {note.code for note in eq.aggregate(raw, units="min-max").diagnostics}
    assert "raw-units" not in {
        note.code for note in eq.aggregate(eq.Scores.from_matrix(rng.random((2, 4, 3)))).diagnostics
    }
