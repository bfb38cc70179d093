"""Match logs and counts into Matches and PairTable.

Rows with an outcome are read by ``read_outcomes``; here are rows that count the results of a pair, and the way from
either to the data types.
"""

from typing import Any

import numpy as np
import polars as pl

from equipoise.data.labels import Factor
from equipoise.data.match_layouts import Columns, CountLayout, OutcomeLayout, match_layout
from equipoise.data.matches import Matches
from equipoise.data.mend import open_rows
from equipoise.data.pairs import PairTable
from equipoise.data.problems import OnError, Reason, check_on_error, sift
from equipoise.data.read_outcomes import outcomes_from
from equipoise.data.square import is_square, square_pairs
from equipoise.data.tables import Table, collect, factor
from equipoise.diagnostics import Diagnostic, info
from equipoise.errors import DataError

__all__ = ["matches_from", "pairs_from"]

SIDES = ("first", "second")
DATE_FORMS = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f%#z")
"""Forms of ISO dates; all rows of a file have the same one."""


def matches_from(source: Any, columns: Columns, on_error: OnError) -> Matches:
    """Read a log row by row, in its order."""
    check_on_error(on_error)
    table = open_rows(source, on_error)
    if _is_square(table, columns):
        return _matches_of_counts(_counted_rows(square_pairs(table)), table)
    layout = match_layout(table, columns)
    if isinstance(layout, CountLayout):
        return _matches_of_counts(_counts(table, layout, columns, on_error), table)
    return _matches_of_rows(table, layout, columns, on_error)


def pairs_from(source: Any, columns: Columns, on_error: OnError) -> PairTable:
    """Read only what the pair counts need, without holding the log in memory."""
    check_on_error(on_error)
    table = open_rows(source, on_error)
    if _is_square(table, columns):
        return square_pairs(table)
    layout = match_layout(table, columns)
    if isinstance(layout, OutcomeLayout):
        return _pairs_of_rows(table, layout, columns, on_error)
    rows, notes = _counts(table, layout, columns, on_error)
    agents, first, second = _encode_pair(rows)
    group = factor(rows["group"]) if columns.group else None
    return PairTable.from_columns(
        agents,
        first,
        second,
        rows["wins"].to_numpy(),
        rows["losses"].to_numpy(),
        rows["ties"].to_numpy(),
        group=group,
        diagnostics=table.diagnostics + notes,
    )


def _is_square(table: Table, columns: Columns) -> bool:
    return not any((columns.a, columns.b, columns.outcome, columns.wins)) and is_square(table)


def _without_blank(frame: pl.DataFrame, keys: list[str]) -> tuple[pl.DataFrame, tuple[Diagnostic, ...]]:
    blank = frame.filter(pl.all_horizontal(pl.col(keys).is_null()))
    if blank.is_empty() or blank.height == frame.height:
        return frame, ()
    count = int(blank["n"].sum())
    kept = frame.filter(~pl.all_horizontal(pl.col(keys).is_null()))
    return kept, (info("blank-rows", f"{count:,} blank rows were passed over."),)


def _matches_of_rows(table: Table, layout: OutcomeLayout, columns: Columns, on_error: OnError) -> Matches:
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


def _pairs_of_rows(table: Table, layout: OutcomeLayout, columns: Columns, on_error: OnError) -> PairTable:
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


def _times(column: pl.Series, table: Table, columns: Columns) -> np.ndarray[Any, Any]:
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


def _counts(
    table: Table, layout: CountLayout, columns: Columns, on_error: OnError
) -> tuple[pl.DataFrame, tuple[Diagnostic, ...]]:
    """Read counted pairs; mirrored rows are the same games and count once."""
    names = ("first", "second", "wins", "losses", "ties")
    group = [] if columns.group is None else [table.text(columns.group).alias("group")]
    indexed = table.rows.with_row_index("row")
    parts = [
        indexed.select(
            pl.col("row"), *(e.alias(n) for e, n in zip(part, names, strict=True)), *group, part=pl.lit(number)
        )
        for number, part in enumerate(layout.parts)
    ]
    rows = collect(pl.concat(parts), table.name).sort("row").with_columns(n=pl.lit(1))
    if rows.is_empty():
        raise DataError(f"{table.name} has column names but no rows")
    rows, blank = _without_blank(rows, ["first", "second"])
    counts = [pl.col(name) for name in names[2:]]
    rows, notes = sift(rows, _count_reasons(counts), on_error, table.name)
    once, mirrored = (rows, ()) if layout.sided or columns.group else _count_mirrored_once(rows)
    empty = once.filter(pl.sum_horizontal(counts) == 0)
    if len(empty) and len(layout.parts) == 1:
        mirrored += (info("no-games", f"{len(empty):,} rows count no game and say nothing."),)
    return once, blank + notes + mirrored


