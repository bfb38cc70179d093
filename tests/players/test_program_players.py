"""Programs that behave, and programs that do everything else."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.arena.processes import sandbox
from equipoise.arena.processes.sandbox import Confinement, find_program, sandbox_here
from equipoise.arena.spec.protocols import GameTable, TurnPlayer, TurnView
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.games.load import load_game
from equipoise.players.check import TakeAway, check_player
from equipoise.players.load import load_player
from equipoise.players.program import ProgramOptions, ProgramPlayer
from equipoise.players.uci import UciOptions

EXAMPLES = Path(__file__).parents[2] / "examples" / "arena"
VIEW = TurnView(1, (3, 5), "the board", ("c", "e"))
TABLE = GameTable("some game", 1, ("other", "bot"), 11)

BOT = """
import json, os, signal, sys, time, subprocess
def say(message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        settings = message["settings"]
        say({"ready": True})
    elif kind == "act":
        ACT
    elif kind == "quit":
        break
"""


@pytest.fixture
def player(tmp_path, request):
    """Open a program that does something when it is asked for a move."""
    opened = []

    def make(act, sandbox="off", **options):
        path = tmp_path / f"bot{len(opened)}.py"
        path.write_text(BOT.replace("        ACT", textwrap.indent(textwrap.dedent(act), " " * 8)))
        limits = {"move_seconds": 20.0, "sandbox": sandbox, **options}
        spec = PlayerSpec(name="bot", bot=f"program:{sys.executable} -S {path}", options=limits)
        opened.append(load_player(spec))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def test_a_program_is_asked_and_answers(player):
    bot = player('say({"move": message["legal"][1], "costs": {"tokens": 3}, "notes": {"why": message["observation"]}})')
    assert isinstance(bot, TurnPlayer)
    bot.begin(TABLE)
    move = bot.act(VIEW)
    assert (move.action, move.costs, move.notes) == (5, {"tokens": 3}, {"why": "the board"})


def test_a_program_hears_its_settings_and_of_the_table(player):
    bot = player('say({"move": json.dumps(settings)})', settings={"depth": 4})
    bot.begin(TABLE)
    assert bot.act(VIEW).action == '{"depth": 4}'


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("sys.stderr.write('no idea\\n'); sys.exit(3)", "it ended with exit code 3; it said: no idea"),
        ("1 / 0", "it ended with exit code 1; it said: ZeroDivisionError: division by zero"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "it was killed \\(SIGSEGV\\)"),
        ("print('thinking ...', flush=True)", 'its answer is no JSON: "thinking ...'),
        ("print('[' * 100_000, flush=True)", "its answer is no JSON"),
        ("print(7, flush=True)", "its answer is no JSON object"),
        ("print('{\"move\": NaN}', flush=True)", "its answer is no JSON"),
        ('say({"mov": 3})', 'its answer has no "move"'),
        ('say({"move": [3]})', "a move is a number or a text, not \\[3\\]"),
        ('say({"move": True})', "a move is a number or a text, not True"),
        ('say({"move": 3, "costs": {"tokens": "many"}})', "costs are a table of numbers"),
        ('say({"move": "x" * 2_000_000})', "a line of more than 1,000,000 bytes"),
        ("while True: sys.stdout.write('x' * 10_000)", "a line of more than 1,000,000 bytes"),
        ("sys.stdout.buffer.write(bytes([255, 254, 10])); sys.stdout.flush()", "its answer is no JSON"),
    ],
)
def test_a_program_that_does_something_else_forfeits_and_starts_anew(player, act, said):
    bot = player(act)
    for _ in range(2):
        bot.begin(TABLE)
        with pytest.raises(PlayerFault, match=f"^bot: {said}") as fault:
            bot.act(VIEW)
        assert fault.value.seat == 1
        assert "\n" not in fault.value.message


def test_a_program_that_closes_its_output_forfeits(player):
    bot = player("os.close(1); time.sleep(60)", move_seconds=1.0)
    bot.begin(TABLE)
    # What confines it may keep the stream open; then it is merely silent.
    with pytest.raises(PlayerFault, match=r"^bot: (it closed its output|no answer within 1 s)"):
        bot.act(VIEW)


def test_a_silent_program_forfeits_when_its_time_is_up(player):
    bot = player("time.sleep(60)", move_seconds=0.2)
    bot.begin(TABLE)
    with pytest.raises(PlayerFault, match=r"^bot: no answer within 0\.2 s"):
        bot.act(VIEW)


def test_a_slow_late_answer_is_not_taken_for_the_next_one(player):
    bot = player('time.sleep(1.0 if message["observation"] == "slow" else 0); say({"move": message["observation"]})')
    bot._limits = type(bot._limits)(move_seconds=0.2)
    bot.begin(TABLE)
    with pytest.raises(PlayerFault, match="no answer"):
        bot.act(TurnView(1, (), "slow"))
    bot._limits = type(bot._limits)(move_seconds=20.0)
    bot.begin(TABLE)
    assert bot.act(TurnView(1, (), "quick")).action == "quick"


def test_the_time_of_a_game_is_used_up_over_its_moves(player):
    bot = player('time.sleep(float(message["observation"])); say({"move": 3})', game_seconds=4.0)
    bot.begin(TABLE)
    bot.act(TurnView(1, (3,), "0.5"))
    with pytest.raises(PlayerFault, match="no answer within") as fault:
        bot.act(TurnView(1, (3,), "60"))
    assert float(re.search(r"within ([\d.]+) s", fault.value.message)[1]) <= 3.5
    bot.begin(TABLE)
    assert bot.act(TurnView(1, (3,), "0")).action == 3


def test_a_program_that_speaks_without_being_asked_forfeits(player):
    bot = player('say({"move": 3}); say({"move": 5}); time.sleep(0.1)')
    bot.begin(TABLE)
    bot.act(VIEW)
    time.sleep(0.1)
    with pytest.raises(PlayerFault, match="it spoke without being asked"):
        bot.act(VIEW)


def test_a_program_that_does_not_read_forfeits(player):
    bot = player('say({"move": 3}); time.sleep(60)', move_seconds=3.0)
    bot.begin(TABLE)
    assert bot.act(VIEW).action == 3
    with pytest.raises(PlayerFault, match="it does not read what it is sent"):
        bot.act(TurnView(1, (3,), "x" * 5_000_000))


def test_endless_talk_on_the_standard_error_does_no_harm(player):
    bot = player('sys.stderr.write("x" * 3_000_000); sys.stderr.flush(); say({"move": 3})')
    bot.begin(TABLE)
    assert [bot.act(VIEW).action for _ in range(3)] == [3, 3, 3]


def test_a_program_that_ignores_everything_is_killed_with_its_children(player, tmp_path):
    child = tmp_path / "child"
    child.symlink_to(shutil.which("sleep"))
    bot = player(f"""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen([{str(child)!r}, "1000"])
        say({{"move": 3}})
        while True:
            time.sleep(1)
    """)
    bot.begin(TABLE)
    bot.act(VIEW)
    assert soon(lambda: running(child) == 1)
    bot.close()
    assert soon(lambda: running(child) == 0)


@pytest.mark.skipif(not sandbox._bound_to_us(), reason="setpriv is not installed")
@pytest.mark.parametrize("walls", ["off", "auto"])
def test_a_program_dies_with_a_worker_that_is_killed(walls):
    code = f"""
import os, signal
from equipoise.arena.processes.lines import LineProcess
from equipoise.arena.processes.sandbox import Confinement
process = LineProcess(["sh", "-c", "echo up; exec sleep 1000"], Confinement({walls!r}))
assert process.read(20.0) == "up"
print(process._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    number = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout)
    deadline = time.monotonic() + 20
    while _runs(number) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _runs(number)


def test_memory_is_limited(player):
    bot = player('x = bytearray(10**9); say({"move": 3})', memory=400)
    bot.begin(TABLE)
    with pytest.raises(PlayerFault, match="it ended with exit code 1; it said: MemoryError"):
        bot.act(VIEW)


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({"setoption": {"hash": 64}}, "memory limited to 4160 MB"),
        ({}, "memory limited to 4096 MB"),
        ({"memory": 900, "setoption": {"hash": 64}}, "memory limited to 900 MB"),
        ({"devices": ["/dev/null"]}, "memory not limited"),
        ({"sandbox": "off"}, "memory not limited"),
    ],
)
def test_an_engine_has_as_much_memory_as_its_hash_tables_and_some_more(options, limit):
    assert UciOptions(nodes=1, **options).confinement().described().endswith(limit)


