"""Several tables of one form, read as one: the file that each row is from is a column of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, EquipoiseError, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.files.tables import Table, collect, open_table
from equipoise.data.readers.columns import AGENTS, PAIRS, SCORES, TASKS, TRIALS, UNSURE_TASKS, OnError, find, find_set
from equipoise.data.readers.options import ReadOptions

FILE, RUN = "file", "run"
"""The column of files: a run where rows of several files are about the same things, else only where rows are from."""
SKIP = Advice("leave out what does not fit with ", Option("on_error", "skip"))


@dataclass(frozen=True, slots=True, eq=False)
class JoinedTables:
    """The rows of several tables, as text; what they are called together; and what to say of them."""

    frame: pl.DataFrame
    name: str
    notes: tuple[Diagnostic, ...]


def join_tables(paths: Sequence[str | Path], options: ReadOptions) -> JoinedTables:
    """Put tables with the same columns below each other.

    Fails when
        one cannot be read or has other columns than the first, unless such files shall be skipped; a table of a
        database is asked for.
    """
    if options.table is not None:
        raise DataError(Option("table"), ": read one table at a time of several databases or workbooks")
    frames: dict[str, pl.DataFrame] = {}
    strange: list[str] = []
    for path in paths:
        frame = _frame(path, options.on_error)
        if frame is None or (frames and set(frame.columns) != set(next(iter(frames.values())).columns)):
            strange.append(Path(path).name)
            continue
        frames[str(path)] = frame
    if strange and (options.on_error == "raise" or not frames):
        raise DataError(
            f"{len(paths):,} tables that do not have the same columns cannot become one; read one table at a time:"
            f" {some_of(map(str, paths))}", advice=[SKIP] if frames else (),
        )  # fmt: skip
    first = next(iter(frames.values())).columns
    names = _short_names(list(frames))
    parts = [
        frame.select(first).with_columns(*([] if FILE in first else [pl.lit(name).alias(FILE)]))
        for name, frame in zip(names, frames.values(), strict=True)
    ]
    joined = _as_agents(_as_runs(pl.concat(parts), first), first, options)
    column = next((f' (column "{name}")' for name in joined.columns if name not in first), "")
    notes = [info("tables-joined", f"{len(names):,} tables with the same columns are read as one{column}: "
                  f"{some_of(names)}.", names)]  # fmt: skip
    if strange:
        notes.append(warning("files-left-out", f"Files that cannot be read, or have other columns, are left out: "
                             f"{some_of(strange)}.", strange))  # fmt: skip
    return JoinedTables(joined, f"{len(names):,} tables", tuple(notes))


def _frame(path: str | Path, on_error: OnError) -> pl.DataFrame | None:
    """Read a table as text; None where it is none and such files are skipped."""
    try:
        table = open_table(path)
        return collect(table.rows.select(_text(table, column) for column in table.columns), table.name)
    except EquipoiseError:
        if on_error == "raise":
            raise
        return None


def _text(table: Table, column: str) -> pl.Expr:
    """Give a column as text; commas of decimal numbers become points, as the tables need not have the same."""
    text = table.text(column)
    return (text.str.replace(r"^([+-]?[0-9]+),([0-9]+)$", "${1}.${2}") if table.decimal_comma else text).alias(column)


def _short_names(paths: Sequence[str]) -> list[str]:
    """Call files by their names, with the folder where two have the same."""
    names = [Path(path).stem for path in paths]
    if len(set(names)) == len(names):
        return names
    names = [f"{Path(path).parent.name}/{Path(path).stem}" for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def _as_agents(joined: pl.DataFrame, columns: Sequence[str], options: ReadOptions) -> pl.DataFrame:
    """Call the column of files that of agents where others name tasks and scores, and none an agent."""
    tasks = options.task or find(columns, [name for name in TASKS if name not in UNSURE_TASKS])
    nobody = find(columns, AGENTS) is None and options.agent is None and find_set(columns, PAIRS) is None
    if not (nobody and tasks and (options.score or find(columns, SCORES))) or "agent" in columns:
        return joined
    return joined.rename(
        {next(name for name in (RUN, FILE) if name in joined.columns and name not in columns): "agent"}
    )


def _as_runs(joined: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Call the column of files a run where files are about the same things and no column of runs is there."""
    if FILE in columns or find(columns, TRIALS) is not None:
        return joined
    texts = [
        column for column in columns
        if joined[column].cast(pl.Float64, strict=False).null_count() > joined[column].null_count()
    ]  # fmt: skip
    shared = texts and joined.select(*texts, FILE).unique().select(texts).is_duplicated().any()
    return joined.rename({FILE: RUN}) if shared else joined
