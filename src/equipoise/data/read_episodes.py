"""Dealt hands and other episodes into Episodes."""

from typing import Any

import polars as pl

from equipoise.data.bad_rows import Reason, open_rows, refuse_no_rows, sift
from equipoise.data.columns import HANDS, SEATS, EpisodeColumns, OnError, find
from equipoise.data.episodes import Episodes
from equipoise.data.tables import Table, collect, factor

__all__ = ["episodes_from"]


def episodes_from(source: Any, columns: EpisodeColumns, on_error: OnError) -> Episodes:
    """Read one row per agent, deal and seat."""
    table = open_rows(source, on_error)
    columns.checked(table.columns)
    seat = columns.seat or find(table.columns, SEATS)
    hand = columns.hand or find(table.columns, [name for name in HANDS if name not in columns.deals])
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
    rows, notes = sift(rows, _reasons(bool(seat), bool(hand)), on_error, table.name)
    return Episodes.from_factors(
        factor(rows["agent"]),
        factor(rows["deal"]),
        rows["utility"].to_numpy(),
        seat=factor(rows["seat"]) if seat else None,
        hand=factor(rows["hand"]) if hand else None,
        controls={name: rows[f"control {name}"].fill_null(float("nan")).to_numpy() for name in columns.controls},
        diagnostics=table.diagnostics + notes,
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
