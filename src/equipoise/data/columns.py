"""Finding columns by their usual names."""

import re
from collections.abc import Sequence

from equipoise.errors import ColumnError, did_you_mean, some_of

__all__ = ["find", "find_set", "named", "plain"]


def plain(name: str) -> str:
    """Give a column's name in its plainest form.

    >>> plain("Home.Team"), plain("model A")
    ('home_team', 'model_a')
    """
    return re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_")


def named(columns: Sequence[str], name: str, role: str) -> str:
    """Give the column the user named, or say which there are."""
    if name in columns:
        return name
    hint = did_you_mean(name, columns)
    raise ColumnError(f'no column "{name}" for {role}{hint}; found: {some_of(columns, most=12)}')


def find(columns: Sequence[str], usual: Sequence[str]) -> str | None:
    """Give the first column that has one of the usual names, the earlier name first."""
    by_name = {plain(column): column for column in reversed(columns)}
    return next((by_name[name] for name in usual if name in by_name), None)


def find_set(columns: Sequence[str], usual: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Give the first of the usual sets of columns of which all are there."""
    by_name = {plain(column): column for column in reversed(columns)}
    for names in usual:
        if all(name in by_name for name in names):
            return tuple(by_name[name] for name in names)
    return None
