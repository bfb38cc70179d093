"""Tables with planted faults, thrown at the readers: an answer that accounts for every row, or one clear line.

A case is made from its number alone, so that any case can be made again: ``python -m tests.faults.mutated 4711``.
"""

import gzip
import io
import json
import random
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import polars as pl

import equipoise as eq
from tests.faults.workbook import workbook

LIMIT = 5.0
"""Seconds that a small file may take."""

GAMES = [("x", "y", 1), ("y", "z", 0), ("z", "x", 0.5), ("x", "z", 1), ("y", "x", 1), ("z", "y", 1), ("x", "y", 0)]
TABLES = {
    "log": (eq.read_matches, [("a", "b", "outcome"), *GAMES]),
    "votes": (
        eq.read_pairs,
        [
            ("id", "model_a", "model_b", "winner", "language", "turn", "tstamp"),
            *(
                (i, f"m{i % 3}", f"m{(i + 1) % 3}", ("model_a", "model_b", "tie")[i % 3], "English", i % 4, 1.6e9 + i)
                for i in range(8)
            ),
        ],
    ),
    "weighted": (eq.read_matches, [("white", "black", "result", "games"), *((*game, 3) for game in GAMES)]),
    "counts": (
        eq.read_pairs,
        [("player", "opponent", "wins", "games"), ("x", "y", 3, 5), ("y", "z", 2, 4), ("z", "x", 1, 1)],
    ),
    "won": (eq.read_matches, [("winner", "loser", "wins"), ("x", "y", 9), ("y", "z", 8), ("z", "x", 1)]),
    "square": (eq.read_pairs, [("", "x", "y", "z"), ("x", 0, 3, 4), ("y", 1, 0, 5), ("z", 2, 2, 0)]),
    "payoffs": (eq.read_metagame, [("", "r", "s"), ("r", 0, 1), ("s", -1, 0)]),
    "wide": (
        eq.read_scores,
        [("model", "t1", "t2", "t3"), ("x", 61.7, 0.5, 3), ("y", 50, 0.25, 2), ("z", 10.5, 0.75, 1), ("w", 1, 1, 9)],
    ),
    "long": (
        eq.read_scores,
        [
            ("agent", "task", "score", "seed"),
            *((a, t, i, s) for i, a in enumerate("xyz") for t in "pq" for s in (0, 1)),
        ],
    ),
    "hands": (
        eq.read_episodes,
        [
            ("agent", "deal", "utility", "seat"),
            *(("xyz"[(d + s) % 3], f"d{d}", d - 2 * s, s) for d in range(4) for s in (0, 1)),
        ],
    ),
}
FORMATS = ("csv", "tsv", "semicolon", "jsonl", "json", "columns", "parquet", "arrow", "gz", "xlsx", "sqlite")
SUFFIXES = {"semicolon": ".csv", "columns": ".json", "gz": ".csv.gz"}
WEIGHTS = (40, 6, 6, 14, 7, 4, 9, 6, 6, 1, 1)
"""How often each format comes, in hundredths."""
CELLS = [
    "61.77%", "61.77 +- 1.2", "61.77±1.2", "61,770", "0,5", "—", "-", "N/A", "", " ", "nan", "inf", "-inf", "1e400",
    "-1e308", "9" * 400, "0x1F", "1_000", "true", "None", "#", "# note", '"', '""', "'", "\x00", "\ufeff", "\u202e",
    "é",
    "日本", "=1+1", "2024-01-01", "2024-13-45", "x\ny", "x\ry", "a,b", "\t", ";", "|", "\\", "{", "[1,2]", "null",
    "1.5.2",
    "\x01", "x" * 3000, "NaN", "∞", "٣", "½", "1e-400", "+5", "--5", "5-", "$5", "−3",
]  # fmt: skip
HEADERS = [
    "a", "b", "outcome", "winner", "loser", "wins", "games", "n", "score", "agent", "task", "deal", "utility", "date",
    "weight", "", " ", "a ", "#", "model", "id", "average", "A", "nan", "1", "seat", "trial", "time", "\ufeffa", '"a"',
]  # fmt: skip
LINES = ["", "   ", "# a comment", "#,#,#", ",", ",,,", ";;;", '"', "\x00", "x", "a,b,outcome", "---", "...", "\x1a"]
ENCODINGS = ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "utf-8-sig"]


