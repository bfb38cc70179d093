"""Servers killed five hundred times under workers, a database too; a frozen worker, a crowd, and odd requests."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

import equipoise as eq
from equipoise.arena.remote.arena import RemoteArena
from tests.arena.stores import Server as PostgresServer
from tests.arena.stores import own_server, server_of_session
from tests.faults.test_arena_kills import kill_and_restart
from tests.web.conftest import ROLES
from tests.web.generated import send_generated
from tests.web.killing import HOWS, ROOT, Workers, kill_again_and_again
from tests.web.served import Server, scores_of, served, spec_of
from tests.web.test_interface import fuzz


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    yield from server_of_session(tmp_path_factory)


@pytest.mark.parametrize(("store", "kills"), [("sqlite", 400), ("postgresql", 100)])
def test_nothing_is_lost_or_counted_twice_in_five_hundred_kills(tmp_path, request, store, kills):
    place = str(tmp_path / "ladder.db") if store == "sqlite" else request.getfixturevalue("postgres").fresh()
    deaths = kill_again_and_again(place, kills, seed=7, workers=4)
    print(f"{store}: {dict(deaths)}")
    assert deaths["acknowledged"] > 2 * kills
    assert min(deaths[how] for how in HOWS) >= kills // 10, "every way to die must have been tried"


def test_postgresql_is_killed_under_a_server_and_comes_back():
    with own_server(f"web-{os.getpid()}") as database:
        server = Server(eq.Arena.create(PostgresServer(database.get_uri()).fresh(), spec_of(budget=1_000_000)))
        try:
            playing = Workers(server.url, [server.token("worker", f"worker {number}") for number in range(3)])
            for _ in range(5):
                playing.more(30)
                kill_and_restart(database)
            playing.more(30)
            playing.close()
            assert playing.faults == []
            results = [event.content()["trial"] for event in server.arena.events(kinds=["result"])]
            assert len(results) == len(set(results))
            assert len(playing.acknowledged) == len(set(playing.acknowledged)) >= 150
            assert set(playing.acknowledged) <= set(results)
            assert server.arena.verify().ok
        finally:
            server.close()


FROZEN = """
import sys
from equipoise.arena.remote.arena import RemoteArena
with RemoteArena(sys.argv[1], sys.argv[2]) as arena:
    leases = arena.ask(2)
    print("plays", *(lease.trial.number for lease in leases), flush=True)
    sys.stdin.readline()
    for lease in leases:
        print(arena.tell(lease, [1.0, 0.0]).counted, flush=True)
