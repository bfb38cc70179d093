"""Files and data frames as one thing: a lazy polars frame whose text stays text.

Which kinds of files there are is said in ``formats``; other people's data frames are known to ``native_frames`` only.
"""

import gzip
import io
import itertools
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, ReadError, did_you_mean
from equipoise.core.results import IntArray
from equipoise.core.wording import Option
from equipoise.data.encode.cells import OddCells, numbers
from equipoise.data.encode.labels import Factor
from equipoise.data.files.formats import (
    BUNDLED_NAMES,
    COMPRESSIONS,
    TABLED,
    UTF_16,
    ends_in_returns,
    format_of,
    frame_of_json,
    frame_of_table,
    kind_of,
    unpacked,
)
from equipoise.data.files.markdown import holds_table
from equipoise.data.files.native_frames import native_frame
from equipoise.data.files.text_sources import TextSource
from equipoise.data.select.selection import Selection, Wanted
from equipoise.data.types.accounts import Account

SEPARATORS = {"csv": ",", "tsv": "\t"}
PREAMBLE = 1000
"""Lines among which the header must be."""
PAGE = 65_536
"""Bytes among which a page of text must have its first table."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Table:
    """A table to be read: its rows, its column names and what to call it in a message.

    ``text_source`` is the delimited text behind it, where it is one: its rows are counted before they are believed.
    ``expected`` is that count, and ``dropped`` are rows of the file that are not among ``rows``, by reason.
    ``cells`` keeps what was done to cells on the way to numbers, ``choice`` is what the user wants of the table, and
    ``chosen_by`` are the columns that decided over rows already.
    """

    rows: pl.LazyFrame
    columns: tuple[str, ...]
    name: str
    decimal_comma: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    in_memory: bool = False
    text_source: TextSource | None = None
    expected: int | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    cells: OddCells = field(default_factory=OddCells)
    selection: Selection = field(default_factory=Selection)
    chosen_by: frozenset[str] = frozenset()

    def account(self, given: int, dropped: Mapping[str, int], used: Iterable[str | None]) -> Account:
        """Account for all rows: ``given`` came out of the table, of which those ``dropped`` were not used."""
        if self.expected is not None and given != self.expected:
            raise ReadError(
                f"{self.name} cannot be read reliably: it has {self.expected:,} rows, of which {given:,} were read;"
                " look for stray quotes"
            )
        before = sum(self.dropped.values())
        return Account.of(given + before, {**self.dropped, **dropped}, {*used, *self.chosen_by}, self.columns)

    def number(self, column: str) -> pl.Expr:
        """Give a column as floats; null where it is not a number."""
        return numbers(pl.col(column).cast(pl.String), column, self.cells, decimal_comma=self.decimal_comma)

    def raw(self, column: str) -> pl.Expr:
        """Give a column as text, as it is written."""
        return pl.col(column).cast(pl.String)

    def text(self, column: str) -> pl.Expr:
        """Give a column as trimmed text; null where it is empty."""
        text = self.raw(column).str.strip_chars()
        return pl.when(text != "").then(text)


def open_table(source: Any) -> Table:
    """Open a path, a binary stream or any data frame that narwhals knows; or what is wanted of one of them."""
    if isinstance(source, Wanted):
        table = _opened(source.source, source.selection.table)
        return replace(table, cells=source.cells, selection=source.selection)
    return _opened(source, None)


def _opened(source: Any, chosen: str | None) -> Table:
    if isinstance(source, str | Path):
        return _open_file(Path(source), chosen)
    if hasattr(source, "read"):
        return _open_stream(source, chosen)
    _refuse_table(chosen, "the data frame")
    frame, notes = native_frame(source)
    held = isinstance(frame, pl.DataFrame)
    names = tuple(frame.collect_schema().names())
    return Table(frame.lazy(), names, "the data frame", diagnostics=notes, in_memory=held)


def _refuse_table(chosen: str | None, name: str) -> None:
    if chosen is not None:
        raise DataError(Option("table", chosen), f" has no effect: {name} is one table, no database or workbook")


def collect(rows: pl.LazyFrame, name: str) -> pl.DataFrame:
    """Run a lazy query in the streaming engine; what goes wrong is said in one line."""
    with reading(name):
        return rows.collect(engine="streaming")


def factor(column: pl.Series, place: IntArray | None = None) -> Factor:
    """Code a column of text, labels in order of first appearance; a missing text is an empty one.

    ``place`` says where in the table each row first stood, where they come in another order.
    """
    ready = column.dtype == pl.Categorical and not column.null_count()
    coded = column if ready else column.fill_null("").cast(pl.Categorical)
    code = coded.to_physical().to_numpy()
    labels = coded.unique(maintain_order=True)
    own = labels.to_physical().to_numpy()
    if place is not None:
        first = np.full(int(own.max(initial=0)) + 1, np.iinfo(np.int64).max)
        np.minimum.at(first, code, place)
        order = np.argsort(first[own])
        labels, own = labels.gather(order), own[order]
    number = np.empty(int(own.max(initial=0)) + 1, dtype=np.int32)
    number[own] = np.arange(len(own), dtype=np.int32)
    return Factor(tuple(labels.cast(pl.String).to_list()), number[code])


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn what polars and the file system raise into one clear line."""
    try:
        yield
    except pl.exceptions.NoDataError as error:
        raise ReadError(f"{name} is empty") from error
    except pl.exceptions.PolarsError as error:
        raise ReadError(_plain(name, str(error))) from error
    except UnicodeDecodeError as error:
        raise ReadError(f"{name} is not UTF-8 text; save it as UTF-8") from error
    except (OSError, EOFError, ValueError, zlib.error, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        raise ReadError(f"{name} cannot be read: {_first_line(str(error))}") from error
    except BaseException as error:
        # Where polars itself breaks over a damaged file, its exception is not one of Python's ordinary ones.
        if type(error).__name__ != "PanicException":
            raise
        raise ReadError(f"{name} is damaged and cannot be read") from error


def _plain(name: str, problem: str) -> str:
    if "utf-8" in problem.lower() or "utf8" in problem.lower():
        return f"{name} is not UTF-8 text; save it as UTF-8"
    if "more fields than defined" in problem:
        return f"{name} is ragged: a row has more fields than the header"
    if "json" in problem.lower() or "TapeError" in problem:
        return f"{name} is not valid JSON: each line must be one whole object"
    if "could not parse" in problem or "CSV malformed" in problem:
        return f"{name} has an unfinished quoted field; every opening quote needs a closing one"
    if "supertype" in problem or "deserializ" in problem or "struct" in problem or "cast" in problem:
        return f"{name}: a column holds values of several kinds (numbers, texts, lists, objects); a table has one each"
    return f"{name} cannot be read: it is damaged, or no table of the kind that its name says"


def _first_line(problem: str) -> str:
    lines = [line for line in problem.splitlines() if line.strip()]
    return lines[0] if lines else "unknown reason"


def _open_file(path: Path, chosen: str | None) -> Table:
    name = str(path)
    if path.is_dir():
        raise ReadError(f"{name} is a directory; give a file")
    if not path.exists():
        raise ReadError(f"{name} does not exist{did_you_mean(name, BUNDLED_NAMES)}")
    kind, compression = format_of(path)
    if path.stat().st_size == 0:
        raise ReadError(f"{name} is empty")
    kind = _kind_by_content(path, kind, compression)
    if kind not in TABLED:
        _refuse_table(chosen, name)
    with reading(name):
        if kind in TABLED:
            return _table(frame_of_table(path, kind, chosen, name).lazy(), name)
        if compression in (".bz2", ".xz") or (compression and kind in ("json", "parquet", "arrow")):
            return _of_content(unpacked(path.read_bytes(), compression), kind, name)
        if kind == "parquet":
            return _table(pl.scan_parquet(path, glob=False), name)
        if kind == "arrow":
            return _table(pl.scan_ipc(path, glob=False), name)
        if kind == "json":
            return _table(frame_of_json(path.read_bytes()).lazy(), name)
        if ends_in_returns(_page(path, compression)):
            return _of_content(unpacked(path.read_bytes(), compression), kind, name)
        if kind == "jsonl":
            return _table(pl.scan_ndjson(_literally(path), infer_schema_length=None), name)
        with _text_lines(path, compression) as lines:
            head = _Head.of(itertools.islice(lines, PREAMBLE), kind)
        return _csv(path, head, kind, name, compression)


def _of_content(data: bytes, kind: str, name: str) -> Table:
    """Open what a file or a stream holds."""
    if kind == "parquet":
        return _table(pl.read_parquet(io.BytesIO(data)).lazy(), name)
    if kind == "arrow":
        return _table(pl.read_ipc(io.BytesIO(data)).lazy(), name)
    if kind == "json":
        return _table(frame_of_json(data).lazy(), name)
    if ends_in_returns(data[:PAGE]):
        data = data.replace(b"\r", b"\n")
    if kind == "jsonl":
        return _table(pl.scan_ndjson(io.BytesIO(data), infer_schema_length=None), name)
    if not data.strip():
        raise ReadError(f"{name} is empty")
    if data.startswith(UTF_16):
        raise ReadError(f"{name} is UTF-16 text; save it as UTF-8")
    start = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="\n")
    return _csv(data, _Head.of(itertools.islice(start, PREAMBLE), kind), kind, name)


