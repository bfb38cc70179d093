"""What a confined program can reach: tried by one that reaches for everything, as root and as a plain user."""

import json
import os
import shutil
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.arena.processes.lines import LineProcess
from equipoise.arena.processes.sandbox import Confinement, sandbox_here
from equipoise.arena.processes.walls import DISK, handed_filter
from tests.players.test_program_players import running, soon

pytestmark = pytest.mark.skipif(
    sandbox_here() != "bubblewrap", reason="bubblewrap is not installed, or not allowed to make namespaces"
)

PROBE = r"""
import ctypes, glob, json, os, socket, subprocess, sys
arena = sys.argv[1]
def tried(what):
    try:
        return bool(what())
    except Exception:
        return False
def fill(folder):
    with open(os.path.join(folder, "filled"), "wb") as file:
        for _ in range(200):
            file.write(bytes(1 << 20))
    return True
def status(name):
    return [line.split()[1] for line in open("/proc/self/status") if line.startswith(name)][0]
def connected(port):
    return socket.create_connection(("127.0.0.1", int(port)), timeout=5)
tried(lambda: open(os.path.join(os.path.dirname(__file__), "x"), "w"))
KERNEL = ["/proc/sysrq-trigger", *glob.glob("/proc/sys/**/*", recursive=True)]
KERNEL = [path for path in KERNEL if os.path.isfile(path)]
assert len(KERNEL) > 100
first = {"x86_64": 248, "aarch64": 217}.get(os.uname().machine)
KEY_CALLS = [(first, b"user", b"word", b"x", 1, -4), (first + 2, 0, -4, 1)] if first else []
print(json.dumps({
    "arena": tried(lambda: open(arena).close() or True),
    "log of the arena": tried(lambda: os.path.exists(arena + "-wal")),
    "lock of the arena": tried(lambda: os.path.exists(arena + ".lock")),
    "hidden files": tried(lambda: glob.glob(os.path.join(os.path.dirname(arena), ".secret"))),
    "arena below": tried(lambda: os.path.exists(os.path.join(os.path.dirname(arena), "below", "other.db"))),
    "sockets": tried(lambda: glob.glob("/tmp/**/*.sock", recursive=True) + glob.glob("/run/**/*.sock", recursive=True)),
    "passwords": tried(lambda: open("/etc/shadow").close() or True) or os.path.exists("/etc/passwd"),
    "home": tried(lambda: [name for name in os.listdir("/root") if os.path.isfile(os.path.join("/root", name))]),
    "network": tried(lambda: connected(sys.argv[2])),
    "capabilities": int(status("CapEff"), 16) | int(status("CapPrm"), 16) | int(status("CapBnd"), 16),
    "user namespace": tried(lambda: subprocess.run(["unshare", "-U", "true"], capture_output=True).returncode == 0),
    "remount": tried(lambda: subprocess.run(["mount", "-o", "remount,rw", "/"], capture_output=True).returncode == 0),
    "write over itself": tried(lambda: open(__file__, "w")),
    "write into the root": tried(lambda: open("/x", "w")),
    "other processes": [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) > 9],
    "secret variable": "OPERATORS_KEY" in os.environ or b"OPERATORS_KEY" in open("/proc/1/environ", "rb").read(),
    "much disk": any(tried(lambda folder=folder: fill(folder)) for folder in ("/tmp", "/dev/shm", os.environ["HOME"])),
    "shared memory of others": tried(lambda: os.listdir("/dev/shm") != ["filled"]),
    "room in the folder of devices": tried(lambda: open("/dev/filled", "w")),
    "keys": [call for call in KEY_CALLS if ctypes.CDLL(None).syscall(*call) >= 0],
    "settings of the kernel": [path for path in KERNEL if tried(lambda path=path: open(path, "r+"))],
    "its own folder": not os.path.exists(os.path.join(os.path.dirname(__file__), "weights.txt")),
    "its own room": not tried(lambda: open(os.path.join(os.environ["HOME"], "mine"), "w").write("x")),
}), flush=True)
sys.stdin.readline()
"""


def _readable_by_all(folder):
    for path in (folder, *folder.parents):
        if path.stat().st_uid == os.getuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)


