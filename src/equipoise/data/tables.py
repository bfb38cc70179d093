"""Files and data frames as one thing: a lazy polars frame whose text stays text.

The only module that knows file formats, compressions and other people's data frames.
"""

import csv
import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from equipoise.data.labels import Factor
from equipoise.diagnostics import Diagnostic, info
from equipoise.errors import DataError, MissingDependencyError, ReadError

__all__ = ["Table", "collect", "factor", "format_of", "open_table", "reading", "separator_of", "text_lines"]

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
    """A table to be read: its rows, its column names and what to call it in a message."""

    rows: pl.LazyFrame
    columns: tuple[str, ...]
    name: str
    decimal_comma: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    in_memory: bool = False

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
    frame = _native_frame(source)
    held = isinstance(frame, pl.DataFrame)
    return Table(frame.lazy(), tuple(frame.collect_schema().names()), "the data frame", in_memory=held)


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
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise ReadError(f"{name} cannot be read: {_first_line(str(error))}") from error


def _plain(name: str, problem: str) -> str:
    if "utf-8" in problem.lower() or "utf8" in problem.lower():
        return f"{name} is not UTF-8 text; save it as UTF-8"
    if "more fields than defined" in problem:
        return f"{name} is ragged: {_ragged_line(name)}; every row needs as many fields as the header"
    if "json" in problem.lower() or "TapeError" in problem:
        return f"{name} is not valid JSON: each line must be one whole object"
    if "could not parse" in problem:
        return f"{name} has an unfinished quoted field; every opening quote needs a closing one"
    return f"{name} cannot be read: {_first_line(problem)}"


def _first_line(problem: str) -> str:
    lines = [line for line in problem.splitlines() if line.strip()]
    return lines[0] if lines else "unknown reason"


def _ragged_line(name: str, most: int = 1_000_000) -> str:
    """Find the first line with too many fields; called only when reading has failed already."""
    somewhere = "a row has more fields than the header"
    try:
        path = Path(name)
        kind, compression = format_of(path)
        with text_lines(path, compression) as lines:
            header = lines.readline()
            rows = csv.reader(lines, delimiter=separator_of(header, kind))
            width = len(next(csv.reader([header], delimiter=separator_of(header, kind))))
            for number, row in zip(range(2, most), rows, strict=False):
                if len(row) > width:
                    return f"line {number} has {len(row)} fields, the header {width}"
    except (OSError, ReadError, csv.Error, UnicodeDecodeError, StopIteration):
        return somewhere
    return somewhere


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
            return _table(pl.scan_parquet(path), name)
        if kind == "jsonl":
            return _table(pl.scan_ndjson(path, infer_schema_length=None), name)
        if kind == "json":
            return _table(pl.read_json(path, infer_schema_length=None).lazy(), name)
        with text_lines(path, compression) as lines:
            header = lines.readline()
        return _csv(path, header, kind, name)


def _csv(source: Path | io.BytesIO, header: str, kind: str, name: str) -> Table:
    separator = separator_of(header, kind)
    if not header.strip():
        raise ReadError(f"{name} starts with an empty line where the column names should be")
    rows = pl.scan_csv(source, separator=separator, infer_schema=False)
    notes: tuple[Diagnostic, ...] = ()
    if separator != SEPARATORS[kind]:
        shown = "tab" if separator == "\t" else separator
        notes = (info("separator", f'Columns of {name} are separated by "{shown}".'),)
    return _table(rows, name, decimal_comma=separator == ";", notes=notes)


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
        return _csv(io.BytesIO(data), header, "csv", "the input")


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
        first = pl.scan_csv(path, has_header=False, infer_schema=False, n_rows=1, separator="\x01", quote_char=None)
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


def _native_frame(source: Any) -> pl.DataFrame | pl.LazyFrame:
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return source
    import narwhals as nw

    try:
        frame: pl.DataFrame = nw.from_native(source, eager_only=True).to_polars()
    except nw.exceptions.DuplicateError as error:
        raise DataError("the data frame has two columns of the same name; rename or drop one of them") from error
    except TypeError as error:
        raise DataError(f"cannot read a {type(source).__name__}; give a path or a data frame") from error
    except ModuleNotFoundError as error:
        raise MissingDependencyError(f"{error.name} is needed to read this data frame; install it") from error
    return frame
