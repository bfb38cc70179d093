"""A confined player that tries to decide the tournament through the owner's socket."""

import json
import os
import socket
import sys
import textwrap

import pytest

import equipoise as eq
from equipoise.arena.access.service import ArenaClient
from equipoise.arena.processes.sandbox import sandbox_here
from equipoise.arena.store.ownership import owner_of

SPEC = {"name": "cup", "game": "leduc", "goal": "best", "budget": 40, "open": True, "score_range": [-13, 13]}

EVIL = textwrap.dedent("""
    import glob, json, socket, sys
    def attack():
        for path in glob.glob("/tmp/**/*", recursive=True) + glob.glob("/run/**/*", recursive=True):
            try:
                line = socket.socket(socket.AF_UNIX)
                line.connect(path)
            except OSError:
                continue
            return 1
        return 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({"ready": True}), flush=True)
        elif message["type"] == "act":
            print(json.dumps({"move": message["legal"][0], "costs": {"looked": 1, "reached": attack()}}), flush=True)
        elif message["type"] == "quit":
            break
""")


@pytest.mark.skipif(sandbox_here() != "bubblewrap", reason="bubblewrap is not installed, or not allowed here")
def test_a_confined_player_does_not_find_the_owners_socket(tmp_path):
    (tmp_path / "evil.py").write_text(EVIL)
    evil = {"name": "evil", "bot": f"program:{sys.executable} {tmp_path / 'evil.py'}", "options": {"move_seconds": 60}}
    eq.Arena.create(tmp_path / "cup.db", {**SPEC, "players": ["rock", evil]}).close()
    played = eq.play(tmp_path / "cup.db", workers=1, engine="threads")
    assert played.trials > 0
    with eq.Arena.open(tmp_path / "cup.db") as arena:
        assert arena.verify().ok
        costs = [event.content().get("costs", {}) for event in arena.events()]
    assert sum(cost.get("looked of evil", 0) for cost in costs) > 0
    assert sum(cost.get("reached of evil", 0) for cost in costs) == 0


def test_the_socket_asks_for_a_secret_in_a_private_folder(tmp_path):
    with eq.Arena.create(tmp_path / "cup.db", {**SPEC, "players": ["rock", "caller"]}) as arena:
        arena.serve()
        address = owner_of(tmp_path / "cup.db")["address"]
        folder = os.path.dirname(address)
        assert os.stat(folder).st_mode & 0o077 == 0
        assert all(os.stat(os.path.join(folder, name)).st_mode & 0o077 == 0 for name in os.listdir(folder))
        for secret in ({}, {"secret": None}, {"secret": "0" * 64}):
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(address)
                line.sendall(json.dumps({**secret, "call": "stop"}).encode() + b"\n")
                assert "secret is missing or wrong" in line.makefile().readline()
        assert arena.state == "running"
        with ArenaClient(tmp_path / "cup.db") as client:
            assert client.state == "running"
    assert not os.path.exists(address)


REMEMBERS = textwrap.dedent("""
    import json, random, sys
    process = random.SystemRandom().randrange(2**32)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({"ready": True}), flush=True)
        elif message["type"] == "act":
            print(json.dumps({"move": message["legal"][0], "costs": {"process": process, "moves": 1}}), flush=True)
        elif message["type"] == "quit":
            break
""")


@pytest.mark.parametrize("game", ["leduc", "openspiel:backgammon", "openspiel:tic_tac_toe"])
def test_a_player_that_remembers_does_not_know_the_cards_of_the_mirrored_game(tmp_path, game):
    (tmp_path / "remembers.py").write_text(REMEMBERS)
    program = {"name": "evil", "bot": f"program:{sys.executable} {tmp_path / 'remembers.py'}"}
    bots = ["rock", program] if game == "leduc" else [{"name": "random", "bot": "openspiel:uniform_random"}, program]
    spec = {"name": "cup", "game": game, "goal": "budget", "budget": 6, "players": bots, "score_range": [-13, 13]}
    if game != "leduc":
        pytest.importorskip("pyspiel")
        del spec["score_range"]
    eq.play(spec, to=tmp_path / "cup.db", workers=1, engine="threads")
    with eq.Arena.open(tmp_path / "cup.db") as arena:
        results = [event.content() for event in arena.events() if event.kind == "result"]
    played = {(one["block"], round(one["costs"]["process of evil"] / one["costs"]["moves of evil"])) for one in results}
    knows = game == "openspiel:tic_tac_toe"  # nothing is hidden there, and one process is enough
    assert len(played) == (3 if knows else 6)
    assert len({process for _, process in played}) == (1 if knows else 2)


@pytest.mark.parametrize(
    ("bot", "options"),
    [
        ("program:cat", {"sandbox": "off"}),
        ("program:cat", {"network": True}),
        ("program:cat", {"environment": ["HOME"]}),
        ("program:cat", {"files": ["/etc"]}),
        ("uci:stockfish", {"sandbox": "off", "nodes": 1}),
        ("program:cat", {"memory": None}),
        ("program:cat /etc/passwd", {}),
        ("program:cat {folder}/.keys", {}),
        ("program:{folder}/bot.sh /usr/bin/env {folder}/../elsewhere", {}),
        ("python:os:system", {}),
    ],
)
def test_who_joins_through_the_socket_loosens_no_sandbox(tmp_path, bot, options):
    (tmp_path / "elsewhere").write_text("x")
    folder = tmp_path / "bots"
    folder.mkdir()
    for name in (".keys", "bot.sh"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    bot = bot.replace("{folder}", str(folder))
    known = {"name": "own code", "bot": "python:bots:mine"}
    with eq.Arena.create(tmp_path / "cup.db", {**SPEC, "players": ["rock", "caller", known]}) as arena:
        arena.serve()
        with (
            ArenaClient(tmp_path / "cup.db") as client,
            pytest.raises(eq.ParameterError, match="is not taken from another process"),
        ):
            client.add_player({"name": "new", "bot": bot, "options": options})
        assert [player.name for player in arena.spec.players] == ["rock", "caller", "own code"]