def test_a_program_that_never_ran_here_is_the_machines_fault(tmp_path):
    with pytest.raises(eq.ParameterError, match=r'player "bot": .* did not start: it ended with exit code 1'):
        load_player(PlayerSpec(name="bot", bot="program:false", options={"sandbox": "off"}))
    bot = ProgramPlayer("bot", ["/bin/false"], ProgramOptions())
    with pytest.raises(WorkerFault, match="did not start: it ended with exit code 1"):
        bot.begin(TABLE)


def test_a_program_that_ran_before_and_does_not_start_again_forfeits(player, tmp_path):
    bot = player("sys.exit(1)")
    bot.begin(TABLE)
    with pytest.raises(PlayerFault):
        bot.act(VIEW)
    (tmp_path / "bot0.py").write_text("raise SystemExit(4)")
    with pytest.raises(PlayerFault, match="did not start: it ended with exit code 4"):
        bot.begin(TABLE)


needs_bubblewrap = pytest.mark.skipif(
    sandbox_here() != "bubblewrap", reason="bubblewrap is not installed, or not allowed to make namespaces"
)


@needs_bubblewrap
def test_a_confined_program_has_no_network_and_writes_only_into_its_own_folder(player, tmp_path):
    bot = player(
        f"""
        import socket
        tried = []
        for what in (lambda: socket.create_server(("127.0.0.1", 0)).getsockname() and
                             socket.create_connection(("192.0.2.1", 9), timeout=5),
                     lambda: open({str(tmp_path / "elsewhere")!r}, "w"), lambda: open("/elsewhere", "w")):
            try:
                what()
                tried.append("done")
            except OSError as error:
                tried.append(type(error).__name__ + str(error.errno))
        open(os.path.join(os.environ["HOME"], "mine"), "w").write("x")
        say({{"move": " ".join(tried)}})
    """,
        sandbox="required",
    )
    bot.begin(TABLE)
    # The network is unreachable; its own temporary folder hides the machine's; the rest is a read-only file system.
    assert bot.act(TurnView(1, (), None)).action == "OSError101 done OSError30"
    assert not (tmp_path / "elsewhere").exists()
    assert "confined by bubblewrap: no network" in bot.confinement


