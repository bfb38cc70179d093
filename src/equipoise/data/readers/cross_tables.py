"""Tables of everybody against everybody: win rates, counts of wins, payoffs; and payoff tensors as JSON."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from equipoise.core.diagnostics import info
from equipoise.core.errors import DataError, ReadError, some_of
from equipoise.core.results import FloatArray, FrozenMap
from equipoise.data.encode.cells import GAPS
from equipoise.data.files.tables import Table, collect, reading
from equipoise.data.readers.bad_rows import BLANK, open_rows
from equipoise.data.select.filters import chosen_pairs
from equipoise.data.select.selection import Wanted
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable

LARGEST = 20_000
"""No one has a square file with more columns; more means it is something else."""
PEEKED = 100
"""Rows at the top in which a name is looked for first."""
_Data = TypeVar("_Data", PairTable, MetaGame)
PAYOFFS = ("payoffs", "payoffs_per_player", "payoff_tensors")
"""Keys under which JSON files hold payoffs."""


def is_cross_table(table: Table) -> bool:
    """Tell whether the first column repeats the names of the other columns, in their order."""
    if not 3 <= len(table.columns) <= LARGEST:
        return False
    names = [name.strip() for name in table.columns[1:]]
    # The first name decides it nearly always; finding as many as there are columns may look at every row.
    top = collect(table.rows.select(table.text(table.columns[0])).head(PEEKED), table.name).to_series().drop_nulls()
    if len(top) and top[0] != names[0]:
        return False
    first = collect(_written(table).select(table.text(table.columns[0])).head(len(table.columns)), table.name)
    return first.to_series().to_list() == names


def _written(table: Table) -> pl.LazyFrame:
    """Give the rows that are not blank: each has a name."""
    return table.rows.filter(table.text(table.columns[0]).is_not_null())


def cross_table_pairs(table: Table) -> PairTable:
    """Read win probabilities where all cells are in [0, 1] and opposite ones add to 1, else win counts."""
    names, cells = _names_and_cells(table)
    off = ~np.eye(len(cells), dtype=bool)
    known = cells[off & ~np.isnan(cells)]
    if len(known) == 0:
        raise DataError(f"{table.name}: a square table without numbers")
    if ((known >= 0) & (known <= 1)).all() and not (known == np.round(known)).all():
        return _chosen(PairTable.from_matrix(cells, agents=names), table)
    if np.isnan(cells[off]).any():
        raise DataError(f"{table.name}: a table of win counts has empty cells; write 0 where nobody won")
    return _chosen(PairTable.from_wins(cells, agents=names), table)


def _chosen(pairs: PairTable, table: Table) -> PairTable:
    kept, dropped = chosen_pairs(pairs, table.selection)
    return _accounted(kept, table, dropped)


def _accounted(data: _Data, table: Table, dropped: Mapping[str, int] = FrozenMap({})) -> _Data:
    """Say what became of the table's rows: all that are not blank, and every column, are used."""
    given = int(collect(table.rows.select(pl.len()), table.name).item())
    blank = given - (len(table.columns) - 1)
    account = table.account(given, {BLANK: blank, **dropped}, table.columns)
    note = (info("blank-rows", f"{blank:,} blank rows were passed over."),) if blank else ()
    return replace(data, diagnostics=table.diagnostics + note + data.diagnostics, account=account)


def metagame_from(source: Any) -> MetaGame:
    """Read a meta-game from JSON or from a square table."""
    given = source.source if isinstance(source, Wanted) else source
    if isinstance(given, str | Path) and Path(given).suffix.lower() == ".json":
        return _from_json(Path(given))
    table = open_rows(source, "raise")
    if not is_cross_table(table):
        raise DataError(
            f"{table.name}: a payoff table must be square, its first column naming the other columns in their order"
        )
    names, cells = _names_and_cells(table)
    return _accounted(MetaGame.symmetric(cells, names), table)


def _names_and_cells(table: Table) -> tuple[tuple[str, ...], FloatArray]:
    """Give the names and the numbers; a cell that is not a number is refused unless empty (NaN)."""
    columns = table.columns[1:]
    texts = collect(_written(table).select(table.text(column) for column in columns), table.name)
    texts = texts.select(pl.when(~pl.all().str.to_lowercase().is_in(GAPS)).then(pl.all()))
    numbers = collect(_written(table).select(table.number(column) for column in columns), table.name)
    lost = texts.select(pl.all().is_not_null()).to_numpy() & numbers.select(pl.all().is_null()).to_numpy()
    if lost.any():
        where = some_of(f"{columns[i]} vs {columns[j]}" for i, j in np.argwhere(lost))
        raise DataError(f"{table.name}: not a number for {where}")
    return tuple(name.strip() for name in columns), numbers.to_numpy().astype(float)


def _from_json(path: Path) -> MetaGame:
    if path.is_dir() or not path.exists():
        raise ReadError(f"{path} {'is a directory; give a file' if path.is_dir() else 'does not exist'}")
    with reading(str(path)):
        content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise DataError(f'{path}: expected an object with "payoffs" (K nested lists)')
    payoffs = next((content[key] for key in PAYOFFS if key in content), None)
    if not isinstance(payoffs, list) or not payoffs:
        raise DataError(f'{path}: no "payoffs" (K nested lists, one a population); found: {", ".join(content)}')
    extra = {key: content.get(key) for key in ("counts", "low", "high")}
    strategies = content.get("strategies")
    try:
        if _depth(payoffs) == 2:
            return MetaGame.symmetric(payoffs, strategies, **extra)
        return MetaGame.from_payoffs(payoffs, strategies, **extra)
    except TypeError as error:
        raise DataError(f"{path}: payoffs and strategies must be lists of numbers and of names") from error


def holds_payoffs(path: Path) -> bool:
    """Tell whether a JSON file holds payoffs, and no table of another kind."""
    content = path.read_bytes().removeprefix(b"\xef\xbb\xbf").lstrip()
    if not content.startswith(b"{"):
        return False
    with reading(str(path)):
        try:
            held = json.loads(content)
        except json.JSONDecodeError:
            return False
    return isinstance(held, dict) and any(key in held for key in PAYOFFS)


def _depth(nested: object) -> int:
    return 1 + _depth(nested[0]) if isinstance(nested, list) and nested else 0
