"""The verdict under every leaderboard, and rating with discs, from the command line."""

import json

import numpy as np
import pytest

from equipoise.cli.main import main


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def games_file(path, chance, names, each, seed=0):
    rng = np.random.default_rng(seed)
    rows = ["a,b,outcome"]
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            won = rng.random(each) < chance[i][j]
            rows += [f"{names[i]},{names[j]},{int(w)}" for w in won]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def cyclic(tmp_path):
    chance = [[0.5, 0.85, 0.15, 0.15], [0.15, 0.5, 0.85, 0.85], [0.85, 0.15, 0.5, 0.5], [0.85, 0.15, 0.5, 0.5]]
    return games_file(tmp_path / "cyclic.csv", chance, ["rock", "scissors", "paper", "card"], 80)


@pytest.fixture
def ladder(tmp_path):
    rating = np.linspace(1, -1, 6)
    chance = 1 / (1 + np.exp(rating[None, :] - rating[:, None]))
    return games_file(tmp_path / "ladder.csv", chance, list("abcdef"), 150, seed=1)


def test_the_table_ends_with_the_verdict(capsys, cyclic, ladder):
    _, out, err = run(capsys, "rank", cyclic)
    assert err == ""
    said = " ".join(out.split())
    assert "Do not rank these agents by one number: " in said
    assert "rock > scissors" in said
    assert "Near-duplicates: paper = card" in said
    _, out, _ = run(capsys, "rank", ladder)
    assert "A single rating describes these games: at most " in " ".join(out.split())


@pytest.mark.parametrize("method", ["bradley-terry", "elo", "melo"])
def test_json_carries_the_verdict_whatever_the_method(capsys, cyclic, method):
    code, out, _ = run(capsys, "rank", cyclic, "--method", method, "--format", "json")
    assert code == 0
    document = json.loads(out)
    verdict = document["verdict"]
    assert verdict["cyclic_share"] > 0.8
    assert verdict["p_value"] <= 0.001
    assert {"rock", "scissors"} <= set(verdict["cycles"][0]["agents"])
    assert len(verdict["cycles"][0]["log_odds"]) == 3
    assert verdict["text"].startswith("Do not rank these agents by one number")
    assert [note["subjects"] for note in document["diagnostics"] if note["code"] == "near-clones"] == [
        ["paper", "card"]
    ]


def test_a_verdict_that_cannot_be_given_is_null(capsys, tmp_path):
    path = tmp_path / "chain.csv"
    path.write_text("a,b,outcome\nx,y,1\nx,y,0\ny,z,1\ny,z,0\n")
    document = json.loads(run(capsys, "rank", path, "--format", "json")[1])
    assert document["verdict"]["cyclic_share"] is None
    assert document["verdict"]["p_value"] is None
    assert document["verdict"]["cycles"] == []
    assert "no-loops" in [note["code"] for note in document["diagnostics"]]


def test_melo_takes_a_number_of_discs_or_auto(capsys, cyclic):
    one = json.loads(run(capsys, "rank", cyclic, "--method", "melo", "--dimensions", "1", "--format", "json")[1])
    assert one["k"] == 1
    assert one["frobenius"] < one["rating_frobenius"] / 3
    assert {"agent", "rating", "c1", "c2"} <= one["agents"][0].keys()
    auto = json.loads(run(capsys, "rank", cyclic, "--method", "melo", "--dimensions", "auto", "--format", "json")[1])
    assert auto["k"] == 1
    assert len(auto["held_out"]) == 2


def test_melo_has_intervals_from_a_bootstrap(capsys, cyclic):
    board = json.loads(run(capsys, "rank", cyclic, "--method", "melo", "--bootstrap", "20", "--format", "json")[1])
    assert all(row["low"] < row["high"] for row in board["agents"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--method", "melo", "--dimensions", "2"], "for 4 agents 0 to 1"),
        (["--method", "melo", "--dimensions", "some"], "--dimensions is a whole number"),
        (["--method", "elo", "--step-size", "auto"], "--step-size is a number"),
        (["--step-size", "3"], "--step-size does not go with"),
        (["--dimensions", "3"], "--dimensions is for --method melo"),
        (["--method", "melo", "--step-size", "3"], "--step-size is for --method elo"),
        (["--method", "melo", "--position"], "--position does not go with"),
        (["--method", "elo", "--prior", "2"], "--prior does not go with"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(capsys, cyclic, options, said):
    code, out, err = run(capsys, "rank", cyclic, *options)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
