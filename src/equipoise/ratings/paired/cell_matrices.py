"""Matrices with a row or a column for each cell of a pair table: whole where they are small, sparse where not.

Of a table of few agents, laying out a sparse matrix takes longer than everything that is done with it. Both kinds have
products, transposes and ``abs``; what they do not share is here.
"""

from typing import Any, TypeAlias

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.flows.laplacian import laplacian_matrix
from equipoise.ratings.paired.model import PairedModel

__all__ = [
    "Matrix", "by_unknown", "incidence", "laplacian", "one_cell_each", "pairs_of_cells", "scaled_rows", "whole",
    "with_column",
]  # fmt: skip

SMALL = 4096
"""Entries up to which a matrix is kept whole."""

Matrix: TypeAlias = Any
"""A NumPy array, or a sparse one of SciPy's."""


def incidence(model: PairedModel) -> Matrix:
    """Cells by ratings (and side): +1 for the first agent, -1 for the second, +1 for the side."""
    cells, unknowns = len(model.first), model.agents + model.side
    if cells * unknowns > SMALL:
        return model.incidence()
    matrix, row = np.zeros((cells, unknowns)), np.arange(cells)
    matrix[row, model.first], matrix[row, model.second] = 1.0, -1.0
    matrix[:, model.agents :] = 1.0
    return matrix


def pairs_of_cells(model: PairedModel) -> Matrix:
    """Pairs by cells, to add up the two sides of a pair: -1 where a cell tells its pair the other way round.

    Sides differ by the side advantage alone, so the two cells of a pair are compared with its rating together.
    """
    low, high = np.minimum(model.first, model.second), np.maximum(model.first, model.second)
    keys, pair = np.unique(low.astype(np.int64) * model.agents + high, return_inverse=True)
    sign = np.where(model.first < model.second, 1.0, -1.0)
    cell, shape = np.arange(len(sign)), (len(keys), len(sign))
    if len(keys) * len(sign) > SMALL:
        return scipy.sparse.coo_array((sign, (pair, cell)), shape=shape).tocsr()
    matrix = np.zeros(shape)
    matrix[pair, cell] = sign
    return matrix


def laplacian(model: PairedModel, weight: FloatArray) -> Matrix:
    """Agents by agents: minus the weight of a pair's cells off the diagonal, and rows that sum to zero."""
    n = model.agents
    if n * n > SMALL:
        return laplacian_matrix(model.first, model.second, weight, n)
    met = np.bincount(model.first.astype(np.int64) * n + model.second, weight, n * n).reshape(n, n)
    met += met.T.copy()
    return np.diag(met.sum(axis=1)) - met


def one_cell_each(pairs: Matrix) -> IntArray:
    """Give the first cell of each pair."""
    if isinstance(pairs, np.ndarray):
        return np.asarray(np.abs(pairs).argmax(axis=1))
    return np.asarray(pairs.indices[pairs.indptr[:-1]])


def by_unknown(incidence: Matrix) -> Matrix:
    """Turn cells by unknowns into unknowns by cells, laid out for products from the left."""
    return incidence.T.copy() if isinstance(incidence, np.ndarray) else incidence.T.tocsr()


def scaled_rows(weight: FloatArray, matrix: Matrix) -> Matrix:
    """Multiply each row by its weight."""
    if isinstance(matrix, np.ndarray):
        return weight[:, None] * matrix
    return scipy.sparse.diags_array(weight) @ matrix


def with_column(matrix: Matrix, column: FloatArray) -> Matrix:
    """Put a column behind the others."""
    if isinstance(matrix, np.ndarray):
        return np.column_stack([matrix, column])
    return scipy.sparse.hstack([matrix, column[:, None]], format="csr")


def whole(matrix: Matrix) -> FloatArray:
    """Give all entries, zeros too."""
    return np.asarray(matrix if isinstance(matrix, np.ndarray) else matrix.toarray())
