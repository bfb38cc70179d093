"""The unknowns of a model of the Bradley-Terry family, and how cells depend on them.

Matrices with a row or a column for each cell of a pair table: whole where they are small, sparse where not.

Of a table of few agents, laying out a sparse matrix takes longer than everything that is done with it. Both kinds have
products, transposes and ``abs``; what they do not share is here.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.encode.labels import Codes
from equipoise.flows.laplacian import laplacian_matrix
from equipoise.ratings.paired.ties import TieModel

PIECE = 1 << 15
"""Cells whose covariates are looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedModel:
    """What is fitted: who met whom, how ties are treated, which parameters there are.

    ``components`` labels groups of agents that are not compared; ratings sum to zero within each. ``precision`` is that
    of an independent normal prior on each rating (0 for none), which may compare agents that never met. ``covariates``
    has a column for each covariate, which its coefficient multiplies; ``coefficient_precision`` is of their prior.

    Unknowns come in this order: ratings, first-position advantage, coefficients, tie parameter.
    """

    agents: int
    first: Codes
    second: Codes
    ties: TieModel
    side: bool
    components: IntArray
    precision: float = 0.0
    covariates: FloatArray | None = None
    coefficient_precision: float = 0.0

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return int(self.coefficients.stop) + (self.ties != "half")

    @property
    def coefficients(self) -> slice:
        """Where the coefficients of covariates stand among the unknowns."""
        start = self.agents + self.side
        return slice(start, start + (0 if self.covariates is None else self.covariates.shape[1]))

    @property
    def penalties(self) -> FloatArray:
        """Precision of the prior on each unknown, 0 where there is none."""
        of = np.zeros(self.size)
        of[: self.agents] = self.precision
        of[self.coefficients] = self.coefficient_precision
        return of

    def differences(self, x: FloatArray) -> FloatArray:
        """Strength difference of each cell; ``x`` may have a column for each of several replicates."""
        d = x[self.first] - x[self.second]
        if self.covariates is not None:
            d += self.covariates @ x[self.coefficients]
        return d + x[self.agents] if self.side else d

    def tie(self, x: FloatArray) -> float:
        """The tie parameter (0 where the model has none)."""
        return float(x[-1]) if self.ties != "half" else 0.0

    def gather(self, by_d: FloatArray, by_t: float) -> FloatArray:
        """Bring derivatives by cell to derivatives by unknown."""
        n = self.agents
        by_rating = np.bincount(self.first, by_d, n) - np.bincount(self.second, by_d, n)
        parts: list[FloatArray] = [by_rating.astype(float, copy=False)]
        parts += [np.array([by_d.sum()])] if self.side else []
        parts += [by_d @ self.covariates] if self.covariates is not None else []
        parts += [np.array([by_t])] if self.ties != "half" else []
        return np.concatenate(parts)

    def products(self, dd: FloatArray, dt: FloatArray | None = None, tt: float = 0.0) -> FloatArray:
        """Bring products of derivatives by cell (by d twice, by d and t) to a matrix over unknowns; ``tt`` is a sum."""
        n = self.agents
        matrix = np.zeros((self.size, self.size))
        met = np.bincount(self.first.astype(np.int64) * n + self.second, dd, n * n).reshape(n, n)
        inner = matrix[:n, :n]
        np.add(met, met.T, out=inner)
        degree = inner.sum(axis=1)
        np.negative(inner, out=inner)
        inner[np.arange(n), np.arange(n)] = degree
        if self.side:
            matrix[n, :n] = matrix[:n, n] = np.bincount(self.first, dd, n) - np.bincount(self.second, dd, n)
            matrix[n, n] = dd.sum()
        if self.covariates is not None:
            border = self._border(self.covariates, dd)
            at = self.coefficients
            matrix[: at.stop, at] = border
            matrix[at, : at.stop] = border.T
        if dt is not None and self.ties != "half":
            matrix[-1, :] = matrix[:, -1] = self.gather(dt, tt)
        return matrix

    def _border(self, covariates: FloatArray, dd: FloatArray) -> FloatArray:
        """Products of each rating, the side and each covariate with each covariate, in one look at the cells.

        A piece of the cells at a time: what is computed on the way stays near the processor, however many there are.
        """
        n, count = self.agents, covariates.shape[1]
        border = np.zeros((n + self.side + count, count))
        for start in range(0, len(dd), PIECE):
            rows = slice(start, start + PIECE)
            some = np.ascontiguousarray(covariates[rows].T)
            weighted = some * dd[rows]
            first, second = self.first[rows].astype(np.intp), self.second[rows].astype(np.intp)
            for k in range(count):
                border[:n, k] += np.bincount(first, weighted[k], n)
                border[:n, k] -= np.bincount(second, weighted[k], n)
            if self.side:
                border[n] += weighted.sum(axis=1)
            border[n + self.side :] += some @ weighted.T
        return border

    def take(self, rows: IntArray | slice) -> "PairedModel":
        """Give the model of some of the cells, without its priors."""
        some = None if self.covariates is None else self.covariates[rows]
        first, second = self.first[rows], self.second[rows]
        return PairedModel(self.agents, first, second, self.ties, self.side, self.components, covariates=some)

    def component_means(self, values: FloatArray) -> FloatArray:
        """Give each agent the mean of its connected component; ``values`` may have several columns."""
        sizes = np.bincount(self.components)
        sums = np.zeros((len(sizes), *values.shape[1:]))
        np.add.at(sums, self.components, values)
        return np.asarray((sums.T / sizes).T[self.components])

    def incidence(self) -> "scipy.sparse.csr_array":
        """Cells by unknowns, without the tie parameter: +1 for the first agent, -1 for the second, +1 for the side."""
        count = len(self.first)
        rows, columns = [np.arange(count)] * 2, [self.first, self.second]
        values = [np.ones(count), -np.ones(count)]
        if self.side:
            rows, columns = [*rows, np.arange(count)], [*columns, np.full_like(self.first, self.agents)]
            values = [*values, np.ones(count)]
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return scipy.sparse.coo_array(entries, shape=(count, self.agents + self.side)).tocsr()


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

    Sides differ by the first-position advantage alone, so the two cells of a pair are compared with its rating
    together.
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
