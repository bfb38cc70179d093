"""Ending a process with everything it started, whatever sessions and groups that is in."""

import os
import signal
from contextlib import suppress
from pathlib import Path

__all__ = ["descendants", "kill_family"]


def kill_family(pid: int, *, itself: bool = True) -> None:
    """Kill a process, its group, and all that descends from it.

    Players start in groups of their own, which the group of their worker does not cover; and once the worker is dead,
    nobody can tell any more whose they were. So they are found first.
    """
    family = descendants(pid)
    if itself:
        _kill(pid)
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
    for other in family:
        _kill(other)


def descendants(pid: int) -> list[int]:
    """Find the processes that descend from one, where the system shows them (``/proc``)."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold anything, parentheses too; the parent is the second field after it.
            parent = int((entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
