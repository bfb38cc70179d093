"""Which column of a wide table names its rows; and names that come again: runs of an agent, or repeated rows."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import unique_names
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import AGENTS, TASKS, TRIALS, UNSURE_TASKS, find, named, plain
from equipoise.data.readers.score_columns import ScoreReading
from equipoise.data.readers.task_columns import Cells
from equipoise.data.types.scores import Scores

SAMPLE = 1000
"""Rows that are looked at to tell what a column holds."""
REPEATED = "that repeat an agent"


def label_column(table: Table, agent: str | None, *, transpose: bool) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """Find the column of names: one that is called so, else the first unless it is plainly a column of scores."""
    if agent is not None:
        return named(table.columns, agent, "agent"), ()
    first = table.columns[0]
    if plain(first) in AGENTS or (plain(first) in TASKS and plain(first) not in UNSURE_TASKS):
        return first, ()
    values = collect(table.rows.select(text=table.text(first), number=table.number(first)), table.name)
    values = values.filter(pl.col("text").is_not_null())
    numeric = not values.is_empty() and values["number"].null_count() == 0
    if numeric and not transpose:
        called = _called_agents(table)
        if called is not None:
            return called, ()
    if not first.strip():
        return first, ()
    if plain(first) in UNSURE_TASKS:
        return first, ()
    if numeric and values["text"].is_duplicated().any():
        return None, (
            info("no-agent-column", f'The first column ("{first}") holds scores, not names; agents are numbered.'),
        )
    return first, ()


def _called_agents(table: Table) -> str | None:
    """Give the column that is called after agents and holds text, one without markup before others."""
    candidates = [column for word in AGENTS if (column := find(table.columns, [word]))]
    texts = collect(table.rows.select(table.text(column) for column in candidates).head(SAMPLE), table.name)
    held = [
        column for column in candidates if texts[column].cast(pl.Float64, strict=False).null_count() == texts.height
    ]
    bare = [column for column in held if not texts[column].str.contains("</").any()]
    return next(iter(bare or held), None)


@dataclass(frozen=True, slots=True)
class Repeats:
    """Rows whose names come again, settled.

    Attributes
    ----------
    names, cells
        Of each agent once, in the order of first appearance, and the cells of all rows that count.
    agent
        The agent of each row, as a place in the names.
    """

    names: pl.Series
    cells: Cells
    agent: tuple[int, ...]
    notes: tuple[Diagnostic, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)

    def scores(self, values: FloatArray, tasks: list[str]) -> Scores:
        """Give a table in which the rows of an agent are its runs."""
        agent = np.repeat(np.array(self.agent, np.int64), len(tasks))
        task = np.tile(np.arange(len(tasks)), len(self.agent))
        agents = unique_names(self.names.to_list(), "agent")
        return Scores.from_long(agents, tuple(tasks), agent, task, np.ravel(values).astype(float))


def repeats_of(names: pl.Series | None, cells: Cells, how: ScoreReading) -> Repeats | None:
    """Settle names that come again: as a column of runs tells, or as the user says; None where nothing does."""
    if names is None or how.agents_in == "columns" or names.null_count() or not names.is_duplicated().any():
        return None
    each = names.unique(maintain_order=True)
    extra = len(names) - len(each)
    place = {name: number for number, name in enumerate(each.to_list())}
    if how.duplicates == "drop":
        first = names.is_first_distinct().to_numpy()
        note = info("repeated-rows", f"{extra:,} rows name an agent again; the first of each was taken.")
        return Repeats(each, cells.take(first), tuple(range(len(each))), (note,), {REPEATED: extra})
    runs = how.columns.trial or find(cells.columns, TRIALS)
    if how.duplicates == "keep":
        note = info("repeated-rows", f"{extra:,} rows name an agent again; they are taken for repeated runs.")
    elif runs is not None and _tells_apart(names, cells, runs):
        note = info("runs-in-rows", f'Rows of one agent are its runs, told apart by column "{runs}".', [runs])
        cells = cells.of([column for column in cells.columns if column != runs])
    else:
        return None
    return Repeats(each, cells, tuple(place[name] for name in names.to_list()), (note,))


def _tells_apart(names: pl.Series, cells: Cells, column: str) -> bool:
    """Say whether no two rows have the same name and run, and agents share runs: else the column names rows."""
    texts = cells.texts[:, cells.columns.index(column)].tolist()
    return len(set(texts)) < len(names) == len(set(zip(names.to_list(), texts, strict=True)))
