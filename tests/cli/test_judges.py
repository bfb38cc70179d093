"""``equipoise judges`` from a file to a table, JSON, CSV and a page."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main


@pytest.fixture
def log(tmp_path):
    rng = np.random.default_rng(1)
    rows = []
    for item in range(80):
        a, b = rng.choice(list("xyz"), 2, replace=False)
        for first, second in ((a, b), (b, a)):
            for judge, lean in (("ann", 0.0), ("bob", 0.0), ("cyd", 3.0)):
                won = rng.random() < 1 / (1 + np.exp(-lean - 0.4 * (ord(second) - ord(first))))
                rows.append(f"{first},{second},{'A>>B' if won else 'B>A'},{judge},q{item}")
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner,Judge,question_id\n" + "\n".join(rows) + "\n")
    return path


def test_all_forms(log, tmp_path, capsys):
    assert main(["judges", str(log)]) == 0
    told = capsys.readouterr().out
    assert "1 of 3 judges favours a side (Holm-adjusted): cyd (+" in told
    assert main(["judges", str(log), "--show", "all"]) == 0
    assert "judged in both orders" in capsys.readouterr().out
    assert "Krippendorff's alpha" in told
    page = tmp_path / "judges.html"
    assert main(["judges", str(log), "--cluster", "question_id", "--format", "json", "--page", str(page)]) == 0
    body = json.loads(capsys.readouterr().out)
    assert [row["judge"] for row in body["judges"] if row["flagged"]] == ["cyd"]
    assert body["orders"]["pairs"] == 240
    assert 0 < body["orders"]["consistent"]["low"] < body["orders"]["consistent"]["high"] < 1
    assert body["agreement"]["items"] == 80
    assert {row["rater"] for row in body["raters"]} == {"ann", "bob", "cyd"}
    assert "sortable board" in page.read_text(encoding="utf-8")
    assert main(["judges", str(log), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("judge,votes,first_share,advantage")


def test_the_twin_gives_the_same(log, capsys):
    found = eq.judges(log)
    assert main(["judges", str(log), "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["side"]["value"] == float(found.side) / eq.methods.ELO_POINT
    assert body["units"]["side"] == "Elo points"
    assert body["agreement"]["alpha"] == found.agreement.alpha


def test_graded_votes_and_houses(log, tmp_path, capsys):
    houses = tmp_path / "houses.csv"
    houses.write_text("name,organisation\nx,A\ny,B\nz,C\nann,A\nbob,B\ncyd,D\n")
    given = ["--score-means", "graded", "--organisation", str(houses), "--distance", "interval"]
    assert main(["judges", str(log), *given, "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert {row["judge"] for row in body["own"]} == {"ann", "bob"}
    assert body["self_preference"]["low"] < body["self_preference"]["high"]
    assert sorted(set(eq.read_matches(log, read=eq.ReadOptions(score_means="graded")).outcome)) == [0.25, 1.0]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--judge", "who"], 'no column "who"'),
        (["--organisation", "votes.csv"], "5 columns, not two"),
        (["--level", "2"], "--level"),
    ],
)
def test_mistakes_are_one_line(log, options, problem, capsys, monkeypatch):
    monkeypatch.chdir(log.parent)
    assert main(["judges", str(log), *options]) == 2
    err = capsys.readouterr().err
    assert problem in err
    assert err.count("\n") == 1


def test_without_judges_nothing_is_said_about_them(tmp_path, capsys):
    path = tmp_path / "games.csv"
    path.write_text("a,b,outcome\n" + "x,y,1\ny,z,1\nz,x,0.5\ny,x,1\n" * 9)
    assert main(["judges", str(path), "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert [row["judge"] for row in body["judges"]] == ["all votes"]
    assert body["agreement"] is None
    assert body["orders"] is None


def test_weights_of_judges_stand_beside_the_ratings_they_make(tmp_path, capsys):
    rng = np.random.default_rng(1)
    lines = ["a,b,outcome,judge"]
    for judge in range(12):
        for _ in range(60):
            i, j = rng.choice(3, 2, replace=False)
            chance = 1 / (1 + np.exp(1.5 * (i - j))) if judge > 3 else 0.8
            lines.append(f"{'xyz'[i]},{'xyz'[j]},{int(rng.random() < chance)},judge {judge}")
    path = tmp_path / "lazy.csv"
    path.write_text("\n".join(lines) + "\n")
    assert main(["judges", str(path), "--weighted", "--show", "weights,weighted"]) == 0
    shown = capsys.readouterr().out
    assert "With raters weighted by how often they look, x is first" in " ".join(shown.split())
    assert "looks at" in shown
    assert main(["judges", str(path), "--weighted", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["rater"] for row in found["weights"]} == {f"judge {k}" for k in range(12)}
    assert [row["agent"] for row in found["weighted"]] == ["x", "y", "z"]
    assert set(found["weighting"]["named"]) <= {f"judge {k}" for k in range(4)}
