"""Bad rows: collected by reason, then refused together, or skipped and counted.

A row that can be parsed is judged by :func:`sift`. Lines that cannot, because they have another number of fields than
the header or are no JSON, are found by :func:`open_rows`.
"""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, ReadError, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.files.field_counts import count_fields
from equipoise.data.files.formats import format_of
from equipoise.data.files.tables import Table, open_table, reading, with_text
from equipoise.data.files.text_sources import TextSource
from equipoise.data.readers.columns import OnError
from equipoise.data.select.filters import chosen_rows
from equipoise.data.select.selection import Wanted

SKIP = (Advice("correct the file"), Advice("or skip such rows with ", Option("on_error", "skip")))
"""What a reader can do about bad rows."""
BLANK = "blank"
LONGER, SHORTER = "rows with more fields than the header", "rows with fewer fields than the header"
NO_JSON = "lines that are not JSON"
"""Reasons for which rows are dropped before they are looked at."""


FEWEST = 20
"""Rows from which on more than a tenth of them is not skipped without asking."""


def refuse_many(bad: int, rows: int, on_error: OnError, name: str, listed: str, advice: Sequence[Advice] = ()) -> None:
    """Refuse to skip more than a tenth of the rows (or cells): then it is the reading that is wrong, not the rows."""
    if on_error != "skip" or rows < FEWEST or bad * 10 <= rows:
        return
    raise DataError(
        f"{name}: {bad:,} of {rows:,} would be skipped, more than a tenth ({listed}); look at the file",
        advice=[*advice, Advice("or skip them all with ", Option("on_error", "skip-all"))],
    )


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


def without_blank(
    frame: pl.DataFrame, columns: Sequence[str]
) -> tuple[pl.DataFrame, tuple[Diagnostic, ...], dict[str, int]]:
    """Pass over rows with nothing in these columns, unless there is nothing else."""
    nothing = pl.all_horizontal(pl.col(columns).is_null())
    rows = frame.filter(~nothing)
    count = frame.height - rows.height
    if count == 0 or rows.is_empty():
        return frame, (), {}
    return rows, (info("blank-rows", f"{count:,} blank rows were passed over."),), {BLANK: count}


def sift(
    frame: pl.DataFrame,
    reasons: list[Reason],
    on_error: OnError,
    name: str,
    hint: str = "",
    advice: Sequence[Advice] = (),
) -> tuple[pl.DataFrame, tuple[Diagnostic, ...], dict[str, int]]:
    """Split off the bad rows of a frame with columns ``row`` (first place, from 0) and ``n`` (how many).

    A row counts under the first reason that fits. Strict: raise, naming the reason met first in the file.
    Otherwise: drop them and say how many of each, in a note and by reason.
    """
    cause = pl.lit(None, dtype=pl.Int32)
    for index, reason in reversed(list(enumerate(reasons))):
        cause = pl.when(reason.bad.fill_null(True)).then(pl.lit(index, dtype=pl.Int32)).otherwise(cause)
    marked = frame.with_columns(cause.alias("_cause"))
    bad = marked.filter(pl.col("_cause").is_not_null()).sort("row")
    good = marked.filter(pl.col("_cause").is_null()).drop("_cause")
    if bad.is_empty():
        return good, (), {}
    if on_error == "raise":
        raise DataError(f"{name}: {_first_problem(bad, reasons)}{hint}", advice=(*advice, *SKIP))
    counts = dict(bad.group_by("_cause").agg(pl.col("n").sum()).sort("_cause").iter_rows())
    dropped = {reasons[index].text: int(count) for index, count in counts.items()}
    listed = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items())
    if good.is_empty():
        raise DataError(f"{name}: no usable row is left after skipping {listed}")
    refuse_many(sum(dropped.values()), int(frame["n"].sum()), on_error, name, listed, advice)
    return good, (warning("rows-skipped", f"Rows skipped: {listed}.", list(dropped)),), dropped


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
    """Open a table whose rows all have as many fields as its header.

    With ``skip``, lines that have not, or that are no JSON, are left out and counted.
    """
    wanted = source if isinstance(source, Wanted) else Wanted(source)
    given = wanted.source
    again = io.BytesIO(_content(given)) if hasattr(given, "read") else given
    try:
        table = open_table(replace(wanted, source=again))
    except ReadError:
        if on_error == "raise" or not _is_json_lines(again):
            raise
        table = replace(_json_lines(again, on_error), cells=wanted.cells, selection=wanted.selection)
    return chosen_rows(table if table.text_source is None else _of_equal_width(table, on_error))


def _content(stream: Any) -> bytes:
    content = stream.read()
    return content.encode() if isinstance(content, str) else bytes(content)


def _of_equal_width(table: Table, on_error: OnError) -> Table:
    """Count the fields of every row of a delimited text."""
    text, width = table.text_source, len(table.columns)
    assert text
    with reading(table.name):
        found = count_fields(text, width, table.name)
        if found.first is None and not found.comments:
            table = _noting_comments(table, text.comments)
            return replace(table, expected=found.rows + found.blank)
        if found.first is not None and on_error == "raise":
            line, fields = found.first
            raise ReadError(
                f"{table.name} is ragged: line {line:,} has {fields:,} fields, the header {width:,};"
                " every row needs as many fields as the header",
                advice=SKIP,
            )
        found = count_fields(text, width, table.name, keep=True)
    dropped = {LONGER: found.longer, SHORTER: found.shorter}
    dropped = {reason: count for reason, count in dropped.items() if count}
    bad = found.longer + found.shorter
    refuse_many(bad, found.rows + bad, on_error, table.name, ", ".join(dropped))
    table = _noting_comments(with_text(table, found.good or b""), text.comments + found.comments)
    return _without(table, dropped, found.rows + found.blank)


def _noting_comments(table: Table, count: int) -> Table:
    """Say that comments are no rows."""
    if not count:
        return table
    what = "One line that starts" if count == 1 else f"{count:,} lines that start"
    taken = "was taken for a comment" if count == 1 else "were taken for comments"
    note = info("comment-lines", f'{what} with "#" {taken}.')
    return replace(table, diagnostics=(*table.diagnostics, note))


def _without(table: Table, dropped: dict[str, int], expected: int | None) -> Table:
    if not dropped:
        return replace(table, expected=expected)
    listed = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items())
    note = warning("rows-skipped", f"Rows skipped: {listed}.", list(dropped))
    return replace(
        table, diagnostics=(*table.diagnostics, note), expected=expected, dropped={**table.dropped, **dropped}
    )  # fmt: skip


def _is_json_lines(source: Any) -> bool:
    if isinstance(source, io.BytesIO):
        return source.getvalue().lstrip().startswith(b"{")
    return isinstance(source, str | Path) and Path(source).is_file() and format_of(Path(source))[0] == "jsonl"


def _json_lines(source: Any, on_error: OnError) -> Table:
    """Open the lines that are JSON objects, and count the others."""
    path = None if isinstance(source, io.BytesIO) else Path(source)
    name = str(path) if path else "the input"
    text = TextSource(path or source.getvalue(), format_of(path)[1] if path else "", "")
    with reading(name):
        lines = text.read().splitlines()
    good = [line for line in lines if _is_object(line)]
    bad = sum(bool(line.strip()) for line in lines) - len(good)
    if not good:
        raise ReadError(f"{name}: no line is a JSON object")
    refuse_many(bad, bad + len(good), on_error, name, NO_JSON)
    table = open_table(io.BytesIO(b"\n".join(good)))
    return _without(replace(table, name=name), {NO_JSON: bad}, None)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
