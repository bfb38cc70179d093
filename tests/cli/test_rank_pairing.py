"""Pairs that followed results, and two agents compared, from the command line."""

import json

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main
from tests.statistical.pairings import strengths, swiss


@pytest.fixture
def swiss_file(tmp_path):
    rng = np.random.default_rng(1)
    log = swiss(strengths(rng, 1, 8, 0.7), rng, rounds=12)
    names = [[f"p{k[0]}" for k in column] for column in (log.a, log.b)]
    frame = pl.DataFrame({"a": names[0], "b": names[1], "outcome": [s[0] for s in log.outcome], "round": log.round})
    frame.write_csv(tmp_path / "swiss.csv")
    return str(tmp_path / "swiss.csv")


def document(capsys, *call):
    assert main([*call, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_rounds_make_it_notice_and_the_option_decides(capsys, swiss_file):
    kinds = {
        call: document(capsys, "rank", swiss_file, *call)["interval"]["kind"]
        for call in ((), ("--time", "round"), ("--time", "round", "--pairing", "fixed"), ("--pairing", "adaptive"))
    }
    assert list(kinds.values()) == ["random-effects", "random-effects", "sandwich", "random-effects"]
    noticed = document(capsys, "rank", swiss_file, "--time", "round")
    note = next(note for note in noticed["diagnostics"] if note["code"] == "adaptive-pairing")
    assert "Keep plain intervals with --pairing fixed" in note["message"]
    assert any("more games between" in sentence and "power of 80%" in sentence for sentence in noticed["words"])


def test_voters_that_were_only_found_are_left_out_of_adaptive_pairing_and_those_named_are_refused(
    capsys, swiss_file, tmp_path
):
    voted = str(tmp_path / "voted.csv")
    pl.read_csv(swiss_file).with_columns(voter=pl.int_range(pl.len()) % 6).write_csv(voted)
    body = document(capsys, "rank", voted, "--pairing", "adaptive")
    plain = document(capsys, "rank", swiss_file, "--pairing", "adaptive")
    assert [row["low"] for row in body["agents"]] == pytest.approx([row["low"] for row in plain["agents"]])
    (note,) = [note["message"] for note in body["diagnostics"] if note["code"] == "clusters-found"]
    assert note.startswith("Errors are not clustered by voter")
    assert "--pairing fixed" in note
    assert main(["rank", voted, "--pairing", "adaptive", "--cluster", "voter"]) == 2
    assert "leave --cluster out" in capsys.readouterr().err


def test_two_agents_are_compared(capsys, swiss_file):
    body = document(capsys, "compare", swiss_file, "p1", "p2")
    found = eq.compare(swiss_file, "p1", "p2")
    assert [row["chance"] for row in body["evidence"]] == pytest.approx(found.chance.tolist())
    assert body["e_first"] == pytest.approx(found.e_first)
    assert body["words"] == list(found.answer)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["compare", "p1"], "Missing argument"),
        (["compare", "p1", "q"], 'no agent "q"'),
        (["compare", "p1", "p2", "--method", "elo"], "No such option: --method"),
        (["compare", "p1", "p2", "--bootstrap", "9"], "No such option: --bootstrap"),
        (["rank", "--pairing", "adaptive", "--bootstrap", "9"], "--bootstrap draws games"),
        (["rank", "--pairing", "adaptive", "--method", "elo"], "--pairing does not go with"),
    ],
)
def test_what_makes_no_sense_is_one_line(capsys, swiss_file, options, said):
    assert main([options[0], swiss_file, *options[1:]]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_where_zero_is_and_who_is_provisional_are_said_under_the_table(capsys, tmp_path):
    games = [("a", "b", k % 2) for k in range(30)] + [("b", "c", int(k % 3 > 0)) for k in range(30)]
    frame = pl.DataFrame([*games, *[("new", "a", 1)] * 5], schema=["a", "b", "outcome"], orient="row")
    frame.write_csv(tmp_path / "games.csv")
    assert main(["rank", str(tmp_path / "games.csv")]) == 0
    screen = " ".join(capsys.readouterr().out.split())
    assert "0 is the average opponent" in screen
    assert "Provisional, so last and outside the others' ranks: new." in screen
    (note,) = (note for note in eq.rank(tmp_path / "games.csv").diagnostics if note.code == "provisional")
    assert note.subjects == ("new",)
    assert "fewer than 10 games" in note.message
    assert main(["rank", str(tmp_path / "games.csv"), "--anchor", "a"]) == 0
    assert "average opponent" not in capsys.readouterr().out