@pytest.mark.skipif(not sandbox._works([*sandbox._unshare(), "--", "true"]), reason="user namespaces are not allowed")
def test_without_bubblewrap_a_user_namespace_keeps_a_program_off_the_network(player, monkeypatch):
    monkeypatch.setattr(sandbox, "sandbox_here", lambda: "unshare")
    bot = player(
        """
        import socket
        try:
            socket.create_connection(("192.0.2.1", 9), timeout=5)
            say({"move": "connected"})
        except OSError as error:
            say({"move": error.errno})
    """,
        sandbox="auto",
    )
    bot.begin(TABLE)
    assert bot.act(TurnView(1, (), None)).action == 101  # network unreachable
    assert bot.confinement.startswith("confined by a user namespace: no network, files not confined")


def test_a_confined_program_gets_only_the_variables_it_asks_for(player, monkeypatch):
    monkeypatch.setenv("EQUIPOISE_SECRET", "s3cret")
    act = 'say({"move": os.environ.get("EQUIPOISE_SECRET", "nothing")})'
    for names, value in (([], "nothing"), (["EQUIPOISE_SECRET"], "s3cret")):
        bot = player(act, sandbox="auto", environment=names)
        bot.begin(TABLE)
        assert bot.act(TurnView(1, (), None)).action == value


@pytest.mark.parametrize("here", ["unshare", "none"])
def test_where_the_system_cannot_confine_a_program_it_is_said(monkeypatch, here):
    monkeypatch.setattr(sandbox, "sandbox_here", lambda: here)
    words = Confinement().described()
    assert words.startswith("not confined" if here == "none" else "confined by a user namespace: no network, files not")
    with pytest.raises(eq.ParameterError, match="this system has no bubblewrap to confine a program with"):
        Confinement("required").command(["true"])