def _page(path: Path, compression: str) -> bytes:
    """Give the beginning of a text, which may be packed."""
    with gzip.open(path) if compression == ".gz" else path.open("rb") as file:
        return file.read(PAGE)


def _literally(path: Path) -> Path | bytes:
    """Give a file by its content where polars would take its name for a pattern."""
    return path.read_bytes() if any(char in str(path) for char in "*?[") else path


@dataclass(frozen=True, slots=True)
class _Head:
    """The header of a delimited text, lines before it, and how many of these are comments."""

    header: str
    skip: int
    comments: int

    @classmethod
    def of(cls, lines: Iterable[str], kind: str) -> "_Head":
        """Find the header behind blank lines and comments.

        A line that starts with a number sign is a comment, unless the first row has as many fields.
        """
        before: list[str] = []
        for line in lines:
            if line.strip() and not line.startswith("#"):
                last = next((at for at in reversed(range(len(before))) if before[at].strip()), None)
                if last is not None and _fields(before[last], kind) == _fields(line, kind) > 1:
                    return cls._at(before, last)
                return cls._at([*before, line], len(before))
            before.append(line)
        filled = [at for at, line in enumerate(before) if line.strip()]
        return cls._at(before, filled[0]) if filled else cls("", 0, 0)

    @classmethod
    def _at(cls, lines: list[str], place: int) -> "_Head":
        return cls(lines[place].strip("\r\n"), place, sum(line.startswith("#") for line in lines[:place]))


