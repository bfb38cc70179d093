"""What a player's program sends is the player's fault, whatever it is; who plays with it loses nothing."""

import json
import sys
import textwrap

import pytest

import equipoise as eq
from equipoise.arena.spec.protocols import Move, TurnView
from equipoise.arena.spec.trial import PlayerFault
from equipoise.games.turns import Turns
from equipoise.players.python import PythonPlayer
from equipoise.players.uci import read_info

BOT = textwrap.dedent("""
    import json, sys
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"ready": true}', flush=True)
        elif message["type"] == "act":
            print(ANSWER.replace("MOVE", json.dumps(message["legal"][0])), flush=True)
        elif message["type"] == "quit":
            break
""")
SPEC = {"name": "cup", "game": "kuhn", "goal": "budget", "budget": 4, "score_range": [-2, 2]}
NONSENSE = {
    "infinite costs": '{"move": MOVE, "costs": {"tokens": 1e999}}',
    "costs that overflow together": '{"move": MOVE, "costs": {"tokens": 1e308}}',
    "a cost beyond every float": '{"move": MOVE, "costs": {"tokens": 1' + "0" * 400 + "}}",
    "a cost that is no number": '{"move": MOVE, "costs": {"tokens": "many"}}',
    "costs that are a list": '{"move": MOVE, "costs": [1]}',
    "a cost without a printable name": '{"move": MOVE, "costs": {"\\u001b[2J": 1}}',
    "a cost with half a surrogate": '{"move": MOVE, "costs": {"\\ud800": 1}}',
    "a cost with a long name": json.dumps({"move": "MOVE", "costs": {"x" * 500: 1}}).replace('"MOVE"', "MOVE"),
    "many costs": json.dumps({"move": "MOVE", "costs": {f"c{k}": 1 for k in range(999)}}).replace('"MOVE"', "MOVE"),
    "huge notes": json.dumps({"move": "MOVE", "notes": {"x": "y" * 500_000}}).replace('"MOVE"', "MOVE"),
    "infinite notes": '{"move": MOVE, "notes": {"cp": -1e999}}',
    "notes that are a text": '{"move": MOVE, "notes": "good"}',
    "a move that is true": '{"move": true}',
    "a move that is a table": '{"move": {"a": 1}}',
    "a move with half a surrogate": '{"move": "\\ud800"}',
    "a move with a zero": '{"move": "a\\u0000"}',
    "an endless number": '{"move": ' + "9" * 5000 + "}",
}


def program(folder, name, answer):
    path = folder / f"{name}.py"
    path.write_text(f"ANSWER = {answer!r}\n{BOT}")
    options = {"move_seconds": 60, "start_seconds": 60, "sandbox": "off"}
    return {"name": name, "bot": f"program:{sys.executable} -S {path}", "options": options}


@pytest.mark.parametrize("answer", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_booked_as_the_players_fault(tmp_path, answer):
    evil = program(tmp_path, "evil", answer)
    played = eq.play({**SPEC, "players": ["caller", evil]}, to=tmp_path / "cup.db", workers=1, engine="threads")
    assert (played.state, played.failures, played.forfeits) == ("spent", 0, 4)
    with eq.Arena.open(tmp_path / "cup.db") as arena:
        bodies = [event.content() for event in arena.events() if event.kind == "result"]
        assert arena.verify().ok
    assert {body["players"][body["forfeit"]["seat"]] for body in bodies} == {"evil"}
    assert all(body["forfeit"]["message"].startswith("evil: ") for body in bodies)


def test_a_long_name_does_not_turn_costs_into_a_fault(tmp_path):
    sound = program(tmp_path, "sound", '{"move": MOVE, "costs": {"tokens": 7}}')
    long = {**sound, "name": "s" * 200}
    played = eq.play({**SPEC, "players": ["caller", long]}, workers=1, engine="threads")
    assert (played.state, played.failures, played.forfeits) == ("spent", 0, 0)


class Greedy:
    """Gives another name to its costs with every move."""

    moves = 0

    def act(self, view):
        self.moves += 1
        return Move(view.legal[0], {f"c{self.moves}-{k}": 1.0 for k in range(20)})


def test_costs_under_ever_new_names_are_counted_over_the_game():
    with Turns("x", [PythonPlayer("greedy", {}, Greedy())]) as turns:
        turns.ask(TurnView(0, (1,), None))
        with pytest.raises(PlayerFault, match="greedy: 40 costs; at most 32 fit") as caught:
            turns.ask(TurnView(0, (1,), None))
    assert len(caught.value.costs) == 20


def test_numbers_of_an_engine_that_nobody_can_read_are_passed_over():
    assert read_info(f"info depth 3 nodes {'9' * 5000}") == {"depth": 3}


def test_a_fault_with_nonsense_beside_it_is_still_a_forfeit():
    spec = {**SPEC, "game": "python:tests.runners.bots:blames_with_nonsense", "players": ["a", "b"]}
    played = eq.play(spec, workers=1, engine="threads")
    assert (played.state, played.failures, played.forfeits) == ("spent", 0, 4)


def test_giving_up_names_the_players_and_the_reason(monkeypatch):
    monkeypatch.setattr("equipoise.runners.driver.LONGEST_PAUSE", 0.01)
    spec = {**SPEC, "game": "python:tests.runners.bots:breaks", "players": ["ann", "bob"], "attempts": 50}
    with pytest.raises(eq.WorkerError, match=r"10 games in a row failed.*game \d+ of (ann, bob|bob, ann): .*the table"):
        eq.play(spec, workers=1, engine="threads")