@pytest.mark.parametrize(
    ("bot", "options", "said"),
    [
        ("program:", {}, "lacks what comes after the colon: program:COMMAND"),
        ("program:no-such-program -x", {}, 'there is no program "no-such-program" on the search path'),
        ("program:'unclosed", {}, "cannot be split into words"),
        ("program:cat", {"move_second": 1}, 'has no option "move_second" \\(did you mean "move_seconds"'),
        ("program:cat", {"move_seconds": 0}, "move_seconds is a number above 0, not 0"),
        ("program:cat", {"sandbox": "of"}, "sandbox is .*did you mean"),
        ("program:cat", {"memory": 1}, "memory is a whole number of at least 16"),
        ("program:cat", {"settings": 3}, "settings is a table"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused_in_one_line(bot, options, said):
    with pytest.raises(eq.EquipoiseError, match=said) as error:
        load_player(PlayerSpec(name="bot", bot=bot, options=options))
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_run_is_refused(tmp_path):
    (tmp_path / "bot.sh").write_text("#!/bin/sh\n")
    with pytest.raises(eq.ParameterError, match=r"is no program that can be run \(chmod \+x\)"):
        find_program(str(tmp_path / "bot.sh"))


def test_a_changed_script_is_a_new_version(tmp_path):
    def version():
        bot = load_player(PlayerSpec(name="bot", bot=f"program:{{python}} {tmp_path / 'bot.py'}"))
        bot.close()
        return bot.version

    (tmp_path / "bot.py").write_text(BOT.replace("ACT", "pass"))
    first = version()
    assert version() == first
    (tmp_path / "bot.py").write_text(BOT.replace("ACT", "pass  # a change"))
    assert version() != first


@pytest.mark.parametrize("command", [f"{sys.executable} {EXAMPLES / 'random_bot.py'}", str(EXAMPLES / "first_move.sh")])
def test_the_reference_bots_keep_every_rule(command):
    found = check_player(command)
    assert found.passed, found.words
    assert len(found.rules) == 7
    assert found.to_dict()["passed"] is True


@pytest.mark.parametrize(
    ("act", "broken"),
    [
        (
            'say({"move": 3 if message["observation"]["stones"] > 2 else 9})',
            "plays legal moves in time from every seat",
        ),
        (
            'say({"move": 1})\n    elif kind == "news":\n        sys.exit(1)',
            "passes over messages that it does not know",
        ),
        ('say({"move": 1})\n    elif kind == "reset":\n        sys.exit(1)', "plays on after a reset"),
        (
            'say({"move": 1})\n    elif kind == "end" and message["scores"] is None:\n        sys.exit(1)',
            "plays on after a game that was broken off",
        ),
    ],
)
def test_a_program_that_breaks_a_rule_is_told_which(tmp_path, act, broken):
    path = tmp_path / "bot.py"
    path.write_text(BOT.replace("ACT", act))
    found = check_player(f"{sys.executable} {path}")
    assert not found.passed
    assert broken in [rule.rule for rule in found.rules if not rule.kept], found.words


def test_a_program_that_answers_twice_is_told_so(tmp_path):
    """Whether the second answer is there before the next question or after it, and so which rule is broken, is a
    matter of microseconds.
    """
    path = tmp_path / "bot.py"
    path.write_text(BOT.replace("ACT", 'say({"move": 1}); say({"move": 1})'))
    found = check_player(f"{sys.executable} {path}")
    assert any('{"move": 1}' in rule.message for rule in found.rules if not rule.kept), found.words


def test_a_program_can_be_held_against_a_game_of_its_own():
    found = check_player(str(EXAMPLES / "first_move.sh"), game=TakeAway(), games=1)
    assert found.passed


def test_a_referee_in_python_asks_a_program(player, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "referee_of_programs.py").write_text(
        "def play(players):\n    return [player({'question': 20}) for player in players]\n"
    )
    game = load_game("python:referee_of_programs:play")
    bot = player('say({"move": message["observation"]["question"] + 1})')
    assert game.play([bot]).scores == (21.0,)


def soon(is_so):
    """Say whether something becomes true within a while: processes start and end in their own time."""
    deadline = time.monotonic() + 30
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)
    return is_so()


def running(script):
    """Count the processes whose command names a file, in all namespaces."""
    count = 0
    for place in Path("/proc").iterdir():
        try:
            count += place.name.isdigit() and str(script).encode() in (place / "cmdline").read_bytes()
        except OSError:
            continue
    return count


def _runs(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    # An orphan that was killed may wait for somebody to reap it.
    return Path(f"/proc/{number}/stat").read_text().split()[2] != "Z"