class LostRowError(AssertionError):
    """A row that went missing without a note."""


def case(number, seed=0):
    """Give a case by its number: the reader, its options, the format and the bytes."""
    rng = random.Random(f"{seed}/{number}")
    read, rows = TABLES[rng.choice(list(TABLES))]
    form = rng.choices(FORMATS, WEIGHTS)[0]
    rows = [list(row) for row in rows]
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        _spoil_table(rows, rng)
    content = _written(rows, form, rng)
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        content = _spoil_bytes(content, form, rng)
    if rng.random() < 0.1:
        read = rng.choice(list(TABLES.values()))[0]
    return read, _options(read, rng), form, content


def _options(read, rng):
    options = {}
    if read is eq.read_metagame:
        return options
    if rng.random() < 0.5:
        options["on_error"] = "skip" if read is not eq.read_episodes or rng.random() < 0.9 else "raise"
    if rng.random() < 0.08:
        options |= rng.choice(
            [
                {"where": "turn <= 2"}, {"where": 'language == "English"'}, {"min_games": 2}, {"components": "largest"},
                {"since": "2024"}, {"until": 3}, {"where": "a != b or not score > 1"},
                {"min_games": 1, "components": "largest"},
            ]
        )  # fmt: skip
    if rng.random() < 0.1:
        options["duplicates"] = rng.choice(["keep", "drop", "error"])
    return options


def _spoil_table(rows, rng):
    """Plant a fault that a person or a program makes: in a cell, a row, a column or the header."""
    what = rng.randrange(9)
    row = rng.choice(rows)
    if what <= 2 and row:
        row[rng.randrange(len(row))] = rng.choice(CELLS)
    elif what == 3 and row:
        del row[rng.randrange(len(row))]
    elif what == 4:
        row.insert(rng.randint(0, len(row)), rng.choice(CELLS))
    elif what == 5 and rows[0]:
        rows[0][rng.randrange(len(rows[0]))] = rng.choice(HEADERS)
    elif what == 6:
        for at, each in enumerate(rows):
            each.insert(0, "" if at == 0 and rng.random() < 0.7 else at - 1)
    elif what == 7:
        rows.insert(rng.randint(0, len(rows)), list(row))
    elif len(rows) > 1:
        del rows[rng.randrange(len(rows))]


def _written(rows, form, rng):
    if form in ("csv", "gz"):
        return _packed(_delimited(rows, ",", rng), form)
    if form in ("tsv", "semicolon"):
        return _delimited(rows, "\t" if form == "tsv" else ";", rng)
    header = [str(name) for name in (rows[0] if rows else [])]
    records = [dict(zip(header, row, strict=False)) for row in rows[1:]]
    if form == "jsonl":
        return "".join(json.dumps(record) + "\n" for record in records).encode()
    if form == "json":
        return json.dumps(records).encode()
    if form == "columns":
        return json.dumps({name: [record.get(name) for record in records] for name in header}).encode()
    if form == "xlsx":
        clean = [["".join(c for c in str(v) if c >= " ") if isinstance(v, str) else v for v in row] for row in rows]
        return workbook({"games": clean})
    columns = {name: [_text(record.get(name)) for record in records] for name in header}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(header, pl.String))
    if rng.random() < 0.5:
        numbers = [name for name in frame.columns if frame[name].cast(pl.Float64, strict=False).null_count() == 0]
        frame = frame.with_columns(pl.col(numbers).cast(pl.Float64))
    if form == "sqlite":
        return _database(frame)
    out = io.BytesIO()
    frame.write_parquet(out) if form == "parquet" else frame.write_ipc(out)
    return out.getvalue()


def _text(value):
    return None if value is None else str(value)


def _delimited(rows, separator, rng):
    end = rng.choices(["\n", "\r\n", "\r"], (90, 8, 2))[0]
    quoted = rng.random() < 0.3
    lines = [separator.join(_cell(value, separator, quoted) for value in row) for row in rows]
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        lines.insert(rng.randint(0, len(lines)), rng.choice(LINES))
    text = end.join(lines) + (end if rng.random() < 0.8 else "")
    if rng.random() < 0.03:
        return text.encode(rng.choice(ENCODINGS), "replace")
    return text.encode("utf-8", "replace")


def _cell(value, separator, quoted):
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if quoted and any(c in text for c in f'{separator}"\n\r') else text


