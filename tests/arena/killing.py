"""Killing the process that owns an arena, again and again, and looking at what is left."""

import contextlib
import json
import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

from equipoise.arena.arena import Arena
from equipoise.arena.engine.failpoints import FAILPOINTS
from tests.arena.playing import finish, small

__all__ = ["Killed", "Victims", "downgrade", "spec_of", "undisturbed"]

ROOT = Path(__file__).parents[2]
TIMED = "at a random time"


class Victims:
    """Lives to be ended: each is forked from a process that has loaded everything and opened nothing."""

    def __enter__(self):
        path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.arena.victim"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=ROOT, env=os.environ | {"PYTHONPATH": path},
        )  # fmt: skip
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def live(self, **life):
        """Let one live; give how it ended."""
        self._process.stdin.write(json.dumps(life) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def spec_of(seed, budget=24):
    """Round-robin and a fixed budget: which trials are played does not depend on when anybody died."""
    # Attempts that never run out, and leases longer than a test but for those of the dead.
    return small(seed=seed, budget=budget, lease=0.3, stall_after=0.3, attempts=10_000).to_dict()


def undisturbed(spec, folder):
    """Give the standings of the same arena, played without a death."""
    with Arena.create(folder / f"whole-{spec['seed']}.db", spec) as arena:
        finish(arena)
        return standings(arena)


def standings(arena):
    """Give everything that standings say, as bytes."""
    return json.dumps(arena.standings(verdict=False).to_dict(), sort_keys=True).encode()


class Killed:
    """One arena whose owner dies until it is finished."""

    def __init__(self, victims, place, seed, threads=1):
        self._victims, self._place, self._threads = victims, place, threads
        self.spec = spec_of(seed)
        self.rng = random.Random(seed)
        self.told, self.deaths = {}, []
        self._made = False

    def die(self, how):
        """Let the owner die at a failpoint, or after a random time; False if it came to the end alive."""
        where = "" if how == TIMED else f"{how}:{self._count(how)}"
        if how == "in-migration" and self._made:
            downgrade(self._place)
        ended = self._live(where, self.rng.uniform(0.0, 0.1) if how == TIMED else None)
        self.deaths += [how] if ended["killed"] else []
        return ended["killed"]

    def _count(self, how):
        """How often a failpoint is passed before it kills."""
        return self.rng.randint(1, {"in-migration": 1, "in-snapshot": 1, "in-recovery": 3}.get(how, 5))

    def survive(self):
        """Let the owner play to the end."""
        ended = self._live("", None)
        assert ended["status"] == 0, "the last owner failed"

    def _live(self, failpoint, seconds):
        ended = self._victims.live(
            place=self._place, spec=self.spec, create=not self._made, failpoint=failpoint, seconds=seconds,
            threads=self._threads, name=f"w{len(self.deaths)}",
        )  # fmt: skip
        assert ended["killed"] or ended["status"] == 0, "a life ended in an error"
        for trial, seq in ended["told"]:
            assert self.told.setdefault(trial, seq) == seq, f"trial {trial} was acknowledged twice as counted"
        if not self._made:
            self._made = self.exists()
        return ended

    def exists(self):
        """Tell whether the arena is there: a creation that was killed has left nothing."""
        with contextlib.suppress(Exception), Arena.look_at(self._place):
            return True
        return False

    def check(self, whole):
        """Hold what is left against what was acknowledged, and against the arena that nobody disturbed."""
        with Arena.open(self._place) as arena:
            counted = {}
            for event in arena.events():
                if event.kind == "result":
                    assert event.trial not in counted, f"trial {event.trial} counts twice"
                    counted[event.trial] = event.seq
            lost = {trial: seq for trial, seq in self.told.items() if counted.get(trial) != seq}
            assert not lost, f"acknowledged and lost: {lost}"
            assert sorted(counted) == list(range(1, self.spec["budget"] + 1))
            verification = arena.verify()
            assert verification.ok, verification.problems
            assert standings(arena) == whole


def downgrade(place):
    """Make an arena one of the first version of the tables again."""
    if "://" in place:
        import psycopg

        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute("UPDATE arena SET version = 1")
        return
    with contextlib.closing(sqlite3.connect(place)) as connection:
        for (view,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            connection.execute(f"DROP VIEW {view}")
        connection.execute("UPDATE arena SET version = 1")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()


HOWS = (*FAILPOINTS, TIMED)
"""How one can die."""
