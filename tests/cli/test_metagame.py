"""``equipoise metagame``: every view of a payoff table from the shell, and what is refused."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main

ROCK = "name,rock,paper,scissors\nrock,0.5,0.2,0.9\npaper,0.8,0.5,0.3\nscissors,0.1,0.7,0.5\n"
COORDINATION = {
    "strategies": [["a", "b"], ["x", "y"]],
    "payoffs": [[[0.9, 0.1], [0.2, 0.6]], [[0.8, 0.3], [0.1, 0.7]]],
    "counts": [[[20, 20], [20, 3]], [[20, 20], [20, 3]]],
    "low": [[[0.8, 0.0], [0.1, 0.5]], [[0.7, 0.2], [0.0, 0.6]]],
    "high": [[[1.0, 0.2], [0.3, 0.7]], [[0.9, 0.4], [0.2, 0.8]]],
}


@pytest.fixture
def square(tmp_path: Path) -> str:
    path = tmp_path / "rock.csv"
    path.write_text(ROCK, encoding="utf-8")
    return str(path)


@pytest.fixture
def nested(tmp_path: Path) -> str:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(COORDINATION), encoding="utf-8")
    return str(path)


def body_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["metagame", *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_masses_are_the_library_call(square: str, capsys: pytest.CaptureFixture[str]) -> None:
    body = body_of(capsys, square, "--alpha", "2")
    twin = eq.alpha_rank(eq.read_metagame(square), alpha=2.0)
    assert {row["profile"]: row["pi"] for row in body["profiles"]} == pytest.approx(
        dict(zip(twin.agents, twin.pi.tolist(), strict=True))
    )
    assert body["kind"] == "finite alpha"


def test_the_table_names_the_chain(square: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metagame", square]) == 0
    shown = capsys.readouterr().out
    for word in ("rock", "0.3333", "one sink component of 3", "alpha = inf", "one sink component"):
        assert word in shown


def test_several_populations_and_their_chains(nested: str, capsys: pytest.CaptureFixture[str]) -> None:
    body = body_of(capsys, nested)
    assert body["mccs"] == [["(a, x)"], ["(b, y)"]]
    assert body["kind"] == "perturbation limit"
    perturbed = body_of(capsys, nested, "--perturbation", "0.01")
    assert perturbed["kind"] == "perturbed"


def test_the_graph_the_sweep_and_the_bounds(square: str, nested: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(body_of(capsys, square, "--show", "graph")["edges"]) == 3
    assert len(body_of(capsys, square, "--show", "sweep")["alphas"]) == 25
    wide = body_of(capsys, square, "--show", "bounds", "--width", "0.5")
    assert wide["uncertain_edges"] == 3
    own = body_of(capsys, nested, "--show", "bounds")
    assert own["uncertain_edges"] == 0
    assert own["measure"] == "the mass within the profile's own chain"


def test_what_to_play_next_comes_from_the_counts(nested: str, capsys: pytest.CaptureFixture[str]) -> None:
    body = body_of(capsys, nested, "--show", "next", "--budget", "9")
    assert sum(row["play"] for row in body["proposals"]) == 9
    assert body["graph"]["games"] == 63
    assert all(row["reason"] for row in body["proposals"])


def test_csv_goes_to_a_file(square: str, tmp_path: Path) -> None:
    out = tmp_path / "masses.csv"
    assert main(["metagame", square, "-o", str(out)]) == 0
    assert pl.read_csv(out)["pi"].sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        ({"payoffs": [[[1, None], [0, 1]], [[1, 0], [0, 1]]]}, [], "missing"),
        ({"payoffs": [[[1, 0], [0, 1]], [[1, 0, 2], [0, 1, 2]]]}, [], "shapes"),
        ({"payoffs": [[[1, 0]], [[0, 1]]]}, [], "single strategy"),
        (COORDINATION | {"low": COORDINATION["high"], "high": COORDINATION["low"]}, [], "above upper"),
        ({"payoffs": COORDINATION["payoffs"]}, ["--show", "bounds"], "--width"),
        ({"payoffs": COORDINATION["payoffs"]}, ["--show", "next"], "counts"),
        (COORDINATION, ["--show", "next", "--range", "0", "0.5"], "outside the stated range"),
        (COORDINATION, ["--alpha", "-1"], "alpha"),
        (COORDINATION, ["--perturbation", "much"], "perturbation"),
        ({"table": 1}, [], "payoffs"),
    ],
)
def test_bad_input_is_one_line_and_two(
    content: object, arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert main(["metagame", str(path), *arguments]) == 2
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1
