"""Programs that write what terminals obey: it is shown in writing, wherever it is shown."""

import sys
import textwrap

import pytest

import equipoise as eq
from equipoise.arena.spec.names import escaped
from equipoise.cli.main import main

ESCAPE = "\\x1b]0;owned\\x07\\x1b[2J\\x9b1m\\u202e"
BOTS = {
    "dies": f"sys.stderr.write('{ESCAPE} bye\\n'); sys.exit(3)",
    "moves": f"print(json.dumps({{'move': '{ESCAPE}'}}), flush=True)",
    "babbles": f"print('{ESCAPE}', flush=True)",
    "costs": f"print(json.dumps({{'move': 1, 'costs': {{'{ESCAPE}': 1}}}}), flush=True)",
    "answers": f"print(json.dumps({{'{ESCAPE}': 1}}), flush=True)",
}
BOT = textwrap.dedent("""
    import json, sys
    for line in sys.stdin:
        if '"hello"' in line:
            print('{"ready": true}', flush=True)
        if '"act"' in line:
            ACT
""")


@pytest.fixture(params=BOTS)
def evil(request, tmp_path):
    path = tmp_path / "evil.py"
    path.write_text(BOT.replace("ACT", BOTS[request.param]))
    return f"{sys.executable} -S {path}"


def is_harmless(text):
    return all(one.isprintable() or one == "\n" for one in text)


@pytest.mark.parametrize("forfeit", ["loss", "void"])
def test_no_command_shows_what_a_terminal_obeys(evil, tmp_path, capsys, forfeit):
    options = {"move_seconds": 60, "start_seconds": 60, "sandbox": "off"}
    players = ["caller", {"name": "evil", "bot": f"program:{evil}", "options": options}]
    spec = {"name": "x", "game": "kuhn", "goal": "budget", "budget": 2, "score_range": [-2, 2], "players": players}
    place = tmp_path / "x.db"
    played = eq.play({**spec, "forfeit": forfeit}, to=place, workers=1, engine="threads")
    assert played.failures == 0
    with eq.Arena.open(place) as arena:
        bodies = [event.content() for event in arena.events()]
        said = [body["forfeit"]["message"] for body in bodies if "forfeit" in body]
        said += [body["reason"] for body in bodies if "reason" in body and "block" in body]
        assert said
        assert all(map(is_harmless, said))
    for command in (["status", "--once"], ["verify"], ["status", "--format", "json"]):
        assert main(["arena", *command, "-d", str(place)]) == 0
        captured = capsys.readouterr()
        assert is_harmless(captured.out + captured.err)
    if forfeit == "loss":
        assert main(["arena", "export", "-d", str(place), "-o", str(tmp_path / "x.csv")]) == 0
        assert is_harmless((tmp_path / "x.csv").read_text())


def test_check_player_shows_it_in_writing(evil, capsys):
    capsys.readouterr()
    assert main(["arena", "check-player", "--games", "1", evil]) == 1
    shown = capsys.readouterr()
    assert "BROKEN" in shown.out
    assert is_harmless(shown.out + shown.err)
    assert all(is_harmless(line) for line in eq.check_player(evil, games=1).words)


def test_errors_show_it_in_writing(tmp_path, capsys):
    path = tmp_path / "evil.py"
    path.write_text(f"import sys\nsys.stderr.write('{ESCAPE} bye\\n')\nsys.exit(1)\n")
    players = ["caller", {"name": "evil", "bot": f"program:{sys.executable} {path}"}]
    spec = {"name": "x", "game": "kuhn", "goal": "budget", "budget": 2, "score_range": [-2, 2], "players": players}
    eq.Arena.create(tmp_path / "x.db", spec).close()
    assert main(["arena", "run", "-d", str(tmp_path / "x.db"), "--threads", "--workers", "1"]) == 2
    said = capsys.readouterr().err
    assert "bye" in said
    assert is_harmless(said)


def test_a_transcript_keeps_its_lines():
    assert escaped("1. e4\n\x1b[2J e5\r\t", lines=True) == "1. e4\n\\x1b[2J e5\\r\t"
