"""What steps of cleaning change: refits from scratch, and a bootstrap of the changes."""

import json

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main

AGENTS = [f"m{k}" for k in range(5)]


def votes(seed=0, count=1500):
    rng = np.random.default_rng(seed)
    strength = np.linspace(-0.8, 0.8, len(AGENTS))
    a = rng.integers(len(AGENTS), size=count)
    b = (a + rng.integers(1, len(AGENTS), size=count)) % len(AGENTS)
    won = np.where(rng.random(count) < 1 / (1 + np.exp(strength[b] - strength[a])), "model_a", "model_b")
    columns = {"model_a": [AGENTS[i] for i in a], "model_b": [AGENTS[i] for i in b]}
    columns |= {"winner": np.where(rng.random(count) < 0.2, "tie (bothbad)", won), "anony": rng.random(count) < 0.7}
    return pl.DataFrame(columns | {"judge": [f"u{k}" for k in rng.integers(0, 80, count)]})


def board(frame, **options):
    fit = eq.bradley_terry(eq.read_matches(frame, read=eq.ReadOptions(**options)))
    rating = np.array([fit.rating[fit.agents.index(name)] for name in AGENTS])
    return (rating - rating.mean()) / eq.methods.ELO_POINT


def test_every_board_is_the_fit_of_the_rows_that_its_steps_keep():
    frame, steps = votes(), ["anonymous", "no-both-bad", "most-per-voter:9"]
    found = eq.cleaning(frame, clean=steps)
    whole = board(frame, clean=steps)
    order = [found.agents.index(name) for name in AGENTS]
    assert found.rating[order] == pytest.approx(whole, abs=1e-6)
    assert found.boards == ("no cleaning", *(f"without {step}" for step in steps))
    for k, left in enumerate([None, *([s for s in steps if s != step] for step in steps)]):
        assert found.changes[k][order] == pytest.approx(whole - board(frame, clean=left), abs=1e-6)
        assert found.rows[k] == len(eq.read_matches(frame, read=eq.ReadOptions(clean=left)))
    assert found.used == len(eq.read_matches(frame, read=eq.ReadOptions(clean=steps)))
    assert sum(found.steps.values()) == len(frame) - found.used


@pytest.mark.parametrize("group", [None, "judge"])
def test_errors_of_changes_are_those_of_a_bootstrap(group):
    """Votes behind both boards cancel; the error is far below that of either."""
    frame, rng = votes(1), np.random.default_rng(2)
    found = eq.cleaning(frame, clean="anonymous", read=eq.ReadOptions(group=group))
    parts = frame.partition_by("judge")
    changes = []
    for _ in range(120):
        drawn = pl.concat([parts[k] for k in rng.integers(0, len(parts), len(parts))])
        again = drawn if group else frame[rng.integers(0, len(frame), len(frame))]
        changes.append(board(again.filter("anony")) - board(again))
    spread = np.std(changes, axis=0)
    one = eq.bradley_terry(eq.read_matches(frame, group=group)).stderr / eq.methods.ELO_POINT
    reach = (found.high - found.changes)[0]
    quantile = 2.57 if group is None else 2.63
    order = [found.agents.index(name) for name in AGENTS]
    assert reach[order] / quantile == pytest.approx(spread, rel=0.3)
    assert reach.mean() / quantile < 0.85 * one.mean()


def test_a_step_without_rows_changes_nothing():
    frame = votes().with_columns(anony=True)
    found = eq.cleaning(frame, clean="anonymous,no-both-bad")
    row = found.frame().row(1, named=True)
    assert (row["board"], row["costs"], row["beyond_noise"], row["reranked"]) == ("without anonymous", 0, 0, 0)
    assert row["change"] == row["low"] == row["high"] == 0.0


def test_votes_that_differ_are_beyond_noise_and_a_leader_may_change():
    frame = votes(3, 3000)
    loud = pl.DataFrame({"model_a": ["m0"] * 900, "model_b": AGENTS[1:] * 225, "winner": ["model_a"] * 900,
                         "anony": [False] * 900, "judge": ["fan"] * 900})  # fmt: skip
    # One voter is one cluster, whose leaving is noise by itself: here every vote counts.
    found = eq.cleaning(pl.concat([frame, loud]), clean="most-per-voter:60", read=eq.ReadOptions(group="none"))
    row = found.frame().row(0, named=True)
    assert row["agent"] == "m0"
    assert row["high"] < 0
    assert row["leader"] == "m0"
    assert row["leader_changes"]
    assert "but not without: m0" in found.answer[0]
    assert "beyond noise" in found.answer[1]


def test_a_board_that_cannot_be_is_said_and_left_empty():
    frame = votes().with_columns(anony=True)
    alone = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"], "anony": [False], "judge": ["u1"]})
    found = eq.cleaning(pl.concat([frame, alone]), clean="anonymous")
    assert any(note.code == "no-board" for note in found.diagnostics)
    assert found.frame()["agent"].to_list() == [None, None]
    assert json.dumps(found.to_dict(), allow_nan=False)
    kept = eq.cleaning(pl.concat([frame, alone]), clean="anonymous", read=eq.ReadOptions(min_games=5))
    assert kept.frame()["agent"].null_count() == 0


def test_what_makes_no_sense_is_refused():
    with pytest.raises(eq.EquipoiseError, match="clean is needed"):
        eq.cleaning(votes())
    with pytest.raises(eq.EquipoiseError, match="no row"):
        eq.cleaning(votes().with_columns(anony=False), clean="anonymous")
    one_hot = {"model_a": ["x"], "model_b": ["y"], "winner_model_a": [1], "winner_model_b": [0], "winner_tie": [0]}
    with pytest.raises(eq.EquipoiseError, match="outcome in each row"):
        eq.cleaning(pl.DataFrame(one_hot | {"anony": [1]}), clean="anonymous")


def test_from_the_shell(tmp_path, capsys):
    path = tmp_path / "votes.csv"
    votes().write_csv(path)
    asked = ["clean", str(path), "--steps", "anonymous,no-both-bad"]
    assert main([*asked, "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert [row["board"] for row in body["boards"]] == ["no cleaning", "without anonymous", "without no-both-bad"]
    assert main([*asked, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("board,rows,costs,agent,change")
    assert main([*asked, "--page", str(tmp_path / "page.html")]) == 0
    assert main([*asked, "--anchor", "m0"]) != 0
    capsys.readouterr()
    assert main(["clean", str(path)]) != 0
    assert "Missing option '--steps'" in capsys.readouterr().err


@pytest.mark.parametrize("steps", [["--clean", "anonymous"], ["--clean=anonymous"]])
def test_the_former_command_is_the_present_one(tmp_path, capsys, steps):
    path = tmp_path / "votes.csv"
    votes(count=300).write_csv(path)
    assert main(["clean", str(path), "--steps", "anonymous", "--format", "csv"]) == 0
    present = capsys.readouterr().out
    assert main(["rank", str(path), *steps, "--sensitivity", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out == present
    assert "rank --sensitivity is now: equipoise clean FILE --steps STEPS" in err
