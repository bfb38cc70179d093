"""``equipoise plan`` and the alpha-Rank column of ``equipoise rank``."""

import json
from pathlib import Path

import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "log.csv"
    rows = [("ada", "bea", 1), ("bea", "cyd", 1), ("cyd", "ada", 1)] * 14 + [("ada", "bea", 0), ("bea", "cyd", 0.5)] * 6
    pl.DataFrame(rows, schema=["a", "b", "outcome"], orient="row", strict=False).write_csv(path)
    return str(path)


@pytest.mark.parametrize("goal", ["best", "top:2", "order", "profile"])
def test_a_plan_is_the_library_call(goal: str, log: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", log, "--budget", "40", "--goal", goal, "--rows", "all", "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    twin = eq.plan(eq.read_pairs(log), budget=40, goal=goal)
    assert [row["play"] for row in body["pairs"]] == twin.frame()["play"].to_list()
    settled = goal in ("best", "top:2")  # bea stands above cyd, who stands above ada
    assert sum(row["play"] for row in body["pairs"]) == (0 if settled else 40)
    assert ("all-decided" in [note["code"] for note in body["diagnostics"]]) == settled
    expected = {"3.1", "3.2", "4.2"} if goal == "profile" else {"C.1"}
    assert {size["theorem"] for size in body["sample_sizes"]} == expected


def test_the_table_says_what_is_decided(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", log, "--budget", "30", "--goal", "profile"]) == 0
    shown = capsys.readouterr().out
    for word in ("play", "expected after", "pairs are decided at 95%"):
        assert word in shown
    assert "theorem" not in shown


def test_what_games_guarantee_in_advance_is_told_when_asked_for(log, capsys):
    assert main(["plan", log, "--goal", "profile", "--show", "guarantee", "--gap", "0.2"]) == 0
    shown = capsys.readouterr().out
    for word in ("games a pair", "3.2", "4.2", "all pairs differ by 0.2 in win rate"):
        assert word in shown
    assert "expected after" not in shown


def test_the_same_seed_gives_the_same_bytes(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for _ in range(2):
        assert main(["plan", log, "--budget", "50", "--seed", "3", "--format", "json"]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


@pytest.mark.parametrize(("arguments", "words"), [(["--budget", "0"], "budget"), (["--margin", "0.9"], "margin")])
def test_bad_options_are_one_line(
    arguments: list[str], words: str, log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", log, *arguments]) == 2
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1


def test_rank_has_an_alpha_rank_column(log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", log, "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    masses = {row["agent"]: row["alpha_rank"] for row in body["agents"]}
    assert masses == pytest.approx({"ada": 1 / 3, "bea": 1 / 3, "cyd": 1 / 3})
    sparse = tmp_path / "sparse.csv"
    pl.DataFrame({"a": ["x", "y", "x", "y"], "b": ["y", "z", "y", "z"], "outcome": [1, 1, 0, 0]}).write_csv(sparse)
    assert main(["rank", str(sparse), "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert {row["alpha_rank"] for row in body["agents"]} == {None}
    assert "incomplete-table" in [note["code"] for note in body["diagnostics"]]
