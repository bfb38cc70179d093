"""Run a server of arenas until it is told to stop: uvicorn, with our limits."""

import contextlib
import logging
import resource
import socket
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import uvicorn

from equipoise.arena.arena import Arena
from equipoise.arena.spec.votes import GAME
from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.web.app import LOOPBACK, make_app, open_arenas
from equipoise.web.desks import LOG
from equipoise.web.limits import Fence
from equipoise.web.prompt import PromptProtocol
from equipoise.web.votes.opening import voters_links

GRACE = 10
"""Seconds in which requests are finished once the server is told to stop."""
MOST_FILES = 65_536


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
        timeout_graceful_shutdown=GRACE, http=PromptProtocol, proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
    )  # fmt: skip
    return ArenaServer(config, app)


def serve(
    files: Sequence[str],
    listen: str = "127.0.0.1:8000",
    *,
    hosts: Sequence[str] = (),
    proxy: str | None = None,
    public: bool = False,
    log: bool = False,
    say: Callable[[str], None],
    greet: Callable[[Arena, str], list[str]] | None = None,
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
    log
        Whether each request is a line of JSON on standard error.
    say
        Takes each line for the operator.
    greet
        Gives more lines about an arena and its address.
    """
    host, port = _split(listen)
    _allow_many_connections()
    if log:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        LOG.addHandler(handler)
        LOG.setLevel(logging.INFO)
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
            url = f"http://{shown}:{port}/arenas/{name}"
            for line in (*greeting(arena, url), *(greet or _voters)(arena, url)):
                say(line)
        server.run()


def _voters(arena: Arena, url: str) -> list[str]:
    """Say where people vote, where they do."""
    return voters_links(arena, url) if arena.spec.game == GAME else []


def _allow_many_connections() -> None:
    """Let this process open as many files as it may: a thousand streams are a thousand of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or soft < hard:
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def greeting(arena: Arena, url: str) -> list[str]:
    """Say where an arena is; who may do what gets a token at its first start."""
    lines = [f'"{arena.spec.name}" is at {url}']
    roles = arena.look(lambda state: {token.role for token in state.admission.tokens.values()})
    if "organiser" not in roles:
        lines.append(f"Organiser, shown once: {url}/enter#{arena.make_token('organiser', 'organiser')}")
    if "viewer" not in roles:
        lines.append(f"To look, shown once: {url}/enter#{arena.make_token('viewer', 'viewers')}")
    if "worker" not in roles and arena.spec.game != GAME:
        token = arena.make_token("worker", "worker 1")
        lines.append(f"To work, shown once: EQUIPOISE_TOKEN={token} equipoise arena work {url}")
    if len(lines) == 1:
        lines.append(f"New links: equipoise arena token new --role viewer -d {arena.place}")
    return lines


SETTINGS: Mapping[str, tuple[type, ...]] = {
    "arenas": (list,), "listen": (str,), "hosts": (list,), "proxy": (str,), "public": (bool,), "log": (bool,),
}  # fmt: skip
"""What a file of settings may say."""


def read_settings(path: Path) -> dict[str, Any]:
    """Read a file of settings, strictly."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ParameterError(f"{path} cannot be read as TOML: {' '.join(str(error).split())}") from None
    for name, value in said.items():
        if name not in SETTINGS:
            raise ParameterError(f'{path} has no key "{name}"{did_you_mean(name, [*SETTINGS])}')
        texts = not isinstance(value, list) or all(isinstance(one, str) for one in value)
        if not isinstance(value, SETTINGS[name]) or not texts:
            raise ParameterError(f"{path}: {name} is a {KINDS[SETTINGS[name][0]]}, not {value!r:.60}")
    return said


KINDS: Mapping[type, str] = {list: "list of texts", str: "text", bool: "switch (true or false)"}


def _split(listen: str) -> tuple[str, int]:
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise ParameterError(f"listen at HOST:PORT, such as 127.0.0.1:8000, not {listen}")
    return host.strip("[]") or "127.0.0.1", int(port)
