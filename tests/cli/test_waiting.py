"""A wait of over a second shows one line on a terminal, which goes before the answer comes; a pipe gets none."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.output.waiting import Line
from equipoise.core.progress import counted, listening, tell

SLOW = """
import sys, time
from equipoise.cli.main import main
import equipoise.cli.commands.files as command
from equipoise.cli.output.waiting import working
from equipoise.core.progress import counted

def slow():
    "Wait."
    with working("Waiting"):
        for _ in counted(range(PIECES), "pieces", [1] * PIECES):
            time.sleep(PAUSE)
    print("the answer", flush=True)

command.data = slow
sys.argv = ["equipoise", "data"]
sys.exit(main())
"""


def read(terminal, running, until=None, most=60.0):
    """Give what a terminal shows until the program ends, or until it shows something."""
    shown, end = b"", time.monotonic() + most
    while time.monotonic() < end:
        ready = select.select([terminal], [], [], 0.05)[0]
        if ready:
            try:
                shown += os.read(terminal, 100_000)
            except OSError:  # how a terminal says that everybody has left
                break
            if until is not None and until in shown:
                break
        elif running.poll() is not None:
            break
    return shown.decode()


def run_on_a_terminal(pieces, pause, until=None, stop=None):
    ours, theirs = pty.openpty()
    code = SLOW.replace("PIECES", str(pieces)).replace("PAUSE", str(pause))
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    running = subprocess.Popen([sys.executable, "-c", code], stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    try:
        shown = read(ours, running, until)
        if stop is not None:
            running.send_signal(stop)
            shown += read(ours, running)
        return running.wait(timeout=30), shown
    finally:
        running.kill()
        os.close(ours)


def last_screen(shown):
    """Give the lines that are left to see after all moves of the cursor."""
    rows, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[\??[0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", shown):
        if part == "\r":
            column = 0
        elif part == "\n":
            row += 1
            rows += [""] * (row + 1 - len(rows))
        elif part == "\x1b[2K":
            rows[row] = ""
        elif part.startswith("\x1b") and part.endswith("A"):
            row -= int(part[2:-1] or 1)
        elif not part.startswith("\x1b"):
            rows[row] = rows[row][:column].ljust(column) + part + rows[row][column + len(part) :]
            column += len(part)
    return [line for line in rows if line.strip()]


def test_a_slow_command_shows_what_it_does_how_far_it_is_and_how_long_still():
    code, shown = run_on_a_terminal(24, 0.1)
    assert code == 0
    assert re.search(r"Waiting: pieces \d+ of 24, about \d+ s left", shown)
    assert last_screen(shown) == ["the answer"]
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h")


def test_a_quick_command_shows_nothing():
    assert run_on_a_terminal(2, 0.05) == (0, "the answer\r\n")


def test_an_interruption_takes_the_line_away():
    code, shown = run_on_a_terminal(600, 0.1, until=b"pieces", stop=signal.SIGINT)
    assert code == 130
    assert last_screen(shown) == ["equipoise: interrupted"]
    assert shown.endswith("equipoise: interrupted\r\n")


def test_a_pipe_gets_no_line():
    code = SLOW.replace("PIECES", "15").replace("PAUSE", "0.1")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "the answer\n", "")


def test_a_real_command_tells_of_its_resamples(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.integers(30, size=3000)
    b = (a + rng.integers(1, 30, size=3000)) % 30
    rows = "\n".join(f"p{i},p{j},{k}" for i, j, k in zip(a, b, rng.integers(2, size=3000), strict=True))
    path = tmp_path / "games.csv"
    path.write_text(f"a,b,outcome\n{rows}\n")
    told = heard(lambda: eq.rank(path, method="elo", options=eq.RankOptions(n=40)))
    assert {done == total for done, total in told.values()} == {True}
    assert {"bootstrap samples", "simulated tables", "steps of the fit"} <= set(told)


def test_a_page_tells_how_many_of_its_charts_are_drawn(tmp_path):
    told = []
    with listening(lambda *what: told.append(what)):
        page = eq.write_report("alphago", tmp_path / "page.html").read_text(encoding="utf-8")
    charts = [entry[1:] for entry in told if entry[0] == "charts"]
    total = page.count("<figure")
    assert total >= 3
    assert charts == [(k, total) for k in range(total + 1)]


def heard(work):
    """Give the last that was told of each kind of work."""
    told = {}
    with listening(lambda name, done, total: told.__setitem__(name, (done, total))):
        work()
    return told


def answers():
    rng = np.random.default_rng(6)
    chance = 1 / (1 + np.exp(rng.normal(size=24) - rng.normal(size=(14, 1))))
    return eq.Scores.from_matrix((rng.random((14, 24)) < chance).astype(float))


def indicators():
    eq.methods.duality(answers(), eq.irt(answers(), model="rasch", method="mml"), n=20)


LOOPS = {
    "bootstrap samples": lambda: eq.generality(answers(), np.linspace(-1, 1, 24), n=20),
    "bootstrap samples of agents": indicators,
    "bootstrap samples of items": indicators,
    "steps of the fit": lambda: eq.irt(answers(), method="pooled"),
    "simulated tables": lambda: eq.transitivity(games(), n=19),
    "discs tried": lambda: eq.melo(games(), k="auto", starts=1, folds=2),
    "results": lambda: eq.reproduce_papers("baseline"),
    "sections": lambda: eq.analyse("alphago", only=["Ratings", "Discs"]),
}


def games():
    rng = np.random.default_rng(1)
    a = rng.integers(6, size=300)
    return eq.Matches.from_columns(a, (a + rng.integers(1, 6, size=300)) % 6, rng.integers(2, size=300))


@pytest.mark.parametrize("name", LOOPS)
def test_a_long_loop_tells_how_far_it_is_and_that_it_is_done(name, few_hands):
    done, total = heard(LOOPS[name])[name]
    assert done == total > 0


def test_nobody_listens_by_default(capsys):
    eq.transitivity(games(), n=19)
    assert capsys.readouterr() == ("", "")


def test_work_that_is_left_early_is_done():
    told = []
    with listening(lambda *what: told.append(what)):
        for thing in counted("abc", "letters", [1, 1, 1]):
            if thing == "b":
                break
    assert told == [("letters", 0, 3), ("letters", 1, 3), ("letters", 1, 1)]


def test_listening_ends():
    told = []
    with listening(lambda *what: told.append(what)):
        tell("work", 1)
    tell("work", 2)
    assert told == [("work", 1, None)]


class Clock:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


def test_the_line_names_the_outermost_and_the_innermost_work():
    clock = Clock()
    line = Line("Reporting", now=clock)
    line("sections", 1, 6)
    clock.seconds = 10.0
    line("resamples", 0, 300)
    line("steps of the fit", 4, None)
    clock.seconds = 20.0
    line("resamples", 100, 300)
    assert line.words() == "Reporting: sections 1 of 6, resamples 100 of 300, about 20 s left"
    line("resamples", 300, 300)
    line("sections", 6, 6)
    assert line.words() == "Reporting: steps of the fit 4, 20 s so far"
    line("steps of the fit", 9, 9)
    assert line.words() == "Reporting, 20 s so far"