def _fields(line: str, kind: str) -> int:
    return line.count(separator_of(line, kind)) + 1


def _csv(source: Path | bytes, head: _Head, kind: str, name: str, compression: str = "") -> Table:
    header = head.header
    separator = separator_of(header, kind)
    if not header.strip():
        raise ReadError(f"{name} starts with empty lines where the column names should be")
    rows = pl.scan_csv(source, separator=separator, infer_schema=False, glob=False, skip_lines=head.skip)
    notes: tuple[Diagnostic, ...] = ()
    if separator != SEPARATORS[kind]:
        shown = "tab" if separator == "\t" else separator
        notes = (info("separator", f'Columns of {name} are separated by "{shown}".'),)
    text = TextSource(source, compression, separator, head.skip, head.comments)
    return replace(_table(rows, name, decimal_comma=separator == ";", notes=notes), text_source=text)


def with_text(table: Table, content: bytes) -> Table:
    """Give the same table over another text: its own from the header on, without lines that are no rows."""
    assert table.text_source
    separator = table.text_source.separator
    with reading(table.name):
        rows = pl.scan_csv(content, separator=separator, infer_schema=False)
        names = rows.collect_schema().names()
        renamed = {old: new for old, new in zip(names, table.columns, strict=True) if old != new}
    return replace(
        table, rows=rows.rename(renamed) if renamed else rows, text_source=TextSource(content, "", separator)
    )  # fmt: skip


