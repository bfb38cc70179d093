"""`equipoise categories`: boards by category on the command line."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """A pipe of the usual width: workers of the tests say that theirs has 80 columns."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def battles(tmp_path):
    """A log in which owl is worse in Thai."""
    rng = np.random.default_rng(0)
    names = np.array(["owl", "fox", "hen", "cat"])
    a = rng.integers(4, size=2400)
    b = (a + rng.integers(1, 4, size=2400)) % 4
    c = rng.integers(3, size=2400)
    strength = np.tile([0.8, 0.3, -0.3, -0.8], (3, 1)).T.copy()
    strength[0, 2] = -0.8
    won = rng.random(2400) < 1 / (1 + np.exp(strength[b, c] - strength[a, c]))
    language = np.array(["English", "French", "Thai"])[c]
    rows = zip(
        names[a], names[b], np.where(won, "model_a", "model_b"), language, rng.integers(300, size=2400), strict=True
    )
    file = tmp_path / "battles.csv"
    lines = ["model_a,model_b,winner,language,voter", *(",".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def run(*args):
    return main([str(arg) for arg in args])


def test_the_table_has_a_column_a_category_and_stars(battles, capsys):
    assert run("categories", battles, "language") == 0
    told = capsys.readouterr().out
    assert "English" in told
    assert "the highest rating has fox in Thai" in told
    assert "−63*" in next(line for line in told.splitlines() if "  owl " in line)
    assert run("categories", battles, "language", "--show", "effects") == 0
    assert "owl in Thai" in capsys.readouterr().out


def test_json_has_a_list_of_boards_and_agrees_with_python(battles, capsys):
    assert run("categories", battles, "language", "--cluster", "voter", "--format", "json", "--scale", "logit") == 0
    document = json.loads(capsys.readouterr().out)
    assert {board["category"] for board in document["boards"]} == {"English", "French", "Thai"}
    boards = eq.categories(battles, "language", read=eq.ReadOptions(group="voter"))
    for told in document["boards"]:
        c = boards.categories.index(told["category"])
        assert {row["agent"]: row["low"] for row in told["agents"]} == pytest.approx(
            dict(zip(boards.agents, boards.low[:, c], strict=True))
        )
    assert document["tau"]["value"] == pytest.approx(float(boards.tau))
    assert document["special"][0]["agent"] == "owl"


def test_csv_has_the_overall_board_with_ratings_by_category(battles, capsys):
    assert run("categories", battles, "language", "--format", "csv") == 0
    head = capsys.readouterr().out.splitlines()[0].split(",")
    assert head[:2] == ["agent", "rating"]
    assert "rating_Thai" in head


def test_a_page_has_the_map(battles, tmp_path, capsys):
    page = tmp_path / "boards.html"
    assert run("categories", battles, "language", "--page", page) == 0
    capsys.readouterr()
    text = page.read_text(encoding="utf-8")
    assert "Category effects" in text
    assert "owl in Thai: rating" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["categories", "langage"], "language"),
        (["categories", "language", "--method", "elo"], "No such option: --method"),
        (["categories", "language", "--bootstrap", "10"], "No such option: --bootstrap"),
        (["categories", "language", "--ties", "davidson"], "No such option: --ties"),
        (["rank", "--between-sd", "0.2"], "No such option: --between-sd"),
        (["categories", "language", "--where", "language == 'Thai'"], "only one category of language"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(battles, capsys, options, words):
    assert run(options[0], battles, *options[1:]) == 2
    said = capsys.readouterr().err.strip()
    assert words in said
    assert "\n" not in said
