"""The command line on a pseudo-terminal: tables fit its width, and long ones say how to see the rest."""

import json
import os
import re
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty")
pytest.importorskip("termios")
pytest.importorskip("fcntl")

BETWEEN = "\x1e"
CODE = f"""
import fcntl, json, struct, sys, termios
from equipoise.cli.main import main
for width, *words in json.loads(sys.argv[1]):
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    assert main(words) == 0
    print({BETWEEN!r}, end="", flush=True)
"""
WIDTHS = (60, 80, 120)


def on_terminal(commands):
    """Give what each command prints on a terminal of its width; one process runs them all."""
    ours, theirs = pty.openpty()
    plain = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")} | {"NO_COLOR": "1"}
    plain["TERM"] = "xterm"
    with subprocess.Popen(
        [sys.executable, "-c", CODE, json.dumps(commands)], stdout=theirs, stderr=subprocess.PIPE, env=plain
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # how Linux says that the other side has gone
            pass
        said = process.stderr.read()
    os.close(ours)
    assert process.returncode == 0, said
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()).replace("\r\n", "\n").split(BETWEEN)[:-1]


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    """Give a leaderboard of long names at each width, and one with all rows."""
    names = [f"meta-llama/Meta-Llama-3.1-{k:03}B-Instruct-v01" for k in range(40)]
    rows = [f"{a},{b},{'a' if (i + j) % 3 else 'b'}" for i, a in enumerate(names) for j, b in enumerate(names[:i])]
    path = tmp_path_factory.mktemp("wide") / "log.csv"
    path.write_text("\n".join(["model_a,model_b,winner", *rows]) + "\n")
    commands = [(width, "rank", str(path)) for width in WIDTHS] + [(80, "rank", str(path), "--rows", "all")]
    return dict(zip([*WIDTHS, "all"], on_terminal(commands), strict=True))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_leaderboard_of_long_names_fits_and_is_short(boards, width):
    shown = boards[width].splitlines()
    assert max(map(len, shown)) <= width
    assert any(re.fullmatch(r"\d+ more: --rows all", line) for line in shown)
    assert len(shown) <= 45
    assert sum(" to " in line and ("+" in line or "−" in line) for line in shown) >= (15 if width > 60 else 5)
    assert not any("…" in line for line in shown)


def test_all_rows_are_there_when_asked_for(boards):
    assert "more: --rows all" not in boards["all"]
    assert boards["all"].count("meta-llama/Meta-Llama-3.1-") >= 40