def _table(rows: pl.LazyFrame, name: str, decimal_comma: bool = False, notes: tuple[Diagnostic, ...] = ()) -> Table:
    names = rows.collect_schema().names()
    if not names:
        raise ReadError(f"{name} has no columns")
    trimmed = [column.strip() for column in names]
    if trimmed != names and len(set(trimmed)) == len(names):
        rows = rows.rename({old: new for old, new in zip(names, trimmed, strict=True) if old != new})
        names = trimmed
    return Table(rows, tuple(names), name, decimal_comma, notes)


def _open_stream(stream: IO[Any], chosen: str | None) -> Table:
    name = "the input"
    content = stream.read()
    data = content.encode() if isinstance(content, str) else content
    if not data.strip():
        raise ReadError("the input is empty")
    with reading(name):
        data = unpacked(data)
        kind = kind_of(data[:64]) or _kind_of_text(data)
        if kind in TABLED:
            return _table(frame_of_table(data, kind, chosen, name).lazy(), name)
        _refuse_table(chosen, name)
        return _of_content(data, kind, name)


def _kind_of_text(data: bytes) -> str:
    """Tell JSON lines, JSON, pages of Markdown and delimited text apart by how they begin."""
    start = data.removeprefix(BYTE_ORDER_MARK).lstrip()
    if start.startswith(b"{"):
        return "jsonl" if start.partition(b"\n")[0].rstrip().endswith(b"}") and start.count(b"\n{") else "json"
    if start.startswith((b"|", b"#")) and holds_table(start[:PAGE].decode(errors="replace")):
        return "markdown"
    return "json" if start.startswith(b"[") and start.rstrip().endswith(b"]") else "csv"


def _kind_by_content(path: Path, kind: str, compression: str) -> str:
    """Refuse a file whose content is not what its name says; a .db is one of two kinds of database."""
    with path.open("rb") as file:
        start = file.read(64)
    if compression:
        fits = start.startswith(COMPRESSIONS[compression])
    elif path.suffix.lower() == ".db":
        kind = kind_of(start)
        fits = kind in ("sqlite", "duckdb")
    elif kind == "excel":
        fits = True
    else:
        fits = kind_of(start) == (kind if kind in ("parquet", "arrow", "sqlite", "duckdb") else "")
    if not fits:
        raise ReadError(f"{path} is named {path.suffix} but its content is something else")
    if start.startswith(UTF_16):
        raise ReadError(f"{path} is UTF-16 text; save it as UTF-8")
    return kind


@contextmanager
def _text_lines(path: Path, compression: str) -> Iterator[Iterable[str]]:
    """Open a text file, plain or compressed, as lines."""
    if compression == ".zst":
        # Polars reads .zst itself; only the header is needed here, and the standard library has no zstd before 3.14.
        first = pl.scan_csv(
            path, has_header=False, infer_schema=False, n_rows=PREAMBLE, separator="\x01", quote_char=None, glob=False,
            truncate_ragged_lines=True,
        )  # fmt: skip
        yield [f"{line}\n" for line in first.collect().to_series().fill_null("")]
    elif compression == ".gz":
        with gzip.open(path, "rt", encoding="utf-8-sig", newline="\n") as file:
            yield file
    else:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            yield file


def separator_of(header: str, kind: str) -> str:
    """Take the format's own separator unless the header has only another usual one."""
    usual = SEPARATORS[kind]
    if usual in header:
        return usual
    return max(",;\t|", key=header.count) if any(char in header for char in ",;\t|") else usual
