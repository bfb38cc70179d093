"""What can be asked of an arena's database, and written to it, in one transaction."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from equipoise.arena.engine.clock import TIME, Time
from equipoise.arena.engine.failpoints import failpoint
from equipoise.arena.journal.events import Event
from equipoise.arena.store import schema
from equipoise.core.errors import DataError

PAGE = 10_000
"""Events read at once."""
GONE = schema.leases.delete().where(schema.leases.c.trial == sa.bindparam("gone"))
COLUMNS = ("seq", "time", "kind", "trial", "block", "key", "body", "hash")
INSERT = f"INSERT INTO events ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
COPY = f"COPY events ({', '.join(COLUMNS)}) FROM STDIN"
UPDATE_END = "UPDATE arena SET seq = ?, head = ?, time = ?"
LEASE_COLUMNS = ("trial", "attempt", "until", "progress", "progress_at")
LEASE = f"SELECT {', '.join(LEASE_COLUMNS)} FROM leases WHERE trial = ?"
END = sa.select(schema.arena.c.seq, schema.arena.c.head)
LOCKED = (
    "WITH locked AS MATERIALIZED (SELECT seq FROM arena FOR UPDATE) "
    "SELECT seq, extract(epoch FROM clock_timestamp())::double precision FROM locked"
)
"""The end of the journal once other writers are done, and the time then."""


class Transaction:
    """What can be asked of the database, and written to it, at one moment."""

    def __init__(self, connection: sa.Connection, time: Time = TIME) -> None:
        self._connection, self._time = connection, time
        self._postgres = connection.dialect.name == "postgresql"
        self.last: int | None = None

    def lock(self) -> float:
        """Give the time; in PostgreSQL, after waiting for other writers, and by the server's clock.

        ``last`` is then the number of the last event, where it costs nothing to know.
        """
        if not self._postgres:
            return self._time.wall()  # the transaction itself keeps other writers out
        self.last, now = self._connection.exec_driver_sql(LOCKED).one()
        return float(now)

    def now(self) -> float:
        """Give the time by the same clock, without waiting for anybody."""
        if not self._postgres:
            return self._time.wall()
        return float(self._connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())").scalar_one())

    def renewals(self) -> dict[int, float]:
        """Give until when leases were renewed, by trial."""
        at = schema.leases.c
        return {row.trial: row.until for row in self._connection.execute(sa.select(at.trial, at.until))}

    def end(self) -> tuple[int, str]:
        """Give the last event's number and hash."""
        seq, head = self._connection.execute(END).one()
        return seq, head

    def append(self, events: Sequence[Event]) -> None:
        """Write events to the end of the journal."""
        if not events:
            return
        last = events[-1]
        rows = [(e.seq, e.time, e.kind, e.trial, e.block, e.key, e.body, e.hash) for e in events]
        end = last.seq, last.hash, last.time
        # As the drivers take them: naming each value would take longer than writing it.
        driver = self._driver
        if self._postgres:
            with driver.cursor() as cursor, cursor.copy(COPY) as table:
                for row in rows:
                    table.write_row(row)
        else:
            driver.executemany(INSERT, rows)
        driver.execute(self._marked(UPDATE_END), end)
        failpoint("after-insert")

    @property
    def _driver(self) -> Any:
        """The driver's own connection, for what is done with each result: SQLAlchemy takes longer than the database."""
        return self._connection.connection.driver_connection

    def _marked(self, query: str) -> str:
        """Put in the marks that the driver wants where values stand."""
        return query.replace("?", "%s") if self._postgres else query

    def events(self, after: int = 0, kinds: Sequence[str] | None = None, most: int | None = None) -> Iterator[Event]:
        """Read the journal in order, page by page: a cursor held open in PostgreSQL would not outlive a lost server."""
        at = schema.events.c
        query = sa.select(at.seq, at.time, at.kind, at.body, at.hash, at.trial, at.block, at.key).order_by(at.seq)
        if kinds is not None:
            query = query.where(at.kind.in_(kinds))
        left = most
        while left is None or left > 0:
            page = PAGE if left is None else min(PAGE, left)
            rows = self._connection.execute(query.where(at.seq > after).limit(page)).all()
            for row in rows:
                yield Event(*row)
            if len(rows) < page:
                return
            after = rows[-1].seq
            left = None if left is None else left - len(rows)

    def results_before(self, before: int | None, most: int) -> list[Event]:
        """Give the last results before an event, newest first."""
        at = schema.events.c
        query = sa.select(at.seq, at.time, at.kind, at.body, at.hash, at.trial, at.block, at.key)
        query = query.where(at.kind == "result").order_by(at.seq.desc()).limit(most)
        rows = self._connection.execute(query if before is None else query.where(at.seq < before))
        return [Event(*row) for row in rows]

    def event_of_key(self, trial: int, key: str) -> Event | None:
        """Find the answer that was given to a key."""
        at = schema.events.c
        return self._one(sa.and_(at.trial == trial, at.key == key))

    def result_of(self, trial: int) -> Event | None:
        """Find the result that counts for a trial."""
        at = schema.events.c
        return self._one(sa.and_(at.trial == trial, at.kind == "result"))

    def events_of(self, trial: int) -> list[Event]:
        """Give everything that happened to a trial, in order."""
        return sorted(self._all(schema.events.c.trial == trial), key=lambda event: event.seq)

    def opening_of(self, trial: int) -> Event | None:
        """Find the opening of the block that a trial belongs to."""
        at = schema.events.c
        first = sa.select(sa.func.max(at.trial)).where(at.kind == "open", at.trial <= trial).scalar_subquery()
        return self._one(sa.and_(at.kind == "open", at.trial == first))

    def void_of(self, block: int) -> Event | None:
        """Find out whether a block is void."""
        at = schema.events.c
        return self._one(sa.and_(at.block == block, at.kind == "void"))

    def results_of(self, block: int) -> list[Event]:
        """Give the results of a block, by trial."""
        at = schema.events.c
        return sorted(self._all(sa.and_(at.block == block, at.kind == "result")), key=lambda event: event.trial or 0)

    def _one(self, condition: Any) -> Event | None:
        events = self._all(condition)
        return events[0] if events else None

    def _all(self, condition: Any) -> list[Event]:
        at = schema.events.c
        query = sa.select(at.seq, at.time, at.kind, at.body, at.hash, at.trial, at.block, at.key).where(condition)
        return [Event(*row) for row in self._connection.execute(query)]

    def lease(self, trial: int) -> Mapping[str, Any] | None:
        """Give the lease of a trial as it was last renewed."""
        row = self._driver.execute(self._marked(LEASE), (trial,)).fetchone()
        return None if row is None else dict(zip(LEASE_COLUMNS, row, strict=True))

    def last_progress(self) -> float:
        """Give the time of the last progress that a renewal brought; 0 where there is none."""
        latest = self._connection.execute(sa.select(sa.func.max(schema.leases.c.progress_at))).scalar()
        return float(latest or 0.0)

    def put_leases(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write renewed leases."""
        if not rows:
            return
        self._connection.execute(GONE, [{"gone": row["trial"]} for row in rows])
        self._connection.execute(schema.leases.insert(), [dict(row) for row in rows])

    def keep_leases(self, trials: Sequence[int]) -> None:
        """Forget the leases of all other trials."""
        kept = set(trials)
        there = self._connection.execute(sa.select(schema.leases.c.trial)).scalars()
        gone = [{"gone": trial} for trial in there if trial not in kept]
        if gone:
            self._connection.execute(GONE, gone)

    def put_transcripts(self, texts: Mapping[str, str]) -> None:
        """Keep texts by their hash; one that is there already is the same text."""
        for name, text in texts.items():
            there = self._connection.execute(sa.select(1).where(schema.transcripts.c.hash == name)).first()
            if there is None:
                self._connection.execute(schema.transcripts.insert(), {"hash": name, "text": text})

    def transcript(self, name: str) -> str | None:
        """Give a text by its hash; None if it was purged."""
        text = schema.transcripts.c
        return self._connection.execute(sa.select(text.text).where(text.hash == name)).scalar()

    def purge_transcripts(self, kept: str = "") -> int:
        """Throw all texts away, but one that is ``kept``; the journal has their hashes."""
        there = schema.transcripts
        return self._connection.execute(there.delete().where(there.c.hash != kept)).rowcount

    def purge_texts(self, names: Sequence[str]) -> None:
        """Throw some texts away; the journal has their hashes."""
        self._connection.execute(schema.transcripts.delete().where(schema.transcripts.c.hash.in_(names)))

    def save_snapshot(self, saved: Mapping[str, Any]) -> None:
        """Keep a snapshot instead of the one before."""
        body = zlib.compress(json.dumps(saved, allow_nan=False).encode(), 1)
        self._connection.execute(schema.snapshots.delete())
        failpoint("in-snapshot")
        self._connection.execute(schema.snapshots.insert(), {"seq": saved["seq"], "body": body})

    def snapshot(self) -> dict[str, Any] | None:
        """Give the last snapshot; one that cannot be read is refused."""
        body = self._connection.execute(
            sa.select(schema.snapshots.c.body).order_by(schema.snapshots.c.seq.desc()).limit(1)
        ).scalar()
        if body is None:
            return None
        try:
            saved: dict[str, Any] = json.loads(zlib.decompress(body))
        except (zlib.error, ValueError):
            raise DataError("the snapshot beside the journal cannot be read") from None
        return saved
