"""The command line on a pseudo-terminal: tables fit its width, and long ones say how to see the rest."""

import os
import re
import struct
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")
fcntl = pytest.importorskip("fcntl")

CODE = "import sys; from equipoise.cli.main import main; sys.exit(main())"


def on_terminal(width, *arguments):
    """Give what a command prints on a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    plain = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")} | {"NO_COLOR": "1"}
    plain["TERM"] = "xterm"
    with subprocess.Popen(
        [sys.executable, "-c", CODE, *map(str, arguments)], stdout=theirs, stderr=subprocess.PIPE, env=plain
    ):
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # how Linux says that the other side has gone
            pass
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()).replace("\r\n", "\n")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    names = [f"meta-llama/Meta-Llama-3.1-{k:03}B-Instruct-v01" for k in range(40)]
    rows = [f"{a},{b},{'a' if (i + j) % 3 else 'b'}" for i, a in enumerate(names) for j, b in enumerate(names[:i])]
    path = tmp_path_factory.mktemp("wide") / "log.csv"
    path.write_text("\n".join(["model_a,model_b,winner", *rows]) + "\n")
    return path


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_leaderboard_of_long_names_fits_and_is_short(log, width):
    shown = on_terminal(width, "rank", log).splitlines()
    assert max(map(len, shown)) <= width
    assert "10 more: --all" in shown
    assert sum(" to " in line and ("+" in line or "−" in line) for line in shown) >= 30
    assert not any("…" in line for line in shown)


def test_all_rows_are_there_when_asked_for(log):
    shown = on_terminal(80, "rank", log, "--all")
    assert "more: --all" not in shown
    assert shown.count("meta-llama/Meta-Llama-3.1-") >= 40
