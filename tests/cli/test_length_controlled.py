"""``equipoise length``: every form, and what it refuses."""

import json

import numpy as np
import pytest

from equipoise.cli.main import main


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """A pipe of the usual width: workers of the tests say that theirs has 80 columns."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def log(tmp_path):
    """Three models against one, in which length decides as much as strength."""
    rng = np.random.default_rng(4)
    lines = ["question,model_a,model_b,winner,p_a,len_a,len_b,ease"]
    hard = rng.normal(size=60)
    for k, strength in enumerate((0.8, 0.0, -0.8)):
        for q in range(60):
            own, base = rng.integers(100, 900, 2)
            p = 1 / (1 + np.exp(-(strength + hard[q] + (own - base) / 400)))
            winner = "model_a" if rng.random() < p else "model_b"
            lines.append(f"q{q},m{k},base,{winner},{p:.4f},{own},{base},{hard[q]:.3f}")
    (tmp_path / "log.csv").write_text("\n".join(lines))
    (tmp_path / "hard.csv").write_text("question,difficulty\n" + "".join(f"q{q},{d}\n" for q, d in enumerate(hard)))
    return tmp_path / "log.csv"


def told(capsys, log, *options):
    assert main(["length", str(log), "--cluster", "question", *options, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_table_says_rates_at_equal_length_beside_plain_ones(capsys, log):
    assert main(["length", str(log), "--cluster", "question"]) == 0
    shown = capsys.readouterr().out
    assert "at equal length (%)" in shown
    assert "At equal length m0 wins" in shown


def test_difficulties_come_from_a_column_or_a_file_or_are_estimated(capsys, log):
    column = told(capsys, log, "--difficulty", "ease", "--score", "p_a")
    file = told(capsys, log, "--difficulty", str(log.with_name("hard.csv")), "--score", "p_a")
    assert [row["agent"] for row in column["controlled"]] == ["m0", "m1", "m2"]
    for one, other in zip(column["controlled"], file["controlled"], strict=True):
        assert one["lc_win_rate"] == pytest.approx(other["lc_win_rate"], abs=0.05)
    assert column["baseline"] == "base"
    assert column["tables"]["controlled"]["units"]["lc_win_rate"] == "%"
    estimated = told(capsys, log, "--difficulty", "estimated", "--score", "p_a")
    assert len(estimated["difficulty"]) == 60
    plain = told(capsys, log, "--score", "p_a")
    assert plain["controlled"][0]["psi"] is None


def test_csv_and_a_page_are_written(capsys, log, tmp_path):
    call = ["length", str(log), "--cluster", "question"]
    assert main([*call, "--format", "csv", "--page", str(tmp_path / "page.html")]) == 0
    assert capsys.readouterr().out.startswith("agent,lc_win_rate,stderr,low,high")
    assert "Win rates at equal length" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["rank", "--baseline", "base"], "No such option: --baseline"),
        (["length", "--position"], "No such option: --position"),
        (["compare", "m0", "m1", "--length", "len"], "No such option: --length"),
        (["length", "--baseline", "bas"], '--baseline "bas" is not among the agents'),
        (["length", "--difficulty", "hardness"], 'no column "hardness"'),
        (["length", "--length", "bold"], 'no columns for the covariate "bold"'),
        (["length", "--difficulty", "estimated", "--cluster", "none"], "which question each match was on"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(capsys, log, options, message):
    assert main([options[0], str(log), *options[1:]]) != 0
    error = capsys.readouterr().err.strip()
    assert message in error
    assert len(error.splitlines()) == 1


def test_a_file_of_difficulties_that_is_none_is_refused(capsys, log):
    bad = log.with_name("bad.csv")
    bad.write_text("question\nq0\n")
    assert main(["length", str(log), "--cluster", "question", "--difficulty", str(bad)]) != 0
    assert "needs a column of questions and one of difficulties" in capsys.readouterr().err
