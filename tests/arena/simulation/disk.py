"""A disk with an arena on it: what was committed outlives the owner; the rest is gone, as after a kill.

It is a real database of SQLite in memory, behind the store's own engine and schema. Time passes at each failpoint, and
there the owner may die, or the disk may refuse to write.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path

import sqlalchemy as sa

from equipoise.arena.arena import beginning
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.arena.store.place import StorePlace
from equipoise.arena.store.store import Store, sqlite_ready
from tests.arena.simulation.world import Crash, World

__all__ = ["Disk"]

PLACE = StorePlace(Path("simulated.db"), "")
DEATHS, REFUSALS, SLOW = 0.025, 0.02, 0.05
"""At each failpoint: shares in which the owner dies, the disk refuses, the disk takes seconds."""
BREAKABLE = ("after-insert", "before-commit", "in-snapshot")
"""Where a disk can refuse: before anything is committed."""


class _Kept(sqlite3.Connection):
    """A connection that a store cannot close: a database in memory would be gone with it."""

    def close(self) -> None:
        """Nothing."""


def _empty() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", factory=_Kept, isolation_level=None, check_same_thread=False)


@cache
def _ready() -> tuple[sqlite3.Connection, sa.Engine]:
    """Give one database and its engine for all schedules: an engine that has seen a query is quicker at it."""
    database = _empty()
    engine = sa.create_engine("sqlite://", creator=lambda: database, poolclass=sa.pool.StaticPool)
    return database, sqlite_ready(engine)


@cache
def _made(spec: str) -> sqlite3.Connection:
    """Give a database with a new arena: making its tables takes longer than to play a schedule."""
    (database, engine), made, bytes_of = _ready(), _empty(), count()
    made.backup(database)
    Store(
        PLACE, engine=engine, make=beginning(ArenaSpec.from_dict(json.loads(spec))), time=World(0).time,
        random=lambda n: bytes(next(bytes_of) % 256 for _ in range(n)),
    )  # fmt: skip
    database.backup(made)
    return made


class Disk:
    """A place where an arena is, and what it does to its owner.

    Attributes
    ----------
    database
        What is committed; anybody may look.
    """

    def __init__(self, world: World, spec: ArenaSpec, seen: Counter[str], dies: Callable[[], None]) -> None:
        self._world, self._seen, self._dies = world, seen, dies
        made = _made(json.dumps(spec.to_dict(), sort_keys=True))
        self.database, self._engine = _ready()
        if self.database.in_transaction:  # of a schedule that broke off
            self.database.rollback()
        made.backup(self.database)

    def store(self) -> Store:
        """Open it."""
        return Store(PLACE, engine=self._engine, time=self._world.time)

    def reached(self, place: str) -> None:
        """Let time pass, and sometimes do harm."""
        world = self._world
        world.let_pass(world.random.uniform(0.0, 5.0 if world.chance(SLOW) else 0.01))
        if world.chance(DEATHS):
            self._seen[f"deaths {place}"] += 1
            self._dies()
            raise Crash(place)
        if place in BREAKABLE and world.chance(REFUSALS):
            self._seen["writes refused"] += 1
            raise sqlite3.OperationalError("disk I/O error")
