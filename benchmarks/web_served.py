"""A server in a process of its own: ours with an arena, or a bare one that writes a row for each result."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from contextlib import closing
from pathlib import Path
from typing import Self

from benchmarks.arena_jobs import new_arena

__all__ = ["Served"]

EACH = 8
"""Streams that one session may have."""


class Served:
    """A server.

    Parameters
    ----------
    kind
        ``ours``, ``bare``, or ``nobody`` for an empty place alone.
    place
        Of the arena; a file of its own if empty.

    Attributes
    ----------
    port, token
        Where it listens, and what lets a worker in.
    """

    def __init__(self, kind: str, place: str = "") -> None:
        self.kind, self.token, self.port = kind, "", 0
        folder = tempfile.TemporaryDirectory()
        self._folder = folder
        self.place = place or str(Path(folder.name) / "speed.db")
        self._watching: list[str] = []
        self._process: subprocess.Popen[str] | None = None
        weakref.finalize(self, folder.cleanup)
        if kind == "nobody":
            return
        if kind == "ours":
            with new_arena(self.place) as arena:
                self.token = arena.make_token("worker", "w")
                self._watching = [arena.make_token("viewer", f"v{number}") for number in range(25)]
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.web_server", kind, self.place], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._process = process
        assert process.stdout is not None
        self.port = int(process.stdout.readline())
        weakref.finalize(self, _end, process)
        self._wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            _end(self._process)

    def _wait(self) -> None:
        for _ in range(400):
            try:
                with closing(socket.create_connection(("127.0.0.1", self.port), timeout=5)):
                    return
            except OSError:
                time.sleep(0.05)

    def watch(self, number: int) -> socket.socket:
        """Open a stream, as a page does."""
        page = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        token = self._watching[number // EACH]
        head = "GET /api/1/arenas/speed/moves HTTP/1.1\r\nhost: localhost\r\n"
        page.sendall(f"{head}authorization: Bearer {token}\r\n\r\n".encode())
        return page

    def processor(self) -> float:
        """Give the seconds of CPU that the server has used."""
        assert self._process is not None
        said = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(said[11]) + int(said[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Give its megabytes."""
        assert self._process is not None
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1024

    def verify(self) -> bool:
        """End it, and recount what it kept."""
        import equipoise as eq

        assert self._process is not None
        _end(self._process)
        with eq.Arena.open(self.place) as arena:
            return arena.verify().ok


def _end(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        process.communicate()
