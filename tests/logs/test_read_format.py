"""``read(format=)`` reads the logs of one format."""

import json
from importlib import import_module

import pytest

import equipoise as eq
from equipoise.logs.registry import FORMATS

GAME = '[Event "e"]\n[White "{}"]\n[Black "{}"]\n[Result "{}"]\n\n1. e4 {}\n\n'
BATTLES = [
    {"model_a": "x", "model_b": "y", "winner": "model_a", "anony": True, "tstamp": 1.0},
    {"model_a": "x", "model_b": "y", "winner": "model_b", "anony": False, "tstamp": 2.0},
]


@pytest.fixture
def folder(tmp_path):
    games = [("ada", "bob", "1-0"), ("bob", "ada", "1/2-1/2")]
    (tmp_path / "games.pgn").write_text("".join(GAME.format(*game, game[2]) for game in games))
    (tmp_path / "battles.json").write_text(json.dumps(BATTLES))
    return tmp_path


def test_games_come_one_by_one_and_other_logs_are_passed_over(folder):
    matches = eq.read(folder, format="pgn")
    assert isinstance(matches, eq.Matches)
    assert matches.agents == ("ada", "bob")
    assert matches.outcome.tolist() == [1.0, 0.5]


def test_options_of_the_reader_and_chosen_rows_are_heeded(folder):
    assert len(eq.read(folder, format="arena")) == 1
    assert len(eq.read(folder, format="arena", read=eq.ReadOptions(keep="all"))) == 2
    assert eq.read(folder, format="pgn", read=eq.ReadOptions(where="outcome == 1")).games.sum() == 1


def test_an_unknown_format_is_refused_with_the_nearest_name(folder):
    with pytest.raises(eq.ParameterError, match=r'format has no "png" \(did you mean "pgn"\?\)'):
        eq.read(folder, format="png")


def test_files_of_another_format_are_refused(folder):
    with pytest.raises(eq.DataError, match=r"battles\.json: no chess games \(PGN\) were found there"):
        eq.read(folder / "battles.json", format="pgn")


@pytest.mark.parametrize("name", FORMATS)
def test_every_declared_reader_is_there(name):
    module, _, function = FORMATS[name].reader.partition(":")
    assert callable(getattr(import_module(f"equipoise.logs.{module}"), function or "read"))


def test_a_former_reader_reads_the_same(folder):
    with pytest.warns(DeprecationWarning, match=r'equipoise\.read_pgn is now equipoise\.read\(\.\.\., format="pgn"\)'):
        read_pgn = eq.read_pgn
    assert read_pgn(folder).outcome.tolist() == eq.read(folder, format="pgn").outcome.tolist()
    with pytest.warns(DeprecationWarning, match="is now"):
        assert len(eq.read_arena(source=folder, keep="all", on_error="skip")) == 2


def test_options_of_logs_are_checked(folder):
    with pytest.raises(eq.ParameterError, match="last is a whole number of at least 1"):
        eq.read(folder, format="runs", read=eq.ReadOptions(last=0))
    with pytest.raises(eq.ParameterError, match="last"):
        eq.read(folder, format="pgn", read=eq.ReadOptions(last=5))
    with pytest.raises(eq.ParameterError, match='keep is all or first, not "fair"'):
        eq.read(folder, format="pgn", read=eq.ReadOptions(keep="fair"))
