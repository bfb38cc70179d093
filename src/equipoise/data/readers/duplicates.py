"""Rows that come again: counted in a note, dropped, or refused.

Two equal rows of a bare log are two games. They are one, written twice, where they agree in everything that tells rows
apart: the row's own id (with its time, and whoever voted, which round it was, which moves were made), or a time or a
question's id and everything else. Games of one day may agree in all that a log says and be several, and so may votes of
one question: where rows that agree in all but the result have other results, too, a log does not say which row is
which. Dropping is not advised then.
"""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from equipoise.core.diagnostics import info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import (
    CONTEXT_IDS,
    JUDGES,
    MOVES,
    PROMPTS,
    ROUNDS,
    ROW_IDS,
    TIMES,
    VOTERS,
    Duplicates,
    find,
    plain,
)

REPEATED = "that repeat an earlier row"
"""Reason for which rows are dropped."""
MOST = 20_000_000
"""Rows up to which repeats are looked for unasked: ids have to be held in memory."""
TELLING = frozenset({*VOTERS, *JUDGES, *PROMPTS, *CONTEXT_IDS, *ROUNDS, *MOVES})
"""Columns that tell rows of one id apart: raters of one pair of answers, rounds and moves of one match."""
OF_MANY = frozenset({"event", "site", "opening", "eco"})
"""Those of them that many games of a day have in common."""
HALF = 0.9
"""Share of rows from which on they are games from either side, and no single repeats."""
CONFLICTS = 0.1
"""Share of what comes again with several results from which rows that agree are no copies."""
A_DAY = r"^\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\s*$"
SAMPLE = 1000
"""Rows that are looked at to tell days from moments."""
WAYS = (
    Advice("count each once with ", Option("duplicates", "drop")),
    Advice("keep them all with ", Option("duplicates", "keep")),
)


def settle_repeats(
    table: Table, sides: Sequence[str], how: Duplicates | None, *, results: Sequence[str] = (), whole: bool = False
) -> Table:
    """Count the rows that repeat an earlier one, and do with them what the user wants (None: keep them, and say so).

    ``sides`` are the columns without which a row is blank, ``results`` those of what came out. With ``whole`` rows that
    are equal in all columns are repeats whatever the columns are called.
    """
    key = _key(table, sides, anyhow=whole or how in ("drop", "error"))
    if not key or (how is None and (table.expected or 0) > MOST):
        return table
    either = _from_either_side(table, sides)
    same = pl.struct(_comparable(table, key, sides if either else ()))
    there = pl.any_horizontal(table.text(side).is_not_null() for side in sides)
    seen = table.rows.filter(there).select(rows=pl.len(), distinct=same.hash().n_unique())
    rows, distinct = collect(seen, table.name).row(0)
    again = rows - distinct
    if again == 0:
        return table
    repeated = f"{again:,} of {rows:,} rows repeat an earlier one in {_named(table, key)}"
    repeated += ", whichever side is first" if either else ""
    if how == "error":
        raise DataError(f"{table.name}: {repeated}", advice=WAYS)
    if how == "drop":
        kept = table.rows.filter(same.is_first_distinct() | ~there)
        expected = None if table.expected is None else table.expected - again
        note = info("repeated-rows", f"{repeated}; each was counted once.")
        return replace(
            table, rows=kept, expected=expected, diagnostics=(*table.diagnostics, note),
            dropped={**table.dropped, REPEATED: again},
        )  # fmt: skip
    advised = how is None and not _only_days(table, sides) and not _several_results(table, key, results, there)
    said = warning if either and 2 * again > HALF * rows else info
    note = said("repeated-rows", f"{repeated}; all of them count.", advice=WAYS[:1] if advised else ())
    return replace(table, diagnostics=(*table.diagnostics, note))


def _from_either_side(table: Table, sides: Sequence[str]) -> bool:
    """Tell whether rows are about one side and its opponent, and have ids: a game may have a row for either side."""
    return len(sides) == 2 and plain(sides[1]) == "opponent" and find(table.columns, ROW_IDS) is not None


def _key(table: Table, sides: Sequence[str], *, anyhow: bool) -> tuple[str, ...]:
    """Give the columns in which no two rows should agree; none where nothing says so."""
    rest = [column for column in table.columns if column not in sides]
    row, time = find(rest, ROW_IDS), find(rest, TIMES)
    if row is not None:
        telling = [column for column in rest if plain(column) in TELLING and column != row]
        return (row, *([time] if time else []), *sides, *telling)
    return table.columns if anyhow or time or find(rest, CONTEXT_IDS) else ()


def _only_days(table: Table, sides: Sequence[str]) -> bool:
    """Tell whether nothing but a day tells rows apart: players meet several times a day, with the same result."""
    rest = [column for column in table.columns if column not in sides]
    time = find(rest, TIMES)
    if time is None or find(rest, ROW_IDS) or any(plain(column) in TELLING - OF_MANY for column in rest):
        return False
    days = collect(table.rows.select(table.text(time)).head(SAMPLE), table.name).to_series().drop_nulls()
    return bool(len(days) and days.str.contains(A_DAY).all())


def _several_results(table: Table, key: Sequence[str], results: Sequence[str], there: pl.Expr) -> bool:
    """Tell whether rows that agree in all but the result often have several: they are several games or votes."""
    description = [column for column in key if column not in results]
    if len(description) == len(key):
        return False
    rows = table.rows.filter(there).select(
        what=pl.struct(_comparable(table, description)).hash(), row=pl.struct(_comparable(table, key)).hash()
    )
    again = rows.group_by("what").agg(rows=pl.len(), results=pl.col("row").n_unique()).filter(pl.col("rows") > 1)
    share = collect(again.select((pl.col("results") > 1).mean()), table.name).item()
    return share is not None and bool(share > CONFLICTS)


def _comparable(table: Table, key: Sequence[str], unordered: Sequence[str] = ()) -> list[pl.Expr]:
    """Give columns whose values can be compared; lists of texts as one text, other nested values not at all.

    Of ``unordered`` columns it does not matter which value stands in which.
    """
    kinds = table.rows.collect_schema()
    flat = [pl.col(name) for name in key if not kinds[name].is_nested() and name not in unordered]
    if unordered:
        texts = [table.text(name) for name in unordered]
        flat += [pl.min_horizontal(texts).alias("first of both"), pl.max_horizontal(texts).alias("last of both")]
    return flat + [pl.col(name).list.join("\x1f") for name in key if kinds[name] == pl.List(pl.String)]


def _named(table: Table, key: Sequence[str]) -> str:
    return "all columns" if len(key) == len(table.columns) else some_of(key, 6)
