"""Kinds of files: recognised by their names and first bytes, unpacked, and read where polars needs help.

Databases, workbooks and JSON come as whole frames; delimited text, JSON lines, Parquet and Arrow files are polars' own.
"""

import bz2
import gzip
import io
import json
import lzma
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from equipoise.core.errors import DataError, MissingDependencyError, ReadError, did_you_mean, some_of
from equipoise.core.wording import Advice, Option

BUNDLED_NAMES = ("alphago", "lsat", "classifiers", "digits", "hands", "hands-kuhn2", "hands-kuhn3")
"""Names of the data sets that come with the package: for hints, where reading them would be a circle."""
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".jsonlines": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
    ".md": "markdown",
    ".markdown": "markdown",
}
"""Kinds by the end of a file's name."""
BALLOTS = (".soc", ".soi", ".toc", ".toi")
"""Kinds of ranked ballots (PrefLib), which are no tables."""
COMPRESSIONS = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}
"""Compressions by the end of a file's name, and the bytes they start with."""
TABLED = ("excel", "sqlite", "duckdb", "markdown")
"""Kinds that hold several tables."""
KNOWN = (
    "csv, tsv, jsonl, json, parquet, arrow, xlsx, sqlite, duckdb or a table in md"
    " (csv, tsv, jsonl, json, parquet and arrow also as .gz, .bz2, .xz or .zst)"
)
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"SQLite format 3\x00": "sqlite", b"PK\x03\x04": "excel"}
DUCK, DUCK_AT = b"DUCK", 8
ROWS_AT_ONCE = 100_000
NO_TABLE = 'no table in this JSON; give records, [{"a": 1, ...}, ...], or columns, {"a": [1, ...], ...}'
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""First bytes of binary formats, and of text that is no UTF-8."""


def format_of(path: Path) -> tuple[str, str]:
    """Tell the format and the compression from the name.

    >>> format_of(Path("log.csv.gz"))
    ('csv', '.gz')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = suffixes.pop() if suffixes and suffixes[-1] in COMPRESSIONS else ""
    kind = FORMATS.get(suffixes[-1] if suffixes else "")
    if kind is None and suffixes and suffixes[-1] in BALLOTS:
        raise ReadError(f"{path}: ranked ballots (PrefLib) are no table; `equipoise choose` and read_ballots take them")
    if kind is None:
        arrays = "; or save arrays runs x tasks by agent with numpy.savez(...)" if suffixes[-1:] == [".npy"] else ""
        raise ReadError(f"{path}: unknown kind of file; give {KNOWN}{arrays}")
    if compression and (kind in TABLED or (compression == ".zst" and kind in ("parquet", "arrow"))):
        raise ReadError(f"{path}: unpack it first; {kind} is not read out of {compression}")
    return kind, compression


def kind_of(start: bytes) -> str:
    """Tell a binary format from its first bytes; an empty text for anything else."""
    if start[DUCK_AT : DUCK_AT + len(DUCK)] == DUCK:
        return "duckdb"
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), "")


def unpacked(data: bytes, compression: str | None = None) -> bytes:
    """Take off a compression: the one given, or the one that the first bytes tell.

    Fails when
        the data are damaged: with one of the errors that :func:`equipoise.data.files.tables.reading` turns into a line.
    """
    if compression is None:
        compression = next((name for name, magic in COMPRESSIONS.items() if data.startswith(magic)), "")
    if not compression:
        return data
    if compression == ".zst":
        return _unpacked_zst(data)
    decompress: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress,
    }  # fmt: skip
    try:
        return decompress[compression](data)
    except lzma.LZMAError as error:
        raise ValueError(f"it cannot be unpacked: {error}") from error


def _unpacked_zst(data: bytes) -> bytes:
    """Unpack text, which polars can and the standard library cannot before Python 3.14: each line as a row."""
    lines = pl.read_csv(
        data, has_header=False, infer_schema=False, separator="\x01", quote_char=None, truncate_ragged_lines=False
    )  # fmt: skip
    return ("\n".join(lines.to_series().fill_null("").to_list()) + "\n").encode()


