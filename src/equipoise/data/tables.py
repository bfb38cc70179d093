"""Files and data frames as one thing: a lazy polars frame whose text stays text.

The only module that knows file formats, compressions and other people's data frames.
"""

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from equipoise.data.accounts import Account
from equipoise.data.labels import Factor
from equipoise.data.text_sources import TextSource
from equipoise.diagnostics import Diagnostic, info
from equipoise.errors import DataError, MissingDependencyError, ReadError, some_of

__all__ = [
    "Table", "collect", "factor", "format_of", "open_table", "reading", "separator_of", "text_lines", "with_text",
]  # fmt: skip

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
COMPRESSIONS = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}
KNOWN = "csv, tsv, jsonl, json or parquet (csv, tsv and jsonl also as .gz or .zst)"
SEPARATORS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True, slots=True)
class Table:
    """A table to be read: its rows, its column names and what to call it in a message.

    ``text_source`` is the delimited text behind it, where it is one: its rows are counted before they are believed.
    ``expected`` is that count, and ``dropped`` are rows of the file that are not among ``rows``, by reason.
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

    def account(self, given: int, dropped: Mapping[str, int], used: Iterable[str]) -> Account:
        """Account for all rows: ``given`` came out of the table, of which those ``dropped`` were not used."""
        if self.expected is not None and given != self.expected:
            raise ReadError(
                f"{self.name} cannot be read reliably: it has {self.expected:,} rows, of which {given:,} were read;"
                " look for stray quotes"
            )
        before = sum(self.dropped.values())
        return Account.of(given + before, {**self.dropped, **dropped}, used, self.columns)

    def number(self, column: str) -> pl.Expr:
        """Give a column as floats; null where it is not a number."""
        text = pl.col(column).cast(pl.String).str.strip_chars()
        if self.decimal_comma:
            text = text.str.replace(",", ".", literal=True)
        return text.cast(pl.Float64, strict=False)

    def raw(self, column: str) -> pl.Expr:
        """Give a column as text, as it is written."""
        return pl.col(column).cast(pl.String)

    def text(self, column: str) -> pl.Expr:
        """Give a column as trimmed text; null where it is empty."""
        text = self.raw(column).str.strip_chars()
        return pl.when(text != "").then(text)


def open_table(source: Any) -> Table:
    """Open a path, a binary stream (CSV) or any data frame that narwhals knows."""
    if isinstance(source, str | Path):
        return _open_file(Path(source))
    if hasattr(source, "read"):
        return _open_stream(source)
    frame, notes = _native_frame(source)
    held = isinstance(frame, pl.DataFrame)
    names = tuple(frame.collect_schema().names())
    return Table(frame.lazy(), names, "the data frame", diagnostics=notes, in_memory=held)


def collect(rows: pl.LazyFrame, name: str) -> pl.DataFrame:
    """Run a lazy query in the streaming engine; what goes wrong is said in one line."""
    with reading(name):
        return rows.collect(engine="streaming")


def factor(column: pl.Series) -> Factor:
    """Code a column of text, labels in order of first appearance; a missing text is an empty one."""
    coded = column.fill_null("").cast(pl.Categorical)
    labels = coded.unique(maintain_order=True)
    place = labels.to_physical().to_numpy()
    number = np.empty(int(place.max(initial=0)) + 1, dtype=np.int32)
    number[place] = np.arange(len(place), dtype=np.int32)
    return Factor(tuple(labels.cast(pl.String).to_list()), number[coded.to_physical().to_numpy()])


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
    return f"{name} cannot be read: {_first_line(problem)}"


def _first_line(problem: str) -> str:
    lines = [line for line in problem.splitlines() if line.strip()]
    return lines[0] if lines else "unknown reason"


def _open_file(path: Path) -> Table:
    name = str(path)
    if path.is_dir():
        raise ReadError(f"{name} is a directory; give a file")
    if not path.exists():
        raise ReadError(f"{name} does not exist")
    kind, compression = format_of(path)
    if path.stat().st_size == 0:
        raise ReadError(f"{name} is empty")
    _check_magic(path, kind, compression)
    with reading(name):
        if kind == "parquet":
            return _table(pl.scan_parquet(path, glob=False), name)
        if kind == "jsonl":
            return _table(pl.scan_ndjson(_literally(path), infer_schema_length=None), name)
        if kind == "json":
            return _table(pl.read_json(path, infer_schema_length=None).lazy(), name)
        with text_lines(path, compression) as lines:
            header = lines.readline()
        return _csv(path, header, kind, name, compression)


def _literally(path: Path) -> Path | bytes:
    """Give a file by its content where polars would take its name for a pattern."""
    return path.read_bytes() if any(char in str(path) for char in "*?[") else path


def _csv(source: Path | bytes, header: str, kind: str, name: str, compression: str = "") -> Table:
    separator = separator_of(header, kind)
    if not header.strip():
        raise ReadError(f"{name} starts with an empty line where the column names should be")
    rows = pl.scan_csv(source, separator=separator, infer_schema=False, glob=False)
    notes: tuple[Diagnostic, ...] = ()
    if separator != SEPARATORS[kind]:
        shown = "tab" if separator == "\t" else separator
        notes = (info("separator", f'Columns of {name} are separated by "{shown}".'),)
    text = TextSource(source, compression, separator)
    return replace(_table(rows, name, decimal_comma=separator == ";", notes=notes), text_source=text)


def with_text(table: Table, content: bytes) -> Table:
    """Give the same table over another text: its own without the rows that cannot be read."""
    assert table.text_source
    separator = table.text_source.separator
    with reading(table.name):
        rows = pl.scan_csv(content, separator=separator, infer_schema=False)
        return replace(table, rows=rows, text_source=TextSource(content, "", separator))


def _table(rows: pl.LazyFrame, name: str, decimal_comma: bool = False, notes: tuple[Diagnostic, ...] = ()) -> Table:
    return Table(rows, tuple(rows.collect_schema().names()), name, decimal_comma, notes)


def _open_stream(stream: IO[Any]) -> Table:
    content = stream.read()
    data = content.encode() if isinstance(content, str) else content
    if not data.strip():
        raise ReadError("the input is empty")
    with reading("the input"):
        if data.startswith(COMPRESSIONS[".gz"]):
            data = gzip.decompress(data)
        if data.startswith(b"PAR1"):
            return _table(pl.scan_parquet(io.BytesIO(data)), "the input")
        if data.lstrip().startswith(b"{"):
            return _table(pl.scan_ndjson(io.BytesIO(data), infer_schema_length=None), "the input")
        header = data.replace(b"\r", b"\n").split(b"\n", 1)[0].decode("utf-8-sig")
        return _csv(data, header, "csv", "the input")


def format_of(path: Path) -> tuple[str, str]:
    """Tell the format and the compression from the name."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = suffixes.pop() if suffixes and suffixes[-1] in COMPRESSIONS else ""
    kind = FORMATS.get(suffixes[-1] if suffixes else "")
    if kind is None or (compression and kind in ("parquet", "json")):
        raise ReadError(f"{path}: unknown kind of file; give {KNOWN}")
    return kind, compression


