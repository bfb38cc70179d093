"""Sums over many small groups of rows, compiled where there are many rows."""

import numpy as np

from equipoise.core.compiled import compiled
from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import Codes

__all__ = ["LONG", "outer_products", "squared_sums"]

LONG = 300_000
"""Rows from which these loops are worth the compiler."""


@compiled(least=LONG)
def outer_products(group: Codes, column: Codes, value: FloatArray, size: int) -> FloatArray:
    """Add up the values of each group by column, and then the outer products of these sums with themselves.

    ``group`` is sorted; ``column`` and ``value`` have a row for each row of it, with several entries.
    """
    total, sums = np.zeros((size, size)), np.zeros(size)
    seen, found = np.zeros(size, dtype=np.bool_), np.empty(size, dtype=np.int64)
    count = 0
    for row in range(len(group)):
        for part in range(column.shape[1]):
            at = column[row, part]
            if not seen[at]:
                seen[at] = True
                found[count] = at
                count += 1
            sums[at] += value[row, part]
        if row + 1 == len(group) or group[row + 1] != group[row]:
            for i in range(count):
                for j in range(count):
                    total[found[i], found[j]] += sums[found[i]] * sums[found[j]]
            for i in range(count):
                sums[found[i]] = 0.0
                seen[found[i]] = False
            count = 0
    return total


@compiled(least=LONG)
def squared_sums(group: Codes, column: Codes, value: FloatArray, size: int) -> FloatArray:
    """Add up the values of each group by column; give the sum of these sums and that of their squares, in two rows."""
    result, sums = np.zeros((2, size)), np.zeros(size)
    start = 0
    for row in range(len(group)):
        for part in range(column.shape[1]):
            sums[column[row, part]] += value[row, part]
        if row + 1 == len(group) or group[row + 1] != group[row]:
            for member in range(start, row + 1):
                for part in range(column.shape[1]):
                    at = column[member, part]
                    result[0, at] += sums[at]
                    result[1, at] += sums[at] * sums[at]
                    sums[at] = 0.0
            start = row + 1
    return result
