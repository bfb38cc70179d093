"""Referees that are programs, and those that are not up to it."""

import sys
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.games.load import load_game
from equipoise.players.load import load_player
from equipoise.players.python import PythonPlayer

EXAMPLES = Path(__file__).parents[2] / "examples" / "arena"
NIM = f"program:{sys.executable} {EXAMPLES / 'nim_referee.py'}"

REFEREE = """
import json, sys, time
def say(message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"ready": True, **HELLO})
    elif message["type"] == "play":
        PLAY
"""


@pytest.fixture
def referee(tmp_path):
    """Open a referee that does something when it is told to play."""
    opened = []

    def make(play, hello="{}", **options):
        path = tmp_path / f"referee{len(opened)}.py"
        path.write_text(REFEREE.replace("HELLO", hello).replace("PLAY", play))
        opened.append(load_game(f"program:{sys.executable} -S {path}", options))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def best_at_nim(view):
    """Leave a multiple of four."""
    return view.observation["stones"] % 4 or 1


def first(view):
    return view.legal[0]


def test_programs_and_functions_play_at_the_table_of_a_program():
    game = load_game(NIM)
    assert (game.seats, game.score_range) == ((2, 2), (0.0, 1.0))
    shell = load_player(PlayerSpec(name="shell", bot=f"program:{EXAMPLES / 'first_move.sh'}"), game)
    expert = PythonPlayer("expert", {}, best_at_nim)
    outcomes = [game.play([expert, shell], seed=seed) for seed in range(6)]
    shell.close()
    game.close()
    for outcome in outcomes:
        start, _, moves = outcome.transcript.partition(": ")
        assert sum(map(int, moves.split())) == int(start)
        assert outcome.scores == ((1.0, 0.0) if int(start) % 4 else outcome.scores)
    assert len({outcome.transcript for outcome in outcomes}) > 1


def test_the_same_seed_is_the_same_game():
    game = load_game(NIM)
    players = [PythonPlayer("a", {}, first), PythonPlayer("b", {}, first)]
    assert game.play(players, seed=3) == game.play(players, seed=3)
    game.close()


def test_an_illegal_move_is_the_players_fault_and_the_next_game_is_played():
    game = load_game(NIM)
    good, bad = PythonPlayer("good", {}, first), PythonPlayer("bad", {}, lambda _: 7)
    with pytest.raises(PlayerFault, match="illegal move 7; legal were 1, 2, 3") as fault:
        game.play([good, bad])
    assert fault.value.seat == 1
    assert sum(game.play([good, good]).scores) == 1.0
    game.close()


def test_a_referee_may_blame_a_player(referee):
    game = referee('say({"type": "fault", "seat": 1, "message": "offered a bribe"})')
    with pytest.raises(PlayerFault, match="offered a bribe") as fault:
        game.play([PythonPlayer("a", {}, first), PythonPlayer("b", {}, first)])
    assert fault.value.seat == 1


@pytest.mark.parametrize(
    ("play", "said"),
    [
        ("sys.exit(2)", "it ended with exit code 2"),
        ("print('hello')", "its answer is no JSON|no answer within"),
        ('say({"type": "outcome", "scores": [1]})', "one number for each of 2 seats, not 1"),
        ('say({"type": "outcome"})', "one number for each of 2 seats"),
        ('say({"type": "ask", "seat": 2})', "a seat is a number from 0 to 1, not 2"),
        ('say({"type": "ask", "seat": 0, "legal": 3})', "legal moves are a list"),
        ('say({"type": "ask", "seat": 0, "legal": [1], "names": []})\n        say({"type": "what"})', "ask, fault or"),
        ("time.sleep(60)", "no answer within 1 s"),
    ],
)
def test_what_the_referee_does_wrong_is_not_the_players_fault(referee, play, said):
    game = referee(play, seconds=1.0)
    with pytest.raises(WorkerFault, match=said):
        game.play([PythonPlayer("a", {}, first), PythonPlayer("b", {}, first)])


@pytest.mark.parametrize(
    ("hello", "said"),
    [
        ('{"seats": 2}', "seats in its answer to hello is two numbers"),
        ('{"score_range": [1, 0]}', "score_range in its answer to hello is two numbers, the lower first"),
        ('{"ready": False}', 'lacks "ready": true'),
    ],
)
def test_a_referee_that_does_not_introduce_itself_is_refused(referee, hello, said):
    with pytest.raises(eq.DataError, match=said):
        referee("pass", hello)


def test_a_player_without_a_bot_is_refused_before_play():
    game = load_game(NIM)
    with pytest.raises(eq.ParameterError, match='player "a" cannot be asked for moves'):
        load_player(PlayerSpec(name="a"), game)
    game.close()


def test_any_answer_is_legal_where_the_referee_judges(referee):
    game = referee(
        'say({"type": "ask", "seat": 0, "observation": "2 + 2"})\n'
        '        answer = json.loads(sys.stdin.readline())["move"]\n'
        '        say({"type": "outcome", "scores": [float(answer == "4")], "costs": {"tokens": 2}})'
    )
    outcome = game.play([PythonPlayer("a", {}, lambda view: str(eval(view.observation)))])
    assert (outcome.scores, dict(outcome.costs)) == ((1.0,), {"tokens": 2.0})
