"""The arenas of a server, each with everything that stands in front of it."""

import asyncio
import json
import logging
import time
from collections.abc import Mapping

from starlette.requests import Request

from equipoise.arena.arena import Arena
from equipoise.arena.spec.votes import GAME
from equipoise.web.access.roles import Route
from equipoise.web.access.sessions import BrowserSessions, Caller
from equipoise.web.bridge import ArenaBridge
from equipoise.web.documents import Documents
from equipoise.web.limits import UNKNOWN_RATE, WORKER_RATE, Rates
from equipoise.web.live import LiveDesk
from equipoise.web.problems import ProblemError
from equipoise.web.votes.ballots import VoteDesk

LOG = logging.getLogger("equipoise.web")


class ServedArena:
    """One arena and everything that stands in front of it."""

    def __init__(self, name: str, arena: Arena, *, public: bool) -> None:
        self.name, self.arena = name, arena
        self.public = public and arena.spec.game != GAME  # who votes must not see the standings
        self.bridge = ArenaBridge(arena)
        self.live = LiveDesk(self.bridge)
        self.sessions = BrowserSessions(self.bridge)
        self.documents = Documents(arena)
        self.voting = VoteDesk(self.bridge) if arena.spec.game == GAME else None
        self.recounting = asyncio.Semaphore(1)


class Desks:
    """The arenas of a server, by name, and what they share."""

    def __init__(self, served: Mapping[str, ServedArena], rates: Rates) -> None:
        self.served, self.rates = served, rates
        self.requests: dict[tuple[str, int], int] = {}
        self.seconds: dict[str, float] = {}

    def find(self, name: str) -> ServedArena:
        """Give an arena; who may not look at it does not learn that it is there."""
        if name not in self.served:
            raise ProblemError("no-token", "a token of this arena is needed", {"www-authenticate": "Bearer"})
        return self.served[name]

    def admit(self, desk: ServedArena, route: Route, request: Request) -> Caller:
        """Say who calls, or refuse."""
        caller = desk.sessions.caller(request, public=desk.public)
        if caller is None:
            self.rates.spend(f"address {request.client.host if request.client else '?'}", UNKNOWN_RATE)
            raise ProblemError("no-token", "a token of this arena is needed", {"www-authenticate": "Bearer"})
        if route.roles is not None and caller.token.role not in route.roles:
            raise ProblemError("not-allowed", f"a token of the role {caller.token.role} may not do that")
        if caller.token.role in ("worker", "voter"):
            self.rates.spend(f"token {caller.token.id}", WORKER_RATE)
        return caller

    def count(self, name: str, status: int, seconds: float = 0.0) -> None:
        """Count a request by what it asked, how it was answered, and how long that took."""
        self.requests[name, status] = self.requests.get((name, status), 0) + 1
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        if LOG.isEnabledFor(logging.INFO):
            LOG.info(
                json.dumps(
                    {"time": round(time.time(), 3), "call": name, "status": status, "ms": round(1e3 * seconds, 1)}
                )
            )
