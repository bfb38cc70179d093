"""An arena's file as data: how readers know it, and which of its views holds what they ask for.

An arena is a SQLite database that says so in its ``application_id``; views in it hold the results of complete blocks,
also while it is played. Which blocks were played may have depended on results (adaptive pairing): games then say so,
and are rated accordingly.
"""

import json
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, ReadError
from equipoise.core.lazy import pl

APPLICATION_ID: Final = 0x45515053
"""``EQPS``, at byte 68 of the file."""
ADAPTIVE: Final = "adaptive-policy"
"""Code of the note on games whose pairing may have been adaptive."""
CANNOT_WRITE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
"""What SQLite says where it cannot keep its books."""
VIEWS: Mapping[str, str] = {
    "matches": "equipoise_matches",
    "scores": "equipoise_scores",
    "episodes": "equipoise_episodes",
}
"""Views by the kind of data in them."""
VOTES = """
SELECT m.trial, m.a, m.b, m.outcome, m.task AS prompt, json_extract(e.body, '$.worker') AS voter,
  json_extract(e.body, '$.choice') AS choice, json_extract(e.body, '$.costs.seconds') AS seconds, m.time AS time
FROM equipoise_matches AS m JOIN events AS e ON e.kind = 'result' AND e.trial = m.trial
WHERE NOT EXISTS (
  SELECT 1 FROM events AS w WHERE w.kind = 'vote' AND w.block = m.block AND json_extract(w.body, '$.do') = 'withheld'
  AND NOT EXISTS (SELECT 1 FROM events AS r WHERE r.kind = 'vote' AND r.block = w.block AND r.seq > w.seq
    AND json_extract(r.body, '$.do') = 'restored'))
ORDER BY m.trial"""
"""Votes of people, each with its voter and its prompt; those of excluded voters are left out."""
PLAIN_POLICIES = ("uniform", "round-robin")
"""Policies that do not look at results."""


def is_arena(start: bytes) -> bool:
    """Tell by the first 100 bytes whether a file is an arena."""
    return start.startswith(b"SQLite format 3\x00") and start[68:72] == APPLICATION_ID.to_bytes(4, "big")


def is_arena_file(source: object) -> bool:
    """Tell whether a source is the path of an arena."""
    if not isinstance(source, str | Path) or not Path(source).is_file():
        return False
    with Path(source).open("rb") as file:
        return is_arena(file.read(100))


def arena_kind(path: Path, takes: Collection[str] | None = None) -> str:
    """Choose the kind of data to read: the one that is asked for, or what the seats of the arena make of it."""
    seats = int(_spec(path).get("seats", 2))
    natural = {1: "scores", 2: "matches"}.get(seats, "episodes")
    wanted = {"matches" if kind == "pairs" else kind for kind in takes or (natural,)}
    if natural in wanted:
        return natural
    if "matches" in wanted and seats == 1 and "scores" in wanted:
        return "scores"
    possible = [kind for kind in ("scores", "episodes") if kind in wanted]
    if not possible:
        raise DataError(
            f"{path} is an arena with {seats} seats: its results are {natural}, not {' or '.join(sorted(wanted))}"
        )
    return possible[0]


def arena_frame(path: Path, kind: str) -> "pl.DataFrame":
    """Read the results of complete blocks."""
    with closing(_connected(path)) as database:
        try:
            votes = kind == "matches" and _spec(path).get("game") == "votes"
            cursor = database.execute(VOTES if votes else f"SELECT * FROM {VIEWS[kind]}")
            names, rows = [column[0] for column in cursor.description], cursor.fetchall()
        except sqlite3.Error as error:
            raise ReadError(f"{path} cannot be read as an arena: {error}") from error
    if not rows:
        raise DataError(f"{path} is an arena without a complete block: nothing was played yet")
    frame = pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)
    return frame.drop([name for name in names if frame[name].null_count() == len(frame)])


def arena_notes(path: Path) -> tuple[Diagnostic, ...]:
    """Say that pairing was adaptive, where it may have been."""
    spec = _spec(path)
    policy, goal = spec.get("policy", "ranking"), spec.get("goal", "order")
    if policy in PLAIN_POLICIES and goal == "budget":
        return ()
    message = f"Who met whom, or when play ended, was chosen from results (policy {policy}, goal {goal})."
    return (info(ADAPTIVE, message),)


def _spec(path: Path) -> dict[str, Any]:
    with closing(_connected(path)) as database:
        try:
            row = database.execute("SELECT body FROM events WHERE seq = 1").fetchone()
        except sqlite3.Error as error:
            raise ReadError(f"{path} cannot be read as an arena: {error}") from error
    if row is None:
        raise DataError(f"{path} is an arena without a journal")
    spec: dict[str, Any] = json.loads(row[0])["spec"]
    return spec


def _connected(path: Path) -> sqlite3.Connection:
    try:
        return connect_for_reading(path)
    except sqlite3.Error as error:
        raise ReadError(f"{path} cannot be opened: {error}") from error


def connect_for_reading(path: Path, **options: Any) -> sqlite3.Connection:
    """Open a database for reading, also in a place where nothing can be written, and as a user who may only read.

    SQLite keeps books beside a file with a write-ahead log, for readers too. Where it cannot, and there is no log,
    nobody is writing: the file is read as it is.
    """
    log = path.with_name(f"{path.name}-wal")
    try:
        return _asked(path, "mode=ro", options)
    except sqlite3.OperationalError as error:
        if not path.is_file() or error.sqlite_errorcode & 0xFF not in CANNOT_WRITE:
            raise
        if log.exists() and log.stat().st_size:
            raise ReadError(
                f"{path} has a write-ahead log ({log.name}) that cannot be read where nothing can be written: copy "
                "both into a folder of yours"
            ) from error
        return _asked(path, "mode=ro&immutable=1", options)


def _asked(path: Path, how: str, options: Mapping[str, Any]) -> sqlite3.Connection:
    """Open a database and ask it something: SQLite opens nothing before."""
    connection: sqlite3.Connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, **options)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
