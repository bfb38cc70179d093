"""A server of a simulated arena: requests come through its whole application, as JSON, and it dies and comes back."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from equipoise.arena.remote.transport import error_of
from equipoise.arena.spec.access_token import AccessToken
from equipoise.arena.spec.trial import Lease, Receipt, Trial
from equipoise.core.errors import EquipoiseError
from equipoise.web.access.sessions import Caller
from equipoise.web.app import application_of
from equipoise.web.desks import Desks, ServedArena
from equipoise.web.limits import Rates
from tests.arena.simulation.owner import Owner, Request
from tests.web.virtual import VirtualLoop

WAITS = (0.0, 0.0, 0.3, 6.0, 30.0)
"""Seconds for which a question may wait; one, and hence its repetitions, always has the same."""
Reply = Callable[[Any, BaseException | None], None]


class _Alarm:
    """Stands for the event that wakes the writer: the simulation chooses when it does."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self.set = ring


class ServedOwner(Owner):
    """An owner that is reached through the server's application alone."""

    _loop: VirtualLoop | None = None

    def _died(self) -> None:
        super()._died()
        if self._loop is not None:
            self._loop.die()

    def _start(self) -> None:
        self._loop = None
        super()._start()
        if self._arena is None:
            return
        life, self._loop = self._life, VirtualLoop(self._world)
        self._desk = desk = ServedArena("ladder", self.arena, public=False)
        self._app = application_of(Desks({"ladder": desk}, Rates(False)))
        desk.bridge._writer = SimpleNamespace(start=lambda: None)  # type: ignore[assignment]
        desk.bridge._wake = _Alarm(lambda: self._wake(life))  # type: ignore[assignment]
        desk.sessions.caller = lambda request, public: _caller(request)  # type: ignore[method-assign]  # noqa: ARG005
        self._loop.call_soon(desk.live.start)
        self._loop.drain()

    def _wake(self, life: int) -> None:
        if not self._carrying and life == self._life:
            self._carrying = True
            self._world.later(self._world.random.uniform(0.0, 0.4), lambda: self._carry(life))

    def _write(self) -> None:
        self._desk.bridge.carry()
        assert self._loop is not None
        self._loop.drain()

    def _close(self) -> None:
        self._desk.live.dismiss()
        assert self._loop is not None
        self._loop.drain()
        super()._close()

    def receive(self, request: Request, reply: Reply) -> None:
        if self._arena is None or request["call"] == "sweep":
            super().receive(request, reply)
            return
        life, path, said = self._life, *self._body(request)

        def then(status: int, body: Any) -> None:
            if life != self._life:
                return
            try:
                answer, error = self._read_answer(request, status, body), None
            except EquipoiseError as refused:
                answer, error = None, refused
            self._check(request, answer, error)
            reply(answer, error)

        self._renewing += [request] if request["call"] == "renew" else []
        assert self._loop is not None
        who = request.get("worker") or (request["lease"].worker if "lease" in request else "operator")
        if request["call"] == "tell":
            who = request["results"][0]["lease"].worker
        self._loop.create_task(self._asked_over_http(path, who, json.dumps(said).encode(), then))
        self._loop.drain()

    def _body(self, request: Request) -> tuple[str, Mapping[str, Any]]:
        """Give what a client far away says."""
        call = request["call"]
        if call == "ask":
            wait = WAITS[sum(request["request"].encode()) % len(WAITS)]
            return "turns", {"request": request["request"], "ask": {"n": request["n"], "wait": wait}}
        if call == "renew":
            return "turns", {"renew": [{"lease": _text(request["lease"]), "progress": request["progress"]}]}
        if call == "fail":
            kinds = {"fault": request["fault"], "seat": request["seat"], "message": "x"}
            return "turns", {"fails": [{"lease": _text(request["lease"]), **kinds}]}
        if call == "tell":
            tells = [
                {"lease": _text(one["lease"]), "scores": list(one["scores"]), "key": one.get("key")}
                for one in request["results"]
            ]
            return "turns", {"tells": tells}
        return call, {"number": request["number"], "reason": "by chance"} if call == "void" else {}

    def _read_answer(self, request: Request, status: int, body: Any) -> Any:
        """Take an answer as a client far away does."""
        if status >= 400:
            raise error_of(body)
        call = request["call"]
        if call == "ask":
            return [self._lease(one, request["worker"]) for one in (body["leases"] if body else ())]
        items = [one for kind in ("receipts", "failed", "renewed") for one in body.get(kind, ())]
        for one in items:
            if one["status"] != 200:
                raise error_of(one)
        if call == "renew":
            return replace(request["lease"], until=items[0]["until"])
        receipts = [Receipt(one["counted"], one["duplicate"], one["seq"]) for one in items]
        return receipts if call == "tell" else receipts[0] if receipts else None

    def _lease(self, said: Mapping[str, Any], worker: str) -> Lease:
        _, attempt, secret = said["lease"].split(".")
        return Lease(
            Trial.from_dict(said["trial"]), int(attempt), worker, said["reason"], said["until"], self.arena.id, secret
        )

    async def _asked_over_http(self, path: str, who: str, body: bytes, then: Callable[[int, Any], None]) -> None:
        """Send a request through the application."""
        sent: list[dict[str, Any]] = []
        parts = [{"type": "http.request", "body": body, "more_body": False}]
        scope = {
            "type": "http", "http_version": "1.1", "method": "POST", "path": f"/api/1/arenas/ladder/{path}",
            "raw_path": b"", "query_string": b"", "root_path": "", "scheme": "http", "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2), "headers": [(b"host", b"localhost"), (b"x-who", who.encode())], "state": {},
        }  # fmt: skip

        async def receive() -> dict[str, Any]:
            return parts.pop(0) if parts else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        then(sent[0]["status"], json.loads(b"".join(one.get("body", b"") for one in sent[1:]) or b"null"))


def _caller(request: Any) -> Caller:
    """Believe whoever says who they are: who may do what is tried elsewhere."""
    who = request.headers["x-who"]
    role = "organiser" if who == "operator" else "worker"
    return Caller(AccessToken(who, role, who, "", float("inf")), False)


def _text(lease: Lease) -> str:
    return f"{lease.trial.number}.{lease.attempt}.{lease.secret}"
