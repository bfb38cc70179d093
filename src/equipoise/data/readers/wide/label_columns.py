"""Which column of a wide table names its rows; and names that come again: runs of an agent, or repeated rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import unique_names
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import AGENTS, STEPS, TASKS, TRIALS, UNSURE_TASKS, ScoreColumns, find, named, plain
from equipoise.data.readers.score_columns import ScoreReading
from equipoise.data.readers.task_columns import Cells
from equipoise.data.readers.wide.orientation import Side, decides
from equipoise.data.types.scores import Scores

FREQUENCIES = frozenset({"freq", "frequency", "count", "counts", "n", "weight", "weights"})
"""Headers of columns that say how often a row happened."""
ONE_TASK = "the task"
"""What a task is called on which all rows are runs."""
SAMPLE = 1000
"""Rows that are looked at to tell what a column holds."""


def label_column(table: Table, given: ScoreColumns, *, transpose: bool) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """Find the column of names: the user's, one that is called so, else the first unless it plainly holds scores."""
    for role, column in (("agent", given.agent), ("task", given.task)):
        if column is not None:
            return named(table.columns, column, role), ()
    first = table.columns[0]
    if _names_something(first):
        return first, ()
    values = collect(table.rows.select(text=table.text(first), number=table.number(first)), table.name)
    values = values.filter(pl.col("text").is_not_null())
    numeric = not values.is_empty() and values["number"].null_count() == 0
    if numeric and plain(first) in ("freq", "frequency"):
        return None, ()
    again = bool(values["text"].is_duplicated().any())
    if (numeric and not transpose) or (first.strip() and not numeric):
        called = _called(table, again=numeric or again)
        if called is not None:
            return called, ()
    if not first.strip():
        return first, ()
    if plain(first) in UNSURE_TASKS:
        return first, ()
    if numeric and again:
        return None, (
            info("no-agent-column", f'The first column ("{first}") holds scores, not names; agents are numbered.'),
        )
    return first, ()


def _names_something(column: str) -> bool:
    """Tell whether a column is called as those of agents or tasks are."""
    return plain(column) in AGENTS or (plain(column) in TASKS and plain(column) not in UNSURE_TASKS)


def _called(table: Table, *, again: bool) -> str | None:
    """Give the column that is called after agents or tasks and holds text, one without markup before others.

    Names come once; with ``again`` they may come again, where there is no such column.
    """
    words = [*AGENTS, *(word for word in TASKS if word not in UNSURE_TASKS)]
    candidates = [column for word in words if (column := find(table.columns, [word]))]
    candidates += [column for column in table.columns if column not in candidates and decides(column)]
    texts = collect(table.rows.select(table.text(column) for column in candidates).head(SAMPLE), table.name)
    held = [
        column for column in candidates if texts[column].cast(pl.Float64, strict=False).null_count() == texts.height
    ]
    once = [column for column in held if not texts[column].is_duplicated().any()]
    held = once or (held if again else [])
    bare = [column for column in held if not texts[column].str.contains("</").any()]
    return next(iter(bare or held), None)


@dataclass(frozen=True, slots=True)
class Repeats:
    """Rows whose names come again, settled.

    Attributes
    ----------
    names, cells
        Of each agent (or task) once, in the order of first appearance, and the cells of all rows that count.
    place
        What each row is about, as a place in the names.
    runs
        The run of each row, where a column tells.
    """

    names: pl.Series
    cells: Cells
    place: tuple[int, ...]
    notes: tuple[Diagnostic, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    runs: tuple[str | None, ...] | None = None

    def scores(self, values: FloatArray, columns: Sequence[str], agents_in: Side) -> Scores:
        """Give a table in which the rows of an agent, or of a task, are runs."""
        of_row = np.repeat(np.array(self.place, np.int64), len(columns))
        of_column = np.tile(np.arange(len(columns)), len(self.place))
        score = np.ravel(values).astype(float)
        run = None if self.runs is None else np.repeat(np.array(self.runs, object), len(columns))
        if agents_in == "rows":
            agents = unique_names(self.names.to_list(), "agent")
            return Scores.from_long(agents, tuple(columns), of_row, of_column, score, (), run)
        tasks = unique_names(self.names.to_list(), "task")
        return Scores.from_long(tuple(columns), tasks, of_column, of_row, score, (), run)


def comes_again(names: pl.Series) -> bool:
    """Tell whether all rows have names, of which some come again."""
    return not names.null_count() and bool(names.is_duplicated().any())


def repeats_of(names: pl.Series | None, cells: Cells, how: ScoreReading) -> Repeats | None:
    """Settle names that come again: as a column of runs tells, or as the user says; None where nothing does."""
    if names is None or not comes_again(names):
        return None
    each = names.unique(maintain_order=True)
    kind = "task" if how.agents_in == "columns" else "agent"
    one = "a task" if kind == "task" else "an agent"
    extra = f"{len(names) - len(each):,} rows name {one} again"
    place = {name: number for number, name in enumerate(each.to_list())}
    if how.duplicates == "drop":
        first = names.is_first_distinct().to_numpy()
        note = info("repeated-rows", f"{extra}; the first of each was taken.")
        dropped = {f"that repeat {one}": len(names) - len(each)}
        return Repeats(each, cells.take(first), tuple(range(len(each))), (note,), dropped)
    column, runs = run_column(cells, how), None
    if how.duplicates == "keep":
        note = info("repeated-rows", f"{extra}; they are taken for repeated runs.")
    elif column is not None and _tells_apart(names, cells, column):
        note = info("runs-in-rows", f'Rows of one {kind} are its runs, told apart by column "{column}".', [column])
        runs = tuple(cells.texts[:, cells.columns.index(column)].tolist())
        cells = cells.of([other for other in cells.columns if other != column])
    else:
        return None
    return Repeats(each, cells, tuple(place[name] for name in names.to_list()), (note,), runs=runs)


def runs_of_one(label: str | None, names: pl.Series | None, cells: Cells, how: ScoreReading) -> Repeats | None:
    """Take rows below a header of runs (fold, seed) for runs on one task, where agents stand in the columns."""
    if label is None or names is None or how.agents_in != "columns" or plain(label) not in {*TRIALS} - {*STEPS}:
        return None
    if names.null_count() or names.is_duplicated().any():
        return None
    note = info("runs-in-rows", f'Rows are runs on one task, told apart by column "{label}".', [label])
    return Repeats(pl.Series([ONE_TASK]), cells, (0,) * len(names), (note,), runs=tuple(names.to_list()))


def run_column(cells: Cells, how: ScoreReading) -> str | None:
    """Give the column of runs: the user's, or one that is called so."""
    return how.columns.trial or find(cells.columns, TRIALS)


def _tells_apart(names: pl.Series, cells: Cells, column: str) -> bool:
    """Say whether no two rows have the same name and run, and names share runs: else the column names rows."""
    texts = cells.texts[:, cells.columns.index(column)].tolist()
    return len(set(texts)) < len(names) == len(set(zip(names.to_list(), texts, strict=True)))
