"""Workers at a server on this machine, as cheap as they can be: one thread, bare sockets; and pages that watch.

``python -m benchmarks.web_load --seconds 60 --rounds 5`` measures every case in turn, round after round, and prints the
medians: results a second beside a bare endpoint and the arena in process, the time of a request, memory and CPU.
"""

import argparse
import json
import os
import selectors
import socket
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.arena_jobs import Leases, fresh_database, played
from benchmarks.web_served import Served

__all__ = ["WATCHERS", "Load", "drive"]

WATCHERS = 200


@dataclass
class Load:
    """What came of a load: results that count, seconds, each request's time, the server's CPU seconds and memory."""

    counted: int = 0
    seconds: float = 0.0
    took: list[float] = field(default_factory=list)
    processor: float = 0.0
    memory: list[int] = field(default_factory=list)

    def at(self, share: float) -> float:
        """Give a quantile of the requests' time, in milliseconds."""
        return 1e3 * sorted(self.took)[int(share * (len(self.took) - 1))]


class _Worker:
    """One connection, kept open: it reports what it was given and asks for more, or writes rows at a bare server."""

    def __init__(self, served: Served, number: int, together: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", served.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._bare, self._together = served.kind == "bare", together
        self._session, self._asked = f"{number}.{time.monotonic_ns()}", 0
        self._tells: list[Any] = []
        self._heard = b""
        path = "/rows" if self._bare else "/api/1/arenas/speed/turns"
        self._head = (
            f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {served.token}\r\n"
            "content-type: application/json\r\ncontent-length: "
        )
        self.since = 0.0

    def say(self) -> None:
        self._asked += 1
        turn = {"request": f"{self._session}-{self._asked}", "tells": self._tells, "ask": {"n": self._together}}
        body = json.dumps({"scores": [1, 0], "text": "x" * 200} if self._bare else turn)
        self.since = time.perf_counter()
        self.socket.sendall(f"{self._head}{len(body)}\r\n\r\n{body}".encode())

    def hear(self) -> int | None:
        """Read what came; give how many results count once the answer is whole."""
        self._heard += self.socket.recv(1 << 18)
        head, _, body = self._heard.partition(b"\r\n\r\n")
        at = head.lower().find(b"content-length:")
        if at < 0 or len(body) < int(head[at + 15 :].split(b"\r\n")[0]):
            return None
        self._heard = b""
        answer = json.loads(body)
        if self._bare:
            return 1
        self._tells = [{"lease": one["lease"], "scores": [1, 0]} for one in answer["leases"]]
        return sum(one["counted"] for one in answer["receipts"])


def drive(
    served: Served, workers: int, together: int, *, results: int = 0, seconds: float = 0.0, watchers: int = 0
) -> Load:
    """Let workers work until so many results count, or for so long, while pages watch."""
    ready, load, pages = selectors.DefaultSelector(), Load(), []
    crew = [_Worker(served, number, together) for number in range(workers)]
    for one in crew:
        ready.register(one.socket, selectors.EVENT_READ, one)
    for at in range(watchers if served.kind != "bare" else 0):
        page = served.watch(at)
        ready.register(page, selectors.EVENT_READ, None)
        pages.append(page)
    processor, began = served.processor(), time.perf_counter()
    looked = began
    for one in crew:
        one.say()
    while load.counted < results if results else time.perf_counter() < began + seconds:
        for key, _ in ready.select(10.0):
            if key.data is None:
                key.fileobj.recv(1 << 16)  # type: ignore[union-attr]  # a socket
                continue
            counted = key.data.hear()
            if counted is not None:
                load.took.append(time.perf_counter() - key.data.since)
                load.counted += counted
                key.data.say()
        if time.perf_counter() > looked + 5.0:
            looked = time.perf_counter()
            load.memory.append(served.memory())
    load.seconds, load.processor = time.perf_counter() - began, served.processor() - processor
    load.memory.append(served.memory())
    for one in [*(worker.socket for worker in crew), *pages]:
        one.close()
    return load


def in_process(threads: int, together: int, where: str, seconds: float) -> float:
    """Give results a second of the arena itself, by threads of this process."""
    portion = max(threads * together * 8, 512) // (threads * together) * threads * together
    leases, run, counted = Leases(where, portion, together, 0), played(threads), 0
    began = time.perf_counter()
    while time.perf_counter() < began + seconds:
        counted += int(run(leases)["counted"])
    leases.arena.close()
    return counted / (time.perf_counter() - began)


def main() -> None:
    """Measure everything in turn, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=5, help="through all cases")
    parser.add_argument("--workers", default="64,256", help="how many there are")
    parser.add_argument("--stores", default="sqlite,postgresql", help="where the arena is kept")
    chosen = parser.parse_args()
    cases = [
        (store, int(workers), together)
        for store in chosen.stores.split(",") for workers in chosen.workers.split(",") for together in (1, 8)
    ]  # fmt: skip
    found: dict[Any, list[Any]] = {}
    for _ in range(chosen.rounds):
        for workers in sorted({case[1] for case in cases}):
            with Served("bare") as bare:
                load = drive(bare, workers, 1, seconds=chosen.seconds)
            found.setdefault(("bare", workers), []).append(load.counted / load.seconds)
        for store, workers, together in cases:
            place = fresh_database() if store == "postgresql" else ""
            with Served("ours", place) as ours:
                load = drive(ours, workers, together, seconds=chosen.seconds, watchers=WATCHERS)
                agrees = ours.verify()
            with Served("nobody", fresh_database() if store == "postgresql" else "") as nobody:
                alone = in_process(min(workers, 64), together, nobody.place, chosen.seconds / 2)
            rate = load.counted / load.seconds
            row = rate, load.at(0.5), load.at(0.99), 1e3 * load.processor / load.counted, max(load.memory), alone
            found.setdefault((store, workers, together), []).append((*row, load.memory[0], agrees))
            print(store, workers, together, *(f"{value:.3g}" for value in row), agrees, flush=True)
    print(
        f"\nload {os.getloadavg()[1]:.1f}; medians of {chosen.rounds} rounds of {chosen.seconds:g} s, the worst first\n"
    )
    print("| store | workers | at once | a second | of bare | of in process | p50 ms | p99 ms | CPU ms | MB |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    rows = []
    for store, workers, together in cases:
        rate, p50, p99, cpu, memory, alone, *_ = (
            statistics.median(column) for column in zip(*found[store, workers, together], strict=True)
        )
        ratio = rate / statistics.median(found["bare", workers])
        cells = f"{rate:,.0f} | {ratio:.2f} | {rate / alone:.2f} | {p50:.0f} | {p99:.0f} | {cpu:.2f} | {memory:,.0f}"
        rows.append((ratio, f"| {store} | {workers} | {together} | {cells} |"))
    print("\n".join(row for _, row in sorted(rows)))


if __name__ == "__main__":
    main()