def _count_reasons(counts: list[pl.Expr]) -> list[Reason]:
    return [
        Reason(pl.col("first").is_null() | pl.col("second").is_null(), "no agent's name"),
        Reason(pl.col("first") == pl.col("second"), "an agent against itself", pl.col("first")),
        Reason(~pl.all_horizontal([count.is_finite() for count in counts]), "a count that is missing or not a number"),
        Reason(
            pl.any_horizontal([count < -1e-9 for count in counts]),
            "counts that are negative or do not add up (more wins than games?)",
        ),
    ]


def _count_mirrored_once(rows: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Diagnostic, ...]]:
    """Drop the second of two rows that tell the same games from both sides, if all that could, do.

    Where a row has one part, (a, b) with w wins and l losses is told again as (b, a) with l wins and w losses.
    Where it has a part for each side, a's first-side part of (a, b) is told again as b's second-side part of (b, a).
    """
    keys = ["first", "second"]
    pairs = rows.group_by(*keys, "part").agg(pl.col("wins", "losses", "ties").sum(), pl.col("row").min())
    one = pairs.filter(pl.col("part") == 0)
    if rows["part"].max() == 0:
        both = one.join(one, left_on=keys, right_on=keys[::-1], suffix="_back").filter(
            pl.col("row") < pl.col("row_back")
        )
        forward, backward = ("wins", "losses"), ("losses_back", "wins_back")
        again = pl.struct(first="second", second="first")
    else:
        both = one.join(pairs.filter(pl.col("part") == 1), on=keys, suffix="_back")
        forward, backward = ("wins", "losses"), ("wins_back", "losses_back")
        again = pl.struct("first", "second", part=pl.lit(1))
    same = [pl.col(x) == pl.col(y) for x, y in zip((*forward, "ties"), (*backward, "ties_back"), strict=True)]
    if both.is_empty() or not both.select(pl.all_horizontal(same).all()).item():
        return rows, ()
    told = both.select(again.alias("again")).unnest("again")
    once = rows.join(
        told.cast({"part": pl.Int32} if "part" in told.columns else {}),
        on=told.columns,
        how="anti",
        maintain_order="left",
    )
    met = told.select(pl.struct(pl.min_horizontal(*keys), pl.max_horizontal(*keys).alias("high")).n_unique()).item()
    note = info(
        "mirrored-rows",
        f"{met:,} pairs are told from both sides with equal games and complementary wins; each was counted once.",
    )
    return once, (note,)


def _counted_rows(pairs: PairTable) -> tuple[pl.DataFrame, tuple[Diagnostic, ...]]:
    names = np.array(pairs.agents, dtype=object)
    frame = pl.DataFrame(
        {
            "first": names[pairs.first].tolist(), "second": names[pairs.second].tolist(),
            "wins": pairs.wins, "losses": pairs.losses, "ties": pairs.ties,
        }
    ).with_row_index("row")  # fmt: skip
    return frame, pairs.diagnostics


def _matches_of_counts(counted: tuple[pl.DataFrame, tuple[Diagnostic, ...]], table: Table) -> Matches:
    rows, notes = counted
    agents, first, second = _encode_pair(rows)
    weights = np.concatenate([rows["wins"].to_numpy(), rows["ties"].to_numpy(), rows["losses"].to_numpy()])
    scores = np.repeat([1.0, 0.5, 0.0], rows.height)
    played = weights > 0
    group = factor(rows["group"]) if "group" in rows.columns else None
    return Matches.from_codes(
        agents, np.tile(first, 3)[played], np.tile(second, 3)[played], scores[played],
        weight=weights[played],
        group=None if group is None else Factor(group.labels, np.tile(group.codes, 3)[played]),
        ordered=False, diagnostics=table.diagnostics + notes,
    )  # fmt: skip


def _encode_pair(rows: pl.DataFrame) -> tuple[tuple[str, ...], Any, Any]:
    """Code both sides with one set of labels, in order of first appearance."""
    place = pl.int_range(pl.len(), dtype=pl.Int64) * 2
    sides = [rows.select(name=pl.col(side), place=place + shift) for shift, side in enumerate(SIDES)]
    names = pl.concat(sides).group_by("name").agg(pl.col("place").min()).sort("place")["name"]
    kind = pl.Enum(names)
    codes = [rows[side].cast(kind).to_physical().cast(pl.Int32).to_numpy() for side in SIDES]
    return tuple(names.to_list()), codes[0], codes[1]
