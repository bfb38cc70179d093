"""Run a command as a user does: a process of its own, on a terminal."""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.job import Answer, Side

__all__ = ["command_sides", "run_command", "started_floor"]

GLANCE = 0.02
"""Seconds between two looks at how much memory a command has."""


def program() -> list[str]:
    """Give the installed command, or the module where there is none."""
    script = Path(sys.executable).with_name("equipoise")
    return [str(script)] if script.exists() else [sys.executable, "-m", "equipoise"]


def run_command(command: list[str], **environment: str) -> Answer:
    """Run on a pseudo-terminal to the end; give the most memory it had, fail with its last line where it fails."""
    keyboard, screen = pty.openpty()
    settings = os.environ | {"TERM": "xterm", "COLUMNS": "120", "LINES": "40"} | environment
    settings.pop("PYTHONDONTWRITEBYTECODE", None)  # where a package was installed its modules are compiled
    with subprocess.Popen(command, stdin=screen, stdout=screen, stderr=screen, env=settings) as process:
        os.close(screen)
        seen: dict[str, Any] = {"peak": 0, "text": b""}
        watcher = threading.Thread(target=_watch, args=(keyboard, process.pid, seen))
        watcher.start()
        code = process.wait()
        watcher.join()
    os.close(keyboard)
    if code:
        lines = seen["text"].decode(errors="replace").split("\n")
        raise RuntimeError(f"exit code {code}: {next((line for line in reversed(lines) if line.strip()), '')}")
    return {"peak": seen["peak"]}


def _watch(keyboard: int, pid: int, seen: dict[str, Any]) -> None:
    """Take what the command writes, and look at its memory now and then, until it has ended."""
    while True:
        seen["peak"] = max(seen["peak"], _most_memory(pid))
        if select.select([keyboard], [], [], GLANCE)[0]:
            try:
                text = os.read(keyboard, 65536)
            except OSError:  # the last writer has gone
                return
            seen["text"] = (seen["text"] + text)[-5000:]


def _most_memory(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            found = next((line for line in file if line.startswith("VmHWM")), "0 0")
    except OSError:
        return 0
    return int(found.split()[1]) * 1024


@contextmanager
def _empty(*variables: str) -> Iterator[dict[str, str]]:
    folder = tempfile.mkdtemp(prefix="bench-cold-")
    try:
        yield {name: str(Path(folder) / name) for name in variables}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def command_sides(arguments: Callable[[Any], list[str]], cold: bool = False, note: str = "") -> tuple[Side, ...]:
    """Give our command as a side and, if asked for, the same command on a machine that has never run it."""

    def warm(data: Any) -> Answer:
        return run_command(program() + arguments(data))

    def first(data: Any) -> Answer:
        with _empty("NUMBA_CACHE_DIR") as places:
            return run_command(program() + arguments(data), **places)

    def bare(data: Any) -> Answer:
        with _empty("NUMBA_CACHE_DIR", "PYTHONPYCACHEPREFIX") as places:
            return run_command(program() + arguments(data), **places)

    ours = Side("equipoise", warm, note=note)
    if not cold:
        return (ours,)
    return (
        ours,
        Side("equipoise, first run", first, note="nothing that numba compiled is kept from before", once=True),
        Side(
            "equipoise, no bytecode",
            bare,
            note="nor any .pyc, not even of Python's own library: the worst first run there is",
            once=True,
        ),
    )


def started_floor(_: Any) -> Answer:
    """Start Python and leave."""
    return run_command([sys.executable, "-c", "pass"])
