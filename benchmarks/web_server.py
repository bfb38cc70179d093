"""The servers that are measured: ours, and a bare one that writes a row and commits for each result.

``python -m benchmarks.web_server ours|bare FILE``; it prints its port, and ends when its standard input does.
"""

import os
import socket
import sqlite3
import sys
import threading
from typing import Any

import uvicorn


def bare(file: str) -> Any:
    """Give a FastAPI application with one endpoint: a row, a durable commit, an answer."""
    from fastapi import FastAPI

    database = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, body TEXT)")
    writing, app = threading.Lock(), FastAPI()

    @app.post("/rows")
    def add(said: dict[str, Any]) -> dict[str, int]:
        with writing:
            done = database.execute("INSERT INTO rows (body) VALUES (?)", (str(said),))
            return {"number": done.lastrowid or 0}

    return app


def ours(file: str) -> Any:
    """Give the server of an arena."""
    import equipoise as eq
    from equipoise.web.app import make_app

    return make_app({"speed": eq.Arena.open(file)}, rates=False)


def server_of(kind: str, file: str) -> uvicorn.Server:
    """Make a server as it is run: ours by its own command, the bare one by uvicorn's."""
    if kind == "ours":
        from equipoise.web.serving import server_of as own

        return own(ours(file))
    return uvicorn.Server(uvicorn.Config(bare(file), log_level="error", access_log=False, ws="none"))


def main() -> None:
    """Serve until standard input ends."""
    kind, file = sys.argv[1:]
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = server_of(kind, file)
    threading.Thread(target=server.run, args=([listening],), daemon=True).start()
    print(listening.getsockname()[1], flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