"""


def test_what_a_frozen_worker_had_is_played_by_another_and_counts_once(tmp_path):
    with served(tmp_path, spec_of(budget=12, lease=1.0, stall_after=1.0)) as server:
        asleep, awake = server.token("worker", "asleep"), server.token("worker", "awake")
        frozen = subprocess.Popen(
            [sys.executable, "-c", FROZEN, server.url, asleep], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        its_own = [int(one) for one in frozen.stdout.readline().split()[1:]]
        os.kill(frozen.pid, signal.SIGSTOP)
        with RemoteArena(server.url, awake) as arena:
            while arena.state == "running":
                for lease in arena.ask(4, wait=5.0):
                    arena.tell(lease, scores_of(list(lease.trial.players)))
        os.kill(frozen.pid, signal.SIGCONT)
        said, _ = frozen.communicate("go on\n", timeout=60)
        assert said.split() == ["False", "False"]
        workers = {event.trial: event.content()["worker"] for event in server.arena.events(kinds=["result"])}
        assert sorted(workers) == list(range(1, 13))
        assert {workers[trial] for trial in its_own} == {"awake/worker"}
        assert server.arena.verify().ok


class Crowd:
    """Connections that wait, and what the process that serves them costs."""

    def __init__(self, port, pid):
        self.port, self.pid, self.waiting = port, pid, []

    def wait(self, head, body=b""):
        one = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        one.sendall(head.encode() + b"\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        self.waiting.append(one)
        return one

    def gauge(self, name, token):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/metrics", headers={"authorization": f"Bearer {token}"})
        lines = connection.getresponse().read().decode().splitlines()
        connection.close()
        return float(next(line.rpartition(" ")[2] for line in lines if line.startswith(f"{name}{{")))

    def reaches(self, name, token, value):
        until = time.monotonic() + 60.0
        while self.gauge(name, token) < value and time.monotonic() < until:
            time.sleep(0.1)
        return self.gauge(name, token)

    def megabytes(self):
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def test_five_hundred_questions_and_five_hundred_streams_wait_on_four_threads(tmp_path):
    spec = spec_of(players=[{"name": name, "labels": ["gpu"]} for name in ("ada", "bea", "cyd")], budget=100_000)
    with eq.Arena.create(tmp_path / "ladder.db", spec) as arena:
        organiser, playing = arena.make_token("organiser", "o"), arena.make_token("worker", "w")
        idle = [arena.make_token("worker", f"idle {number}", labels=["none"]) for number in range(25)]
        watching = [arena.make_token("viewer", f"v {number}") for number in range(126)]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "equipoise", "arena", "serve", "ladder.db", "--listen", f"127.0.0.1:{port}"]
    serving = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": f"{ROOT}/src"}
    )
    crowd = Crowd(port, serving.pid)
    try:
        with RemoteArena(f"http://127.0.0.1:{port}/arenas/ladder", playing) as arena:
            for at in range(500):
                crowd.wait(f"GET /api/1/arenas/ladder/moves HTTP/1.1\r\nauthorization: Bearer {watching[at // 8]}")
                asked = json.dumps({"request": f"{at}-1", "ask": {"n": 1, "wait": 30, "labels": ["none"]}}).encode()
                crowd.wait(f"POST /api/1/arenas/ladder/turns HTTP/1.1\r\nauthorization: Bearer {idle[at // 20]}", asked)
            assert crowd.reaches("equipoise_streams", organiser, 500) == 500
            assert crowd.reaches("equipoise_parked", organiser, 500) == 500
            took = []
            for _ in range(100):
                began = time.perf_counter()
                for lease in arena.ask(1):
                    arena.tell(lease, [1.0, 0.0])
                took.append(time.perf_counter() - began)
            assert len(arena.matches().outcome) == 100
            cost = crowd.gauge("equipoise_threads", organiser), crowd.megabytes()
            print(f"{cost[0]:.0f} threads, {cost[1]:.0f} MB, a game in {1e3 * sorted(took)[50]:.0f} ms (median)")
            assert cost[0] <= 4
            assert cost[1] <= 200
            for at in range(500, 1_000):
                crowd.wait(f"GET /api/1/arenas/ladder/moves HTTP/1.1\r\nauthorization: Bearer {watching[at // 8]}")
            assert crowd.reaches("equipoise_streams", organiser, 1_000) == 1_000
            refused = crowd.wait(f"GET /api/1/arenas/ladder/moves HTTP/1.1\r\nauthorization: Bearer {watching[125]}")
            assert refused.recv(1_000).startswith(b"HTTP/1.1 503 ")
            assert arena.verify().ok
        began = time.monotonic()
        serving.terminate()
        serving.wait(60)
        assert time.monotonic() - began < 15
    finally:
        serving.kill()
        serving.wait(60)
        for one in crowd.waiting:
            with contextlib.suppress(OSError):
                one.close()


def test_ten_thousand_odd_requests_are_answered_politely(tmp_path):
    with served(tmp_path) as server:
        tokens = {role: server.token(role, f"the {role}") for role in ROLES}
        server.play(tokens["worker"], 6)
        counts = fuzz(server, tokens, 10_000, seed=11)
        assert sum(counts.values()) == 10_000
        assert counts[200] > 500
        assert server.arena.verify().ok


def test_ten_thousand_requests_that_the_document_suggests_or_forbids_are_answered_politely(tmp_path):
    with served(tmp_path) as server:
        tokens = {role: server.token(role, f"the {role}") for role in ROLES}
        server.play(tokens["worker"], 6)
        counts = send_generated(server, tokens, each=190, start=12)
        print(f"{sum(counts.values()):,} requests: {dict(counts)}")
        assert sum(counts.values()) >= 10_000
        assert counts[200] > 1_000
        assert server.arena.verify().ok
