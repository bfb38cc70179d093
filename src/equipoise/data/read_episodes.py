"""Dealt hands and other episodes into Episodes."""

from typing import Any

import polars as pl

from equipoise.data.columns import find, named
from equipoise.data.episodes import Episodes
from equipoise.data.mend import open_rows
from equipoise.data.problems import OnError, Reason, check_on_error, sift
from equipoise.data.tables import Table, collect, factor
from equipoise.errors import DataError

__all__ = ["episodes_from"]


def episodes_from(
    source: Any,
    agent: str,
    deals: tuple[str, ...],
    utility: str,
    seat: str | None,
    hand: str | None,
    controls: tuple[str, ...],
    on_error: OnError,
) -> Episodes:
    """Read one row per agent, deal and seat."""
    check_on_error(on_error)
    table = open_rows(source, on_error)
    for role, name in (
        ("agent", agent),
        ("utility", utility),
        ("seat", seat),
        ("hand", hand),
        *(("deal", d) for d in deals),
        *(("control", c) for c in controls),
    ):
        if name is not None:
            named(table.columns, name, role)
    seat = seat or find(table.columns, ["seat"])
    shape = {"agent": table.text(agent), "deal": _joined(table, deals), "utility": table.number(utility)}
    hand = hand or find(table.columns, ["hand"] if "hand" not in deals else [])
    if seat:
        shape["seat"] = table.text(seat)
    if hand:
        shape["hand"] = table.text(hand)
    shape |= {f"control {name}": table.number(name) for name in controls}
    rows = collect(table.rows.select(**shape).with_row_index("row"), table.name).with_columns(n=pl.lit(1))
    if rows.is_empty():
        raise DataError(f"{table.name} has column names but no rows")
    rows, notes = sift(rows, _reasons(bool(seat), bool(hand)), on_error, table.name)
    return Episodes.from_factors(
        factor(rows["agent"]),
        factor(rows["deal"]),
        rows["utility"].to_numpy(),
        seat=factor(rows["seat"]) if seat else None,
        hand=factor(rows["hand"]) if hand else None,
        controls={name: rows[f"control {name}"].fill_null(float("nan")).to_numpy() for name in controls},
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
