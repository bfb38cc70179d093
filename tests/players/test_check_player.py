"""Programs of the current folder start, and a program is held against the game that it will play."""

import shutil
import sys
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.cli.main import main

ENGINE = Path(__file__).parent / "fake_engine.py"
FIRST_MOVE = Path(__file__).parents[2] / "examples" / "arena" / "first_move.sh"
CHOOSY = """#!/bin/sh
while read -r line; do
  case $line in
    *'"hello"'*) echo '{"ready": true}' ;;
    *'"act"'*'"legal":["'*) move=${line#*'"legal":["'}; echo "{\\"move\\": \\"${move%%'"'*}\\"}" ;;
    *'"act"'*) exit 3 ;;
    *'"quit"'*) exit 0 ;;
  esac
done
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    shutil.copy(FIRST_MOVE, tmp_path / "bot")
    (tmp_path / "choosy").write_text(CHOOSY)
    (tmp_path / "choosy").chmod(0o755)
    (tmp_path / "engine").write_text(f"#!/bin/sh\nexec {sys.executable} {ENGINE} $1\n")
    (tmp_path / "engine").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("sandbox", ["auto", "off"])
def test_a_program_of_the_current_folder_plays(here, sandbox):
    players = ["caller", {"name": "mine", "bot": "program:./bot", "options": {"sandbox": sandbox, "move_seconds": 60}}]
    spec = {"name": "cup", "game": "kuhn", "goal": "budget", "budget": 4, "score_range": [-2, 2], "players": players}
    played = eq.play(spec, workers=1, engine="threads")
    assert (played.state, played.failures, played.forfeits) == ("spent", 0, 0)


@pytest.mark.parametrize("command", [["./bot"], ["program:./bot"], ["--game", "kuhn", "./bot"]])
def test_a_program_of_the_current_folder_is_checked(here, capsys, command):
    assert main(["arena", "check-player", "--games", "1", *command]) == 0, capsys.readouterr()
    assert "BROKEN" not in capsys.readouterr().out


def test_a_program_that_knows_one_game_is_checked_with_that_game(here, capsys):
    assert main(["arena", "check-player", "--games", "1", "./choosy"]) == 1
    assert "BROKEN" in capsys.readouterr().out
    assert main(["arena", "check-player", "--games", "1", "--game", "kuhn", "./choosy"]) == 0, capsys.readouterr()


@pytest.mark.parametrize(("fault", "rule"), [("none", ""), ("mute", "says uciok"), ("illegal", "plays legal moves")])
def test_an_engine_is_spoken_to_in_uci(here, fault, rule):
    pytest.importorskip("chess")
    from equipoise.games.load import load_game

    options = {"sandbox": "off", "start_seconds": 3.0 if fault == "mute" else 60.0, "patience": 60.0}
    table = load_game("chess", {"longest": 8})
    found = eq.check_player(f"uci:./engine {fault}", game=table, games=1, options=options)
    broken = [one.rule for one in found.rules if not one.kept]
    assert found.passed is (fault == "none"), found.words
    assert rule in "".join(broken)


def test_the_command_line_speaks_uci_with_chess(here, capsys):
    pytest.importorskip("chess")
    assert main(["arena", "check-player", "--game", "chess", "false"]) == 1
    assert "says uciok" in capsys.readouterr().out


def test_an_engine_plays_chess_only(here):
    with pytest.raises(eq.ParameterError, match="an engine plays chess, not take-away"):
        eq.check_player("uci:./engine")
