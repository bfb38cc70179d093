"""One process owns an arena in a file: a lock on ``FILE.lock``, never on the database, which has locks of its own."""

import json
import os
import socket
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO

from equipoise.arena.engine.clock import TIME, Time
from equipoise.core.errors import StoreError

PATIENCE, COURTESY, PAUSE = 1.0, 0.2, 0.005
"""Seconds to wait for a lock whose holder is gone or unknown, for one whose holder runs, and between two tries.

A process that was killed keeps its files until the system gets round to closing them, and so does a worker that it had
forked and that never ran: on a busy machine that takes a while. One that was killed a moment ago still seems to run."""


class Ownership:
    """Hold the lock of an arena's file until :meth:`release`, or until the process ends, however it does.

    Fails when
        another process holds it: the message names that process. One that is gone is waited for, for a second.
    """

    def __init__(self, database: Path, time: Time = TIME) -> None:
        self.path = lock_path(database)
        try:
            self._file = _locked_soon(self.path, time)
        except BlockingIOError:
            owner = _announced(self.path)
            who = f"process {owner['pid']}" if "pid" in owner else "another process"
            raise StoreError(
                f"{database} is in use by {who}: an arena in a file has one owner; reach it through that process, or "
                "stop it"
            ) from None
        OWNED.add(self)
        self.announce(None)

    def announce(self, address: str | None) -> None:
        """Write into the lock file who owns the arena, and where it can be reached."""
        words = {"pid": os.getpid(), "host": socket.gethostname()} | ({} if address is None else {"address": address})
        self._file.seek(0)
        self._file.truncate()
        self._file.write(json.dumps(words))
        self._file.flush()

    def leave_to_parent(self) -> None:
        """Close the file without giving the lock back: in a forked child, which must not keep it beyond its parent."""
        self._file.close()

    def release(self) -> None:
        """Give the lock back. The file stays: removing it would let two processes lock two files of one name."""
        if not self._file.closed:
            self._file.truncate(0)
            self._file.close()
        OWNED.discard(self)


OWNED: "weakref.WeakSet[Ownership]" = weakref.WeakSet()
"""What this process owns."""


def _forked() -> None:
    """A lock lives as long as any process has its file open: workers would keep that of an owner that was killed."""
    for one in list(OWNED):
        one.leave_to_parent()
    OWNED.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def owner_of(database: Path) -> dict[str, object]:
    """Say who owns an arena's file; empty where nobody does, or only a process that is gone."""
    path = lock_path(database)
    try:
        _locked(path, create=False).close()
    except FileNotFoundError:
        return {}
    except BlockingIOError:
        owner = _announced(path)
        return {} if _is_gone(owner) else owner or {"owner": "unknown"}
    return {}


def _announced(path: Path) -> dict[str, object]:
    """Read from a lock file who locked it last; empty where nobody has said so yet."""
    try:
        return dict(json.loads(path.read_text() or "{}"))
    except ValueError:  # it is being written at this moment
        return {}


def _is_gone(owner: dict[str, object]) -> bool:
    """Say whether an owner is known to have ended; nothing is known of processes on other machines."""
    pid = owner.get("pid")
    return isinstance(pid, int) and owner.get("host") == socket.gethostname() and not process_runs(pid)


def process_runs(pid: int) -> bool:
    """Say whether a process of this machine runs, as far as can be known."""
    if os.name != "posix":
        return True  # asking there would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    # One that ended and was not waited for answers signals still.
    with suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()[0] not in {"Z", "X"}
    return True


def lock_path(database: Path) -> Path:
    """Give the file beside a database that its owner locks."""
    return database.with_name(f"{database.name}.lock")


def _locked(path: Path, *, create: bool = True) -> IO[str]:
    """Open and lock a file, or raise BlockingIOError."""
    file = path.open("a+" if create else "r+")
    try:
        _lock(file)
    except OSError as error:
        file.close()
        raise BlockingIOError(str(error)) from None
    return file


def _locked_soon(path: Path, time: Time) -> IO[str]:
    """Open and lock a file as soon as who is gone has let go of it, or raise BlockingIOError."""
    began = time.watch()
    while True:
        try:
            return _locked(path)
        except BlockingIOError:
            owner = _announced(path)
            patience = PATIENCE if _is_gone(owner) or "pid" not in owner else COURTESY
            if time.watch() - began >= patience:
                raise
        time.sleep(PAUSE)


def _lock(file: IO[str]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows has locks of its own kind
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]  # on Windows only
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
