"""Connections on which nothing comes, or too much: the head of a request is small and arrives within seconds."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS, LARGEST_HEAD = 10.0, 16_384
TOO_LARGE = f"The head of a request has at most {LARGEST_HEAD:,} bytes."


class PromptProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with limits to how long a client may take to say what it wants, and in how much."""

    _deadline: asyncio.TimerHandle | None = None
    _named = _unfinished = 0
    _in_head = False

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Go on waiting until the head of a request is complete."""
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        super().data_received(data)
        if self._in_head:
            self._unfinished += len(data)
            if self._unfinished > LARGEST_HEAD and not self.transport.is_closing():
                self.send_400_response(TOO_LARGE)
        elif self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        self._named = self._unfinished = 0
        self._in_head = True

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a line of it; what is raised here is answered with 400."""
        super().on_header(name, value)
        self._named += len(name) + len(value)
        if self._named > LARGEST_HEAD:
            raise ValueError(TOO_LARGE)

    def on_headers_complete(self) -> None:
        """End a head."""
        self._in_head = False
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS, self._end)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()
