"""The database behind an arena: SQLite in one file, or PostgreSQL; the same tables, the same promises."""

import atexit
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import sqlalchemy as sa

from equipoise.arena.engine.clock import TIME, Time
from equipoise.arena.engine.failpoints import failpoint
from equipoise.arena.journal.events import BEGINNING
from equipoise.arena.store import schema
from equipoise.arena.store.ownership import Ownership
from equipoise.arena.store.place import StorePlace
from equipoise.arena.store.transaction import Transaction
from equipoise.core.errors import MissingDependencyError, ReadError, StoreError
from equipoise.data.files.arena_files import APPLICATION_ID, connect_for_reading

RESTORED = "restored-"
"""Before the secret of an arena that was made from a journal: it is not the one that the journal was begun with."""


class Store:
    """An open database.

    Parameters
    ----------
    place
        Where it is.
    owner
        Whether this process writes; a SQLite file then becomes its own until :meth:`close`.
    make
        Writes the beginning of a new arena, given its identity and its secret. Tables, identity and beginning are one
        transaction: an arena that was killed while it was made was never there.
    identity
        Of the new arena; by itself it is drawn.
    engine
        A database that somebody else has made ready (:func:`sqlite_ready`): it has no place and needs no lock.
    time, random
        What tells the time, and what draws identity and secret of a new arena.

    Fails when
        the file is no arena, is owned by another process, or was made by a newer version.
    """

    def __init__(
        self,
        place: StorePlace,
        *,
        owner: bool = True,
        make: Callable[[Transaction, str, str], None] | None = None,
        identity: str | None = None,
        engine: sa.Engine | None = None,
        time: Time = TIME,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.place, self.owner, self.time = place, owner, time
        self.notes: tuple[str, ...] = ()
        self._writer: sa.Connection | None = None
        self._writing = threading.Lock()
        self._opened_by: int | None = None
        self.ownership: Ownership | None = None
        if engine is None:
            if make is not None:
                place.refuse_existing()
            else:
                place.refuse_other()
            self.ownership = Ownership(place.file, time) if owner and place.file is not None else None
        self._had_log = self._log_size > 0  # before the first connection, which may take it in
        try:
            self._engine = _engine(place, owner) if engine is None else engine
            with self.complaints():
                if make is not None:
                    secret = random(16).hex()
                    self._make(make, identity or random(8).hex(), RESTORED + secret if identity else secret)
                self._check(owner)
        except BaseException:
            self.close()
            raise
        if self.ownership is not None:
            self._opened_by = os.getpid()
            OPENED.add(self)

    @property
    def shared(self) -> bool:
        """Whether other processes may write too."""
        return self.place.file is None

    def _make(self, make: Callable[[Transaction, str, str], None], identity: str, secret: str) -> None:
        with self._engine.begin() as connection:
            if sa.inspect(connection).has_table("arena"):
                raise ReadError(f"{self.place} contains an arena already: open it, or choose another database")
            schema.create(connection)
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.exec_driver_sql(f"PRAGMA user_version = {schema.VERSION}")
            row = {"one": 1, "version": schema.VERSION, "id": identity, "secret": secret}
            connection.execute(
                schema.arena.insert(), {**row, "seq": 0, "head": BEGINNING, "time": 0.0, "in_use": 0}
            )  # fmt: skip
            make(Transaction(connection, self.time), identity, secret)
            failpoint("before-commit")

    def _check(self, owner: bool) -> None:
        """Look at the version, upgrade an older one, and read who the arena is."""
        with self._engine.connect() as connection:
            if not sa.inspect(connection).has_table("arena"):
                raise ReadError(f"{self.place} contains no arena")
            row = connection.execute(sa.select(schema.arena)).mappings().one()
        if row["version"] > schema.VERSION:
            raise ReadError(
                f"{self.place} was made by a newer Equipoise (version {row['version']} of its tables; this one knows "
                f"{schema.VERSION}): upgrade Equipoise to open it"
            )
        self.id, self.secret = str(row["id"]), str(row["secret"])
        if owner:
            self._upgrade(row["version"])
            self._note_copies(row["in_use"])
            if not self.shared:
                self._mark(row["in_use"] + 1)  # SQLite writes nothing where nothing changes

    def _upgrade(self, version: int) -> None:
        if version == schema.VERSION:
            return
        with self._engine.begin() as connection:
            locked = connection.execute(sa.select(schema.arena.c.version).with_for_update()).scalar_one()
            for step in range(locked, schema.VERSION):
                schema.MIGRATIONS[step](connection)
                failpoint("in-migration")
            connection.execute(schema.arena.update().values(version=schema.VERSION))
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql(f"PRAGMA user_version = {schema.VERSION}")

    def _note_copies(self, in_use: int) -> None:
        """Say when a file looks like a copy made while its owner was at work."""
        file = self.place.file
        if file is None or not in_use or self._had_log:
            return
        self.notes = (
            f"{file} was open in another process when it was copied, and came without its write-ahead log "
            f"({file.name}-wal): results of the last moments may be missing; copy an arena after it is closed, or "
            "export its journal",
        )

    def _mark(self, in_use: int) -> None:
        """Say in the file whether a process has it open.

        The connection stays: while it does, so does the write-ahead log, by which a file whose owner was killed is
        known from a copy that came without it. A copy has the mark only if it is in the file itself.
        """
        if self._writer is None:
            self._writer = self._engine.connect()
        with self._writer.begin():
            self._writer.execute(schema.arena.update().values(in_use=in_use))
        self._checkpoint("PASSIVE" if in_use else "TRUNCATE")

    def _checkpoint(self, mode: str) -> None:
        if self.place.file is not None and self._writer is not None:
            driver = self._writer.connection.driver_connection
            assert driver is not None
            driver.execute(f"PRAGMA wal_checkpoint({mode})")

    def leave(self) -> None:
        """Close it where that was forgotten, unless it is a copy in a forked process or somebody writes yet."""
        if self._opened_by == os.getpid() and self._writing.acquire(timeout=1.0):
            self._writing.release()
            self.close()

    def __del__(self) -> None:
        self.leave()

    def close(self) -> None:
        """Write everything into the one file, and let others have it."""
        self._opened_by = None
        engine = getattr(self, "_engine", None)
        if engine is not None and self.ownership is not None and hasattr(self, "secret"):
            # A full disk: the log keeps what the file has no room for.
            with suppress(sa.exc.SQLAlchemyError, sqlite3.Error):
                self._mark(0)
        self._forget_writer()
        if engine is not None:
            engine.dispose()
        if self.ownership is not None:
            self.ownership.release()

    @property
    def _driver_errors(self) -> tuple[type[Exception], ...]:
        """What the driver raises where it is used directly."""
        if self.place.file is not None:
            return (sqlite3.Error,)
        error: type[Exception] = self._engine.dialect.loaded_dbapi.Error
        return (error,)

    @contextmanager
    def complaints(self) -> Iterator[None]:
        """Turn what a database says into one line, wherever in a transaction it says so."""
        try:
            yield
        except Exception as error:
            if isinstance(error, (sa.exc.DBAPIError, sa.exc.TimeoutError, *self._driver_errors)):
                raise StoreError(f"{self.place}: {_one_line(error)}") from error
            raise

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Begin a transaction that nobody else writes beside; it is on disk when this ends without an error."""
        with self.complaints():
            if self.shared:
                with self._engine.begin() as connection:
                    yield Transaction(connection, self.time)
                    failpoint("before-commit")
                return
            with self._writing:  # one connection for all that is written to a file: opening one costs more than a row
                if self._writer is None:
                    self._writer = self._engine.connect()
                try:
                    with self._writer.begin():
                        yield Transaction(self._writer, self.time)
                        failpoint("before-commit")
                except (sa.exc.SQLAlchemyError, sqlite3.Error):
                    self._forget_writer()
                    raise

    def _forget_writer(self) -> None:
        if self._writer is not None:
            with suppress(sa.exc.SQLAlchemyError, sqlite3.Error):  # it is left because it failed
                self._writer.close()
            self._writer = None

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """Look at one moment of the journal without getting in a writer's way."""
        with self.complaints(), self._engine.connect() as connection:
            # PostgreSQL's own default would show each statement another moment.
            moment = {"isolation_level": "REPEATABLE READ"} if self.shared else {}
            yield Transaction(connection.execution_options(looks=True, **moment), self.time)

    def moment(self) -> tuple[float, dict[int, float]]:
        """Give the time by the arena's clock, and until when leases were renewed, by trial."""
        with self.read() as transaction:
            return transaction.now(), transaction.renewals()

    @property
    def _log_size(self) -> int:
        file = self.place.file
        log = None if file is None else file.with_name(f"{file.name}-wal")
        return log.stat().st_size if log is not None and log.exists() else 0


OPENED: "weakref.WeakSet[Store]" = weakref.WeakSet()
"""Files that this process owns: one that it left open would look like a copy made while its owner was at work."""


@atexit.register
def _leave_all() -> None:
    for store in list(OPENED):
        store.leave()


def is_free(place: StorePlace) -> bool:
    """Say whether there is room for a new arena: no file, a database with nothing in it, no arena in PostgreSQL."""
    if place.file is not None:
        return place.blank
    engine = _engine(place, owner=False)
    try:
        return not sa.inspect(engine).has_table("arena")
    except sa.exc.SQLAlchemyError as error:
        raise StoreError(f"{place}: {_one_line(error)}") from error
    finally:
        engine.dispose()


def _engine(place: StorePlace, owner: bool) -> sa.Engine:
    if place.file is None:
        try:
            import psycopg  # noqa: F401  # its absence should be one line, not SQLAlchemy's page
        except ImportError:
            raise MissingDependencyError("PostgreSQL needs psycopg: pip install 'equipoise[postgres]'") from None
        url = sa.engine.make_url(place.address).set(drivername="postgresql+psycopg")
        return sa.create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    return _sqlite(place, owner)


def _sqlite(place: StorePlace, owner: bool) -> sa.Engine:
    path = place.file
    assert path is not None
    options: dict[str, Any] = {"timeout": 30.0, "check_same_thread": False}
    # A connection for each reader: readers that take their time must not use up a pool that the writer needs.
    engine = sa.create_engine(
        "sqlite+pysqlite://", poolclass=sa.pool.NullPool,
        creator=(lambda: sqlite3.connect(path, **options)) if owner else (lambda: connect_for_reading(path, **options)),
    )  # fmt: skip
    return sqlite_ready(engine, owner)


def sqlite_ready(engine: sa.Engine, owner: bool = True) -> sa.Engine:
    """Let transactions of a SQLite database begin and end where a store says so, and be on disk when they have."""

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin and end where we say so
        if owner:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        looks = not owner or connection.get_execution_options().get("looks", False)
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute("BEGIN" if looks else "BEGIN IMMEDIATE")

    return engine


def _one_line(error: Exception) -> str:
    original = getattr(error, "orig", None) or error
    text = " ".join(str(original).split())
    return f"the database says: {text}"
