"""What a client may cost: bytes, seconds, requests; who goes beyond harms itself."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from equipoise.web.problems import ProblemError

LARGEST_BODY, LARGEST_TURN = 1_000_000, 8_000_000
BODY_SECONDS = 10.0
UNKNOWN_RATE, WORKER_RATE = 5.0, 50.0
"""Requests a second from an address without a token, and of a worker."""
BURST = 4.0
"""Seconds of its rate that a caller may use at once."""
REMEMBERED = 10_000


async def read_body(request: Request, largest: int = LARGEST_BODY) -> bytes:
    """Read a body that is not too large and comes in time."""
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > largest:
        raise ProblemError("too-large", f"a body has at most {largest:,} bytes here")
    pieces, size = [], 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for piece in request.stream():
                size += len(piece)
                if size > largest:
                    raise ProblemError("too-large", f"a body has at most {largest:,} bytes here")
                pieces.append(piece)
    except TimeoutError:
        raise ProblemError(
            "bad-request", f"the body took more than {BODY_SECONDS:g} s", {"connection": "close"}
        ) from None
    except ClientDisconnect:
        raise ProblemError("bad-request", "the body was cut short") from None
    return b"".join(pieces)


async def read_form(request: Request) -> dict[str, str]:
    """Read the fields of a form, also of one that a script sends as JSON."""
    body = await read_body(request)
    if request.headers.get("content-type", "").startswith("application/json"):
        said = json.loads(body or b"{}")
        return {str(name): str(value) for name, value in said.items()} if isinstance(said, dict) else {}
    try:
        return dict(parse_qsl(body.decode(), max_num_fields=50))
    except ValueError:
        raise ProblemError("bad-request", "the form cannot be read") from None


class Rates:
    """Token buckets by caller; where they are not ``held``, everybody has as many as they like."""

    def __init__(self, held: bool) -> None:
        self._held = held
        self._left: dict[str, tuple[float, float]] = {}

    def spend(self, caller: str, rate: float) -> None:
        """Count a request; refuse it if there were too many."""
        if not self._held:
            return
        now = time.monotonic()
        left, at = self._left.pop(caller, (rate * BURST, now))
        left = min(left + (now - at) * rate, rate * BURST) - 1.0
        if len(self._left) >= REMEMBERED:
            self._left.pop(next(iter(self._left)))
        self._left[caller] = max(left, -1.0), now
        if left < 0.0:
            raise ProblemError("too-many", f"at most {rate:g} requests a second")


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]


class Fence:
    """In front of everything: the host's name, and headers that browsers obey.

    Parameters
    ----------
    app
        What is behind it.
    hosts
        Names under which the server may be called: a page of another site may have its own name point here.
    dismiss
        Ends what waits and streams, before the server closes.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str], dismiss: Callable[[], None]) -> None:
        self._app, self._hosts, self.dismiss = app, frozenset(hosts), dismiss

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def fenced(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]  # type: ignore[misc]  # a list, by the protocol
            await send(message)

        given = next((value for name, value in scope["headers"] if name == b"host"), b"")
        name = host_of(given.decode("latin-1"))
        if name not in self._hosts:
            refusal = ProblemError("wrong-host", "this server does not go by the name that was asked for").response()
            await refusal(scope, receive, fenced)  # type: ignore[arg-type]
            return
        await self._app(scope, receive, fenced)  # type: ignore[arg-type]


def host_of(header: str) -> str:
    """Give the name in a Host header without its port.

    >>> host_of("Localhost:8000"), host_of("[::1]:8000")
    ('localhost', '[::1]')
    """
    name = header.strip().lower()
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0]
