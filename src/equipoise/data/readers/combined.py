"""One column made of several: a task that is a game and a level, an agent that is a network and an algorithm."""

from dataclasses import replace

import polars as pl

from equipoise.data.files.tables import Table
from equipoise.data.readers.columns import listed, named

BETWEEN = "/"
"""What stands between the parts of a name."""


def with_combined(table: Table, **given: str | None) -> Table:
    """Add a column for each role whose name is several columns with commas between them (``game,level``).

    Its cells are those of the columns, with a slash between them, and empty where one of them is; the parts are no
    columns of their own any more.

    Fails when
        one of several columns is not there.
    """
    for role, name in given.items():
        parts = listed(name) or ()
        if name is None or name in table.columns or len(parts) < 2:
            continue
        for part in parts:
            named(table.columns, part, role)
        whole = pl.concat_str([table.text(part) for part in parts], separator=BETWEEN).alias(name)
        columns = (*(column for column in table.columns if column not in parts), name)
        table = replace(table, rows=table.rows.with_columns(whole), columns=columns)
    return table
