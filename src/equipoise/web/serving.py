"""Run a server of arenas until it is told to stop: uvicorn, with our limits."""

import contextlib
import socket
from collections.abc import Callable, Sequence

import uvicorn

from equipoise.arena.arena import Arena
from equipoise.core.errors import ParameterError
from equipoise.web.app import LOOPBACK, make_app, open_arenas
from equipoise.web.limits import Fence

GRACE = 10
"""Seconds in which requests are finished once the server is told to stop."""
LARGEST_HEADERS = 16_384


class ArenaServer(uvicorn.Server):
    """Ends streams and questions that wait before it waits for requests to end."""

    def __init__(self, config: uvicorn.Config, app: Fence) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._app.dismiss()
        await super().shutdown(sockets)


def server_of(app: Fence, host: str = "127.0.0.1", port: int = 0, proxy: str | None = None) -> ArenaServer:
    """Make the server of an application; ``proxy`` is the only address that may say for whom it asks."""
    config = uvicorn.Config(
        app, host=host, port=port, log_level="warning", access_log=False, server_header=False, ws="none",
        timeout_graceful_shutdown=GRACE, h11_max_incomplete_event_size=LARGEST_HEADERS, http="h11", loop="asyncio",
        proxy_headers=proxy is not None, forwarded_allow_ips=proxy or "",
    )  # fmt: skip
    return ArenaServer(config, app)


def serve(
    files: Sequence[str],
    listen: str = "127.0.0.1:8000",
    *,
    hosts: Sequence[str] = (),
    proxy: str | None = None,
    public: bool = False,
    say: Callable[[str], None],
) -> None:
    """Open arenas and serve them.

    Parameters
    ----------
    files
        Of the arenas; ``postgresql://...`` likewise.
    listen
        Host and port.
    hosts
        Names under which the server is called, besides the one it listens on.
    proxy
        Address of the only proxy that may say for whom it asks.
    public
        Whether everybody may look without a token.
    say
        Takes each line for the operator.
    """
    host, port = _split(listen)
    arenas = open_arenas(files)
    with contextlib.ExitStack() as last:
        for arena in arenas.values():
            last.callback(arena.close)
            arena.serve()
        names = [*LOOPBACK, *([] if host in ("0.0.0.0", "::") else [host]), *(one.lower() for one in hosts)]
        app = make_app(arenas, hosts=names, public=public)
        server = server_of(app, host, port, proxy)
        shown = (*hosts, "localhost" if host in ("0.0.0.0", "::", "127.0.0.1") else host)[0]
        for name, arena in arenas.items():
            for line in greeting(arena, f"http://{shown}:{port}/arenas/{name}"):
                say(line)
        server.run()


def greeting(arena: Arena, url: str) -> list[str]:
    """Say where an arena is; who may do what gets a token at its first start."""
    lines = [f'"{arena.spec.name}" is at {url}']
    roles = arena.look(lambda state: {token.role for token in state.admission.tokens.values()})
    if "organiser" not in roles:
        lines.append(f"Organiser, shown once: {url}/enter#{arena.make_token('organiser', 'organiser')}")
    if "viewer" not in roles:
        lines.append(f"To look, shown once: {url}/enter#{arena.make_token('viewer', 'viewers')}")
    if "worker" not in roles:
        token = arena.make_token("worker", "worker 1")
        lines.append(f"To work, shown once: EQUIPOISE_TOKEN={token} equipoise arena work {url}")
    if len(lines) == 1:
        lines.append(f"New links: equipoise arena token new --role viewer -d {arena.place}")
    return lines


def _split(listen: str) -> tuple[str, int]:
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise ParameterError(f"listen at HOST:PORT, such as 127.0.0.1:8000, not {listen}")
    return host.strip("[]") or "127.0.0.1", int(port)
