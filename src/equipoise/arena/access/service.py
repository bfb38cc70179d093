"""The owner's door: other processes on this machine reach an arena in a file through a local socket.

A request is one line of JSON, ``{"secret": ..., "call": "tell", "with": {...}}``, and so is its answer, ``{"answer":
...}`` or ``{"error": ..., "kind": ...}``. The socket and the secret stand in a folder that is the owner's user's alone
and that no confined player sees; its address stands in the lock file. Who calls is no proof: from inside a sandbox a
player looks like the owner's user.
"""

import contextlib
import json
import os
import secrets
import socket
import socketserver
import stat
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

import numpy as np

from equipoise.arena.processes.json_lines import split_command
from equipoise.arena.processes.walls import strays
from equipoise.arena.spec.access_token import Role
from equipoise.arena.spec.spec import PlayerSpec, as_player
from equipoise.arena.spec.trial import Fault, Lease, Receipt
from equipoise.arena.store.ownership import owner_of
from equipoise.core import errors
from equipoise.core.errors import EquipoiseError, ParameterError, StoreError

Arena = Any
"""The arena itself, whose module uses this one."""

LOOSENING = ("network", "environment", "files", "devices")
"""Options that let a program out of its sandbox."""
LONGEST = 64 * 1024 * 1024
"""Bytes of one request: a transcript may be long."""


class Service:
    """Answer requests of other processes until :meth:`close`."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self.address = _address(arena.id)
        self._secret = secrets.token_hex(32)
        self._remove()  # what an owner that was killed left; the lock is ours, so nobody listens there
        before = os.umask(0o077)
        try:
            _secret_beside(self.address).write_text(self._secret)
            self._server = _Server(str(self.address), self)
        finally:
            os.umask(before)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()
        self._remove()

    def _remove(self) -> None:
        for path in (self.address, _secret_beside(self.address)):
            path.unlink(missing_ok=True)

    def answer(self, line: bytes) -> dict[str, Any]:
        """Answer one request; what is refused is an answer, too."""
        try:
            request = json.loads(line)
            if not secrets.compare_digest(str(request.get("secret")).encode(), self._secret.encode()):
                raise ParameterError("the owner's secret is missing or wrong")
            call = CALLS.get(request.get("call"))
            if call is None:
                raise ParameterError(f"no such request: {request.get('call')!r}")
            return {"answer": call(self._arena, request.get("with", {}))}
        except EquipoiseError as error:
            kind = next(one.__name__ for one in type(error).__mro__ if hasattr(errors, one.__name__))
            return {"error": str(error), "kind": kind}
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
    """Give a short path in a folder of the user's own: the names of sockets may not be long."""
    folder = Path(tempfile.gettempdir()) / f"equipoise-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        folder = Path(tempfile.mkdtemp(prefix="equipoise-"))  # somebody else made it, or it is open to others
    return folder / f"{arena}.sock"


def _secret_beside(address: Path) -> Path:
    return address.with_suffix(".secret")


def _with_lease(given: Mapping[str, Any]) -> dict[str, Any]:
    return {**given, "lease": Lease.from_dict(given["lease"])}


def _as_confined(arena: Arena, player: Any) -> PlayerSpec:
    """Take a player who joins through the socket: what it may do is for the owner to say, in the spec."""
    spec = as_player(player)
    loose = [name for name in LOOSENING if spec.options.get(name)]
    loose += ['sandbox = "off"'] if spec.options.get("sandbox") == "off" else []
    loose += ["memory without a limit"] if spec.options.get("memory", 0) is None else []
    kind, _, rest = (spec.bot or "").partition(":")
    if kind == "python" and all(spec.bot != player.bot for player in arena.spec.players):
        loose.append("python:")
    if kind in ("program", "uci"):
        loose += [f'the file "{path}"' for path in strays(split_command(rest))]
    if loose:
        how = f"{loose[0]} is not taken from another process; stop play, add it, go on"
        raise ParameterError(f'player "{spec.name}": {how}')
    return spec


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
    "add_player": lambda arena, given: arena.add_player(_as_confined(arena, given["player"])),
    "verify": lambda arena, _given: arena.verify().to_dict(),
    "make_token": lambda arena, given: arena.make_token(**given),
    "revoke": lambda arena, given: arena.revoke(**given),
    "tokens": lambda arena, _given: arena.tokens(),
    "exclude": lambda arena, given: arena.exclude(**given),
    "include": lambda arena, given: arena.include(**given),
}
"""What other processes may ask for."""


def _plain(value: Any) -> Any:
    """Give numbers of NumPy, and lists and mappings of them, as JSON has them; what is no number stays as it is."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


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
            self._secret = _secret_beside(Path(str(address))).read_text()
            self._connection.connect(str(address))
        except OSError as error:
            raise StoreError(f"the owner of {database} does not answer: {error}") from None
        self._lines = self._connection.makefile("rb")
        self._turn = threading.Lock()

    def _call(self, name: str, /, **given: Any) -> Any:
        line = json.dumps({"secret": self._secret, "call": name, "with": given}, allow_nan=True).encode() + b"\n"
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
        given = {"key": key, "controls": _plain(controls), "transcript": transcript, "costs": _plain(costs)}
        return Receipt(**self._call("tell", lease=lease.to_dict(), scores=_plain(scores), **given))

    def tell_many(self, results: Iterable[Mapping[str, Any]]) -> list[Receipt]:
        """Bring many outcomes, as :meth:`Arena.tell_many`."""
        plain = [
            {**{name: _plain(value) for name, value in one.items() if name != "lease"}, "lease": one["lease"].to_dict()}
            for one in results
        ]
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

    def make_token(self, role: Role, name: str, *, labels: Sequence[str] = (), days: float = 90.0) -> str:
        """Make a token, as :meth:`Arena.make_token`."""
        return str(self._call("make_token", role=role, name=name, labels=list(labels), days=days))

    def revoke(self, token: str) -> None:
        """Let nobody in with a token any more."""
        self._call("revoke", token=token)

    def tokens(self) -> list[dict[str, Any]]:
        """List the tokens that are good."""
        return list(self._call("tokens"))

    def exclude(self, worker: str, reason: str) -> int:
        """Withdraw all results of a worker, as :meth:`Arena.exclude`."""
        return int(self._call("exclude", worker=worker, reason=reason))

    def include(self, worker: str, reason: str) -> None:
        """Let an excluded worker play again."""
        self._call("include", worker=worker, reason=reason)

    def close(self) -> None:
        """Leave."""
        self._lines.close()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
