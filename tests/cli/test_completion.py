"""Shells complete commands, options and choices, and it stays quick: nothing heavy is loaded."""

import os
import subprocess
import sys

import pytest

HEAVY = {"numpy", "scipy", "polars", "numba", "altair"}
CODE = """
import sys
sys.argv = ["equipoise"]
from equipoise.cli.main import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def completed(words, environment=None):
    """Give what a shell is offered for the last of the words, and the modules loaded for it."""
    asked = {
        "_EQUIPOISE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env=dict(os.environ) | (environment or asked),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.stdout.split(), set(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["equipoise", "re"], ["report", "reproduce"]),
        (["equipoise", "rank", "--mi"], ["--min-games"]),
        (["equipoise", "rank", "f.csv", "--ties", ""], ["half", "davidson", "rao-kupper"]),
        (["equipoise", "metagame", "--al"], ["--alpha"]),
        (["equipoise", "plan", "--a"], ["--agents", "--agent", "--agents-in"]),
        (["equipoise", "chart", "head"], ["head-to-head"]),
        (["equipoise", "--vers"], ["--version"]),
    ],
)
def test_a_shell_is_offered_commands_options_and_choices(words, offered):
    found, loaded = completed(words)
    assert sorted(found) == sorted(offered)
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_given(shell):
    found, loaded = completed([], {"_EQUIPOISE_COMPLETE": f"source_{shell}"})
    assert "equipoise" in found
    assert loaded.isdisjoint(HEAVY)


def test_a_file_is_left_to_the_shell():
    assert completed(["equipoise", "rank", "bat"])[0] == []