def _check_magic(path: Path, kind: str, compression: str) -> None:
    with path.open("rb") as file:
        start = file.read(4)
    wanted = COMPRESSIONS.get(compression) or (b"PAR1" if kind == "parquet" else b"")
    if not start.startswith(wanted):
        raise ReadError(f"{path} is named {path.suffix} but its content is something else")
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ReadError(f"{path} is UTF-16 text; save it as UTF-8")


@contextmanager
def text_lines(path: Path, compression: str) -> Iterator[IO[str]]:
    """Open a text file, plain or compressed, as lines."""
    if compression == ".zst":
        # Polars reads .zst itself; only the header is needed here, and the standard library has no zstd before 3.14.
        first = pl.scan_csv(
            path, has_header=False, infer_schema=False, n_rows=1, separator="\x01", quote_char=None, glob=False
        )  # fmt: skip
        with reading(str(path)):
            row = first.collect()
        yield io.StringIO(f"{row.item()}\n")
    elif compression == ".gz":
        with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
            yield file
    else:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file


def separator_of(header: str, kind: str) -> str:
    """Take the format's own separator unless the header has only another usual one."""
    usual = SEPARATORS[kind]
    if usual in header:
        return usual
    return max(",;\t|", key=header.count) if any(char in header for char in ",;\t|") else usual


def _native_frame(source: Any) -> tuple[pl.DataFrame | pl.LazyFrame, tuple[Diagnostic, ...]]:
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return source, ()
    import narwhals as nw

    try:
        return nw.from_native(source, eager_only=True).to_polars(), ()
    except nw.exceptions.DuplicateError as error:
        raise DataError("the data frame has two columns of the same name; rename or drop one of them") from error
    except ModuleNotFoundError as error:
        raise MissingDependencyError(f"{error.name} is needed to read this data frame; install it") from error
    except Exception as error:
        # Arrow has exceptions of its own for columns of mixed types; only those of pandas have such columns.
        mixed = _pandas_as_text(source)
        if mixed is None:
            raise DataError(f"cannot read a {type(source).__name__}; give a path or a data frame") from error
        return mixed


def _pandas_as_text(source: Any) -> tuple[pl.DataFrame, tuple[Diagnostic, ...]] | None:
    """Give a pandas frame whose columns hold things of several types: those columns as text."""
    if type(source).__module__.partition(".")[0] != "pandas" or not hasattr(source, "columns"):
        return None
    columns, mixed = {}, []
    for place, name in enumerate(source.columns):
        values = source.iloc[:, place]
        try:
            columns[str(name)] = pl.Series(str(name), values)
        except Exception:  # noqa: BLE001  # whatever it was that did not fit together
            mixed.append(str(name))
            columns[str(name)] = pl.Series(str(name), [_as_text(value) for value in values], dtype=pl.String)
    if len(columns) < len(source.columns):
        raise DataError("the data frame has two columns of the same name; rename or drop one of them")
    note = info("mixed-types", f"Columns that hold values of several types were read as text: {some_of(mixed)}.", mixed)
    return pl.DataFrame(columns), (note,) if mixed else ()


def _as_text(value: object) -> str | None:
    return None if value is None or value != value or str(value) == "<NA>" else str(value)  # noqa: PLR0124  # NaN