@pytest.mark.parametrize("who", ["the user of the tests", "a plain user"])
def test_a_confined_program_reaches_nothing(tmp_path, monkeypatch, who):
    if who == "a plain user" and (os.getuid() != 0 or shutil.which("python3", path="/usr/bin") is None):
        pytest.skip("only root can become another user, who needs a Python of the system")
    spec = {"name": "walls", "game": "leduc", "goal": "best", "budget": 10, "players": ["caller", "rock"]}
    arena = eq.Arena.create(tmp_path / "ladder.db", spec)
    arena.serve()
    (tmp_path / "below").mkdir()
    eq.Arena.create(tmp_path / "below" / "other.db", spec).close()
    (tmp_path / ".secret").write_text("x")
    (tmp_path / "weights.txt").write_text("x")
    probe = tmp_path / "probe.py"
    probe.write_text(PROBE)
    _readable_by_all(tmp_path)
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] if who == "a plain user" else []
    python = shutil.which("python3", path="/usr/bin") if become else sys.executable
    walls = Confinement("required")
    monkeypatch.setenv("OPERATORS_KEY", "s3cret")
    with arena, socket.create_server(("127.0.0.1", 0)) as server, handed_filter() as calls:
        port = server.getsockname()[1]
        command = walls.command([str(python), str(probe), str(tmp_path / "ladder.db"), str(port)], calls)
        ran = subprocess.run([*become, *command], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                             env=dict(walls.variables(tmp_path)), pass_fds=[calls] if calls else [])  # fmt: skip
    reached = [name for name, result in json.loads(ran.stdout or "{}").items() if result]
    assert reached == [], ran.stderr
    assert ran.stdout, ran.stderr
    assert not (tmp_path / "x").exists()


def test_a_log_that_is_made_later_is_not_seen(tmp_path):
    watch = textwrap.dedent("""
        import os, sys
        print("up", flush=True)
        sys.stdin.readline()
        print(sorted(os.listdir(os.path.dirname(__file__))), flush=True)
    """)
    (tmp_path / "watch.py").write_text(watch)
    process = LineProcess([sys.executable, str(tmp_path / "watch.py")], Confinement("required"))
    assert process.read(60.0) == "up"
    (tmp_path / "ladder.db-wal").write_text("the deal")
    process.send("look", 60.0)
    assert process.read(60.0) == "['watch.py']"
    process.close()


def test_files_that_are_named_are_seen(tmp_path):
    book = tmp_path / "elsewhere" / "book.txt"
    book.parent.mkdir()
    book.write_text("e4")
    (tmp_path / "bots").mkdir()
    bot = tmp_path / "bots" / "bot.sh"
    bot.write_text(f"#!/bin/sh\ncat {book}; echo done\n")
    bot.chmod(0o755)
    for files, said in (((), "done"), ((str(book),), "e4done")):
        process = LineProcess([str(bot)], Confinement("required", files=files))
        assert process.read(60.0) == said
        process.close()


def test_a_folder_that_is_named_is_seen_without_the_arena_in_it(tmp_path):
    spec = {"name": "walls", "game": "leduc", "goal": "best", "budget": 10, "players": ["caller", "rock"]}
    (tmp_path / "data" / "below").mkdir(parents=True)
    (tmp_path / "data" / "book.txt").write_text("e4")
    (tmp_path / "bot.sh").write_text(f"#!/bin/sh\ncd {tmp_path}/data; echo $(find . -type f)\n")
    (tmp_path / "bot.sh").chmod(0o755)
    with eq.Arena.create(tmp_path / "data" / "below" / "ladder.db", spec):
        for files in ([tmp_path / "data"], [tmp_path / "data" / name for name in ("below/ladder.db", "book.txt")]):
            process = LineProcess([str(tmp_path / "bot.sh")], Confinement("required", files=tuple(map(str, files))))
            assert process.read(60.0) == "./book.txt"
            process.close()


def test_what_forks_twice_ends_with_its_player(tmp_path):
    orphan = textwrap.dedent("""
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True:
                    time.sleep(0.05)
            os._exit(0)
        os.wait()
        print("up", flush=True)
        time.sleep(600)
    """)
    script = tmp_path / "a_name_of_its_own.py"
    script.write_text(orphan)
    for walls in ("off", "auto"):
        process = LineProcess([sys.executable, str(script)], Confinement(walls))
        assert process.read(60.0) == "up"
        assert soon(lambda: running(script) >= 2)
        process.close()
        assert soon(lambda: running(script) == 0)


def test_the_words_say_how_much(tmp_path):
    assert f"sees only the system and its own folder, {DISK} MB of disk" in Confinement().described()
