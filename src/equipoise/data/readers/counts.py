"""Rows that count the results of a pair: wins, losses and ties, or wins and games."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.data.encode.labels import CROSSED, Codes, Factor, odd_names
from equipoise.data.encode.outcomes import counts_as_outcomes
from equipoise.data.files.tables import Table, collect, factor
from equipoise.data.readers.bad_rows import BLANK, Reason, refuse_no_rows, sift
from equipoise.data.readers.columns import MatchColumns, OnError
from equipoise.data.readers.match_layouts import CountLayout
from equipoise.data.readers.similar_names import similar_names
from equipoise.data.select.filters import kept_rows
from equipoise.data.types.accounts import Account
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable

SIDES = ["first", "second"]
COUNTS = ["wins", "losses", "ties"]
MIRRORED, NO_GAME = "counted from the other side already", "that count no game"
"""Reasons for which rows are not used."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedPairs:
    """Checked rows with columns first, second, wins, losses, ties (and group), and what happened on the way."""

    rows: pl.DataFrame
    diagnostics: tuple[Diagnostic, ...]
    account: Account

    def pairs(self) -> PairTable:
        """Add up the rows of each pair."""
        agents, first, second = _encode_sides(self.rows)
        wins, losses, ties = (self.rows[name].to_numpy() for name in COUNTS)
        return PairTable.from_counts(
            agents, first, second, wins, losses, ties,
            group=self._group(), account=self.account,
            diagnostics=self.diagnostics + odd_names(agents) + similar_names(agents),
        )  # fmt: skip

    def matches(self) -> Matches:
        """Give a weighted row for each result that a pair had."""
        agents, first, second = _encode_sides(self.rows)
        row, score, weight = counts_as_outcomes(*(self.rows[name].to_numpy() for name in COUNTS))
        group = self._group()
        return Matches.from_codes(
            agents, first[row], second[row], score,
            weight=weight, group=None if group is None else Factor(group.labels, group.codes[row]),
            ordered=False, account=self.account,
            diagnostics=self.diagnostics + odd_names(agents) + similar_names(agents),
        )  # fmt: skip

    def _group(self) -> Factor | None:
        return factor(self.rows["group"]) if "group" in self.rows.columns else None


def counts_from(table: Table, layout: CountLayout, columns: MatchColumns, on_error: OnError) -> CountedPairs:
    """Read and check counted pairs; mirrored rows are the same games and count once."""
    named = columns.given_clusters(table.columns)
    group = [pl.concat_str(map(table.text, named), separator=CROSSED).alias("group")] if named else []
    indexed = table.rows.with_row_index("row")
    parts = [
        indexed.select(
            pl.col("row"),
            *(value.alias(name) for value, name in zip(part, SIDES + COUNTS, strict=True)),
            *group,
            part=pl.lit(number),
        )
        for number, part in enumerate(layout.parts)
    ]
    rows = collect(pl.concat(parts), table.name).sort("row").with_columns(n=pl.lit(1))
    refuse_no_rows(rows, table.name)
    given = rows["row"].n_unique()
    rows, blank = _without_blank(rows)
    dropped = {BLANK: given - rows["row"].n_unique()}
    rows, notes, bad = sift(rows, _reasons(), on_error, table.name)
    once, more = (rows, ()) if layout.sided or named else _count_mirrored_once(rows)
    if len(layout.parts) > 1:
        bad = {", ".join(bad): given - sum(dropped.values()) - rows["row"].n_unique()} if bad else {}
    dropped |= bad | {MIRRORED: rows["row"].n_unique() - once["row"].n_unique()}
    empty = once.filter(pl.sum_horizontal(COUNTS) == 0)
    if len(empty) and len(layout.parts) == 1:
        dropped[NO_GAME] = len(empty)
        more += (info("no-games", f"{len(empty):,} rows count no game and say nothing."),)
    once, more, out = _of_agents(once, table, more, single=len(layout.parts) == 1)
    account = table.account(given, {**dropped, **out}, {*layout.used, *named})
    return CountedPairs(once, table.diagnostics + blank + notes + more, account)


