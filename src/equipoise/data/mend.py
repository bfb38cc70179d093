"""Rows that are no rows: with ``on_error="skip"`` a line that cannot be parsed is dropped and counted like any bad row.

Polars refuses such a file as a whole, so it is first tried as it is; only where that fails is it read line by line.
"""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from equipoise.data.problems import OnError
from equipoise.data.tables import Table, collect, format_of, open_table, separator_of, text_lines
from equipoise.diagnostics import warning
from equipoise.errors import ReadError

__all__ = ["open_rows"]


def open_rows(source: Any, on_error: OnError) -> Table:
    """Open a table; with ``skip``, without the lines that have too many fields or are no JSON."""
    if on_error == "raise" or not isinstance(source, str | Path):
        return open_table(source)
    path = Path(source)
    try:
        table = open_table(path)
        collect(table.rows.select(pl.all().null_count()), table.name)
    except ReadError as error:
        if not _can_be_mended(path, str(error)):
            raise
        return _mended(path)
    return table


def _can_be_mended(path: Path, problem: str) -> bool:
    """Tell whether single lines are the trouble; the standard library does not read .zst before Python 3.14."""
    if not path.is_file() or path.suffix.lower() == ".zst" or "UTF" in problem or "empty" in problem:
        return False
    return "ragged" in problem or format_of(path)[0] == "jsonl"


def _mended(path: Path) -> Table:
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
