"""The server: arenas behind one address, as an ASGI application."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from equipoise.arena.arena import Arena
from equipoise.core.errors import EquipoiseError, ParameterError
from equipoise.web.access.roles import BY_NAME, ROUTES, Route
from equipoise.web.calls import HANDLERS
from equipoise.web.desks import LOG, Desks, ServedArena
from equipoise.web.limits import Fence, Rates
from equipoise.web.openapi import describe
from equipoise.web.pages.routes import add_pages
from equipoise.web.problems import ProblemError, problem_of

TURN = compile_path(BY_NAME["turn"].path)[0]
READERS = 2
"""Threads that make what is shown: beside the loop's and the writer's there are no others, however many wait."""
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def make_app(
    arenas: Mapping[str, Arena] | str | Sequence[str],
    *,
    hosts: Sequence[str] = LOOPBACK,
    public: bool = False,
    rates: bool = True,
) -> Fence:
    """Make the application.

    Parameters
    ----------
    arenas
        By the name that stands in addresses; or files or addresses of databases, each under its own name.
    hosts
        Names under which the server is called.
    public
        Whether everybody may look, without a token.
    rates
        Whether callers are held to so many requests a second.
    """
    given = isinstance(arenas, Mapping)
    opened = arenas if isinstance(arenas, Mapping) else open_arenas([arenas] if isinstance(arenas, str) else arenas)
    desks = Desks({name: ServedArena(name, arena, public=public) for name, arena in opened.items()}, Rates(rates))
    return application_of(desks, hosts, closing=not given)


def application_of(desks: Desks, hosts: Sequence[str] = LOOPBACK, *, closing: bool = False) -> Fence:
    """Put everything before desks; ``closing`` says whether the arenas end with the application."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(READERS, "arena-reader"))
        for desk in desks.served.values():
            desk.live.start()
            if desk.voting is not None:
                desk.voting.start()
        yield
        for desk in desks.served.values():
            if desk.voting is not None:
                await desk.voting.close()
            await desk.live.close()
            if closing:
                desk.arena.close()

    app = Starlette(lifespan=lifespan)
    for route in ROUTES:
        app.router.add_route(route.path, _endpoint(desks, route, HANDLERS[route.name]), methods=[route.method])
    app.router.add_route("/api/1/openapi.json", _document, methods=["GET"])
    add_pages(app.router, desks)
    app.router.default = _nothing_here
    hot = _endpoint(desks, BY_NAME["turn"], HANDLERS["turn"])
    app.router.redirect_slashes = False

    def dismiss() -> None:
        for desk in desks.served.values():
            desk.live.dismiss()

    return Fence(_before(app, hot), hosts, dismiss)


def _before(app: Starlette, turn: Callable[[Request], Awaitable[Response]]) -> ASGIApp:
    """Take turns past the router, whose work is a quarter of a turn's; everything else goes through it."""

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        found = TURN.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if found is None:
            await app(scope, receive, send)
            return
        scope["path_params"] = found.groupdict()
        response = await turn(Request(scope, receive))
        await response(scope, receive, send)

    return routed


async def _document(_request: Request) -> Response:
    return Response(json.dumps(describe()), media_type="application/json")


async def _nothing_here(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await ProblemError("not-found", "there is nothing at this address").response()(scope, receive, send)


def _endpoint(desks: Desks, route: Route, handler: Any) -> Callable[[Request], Awaitable[Response]]:
    """Put a handler behind its roles, and turn refusals into problems."""

    async def answer(request: Request) -> Response:
        response: Response
        begun = time.perf_counter()
        try:
            if "{arena}" in route.path:
                desk = desks.find(request.path_params["arena"])
                caller = desks.admit(desk, route, request)
                if route.method != "GET":
                    desk.sessions.refuse_forged(request, caller, {})
                response = await handler(desk, caller, request)
            else:
                response = await handler(desks, route, request)
        except Exception as error:
            problem = problem_of(error)
            if problem.status == 500:
                LOG.exception("%s %s", request.method, route.name)
            response = problem.response()
        desks.count(route.name, response.status_code, time.perf_counter() - begun)
        return response

    return answer


def open_arenas(files: Sequence[str]) -> dict[str, Arena]:
    """Open arenas to be served, each under the name of its file or database.

    Fails when
        two would have one name, or one cannot be opened.
    """
    arenas: dict[str, Arena] = {}
    try:
        for file in files:
            name = Path(file.partition("?")[0]).stem
            if name in arenas:
                raise ParameterError(f'two arenas would be called "{name}": rename one of the files')
            arenas[name] = Arena.open(file)
    except EquipoiseError:
        for arena in arenas.values():
            arena.close()
        raise
    return arenas
