"""Bad rows: collected by reason, then refused together, or skipped and counted.

A row that can be parsed is judged by :func:`sift`. A line that cannot be parsed at all makes polars refuse the file as
a whole; :func:`open_rows` then reads the file line by line and leaves such lines out, where bad rows are skipped.
"""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from equipoise.data.columns import OnError
from equipoise.data.tables import Table, collect, format_of, open_table, separator_of, text_lines
from equipoise.diagnostics import Diagnostic, warning
from equipoise.errors import DataError, ReadError, some_of
from equipoise.wording import Advice, Option

__all__ = ["SKIP", "Reason", "open_rows", "refuse_no_rows", "sift"]

SKIP = (Advice("correct the file"), Advice("or skip such rows with ", Option("on_error", "skip")))
"""What a reader can do about bad rows."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a row is bad: a mask over the rows, a text, and an expression that names what is wrong (or None)."""

    bad: pl.Expr
    text: str
    shown: pl.Expr | None = None


def refuse_no_rows(rows: pl.DataFrame, name: str) -> None:
    """Refuse a table that ends after its header."""
    if rows.is_empty():
        raise DataError(f"{name} has column names but no rows")


def sift(
    frame: pl.DataFrame, reasons: list[Reason], on_error: OnError, name: str, hint: str = ""
) -> tuple[pl.DataFrame, tuple[Diagnostic, ...]]:
    """Split off the bad rows of a frame with columns ``row`` (first place, from 0) and ``n`` (how many).

    A row counts under the first reason that fits. Strict: raise, naming the reason met first in the file.
    Otherwise: drop them and say how many of each.
    """
    cause = pl.lit(None, dtype=pl.Int32)
    for index, reason in reversed(list(enumerate(reasons))):
        cause = pl.when(reason.bad.fill_null(True)).then(pl.lit(index, dtype=pl.Int32)).otherwise(cause)
    marked = frame.with_columns(cause.alias("_cause"))
    bad = marked.filter(pl.col("_cause").is_not_null()).sort("row")
    good = marked.filter(pl.col("_cause").is_null()).drop("_cause")
    if bad.is_empty():
        return good, ()
    if on_error == "raise":
        raise DataError(f"{name}: {_first_problem(bad, reasons)}{hint}", advice=SKIP)
    counts = dict(bad.group_by("_cause").agg(pl.col("n").sum()).sort("_cause").iter_rows())
    listed = ", ".join(f"{count:,} {reasons[index].text}" for index, count in counts.items())
    if good.is_empty():
        raise DataError(f"{name}: no usable row is left after skipping {listed}")
    return good, (warning("rows-skipped", f"Rows skipped: {listed}.", [reasons[index].text for index in counts]),)


def _first_problem(bad: pl.DataFrame, reasons: list[Reason]) -> str:
    """Say what is wrong in the first bad row, and in how many more."""
    index = bad["_cause"][0]
    same = bad.filter(pl.col("_cause") == index)
    reason = reasons[index]
    rows = int(same["n"].sum())
    where = f"row {same['row'][0] + 1:,}" + (f" and {rows - 1:,} more" if rows > 1 else "")
    text = reason.text
    if reason.shown is not None:
        values = same.select(reason.shown.alias("shown"))["shown"].unique(maintain_order=True).to_list()
        text += " " + some_of(f'"{value}"' for value in values)
    return f"{text} in {where}"


def open_rows(source: Any, on_error: OnError) -> Table:
    """Open a table; with ``skip``, without the lines that have too many fields or are no JSON."""
    if on_error == "raise" or not isinstance(source, str | Path):
        return open_table(source)
    path = Path(source)
    try:
        table = open_table(path)
        collect(table.rows.select(pl.all().null_count()), table.name)
    except ReadError as error:
        if not _single_lines_fail(path, str(error)):
            raise
        return _parsed_lines(path)
    return table


def _single_lines_fail(path: Path, problem: str) -> bool:
    """Tell whether single lines are the trouble; the standard library does not read .zst before Python 3.14."""
    if not path.is_file() or path.suffix.lower() == ".zst" or "UTF" in problem or "empty" in problem:
        return False
    return "ragged" in problem or format_of(path)[0] == "jsonl"


def _parsed_lines(path: Path) -> Table:
    """Open the lines that can be parsed, and count the others."""
    kind, compression = format_of(path)
    with text_lines(path, compression) as lines:
        good = io.StringIO()
        dropped = _json_lines(lines, good) if kind == "jsonl" else _csv_rows(lines, good, kind)
    table = open_table(io.BytesIO(good.getvalue().encode()))
    what = "lines that are not JSON" if kind == "jsonl" else "rows with more fields than the header"
    note = warning("rows-skipped", f"Rows skipped: {dropped:,} {what}.", [what])
    return replace(table, name=str(path), diagnostics=(*table.diagnostics, note))


def _json_lines(lines: Iterator[str], good: io.StringIO) -> int:
    dropped = 0
    for line in lines:
        try:
            whole = isinstance(json.loads(line), dict)
        except ValueError:
            whole = False
        if whole:
            good.write(f"{line.strip()}\n")
        else:
            dropped += bool(line.strip())
    return dropped


def _csv_rows(lines: Iterator[str], good: io.StringIO, kind: str) -> int:
    header = next(lines)
    separator = separator_of(header, kind)
    width = len(next(csv.reader([header], delimiter=separator)))
    good.write(header)
    writer = csv.writer(good, delimiter=separator, lineterminator="\n")
    dropped = 0
    for row in csv.reader(lines, delimiter=separator):
        if len(row) > width:
            dropped += 1
        elif row:
            writer.writerow(row)
    return dropped
