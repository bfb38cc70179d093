"""Requests to a server of arenas that may go missing: said again with the same body until they are answered."""

import http.client
import json
import random
import ssl
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from equipoise.arena.engine.managing import VersionChangedError
from equipoise.arena.engine.reported_results import OtherResultError
from equipoise.arena.engine.sessions import StaleRequestError
from equipoise.core.errors import DataError, EquipoiseError, LeaseError, ParameterError, StoreError

FIRST_NAP, LONGEST_NAP, PATIENCE, FIRST = 0.05, 10.0, 60.0, 3.0
"""Seconds before a request is said again, doubled each time up to the longest; how long that goes on; and how long
before a server has ever answered: its address may be wrong."""
SECONDS = 60.0
"""How long one answer may take."""
AGAIN = (429, 502, 503, 504)
ERRORS: Mapping[str, type[EquipoiseError]] = {
    "lease-taken": LeaseError, "stale-request": StaleRequestError, "other-result": OtherResultError,
    "version-changed": VersionChangedError, "conflict": DataError, "makes-no-sense": DataError,
    "unavailable": StoreError,
}  # fmt: skip


class Transport:
    """A connection to one server, kept open between requests; any thread may use it, each has its own.

    Parameters
    ----------
    url
        ``http://HOST:PORT/arenas/NAME``.
    token
        What lets us in; None where everybody may look.

    Fails when
        the address is no arena's.
    """

    def __init__(self, url: str, token: str | None) -> None:
        parts = urlsplit(url)
        names = [name for name in parts.path.split("/") if name]
        if parts.scheme not in ("http", "https") or not parts.hostname or len(names) < 2 or names[-2] != "arenas":
            raise ParameterError(f"an arena on the web has an address like http://HOST:8000/arenas/NAME, not {url}")
        self.url, self.name = url, names[-1]
        self._parts: SplitResult = parts
        before = names[:-4] if names[-4:-2] == ["api", "1"] else names[:-2]
        self._base = "/".join(["", *before, "api", "1", "arenas", quote(names[-1], safe="%")])
        self.token = token
        self.role = token.split("_")[1] if token is not None and token.count("_") == 3 else "viewer"
        self._answered = False
        self._own = threading.local()
        self._open: weakref.WeakSet[http.client.HTTPConnection] = weakref.WeakSet()

    def get(self, path: str, **query: int | str) -> Any:
        """Ask for a document."""
        asked = "&".join(f"{name}={quote(str(value))}" for name, value in query.items())
        return json.loads(self._patiently("GET", f"{path}?{asked}" if asked else path, None))

    def lines(self, path: str) -> list[str]:
        """Ask for a text, and give its lines."""
        return self._patiently("GET", path, None).decode().splitlines()

    def post(self, path: str, said: Mapping[str, Any], *, within: float = PATIENCE) -> Any:
        """Say something; what is said again after a lost answer is the same to the letter. None for nothing."""
        answer = self._patiently("POST", path, json.dumps(said, allow_nan=False).encode(), within)
        return json.loads(answer) if answer else None

    def delete(self, path: str) -> Any:
        """Take something away."""
        return json.loads(self._patiently("DELETE", path, None))

    def close(self) -> None:
        """Let go of all connections; a request opens one anew."""
        for connection in list(self._open):
            connection.close()
        self._own = threading.local()

    def _drop(self) -> None:
        """Let go of this thread's connection."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()
            self._own.connection = None

    def _patiently(self, method: str, path: str, body: bytes | None, within: float = PATIENCE) -> bytes:
        until, nap = time.monotonic() + (within if self._answered else FIRST), FIRST_NAP
        while True:
            try:
                status, answer = self._once(method, path, body)
                self._answered = True
                if status not in AGAIN:
                    return self._judged(status, answer)
                trouble = f"it answers {status}"
            except (OSError, http.client.HTTPException) as error:
                self._drop()
                if isinstance(error, ssl.SSLError):
                    raise StoreError(f"{self.url} cannot be reached: {error}") from None
                trouble = str(error) or type(error).__name__
            if time.monotonic() + nap > until:
                raise StoreError(f"{self.url} cannot be reached: {trouble}")
            time.sleep(nap * random.uniform(0.5, 1.0))  # so that many who lost one server do not come back at once
            nap = min(2.0 * nap, LONGEST_NAP)

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        connection = getattr(self._own, "connection", None)
        if connection is None:
            kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
            connection = self._own.connection = kind(self._parts.hostname or "", self._parts.port, timeout=SECONDS)
            self._open.add(connection)
        headers = {"content-type": "application/json"} if body is not None else {}
        if self.token is not None:
            headers["authorization"] = f"Bearer {self.token}"
        connection.request(method, f"{self._base}{path}", body, headers)
        response = connection.getresponse()
        return response.status, response.read()

    def _judged(self, status: int, answer: bytes) -> bytes:
        """Give an answer, or raise the error that it is."""
        if status < 400:
            return answer
        try:
            problem = json.loads(answer)
            raise error_of(problem)
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, EquipoiseError):
                raise
            raise StoreError(
                f"{self.url} answers {status}, which no server of arenas does: is this its address?"
            ) from None


def error_of(problem: Mapping[str, Any]) -> EquipoiseError:
    """Give the error that a problem stands for."""
    name, detail = str(problem["type"]).rpartition("/")[2], str(problem["detail"])
    if name in ERRORS:
        return ERRORS[name](detail)
    return (ParameterError if int(problem["status"]) < 500 else StoreError)(detail)
