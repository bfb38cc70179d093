"""One process owns an arena in a file: a lock on ``FILE.lock``, never on the database, which has locks of its own."""

import errno
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
        words: dict[str, object] = {"pid": os.getpid(), "host": socket.gethostname(), "began": _began(os.getpid())}
        said = json.dumps(words if address is None else words | {"address": address}).encode()
        # All of it at once, and only then what is left of a longer one: who looks takes no lock and never finds a half.
        self._file.seek(0)
        self._file.write(said.decode())
        self._file.flush()
        self._file.truncate(len(said))

    def leave_to_parent(self) -> None:
        """Close the file without giving the lock back: in a forked child, which must not keep it beyond its parent."""
        self._file.close()

    def release(self) -> None:
        """Give the lock back. The file stays: removing it would let two processes lock two files of one name."""
        if not self._file.closed:
            self._file.truncate(0)
            self._file.close()
        OWNED.discard(self)


HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""What systems say of a lock that another process holds."""
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
    """Say who owns an arena's file; empty where nobody does, or only a process that is gone.

    That is what the lock file says: looking takes no lock, which would keep an owner out who comes at that moment.
    """
    owner = _announced(lock_path(database))
    return {} if _is_gone(owner) else owner


def _announced(path: Path) -> dict[str, object]:
    """Read from a lock file who locked it last; empty where nobody has said so, or gave it back."""
    try:
        words = path.read_text()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None
    try:
        said, _ = json.JSONDecoder().raw_decode(words)  # behind it there may be the end of a longer one for a moment
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _is_gone(owner: dict[str, object]) -> bool:
    """Say whether an owner is known to have ended; nothing is known of processes on other machines."""
    pid = owner.get("pid")
    if not isinstance(pid, int) or owner.get("host") != socket.gethostname():
        return False
    return not process_runs(pid) or _began(pid) != owner.get("began", _began(pid))


def _began(pid: int) -> str | None:
    """Give when a process began, which another one of the same number did not; None where nothing says so."""
    state = _stat(pid)
    return None if state is None else state[19]


def _stat(pid: int) -> list[str] | None:
    """Give what Linux says of a process, from its state on; None elsewhere, and where there is none."""
    with suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()
    return None


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
    state = _stat(pid)
    return state is None or state[0] not in {"Z", "X"}  # one that ended and was not waited for answers signals still


def lock_path(database: Path) -> Path:
    """Give the file beside a database that its owner locks."""
    return database.with_name(f"{database.name}.lock")


def _locked(path: Path) -> IO[str]:
    """Open and lock a file, or raise BlockingIOError."""
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+")
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None
    try:
        _lock(file)
    except OSError as error:
        file.close()
        if error.errno in HELD:
            raise BlockingIOError(str(error)) from None
        raise StoreError(
            f"{path} cannot be locked here ({error.strerror}), so nothing keeps a second owner out: keep the arena on "
            "a disk of this machine, or in PostgreSQL"
        ) from None
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
