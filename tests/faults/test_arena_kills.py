"""The kill matrix of the arena, whole: a thousand deaths over SQLite and PostgreSQL, and PostgreSQL's own."""

import os
import threading
import time
from collections import Counter

import psycopg
import pytest

from equipoise.arena.arena import Arena
from equipoise.core.errors import StoreError
from tests.arena.killing import HOWS, Killed, Victims, standings, undisturbed
from tests.arena.playing import outcome_of, small
from tests.arena.stores import Server, own_server, server_of_session

DEATHS = 510
"""In each store."""


@pytest.fixture(scope="module")
def victims():
    with Victims() as some:
        yield some


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    yield from server_of_session(tmp_path_factory)


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_five_hundred_deaths_lose_nothing_and_change_nothing(store, victims, tmp_path, request):
    deaths = Counter()
    for seed in range(1, 1_000):
        place = str(tmp_path / f"{seed}.db") if store == "sqlite" else request.getfixturevalue("postgres").fresh()
        arena = Killed(victims, place, seed=seed, threads=1 + 3 * (seed % 2))
        hows = list(HOWS) * 3
        arena.rng.shuffle(hows)
        for how in hows:
            arena.die(how)
        arena.survive()
        arena.check(undisturbed(arena.spec, tmp_path))
        deaths.update(arena.deaths)
        if deaths.total() >= DEATHS:
            break
    print(f"{store}: {deaths.total()} deaths in {seed} arenas: {dict(deaths)}")
    assert deaths.total() >= DEATHS
    assert min(deaths[how] for how in HOWS) >= 10, "every way to die must have been tried"


def test_postgresql_itself_is_killed_and_comes_back(tmp_path):
    """What it acknowledged is there when it is; workers that got no answer say it again."""
    spec = small(seed=9, budget=400, lease=0.5, stall_after=0.5, attempts=10_000)
    with own_server(f"killed-{os.getpid()}") as server:
        work = _Work(deaths=5, between=60)
        with Arena.create(Server(server.get_uri()).fresh(), spec) as arena:
            threads = [threading.Thread(target=work.on, args=(arena, f"w{at}")) for at in range(4)]
            for thread in threads:
                thread.start()
            while work.next_death():
                kill_and_restart(server)
            for thread in threads:
                thread.join()
            counted = {event.trial: event.seq for event in arena.events() if event.kind == "result"}
            assert work.killed == 5
            assert work.refusals["StoreError"], "nobody noticed that the server was away"
            assert {trial: counted.get(trial) for trial in work.told} == work.told
            assert sorted(counted) == list(range(1, 401))
            assert arena.verify().ok
            assert standings(arena) == undisturbed(spec.to_dict(), tmp_path)


class _Work:
    """What the workers share. A death is due after so many more results, not after so much time: machines differ."""

    def __init__(self, *, deaths, between):
        self.deaths, self.between, self.killed = deaths, between, 0
        self.told, self.refusals = {}, Counter()
        self.done = threading.Event()
        self.until = time.monotonic() + 120

    def due(self, results=0):
        """Tell whether the next death is due, and so many results more were told since it was."""
        return self.killed < self.deaths and len(self.told) >= self.between * (self.killed + 1) + results

    def next_death(self):
        """Wait until it is due; False after the last one, or where workers gave up."""
        while self.killed < self.deaths and time.monotonic() < self.until:
            if self.due():
                self.killed += 1
                return True
            time.sleep(0.001)
        return False

    def on(self, arena, name):
        said = 0
        while not self.done.is_set():
            assert time.monotonic() < self.until, "PostgreSQL stayed away"
            if self.due(results=30):  # quick workers would be finished before the last death
                time.sleep(0.001)
                continue
            try:
                for lease in arena.ask(worker=name, request=f"{name}-{said}", wait=0.5):
                    receipt = arena.tell(lease, outcome_of(lease.trial), key=name)
                    if receipt.counted:
                        self.told[lease.trial.number] = receipt.seq
                said += 1
                if arena.state == "spent":
                    self.done.set()
            except StoreError:
                self.refusals["StoreError"] += 1
                time.sleep(0.05)


def kill_and_restart(server):
    """Kill it, wait until it is gone (until then it seems to run), and start it until it answers."""
    process = server.get_postmaster_info().process
    process.kill()
    process.wait(timeout=30)
    for _ in range(50):
        try:
            server.ensure_postgres_running()
            with psycopg.connect(server.get_uri(), connect_timeout=5):
                return
        except Exception:  # what the killed one has left in shared memory may take a moment to go
            time.sleep(0.2)
    raise AssertionError("PostgreSQL does not come back")
