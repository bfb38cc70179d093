"""Which column of a wide table names its rows."""

import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import AGENTS, TASKS, UNSURE_TASKS, find, named, plain

SAMPLE = 1000
"""Rows that are looked at to tell what a column holds."""


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
