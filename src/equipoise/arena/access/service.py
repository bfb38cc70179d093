"""The owner's door: other processes on this machine reach an arena in a file through a local socket.

A request is one line of JSON, ``{"call": "tell", "with": {...}}``, and so is its answer, ``{"answer": ...}`` or
``{"error": ..., "kind": ...}``. The socket belongs to the owner's user alone; its address stands in the lock file.
"""

import contextlib
import json
import os
import socket
import socketserver
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from equipoise.arena.spec.spec import PlayerSpec, as_player
from equipoise.arena.spec.trial import Fault, Lease, Receipt
from equipoise.arena.store.ownership import owner_of
from equipoise.core import errors
from equipoise.core.errors import EquipoiseError, ParameterError, StoreError

Arena = Any
"""The arena itself, whose module uses this one."""

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


CALLS: Mapping[str, Callable[[Arena, Mapping[str, Any]], Any]] = {
    "ask": lambda arena, given: [lease.to_dict() for lease in arena.ask(**given)],
    "renew": lambda arena, given: arena.renew(**_with_lease(given)).to_dict(),
    "tell": lambda arena, given: asdict(arena.tell(**_with_lease(given))),
    "tell_many": lambda arena, given: [
        asdict(one) for one in arena.tell_many([_with_lease(result) for result in given["results"]])
    ],
    "fail": lambda arena, given: asdict(arena.fail(**_with_lease(given))),
    "state": lambda arena, _given: arena.state,
    "pause": lambda arena, _given: arena.pause(),
    "resume": lambda arena, _given: arena.resume(),
    "stop": lambda arena, _given: arena.stop(),
    "void": lambda arena, given: arena.void(**given),
    "add_player": lambda arena, given: arena.add_player(**given),
    "verify": lambda arena, _given: arena.verify().to_dict(),
}
"""What other processes may ask for."""


# An arena that another process on this machine owns: the same calls, sent to its owner.


class ArenaClient:
    """Reach an arena through its owner.

    Parameters
    ----------
    database
        The arena's file.

    Fails when
        nobody owns it, or its owner does not answer.
    """

    def __init__(self, database: str | Path) -> None:
        self._database = Path(database)
        owner = owner_of(self._database)
        address = owner.get("address")
        if address is None:
            how = "is in use by a process that takes no requests" if owner else "is not open in any process"
            raise StoreError(f"{database} {how}")
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._connection.connect(str(address))
        except OSError as error:
            raise StoreError(f"the owner of {database} does not answer: {error}") from None
        self._lines = self._connection.makefile("rb")
        self._turn = threading.Lock()

    def _call(self, name: str, **given: Any) -> Any:
        line = json.dumps({"call": name, "with": given}, allow_nan=True).encode() + b"\n"
        try:
            with self._turn:
                self._connection.sendall(line)
                answer = self._lines.readline()
        except OSError as error:
            raise StoreError(f"the owner of {self._database} went away: {error}") from None
        if not answer:
            raise StoreError(f"the owner of {self._database} went away")
        said = json.loads(answer)
        if "error" in said:
            kind = getattr(errors, said["kind"], EquipoiseError)
            raise kind(said["error"])
        return said["answer"]

    def ask(
        self,
        n: int = 1,
        worker: str = "worker",
        wait: float = 0.0,
        *,
        request: str | None = None,
        labels: Collection[str] | None = None,
    ) -> list[Lease]:
        """Lease trials, as :meth:`Arena.ask`."""
        wanted = None if labels is None else sorted(labels)
        leases = self._call("ask", n=n, worker=worker, wait=wait, request=request, labels=wanted)
        return [Lease.from_dict(one) for one in leases]

    def renew(self, lease: Lease, progress: float) -> Lease:
        """Renew a lease, as :meth:`Arena.renew`."""
        return Lease.from_dict(self._call("renew", lease=lease.to_dict(), progress=progress))

    def tell(
        self,
        lease: Lease,
        scores: Sequence[float],
        key: str | None = None,
        controls: Mapping[str, Sequence[float]] | None = None,
        transcript: str | None = None,
        *,
        costs: Mapping[str, float] | None = None,
    ) -> Receipt:
        """Report an outcome, as :meth:`Arena.tell`."""
        given = {"key": key, "controls": controls, "transcript": transcript, "costs": costs}
        return Receipt(**self._call("tell", lease=lease.to_dict(), scores=list(scores), **given))

    def tell_many(self, results: Iterable[Mapping[str, Any]]) -> list[Receipt]:
        """Bring many outcomes, as :meth:`Arena.tell_many`."""
        plain = [{**one, "lease": one["lease"].to_dict(), "scores": list(one["scores"])} for one in results]
        return [Receipt(**receipt) for receipt in self._call("tell_many", results=plain)]

    def fail(self, lease: Lease, fault: Fault, seat: int | None = None, message: str = "") -> Receipt:
        """Say that a trial was not finished, as :meth:`Arena.fail`."""
        return Receipt(**self._call("fail", lease=lease.to_dict(), fault=fault, seat=seat, message=message))

    @property
    def state(self) -> str:
        """Whether play goes on."""
        return str(self._call("state"))

    def pause(self) -> None:
        """Lease nothing until :meth:`resume`."""
        self._call("pause")

    def resume(self) -> None:
        """Go on."""
        self._call("resume")

    def stop(self) -> None:
        """End play."""
        self._call("stop")

    def void(self, number: int, reason: str) -> None:
        """Leave out the block of a trial, as :meth:`Arena.void`."""
        self._call("void", number=number, reason=reason)

    def add_player(self, player: PlayerSpec | str | Mapping[str, Any]) -> None:
        """Let one more play, as :meth:`Arena.add_player`."""
        self._call("add_player", player=as_player(player).to_dict())

    def close(self) -> None:
        """Leave."""
        self._lines.close()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
