"""``equipoise luck``: the table, the words, the other forms, and what is refused."""

import io
import json
from pathlib import Path

import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.data.datasets import bundled_file


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """A pipe of the usual width: workers of the tests say that theirs has 80 columns."""
    monkeypatch.delenv("COLUMNS", raising=False)


HANDS = str(bundled_file("hands.csv.gz"))


def test_the_table_names_agents_and_says_what_their_hands_are_worth(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["luck", HANDS, "--control", "honest", "--deal", "deal", "--seat", "seat"]) == 0
    shown = capsys.readouterr().out
    for word in (
        "estimate",
        "interval",
        "hands",
        "times the hands",
        "rock",
        "maniac",
        "Removing luck is worth",
        "Baseline",
    ):
        assert word in shown


def test_json_is_the_library_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["luck", HANDS, "--control", "bluffer", "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    twin = eq.baseline(eq.load("hands"), control="bluffer")
    assert [row["agent"] for row in body["agents"]] == twin.frame()["agent"].to_list()
    assert [row["estimate"] for row in body["agents"]] == pytest.approx(twin.frame()["estimate"].to_list())
    assert body["method"] == "baseline"
    assert body["params"]["control"] == ["bluffer"]


def test_without_a_control_it_is_duplicate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["luck", HANDS, "--by", "pair", "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["method"] == "duplicate"
    assert len(body["agents"]) == 10
    assert "incomplete-deals" in [d["code"] for d in body["diagnostics"]]


def test_csv_goes_to_a_file(tmp_path: Path) -> None:
    out = tmp_path / "luck.csv"
    assert main(["luck", HANDS, "--control", "honest", "-o", str(out)]) == 0
    assert pl.read_csv(out).height == 5


def test_teams_and_a_fixed_coefficient(capsys: pytest.CaptureFixture[str]) -> None:
    teams = ["--by", "team", "--team", "rock=careful", "--team", "honest=careful", "--team", "maniac=wild"]
    assert main(["luck", HANDS, "--control", "honest", "--coefficient", "-1", *teams, "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert {row["agent"] for row in body["agents"]} == {"careful", "wild"}
    assert body["coefficient"]["wild"] == [-1.0]


def test_it_says_how_many_hands_a_width_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["luck", HANDS, "--control", "bluffer", "--half-width", "0.05", "--format", "json"]) == 0
    for row in json.loads(capsys.readouterr().out)["agents"]:
        half = (row["high"] - row["low"]) / 2
        assert row["hands_needed"] == pytest.approx(row["hands"] * (half / 0.05) ** 2, abs=1)
    assert main(["luck", HANDS, "--control", "bluffer", "--half-width", "0.05"]) == 0
    assert "hands for ±0.05" in capsys.readouterr().out


def test_it_reads_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    table = pl.read_csv(HANDS).write_csv().encode()

    class Stdin:
        buffer = io.BytesIO(table)

    monkeypatch.setattr("sys.stdin", Stdin())
    assert main(["luck", "-", "--control", "honest", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["agents"]) == 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--control", "hones"], 'did you mean "honest"'),
        (["--method", "baseline"], "needs --control"),
        (["--method", "duplicate", "--control", "honest"], "leave one out"),
        (["--control", "honest", "--by", "team"], "go together"),
        (["--control", "honest", "--by", "team", "--team", "rock"], "AGENT=TEAM"),
        (["--control", "honest", "--coefficient", "best"], "fitted, cross-fitted or a number"),
        (["--control", "honest", "--mean", "zero"], "--mean"),
        (["--control", "honest", "--deal", "dael"], 'did you mean "deal"'),
        (["--control", "honest", "--level", "95"], "level"),
        (["--control", "honest", "--half-width", "0"], "--half-width is a number above 0"),
        (["--control", "honest", "--seat", "agent"], "E[Y] = 0 does not hold"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["luck", HANDS, *options]) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert shown.err.count("\n") == 1
    assert not shown.out


def test_a_missing_file_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["luck", "nowhere.csv", "--control", "x"]) == 2
    assert "nowhere.csv" in capsys.readouterr().err


def test_a_bundled_set_makes_the_round_trip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "hands.csv"
    assert main(["data", "hands-kuhn2", "--output", str(out)]) == 0
    assert main(["luck", str(out), "--control", "bluffer", "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    twin = eq.baseline(eq.load("hands-kuhn2"), control="bluffer")
    assert [row["estimate"] for row in body["agents"]] == pytest.approx(twin.frame()["estimate"].to_list())
