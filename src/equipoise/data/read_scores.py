"""Score tables, wide or long, into Scores."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl

from equipoise.data.bad_rows import Reason, open_rows, refuse_no_rows, sift
from equipoise.data.columns import AGENTS, SCORES, TASKS, TRIALS, OnError, ScoreColumns, find, named, plain
from equipoise.data.labels import unique_names
from equipoise.data.scores import Scores
from equipoise.data.tables import Table, collect
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import ColumnError, DataError, some_of
from equipoise.wording import Advice, Option

__all__ = ["scores_from"]

GAPS = ["", "na", "n/a", "nan", "null", "none", "-", "?"]
"""What people write into a cell that has no score."""


def scores_from(
    source: Any, columns: ScoreColumns, layout: Literal["auto", "wide", "long"], transpose: bool, on_error: OnError
) -> Scores:
    """Read scores in either layout."""
    table = open_rows(source, on_error)
    long = _long_columns(table, columns)
    if layout == "wide" or (layout == "auto" and long is None):
        if layout == "auto" and (columns.task or columns.score):
            raise ColumnError(
                f"a long table needs columns for agent, task and score; found: {some_of(table.columns, 12)}"
            )
        return _wide(table, columns.agent, transpose, on_error)
    if long is None:
        raise ColumnError(f"no columns for agent, task and score; found: {some_of(table.columns, 12)}")
    return _long(table, long, on_error)


def _long_columns(table: Table, given: ScoreColumns) -> ScoreColumns | None:
    usual = {"agent": AGENTS, "task": TASKS, "score": SCORES, "trial": TRIALS}
    columns = {}
    for role, names in usual.items():
        name = getattr(given, role)
        columns[role] = named(table.columns, name, role) if name else find(table.columns, names)
    if not (columns["agent"] and columns["task"] and columns["score"]):
        return None
    return ScoreColumns(**columns)


def _long(table: Table, columns: ScoreColumns, on_error: OnError) -> Scores:
    assert columns.agent
    assert columns.task
    assert columns.score
    shape = {"agent": table.text(columns.agent), "task": table.text(columns.task)}
    written = table.text(columns.score)
    shape |= {"score": _number(table, columns.score), "gap": written.is_null() | written.str.to_lowercase().is_in(GAPS)}
    if columns.trial:
        shape["trial"] = table.text(columns.trial)
    rows = collect(table.rows.select(**shape).with_row_index("row"), table.name).with_columns(n=pl.lit(1))
    refuse_no_rows(rows, table.name)
    reasons = [
        Reason(pl.col("agent").is_null() | pl.col("task").is_null(), "no agent's or task's name"),
        Reason(pl.col("score").is_null() & ~pl.col("gap"), "a score that is not a number"),
        Reason(pl.col("score").is_infinite().fill_null(False), "an infinite score"),
    ]
    rows, notes = sift(rows, reasons, on_error, table.name)
    if columns.trial:
        _refuse_repeated_trials(rows, table.name)
    agents, tasks = (rows[name].unique(maintain_order=True) for name in ("agent", "task"))
    codes = [
        rows[name].cast(pl.Enum(labels)).to_physical().to_numpy()
        for name, labels in (("agent", agents), ("task", tasks))
    ]
    scores = rows["score"].fill_null(float("nan")).to_numpy()
    result = Scores.from_long(
        tuple(agents.to_list()), tuple(tasks.to_list()), codes[0], codes[1], scores, table.diagnostics + notes
    )
    return _noting_gaps(result)


def _refuse_repeated_trials(rows: pl.DataFrame, name: str) -> None:
    again = rows.filter(pl.struct("agent", "task", "trial").is_duplicated())
    if not again.is_empty():
        first = again.row(0, named=True)
        raise DataError(
            f"{name}: {first['agent']} on {first['task']}, trial {first['trial']}, appears more than once"
            f" ({again.height:,} such rows); another column must tell them apart: filter the file by it first"
        )


def _wide(table: Table, agent: str | None, transpose: bool, on_error: OnError) -> Scores:
    label, notes = _label_column(table, agent)
    tasks = [column for column in table.columns if column != label]
    if not tasks:
        raise DataError(f"{table.name} has no column of scores")
    repeated = [column for column in tasks if "_duplicated_" in column]
    if repeated:
        raise ColumnError(
            f"{table.name}: column names appear more than once: {some_of(c.split('_duplicated_')[0] for c in repeated)}"
        )
    texts = collect(table.rows.select(table.text(column) for column in tasks), table.name)
    numbers = collect(table.rows.select(_number(table, column) for column in tasks), table.name)
    refuse_no_rows(texts, table.name)
    names = _agent_names(table, label, texts.height)
    values = numbers.fill_null(float("nan")).to_numpy().astype(float)
    notes += _strange_cells(texts, values, names, tasks, on_error, table.name)
    if transpose:
        return _noting_gaps(replace(Scores.from_matrix(values.T, tasks, names), diagnostics=table.diagnostics + notes))
    return _noting_gaps(replace(Scores.from_matrix(values, names, tasks), diagnostics=table.diagnostics + notes))


def _label_column(table: Table, agent: str | None) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """Take the first column as names, unless it is plainly a column of scores."""
    if agent is not None:
        return named(table.columns, agent, "agent"), ()
    first = table.columns[0]
    if plain(first) in AGENTS or plain(first) in TASKS or not first.strip():
        return first, ()
    values = collect(table.rows.select(text=table.text(first), number=table.number(first)), table.name)
    if values["number"].null_count() == 0 and values["text"].is_duplicated().any():
        return None, (
            info("no-agent-column", f'The first column ("{first}") holds scores, not names; agents are numbered.'),
        )
    return first, ()


def _agent_names(table: Table, label: str | None, rows: int) -> tuple[str, ...]:
    if label is None:
        return tuple(f"agent {index + 1}" for index in range(rows))
    names = collect(table.rows.select(table.text(label)), table.name).to_series()
    if names.null_count():
        raise DataError(f"{table.name}: {names.null_count():,} rows have no name in the first column")
    return unique_names(names.to_list(), "agent")


def _number(table: Table, column: str) -> pl.Expr:
    number = table.number(column)
    return pl.when(~number.is_nan()).then(number)


def _strange_cells(
    texts: pl.DataFrame,
    values: np.ndarray[Any, Any],
    names: tuple[str, ...],
    tasks: list[str],
    on_error: OnError,
    name: str,
) -> tuple[Diagnostic, ...]:
    written = texts.select(~(pl.all().is_null() | pl.all().str.to_lowercase().is_in(GAPS))).to_numpy()
    strange = np.argwhere(written & np.isnan(values))
    if not len(strange):
        return ()
    where = some_of(f'"{texts[int(i), int(j)]}" ({names[i]} on {tasks[j]})' for i, j in strange)
    if on_error == "raise":
        advice = Advice("or take such cells for empty with ", Option("on_error", "skip"))
        raise DataError(f"{name}: not a number: {where}; leave a cell empty where there is no score", advice=[advice])
    return (warning("cells-skipped", f"{len(strange):,} cells are not numbers and count as missing: {where}."),)


def _noting_gaps(scores: Scores) -> Scores:
    gaps = int(scores.missing.sum())
    if not gaps:
        return scores
    i, j = np.nonzero(scores.missing)
    where = some_of(f"{scores.agents[a]} on {scores.tasks[t]}" for a, t in zip(i, j, strict=True))
    note = info("missing-cells", f"{gaps:,} of {scores.values.size:,} cells have no score: {where}.")
    return replace(scores, diagnostics=(*scores.diagnostics, note))
