"""How play ends. Ctrl-C once: finish what is played and stop. Twice: stop now. A third time ends the program.

A process ends with everything it started, whatever sessions and groups that is in.
"""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, Self


def kill_family(pid: int, *, itself: bool = True) -> None:
    """Kill a process, its group, and all that descends from it.

    Players start in groups of their own, which the group of their worker does not cover; and once the worker is dead,
    nobody knows any more whose they were. So they are found first.
    """
    family = descendants(pid)
    if itself:
        _kill(pid)
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
    for other in family:
        _kill(other)


SUBREAPER, DIE_WITH_PARENT = 36, 1
"""What ``prctl`` of Linux calls them."""


def guard(cores: Collection[int] = ()) -> None:
    """Go on in a new process, on these cores; stay behind to end whatever it started when it has ended.

    A process that forks twice belongs to nobody that it came from, and leaves every group: Linux gives it to the
    nearest process above that asks for such, which this one does. Elsewhere nothing stays behind.
    """
    if cores and hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # the system does not let us
            os.sched_setaffinity(0, cores)
    if sys.platform != "linux":
        return
    prctl = ctypes.CDLL(None).prctl
    prctl(SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if not child:
        prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.closerange(0, 2)  # the pipes end with who uses them
    ended = _waited(child)
    while left := descendants(os.getpid()):
        for one in left:
            _kill(one)
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)
    _end_alike(ended)


def _waited(child: int) -> int:
    """Wait for a child, and bury what it leaves meanwhile; give how it ended."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def _end_alike(code: int) -> NoReturn:
    """End with an exit code, or by the signal that a negative one stands for."""
    if code < 0:
        import resource  # not on every system

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # SIGKILL has no handler to take away
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def descendants(pid: int) -> list[int]:
    """Find the processes that descend from one, where the system shows them (``/proc``)."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold anything, parentheses too; the parent is the second field after it.
            parent = int((entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    below, waiting = [], [pid]
    while waiting:
        nearest = children.get(waiting.pop(), [])
        below += nearest
        waiting += nearest
    return below


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


class Interrupts:
    """Counts requests to stop, from the keyboard or from the program.

    Parameters
    ----------
    stop
        Set by the program: as Ctrl-C once.
    listen
        Whether to take Ctrl-C; only a program's main thread can.

    Attributes
    ----------
    now
        Set when play must end at once.
    """

    def __init__(self, stop: threading.Event | None = None, *, listen: bool = True) -> None:
        self.now = threading.Event()
        self._stop, self._listen = stop, listen
        self._count = 0
        self._wake: Callable[[], None] | None = None
        self._before: dict[int, Any] = {}

    def wakes(self, wake: Callable[[], None]) -> None:
        """Have this called at each Ctrl-C."""
        self._wake = wake

    @property
    def asked(self) -> bool:
        """Whether to finish what is played and stop."""
        return self._count > 0 or (self._stop is not None and self._stop.is_set())

    def __enter__(self) -> Self:
        if self._listen and threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, signal.SIG_DFL if before is None else before)

    def _heard(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # as the system calls it
        self._count += 1
        if self._count == 2:
            self.now.set()
        if self._count > 2:
            raise KeyboardInterrupt
        if self._wake is not None:
            self._wake()
