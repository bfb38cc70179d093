"""Match logs, counted results and cross-tables into Matches and PairTable.

Rows with an outcome are read by ``read_outcomes``, rows that count results by ``read_counts``; here is the choice
between them.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from equipoise.data.bad_rows import open_rows
from equipoise.data.columns import MatchColumns, OnError
from equipoise.data.cross_tables import cross_table_pairs, is_cross_table
from equipoise.data.match_layouts import CountLayout, OutcomeLayout, match_layout
from equipoise.data.matches import Matches
from equipoise.data.outcomes import counts_as_outcomes
from equipoise.data.pairs import PairTable
from equipoise.data.read_counts import counts_from
from equipoise.data.read_outcomes import outcomes_from
from equipoise.data.tables import Table, factor
from equipoise.errors import DataError

__all__ = ["matches_from", "pairs_from"]

DATE_FORMS = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f%#z")
"""Forms of ISO dates; all rows of a file have the same one."""


def matches_from(source: Any, columns: MatchColumns, on_error: OnError) -> Matches:
    """Read a log row by row, in its order."""
    table = open_rows(source, on_error)
    if _is_cross_table(table, columns):
        return _matches_of_pairs(cross_table_pairs(table), table)
    layout = match_layout(table, columns)
    if isinstance(layout, CountLayout):
        return counts_from(table, layout, columns, on_error).matches()
    return _matches_of_rows(table, layout, columns, on_error)


def pairs_from(source: Any, columns: MatchColumns, on_error: OnError) -> PairTable:
    """Read only what the pair counts need, without holding the log in memory."""
    table = open_rows(source, on_error)
    if _is_cross_table(table, columns):
        return cross_table_pairs(table)
    layout = match_layout(table, columns)
    if isinstance(layout, CountLayout):
        return counts_from(table, layout, columns, on_error).pairs()
    return _pairs_of_rows(table, layout, columns, on_error)


def _is_cross_table(table: Table, columns: MatchColumns) -> bool:
    return not any((columns.a, columns.b, columns.outcome, columns.wins)) and is_cross_table(table)


def _matches_of_pairs(pairs: PairTable, table: Table) -> Matches:
    row, score, weight = counts_as_outcomes(pairs.wins, pairs.losses, pairs.ties)
    return Matches.from_codes(
        pairs.agents, pairs.first[row], pairs.second[row], score,
        weight=weight, ordered=False, diagnostics=table.diagnostics + pairs.diagnostics,
    )  # fmt: skip


def _matches_of_rows(table: Table, layout: OutcomeLayout, columns: MatchColumns, on_error: OnError) -> Matches:
    rows = outcomes_from(table, layout, columns, on_error, each_row=True)
    return Matches.from_codes(
        rows.agents,
        rows.first,
        rows.second,
        rows.score,
        weight=None if layout.weight is None else rows.weight,
        task=factor(rows.extra["task"]) if columns.task else None,
        group=factor(rows.extra["group"]) if columns.group else None,
        time=_times(rows.extra["time"], table, columns) if columns.time else None,
        diagnostics=rows.diagnostics,
    )


def _pairs_of_rows(table: Table, layout: OutcomeLayout, columns: MatchColumns, on_error: OnError) -> PairTable:
    rows = outcomes_from(table, layout, columns, on_error, each_row=False)
    return PairTable.from_outcomes(
        rows.agents,
        rows.first,
        rows.second,
        rows.score,
        rows.weight,
        group=factor(rows.extra["group"]) if columns.group else None,
        diagnostics=rows.diagnostics,
    )


def _dates(column: pl.Series, form: str) -> pl.Series:
    return column.str.to_datetime(form, strict=False, time_unit="us", time_zone="UTC")


def _times(column: pl.Series, table: Table, columns: MatchColumns) -> npt.NDArray[np.generic]:
    """Give sortable times: numbers, dates and times of a frame, or text in ISO form; anything else is refused."""
    times = column
    if column.dtype == pl.String:
        numbers = column.cast(pl.Float64, strict=False)
        times = min(numbers, *(_dates(column, form) for form in DATE_FORMS), key=pl.Series.null_count)
    if times.dtype.is_float():
        times = times.fill_nan(None)
    if times.null_count():
        at = int(times.is_null().arg_max() or 0)
        shown = "" if column[at] is None else f' "{column[at]}"'
        raise DataError(
            f"{table.name}: no time{shown} in row {at + 1:,} of column {columns.time}; times are numbers or ISO dates"
            " such as 2024-12-31 or 2024-12-31T18:30:00"
        )
    return times.rank("dense").to_numpy()