def _of_agents(
    rows: pl.DataFrame, table: Table, notes: tuple[Diagnostic, ...], *, single: bool
) -> tuple[pl.DataFrame, tuple[Diagnostic, ...], Mapping[str, int]]:
    """Keep the agents that are wanted; rows that count no game are counted as such already."""
    names, first, second = _encode_sides(rows)
    games = rows.select(pl.sum_horizontal(COUNTS)).to_series().to_numpy()
    counted = rows["row"].is_first_distinct().to_numpy() & ((games > 0) | (not single))
    kept = kept_rows(table.selection, names, first, second, games, counted)
    return (rows, notes, {}) if kept is None else (rows.filter(pl.Series(kept.mask)), notes + kept.notes, kept.dropped)


def _without_blank(rows: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Diagnostic, ...]]:
    nobody = pl.all_horizontal(pl.col(SIDES).is_null())
    blank = rows.filter(nobody)
    if blank.is_empty() or blank.height == rows.height:
        return rows, ()
    count = blank["row"].n_unique()
    return rows.filter(~nobody), (info("blank-rows", f"{count:,} blank rows were passed over."),)


def _reasons() -> list[Reason]:
    counts = [pl.col(name) for name in COUNTS]
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
    """Drop the second of two rows that give the same games from both sides, if all that could, do.

    Where a row has one part, (a, b) with w wins and l losses comes again as (b, a) with l wins and w losses.
    Where it has a part for each side, a's first-side part of (a, b) comes again as b's second-side part of (b, a).
    """
    pairs = rows.group_by(*SIDES, "part").agg(pl.col(COUNTS).sum(), pl.col("row").min())
    one = pairs.filter(pl.col("part") == 0)
    if rows["part"].max() == 0:
        both = one.join(one, left_on=SIDES, right_on=SIDES[::-1], suffix="_back").filter(
            pl.col("row") < pl.col("row_back")
        )
        forward, backward = ("wins", "losses"), ("losses_back", "wins_back")
        again = pl.struct(first="second", second="first")
    else:
        both = one.join(pairs.filter(pl.col("part") == 1), on=SIDES, suffix="_back")
        forward, backward = ("wins", "losses"), ("wins_back", "losses_back")
        again = pl.struct("first", "second", part=pl.lit(1))
    same = [pl.col(x) == pl.col(y) for x, y in zip((*forward, "ties"), (*backward, "ties_back"), strict=True)]
    if both.is_empty() or not both.select(pl.all_horizontal(same).all()).item():
        return rows, ()
    repeated = both.select(again.alias("again")).unnest("again")
    once = rows.join(
        repeated.cast({"part": pl.Int32} if "part" in repeated.columns else {}),
        on=repeated.columns,
        how="anti",
        maintain_order="left",
    )
    pair = pl.struct(pl.min_horizontal(*SIDES), pl.max_horizontal(*SIDES).alias("high"))
    count = repeated.select(pair.n_unique()).item()
    note = info(
        "mirrored-rows",
        f"{count:,} pairs are listed from both sides with equal games and complementary wins; each was counted once.",
    )
    return once, (note,)


def _encode_sides(rows: pl.DataFrame) -> tuple[tuple[str, ...], Codes, Codes]:
    """Code both sides with one set of labels, in order of first appearance."""
    place = pl.int_range(pl.len(), dtype=pl.Int64) * 2
    sides = [rows.select(name=pl.col(side), place=place + shift) for shift, side in enumerate(SIDES)]
    names = pl.concat(sides).group_by("name").agg(pl.col("place").min()).sort("place")["name"]
    kind = pl.Enum(names)
    codes = [rows[side].cast(kind).to_physical().cast(pl.Int32).to_numpy() for side in SIDES]
    return tuple(names.to_list()), codes[0], codes[1]
