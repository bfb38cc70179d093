"""Bad rows: collected by reason, then refused together or skipped and counted."""

from dataclasses import dataclass
from typing import Literal

import polars as pl

from equipoise.diagnostics import Diagnostic, warning
from equipoise.errors import DataError, ParameterError, some_of

__all__ = ["OnError", "Reason", "check_on_error", "sift"]

OnError = Literal["raise", "skip"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a row is bad: a mask over the rows, a text, and an expression that names what is wrong (or None)."""

    bad: pl.Expr
    text: str
    shown: pl.Expr | None = None


def check_on_error(on_error: str) -> None:
    """Refuse an unknown way to deal with bad rows."""
    if on_error not in ("raise", "skip"):
        raise ParameterError(f'on_error is "raise" or "skip", not "{on_error}"')


def sift(
    frame: pl.DataFrame, reasons: list[Reason], on_error: OnError, name: str, hint: str = ""
) -> tuple[pl.DataFrame, tuple[Diagnostic, ...]]:
    """Split off the bad rows of a frame with columns ``row`` (first place, from 0) and ``n`` (how many).

    A row counts under the first reason that fits. Strict: raise, naming the reason met first in the file.
    Otherwise: drop them and say how many of each.
    """
    cause = pl.lit(None, dtype=pl.Int32)
    for index, reason in reversed(list(enumerate(reasons))):
        cause = pl.when(reason.bad.fill_null(True)).then(pl.lit(index, dtype=pl.Int32)).otherwise(cause)
    marked = frame.with_columns(cause.alias("_cause"))
    bad = marked.filter(pl.col("_cause").is_not_null()).sort("row")
    good = marked.filter(pl.col("_cause").is_null()).drop("_cause")
    if bad.is_empty():
        return good, ()
    if on_error == "raise":
        raise DataError(f"{name}: {_told(bad, reasons, hint)}")
    counts = dict(bad.group_by("_cause").agg(pl.col("n").sum()).sort("_cause").iter_rows())
    listed = ", ".join(f"{count:,} {reasons[index].text}" for index, count in counts.items())
    if good.is_empty():
        raise DataError(f"{name}: no usable row is left after skipping {listed}")
    return good, (warning("rows-skipped", f"Rows skipped: {listed}.", [reasons[index].text for index in counts]),)


def _told(bad: pl.DataFrame, reasons: list[Reason], hint: str) -> str:
    index = bad["_cause"][0]
    same = bad.filter(pl.col("_cause") == index)
    reason = reasons[index]
    rows = int(same["n"].sum())
    where = f"row {same['row'][0] + 1:,}" + (f" and {rows - 1:,} more" if rows > 1 else "")
    text = reason.text
    if reason.shown is not None:
        values = same.select(reason.shown.alias("shown"))["shown"].unique(maintain_order=True).to_list()
        text += " " + some_of(f'"{value}"' for value in values)
    return f'{text} in {where}{hint}; correct the file or skip such rows with on_error="skip"'