def ends_in_returns(start: bytes) -> bool:
    """Say whether lines end in carriage returns alone, as old programs write them, and few others read."""
    return b"\r" in start and b"\n" not in start and b"\0" not in start


def frame_of_json(data: bytes) -> pl.DataFrame:
    """Read records, columns, JSON lines, or any of the forms in which pandas writes a frame."""
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith(b"{"):
        return _of_records(text)
    try:
        content = json.loads(text, parse_constant=lambda _: None)
    except ValueError:
        return pl.read_ndjson(io.BytesIO(text), infer_schema_length=None)
    return _of_records(json.dumps(_records(content)).encode())


def _of_records(text: bytes) -> pl.DataFrame:
    """Read a list of records; where Python wrote NaN, which is no JSON, it is a gap."""
    try:
        return pl.read_json(text, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        if b"NaN" not in text and b"Infinity" not in text:
            _refuse_no_records(text)
            raise
        constants = {"NaN": None, "Infinity": "inf", "-Infinity": "-inf"}
        return pl.read_json(
            json.dumps(json.loads(text, parse_constant=constants.get)).encode(), infer_schema_length=None
        )


def _refuse_no_records(text: bytes) -> None:
    """Say of JSON that is sound, and no list of records, what is expected; what is broken is left to polars."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise ValueError(NO_TABLE)


def _records(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the rows of a table that is written as an object."""
    values = list(content.values())
    if isinstance(content.get("columns"), list) and isinstance(content.get("data"), list):
        names = [str(name) for name in content["columns"]]
        if not all(isinstance(row, list) and len(row) == len(names) for row in content["data"]):
            raise ValueError("every row of a JSON table must be a list with as many entries as there are columns")
        return [dict(zip(names, row, strict=True)) for row in content["data"]]
    lists = {name: value for name, value in content.items() if isinstance(value, list)}
    if values and len(lists) == len(values) and not any(isinstance(entry, dict) for value in values for entry in value):
        if len({len(value) for value in values}) > 1:
            raise ValueError("the columns of a JSON table must be lists of the same length")
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    records = [value for value in lists.values() if value and all(isinstance(entry, dict) for entry in value)]
    if len(records) == 1:
        return list(records[0])
    if values and all(isinstance(value, dict) for value in values):
        return _of_objects(content)
    if values and not any(isinstance(value, dict | list) for value in values):
        return [content]
    raise ValueError(NO_TABLE)


def _of_objects(content: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Read columns of numbered rows, or rows of named columns: those that pandas writes by columns count from 0."""
    keys = list(dict.fromkeys(key for inner in content.values() for key in inner))
    if sorted(keys) == sorted(str(number) for number in range(len(keys))):
        return [{name: inner.get(key) for name, inner in content.items()} for key in sorted(keys, key=int)]
    return [{"": name, **inner} for name, inner in content.items()]


def frame_of_table(source: Path | bytes, kind: str, table: str | None, name: str) -> pl.DataFrame:
    """Read one table of a database or one sheet of a workbook: the one that is named, or the only one."""
    if kind == "excel":
        return _of_workbook(source, table, name)
    if kind == "markdown":
        return _of_page(source, table, name)
    if kind == "sqlite":
        return _of_sqlite(source, table, name)
    if isinstance(source, bytes):
        raise ReadError(f"{name} is a DuckDB file; give its path")
    return _of_duckdb(source, table, name)


def _of_page(source: Path | bytes, table: str | None, name: str) -> pl.DataFrame:
    from equipoise.data.files.markdown import markdown_tables

    data = source if isinstance(source, bytes) else source.read_bytes()
    tables = markdown_tables(data.decode())
    return tables[_only(list(tables), table, name, "table")]


def _only(there: Sequence[str], table: str | None, name: str, kind: str) -> str:
    """Choose a table."""
    if table is not None:
        if table not in there:
            hint = did_you_mean(table, there)
            raise DataError(Option("table"), f': {name} has no {kind} "{table}"{hint}; there: {some_of(there, 12)}')
        return table
    if not there:
        raise ReadError(f"{name} has no {kind} in it")
    if len(there) > 1:
        raise DataError(
            f"{name} has {len(there):,} {kind}s: {some_of(there, 12)}",
            advice=[Advice("say which with ", Option("table", there[0]))],
        )
    return there[0]


@contextmanager
def _complaints(name: str, *kinds: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kinds as error:
        first = str(error).splitlines()[0] if str(error) else "it is damaged"
        raise ReadError(f"{name} cannot be read: {first}") from error


def _missing(package: str, extra: str, name: str) -> MissingDependencyError:
    return MissingDependencyError(f'{package} is needed to read {name}; run: pip install "equipoise[{extra}]"')


def _of_workbook(source: Path | bytes, table: str | None, name: str) -> pl.DataFrame:
    try:
        import fastexcel
    except ImportError as error:
        raise _missing("fastexcel", "excel", name) from error
    with _complaints(name, fastexcel.FastExcelError):
        workbook = fastexcel.read_excel(source)
        sheets = {sheet: workbook.load_sheet(sheet, dtypes="string") for sheet in _sheets(workbook, table)}
        filled = [sheet for sheet, content in sheets.items() if content.width]
        chosen = _only(workbook.sheet_names if table is not None else filled, table, name, "sheet")
        frame = pl.DataFrame(sheets[chosen])
    return frame.rename({column: "" for column in frame.columns[:1] if column.startswith("__UNNAMED__")})


def _sheets(workbook: Any, table: str | None) -> list[str]:
    there: list[str] = workbook.sheet_names
    return [table] if table in there else there


def _of_sqlite(source: Path | bytes, table: str | None, name: str) -> pl.DataFrame:
    with _complaints(name, sqlite3.Error, sqlite3.Warning), closing(_connected(source)) as database:
        listed = (
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        chosen = _only([str(row[0]) for row in database.execute(listed)], table, name, "table")
        quoted = chosen.replace('"', '""')
        return _of_cursor(database.execute(f'SELECT * FROM "{quoted}"'))


def _of_cursor(cursor: Any) -> pl.DataFrame:
    """Read the rows of a query as text, piece by piece: in SQLite each cell has a type, whatever a column says.

    Polars takes DuckDB's results without a copy, and leaves a complaint about leaks behind when Python ends.
    """
    names = [column[0] for column in cursor.description]
    pieces = [pl.DataFrame(schema=dict.fromkeys(names, pl.String))]
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        columns = ([_text(value) for value in values] for values in zip(*rows, strict=True))
        pieces.append(
            pl.DataFrame([pl.Series(name, c, dtype=pl.String) for name, c in zip(names, columns, strict=True)])
        )
    return pl.concat(pieces)


def _connected(source: Path | bytes) -> sqlite3.Connection:
    """Open a file for reading only, or a database in memory."""
    if isinstance(source, Path):
        return sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)
    database = sqlite3.connect(":memory:")
    database.deserialize(source)
    return database


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _of_duckdb(path: Path, table: str | None, name: str) -> pl.DataFrame:
    try:
        import duckdb
    except ImportError as error:
        raise _missing("duckdb", "duckdb", name) from error
    with _complaints(name, duckdb.Error), closing(duckdb.connect(str(path), read_only=True)) as database:
        listed = "SELECT table_name FROM information_schema.tables WHERE table_catalog = current_database() ORDER BY 1"
        chosen = _only([row[0] for row in database.execute(listed).fetchall()], table, name, "table")
        quoted = chosen.replace('"', '""')
        return _of_cursor(database.execute(f'SELECT * FROM "{quoted}"'))