def _packed(content, form):
    return gzip.compress(content, 1, mtime=0) if form == "gz" else content


def _database(frame):
    with closing(sqlite3.connect(":memory:")) as database:
        names = ", ".join(
            f'"c{at}"' if "\x00" in name or not name else '"' + name.replace('"', "") + f'_{at}"'
            for at, name in enumerate(frame.columns)
        )
        database.execute(f"CREATE TABLE games ({names or 'nothing'})")
        if frame.columns:
            marks = ", ".join("?" * frame.width)
            database.executemany(f"INSERT INTO games VALUES ({marks})", frame.rows())
        database.commit()
        return database.serialize()


def _spoil_bytes(content, form, rng):
    """Plant a fault that a disk, a network or an editor makes."""
    if not content:
        return content
    what = rng.randrange(8)
    at = rng.randrange(len(content))
    to = min(len(content), at + rng.randint(1, 12))
    if what <= 1:
        return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
    if what == 2:
        return content[:at]
    if what == 3:
        return content[:at] + content[to:]
    if what == 4:
        return content[:at] + content[at:to] * rng.randint(2, 4) + content[to:]
    if what == 5:
        return (
            content[:at]
            + rng.choice([b'"', b",", b"\n", b"\x00", b"\r", b";", b"\t", b"\xff", b"}", b"[", b"#"])
            + content[at:]
        )
    if what == 6:
        return content[:at] + b"\x00" * (to - at) + content[to:]
    return content[at:] if rng.random() < 0.3 else content[:at] + rng.randbytes(to - at) + content[at:]


def attempt(number, seed=0):
    """Read a case; give "read" or "refused", or raise what is wrong with it."""
    read, options, form, content = case(number, seed)
    start = time.monotonic()
    try:
        data = _read(read, options, form, content, as_file=number % 5 == 0)
    except eq.EquipoiseError as error:
        message = str(error)
        assert message.strip(), "an error without a message"
        assert len(message.splitlines()) == 1, f"an error of several lines: {message!r}"
        assert len(message) < 2000, "an error longer than anybody reads"
        return "refused"
    finally:
        took = time.monotonic() - start
        assert took < LIMIT, f"{took:.1f} s"
    _check_account(data, form, content, options)
    return "read"


def _read(read, options, form, content, *, as_file):
    """Read a case as a stream, or as a file with the name that its kind should have."""
    if not as_file:
        return read(io.BytesIO(content), read=eq.ReadOptions(**options))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"case{SUFFIXES.get(form, f'.{form}')}"
        path.write_bytes(content)
        return read(path, read=eq.ReadOptions(**options))


def _check_account(data, form, content, options):
    """Every row of the file was used, or dropped for a reason that is said."""
    account = data.account
    if account is None:
        raise LostRowError("no account")
    if account.used + sum(account.dropped.values()) != account.rows:
        raise LostRowError(f"{account}")
    if account.dropped and not data.diagnostics:
        raise LostRowError(f"dropped without a note: {account.dropped}")
    used = len(data) if hasattr(data, "__len__") and (data.kind == "episodes" or _by_rows(data)) else None
    if used is not None and used != account.used:
        raise LostRowError(f"{used} rows behind the data, {account.used} in the account")
    there = _rows_there(form, content)
    if there is not None and there != account.rows:
        raise LostRowError(f"{there} rows in the file, {account.rows} in the account")


def _by_rows(data):
    return data.kind == "matches" and data.ordered


def _rows_there(form, content):
    """Count the rows of a text in the plainest way; None where that needs a parser."""
    if form in ("csv", "tsv", "semicolon"):
        if b'"' in content or b"\r" in content or content[:2] in (b"\x1f\x8b", b"PK", b"BZ"):
            return None
        lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        lines = lines[:-1] if not lines[-1] else lines
        first = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith(b"#")), None)
        if first is None or any(line.startswith(b"#") for line in lines):
            return None
        return len(lines) - first - 1
    if form == "jsonl" and content.startswith(b"{") and b"\r" not in content:
        return sum(bool(line.strip()) for line in content.split(b"\n"))
    return None


if __name__ == "__main__":
    for given in map(int, sys.argv[1:]):
        reader, chosen, kind, text = case(given)
        print(reader.__name__, chosen, kind, text, sep="\n")
        print(attempt(given))
