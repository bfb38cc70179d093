"""Cells of tables for people: how a number, a share or an interval of a row is written."""

import math
from collections.abc import Callable
from typing import Any

from equipoise.report.views.view import NOTHING, Cell, Row


def text(key: str) -> Cell:
    """Show a cell as it is."""
    return lambda row: NOTHING if row.get(key) is None else str(row[key])


def decimal(key: str, digits: int = 2, more: float = 0.0) -> Cell:
    """Show a number, counted from another zero by so much ``more``, with so many digits."""
    return lambda row: _number(row.get(key), f"z.{digits}f", more)


def signed(key: str, digits: int = 0) -> Cell:
    """Show a number with its sign."""
    return lambda row: _number(row.get(key), f"+.{digits}f")


def count(key: str) -> Cell:
    """Show a whole number with thousands apart; a fractional weight keeps one digit."""

    def cell(row: Row) -> str:
        value = row.get(key)
        whole = value is not None and round(float(value), 6).is_integer()  # sums of weights have rounding errors
        return _number(value, ",.0f" if whole else ",.1f")

    return cell


def percent(key: str, digits: int = 0) -> Cell:
    """Show a share in percent."""
    return lambda row: _number(row.get(key), f".{digits}%")


def ends(shown: Callable[[str, int], Cell], name: str = "", digits: int = 0) -> Cell:
    """Show both ends of an interval, of the columns ``low`` and ``high`` or of those that begin with a name."""
    low, high = (shown(f"{name}_{end}" if name else end, digits) for end in ("low", "high"))
    return lambda row: NOTHING if low(row) == NOTHING else f"{low(row)} to {high(row)}"


def span(low: str, high: str) -> Cell:
    """Show a range of whole numbers, or the one that it is."""
    return lambda row: f"{row[low]}" if row[low] == row[high] else f"{row[low]}–{row[high]}"


def _number(value: Any, form: str, more: float = 0.0) -> str:
    if value is None or not math.isfinite(value):
        return NOTHING
    shown = format(value + more, form)
    return shown.replace("-", "−") if form.startswith(("+", ".", "z")) else shown


def short(name: str, otherwise: str, most: int = 16) -> str:
    """Give a name that a heading has room for, or what to say otherwise."""
    return name if len(name) <= most else otherwise
