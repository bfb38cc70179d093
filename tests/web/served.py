"""A server of arenas on loopback, in a thread of the test, and requests to it."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import equipoise as eq
from equipoise.web.app import make_app
from equipoise.web.serving import server_of

PLAYERS = ("ada", "bea", "cyd")


def spec_of(**more: Any) -> eq.ArenaSpec:
    """Give a small arena whose games are played by the test itself."""
    given = {"name": "Ladder", "game": "python:nowhere:play", "players": list(PLAYERS), "goal": "budget", "budget": 600}
    return eq.ArenaSpec(**{**given, **more})


class Server:
    """A running server of one arena, called ladder."""

    def __init__(
        self,
        arena: eq.Arena,
        *,
        port: int = 0,
        others: Mapping[str, eq.Arena] | None = None,
        proxy: str | None = None,
        **options: Any,
    ) -> None:
        self.arena, self.tokens, self._others = arena, dict[str, str](), others or {}
        app = make_app({"ladder": arena, **self._others}, **{"rates": False, **options})
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self.port = self._socket.getsockname()[1]
        self._server = server_of(app, proxy=proxy)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        until = time.monotonic() + 30.0
        while not self._server.started and time.monotonic() < until:
            time.sleep(0.01)

    @property
    def url(self) -> str:
        """Address of the arena."""
        return f"http://127.0.0.1:{self.port}/arenas/ladder"

    def token(self, role: str, name: str, **more: Any) -> str:
        """Make a token, and wait until the server knows it."""
        text = self.tokens[name] = self.arena.make_token(role, name, **more)
        until = time.monotonic() + 10.0
        while self.ask("GET", "/api/1/arenas", text).status == 401 and time.monotonic() < until:
            time.sleep(0.01)
        return text

    def close(self) -> None:
        """End it."""
        self._server.should_exit = True
        self._thread.join(20.0)
        self._socket.close()
        for arena in (self.arena, *self._others.values()):
            arena.close()

    def ask(
        self,
        method: str,
        path: str,
        token: str | None = None,
        said: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> "Answer":
        """Send a request; ``said`` is a body as it is, or a value to be written as JSON."""
        body = said if said is None or isinstance(said, bytes) else json.dumps(said).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            sent = {**({"authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def turn(self, token: str, **said: Any) -> dict[str, Any]:
        """Take a turn that is not refused as a whole."""
        answer = self.ask("POST", "/api/1/arenas/ladder/turns", token, said)
        assert answer.status in (200, 204), answer.body
        return answer.json() if answer.body else {"leases": []}

    def play(self, token: str, games: int, session: str = "s") -> None:
        """Play so many games, in which whoever comes first in the alphabet wins."""
        tells: list[dict[str, Any]] = []
        for number in range(1, games + 2):
            answer = self.turn(
                token, request=f"{session}-{number}", tells=tells, ask={"n": 1 if number <= games else 0}
            )
            assert all(one["status"] == 200 for one in answer["receipts"])
            tells = [{"lease": one["lease"], "scores": scores_of(one["trial"]["players"])} for one in answer["leases"]]


class Answer:
    """What a server answered."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.body = status, body
        self.headers = {name.lower(): value for name, value in headers.items()}

    def json(self) -> Any:
        """Read the body."""
        return json.loads(self.body)

    @property
    def problem(self) -> str:
        """The stable name of a refusal."""
        assert self.headers["content-type"] == "application/problem+json", (self.status, self.body)
        return str(self.json()["type"]).rpartition("/")[2]


def scores_of(players: list[str]) -> list[float]:
    """Give who comes first in the alphabet the game."""
    return [1.0, 0.0] if players[0] < players[1] else [0.0, 1.0]


@contextlib.contextmanager
def served(folder: Path, spec: eq.ArenaSpec | None = None, **options: Any) -> Iterator[Server]:
    """Serve a new arena."""
    server = Server(eq.Arena.create(folder / "ladder.db", spec or spec_of()), **options)
    try:
        yield server
    finally:
        server.close()
