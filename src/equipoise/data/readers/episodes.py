"""Dealt hands and other episodes into Episodes."""

from typing import Any

import numpy as np
import polars as pl

from equipoise.data.encode.labels import odd_names
from equipoise.data.files.tables import Table, collect, factor
from equipoise.data.readers.bad_rows import Reason, open_rows, refuse_no_rows, sift, without_blank
from equipoise.data.readers.columns import Duplicates, EpisodeColumns, MergeNames, OnError
from equipoise.data.readers.duplicates import settle_repeats
from equipoise.data.readers.similar_names import similar_names, with_names_joined
from equipoise.data.select.filters import kept_rows
from equipoise.data.types.episodes import Episodes


def episodes_from(
    source: Any,
    given: EpisodeColumns,
    on_error: OnError,
    duplicates: Duplicates | None = None,
    merge: MergeNames | None = None,
) -> Episodes:
    """Read one row per agent, deal and seat."""
    table = open_rows(source, on_error)
    columns = given.checked(table.columns)
    assert columns.agent
    assert columns.utility
    seat, hand = columns.seat, columns.hand
    table = with_names_joined(table, [columns.agent], merge)
    table = settle_repeats(table, (columns.agent, columns.utility), duplicates, whole=True)
    shape = {
        "agent": table.text(columns.agent),
        "deal": _joined(table, columns.deals),
        "utility": table.number(columns.utility),
    }
    if seat:
        shape["seat"] = table.text(seat)
    if hand:
        shape["hand"] = table.text(hand)
    shape |= {f"control {name}": table.number(name) for name in columns.controls}
    rows = collect(table.rows.select(**shape).with_row_index("row"), table.name).with_columns(n=pl.lit(1))
    refuse_no_rows(rows, table.name)
    rows, blank, passed = without_blank(rows, ["agent", "deal", "utility"])
    rows, notes, bad = sift(rows, _reasons(bool(seat), bool(hand)), on_error, table.name)
    optional = [column for column in (seat, hand) if column is not None]
    used = [columns.agent, columns.utility, *columns.deals, *columns.controls, *optional]
    agents = factor(rows["agent"])
    kept = kept_rows(
        table.selection, (*agents.labels, *(deals := factor(rows["deal"])).labels), agents.codes,
        deals.codes + np.int32(len(agents.labels)), np.ones(rows.height), agents=len(agents.labels), unit="hands",
    )  # fmt: skip
    before = len(rows) + sum(passed.values()) + sum(bad.values())
    if kept is not None:
        rows, notes, bad = rows.filter(pl.Series(kept.mask)), notes + kept.notes, {**bad, **kept.dropped}
        agents = factor(rows["agent"])
    return Episodes.from_factors(
        agents,
        factor(rows["deal"]),
        rows["utility"].to_numpy(),
        seat=factor(rows["seat"]) if seat else None,
        hand=factor(rows["hand"]) if hand else None,
        controls={name: rows[f"control {name}"].fill_null(float("nan")).to_numpy() for name in columns.controls},
        diagnostics=table.diagnostics + blank + notes + odd_names(agents.labels) + similar_names(agents.labels),
        account=table.account(before, passed | bad, used),
    )


def _joined(table: Table, deals: tuple[str, ...]) -> pl.Expr:
    return pl.concat_str([table.text(deal) for deal in deals], separator=" / ", ignore_nulls=False)


def _reasons(seated: bool, in_hands: bool) -> list[Reason]:
    reasons = [
        Reason(pl.col("agent").is_null(), "no agent's name"),
        Reason(pl.col("deal").is_null(), "no deal"),
        Reason(~pl.col("utility").is_finite(), "a utility that is missing or not a finite number"),
    ]
    reasons += [Reason(pl.col("seat").is_null(), "no seat")] if seated else []
    return reasons + ([Reason(pl.col("hand").is_null(), "no hand")] if in_hands else [])
