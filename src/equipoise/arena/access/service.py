"""The owner's door: other processes on this machine reach an arena in a file through a local socket.

A request is one line of JSON, ``{"call": "tell", "with": {...}}``, and so is its answer, ``{"answer": ...}`` or
``{"error": ..., "kind": ...}``. The socket belongs to the owner's user alone; its address stands in the lock file.
"""

import contextlib
import json
import os
import socketserver
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from equipoise.arena.spec.trial import Lease
from equipoise.core.errors import EquipoiseError, ParameterError

Arena = Any
"""The arena itself, whose module uses this one."""
__all__ = ["Service"]

LONGEST = 64 * 1024 * 1024
"""Bytes of one request: a transcript may be long."""


class Service:
    """Answer requests of other processes until :meth:`close`."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self.address = _address(arena.id)
        with contextlib.suppress(FileNotFoundError):
            self.address.unlink()  # left by an owner that was killed; the lock is ours, so nobody listens there
        before = os.umask(0o077)
        try:
            self._server = _Server(str(self.address), self)
        finally:
            os.umask(before)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()
        with contextlib.suppress(FileNotFoundError):
            self.address.unlink()

    def answer(self, line: bytes) -> dict[str, Any]:
        """Answer one request; what is refused is an answer, too."""
        try:
            request = json.loads(line)
            call = CALLS.get(request.get("call"))
            if call is None:
                raise ParameterError(f"no such request: {request.get('call')!r}")
            return {"answer": call(self._arena, request.get("with", {}))}
        except EquipoiseError as error:
            return {"error": str(error), "kind": type(error).__name__}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            return {"error": f"a request that makes no sense: {error}", "kind": "ParameterError"}


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: str, service: Service) -> None:
        self.service = service
        super().__init__(address, _Connection)


class _Connection(socketserver.StreamRequestHandler):
    """One process that asks, for as long as it stays."""

    server: _Server

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError, BrokenPipeError):
            while line := self.rfile.readline(LONGEST):
                answer = json.dumps(self.server.service.answer(line), allow_nan=False)
                self.wfile.write(answer.encode() + b"\n")


def _address(arena: str) -> Path:
    """Give a short path: the names of sockets may not be long."""
    return Path(tempfile.gettempdir()) / f"equipoise-{os.getuid()}-{arena}.sock"


def _with_lease(given: Mapping[str, Any]) -> dict[str, Any]:
    return {**given, "lease": Lease.from_dict(given["lease"])}


def _receipt(receipt: Any) -> dict[str, Any]:
    return {"counted": receipt.counted, "duplicate": receipt.duplicate, "seq": receipt.seq}


CALLS: Mapping[str, Callable[[Arena, Mapping[str, Any]], Any]] = {
    "ask": lambda arena, given: [lease.to_dict() for lease in arena.ask(**given)],
    "renew": lambda arena, given: arena.renew(**_with_lease(given)).to_dict(),
    "tell": lambda arena, given: _receipt(arena.tell(**_with_lease(given))),
    "tell_many": lambda arena, given: [
        _receipt(one) for one in arena.tell_many([_with_lease(result) for result in given["results"]])
    ],
    "fail": lambda arena, given: _receipt(arena.fail(**_with_lease(given))),
    "state": lambda arena, _given: arena.state,
    "pause": lambda arena, _given: arena.pause(),
    "resume": lambda arena, _given: arena.resume(),
    "stop": lambda arena, _given: arena.stop(),
    "void": lambda arena, given: arena.void(**given),
    "add_player": lambda arena, given: arena.add_player(**given),
    "verify": lambda arena, _given: arena.verify().to_dict(),
}
"""What other processes may ask for."""
