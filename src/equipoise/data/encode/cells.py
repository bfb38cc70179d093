"""Numbers as people write them into cells: ``61.77%``, ``61.77 +- 1.2``, ``61,770``, a dash for nothing.

Whatever is done to a cell beyond reading it is said, by column and with an example.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial

import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, some_of

GAPS = ["", "na", "n/a", "nan", "null", "none", "-", "--", "---", "\u2013", "\u2014", "\u2212", "?", "#n/a",
        "nan \u00b1 nan", "nan +- nan", "nan +/- nan"]  # fmt: skip
"""What people write, in any case, into a cell that has no value; the last dashes are en, em and minus."""

ODD = r"[%,\u{00b1}\u{2212}]|\+/?-|\\pm"
"""What a cell has that may be a number and cannot be read as one."""
MARGIN = r"(?:\u{00b1}|\+/?-|\\pm)\s*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?\s*"
WITH_MARGIN, PERCENT_WITH_MARGIN = rf"^\s*\$?(.*?)\s*{MARGIN}(%?)\s*\$?$", rf"^\s*\$?(.*?%)\s*{MARGIN}%?\s*\$?$"
PERCENT = r"\s*%$"
THOUSANDS = r"^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?$"
THOUSANDS_BY_DOTS = r"^[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]+)$"
DECIMAL_COMMA = r"^[+-]?[0-9]+,[0-9]+$"

SAID = {
    "percent": ("percent-signs", "Percent signs were taken off"),
    "margin": ("margins-left-out", "What follows a plus-minus sign was left out"),
    "thousands": ("thousands", "Marks between thousands were taken out"),
}
"""What was done to odd cells: the code and the words of the note."""


@dataclass(slots=True)
class OddCells:
    """What was done to cells on the way to numbers, by kind and column, with an example of each.

    Columns are looked at more than once (to tell what they hold, then to read them), so cells are not counted.
    """

    done: dict[str, dict[str, tuple[str, float]]] = field(default_factory=dict)
    bare: set[str] = field(default_factory=set)
    commas: dict[str, str] = field(default_factory=dict)

    def notes(self, columns: Collection[str]) -> tuple[Diagnostic, ...]:
        """Say what was done in these columns.

        Fails when
            percent signs stand in some cells of a column only, or its commas mean thousands here and decimals there.
        """
        self._refuse_mixed(columns)
        notes = []
        for kind, (code, words) in SAID.items():
            examples = {name: shown for name, shown in self.done.get(kind, {}).items() if name in columns}
            if examples:
                written, value = next(iter(examples.values()))
                where = f'in {some_of(examples)} ("{written.strip()}" was read as {value:.12g})'
                notes.append(info(code, f"{words} {where}.", list(examples)))
        return tuple(notes)

    def look_at(self, cells: pl.Series, column: str, *, decimal_comma: bool = False) -> None:
        """Keep what is done to the cells of a column, which are read elsewhere."""
        _read(cells, column=column, odd=self, decimal_comma=decimal_comma)

    def _refuse_mixed(self, columns: Collection[str]) -> None:
        for name, (written, _) in self.done.get("percent", {}).items():
            if name in columns and name in self.bare:
                raise DataError(
                    f'column "{name}" has percent signs in some cells ("{written}") and none in others;'
                    " write all its numbers in one way"
                )
        for name, (written, _) in self.done.get("thousands", {}).items():
            if name in columns and name in self.commas:
                raise DataError(
                    f'column "{name}" has commas between thousands ("{written}") and before decimals'
                    f' ("{self.commas[name]}"); write all its numbers in one way'
                )


def numbers(text: pl.Expr, column: str, odd: OddCells, *, decimal_comma: bool = False) -> pl.Expr:
    """Give a column of text as floats, null where a cell is no number; ``odd`` keeps what was done to odd cells."""
    read = partial(_read, column=column, odd=odd, decimal_comma=decimal_comma)
    return text.map_batches(read, return_dtype=pl.Float64, is_elementwise=True)


def _read(cells: pl.Series, *, column: str, odd: OddCells, decimal_comma: bool) -> pl.Series:
    """Read what can be read as it stands; only where something is left, look at it again."""
    trimmed = cells.str.strip_chars()
    plain = trimmed.str.replace(",", ".", literal=True) if decimal_comma else trimmed
    values = plain.cast(pl.Float64, strict=False)
    if values.null_count() == cells.null_count():
        _note_bare(values, column, odd)
        return values
    left = values.is_null() & trimmed.str.contains(ODD).fill_null(False)
    if not left.any():
        _note_bare(values, column, odd)
        return values
    _note_bare(values, column, odd)
    places = left.arg_true()
    return values.scatter(places, _odd_values(trimmed.gather(places), column, odd, decimal_comma))


def _note_bare(values: pl.Series, column: str, odd: OddCells) -> None:
    """Remember that a column has numbers without percent signs; 0 is the same with and without."""
    if column not in odd.bare and ((values != 0) & values.is_not_nan()).any():
        odd.bare.add(column)


def _odd_values(written: pl.Series, column: str, odd: OddCells, decimal_comma: bool) -> pl.Series:
    """Give the numbers in odd cells, null where there is none."""
    text = written.str.replace_all("\u2212", "-", literal=True)
    without_margin = text.str.replace(PERCENT_WITH_MARGIN, "$1").str.replace(WITH_MARGIN, "$1$2")
    without_percent = without_margin.str.replace(PERCENT, "")
    grouped = without_percent.str.contains(THOUSANDS_BY_DOTS if decimal_comma else THOUSANDS)
    mark = "." if decimal_comma else ","
    joined = without_percent.str.replace_all(mark, "", literal=True)
    plain = without_percent.zip_with(~grouped, joined) if grouped.any() else without_percent
    plain = plain.str.replace(",", ".", literal=True) if decimal_comma else plain
    values = plain.cast(pl.Float64, strict=False)
    steps = {"margin": without_margin != text, "percent": without_percent != without_margin, "thousands": grouped}
    for kind, changed in steps.items():
        at = (changed & values.is_not_null()).arg_true()
        if len(at):
            odd.done.setdefault(kind, {}).setdefault(column, (written[int(at[0])], values[int(at[0])]))
    decimals = (without_percent.str.contains(DECIMAL_COMMA) & ~grouped & values.is_null()).arg_true()
    if len(decimals):
        odd.commas.setdefault(column, written[int(decimals[0])])
    bare = values.filter(~steps["percent"])
    _note_bare(bare, column, odd)
    return values
