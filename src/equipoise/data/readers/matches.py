"""Match logs, counted results and cross-tables into Matches and PairTable.

Rows with an outcome are read by ``read_outcomes``, rows that count results by ``read_counts``; here is the choice
between them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from equipoise.core.errors import ColumnError, DataError
from equipoise.core.results import IntArray, frozen
from equipoise.core.wording import Option
from equipoise.data.encode.outcomes import counts_as_outcomes
from equipoise.data.files.tables import Table, factor
from equipoise.data.readers.bad_rows import open_rows
from equipoise.data.readers.clusters import clustered, with_clusters
from equipoise.data.readers.columns import UNNAMED, Duplicates, MatchColumns, MergeNames, OnError, plain
from equipoise.data.readers.counts import counts_from
from equipoise.data.readers.covariate_columns import covariate_columns
from equipoise.data.readers.cross_tables import cross_table_pairs, is_cross_table
from equipoise.data.readers.duplicates import settle_repeats
from equipoise.data.readers.match_layouts import CountLayout, OutcomeLayout, match_layout
from equipoise.data.readers.outcomes import Outcomes, outcomes_from
from equipoise.data.readers.similar_names import with_names_joined
from equipoise.data.select.cleaning import Cleaner, clean_rows
from equipoise.data.select.cleaning_steps import Step, cleaning_steps
from equipoise.data.select.times import days_of
from equipoise.data.types.accounts import Account
from equipoise.data.types.covariates import Covariates
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable

DATE_FORMS = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f%#z")
"""Forms of ISO dates; all rows of a file have the same one."""
_Games = TypeVar("_Games", bound=Matches | PairTable)

MOST_DATED = 2_000_000
"""Rows of a log whose dates are looked at, which takes another pass over the file."""


@dataclass(frozen=True, slots=True)
class MatchReading:
    """How to read matches: what a user said of columns, bad rows, repeated rows and numbers in the outcome column."""

    columns: MatchColumns
    on_error: OnError = "raise"
    duplicates: Duplicates | None = None
    means: str | None = None
    merge_names: MergeNames | None = None


@dataclass(frozen=True, slots=True, eq=False)
class UncleanedMatches:
    """All rows of a log with what its steps of cleaning need to know, so that any of them can be left out."""

    matches: Matches
    cleaner: Cleaner
    place: IntArray

    def kept(self, steps: Sequence[Step]) -> tuple[npt.NDArray[np.bool_], dict[str, int]]:
        """Tell which matches some of the steps keep, and how many rows each leaves out."""
        mask, counts = self.cleaner.kept(steps)
        return mask[self.place], counts


def uncleaned_from(source: Any, how: MatchReading) -> UncleanedMatches:
    """Read a log row by row with all its rows and agents, and with the steps of cleaning that were asked for."""
    table, layout = _opened(source, how, clean=False)
    steps = cleaning_steps(table.selection.clean)
    if not isinstance(layout, OutcomeLayout):
        raise ColumnError(
            Option("clean"), ": what each step changes is reported for logs with an outcome in each row only"
        )
    cleaner = Cleaner.of(table, layout, steps, how.columns.time or table.selection.time)
    how = replace(how, columns=with_clusters(how.columns, table, layout.used))
    plain_table = replace(table, selection=replace(table.selection, min_games=None, components=None))
    rows = outcomes_from(plain_table, layout, how.columns, how.on_error, each_row=True, means=how.means)
    return UncleanedMatches(_matches_of(rows, table, layout, how), cleaner, rows.place)


def matches_from(source: Any, how: MatchReading) -> Matches:
    """Read a log row by row, in its order."""
    table, layout = _opened(source, how)
    if layout is None:
        return _matches_of_pairs(cross_table_pairs(table))
    if isinstance(layout, CountLayout):
        return _parted(counts_from(table, layout, how.columns, how.on_error).matches(), table, how)
    matches = _matches_of_rows(table, layout, how)
    return replace(matches, account=_dated(matches.account, table, how.columns.time))


def pairs_from(source: Any, how: MatchReading) -> PairTable:
    """Read only what the pair counts need, without holding the log in memory."""
    table, layout = _opened(source, how)
    if layout is None:
        return cross_table_pairs(table)
    if isinstance(layout, CountLayout):
        return _parted(counts_from(table, layout, how.columns, how.on_error).pairs(), table, how)
    pairs = _pairs_of_rows(table, layout, how)
    return replace(pairs, account=_dated(pairs.account, table, how.columns.time))


def _dated(account: Account | None, table: Table, time: str | None) -> Account | None:
    """Say from when to when a log goes, unless looking would take long."""
    if account is None or account.rows > MOST_DATED:
        return account
    return replace(account, days=days_of(table, time or table.selection.time))


def _opened(source: Any, how: MatchReading, *, clean: bool = True) -> tuple[Table, OutcomeLayout | CountLayout | None]:
    """Open the table and find its form, None for a cross-table; repeated rows are settled."""
    table = open_rows(source, how.on_error)
    if _is_cross_table(table, how.columns):
        _refuse_idle(table, how, how.columns.__slots__, "a table of everybody against everybody has no such column")
        if table.selection.clean:
            raise ColumnError(Option("clean"), " has no effect: a table of everybody against everybody holds no votes")
        return table, None
    layout = match_layout(table, how.columns)
    if isinstance(layout, CountLayout):
        idle = ("task", "time", "covariates", "labels")
        _refuse_idle(table, how, idle, "rows that count results are no single matches")
    if how.means is not None and (isinstance(layout, CountLayout) or layout.column is None):
        raise ColumnError(Option("score_means"), " has no effect: no column of outcomes is read")
    counted = isinstance(layout, CountLayout) and not plain(layout.used[2]).startswith("winner")
    table = with_names_joined(table, dict.fromkeys(layout.used[:3]), how.merge_names, layout.used[:2])
    table = settle_repeats(table, layout.used[:2], how.duplicates, results=layout.used[2:], whole=counted)
    steps = cleaning_steps(table.selection.clean)
    if steps and counted:
        raise ColumnError(Option("clean"), " has no effect: rows that count results are no single votes")
    return clean_rows(table, layout, steps if clean else (), how.columns.time or table.selection.time), layout


def _refuse_idle(table: Table, how: MatchReading, names: Iterable[str], because: str) -> None:
    """Refuse columns that were given and that nothing here looks at."""
    for name in names:
        value = getattr(how.columns, name)
        asked = not (name == "time" and value == table.selection.time) and not (name == "group" and value in UNNAMED)
        if value and asked:
            raise ColumnError(Option(name), f" has no effect: {because}")


def _is_cross_table(table: Table, columns: MatchColumns) -> bool:
    return not any((columns.a, columns.b, columns.outcome, columns.wins)) and is_cross_table(table)


def _matches_of_pairs(pairs: PairTable) -> Matches:
    row, score, weight = counts_as_outcomes(pairs.wins, pairs.losses, pairs.ties)
    return Matches.from_codes(
        pairs.agents, pairs.first[row], pairs.second[row], score,
        weight=weight, ordered=False, diagnostics=pairs.diagnostics, account=pairs.account,
    )  # fmt: skip


def _parted(games: _Games, table: Table, how: MatchReading) -> _Games:
    """Part the columns of clusters of counted results, where several were named."""
    return clustered(games, replace(how.columns, clusters=how.columns.given_clusters(table.columns)))


def _matches_of_rows(table: Table, layout: OutcomeLayout, how: MatchReading) -> Matches:
    how = replace(how, columns=with_clusters(how.columns, table, layout.used))
    rows = outcomes_from(table, layout, how.columns, how.on_error, each_row=True, means=how.means)
    return _matches_of(rows, table, layout, how)


def _matches_of(rows: Outcomes, table: Table, layout: OutcomeLayout, how: MatchReading) -> Matches:
    columns = how.columns
    matches = Matches.from_codes(
        rows.agents,
        rows.first,
        rows.second,
        rows.score,
        weight=None if layout.weight is None else rows.weight,
        task=factor(rows.extra["task"]) if columns.task else None,
        group=factor(rows.extra["group"]) if columns.clusters else None,
        time=_times(rows.extra["time"], table, columns) if columns.time else None,
        diagnostics=rows.diagnostics,
        account=rows.account,
        covariates=_covariates(rows.extra, table, columns) if columns.covariates else None,
        labels={name: factor(rows.extra[f"label {name}"]) for name in columns.labels},
    )
    return clustered(matches, columns)


def _covariates(extra: Mapping[str, pl.Series], table: Table, columns: MatchColumns) -> Covariates:
    """Bring the columns of covariates together; two columns have become differences while they were read."""
    found = covariate_columns(table.columns, columns.covariates)
    two = tuple(len(each) == 2 for each in found.values())
    plain = [f"{'difference' if made else 'covariate'} {name}" for name, made in zip(found, two, strict=True)]
    values, differences = (
        frozen(np.column_stack([extra[name].to_numpy() for name in names]))
        for names in ([f"covariate {name}" for name in found], plain)
    )
    return Covariates(tuple(found), values, two, differences)


def _pairs_of_rows(table: Table, layout: OutcomeLayout, how: MatchReading) -> PairTable:
    columns = with_clusters(how.columns, table, layout.used)
    rows = outcomes_from(table, layout, columns, how.on_error, each_row=False, means=how.means)
    pairs = PairTable.from_outcomes(
        rows.agents,
        rows.first,
        rows.second,
        rows.score,
        rows.weight,
        group=factor(rows.extra["group"], rows.place) if columns.clusters else None,
        diagnostics=rows.diagnostics,
        account=rows.account,
    )
    return clustered(pairs, columns)


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
    if isinstance(times.dtype, pl.Datetime) and times.dtype.time_zone is not None:
        times = times.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return times.to_numpy()
