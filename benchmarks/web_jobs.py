"""An arena over HTTP: games asked for and reported by workers on the same machine, beside a bare server."""

import http.client
import json
import subprocess
import sys
import tempfile
import time
import weakref
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.arena_jobs import at_once, new_arena, same_count
from benchmarks.job import Answer, Job, Side

__all__ = ["JOBS"]

WORKERS = 16


class Served:
    """A server in a process of its own, and workers that keep their connections."""

    def __init__(self, kind: str, results: int, together: int) -> None:
        self.results, self.together = results, together
        folder = tempfile.TemporaryDirectory()
        file = Path(folder.name) / "speed.db"
        self.token = ""
        if kind == "ours":
            with new_arena(str(file)) as arena:
                self.token = arena.make_token("worker", "w")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.web_server", kind, str(file)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        weakref.finalize(self, self._process.communicate)
        weakref.finalize(self, folder.cleanup)
        self._wait()

    def _wait(self) -> None:
        for _ in range(200):
            try:
                with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)) as connection:
                    connection.connect()
            except OSError:
                time.sleep(0.05)
            else:
                return

    def post(self, connection: http.client.HTTPConnection, path: str, said: Any) -> Any:
        """Say something, and read the answer."""
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        connection.request("POST", path, json.dumps(said), headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        assert response.status == 200, answer
        return answer


def turns(served: Served) -> Answer:
    """Report and ask in one request, with as many games at once as the job says."""
    each, counted = served.results // WORKERS // served.together, [0] * WORKERS

    def work(number: int) -> None:
        connection, tells = http.client.HTTPConnection("127.0.0.1", served.port), []
        for turn in range(each + 1):
            ask = {"n": served.together if turn < each else 0}
            said = {
                "request": f"{number}.{time.monotonic_ns()}-{turn}",
                "worker": f"w{number}",
                "tells": tells,
                "ask": ask,
            }
            answer = served.post(connection, "/api/1/arenas/speed/turns", said)
            counted[number] += sum(one["counted"] for one in answer["receipts"])
            tells = [{"lease": one["lease"], "scores": [1, 0]} for one in answer["leases"]]
        connection.close()

    at_once(WORKERS, work)
    return {"counted": sum(counted)}


def rows(served: Served) -> Answer:
    """Write a row for each result."""
    each = served.results // WORKERS

    def work(_number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", served.port)
        for _ in range(each):
            served.post(connection, "/rows", {"scores": [1, 0], "text": "x" * 200})
        connection.close()

    at_once(WORKERS, work)
    return {"counted": each * WORKERS}


def job(together: int) -> Job:
    sides = (
        Side("equipoise", turns, lambda results: Served("ours", results, together), "reported and asked for in a turn"),
        Side("bare FastAPI", rows, lambda results: Served("bare", results, 1), "a row and a durable commit each"),
    )
    sizes = (512, 1_024, 2_048)
    words = "results over HTTP, 16 workers" + ("" if together == 1 else f", {together} at once")
    return Job(words, int, sides, sizes, sizes[:2], lambda n: f"{n:,} results", same_count, grows=False)


JOBS = (job(1), job(8))
