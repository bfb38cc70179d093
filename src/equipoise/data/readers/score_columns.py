"""What readers of score tables share: what a user said, which columns a long table has, cells as numbers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import polars as pl

from equipoise.core.diagnostics import info
from equipoise.core.errors import some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import (
    AGENTS,
    SCORES,
    TASKS,
    TRIALS,
    Duplicates,
    MergeNames,
    OnError,
    ScoreColumns,
    find,
    listed,
    named,
)
from equipoise.data.types.scores import Scores

SAMPLE = 1000
"""Rows that are looked at to tell what a column holds."""
MOST_WORDS, LONGEST_WORD = 8, 40
"""Words of which each can be explained on one line, and how long they are at most."""
BETWEEN = "/"
"""What stands between the parts of a name."""
COLUMNS = (Advice("name its columns with ", Option("agent"), ", ", Option("task"), " and ", Option("score")),)


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """How to read scores: what a user said of columns, tasks, bad cells and repeated rows."""

    columns: ScoreColumns
    layout: Literal["auto", "wide", "long"] = "auto"
    agents_in: Literal["rows", "columns"] | None = None
    on_error: OnError = "raise"
    tasks: tuple[str, ...] | None = None
    not_tasks: tuple[str, ...] = ()
    duplicates: Duplicates | None = None
    merge_names: MergeNames | None = None
    words: Mapping[str, float] = field(default_factory=dict)
    lower: tuple[str, ...] | None = None


def long_columns(table: Table, given: ScoreColumns) -> ScoreColumns:
    """Find the columns of a long table; None for those that are not there."""
    taken = [name for name in (given.agent, given.task, given.score, given.trial) if name]
    columns: dict[str, str | None] = {}
    for role, usual in {"agent": AGENTS, "task": TASKS, "score": SCORES, "trial": TRIALS}.items():
        name = getattr(given, role)
        free = [column for column in table.columns if column not in (*taken, *columns.values())]
        if name:
            columns[role] = named(table.columns, name, role)
        elif role == "score":
            columns[role] = _numeric(table, [column for word in usual if (column := find(free, [word]))])
        else:
            columns[role] = find(free, usual)
    return ScoreColumns(**columns)


def _numeric(table: Table, candidates: list[str]) -> str | None:
    """Give the first column that holds numbers, else the first."""
    for column in candidates:
        sample = collect(
            table.rows.select(text=table.text(column), number=number_of(table, column)).head(SAMPLE), table.name
        )
        written = sample.filter(pl.col("text").is_not_null())
        if written.is_empty() or written["number"].null_count() <= written.height / 2:
            return column
    return candidates[0] if candidates else None


def said_columns(table: Table, columns: ScoreColumns) -> str:
    """Say which columns are known, and which there are."""
    known = [f'{role} "{name}"' for role in ("agent", "task", "score") if (name := getattr(columns, role))]
    said = f"known: {', '.join(known)}; " if known else ""
    return f"{said}found: {some_of(table.columns, 12)}"


def said_by_words(written: Iterable[str]) -> tuple[Advice, ...]:
    """Give what to say of words among scores, where they are few: what each of them counts."""
    words = list(dict.fromkeys(written))
    if not 1 < len(words) <= MOST_WORDS or any(
        "," in word or "=" in word or len(word) > LONGEST_WORD for word in words
    ):
        return ()
    unknown = ",".join(f"{word}=NUMBER" for word in words)
    return (Advice("say what these words count with ", Option("score_means", unknown)),)


def number_of(table: Table, column: str) -> pl.Expr:
    """Give a column as numbers; true and false are 1 and 0."""
    number = table.number(column)
    word = table.text(column).str.to_lowercase()
    return pl.when(word == "true").then(1.0).when(word == "false").then(0.0).otherwise(number.fill_nan(None))


def noting_gaps(scores: Scores) -> Scores:
    """Say which cells have no score."""
    gaps = int(scores.missing.sum())
    if not gaps:
        return scores
    i, j = np.nonzero(scores.missing)
    where = some_of(f"{scores.agents[a]} on {scores.tasks[t]}" for a, t in zip(i[:3], j[:3], strict=True))
    where += f" and {gaps - 3:,} more" if gaps > 3 else ""
    note = info("missing-cells", f"{gaps:,} of {scores.values.size:,} cells have no score: {where}.")
    return replace(scores, diagnostics=(*scores.diagnostics, note))


def with_combined(table: Table, **given: str | None) -> Table:
    """Add a column for each role whose name is several columns with commas between them (``game,level``).

    Its cells are those of the columns, with a slash between them, and empty where one of them is; the parts are no
    columns of their own any more.

    Fails when
        one of several columns is not there.
    """
    for role, name in given.items():
        parts = listed(name) or ()
        if name is None or name in table.columns or len(parts) < 2:
            continue
        for part in parts:
            named(table.columns, part, role)
        whole = pl.concat_str([table.text(part) for part in parts], separator=BETWEEN).alias(name)
        columns = (*(column for column in table.columns if column not in parts), name)
        table = replace(table, rows=table.rows.with_columns(whole), columns=columns)
    return table
