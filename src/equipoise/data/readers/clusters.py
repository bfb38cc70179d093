"""Columns of clusters: who voted, and on what. Those that a user names, or those with a usual name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import CROSSED, Factor
from equipoise.data.files.tables import Table
from equipoise.data.readers.columns import JUDGES, NONE, PROMPTS, VOTERS, MatchColumns, find, plain
from equipoise.data.types.matches import CLUSTERS_FOUND, FEW_CLUSTERS, Matches
from equipoise.data.types.pairs import PairTable

FEWEST = 5
"""Clusters below which a column that nobody named is hardly a sample: results are for these clusters."""

MOST = 3
"""Columns by which errors are clustered at once, those with the fewest clusters: each doubles the work."""

_Games = TypeVar("_Games", bound=Matches | PairTable)


def with_clusters(columns: MatchColumns, table: Table, used: Sequence[str]) -> MatchColumns:
    """Add the columns of clusters: those named by the user, or all that name voters or judges, and one of prompts."""
    given = columns.given_clusters(table.columns)
    if given or not columns.finds_clusters:
        return replace(columns, clusters=given)
    free = [name for name in table.columns if name not in {*used, columns.task, columns.time} and _plain(table, name)]
    people = [name for name in free if plain(name) in {*VOTERS, *JUDGES}]
    return replace(columns, clusters=(*people, *(name for name in (find(free, PROMPTS),) if name is not None)))


def _plain(table: Table, name: str) -> bool:
    """Tell whether a column holds single values: lists and structures are no names."""
    return not table.rows.select(name).collect_schema()[name].is_nested()


def cluster_text(columns: MatchColumns, table: Table) -> pl.Expr:
    """Give the label of the combination of clusters; null where a column that was named is empty.

    In a column that was found, each row without a value is a cluster by itself.
    """
    texts = [table.text(name) for name in columns.clusters]
    if columns.finds_clusters:
        alone = pl.int_range(pl.len()).cast(pl.String)
        texts = [pl.when(text.is_null()).then(pl.lit(" row ") + alone).otherwise(text) for text in texts]
    return pl.concat_str(texts, separator=CROSSED)


def clustered(games: _Games, columns: MatchColumns) -> _Games:
    """Part the columns of clusters; of those that were found, leave out what says nothing, and say what was done."""
    if games.group is None:
        return games
    parts = dict(zip(columns.clusters, games.group.apart(), strict=True))
    if not columns.finds_clusters:
        (_, named), *others = parts.items()
        return replace(games, group=named, crossed=dict(others))
    kept, few = _telling(parts, len(games.group.codes))
    crossed = {name: parts[name] for name in kept[1:]}
    notes = (*games.diagnostics, *_notes(kept, {name: parts[name] for name in few}))
    return replace(games, group=parts[kept[0]] if kept else None, crossed=crossed, diagnostics=notes)


def _telling(parts: Mapping[str, Factor], rows: int) -> tuple[list[str], list[str]]:
    """Give the columns that are clusters, those with the fewest first, and those with too few values to be some."""
    sizes = {name: len(np.unique(part.codes)) for name, part in parts.items()}
    able = sorted((name for name in parts if FEWEST <= sizes[name] < rows), key=lambda name: sizes[name])
    kept: list[str] = []
    for name in able:
        # A column that only calls the clusters of another one otherwise, such as a voter's address, says nothing.
        again = any(len(Factor.crossed([parts[name], parts[one]]).labels) == sizes[one] for one in kept)
        kept += [] if again else [name]
    return kept[:MOST], [name for name in parts if 1 < sizes[name] < FEWEST]


def _notes(kept: Sequence[str], few: Mapping[str, Factor]) -> list[Diagnostic]:
    notes = []
    if kept:
        message = f"Errors are clustered by {' and '.join(kept)}, found by name."
        notes.append(info(CLUSTERS_FOUND, message, kept, advice=[Advice("turn it off with ", Option("group", NONE))]))
    for name, factor in few.items():
        labels = sorted(set(np.asarray(factor.labels)[np.unique(factor.codes)].tolist()))
        message = (
            f"Results are for these {len(labels)} values of {name}, which are too few to say more: {', '.join(labels)}."
        )
        advice = [Advice("cluster by them nevertheless with ", Option("group", name))]
        notes.append(info(FEW_CLUSTERS, message, [name, *labels], advice=advice))
    return notes
