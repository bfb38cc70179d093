"""The tables of an arena: one journal, and beside it what may change or be thrown away.

``events`` is insert-only; the unique indexes on it keep a trial from counting twice, whatever code does. ``leases``
change when they are renewed, ``transcripts`` may be purged, ``snapshots`` save reading the journal from its beginning.
"""

from collections.abc import Callable, Mapping

import sqlalchemy as sa
from sqlalchemy.schema import CreateIndex, CreateTable

VERSION = 2
"""Of the schema. 1: the tables. 2: views that any program can read."""

metadata = sa.MetaData()

arena = sa.Table(
    "arena",
    metadata,
    sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("id", sa.Text, nullable=False),
    sa.Column("secret", sa.Text, nullable=False),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("head", sa.Text, nullable=False),
    sa.Column("time", sa.Double, nullable=False),
    sa.Column("in_use", sa.Integer, nullable=False),
)
"""One row: who the arena is, the end of its journal, and whether a process had it open."""

events = sa.Table(
    "events",
    metadata,
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("time", sa.Double, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("trial", sa.BigInteger),
    sa.Column("block", sa.BigInteger),
    sa.Column("key", sa.Text),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)
_counts = sa.text("kind = 'result'")
_has_key = sa.text("key IS NOT NULL")
_void = sa.text("kind = 'void'")
_opened = sa.text("kind = 'open'")
sa.Index("one_result_a_trial", events.c.trial, unique=True, sqlite_where=_counts, postgresql_where=_counts)
sa.Index(
    "one_answer_a_key", events.c.trial, events.c.key, unique=True, sqlite_where=_has_key, postgresql_where=_has_key
)
sa.Index("one_void_a_block", events.c.block, unique=True, sqlite_where=_void, postgresql_where=_void)
sa.Index("results_of_blocks", events.c.block, sqlite_where=_counts, postgresql_where=_counts)
sa.Index("trials_of_blocks", events.c.trial, unique=True, sqlite_where=_opened, postgresql_where=_opened)

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("trial", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("until", sa.Double, nullable=False),
    sa.Column("progress", sa.Double),
    sa.Column("progress_at", sa.Double, nullable=False),
)
transcripts = sa.Table(
    "transcripts", metadata, sa.Column("hash", sa.Text, primary_key=True), sa.Column("text", sa.Text, nullable=False)
)
snapshots = sa.Table(
    "snapshots",
    metadata,
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

COUNTED = """
kind = 'result'
  AND NOT EXISTS (SELECT 1 FROM events AS v WHERE v.kind = 'void' AND v.block = e.block)
  AND (SELECT COUNT(*) FROM events AS r WHERE r.kind = 'result' AND r.block = e.block) = json_extract(e.body, '$.of')
"""
"""Results of complete blocks that are not void."""

VIEWS: Mapping[str, str] = {
    "equipoise_matches": f"""
SELECT e.trial, json_extract(e.body, '$.players[0]') AS a, json_extract(e.body, '$.players[1]') AS b,
  (1 + json_extract(e.body, '$.normalised[0]') - json_extract(e.body, '$.normalised[1]')) / 2.0 AS outcome,
  json_extract(e.body, '$.task') AS task, e.block AS block, e.time AS time
FROM events AS e WHERE {COUNTED} AND json_array_length(e.body, '$.players') = 2""",
    "equipoise_scores": f"""
SELECT e.trial, seat.value AS agent, coalesce(json_extract(e.body, '$.task'), 'all') AS task,
  json_extract(e.body, '$.scores[' || seat.key || ']') AS score, seat.key AS seat, e.block AS block, e.time AS time
FROM events AS e, json_each(e.body, '$.players') AS seat WHERE {COUNTED}""",
    "equipoise_episodes": f"""
SELECT e.block AS deal, e.trial AS hand, seat.value AS agent, seat.key AS seat,
  json_extract(e.body, '$.scores[' || seat.key || ']') AS utility,
  json_extract(e.body, '$.controls.baseline[' || seat.key || ']') AS baseline,
  json_extract(e.body, '$.controls.aivat[' || seat.key || ']') AS aivat
FROM events AS e, json_each(e.body, '$.players') AS seat WHERE {COUNTED}""",
}
"""What readers of SQLite files find, by view."""


def create(connection: sa.Connection) -> None:
    """Make all tables in an empty database, in the order of the versions."""
    first_version(connection)
    for version in range(1, VERSION):
        MIGRATIONS[version](connection)


def first_version(connection: sa.Connection) -> None:
    """Make the tables of version 1."""
    for table in metadata.sorted_tables:
        connection.execute(CreateTable(table))
        for index in sorted(table.indexes, key=lambda one: str(one.name)):
            connection.execute(CreateIndex(index))


def _views(connection: sa.Connection) -> None:
    """From 1 to 2: views over the journal, where the database is a file that others read."""
    if connection.dialect.name == "sqlite":
        for name, query in VIEWS.items():
            connection.exec_driver_sql(f"CREATE VIEW {name} AS {query}")


MIGRATIONS: Mapping[int, Callable[[sa.Connection], None]] = {1: _views}
"""How a database of each version becomes one of the next, inside one transaction."""
