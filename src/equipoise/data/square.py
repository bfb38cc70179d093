"""Square cross-tables: a row and a column for each agent."""

import numpy as np
import polars as pl

from equipoise.data.pairs import PairTable
from equipoise.data.tables import Table, collect
from equipoise.errors import DataError, some_of
from equipoise.results import FloatArray

__all__ = ["is_square", "read_square", "square_pairs"]

LARGEST = 20_000
"""No one has a square file with more columns; more means it is something else."""


def is_square(table: Table) -> bool:
    """Tell whether the first column repeats the names of the other columns, in their order."""
    if not 3 <= len(table.columns) <= LARGEST:
        return False
    first = collect(table.rows.select(table.text(table.columns[0])).head(len(table.columns)), table.name)
    names = [name.strip() for name in table.columns[1:]]
    return first.to_series().to_list() == names


def read_square(table: Table) -> tuple[tuple[str, ...], FloatArray]:
    """Give the names and the numbers; a cell that is not a number is refused unless empty (NaN)."""
    columns = table.columns[1:]
    texts = collect(table.rows.select(table.text(column) for column in columns), table.name)
    numbers = collect(table.rows.select(table.number(column) for column in columns), table.name)
    lost = texts.select(pl.all().is_not_null()).to_numpy() & numbers.select(pl.all().is_null()).to_numpy()
    if lost.any():
        where = some_of(f"{columns[i]} vs {columns[j]}" for i, j in np.argwhere(lost))
        raise DataError(f"{table.name}: not a number for {where}")
    return tuple(name.strip() for name in columns), numbers.to_numpy().astype(float)


def square_pairs(table: Table) -> PairTable:
    """Read win probabilities where all cells are in [0, 1] and opposite ones add to 1, else win counts."""
    names, cells = read_square(table)
    off = ~np.eye(len(cells), dtype=bool)
    known = cells[off & ~np.isnan(cells)]
    if len(known) == 0:
        raise DataError(f"{table.name}: a square table without numbers")
    if ((known >= 0) & (known <= 1)).all() and not (known == np.round(known)).all():
        return PairTable.from_matrix(cells, agents=names)
    if np.isnan(cells[off]).any():
        raise DataError(f"{table.name}: a table of win counts has empty cells; write 0 where nobody won")
    return PairTable.from_wins(cells, agents=names)
