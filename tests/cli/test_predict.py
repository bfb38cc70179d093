"""``equipoise predict``: a whole benchmark's score from a part."""

import csv
import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main


def written(path, values, agents, items):
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["agent", *items])
        for name, row in zip(agents, values, strict=True):
            out.writerow([name, *("" if np.isnan(x) else int(x) for x in row)])
    return path


@pytest.fixture(scope="module")
def answers():
    """Thirty agents on 120 items; the first three answered forty of them only."""
    rng = np.random.default_rng(4)
    chance = 1 / (1 + np.exp(rng.normal(size=120) - rng.normal(size=(30, 1))))
    whole = (rng.random(chance.shape) < chance).astype(float)
    part = whole.copy()
    for row in part[:3]:
        row[rng.permutation(120) >= 40] = np.nan
    return whole, part


AGENTS = [f"agent {k}" for k in range(30)]
ITEMS = [f"item {k}" for k in range(120)]


def test_agents_with_gaps_are_predicted_from_those_without(tmp_path, capsys, answers):
    whole, part = answers
    path = written(tmp_path / "part.csv", part, AGENTS, ITEMS)
    assert main(["predict", str(path), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {row["agent"] for row in printed["agents"]} == set(AGENTS[:3])
    assert printed["n_items"] == 120
    assert printed["calibrated_on"] == "the 27 agents that answered everything"
    assert "would solve" in printed["words"][0]
    for row in printed["agents"]:
        truth = whole[AGENTS.index(row["agent"])].mean()
        assert row["low"] <= truth <= row["high"]


def test_the_same_comes_from_a_reference_and_from_a_saved_calibration(tmp_path, answers):
    whole, part = answers
    new = eq.Scores.from_matrix(part[:3], AGENTS[:3], ITEMS)
    earlier = eq.Scores.from_matrix(whole[3:], AGENTS[3:], ITEMS)
    together = eq.predict(eq.Scores.from_matrix(part, AGENTS, ITEMS))
    apart = eq.predict(new, reference=earlier)
    eq.irt(earlier).calibration().save(tmp_path / "bank.json")
    saved = eq.predict(new, calibration=tmp_path / "bank.json")
    assert apart.score == pytest.approx(together.score)
    assert saved.score == pytest.approx(together.score, abs=1e-6)
    assert saved.calibrated_on == "others, saved in bank.json"


def test_a_part_of_the_easiest_items_is_noticed(answers):
    whole, _ = answers
    part = whole.copy()
    hard = np.argsort(-whole[3:].mean(axis=0))[40:]
    part[:3, hard] = np.nan
    notes = eq.predict(eq.Scores.from_matrix(part, AGENTS, ITEMS)).diagnostics
    assert [note.code for note in notes].count("not-a-random-part") == 1
    (note,) = [note for note in notes if note.code == "not-a-random-part"]
    assert note.subjects == tuple(AGENTS[:3])
    assert "easier" in str(note.message)


def test_a_table_without_gaps_leaves_nothing_to_predict(tmp_path, capsys, answers):
    path = written(tmp_path / "whole.csv", answers[0], AGENTS, ITEMS)
    assert main(["predict", str(path)]) == 2
    assert "nothing is left to predict; name the table" in capsys.readouterr().err


def test_nobody_who_answered_everything_is_an_error_with_advice(tmp_path, capsys, answers):
    path = written(tmp_path / "part.csv", answers[1][:3], AGENTS[:3], ITEMS)
    assert main(["predict", str(path)]) == 2
    said = capsys.readouterr().err
    assert "no agent answered all items" in said
    assert "--reference" in said


def test_items_are_calibrated_once():
    with pytest.raises(eq.ParameterError, match="do not go together"):
        eq.predict("digits", calibration="bank.json", reference="digits")
