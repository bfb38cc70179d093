"""Ctrl-C answers at once with one line, while modules load and while the answer is computed."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = "import sys; from equipoise.cli.main import main; "
WAITING = {
    "imports": "import builtins; load = builtins.__import__\n"
    "def slow(name, *rest):\n"
    "    if name == 'typer':\n        print('now', flush=True); import time; time.sleep(60)\n"
    "    return load(name, *rest)\n"
    "builtins.__import__ = slow\n",
    "work": "import equipoise.cli.commands.files as command, time\n"
    "def waits():\n    'Wait.'\n    print('now', flush=True)\n"
    "    try:\n        time.sleep(60)\n    except BaseException:\n        time.sleep(60)\n"
    "command.data = waits\n",
}


def interrupted(when, stderr):
    code = f"{PROGRAM}\n{WAITING[when]}\nsys.argv = ['equipoise', 'data']; sys.exit(main())"
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=stderr, text=True)
    assert running.stdout.readline() == "now\n"
    started = time.monotonic()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert time.monotonic() - started < 20, "it went on as if nothing had happened"
    return running.returncode, out, err


@pytest.mark.parametrize("when", WAITING)
def test_an_interruption_is_one_line_and_130(when):
    assert interrupted(when, subprocess.PIPE) == (130, "", "equipoise: interrupted\n")


@pytest.mark.parametrize("when", WAITING)
def test_on_a_terminal_the_line_takes_the_place_of_progress_and_the_cursor_is_back(when):
    ours, theirs = pty.openpty()
    code, _, _ = interrupted(when, theirs)
    os.close(theirs)
    shown = os.read(ours, 1000).decode()
    os.close(ours)
    assert (code, shown) == (130, "\r\x1b[2K\x1b[?25hequipoise: interrupted\r\n")
